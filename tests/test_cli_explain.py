"""`memsel select --explain`: what was shown, answered and rejected."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from selector.cli import main
from tests.commands import answered, program, sample_memories, zebras
from tests.test_golden import compare

QUERY = "How do I roll back a bad timetable import?"
ROLLBACK = "oncall/import-rollback.md"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample_memories(tmp_path_factory.mktemp("samples")))


def test_explain_shows_scores_parts_and_problems(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "deploy.md").write_text("---\ndescription: deploy order of the billing tier\n---\n")
    (tmp_path / "odd.md").write_text("---\ndescription: red \x1b[31mcolour\n---\n")
    assert main(["select", "billing deploy order", "--root", str(tmp_path), "--explain"]) == 0
    out = capsys.readouterr().out
    assert "2 candidates:" in out
    assert " * " in out.splitlines()[-3]
    assert "deploy.md  (words " in out
    assert " ! odd.md: hidden_text" in out
    assert "\x1b" not in out


ANSWER = ("made-up.md", ROLLBACK, ROLLBACK, "user_maren.md", "user_ruben.md", "bad\x1b[31m.md")
REJECTED = [
    ("made-up.md", "not in the list"),
    (ROLLBACK, "named twice"),
    ("user_ruben.md", "already surfaced"),
    ("bad\\x1b[31m.md", "not in the list"),
    (ROLLBACK, "over the limit"),
]


def explained(memories: str, folder: Path) -> list[str]:
    """A call whose model names what is known, unknown, surfaced, named twice, and too much."""
    model = program(
        folder,
        "cat >/dev/null\nprintf '<think>hm</think>\\n%s' '"
        + json.dumps({"selected_memories": ANSWER})
        + "'",
    )
    call = ["select", QUERY, "--root", memories, "--model", model, "--limit", "1"]
    return [*call, "--surfaced", "user_ruben.md", "--explain"]


def test_what_the_model_did_is_explained(memories: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(explained(memories, tmp_path)) == 0
    out = re.sub(r"in \d+ ms", "in 9 ms", capsys.readouterr().out).replace(str(tmp_path), "FOLDER")
    compare("explain.txt", out.rstrip("\n"))
    for name, why in REJECTED:
        assert f"   {name}: {why}\n" in out


def test_what_the_model_did_in_full(memories: str, tmp_path: Path, capsys: Capture) -> None:
    data = answered(capsys, *explained(memories, tmp_path)[1:])
    text = json.dumps(data, indent=2, ensure_ascii=False)
    text = text.replace(str(tmp_path), "FOLDER").replace(memories, "MEMORIES")
    compare("explain.json", text)
    assert [(one["name"], one["why"]) for one in data["rejected"]] == REJECTED
    assert len(data["candidates"]) == len(data["shown"]) == 20
    assert "user_ruben.md" not in data["shown"]
    assert f"{ROLLBACK} (2026-11-12T07:48:03Z)" in data["prompt"]["context"]
    assert QUERY in data["prompt"]["question"]
    assert data["answer"].startswith("<think>")


def test_a_model_that_did_not_answer_is_explained(
    memories: str, tmp_path: Path, capsys: Capture
) -> None:
    model = program(tmp_path, "echo '[\"no.md\"]'")
    call = [QUERY, "--root", memories, "--model", model, "--explain"]
    data = answered(capsys, *call)
    assert (data["outcome"], data["reason"]) == ("fell_back", "invalid_selection")
    assert data["answer"].strip() == '["no.md"]'
    assert data["rejected"] == [{"name": "no.md", "why": "not in the list"}]
    assert (len(data["shown"]), data["not_shown"]) == (21, 0)
    assert main(["select", *call]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^fell_back in \d+ ms, by the offline scorer$", out, re.MULTILINE)
    assert "reason: invalid_selection: " in out
    assert f"model: {model}, 21 candidates in the prompt, 0 left out\n" in out
    assert """the model answered: ["no.md"]\n""" in out


def test_what_an_adapter_could_not_use_is_explained(
    memories: str, tmp_path: Path, capsys: Capture
) -> None:
    model = program(tmp_path, "echo no idea")
    assert main(["select", QUERY, "--root", memories, "--model", model, "--explain"]) == 0
    assert "the model answered: no idea\n" in capsys.readouterr().out


def test_what_had_no_room_in_the_prompt_is_counted(tmp_path: Path, capsys: Capture) -> None:
    names = [f"n{number:03}" for number in range(203)]
    root = zebras(tmp_path, *names)
    (tmp_path / "n202.md").write_text("---\ndescription: all about whales\n---\n")
    for script, outcome in (("echo '[\"n150.md\"]'", "selected"), ("exit 1", "fell_back")):
        model = program(tmp_path, script)
        call = ["zebra crossing", "--root", root, "--model", model, "--explain"]
        data = answered(capsys, *call)
        assert data["outcome"] == outcome
        assert (len(data["shown"]), data["not_shown"]) == (200, 3)
        assert "n202.md" not in data["shown"]
    assert len(data["candidates"]) == 203


def test_ten_others_are_listed(memories: str, capsys: Capture) -> None:
    assert main(["select", QUERY, "--root", memories, "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if re.match(r" [* ] \d\.\d\d  ", line)]) == 11
    assert lines[4].startswith(f" * 1.00  {ROLLBACK}  (words ")


def test_an_answer_is_one_short_line_for_a_person(
    memories: str, tmp_path: Path, capsys: Capture
) -> None:
    model = program(tmp_path, r"printf '\033[31mred\n%s\n[]' \"$(seq 1 2000)\"")
    assert main(["select", QUERY, "--root", memories, "--model", model, "--explain"]) == 0
    (line,) = [one for one in capsys.readouterr().out.splitlines() if "model answered" in one]
    assert line.startswith("the model answered: [31mred ")
    assert line.endswith(" …")
    assert 500 < len(line) < 530
