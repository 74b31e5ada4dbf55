"""A draft that was filled is the frozen value, as its own initializer makes it."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, fields

import pytest

from selector.drafts import draft_of


@dataclass(frozen=True, slots=True)
class Value:
    name: str
    size: int = 0


def test_a_filled_draft_is_the_value() -> None:
    draft = draft_of(Value)()
    draft.name = "a"
    draft.size = 2
    draft.__class__ = Value
    assert type(draft) is Value
    assert draft == Value("a", 2)
    assert hash(draft) == hash(Value("a", 2))
    assert repr(draft) == repr(Value("a", 2))
    assert pickle.loads(pickle.dumps(draft)) == draft
    with pytest.raises(FrozenInstanceError):
        setattr(draft, "name", "b")  # noqa: B010


def test_a_draft_has_no_other_field() -> None:
    assert set(draft_of(Value).__slots__) == {field.name for field in fields(Value)}
    with pytest.raises(AttributeError):
        draft_of(Value)().other = 1
