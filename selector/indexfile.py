"""Index files: lines with links to memories, and which of them lead nowhere."""

from __future__ import annotations

import errno
import html
import os
import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from selector.frontmatter import split
from selector.layout import SUFFIXES
from selector.patterns import lazy
from selector.text import clean

# One that is never closed counts where it opens a line: else it is a word about comments.
_COMMENT = lazy(r"<!--.*?-->|^[ \t]*<!--.*\Z", re.DOTALL | re.MULTILINE)
_CODE = lazy("`+[^`]*`+")
_FENCES = ("```", "~~~")
# Parentheses may nest once in a target, which may have a title behind it or angles around it.
_LINK = lazy(r"\]\(((?:[^()\\]|\\.|\([^()\\]{0,500}+\)){0,2000}+)\)")
_TITLE = lazy(r"""[ \t](?:"[^"]*"|'[^']*'|\([^()]*\))$""")
_WIKI = lazy(r"\[\[([^\s\[\]|#][^\[\]|#]*+)?[^\[\]]*+\]\](?!\()")
_ESCAPE = lazy(r"\\([!-/:-@\[-`{-~])")
_BEHIND_PATH = lazy(r"[?#].*", re.DOTALL)
_ELSEWHERE = lazy(r"[A-Za-z][A-Za-z0-9+.-]+:(?!\s)|//")  # not a drive: `C:`
_NOT_THERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP))


class Place(NamedTuple):
    """Where an index file is, and what its wiki links may name besides files."""

    root: str
    folder: str  # of the index file
    within: str  # the folder as the names of memories have it
    paths: Collection[str]  # names of memories, as `known_as` gives them
    names: Collection[str]  # titles of memories, and names without their folders, the same


class Line(NamedTuple):
    """A line of an index file that has a link to nothing."""

    number: int  # 1-based
    targets: tuple[str, ...]  # the broken ones as they are written


class Index(NamedTuple):
    """What an index file holds, without its header and its comments, which no client loads."""

    lines: int
    size: int  # bytes
    broken: list[Line]


def read_index(text: str, place: Place) -> Index:
    """The links of an index file; what stands in its header, in comments or in code is none."""
    header, start, closed = split(text, set())
    start = start if header is not None and closed else 0
    body = _COMMENT.sub("", text[start:])
    found = ((number, _broken(line, place)) for number, line in enumerate(_prose(text, start), 1))
    return Index(
        lines=len(body.split("\n")) - (not body or body.endswith("\n")),
        size=len(body.encode("utf-8", "replace")),
        broken=[Line(number, targets) for number, targets in found if targets],
    )


def _prose(text: str, start: int) -> Iterator[str]:
    """Every line of `text`, with nothing in it that is header, comment or code."""
    head = "\n" * text.count("\n", 0, start)
    fence = ""
    for line in _COMMENT.sub(_line_ends, head + text[start:]).split("\n"):
        bare = line.strip()
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
            yield ""
        elif bare.startswith(_FENCES) and (bare[0] == "~" or "`" not in bare.lstrip("`")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            yield ""
        else:
            yield _CODE.sub("", line)


def _line_ends(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _broken(line: str, place: Place) -> tuple[str, ...]:
    """The targets of the links in a line that lead to nothing."""
    if "](" not in line and "[[" not in line:
        return ()
    written = [(_target(match[1].strip()), False) for match in _LINK.finditer(line)]
    written += [((match[1] or "").rstrip(" \\"), True) for match in _WIKI.finditer(line)]
    return tuple(
        target
        for target, is_wiki in written
        if target and target[0] not in "#?" and not _leads(target, is_wiki, place)
    )


def _target(inside: str) -> str:
    """What stands between the parentheses of a link, without its title and its angles."""
    if inside.startswith("<") and ">" in inside:
        return inside[1 : inside.index(">")]
    return _TITLE.sub("", inside).rstrip()


def _leads(target: str, is_wiki: bool, place: Place) -> bool:
    """True for a link to somewhere else, and for one to what is there, by any of its spellings."""
    if _ELSEWHERE.match(target):
        return True
    written = _spellings(target)
    if any(
        known_as(os.path.normpath(os.path.join(place.within, one))) in place.paths
        for one in written
    ):
        return True
    if is_wiki and any(known_as(os.path.basename(one)) in place.names for one in written):
        return True
    if is_wiki and os.path.splitext(target)[1].lower() not in ("", *SUFFIXES):
        return True  # a picture or a board, which its program finds in any folder
    return any(map(_is_there, _paths(written, place)))


def known_as(name: str) -> str:
    """A name or title as `Place.names` has it."""
    return clean(name).casefold().removeprefix("./").removesuffix(".md")


def _spellings(target: str) -> set[str]:
    """What a target may stand for: escapes, entities and percent signs read or not."""
    plain = _ESCAPE.sub(r"\1", target)
    written = {plain, unquote(plain), html.unescape(plain), target.replace("\\", "/")}
    written |= {_BEHIND_PATH.sub("", each) for each in written}
    written.discard("")
    return written


def _paths(written: set[str], place: Place) -> set[str]:
    """The paths below the root that a link may lead to."""
    written |= {unicodedata.normalize(form, each) for form in ("NFC", "NFD") for each in written}
    written |= {f"{each}{suffix}" for suffix in SUFFIXES for each in written}
    paths = {os.path.join(place.folder, each) for each in written}
    # A path from `/` on may start at the root, as it does in a bundle that is served.
    paths |= {f"{place.root}{each}" for each in written if each.startswith("/")}
    above = os.path.join(place.root, "")
    return {path for path in map(os.path.normpath, paths) if f"{path}{os.sep}".startswith(above)}


def _is_there(path: str) -> bool:
    """False only when the system says that there is nothing: no right to look is no answer."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno not in _NOT_THERE
    except ValueError:  # a NUL, or what no file name can hold
        return False
    return True
