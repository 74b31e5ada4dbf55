"""Finds the JSON in a text that a model wrote: wrapped, with words around it, cut or broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MISSING = object()  # where there is no value; None is one

MAX_WRAPS = 5  # fences, reasoning and JSON strings around an answer
# What bounds the work on odd texts:
MAX_READ = 131_072  # characters decoded, some of them again
PER_VALUE = 8  # characters that could be read in the time that starting costs
MAX_TRIES = 100  # places where a value may start
MAX_ITEMS = 6_000  # items taken from a broken list: 64 KiB of `"alpha.md", `

# The tags around the reasoning that some models write before the answer.
_TAG = re.compile(
    r"<(/?)(?:\w+:)?(?:think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad)"
    r"\b[^<>]*>|\[(/?)think\]",
    re.IGNORECASE,
)
_FENCES = "`~"
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# What may stand between the items of a slightly broken list.
_BETWEEN = re.compile(r"(?:[\s,]|//[^\n]*|#[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LINE_END = re.compile(r"[ \t`.]*$", re.MULTILINE)
_AROUND = "\ufeff \t\r\n"

# Big integers are refused by `int` and line breaks in strings by `strict`; neither is our business.
_DECODER = json.JSONDecoder(strict=False, parse_int=float)


def unwrapped(text: str) -> tuple[str, Any]:
    """`text` out of its reasoning, fence and JSON strings, and its value if it is JSON as a whole.

    JSON is looked for first: a text inside it may speak about fences and tags.
    """
    for _ in range(MAX_WRAPS):
        text = text.strip(_AROUND)
        value = whole(text)
        if isinstance(value, str):
            text = value
        elif value is not MISSING:
            return text, value
        elif (inner := _inside_fence(text)) is not None:
            text = inner
        elif (plain := _without_reasoning(text)) != text:
            text = plain
        else:
            break
    return text, MISSING


def _inside_fence(text: str) -> str | None:
    """What stands in a fenced text, None for one that is not. No pattern: each is quadratic."""
    mark, end = text[:1], text[-1:]
    opening = len(text) - len(text.lstrip(mark)) if mark and mark in _FENCES else 0
    line_end = text.find("\n", opening)
    if opening < 3 or line_end < 0 or end not in _FENCES:
        return None
    inner = text[line_end + 1 :]
    body = inner.rstrip(end)
    return body if len(inner) - len(body) >= 3 else None


def whole(text: str) -> Any:
    """The value of a text that is JSON from its beginning to its end, else `MISSING`."""
    value, end = _decode(text, 0)
    return value if end == len(text) else MISSING


class JsonText:
    """A text that holds JSON somewhere; what comes last in it is found first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = MAX_READ

    def values_of(self, key: str) -> Iterator[Any]:
        """The values of a key, each read on its own: what is around it may be broken."""
        quoted = re.compile(rf'"{key}"\s*:\s*')
        if not quoted.search(self._text) and f'\\"{key}\\"' in self._text:
            # JSON inside a JSON string that is cut off, or inside other JSON.
            self._text = _ESCAPE.sub(_unescaped, self._text)
        for match in list(quoted.finditer(self._text))[: -MAX_TRIES - 1 : -1]:
            value = self._list(match.end())
            if value is not MISSING:
                yield value

    def bare_list(self) -> list[Any] | None:
        """A list of texts outside of any object, or an empty one at the end of a line."""
        objects, end = self._objects(0, len(self._text)), len(self._text)
        for start in self._places("["):
            objects, end = objects - self._objects(start, end), start
            if objects > 0:
                continue
            value = self._list(start)
            if isinstance(value, list) and any(isinstance(item, str) for item in value):
                return value
            # The empty box of a to-do list has words behind it.
            if value == [] and _LINE_END.match(self._text, self._text.index("]", start) + 1):
                return []
        return None

    def has_object(self) -> bool:
        """Whether there is any JSON object."""
        return any(self._value(start)[0] is not MISSING for start in self._places("{"))

    def _objects(self, start: int, end: int) -> int:
        return self._text.count("{", start, end) - self._text.count("}", start, end)

    def _places(self, opening: str) -> Iterator[int]:
        place = len(self._text)
        for _ in range(MAX_TRIES):
            place = self._text.rfind(opening, 0, place)
            if place < 0:
                return
            yield place

    def _value(self, start: int) -> tuple[Any, int]:
        if self._left <= 0:
            return MISSING, start
        value, end = _decode(self._text, start)
        self._left -= end - start + PER_VALUE
        return value, end

    def _list(self, start: int) -> Any:
        """The value at `start`; of a list that is cut off or broken the whole items, if any."""
        value, _ = self._value(start)
        if value is not MISSING or not self._text.startswith("[", start):
            return value
        items: list[Any] = []
        position = self._skip(start + 1)
        while len(items) < MAX_ITEMS:
            item, end = self._item(position)
            if item is MISSING:
                break
            items.append(item)
            position = self._skip(end)
        return items if items or self._text.startswith("]", position) else MISSING

    def _item(self, start: int) -> tuple[Any, int]:
        string = _STRING.match(self._text, start)
        if not string:
            return self._value(start)
        value = string[0][1:-1]
        if "\\" in value:
            # With an escape that JSON does not know, as in `"notes\deploy.md"`, it stays as it is.
            decoded, _ = self._value(start)
            value = value if decoded is MISSING else decoded
        return value, string.end()

    def _skip(self, position: int) -> int:
        match = _BETWEEN.match(self._text, position)
        return match.end() if match else position


def _decode(text: str, start: int) -> tuple[Any, int]:
    """The JSON value at `start` and where it ends; `MISSING` and how far it was read."""
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return MISSING, min(error.pos, len(text) - 1)
    except (ValueError, RecursionError):
        return MISSING, len(text) - 1


def _without_reasoning(text: str) -> str:
    """`text` without what stands between reasoning tags, or before one that only closes."""
    kept: list[str] = []
    position = 0
    is_open = False
    for tag in _TAG.finditer(text):
        if tag[1] or tag[2]:
            if not is_open:
                kept.clear()
            is_open, position = False, tag.end()
        elif not is_open:
            kept.append(text[position : tag.start()])
            is_open, position = True, tag.start()
    before = "".join(kept)
    # Never closed, it is reasoning too; in the middle of a line only a word about such a tag.
    if is_open and not before.rpartition("\n")[2].strip():
        return before
    return before + text[position:]


def _unescaped(match: re.Match[str]) -> str:
    char = match[1]
    return " " if char in "nrt" else char if char in '"\\/' else match[0]
