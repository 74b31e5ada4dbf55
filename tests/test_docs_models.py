"""docs/models.md names every form, variable and reason, and its block runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from selector.codes import Reason
from selector.models import KINDS, load
from selector.models.keys import ANY_OTHER, OWN_SERVERS, OWNERS
from tests.test_readme import BLOCK


@pytest.fixture
def page(checkout: Path) -> str:
    return (checkout / "docs" / "models.md").read_text(encoding="utf-8")


def test_everything_is_named(page: str) -> None:
    for name in (*Reason, *OWNERS, *OWNERS.values(), *OWN_SERVERS, ANY_OTHER):
        assert f"`{name}`" in page, name
    for kind in KINDS:
        assert f"| `{kind}:" in page


def test_the_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = [text for language, text in BLOCK.findall(page) if language == "python"]
    assert len(blocks) == 1
    for block in blocks:
        exec(compile(block, "models.md", "exec"), {})


def test_the_examples_name_models(page: str) -> None:
    lines = page.split("```\n")[1].splitlines()
    assert len(lines) == 5
    for line in lines:
        if not line.startswith("command:"):
            load(line)
