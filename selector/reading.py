"""Reads one memory in full: its whole frontmatter, and its body byte for byte."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from selector.codes import Code
from selector.errors import ReadError
from selector.files import code_of, opened_below, read_at_most
from selector.frontmatter import decode, encoding_of, split
from selector.headers import HEAD_BYTES, OPEN_HEADER_BYTES, needs_more, read_header
from selector.layout import type_of_file, type_of_folder
from selector.metadata import parse
from selector.types import Memory, MemoryHeader, Problem

# How each encoding keeps what it cannot decode.
_KEEP = {"utf-8": "surrogateescape", "utf-16-le": "surrogatepass", "utf-16-be": "surrogatepass"}
_ESCAPED = re.compile("[\ud800-\udfff]")

MAX_BODY = 4 * 1024 * 1024  # bytes: larger files are no notes; Claude Code skips them too


def read_memory(root: str, header: MemoryHeader) -> Memory:
    """The memory that `header`, of a scan of `root`, stands for, as it is on the disk now.

    No link is followed on the way. Raises ReadError: vanished, not permitted, over `MAX_BODY`.
    """
    raw, info = _read(root, header)
    folder, name = os.path.split(header.path)
    kind = type_of_file(name.lower()) or type_of_folder(folder, root)
    facts = (header.name, header.path, info.st_mtime, info.st_size, kind)
    head = raw[:HEAD_BYTES]  # as much as a scan reads, so that both see the same header
    if len(head) == HEAD_BYTES and needs_more(head):
        head = raw[:OPEN_HEADER_BYTES]
    metadata, body, text, line = _parts(raw)
    return Memory(
        header=read_header(head, facts, time.time(), set()),
        metadata=metadata,
        body=body,
        text=text,
        sha256=hashlib.sha256(raw).hexdigest(),
        line=line,
    )


def read_each(
    roots: Mapping[str, str], headers: Iterable[MemoryHeader]
) -> tuple[list[Memory], list[Problem]]:
    """The memories below `label -> root` that can be read, and why each of the others cannot."""
    memories: list[Memory] = []
    problems: list[Problem] = []
    for header in headers:
        root = roots.get("") or roots.get(header.name.partition("/")[0])
        if root is None or not _is_below(root, header.path):
            problems.append(Problem(header.name, Code.NOT_LISTED))
            continue
        try:
            memories.append(read_memory(root, header))
        except ReadError as error:
            problems.append(Problem(header.name, error.code))
    return memories, problems


def _is_below(root: str, path: str) -> bool:
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return raw.startswith(os.fsencode(os.path.join(root, ""))) and b"\0" not in raw


def content_hash(root: str, header: MemoryHeader) -> str | None:
    """The SHA-256 of a memory's file in hex, None when it cannot be read."""
    try:
        return hashlib.sha256(_read(root, header)[0]).hexdigest()
    except ReadError:
        return None


def _read(root: str, header: MemoryHeader) -> tuple[bytes, os.stat_result]:
    try:
        with opened_below(root, os.path.relpath(header.path, root)) as descriptor:
            info = os.fstat(descriptor)
            raw = b"" if info.st_size > MAX_BODY else read_at_most(descriptor, MAX_BODY)
    except OSError as error:
        code = code_of(error)
        raise ReadError(f"{header.name!r} cannot be read: {code}", code) from error
    if info.st_size > MAX_BODY:
        raise ReadError(
            f"{header.name!r} has {info.st_size:,} bytes; at most {MAX_BODY:,} are read",
            Code.TOO_LARGE,
        )
    return raw, info


def _parts(raw: bytes) -> tuple[dict[str, Any], bytes, str, int]:
    """Metadata, body, body text, and the line of the file in which the body begins.

    The header is found in the text that a scan sees; where it ends is then counted in one that
    loses nothing, which is longer at its beginning at most.
    """
    shown = decode(raw, set())
    header, _, closed = split(shown, set())
    found = parse(header) if header is not None and closed else None
    if found is None:
        return {}, raw, shown, 1
    encoding, mark = encoding_of(raw)
    lossless = _lossless(raw[mark:], encoding)
    seen = decode(_ESCAPED.sub("\ufffd", lossless).encode(), set())
    _, start, _ = split(seen, set())
    before = lossless[: len(lossless) - len(seen) + start]
    body = raw[mark + len(before.encode(encoding, _KEEP[encoding])) :]
    return found, body, body.decode(encoding, "replace"), 1 + before.count("\n")


def _lossless(raw: bytes, encoding: str) -> str:
    """`raw` as a text that encodes to the same bytes; without half a character at its end."""
    try:
        return raw.decode(encoding, _KEEP[encoding])
    except UnicodeDecodeError as error:
        return raw[: error.start].decode(encoding, _KEEP[encoding])
