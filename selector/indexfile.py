"""Index files: lines with links to memories, and which of them lead nowhere."""

from __future__ import annotations

import errno
import os
import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from selector.frontmatter import split
from selector.layout import SUFFIXES
from selector.patterns import lazy

_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE = lazy("`+[^`]*`+")
_FENCES = ("```", "~~~")
# Parentheses may nest once in a target, which may have a title behind it or angles around it.
_LINK = lazy(r"\]\(((?:[^()\\]++|\\.|\([^()]*+\))*)\)")
_TITLE = lazy(r"""[ \t](?:"[^"]*"|'[^']*'|\([^()]*\))$""")
_WIKI = lazy(r"\[\[([^\s\[\]|#][^\[\]|#]*+)?[^\[\]]*+\]\](?!\()")
_ESCAPE = lazy(r"\\([!-/:-@\[-`{-~])")
_BEHIND_PATH = lazy(r"[?#].*", re.DOTALL)
_ELSEWHERE = lazy(r"[A-Za-z][A-Za-z0-9+.-]+:(?!\s)|//")  # not a drive: `C:`
_BLOCK = lazy(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\S)?|#{1,6}[ \t]")
_NOT_THERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP))


class Place(NamedTuple):
    """Where an index file is, and what its wiki links may name besides files."""

    root: str
    folder: str  # of the index file
    names: Collection[str]  # of memories: titles and file names, NFC, case-folded


class Line(NamedTuple):
    """A line of an index file that has a link to nothing."""

    number: int  # 1-based
    targets: tuple[str, ...]  # the broken ones as they are written
    can_go: bool  # a list item that stands alone and leads nowhere else


class Index(NamedTuple):
    """What an index file holds, without its header and its comments, which no client loads."""

    lines: int
    size: int  # bytes
    links: int  # to files
    broken_links: int
    broken: list[Line]


class _Link(NamedTuple):
    target: str  # as it is written
    leads: bool  # to something below the root, or out of our sight
    is_missing: bool  # not there, though the folder that would hold it is
    is_local: bool


def read_index(text: str, place: Place) -> Index:
    """The links of an index file; what stands in its header, in comments or in code is none."""
    header, start, closed = split(text, set())
    start = start if header is not None and closed else 0
    body = _COMMENT.sub("", text[start:])
    lines = text.split("\n")
    links = [_links(line, place) for line in _prose(text, start)]
    local = [each for found in links for each in found if each.is_local]
    return Index(
        lines=len(body.split("\n")) - (not body or body.endswith("\n")),
        size=len(body.encode("utf-8", "replace")),
        links=len(local),
        broken_links=sum(not each.leads for each in local),
        broken=_broken(lines, links),
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
        elif bare.startswith(_FENCES) and "`" not in bare.lstrip("`"):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            yield ""
        else:
            yield _CODE.sub("", line)


def _line_ends(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _broken(lines: list[str], links: list[list[_Link]]) -> list[Line]:
    """The lines with a link to nothing. From below, as what follows a line may go itself."""
    found: list[Line] = []
    beneath = solid = ""  # the next line that stays; the next of those that is not blank
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        broken = tuple(each.target for each in links[index] if not each.leads)
        missing = all(each.is_missing for each in links[index])
        can_go = bool(broken) and missing and _stands_alone(line, beneath, solid)
        if broken:
            found.append(Line(index + 1, broken, can_go))
        if not can_go:
            beneath, solid = line, line if line.strip() else solid
    return found[::-1]


def _stands_alone(line: str, beneath: str, solid: str) -> bool:
    """True for a list item of one line: no text of it and no item under it would be left over."""
    item = _BLOCK.match(line)
    if not item or not item[1] or "\r" in line[:-1]:
        return False
    if _indent(solid) > _indent(line):
        return False
    return not beneath.strip() or _BLOCK.match(beneath) is not None


def _indent(line: str) -> int:
    wide = line[:200].expandtabs(4)  # a long line may be asked about often
    return len(wide) - len(wide.lstrip())


def _links(line: str, place: Place) -> list[_Link]:
    """The links of one line, but those to its own file."""
    if "](" not in line and "[[" not in line:
        return []
    written = [(_target(match[1].strip()), False) for match in _LINK.finditer(line)]
    written += [((match[1] or "").rstrip(" \\"), True) for match in _WIKI.finditer(line)]
    return [
        _link(target, is_wiki, place)
        for target, is_wiki in written
        if target and target[0] not in "#?"
    ]


def _target(inside: str) -> str:
    """What stands between the parentheses of a link, without its title and its angles."""
    if inside.startswith("<") and ">" in inside:
        return inside[1 : inside.index(">")]
    return _TITLE.sub("", inside).rstrip()


def _link(target: str, is_wiki: bool, place: Place) -> _Link:
    if _ELSEWHERE.match(target):
        return _Link(target, leads=True, is_missing=False, is_local=False)
    paths = _paths(target, is_wiki, place)
    name = unicodedata.normalize("NFC", target).casefold()
    leads = (is_wiki and name in place.names) or any(map(_is_there, paths))
    # Without its folder, or out of the root, a file may be there though nothing is seen of it.
    is_missing = not leads and any(os.path.isdir(os.path.dirname(path)) for path in paths)
    return _Link(target, leads, is_missing, is_local=True)


def _paths(target: str, is_wiki: bool, place: Place) -> set[str]:
    """The paths below the root that a target may stand for."""
    plain = _ESCAPE.sub(r"\1", target)
    written = {plain, unquote(plain)}
    written |= {_BEHIND_PATH.sub("", each) for each in written}
    written |= {unicodedata.normalize(form, each) for form in ("NFC", "NFD") for each in written}
    written.discard("")
    if is_wiki:
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
