"""Header in, fields out: reads the frontmatter of a file by lines, as its writer meant it.

A YAML parser refuses about one real header in six (`globs: **/*`, an unquoted `: `) and changes
others (`no`, `1.10`, dates, ` # ` in a sentence). Here strings stay strings, and what YAML would
refuse is read and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import compress

from selector.codes import Code
from selector.patterns import lazy
from selector.scalars import behind_notes, split_list, without_comment

# Every key that a memory header is made of.
KEYS = frozenset(
    (
        "name", "title", "description", "summary", "when_to_use", "type", "metadata",
        "modified", "updated", "updated_at", "timestamp", "date", "created",
        "paths", "globs", "applyTo", "fileMatchPattern",
        "importance", "expires_at", "valid_until", "stale_after", "superseded_by",
    )
)  # fmt: skip
# Those that may stand in the mapping under `metadata` instead: key -> field.
NESTED_KEYS = {"type": "metadata.type", "modified": "metadata.modified"}
# Those that a plain header may have.
USUAL_KEYS = (
    "name", "title", "description", "type", "created", "modified", "updated",
    "importance", "paths", "globs", "applyTo",
)  # fmt: skip

# What stands behind the colon of each key in `KEYS`, further lines behind line feeds; those of
# `NESTED_KEYS` that stand under `metadata` are called `metadata.type` and `metadata.modified`.
Fields = dict[str, str]

# A line that is plainly `key: value`, up to its colon.
_ENTRY = lazy(r"\n([A-Za-z_][\w-]*)[ \t]*:(?=[ \t\n]|\Z)")
# A further line of a value that is neither indented, nor an item, nor empty.
_ODD_LINE = lazy(r"\n[^ \t\n-]")
# A key as people write it: perhaps quoted, in another script, or of two or three words.
_LOOSE_KEY = lazy(r"([\"']?)([^\W\d][\w.-]*(?: [\w.-]+){0,2})[\"']?[ \t]*([:\uff1a])")
_UNSAID = frozenset(("", "#", "&", "!", "|", ">"))  # first marks: the value may stand below
_COLON = lazy("[:\uff1a]")
_BLANKS = frozenset(("", " ", "\t"))
_CONTINUES = frozenset((" ", "\t", "-"))
_INDENTS = frozenset((" ", "\t"))
_NESTED = lazy(r"(\n[ \t]+)([\"']?)([tTmM][yYoO][A-Za-z]+)[\"']?[ \t]*[:\uff1a]([ \t]*)(.*)")
# A further line of a plain value that YAML would refuse, as it opens another field.
_FIELD_INSIDE = lazy(rf"\n([ \t]+)(?:{'|'.join(sorted(KEYS))})[ \t]*:(?=[ \t\n]|\Z)", re.IGNORECASE)
_NOT_PLAIN = frozenset("\n\"'|>[{&!*#")
_BY_LOWER = {key.lower(): key for key in KEYS}


def _plain_header() -> str:
    """The pattern of a header of plain lines that no second header follows.

    Its groups are `_PLAIN_FIELDS`; that of `metadata` is only the indent of its lines. A key that
    came before (`(?(1)(?!))`), is in another case, or is not usual: then nothing matches.
    """
    value = r" ++(\S.*+)(?<!\s)\n"
    usual = [rf"{key}:(?({i})(?!)){value}" for i, key in enumerate(USUAL_KEYS, 1)]
    n = len(usual) + 1
    nested = [rf"{key}:(?({n + i})(?!)){value}" for i, key in enumerate(NESTED_KEYS, 1)]
    other_nested = rf"(?![\"']?{_in_any_case(NESTED_KEYS)})[A-Za-z_].*+\n"
    lines = "|".join((*nested, other_nested))
    metadata = rf"metadata:(?({n})(?!)) ?\n(?=( +))(?:\{n}(?:{lines}))++"
    other = rf"(?!{_in_any_case(KEYS)}[ \t]*:)[A-Za-z_][\w-]*+:(?: .*+\n|\n(?:(?:- | ).*+\n)*+)"
    return rf"---\n(?:{'|'.join((*usual, metadata, other))})*+---\n(?!\n*---)"


def _in_any_case(keys: Iterable[str]) -> str:
    """The pattern of one of `keys`, by its first letter: faster than ignoring the case of all."""
    rests: dict[str, list[str]] = {}
    for key in sorted(keys):
        rests.setdefault(key[0], []).append(key[1:])
    words = (f"[{c}{c.upper()}](?i:{'|'.join(rest)})" for c, rest in rests.items())
    return f"(?:{'|'.join(words)})"


_PLAIN_HEADER = lazy(_plain_header())
_PLAIN_FIELDS = (*USUAL_KEYS, "metadata", *NESTED_KEYS.values())


def plain_fields(text: str) -> tuple[Fields, int]:
    """The fields of the header that `text` opens with, and where the body starts; else ({}, 0).

    Only for headers of nothing but plain lines, as most are: one pattern reads them at a third of
    the cost of `split` and `read_fields`, which say the same.
    """
    found = None if "\r" in text else _PLAIN_HEADER.match(text)
    if not found:
        return {}, 0
    values = found.groups()
    return dict(compress(zip(_PLAIN_FIELDS, values, strict=True), values)), found.end()


def read_fields(header: str, codes: set[Code]) -> Fields | None:
    """The fields of `header` that a memory header is made of; None when it holds no field at all.

    The first of two equal keys counts.
    """
    if "\r" in header:
        header = _without_returns(header, codes)
    if header[:1] in _INDENTS:
        header = _dedent(header, header[: len(header) - len(header.lstrip(" \t"))])
    pieces = _ENTRY.split("\n" + header.rstrip("\n"))
    rest = iter(pieces)
    before = next(rest)
    fields: Fields = {}
    if before and not before.isspace():
        found: set[Code] = set()
        (_, stray), *entries = _odd_entries("", before, found)
        if stray and not entries and len(pieces) == 1:
            return None
        codes |= found
        for key, value in entries:
            _take(fields, key, value, codes)
    for name, value in zip(rest, rest, strict=True):
        if name in KEYS:
            key = name
        elif key := _spelled(name):
            codes.add(Code.KEY_CASE)
        if "\n" not in value:
            value = value.strip()
        else:
            value = value.rstrip().lstrip(" \t")
            inner = _FIELD_INSIDE.search(value) if value[:1] not in _NOT_PLAIN else None
            if inner:
                codes.add(Code.BAD_SYNTAX)
                lines = f"{name}: {_dedent(value, inner[1])}"
                for inner_key, text in (read_fields(lines, codes) or {}).items():
                    if "." not in inner_key:  # what is under `metadata` is found below
                        _take(fields, inner_key, text, codes)
                continue
            if _ODD_LINE.search(value):
                for odd_key, text in _odd_entries(key, value, codes):
                    _take(fields, odd_key, text, codes)
                continue
        if key:
            if key in fields:
                codes.add(Code.DUPLICATE_KEY)
            else:
                fields[key] = value
    if "metadata" in fields:
        _take_nested(fields, codes)
    return fields


def _take(fields: Fields, key: str, value: str, codes: set[Code]) -> None:
    if key in fields:
        codes.add(Code.DUPLICATE_KEY)
    elif key:
        fields[key] = value


def _without_returns(header: str, codes: set[Code]) -> str:
    header = header.replace("\r\n", "\n")
    if "\r" in header:  # within a line: perhaps an attempt to begin another one
        codes.add(Code.HIDDEN_TEXT)
    return header


def _take_nested(fields: Fields, codes: set[Code]) -> None:
    """Finds `NESTED_KEYS` in the mapping under `metadata`, a block or `{a: b}`."""
    block = fields["metadata"]
    if block[:1] != "\n":
        block = behind_notes(block)
        flow = block if block[-1:] == "}" else without_comment(block)
        if flow[:1] == "{" and flow[-1:] == "}":
            parts = split_list(flow[1:-1].replace("\n", " "))
            block = "".join(f"\n {part.strip()}" for part in parts)
    if "\n\t" in block:  # YAML takes no tab for an indent
        codes.add(Code.BAD_SYNTAX)
    depth = len(block) - len(block.lstrip()) if block[:1] == "\n" else 0
    for start, quote, name, space, value in _NESTED.findall(block):
        key = NESTED_KEYS.get(name) or NESTED_KEYS.get(name.lower())
        # Deeper ones belong to another mapping.
        if key and len(start) <= depth:
            if name not in NESTED_KEYS:
                codes.add(Code.KEY_CASE)
            if not (space or quote) and value:
                codes.add(Code.BAD_SYNTAX)
            value = value.rstrip()
            if value[:1] in _UNSAID and key not in fields:
                value += _further_lines(block, (start, quote, name))
            _take(fields, key, value, codes)


def _further_lines(block: str, entry: tuple[str, str, str]) -> str:
    """The lines below the first `entry` of `block` that are its value: deeper ones, list items."""
    end = next(match.end() for match in _NESTED.finditer(block) if match.groups()[:3] == entry)
    lines = []
    for line in block[end + 1 :].split("\n"):
        bare = line.lstrip()
        if len(line) - len(bare) < len(entry[0]) and bare[:1] not in ("", "-"):
            break
        lines.append(f"\n{line}")
    return "".join(lines).rstrip()


def _dedent(text: str, indent: str) -> str:
    """`text` with its lines moved left by `indent`."""
    return "\n".join(
        line.removeprefix(indent) if line.startswith(indent) else line.lstrip(" \t")
        for line in text.split("\n")
    )


@lru_cache(maxsize=4096)
def _spelled(name: str) -> str:
    """The key in `KEYS` that `name` is in another case, "" for none."""
    return _BY_LOWER.get(name.lower(), "")


def _odd_entries(key: str, value: str, codes: set[Code]) -> Iterator[tuple[str, str]]:
    """`key` with its value, then the fields in it that do not begin as fields usually do."""
    lines: list[str] = []
    for line in value.split("\n"):
        if not lines or not line or line[0] in _CONTINUES:
            lines.append(line)
        elif line[0] != "#" and line.rstrip() != "...":  # the end of a document, as YAML has it
            entry = _odd_entry(line, codes) if _COLON.search(line) or line[0] == "?" else None
            if entry is None:
                codes.add(Code.BAD_SYNTAX)
                lines.append(line)
            else:
                yield key, "\n".join(lines).rstrip()
                key, lines = entry[0], [entry[1]]
    yield key, "\n".join(lines).rstrip()


def _odd_entry(line: str, codes: set[Code]) -> tuple[str, str] | None:
    """The key and value of a line that is not plainly `key: value`, None without a key."""
    if line.startswith(("<<:", "? ", ": ")):  # YAML's merge and complex keys: not ours
        return "", ""
    written, colon, rest = line.partition(":")
    visible = line if written.isprintable() else f"{_printable(written)}{colon}{rest}"
    loose = _LOOSE_KEY.match(visible)
    if not loose:
        return None
    key, value = _spelled(loose[2]), visible[loose.end() :]
    if key and key != loose[2]:
        codes.add(Code.KEY_CASE)
    # No blank behind the colon, or the colon of a Chinese keyboard.
    if (value[:1] not in _BLANKS and not loose[1]) or loose[3] != ":":
        if not key:
            return None
        codes.add(Code.BAD_SYNTAX)
    if key and visible != line:
        codes.add(Code.HIDDEN_TEXT)
    return key, value.strip()


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable())
