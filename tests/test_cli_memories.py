"""`memsel list`, `manifest`, `show` and `doctor`: what lies below the folders."""

from __future__ import annotations

import json
import os
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from selector.cli import main
from tests.commands import COMMAND, sample_memories
from tests.test_golden import GOLDEN

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample_memories(tmp_path_factory.mktemp("samples")))


def printed(capsys: Capture, *arguments: str) -> list[str]:
    assert main(arguments) == 0
    return capsys.readouterr().out.splitlines()


def test_list_marks_what_takes_no_part(memories: str, capsys: Capture) -> None:
    lines = printed(capsys, "list", "--root", memories)
    assert len(lines) == 23
    assert lines[0].startswith("[user] user_maren.md (2026-11-26): Maren aus der ")
    marked = [line.partition(":")[0] for line in lines if ", " in line.partition(":")[0]]
    assert marked == [
        "[project] project_winter_freeze.md (2026-10-05, expired)",
        "[project] project_delay_prediction_v1.md (2025-09-18, superseded)",
    ]


def test_a_successor_in_the_same_labelled_folder(memories: str, capsys: Capture) -> None:
    lines = printed(capsys, "list", "--root", f"x={memories}", "--type", "project")
    (old,) = [line for line in lines if "prediction_v1" in line]
    assert old.startswith("[project] x/project_delay_prediction_v1.md (2025-09-18, superseded)")


def test_list_of_types_and_names(memories: str, capsys: Capture) -> None:
    call = ("list", "--root", memories, "--names", "--type", "User", "--type", "fact")
    assert printed(capsys, *call) == ["user_maren.md", "data/operator-oddities.md", "user_ruben.md"]


