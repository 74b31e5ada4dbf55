"""Programs as models: what they are given, what they may do, and how they end."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from selector.codes import Outcome, Reason
from selector.errors import ConfigurationError
from selector.models.command import CommandModel
from selector.store import MemoryStore
from selector.testing import answer
from selector.types import Prompt
from tests.adapters import QUERY, ask, reason_of


def script(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "model.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return [str(path)]


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    model = CommandModel(script(tmp_path, "echo first >&2; echo 'no quota left' >&2; exit 3"))
    reason, message = reason_of(model)
    assert reason is Reason.MODEL_FAILED
    assert message.endswith("ended with 3: no quota left")


def test_only_the_end_of_a_long_complaint_is_told(tmp_path: Path) -> None:
    noise = f"{sys.executable} -c 'import sys; sys.stderr.write(\"noise \" * 300000)' >&2"
    model = CommandModel(script(tmp_path, f"{noise}; echo; echo 'the end' >&2; exit 1"))
    message = reason_of(model)[1]
    assert message.endswith("the end")
    assert len(message) < 2_500


def test_noise_beside_an_answer_is_no_fault(tmp_path: Path) -> None:
    noise = f"{sys.executable} -c 'import sys; sys.stderr.write(\"noise \" * 300000)' >&2"
    model = CommandModel(script(tmp_path, f"{noise}; sleep 0.2; echo '{answer('note0.md')}'"))
    assert "note0.md" in ask(model).text


@pytest.mark.parametrize("command", [[], [""], ["sh", "nul\0"], [1], ["no-such-program"]])
def test_what_is_no_command(command: list[Any]) -> None:
    with pytest.raises(ConfigurationError):
        CommandModel(command)


def test_a_program_that_has_gone_is_a_reason(tmp_path: Path) -> None:
    command = script(tmp_path, "exit 0")
    model = CommandModel(command)
    Path(command[0]).unlink()
    reason, message = reason_of(model)
    assert reason is Reason.MODEL_FAILED
    assert "cannot be run: No such file" in message


def test_a_program_that_does_not_read_its_input(tmp_path: Path) -> None:
    model = CommandModel(script(tmp_path, f"echo '{answer('note0.md')}'"))
    big = Prompt("s" * 1_000_000, "c", "q", {}, 20.0)
    assert ask(model, big).text.strip() == answer("note0.md")


def test_a_child_that_keeps_the_output_open_holds_nothing_up(tmp_path: Path) -> None:
    model = CommandModel(script(tmp_path, f"sleep 30 & echo '{answer('note0.md')}'; echo $! >&2"))
    start = time.monotonic()
    assert "note0.md" in ask(model).text
    assert time.monotonic() - start < 10


def test_a_late_program_is_killed_with_its_children(folder: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    model = CommandModel(script(tmp_path, f"sleep 60 & echo $! $$ > {pids}; wait"))
    selection = MemoryStore(folder, model=model).find_relevant(QUERY, timeout=1.0)
    assert selection.reason is Reason.TIMEOUT
    assert selection.elapsed < 1.0 + 0.2
    for pid in map(int, pids.read_text().split()):
        assert _is_gone(pid)


def test_a_stopped_selection_kills_the_program(folder: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    model = CommandModel(script(tmp_path, f"echo $$ > {pids}; exec sleep 60"))
    stop = threading.Event()

    def when_it_runs() -> None:
        while not (pids.exists() and pids.read_text()):
            time.sleep(0.01)
        stop.set()

    threading.Thread(target=when_it_runs).start()
    selection = MemoryStore(folder, model=model).find_relevant(QUERY, cancel=stop)
    assert selection.outcome is Outcome.CANCELLED
    assert _is_gone(int(pids.read_text()))


def test_no_program_outlives_the_process_that_asked_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    model = script(tmp_path, f"echo $$ > {pids}; exec sleep 60")
    code = (
        "import asyncio, os, sys, threading, time\n"
        "from selector.models.command import CommandModel\n"
        "from selector.types import Prompt\n"
        f"model = CommandModel({model!r})\n"
        "ask = lambda: asyncio.run(model(Prompt('s', 'c', 'q', {})))\n"
        "threading.Thread(target=ask, daemon=True).start()\n"
        f"while not (os.path.exists({str(pids)!r}) and open({str(pids)!r}).read()):\n"
        "    time.sleep(0.01)\n"
    )
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0
    assert _is_gone(int(pids.read_text()))


def _is_gone(pid: int) -> bool:
    """True once no such process runs; one that has ended and is not waited for counts as gone."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)
    return False
