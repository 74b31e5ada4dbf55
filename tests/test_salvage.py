"""What is read of a broken answer is bounded, however often it opens a value."""

from __future__ import annotations

import pytest

from selector import salvage


@pytest.mark.parametrize(
    "answer",
    ["[" * 100 + "1," * 30_000, "{" * 100 + '"a": [' * 10_000, '{"selected_memories": [' * 3_000],
    ids=["lists", "objects", "keys"],
)
def test_no_more_is_decoded_than_agreed(answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decode, read = salvage._decode, [0]

    def counted(text: str, start: int) -> tuple[object, int]:
        value, end = decode(text, start)
        read[0] += end - start
        return value, end

    monkeypatch.setattr(salvage, "_decode", counted)
    text = salvage.JsonText(answer)
    text.bare_list(), list(text.values_of("selected_memories")), text.has_object()
    # What is begun within the bound may go on behind it, once.
    assert read[0] <= salvage.MAX_READ + len(answer)