@pytest.mark.parametrize("command", ["list", "manifest"])
def test_nothing_to_list(command: str, memories: str, tmp_path: Path, capsys: Capture) -> None:
    assert main([command, "--root", memories, "--type", "x", "--type", "y"]) == 0
    line = f"memsel: there are no memories of type x or y in {memories}\n"
    assert capsys.readouterr() == ("", line)
    assert main([command, "--root", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", f"memsel: there are no memories in {tmp_path}\n")


def test_the_manifest_is_what_a_model_is_given(memories: str, capsys: Capture) -> None:
    assert main(["manifest", "--root", memories]) == 0
    assert capsys.readouterr() == ((GOLDEN / "manifest.txt").read_text("utf-8"), "")
    lines = printed(capsys, "manifest", "--root", memories, "--type", "user")
    assert [line[:21] for line in lines] == ["- [user] user_maren.m", "- [user] user_ruben.m"]


def test_a_manifest_that_is_too_long(tmp_path: Path, capsys: Capture) -> None:
    for number in range(203):
        (tmp_path / f"{number}.md").write_text("---\ndescription: zebra\n---\n")
    assert main(["manifest", "--root", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 200
    assert err == (
        "memsel: 203 memories count; a model is shown at most 200 lines and 25,000 bytes, by "
        "score; these are the 200 newest that fit\n"
    )
    assert main(["manifest", "--root", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (len(data["lines"]), data["shown"], data["memories"]) == (200, 200, 203)


def test_show_gives_the_bytes_of_the_body(tmp_path: Path) -> None:
    body = b"\r\n\x1b[31m red\xff\n\n"
    (tmp_path / "a b.md").write_bytes(b"---\r\ndescription: zebra\r\n---\r\n" + body)
    call = [*COMMAND, "show", "a b.md", "--root", str(tmp_path)]
    assert subprocess.run(call, capture_output=True, check=True).stdout == body


def test_show_for_a_program(tmp_path: Path, capsys: Capture) -> None:
    raw = b"---\ndescription: zebra\nscope: [1, {a: no}]\n---\nred \xff\n"
    (tmp_path / "a.md").write_bytes(raw)
    assert main(["show", "a.md", "--root", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["sha256"] == sha256(raw).hexdigest()
    assert data["metadata"] == {"description": "zebra", "scope": ["1", {"a": "no"}]}
    assert data["text"] == "red \ufffd\n"


def test_show_knows_index_files(memories: str, capsys: Capture) -> None:
    assert "user_maren.md" in "\n".join(printed(capsys, "show", "MEMORY.md", "--root", memories))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("user_marten.md", "did you mean 'user_maren.md' or 'user_ruben.md'?"),
        ("import-rollback", "did you mean 'oncall/import-rollback.md'?"),
        ("import-rolback.md", "did you mean 'oncall/import-rollback.md'?"),
        ("\x1bzzz", "memsel list prints them"),
    ],
)
def test_an_unknown_name(name: str, hint: str, memories: str, capsys: Capture) -> None:
    assert main(["show", name, "--root", memories, "--json"]) == 1
    out, err = capsys.readouterr()
    error = json.loads(out)["error"]
    assert error == {"type": "not_listed", "message": f"no memory is called {name!r}; {hint}"}
    assert err == f"memsel: {error['message']}\n"


def test_a_memory_that_is_too_large(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "large.md").write_bytes(b"x" * (5 * 1024 * 1024))
    assert main(["show", "large.md", "--root", str(tmp_path), "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["type"] == "too_large"
    assert err.startswith("memsel: 'large.md' has 5,242,880 bytes; ")


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder with an error, a warning, and something that can be mended."""
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "plain.md").write_text("plain")
    (tmp_path / "MEMORY.md").write_text("- [gone](gone.md)\n- [plain](plain.md)\n")
    return tmp_path


def counted(capsys: Capture, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["doctor", *arguments, "--json"])
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return code, data


def test_doctor_prints_a_line_for_each_finding(odd: Path, capsys: Capture) -> None:
    assert main(["doctor", "--root", str(odd)]) == 1
    out, err = capsys.readouterr()
    assert [line.split("  ")[:2] for line in out.splitlines()] == [
        ["error", "empty.md"],
        ["warning", "MEMORY.md:1"],
        ["warning", "plain.md"],
    ]
    assert all(len(line.split("  ", 2)[2]) > 20 for line in out.splitlines())
    assert err == "memsel: 2 memories looked at: 1 error, 2 warnings\n"


def test_doctor_mends_what_is_safe(odd: Path, capsys: Capture) -> None:
    root = ("--root", str(odd))
    stray = odd / ".memsel-1.tmp"
    stray.write_text("half a no")
    os.utime(stray, (1e9, 1e9))
    code, data = counted(capsys, *root)
    assert stray.exists()
    assert (code, data["counts"]) == (1, {"error": 1, "warning": 3, "fixed": 0})
    code, data = counted(capsys, *root, "--fix")
    assert (odd / ".trash" / stray.name).read_text() == "half a no"
    assert (code, data["counts"]) == (1, {"error": 1, "warning": 2, "fixed": 1})
    assert data["memories"] == 2
    (fixed,) = [one for one in data["findings"] if one["fixed"]]
    assert fixed.keys() == {"name", "line", "code", "severity", "message", "fixed"}
    assert (fixed["name"], fixed["line"], fixed["code"]) == (stray.name, None, "stray_file")


def test_only_errors_count_unless_it_is_strict(odd: Path, capsys: Capture) -> None:
    (odd / "empty.md").unlink()
    root = ("--root", str(odd))
    assert counted(capsys, *root)[0] == 0
    assert counted(capsys, *root, "--strict")[0] == 1
    assert counted(capsys, *root, "--strict", "--fix")[0] == 1  # plain.md still has no description
    (odd / "plain.md").write_text("---\ndescription: a zebra\n---\nplain")
    (odd / "MEMORY.md").write_text("- [plain](plain.md)\n")
    assert main(["doctor", *root, "--strict"]) == 0
    assert capsys.readouterr() == ("", "memsel: 1 memory looked at: nothing is wrong\n")
