"""The completion scripts; the one for bash in a real bash."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from selector.cli import main
from selector.cli.completion import SHELLS
from selector.cli.parser import COMMANDS
from tests.commands import COMMAND

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with notes, one of which is called like a command; and `memsel`."""
    for name in ("alpha.md", "al pine.md", "beta.md", "$(touch ran).md", "`touch ran`.md"):
        (tmp_path / "notes" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "notes" / name).write_text("---\ndescription: zebra\n---\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "memsel"
    command.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = (
        'eval "$(memsel completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
        "_shtab_memsel; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    done = subprocess.run(
        [bash, "--norc", "-c", script, "bash", "memsel", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["s"], ["select", "show"]),
        (["select", "--m"], ["--model", "--max-bytes"]),
        (["doctor", "--"], ["--help", "--root", "--fix", "--strict", "--json"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["list", "--root", "no"], ["notes"]),
        (["select", "how", "--root", "m"], ["more"]),
        (["show", "--root", "notes", "al"], ["alpha.md", "al\\ pine.md"]),
        (["show", "--root", "notes", "b"], ["beta.md"]),
        (["show", "--root", "nowhere", ""], [""]),
    ],
)
def test_bash(words: list[str], offered: list[str], notes: Path) -> None:
    assert sorted(completed(*words)) == sorted(offered)
    assert notes.exists()


def test_names_come_from_the_folders_of_the_environment(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSEL_ROOT", str(notes / "notes"))
    assert completed("show", "be") == ["beta.md"]


def test_a_name_is_never_run(notes: Path) -> None:
    offered = completed("show", "--root", "notes", "")
    assert "\\$\\(touch\\ ran\\).md" in offered
    assert "\\`touch\\ ran\\`.md" in offered
    assert not (notes / "ran").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_knows_the_commands(shell: str, capsys: Capture) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert set(COMMANDS) <= set(re.findall(r"\w+", script))
    assert "memsel list --names" in script
    assert "max-bytes" in script


def script(shell: str, notes: Path) -> tuple[str, Path]:
    """The shell, and the file with its script."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    path = notes / f"script.{shell}"
    path.write_bytes(subprocess.run(["memsel", "completion", shell], capture_output=True).stdout)
    subprocess.run([program, "-n", path], check=True)
    return program, path


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("memsel s", ["select", "show"]),
        ("memsel show --root notes al", ["al pine.md", "alpha.md"]),
        ("memsel completion z", ["zsh"]),
    ],
)
def test_fish(line: str, offered: list[str], notes: Path) -> None:
    fish, path = script("fish", notes)
    done = subprocess.run(
        [fish, "--no-config", "-c", f"source {path}; complete -C '{line}'"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(one.partition("\t")[0] for one in done.stdout.splitlines()) == offered


def test_zsh_can_parse_its_script(notes: Path) -> None:
    script("zsh", notes)  # it completes in its line editor alone
