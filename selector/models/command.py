"""Any program as a model: the prompt on its standard input, the answer on its standard output."""

from __future__ import annotations

import asyncio
import atexit
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from selector.codes import Reason
from selector.errors import ConfigurationError, ModelError
from selector.models.replies import Reply, checked
from selector.types import ModelReply, Prompt

MAX_OUTPUT = 1024 * 1024  # bytes: a program that writes more is stopped
MAX_NOISE = 64 * 1024 * 1024  # the same of its standard error
LOOK = 0.01  # seconds between two looks at whether it has ended
PATIENCE = 0.1  # seconds for the system to clear away what was killed
MAX_ERROR = 2_000  # bytes at the end of what it said on its standard error

_running: set[int] = set()


class CommandModel:
    """A program, started anew for each prompt, without a shell.

    It gets the instructions and the prompt as UTF-8 text, and has to end with 0. When the time is
    up it is killed, and with it what it has started in its session. Raises ConfigurationError for a
    program that is not there.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)
        if not all(isinstance(part, str) and "\0" not in part for part in self.command):
            raise ConfigurationError(f"model command {self.command!r}: texts are needed")
        if not self.command or shutil.which(self.command[0]) is None:
            name = self.command[0] if self.command else ""
            raise ConfigurationError(
                f"model command {name!r}: there is no such program; name one on the PATH, or the "
                "whole path of one"
            )

    @classmethod
    def named(cls, text: str) -> CommandModel:
        """The model that `PROGRAM ARGS` names, quoted as for a shell."""
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise ConfigurationError(f"model command {text!r}: {error}") from error
        return cls(words)

    def __repr__(self) -> str:
        return f"CommandModel({list(self.command)!r})"

    async def __call__(self, prompt: Prompt) -> ModelReply:
        """The program's answer. Raises ModelError with a reason, within the prompt's timeout."""
        name = self.command[0]
        try:
            async with asyncio.timeout(prompt.timeout):
                return await self._ask(prompt)
        except TimeoutError as error:
            raise ModelError(f"{name} gave no answer in time", Reason.TIMEOUT) from error
        except OSError as error:  # no such program any more, no room for a file
            raise ModelError(f"{name} cannot be run: {error.strerror}") from error

    async def _ask(self, prompt: Prompt) -> ModelReply:
        # Files, not pipes: nothing has to be fed, and what a child of the program keeps open
        # cannot hold up the end.
        with (
            tempfile.TemporaryFile() as asked,
            tempfile.TemporaryFile() as answer,
            tempfile.TemporaryFile() as complaint,
        ):
            asked.write(f"{prompt.system}\n\n{prompt.user}\n".encode("utf-8", "replace"))
            asked.seek(0)
            status = await self._run(asked, answer, complaint)
            return self._reply(status, answer, complaint)

    async def _run(self, asked: IO[bytes], answer: IO[bytes], complaint: IO[bytes]) -> int | None:
        """The exit status; None for a program that wrote too much."""
        process = subprocess.Popen(
            self.command,
            stdin=asked,
            stdout=answer,
            stderr=complaint,
            start_new_session=True,  # so that it can be ended with its children
        )
        _running.add(process.pid)
        try:
            while (status := process.poll()) is None:
                if _size(answer) > MAX_OUTPUT:
                    return None
                if _size(complaint) > MAX_NOISE:
                    raise ModelError(f"{self.command[0]} never stopped complaining")
                await asyncio.sleep(LOOK)
            return status
        finally:
            if process.returncode is None:
                _kill(process.pid)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(PATIENCE)
            _running.discard(process.pid)

    def _reply(self, status: int | None, answer: IO[bytes], complaint: IO[bytes]) -> ModelReply:
        name = self.command[0]
        if status:
            complaint.seek(max(_size(complaint) - MAX_ERROR, 0))
            lines = complaint.read(MAX_ERROR).decode("utf-8", "replace").strip().splitlines()
            told = lines[-1] if lines else "it said nothing"
            raise ModelError(f"{name} ended with {status}: {told}")
        answer.seek(0)
        text = answer.read(MAX_OUTPUT).decode("utf-8", "replace")
        return checked(Reply(ModelReply(text), "cut" if status is None else "whole"), name)


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


def _kill(pid: int) -> None:
    """Ends a program that is still there, and all that it has started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)
    except OSError:
        return  # it has ended by itself


@atexit.register
def _kill_all() -> None:
    """What is asked in a thread that nobody waits for must not outlive this process."""
    for pid in tuple(_running):
        _kill(pid)
