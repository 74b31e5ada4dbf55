"""The command as a process of its own: into pipes, and on a pseudo-terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from selector.cli import main
from tests.test_golden import NOW, touch

COMMAND = [sys.executable, "-m", "selector"]
ANSWER = '{"selected_memories": [%s]}'


def memsel(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command with all its streams in pipes."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def on_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    """What a person sees who runs the command on a terminal that is so wide."""
    settings = {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"} | environment
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={name: value for name, value in os.environ.items() if name != "COLUMNS"} | settings,
    ):
        os.close(theirs)
        shown = bytearray()
        try:
            while some := os.read(ours, 65_536):
                shown += some
        except OSError:  # how Linux says that the other side is closed
            pass
        os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def started(*arguments: str) -> subprocess.Popen[str]:
    """The command under way, for a signal: also where the tests run in the background."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def program(folder: Path, script: str) -> str:
    """A `command:` model that runs a shell script."""
    path = folder / "model.sh"
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return f"command:{path}"


def answering(folder: Path, *names: str) -> str:
    """A `command:` model that answers these names, whatever it is asked."""
    listed = ", ".join(f'"{name}"' for name in names)
    return program(folder, f"cat >/dev/null\necho '{ANSWER % listed}'")


def sample_memories(folder: Path) -> Path:
    """A copy of the sample memories in `folder`, whose times do not depend on the checkout."""
    copy = folder / "memories"
    shutil.copytree(Path(__file__).parent.parent / "memories", copy)
    touch(copy, NOW)
    return copy


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The data of a selection."""
    assert main(["select", *arguments, "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)["data"]
    return data


def zebras(folder: Path, *names: str) -> str:
    """The folder, with a memory about zebras for each name, of a type of that name."""
    for name in names:
        text = f"---\ndescription: zebra crossing {name}\ntype: {name}\n---\nbody of {name}\n"
        (folder / f"{name}.md").write_text(text)
    return str(folder)
