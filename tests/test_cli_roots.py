"""Which folders a call means: `--root`, labels, and the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from selector.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which holds some with one memory each."""
    for name in ("notes", "other/notes", "team", "a=b", "a=notes", "sub/x=y", "home/mine"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "zebra.md").write_text("---\ndescription: zebra\n---\n")
    (tmp_path / "file").write_text("x")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


def named(capsys: Capture, *roots: str) -> list[str]:
    """The names that `list` and `select` print alike."""
    arguments = [word for root in roots for word in ("--root", root)]
    assert main(["list", *arguments, "--names"]) == 0
    listed, err = capsys.readouterr()
    assert err == ""
    assert main(["select", "zebra", *arguments]) == 0
    chosen = [line.split(" (")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(chosen) == sorted(listed.splitlines())
    return listed.splitlines()


@pytest.mark.parametrize(
    ("roots", "names"),
    [
        (["notes"], ["zebra.md"]),
        (["x=notes"], ["x/zebra.md"]),
        (["notes", "team"], ["notes/zebra.md", "team/zebra.md"]),
        (["./notes/", "b=team"], ["b/zebra.md", "notes/zebra.md"]),
        (["x=notes", "y=other/notes"], ["x/zebra.md", "y/zebra.md"]),
        (["mine=~/mine", "team"], ["mine/zebra.md", "team/zebra.md"]),
        (["~/mine"], ["zebra.md"]),
        (["a=b"], ["zebra.md"]),  # a folder of that name, and none called b
        (["a=notes"], ["a/zebra.md"]),  # there are both
        (["./a=notes"], ["zebra.md"]),
        (["sub/x=y"], ["zebra.md"]),
    ],
)
def test_roots(capsys: Capture, roots: list[str], names: list[str]) -> None:
    assert sorted(named(capsys, *roots)) == names


def test_roots_of_the_environment(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSEL_ROOT", "notes")
    assert named(capsys) == ["zebra.md"]
    monkeypatch.setenv("MEMSEL_ROOT", os.pathsep.join(("notes", "", "x=other/notes")))
    assert sorted(named(capsys)) == ["notes/zebra.md", "x/zebra.md"]
    assert named(capsys, "team") == ["zebra.md"]
    for value in ("", os.pathsep):
        monkeypatch.setenv("MEMSEL_ROOT", value)
        assert main(["list"]) == 2
        assert (
            "no folder of memories: give --root DIR or set MEMSEL_ROOT" in capsys.readouterr().err
        )


@pytest.mark.parametrize(
    ("roots", "line"),
    [
        (["notes", "other/notes"], "--root: two folders are called 'notes'; label them: LABEL=DIR"),
        (["x=notes", "x=team"], "--root: two folders are called 'x'; label them: LABEL=DIR"),
        (["/", "notes"], "--root /: give it a label: LABEL=DIR"),
        (["é=notes", "e\u0301=team"], "--root: two labels differ only in Unicode form: another wo"),
        ([""], "--root: root '': a path to a folder is needed"),
        (["x="], "--root: root '': a path to a folder is needed"),
        (
            ["no", "x=file"],
            "none of the 2 folders can be read; the first is root '{}/no': there is",
        ),
        (["x=file"], "root '{}/file': that is a file; name the folder that it is in"),
    ],
)
def test_roots_that_cannot_be_meant(
    capsys: Capture, roots: list[str], line: str, folder: Path
) -> None:
    assert main(["list", *(word for root in roots for word in ("--root", root))]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"memsel: {line.format(folder)}")
    assert len(err.splitlines()) == 1


def test_an_error_names_the_variable(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    for value, line in (
        ("no", f"root '{folder}/no': there is no such folder"),
        (f"notes{os.pathsep}other/notes", "two folders are called 'notes'"),
    ):
        monkeypatch.setenv("MEMSEL_ROOT", value)
        assert main(["select", "zebra"]) == 2
        assert capsys.readouterr().err.startswith(f"memsel: MEMSEL_ROOT: {line}")


@pytest.mark.parametrize("command", ["select zebra", "list --names", "manifest", "doctor"])
def test_one_of_several_roots_that_is_missing(command: str, capsys: Capture, folder: Path) -> None:
    arguments = [*command.split(), "--root", "no", "--root", "notes"]
    assert main(arguments) in (0, 1)
    out, err = capsys.readouterr()
    assert "notes/zebra.md" in out or command == "doctor"
    line = f"root '{folder}/no': there is no such folder; make it, or name another"
    assert f"memsel: {line}; the other folders were read\n" in err
