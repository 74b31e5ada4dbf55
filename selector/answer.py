"""A model's answer in, known names out: whatever the model wrapped, cut or misspelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from selector.codes import Reason
from selector.errors import AnswerError
from selector.names import KnownNames
from selector.salvage import JsonText, unwrapped, whole

MAX_ANSWER = 65_536  # bytes looked at
REJECTED_LIMIT = 120  # characters of a rejected name

KEY = "selected_memories"


class Answer(NamedTuple):
    """The known names of an answer in its order, each once, and what was thrown out."""

    names: tuple[str, ...]
    rejected: tuple[str, ...]  # unknown, repeated or already surfaced; what is hidden is escaped


def read_answer(
    text: str,
    known: Sequence[str],
    *,
    roots: Mapping[str, str] | Iterable[str] = (),
    surfaced: Iterable[str] = (),
) -> Answer:
    """The names in a model's answer.

    No names at all is an answer: nothing helps. So is one with only `surfaced` names. Raises
    AnswerError (`invalid_json`, `invalid_selection`) for a text without a list and for a list
    with nothing but unknown names. `roots` as for `KnownNames`.
    """
    items = read_items(text)
    candidates = KnownNames(known, roots)
    names: dict[str, None] = {}
    rejected: list[str] = []
    for item in items:
        name = candidates.find(item)
        if name is None or name in names:
            rejected.append(_shown(item))
        else:
            names[name] = None
    if items and not names and not _any_known(items, KnownNames(tuple(map(str, surfaced)), roots)):
        raise AnswerError(
            f"none of the {len(items)} answered names is known, the first is {rejected[0]!r}",
            Reason.INVALID_SELECTION,
            tuple(rejected),
        )
    return Answer(tuple(names), tuple(rejected))


def _any_known(items: Iterable[object], known: KnownNames) -> bool:
    return any(known.find(item) is not None for item in items)


def _shown(item: object) -> str:
    if isinstance(item, float):
        return f"{item:g}"
    text = item[:REJECTED_LIMIT] if isinstance(item, str) else type(item).__name__
    return text if text.isprintable() else repr(text)[1:-1]


def _cap(text: str) -> str:
    if len(text) * 4 <= MAX_ANSWER:
        return text
    return text[:MAX_ANSWER].encode("utf-8", "replace")[:MAX_ANSWER].decode("utf-8", "ignore")


def read_items(text: str) -> list[Any]:
    """The list that the text holds, names or not; raises AnswerError when there is none."""
    text, value = unwrapped(_cap(text))
    if not text:
        raise AnswerError("the answer is empty", Reason.INVALID_JSON)
    found = JsonText(text)
    values = list(found.values_of(KEY))
    if isinstance(value, dict) and KEY in value:
        values.insert(0, value[KEY])
    for items in map(_as_list, values):
        if items is not None:
            return items
    if values:
        raise AnswerError(f"{KEY} is no list of names", Reason.INVALID_SELECTION)
    items = value if isinstance(value, list) else found.bare_list()
    if items is not None:
        return items
    if isinstance(value, dict) or found.has_object():
        raise AnswerError(f"the answer has no {KEY}", Reason.INVALID_SELECTION)
    raise AnswerError("the answer holds no JSON", Reason.INVALID_JSON)


def _as_list(value: Any) -> list[Any] | None:
    """The list in a value: a list, one name, or a list written into a string."""
    if isinstance(value, str):
        inner = whole(value.strip()) if value.strip().startswith("[") else value
        return inner if isinstance(inner, list) else [value]
    return value if isinstance(value, list) else None
