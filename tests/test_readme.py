"""The README tells the truth: its blocks run, and its commands print what it shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from selector import Outcome, SelectOptions
from selector.cli import main

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def readme(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    shutil.copytree(checkout / "memories", tmp_path / "memories")
    monkeypatch.chdir(tmp_path)
    return (checkout / "README.md").read_text(encoding="utf-8")


def test_the_python_blocks_run(readme: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    blocks = [text for language, text in BLOCK.findall(readme) if language == "python"]
    assert len(blocks) > 2
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert "oncall/import-rollback.md" in capsys.readouterr().out


def test_the_commands_print_what_is_shown(readme: str, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [text for language, text in BLOCK.findall(readme) if language == "console"]
    calls = re.split(r"^\$ memsel ", block, flags=re.MULTILINE)[1:]
    assert len(calls) > 2
    for call in calls:
        line, shown = call.split("\n", 1)
        assert main(shlex.split(line)) == 0
        assert "".join(capsys.readouterr()) == shown


def test_every_option_and_outcome_is_explained(readme: str) -> None:
    for name in (*SelectOptions.__dataclass_fields__, *Outcome):
        assert f"| `{name}` |" in readme, name


def test_the_make_targets_exist(readme: str, checkout: Path) -> None:
    makefile = (checkout / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake (\w+)", readme))
    assert {"demo", "test", "bench"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_no_figure_is_left_out(readme: str) -> None:
    assert re.findall(r"\b(?:TODO|TBD|[A-Z]{3,}\d+|PREC|REC|NONE of)\b", readme) == []
