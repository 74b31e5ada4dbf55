"""Finds the memory that a written name means, and never guesses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from selector.layout import SUFFIXES
from selector.text import clean, escaped

MAX_NAME = 4_096  # characters: no path is longer
MAX_ENDS = 16  # places where the name in a copied line may end
MAX_SPELLED = 400  # names of one answer that are looked for by other spellings: bounds the time

_AROUND = " \t\r\n\"'`*<>“”‘’«»"
_MARKS = re.compile(r"(?:-\s+)?(?:\[[\w-]+\]\s+)?")  # of a manifest line, before the name
_END_OF_NAME = re.compile(r"\s+\(|:\s|\s+[-—–]\s")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class KnownNames:
    """A list of names, found by other spellings of them too.

    Forgiven are blanks and quotes around a name, invisible characters, another Unicode form or
    case, a copied manifest line, `./` or the root before it, a backslash for a slash, a missing
    suffix, and missing folders where the rest is unique. Never `..`, a scheme or an unknown folder.
    What `shown_names` makes of a name means that name.

    `roots` are folder paths: a list of them for names without a label, else `label -> path`.
    """

    def __init__(self, names: Sequence[str], roots: Mapping[str, str] | Iterable[str] = ()) -> None:
        self._exact = frozenset(names)
        self._names = names
        pairs = roots.items() if isinstance(roots, Mapping) else [("", root) for root in roots]
        self._roots = [(_fold(label), _fold(_slashed(root)).rstrip("/")) for label, root in pairs]
        self._shown: dict[str, str] = {}
        self._paths: dict[str, str | None] = {}
        self._bases: dict[str, str | None] = {}
        self._left = MAX_SPELLED

    def find(self, written: object) -> str | None:
        """The known name that `written` means, None when there is none or more than one."""
        if not isinstance(written, str):
            return None
        if written in self._exact:
            return written
        if not self._names or not self._left or len(written) > MAX_NAME:
            return None
        if _CONTROL.search(written.strip(" \t\r\n")):
            return None
        self._left -= 1
        if not self._paths:
            self._shown = {text: name for name, text in shown_names(self._names).items()}
            self._paths = _spellings(self._names, (_whole, _bare))
            self._bases = _spellings(self._names, (_whole, _bare, _base, _base_bare))
        text = clean(written).strip(_AROUND)
        return self._lookup(text) or self._from_line(text)

    def _from_line(self, text: str) -> str | None:
        """The name in a line that was copied from the manifest, or in a part of one."""
        line = text[_MARKS.match(text).end() :]  # type: ignore[union-attr]  # it always matches
        ends = [match.start() for match in islice(_END_OF_NAME.finditer(line), MAX_ENDS)]
        # The longest first: a name may hold brackets and dashes itself. What is cut off must have
        # its suffix: `alpha (old).md` is not `alpha.md`.
        parts = (line[:end].strip(_AROUND) for end in reversed(ends))
        whole = (part for part in parts if part.lower().endswith(SUFFIXES))
        return next(filter(None, map(self._lookup, (line, *whole))), None)

    def _lookup(self, text: str) -> str | None:
        if text in self._shown:
            return self._shown[text]
        path = _slashed(text)
        if ".." in path.split("/"):
            return None
        path = _fold(path).removeprefix("./")
        return self._bases.get(path) or self._below_root(path)

    def _below_root(self, path: str) -> str | None:
        """The one name that `path` means when a root, or the end of its path, opens it."""
        found = {
            self._paths.get(f"{label}/{rest}" if label else rest)
            for label, root in self._roots
            for rest in _rests(path, root)
        }
        found.discard(None)
        return found.pop() if len(found) == 1 else None


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Each name as a model sees it: clean, and no two alike; of twins the second is escaped."""
    shown = {name: clean(name) for name in names}
    taken = {name for name, text in shown.items() if name == text}
    for name, text in shown.items():
        if name != text:
            text = escaped(name) if text in taken else text
            while text in taken:  # somebody has called a file so
                text = f"~{text}"
            taken.add(text)
            shown[name] = text
    return shown


def _rests(path: str, root: str) -> Iterable[str]:
    """What follows in `path` on `root`, or on its last folders."""
    while root:
        if path.startswith(f"{root}/"):
            yield path[len(root) + 1 :]
        root = root.partition("/")[2]


def _spellings(
    names: Sequence[str], shorter: Sequence[Callable[[str], str]]
) -> dict[str, str | None]:
    """Folded spelling -> the name it stands for, None where it stands for several.

    What an earlier function makes of a name counts more than what a later one does.
    """
    spellings: dict[str, str | None] = {}
    for shorten in shorter:
        level: dict[str, str | None] = {}
        for name in names:
            key = shorten(_fold(name))
            level[key] = None if key in level and level[key] != name else name
        spellings = level | spellings
    return spellings


def _fold(text: str) -> str:
    """`text` as it is compared: what is looked for is clean, and so must be what it is found by."""
    text = clean(text)
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _whole(name: str) -> str:
    return name


def _bare(name: str) -> str:
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _base_bare(name: str) -> str:
    return _bare(_base(name))
