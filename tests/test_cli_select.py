"""`memsel select`: the choice, the models, the prompt from elsewhere, and the explanation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from selector import MemoryStore, Outcome, Reason, Selection, Warn
from selector.cli import main
from tests.commands import answered, answering, memsel, program, sample_memories, zebras

QUERY = "How do I roll back a bad timetable import?"
ROLLBACK = "oncall/import-rollback.md"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample_memories(tmp_path_factory.mktemp("samples")))


def chosen(capsys: Capture, *arguments: str) -> list[str]:
    """The names that are chosen."""
    return [one["name"] for one in answered(capsys, *arguments)["memories"]]


def test_the_chosen_memories_are_the_only_output(memories: str, capsys: Capture) -> None:
    assert main(["select", QUERY, "--root", memories]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"[runbook] {ROLLBACK} (2026-")
    assert len(out.splitlines()) == 1
    assert err == ""


def test_nothing_relevant_is_said_in_words(memories: str, capsys: Capture) -> None:
    assert main(["select", "thanks, that was it", "--root", memories]) == 0
    assert capsys.readouterr() == ("", "memsel: no memory helps with this\n")
    call = ["select", "thanks, that was it", "--root", memories, "--type", "nosuch"]
    assert main(call) == 0
    assert capsys.readouterr().err == "memsel: no memory of type nosuch helps with this\n"


def test_an_empty_folder_is_named(tmp_path: Path, capsys: Capture) -> None:
    assert main(["select", QUERY, "--root", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", f"memsel: there are no memories in {tmp_path}\n")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("", "abc"),
        ("--type B", "b"),
        ("--type a --type c", "ac"),
        ("--surfaced a.md --surfaced b.md", "c"),
        ("--timeout 20", "abc"),
        ("--timeout inf", "abc"),
        ("--model none", "abc"),
    ],
)
def test_options(options: str, names: str, tmp_path: Path, capsys: Capture) -> None:
    root = zebras(tmp_path, *"abc")
    found = chosen(capsys, "zebra crossing", "--root", root, *options.split())
    assert sorted(found) == [f"{name}.md" for name in names]


def test_limit(tmp_path: Path, capsys: Capture) -> None:
    assert main(["select", "zebra", "--root", zebras(tmp_path, *"abc"), "--limit", "2"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_tools_and_files_are_handed_on(tmp_path: Path, capsys: Capture) -> None:
    for name, text in (
        ("usage", "description: how to use quayload, its flags and commands\ntype: reference"),
        ("warning", "description: Warning about quayload, it deletes rows"),
        ("map", "description: colours of the map\npaths: ['web/map/**']"),
        ("sea", "description: colours of the sea\npaths: ['web/sea/**']"),
    ):
        (tmp_path / f"{name}.md").write_text(f"---\n{text}\n---\n")
    root = ("--root", str(tmp_path))
    assert chosen(capsys, "quayload", *root, "--recent-tool", "quayload") == ["warning.md"]
    best = answered(capsys, "colours", *root, "--file", "web/map/a.ts", "--explain")["candidates"]
    assert best[0]["name"] == "map.md"


def test_a_prompt_from_standard_input(memories: str) -> None:
    done = memsel("select", "-", "--root", memories, stdin=f"{QUERY}\n".encode() + b"\xff\n")
    assert done.stdout.startswith(f"[runbook] {ROLLBACK}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_huge_prompt_from_standard_input_is_cut(memories: str) -> None:
    raw = f"{QUERY} ".encode() + b"x" * (1024 * 1024)
    done = memsel("select", "-", "--root", memories, stdin=raw)
    assert done.stdout.startswith(f"[runbook] {ROLLBACK}")
    assert done.stderr == "memsel: only the first 1,048,576 bytes of the prompt were read\n"


@pytest.mark.parametrize("stdin", [b"", b" \n"])
def test_an_empty_prompt_is_a_bad_call(memories: str, stdin: bytes, capsys: Capture) -> None:
    done = memsel("select", "-", "--root", memories, stdin=stdin)
    assert done.returncode == 2
    assert done.stderr.startswith("memsel select: the prompt on standard input is empty; see ")
    assert main(["select", stdin.decode(), "--root", memories]) == 2
    assert "the prompt is empty: put the prompt in quotes: memsel" in capsys.readouterr().err


def test_a_prompt_with_a_leading_dash(tmp_path: Path, capsys: Capture) -> None:
    root = zebras(tmp_path, "a")
    assert main(["select", "--root", root, "--", "--zebra"]) == 0
    assert capsys.readouterr().out.startswith("[a] a.md")


def test_a_model_chooses(memories: str, tmp_path: Path, capsys: Capture) -> None:
    model = answering(tmp_path, "user_maren.md")
    call = (QUERY, "--root", memories)
    assert chosen(capsys, *call, "--model", model) == ["user_maren.md"]


def test_the_model_of_the_environment(
    memories: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSEL_MODEL", answering(tmp_path, "user_maren.md"))
    monkeypatch.setenv("MEMSEL_ROOT", memories)
    assert chosen(capsys, QUERY) == ["user_maren.md"]
    assert chosen(capsys, QUERY, "--model", "none") == [ROLLBACK]
    monkeypatch.setenv("MEMSEL_MODEL", "gpt")
    assert main(["select", QUERY]) == 2
    assert capsys.readouterr().err.startswith("memsel: MEMSEL_MODEL: model 'gpt': name one as ")


def test_the_timeout_of_the_environment(
    memories: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = ["select", QUERY, "--root", memories, "--model", program(tmp_path, "exec sleep 60")]
    monkeypatch.setenv("MEMSEL_TIMEOUT", "0.5")
    assert main(call) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"[runbook] {ROLLBACK}")
    assert err == (
        "memsel: the model did not answer (timeout: no answer within the time limit); "
        "the offline scorer chose\n"
    )
    monkeypatch.setenv("MEMSEL_TIMEOUT", "soon")
    assert main(call) == 2
    assert capsys.readouterr().err.startswith("memsel select: MEMSEL_TIMEOUT soon: a number of s")


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("echo broken pipe >&2; exit 3", "the model did not answer (model_failed: model.sh ended"),
        ("echo I cannot say", "the model's answer cannot be used (invalid_json: "),
        ("echo '[\"no.md\"]'", "the model's answer cannot be used (invalid_selection: none of th"),
    ],
)
def test_a_model_that_fails_is_no_failure(
    memories: str, tmp_path: Path, capsys: Capture, script: str, line: str
) -> None:
    model = program(tmp_path, script)
    assert main(["select", QUERY, "--root", memories, "--model", model]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"[runbook] {ROLLBACK}")
    told = err.replace(str(tmp_path) + "/", "")
    assert told.startswith(f"memsel: {line}")
    assert told.endswith("; the offline scorer chose\n")
    assert len(err.splitlines()) == 1


def test_a_model_without_a_key(memories: str, capsys: Capture) -> None:
    assert main(["select", QUERY, "--root", memories, "--model", "anthropic:claude-x"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"[runbook] {ROLLBACK}")
    assert err.startswith("memsel: the model did not answer (no_key: ANTHROPIC_API_KEY is not set")


@pytest.mark.parametrize(
    ("warnings", "line"),
    [
        ((Warn.SCAN_INCOMPLETE,), "memsel: the time was up before every file was looked at\n"),
        ((), "memsel: the time was up before every memory was rated\n"),
    ],
)
def test_a_choice_that_ran_out_of_time_is_not_called_irrelevant(
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    warnings: tuple[Warn, ...],
    line: str,
) -> None:
    late = Selection(Outcome.FELL_BACK, reason=Reason.TIMEOUT, warnings=warnings)
    monkeypatch.setattr(MemoryStore, "find_relevant", lambda *_, **__: late)
    assert main(["select", QUERY, "--root", str(tmp_path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["data"]["warnings"] == list(warnings)
    assert err == line + "memsel: no memory helps with this\n"


def test_the_block_for_a_prompt(memories: str, capsys: Capture) -> None:
    call = ["select", QUERY, "--root", memories, "--context"]
    assert main(call) == 0
    out, err = capsys.readouterr()
    store = MemoryStore(memories)
    assert out == store.context(store.find_relevant(QUERY))
    assert "quayload restore" in out
    assert err == ""
    assert main([*call, "--max-bytes", "700"]) == 0
    assert 600 < len(capsys.readouterr().out.encode()) <= 700
    assert answered(capsys, *call[1:])["context"] == out.rstrip("\n")


def test_no_block_where_nothing_helps(memories: str, capsys: Capture) -> None:
    assert main(["select", "thanks, that was it", "--root", memories, "--context"]) == 0
    assert capsys.readouterr() == ("", "memsel: no memory helps with this\n")
    assert main(["select", QUERY, "--root", memories, "--context", "--max-bytes", "9"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("memsel: the block has no room for a memory: give --max-bytes more")


def test_an_explanation_beside_the_block(memories: str, capsys: Capture) -> None:
    assert main(["select", QUERY, "--root", memories, "--context", "--explain"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("<memories-")
    assert f"memsel:  * 1.00  {ROLLBACK}  (words " in err
