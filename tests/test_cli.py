"""The command: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from selector import MemoryStore, Outcome, Reason, Selection, Warn, __version__
from selector.cli import main
from selector.cli.help import formatter

QUERY = "How do I roll back a bad timetable import?"
HELP = """\
usage: memsel select [-h] --root DIR [--limit N] [--json] [--explain] QUERY

Choose the memories below a folder that help with a prompt. Works offline.

positional arguments:
  QUERY       the prompt

options:
  -h, --help  show this help message and exit
  --root DIR  the folder of the memories
  --limit N   at most N memories (default 5)
  --json      print one JSON object
  --explain   show the scores and what they are made of
"""


@pytest.fixture
def memories(checkout: Path) -> str:
    return str(checkout / "memories")


def test_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(["select", "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == HELP


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"memsel {__version__}\n"


def test_the_chosen_memories_are_the_only_output(
    memories: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", QUERY, "--root", memories]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("[runbook] oncall/import-rollback.md (2026-")
    assert len(out.splitlines()) == 1
    assert err == ""


def test_nothing_relevant_is_said_in_words(
    memories: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", "thanks, that was it", "--root", memories]) == 0
    assert capsys.readouterr().out == "No memory helps with this.\n"


def test_an_empty_folder_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", QUERY, "--root", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"There are no memories in {tmp_path}.\n"


def test_explain_shows_scores_parts_and_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "deploy.md").write_text("---\ndescription: deploy order of the billing tier\n---\n")
    (tmp_path / "odd.md").write_text("---\ndescription: red \x1b[31mcolour\n---\n")
    assert main(["select", "billing deploy order", "--root", str(tmp_path), "--explain"]) == 0
    out = capsys.readouterr().out
    assert "2 candidates:" in out
    assert " * " in out.splitlines()[-3]
    assert "deploy.md  (words " in out
    assert " ! odd.md: hidden_text" in out
    assert "\x1b" not in out


def test_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        text = f"---\ndescription: zebra crossing {name}\n---\n"
        (tmp_path / f"{name}.md").write_text(text)
    assert main(["select", "zebra crossing", "--root", str(tmp_path), "--limit", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_json_is_one_object(memories: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", QUERY, "--root", memories, "--json", "--explain"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer.keys() == {"ok", "data", "meta"}
    assert answer["ok"] is True
    assert answer["meta"]["schema"] == 1
    assert answer["data"]["outcome"] == "selected"
    assert [one["name"] for one in answer["data"]["memories"]] == ["oncall/import-rollback.md"]
    best = answer["data"]["candidates"][0]
    assert best["name"] == "oncall/import-rollback.md"
    assert best["parts"]["words"] > 0
    assert Path(answer["data"]["memories"][0]["path"]).is_file()


@pytest.mark.parametrize(
    ("root", "word", "message"),
    [
        ("missing", "no_folder", "there is no such folder"),
        ("file.md", "not_a_folder", "that is a file"),
    ],
)
def test_a_root_that_cannot_be_read(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    root: str,
    word: str,
    message: str,
) -> None:
    (tmp_path / "file.md").write_text("x")
    assert main(["select", QUERY, "--root", str(tmp_path / root)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1
    assert main(["select", QUERY, "--root", str(tmp_path / root), "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert answer["error"]["type"] == word


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["select"],
        ["select", QUERY],
        ["select", QUERY, "--root", ".", "--limit", "0"],
        ["select", QUERY, "--root", ".", "--limit", "many"],
        ["select", QUERY, "--root", ".", "--lim", "3"],
        ["forget", "x"],
    ],
)
def test_a_bad_call_ends_with_2_and_no_traceback(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "memsel" in err
    assert "Traceback" not in err


def test_a_folder_of_another_script_survives_a_poor_terminal(tmp_path: Path) -> None:
    (tmp_path / "发布.md").write_text("---\ndescription: 发布流程与回滚\n---\n", encoding="utf-8")
    done = _memsel("select", "发布流程", "--root", str(tmp_path), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.startswith("\\u53d1\\u5e03.md")
    done = _memsel(
        "select", "发布流程", "--root", str(tmp_path), "--json", PYTHONIOENCODING="ascii"
    )
    assert json.loads(done.stdout)["data"]["memories"][0]["name"] == "发布.md"


def test_a_scan_that_ran_out_of_time_is_not_called_irrelevant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Selection(Outcome.FELL_BACK, reason=Reason.TIMEOUT, warnings=(Warn.SCAN_INCOMPLETE,))
    monkeypatch.setattr(MemoryStore, "find_relevant", lambda *_, **__: late)
    assert main(["select", QUERY, "--root", str(tmp_path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["data"]["warnings"] == ["scan_incomplete"]
    assert "time was up" in err


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_text("---\ndescription: zebra\n---\n")
    command = f"{sys.executable} -m selector select zebra --root {tmp_path} --explain --limit 40"
    done = subprocess.run(
        f"{command} | true", shell=True, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_ctrl_c_is_one_line_and_130(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.md").write_text("---\ndescription: zebra\n---\n")
    script = (
        "import os, signal, sys, selector.scan as s; real = s.read_header\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def slow(*a): os.kill(os.getpid(), signal.SIGINT); return real(*a)\n"
        "s.read_header = slow\n"
        "from selector.cli import main\n"
        f"sys.exit(main(['select', 'zebra', '--root', {str(tmp_path)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr == "memsel: stopped\n"
    assert done.stdout == ""


def _memsel(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "selector", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_an_answer_that_cannot_be_written_is_one_line(memories: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "selector", "select", QUERY, "--root", memories],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "memsel: the answer cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("columns", "width"), [("60", 60), ("0", 80), ("-5", 80), ("x", 80), ("", 80)]
)
def test_help_is_as_wide_as_the_terminal(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_terminal() -> os.terminal_size:
        raise OSError

    monkeypatch.setattr(os, "get_terminal_size", no_terminal)
    monkeypatch.setenv("COLUMNS", columns)
    assert formatter("memsel")._width == width - 2
