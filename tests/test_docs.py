"""The page about the command line: nothing is left out, and its examples print what they show."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selector.cli import main, output, select
from selector.cli import options as settings
from selector.cli.parser import COMMANDS, whole_parser
from tests.commands import answering, sample_memories
from tests.test_readme import BLOCK

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def page(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    sample_memories(tmp_path)
    monkeypatch.chdir(tmp_path)
    return (checkout / "docs" / "command-line.md").read_text(encoding="utf-8")


def section(page: str, title: str) -> str:
    """What stands below a heading."""
    return re.split(r"^## ", page.partition(f"\n## {title}\n")[2], flags=re.MULTILINE)[0]


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    whole = whole_parser()
    yield "", whole
    (commands,) = [one for one in whole._actions if isinstance(one, argparse._SubParsersAction)]
    yield from commands.choices.items()


def test_every_command_is_listed(page: str) -> None:
    for name, (_, about) in COMMANDS.items():
        (row,) = re.findall(
            rf"^\| \[`memsel {name}[ A-Z]*`\]\(#memsel-{name}\) \| (.*) \|$", page, re.M
        )
        assert row == about


def test_every_argument_of_every_command_is_explained(page: str) -> None:
    for name, parser in parsers():
        text = section(page, f"memsel {name}") if name else page
        assert text
        if name != "completion":
            text += section(page, "Folders, environment, exit codes")
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                continue
            for option in action.option_strings or [str(action.metavar)]:
                metavar = f" {action.metavar}" if action.option_strings and action.metavar else ""
                explained = f"`{option}{metavar}`" in text or f"`memsel {option}`" in text
                assert explained or option in ("-h", "--help"), (name, option)


def test_every_option_that_is_explained_exists(page: str) -> None:
    known = {option for _, parser in parsers() for option in parser._option_string_actions}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) <= known


def test_every_setting_and_exit_code_is_explained(page: str) -> None:
    for name in (settings.ROOT, select.MODEL, select.TIMEOUT, "NO_COLOR"):
        assert f"| `{name}` |" in page
    for code in (output.OK, output.FAILED, output.USAGE, output.INTERRUPTED):
        assert f"| `{code}` |" in page


def test_the_examples_print_what_is_shown(page: str, capsys: Capture) -> None:
    calls = [
        call
        for language, block in BLOCK.findall(page)
        if language == "console"
        for call in re.split(r"^\$ memsel ", block, flags=re.MULTILINE)[1:]
    ]
    assert len(calls) > 6
    for call in calls:
        line, shown = call.split("\n", 1)
        assert main(shlex.split(line)) == 0
        out, err = capsys.readouterr()
        assert (out or err) == shown


def keys(value: Any) -> Iterator[str]:
    """All keys in a JSON value; what a header holds and what a score is made of is open."""
    for one in value if isinstance(value, list) else ():
        yield from keys(one)
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield key
        if key not in ("metadata", "parts"):
            yield from keys(inner)


@pytest.mark.parametrize(
    "command",
    ["select roll --explain --context", "list", "manifest", "show user_ruben.md", "doctor"],
)
def test_every_field_is_explained(
    command: str, page: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSEL_MODEL", answering(tmp_path, "no.md", "user_ruben.md"))
    (tmp_path / "memories" / "odd\x1b.md").write_text("x")
    main([*command.split(), "--root", "memories", "--json"])
    text = section(page, "JSON")
    found = set(keys(json.loads(capsys.readouterr().out)))
    assert len(found) > 6
    assert [key for key in found if f"`{key}`" not in text and f'"{key}"' not in text] == []


def test_the_readme_leads_to_the_page(page: str, checkout: Path) -> None:
    readme = (checkout / "README.md").read_text(encoding="utf-8")
    assert "(docs/command-line.md)" in readme
    for name in COMMANDS:
        assert f"`memsel {name}" in readme
    for anchor in re.findall(r"\(#([a-z-]+)\)", page):
        titles = [title.lower().replace(" ", "-") for title in re.findall(r"^## (.*)$", page, re.M)]
        assert anchor in titles
