"""docs/codes.md has every word of the closed sets, with the meaning that stands beside it."""

from __future__ import annotations

import re
from pathlib import Path

from selector.codes import Code, DescriptionSource, Outcome, Severity, Warn


def test_every_word_is_explained(checkout: Path) -> None:
    page = (checkout / "docs" / "codes.md").read_text(encoding="utf-8")
    source = (checkout / "selector" / "codes.py").read_text(encoding="utf-8")
    for word in (*Code, *Severity, *Outcome, *Warn, *DescriptionSource):
        meanings = re.findall(rf'^    {word.name} = "{word}"  # (.*)$', source, re.MULTILINE)
        assert meanings
        for meaning in meanings:  # of two sets that share the word
            assert f"| `{word}` | {meaning} |" in page, word
