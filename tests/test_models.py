"""The adapters: over real sockets and with real processes, all through one contract."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from selector.codes import Reason
from selector.errors import ConfigurationError, ModelError
from selector.models import FORMS, KINDS, failures, http, load
from selector.models.anthropic import AnthropicModel
from selector.models.command import CommandModel
from selector.models.connections import MAX_REPLY
from selector.models.failures import MAX_PAUSE, _wanted
from selector.models.http import HttpModel
from selector.models.openai import OpenAIModel
from selector.store import MemoryStore
from selector.testing import answer
from selector.types import ModelReply, Prompt
from tests.adapters import HTTP, NAMES, PROMPT, QUERY, ask, reason_of
from tests.servers import (
    ANTHROPIC,
    OPENAI,
    PAGE,
    Protocol,
    Reply,
    after,
    drips,
    fails,
    hangs_up,
    sends,
    serving,
    silent,
)

SLACK = 0.2  # seconds behind the deadline


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """No server that is known already."""
    http._steps.clear()
    yield
    http._steps.clear()


# --- one contract

Kit = Callable[[str, str, float], Any]  # text, end, seconds before it -> a context with the model


def http_kit(protocol: Protocol) -> Kit:
    @contextmanager
    def made(text: str, end: str, seconds: float) -> Iterator[HttpModel]:
        reply = silent if seconds < 0 else after(seconds, protocol.says(text, end))
        with serving(reply) as server:
            yield protocol.model(server.url)

    return made


@contextmanager
def command_kit(text: str, end: str, seconds: float) -> Iterator[CommandModel]:
    script = (
        "import sys, time\n"
        "prompt = sys.stdin.read()\n"
        f"assert 'note0.md' in prompt and {QUERY!r} in prompt\n"
        f"time.sleep({seconds if seconds >= 0 else 60})\n"
        f"sys.stdout.write({text!r})\n"
    )
    if end == "cut":
        script += "while True: sys.stdout.write(' ' * 4096)\n"
    yield CommandModel([sys.executable, "-c", script])


@contextmanager
def function_kit(text: str, end: str, seconds: float) -> Iterator[Callable[[Prompt], str]]:
    def ask(_: Prompt) -> str:
        if end == "refused":
            raise ModelError("no", Reason.REFUSAL)
        time.sleep(seconds if seconds >= 0 else 2)
        if end == "cut" and "note" not in text:
            raise ModelError("cut", Reason.TRUNCATED)
        return text

    yield ask


KITS = {
    "anthropic": http_kit(ANTHROPIC),
    "openai": http_kit(OPENAI),
    "command": command_kit,
    "function": function_kit,
}
CONTRACT = {
    # text, end, seconds -> outcome, reason, chosen
    "well": (answer("note1.md", "note0.md"), "whole", 0, "selected", None, NAMES[:2]),
    "nothing helps": (answer(), "whole", 0, "none_relevant", None, ()),
    "slowly": (answer("note1.md"), "whole", 0.3, "selected", None, ["note1.md"]),
    "too many": (answer(*NAMES), "whole", 0, "selected", None, NAMES[:5]),
    "unknown": (answer("made-up.md"), "whole", 0, "fell_back", "invalid_selection", None),
    "no list": ('{"files": ["note1.md"]}', "whole", 0, "fell_back", "invalid_selection", None),
    "prose": ("I would read note1.md first.", "whole", 0, "fell_back", "invalid_json", None),
    "fenced": (f"Sure:\n```json\n{answer('note1.md')}\n```", "whole", 0, "selected", None, None),
    "cut": ('{"selected_memories": ["note1.md", "no', "cut", 0, "selected", None, ["note1.md"]),
    "cut early": ('{"selected_memories": ["no', "cut", 0, "fell_back", "truncated", None),
    "nothing": ("", "whole", 0, "fell_back", "invalid_json", None),
    "refused": ("", "refused", 0, "fell_back", "refusal", None),
    "never": ("", "whole", -1, "fell_back", "timeout", None),
}


def test_the_contract_is_for_every_kind_of_model() -> None:
    assert KITS.keys() == KINDS.keys() | {"function"}


# A program has no way to say that it refuses.
PAIRS = [(kit, case) for kit in KITS for case in CONTRACT if (kit, case) != ("command", "refused")]


@pytest.mark.parametrize(("kit", "case"), PAIRS)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_contract(folder: Path, kit: str, case: str, mode: str) -> None:
    text, end, seconds, outcome, reason, chosen = CONTRACT[case]
    with KITS[kit](text, end, seconds) as model:
        store = MemoryStore(folder, model=model)
        timeout = 0.8 if seconds < 0 else 20.0
        start = time.monotonic()
        if mode == "sync":
            selection = store.find_relevant(QUERY, timeout=timeout)
        else:
            selection = asyncio.run(store.afind_relevant(QUERY, timeout=timeout))
        if seconds < 0:
            assert selection.elapsed < timeout + SLACK
            if mode == "sync":
                assert time.monotonic() - start < timeout + SLACK
    assert (selection.outcome, selection.reason) == (outcome, reason)
    if chosen is not None:
        assert [header.name for header in selection] == list(chosen)
    if kit in ("anthropic", "openai") and seconds >= 0:  # a reply that is of no use costs as much
        assert selection.usage is not None
        requests = 3 if selection.reason is Reason.INVALID_JSON or case == "no list" else 1
        assert selection.usage.input_tokens == 100 * requests
        assert selection.usage.cached_tokens == 90 * requests
        assert selection.usage.output_tokens == 12 * requests


# --- what only servers do


@HTTP
@pytest.mark.parametrize(
    ("reply", "reason", "requests"),
    [
        (fails(401), "auth", 1),
        (fails(403), "auth", 1),
        (fails(402), "rate_limited", 1),
        (fails(404), "bad_request", 1),
        (fails(408, retry_after="0.01"), "timeout", 3),
        (fails(409, retry_after="0.01"), "overloaded", 3),
        (fails(504, retry_after="0.01"), "timeout", 3),
        (fails(401, "long " * 1_000), "auth", 1),
        (fails(413), "bad_request", 1),
        (fails(400), "bad_request", 3),  # once for each step
        (fails(422), "bad_request", 3),
        (fails(429, retry_after="0.01"), "rate_limited", 3),
        (fails(500, retry_after_ms="10"), "model_failed", 3),
        (fails(503, retry_after="0.01"), "overloaded", 3),
        (fails(529, retry_after="0.01"), "overloaded", 3),
        (fails(529, x_should_retry="false"), "overloaded", 1),
        (fails(302, location="/elsewhere"), "bad_request", 1),
        (sends("<html>busy</html>", 502, "text/html", retry_after="0.01"), "overloaded", 3),
        (PAGE, "invalid_json", 1),
        (sends(""), "invalid_json", 1),
        (sends("[" * 100_000), "invalid_json", 1),
        (sends([]), "invalid_json", 3),
        (sends({"choices": None, "content": None}), "invalid_json", 3),
        (sends({"choices": [None], "content": [None]}), "invalid_json", 3),
        (sends({"choices": [{"message": "x"}], "content": [{"text": 3}]}), "invalid_json", 3),
        (hangs_up, "connection", 3),
    ],
)
def test_what_a_server_may_do_instead(
    protocol: Protocol,
    reply: Reply,
    reason: str,
    requests: int,
) -> None:
    with serving(reply) as server:
        found, message = reason_of(protocol.model(server.url))
        assert found == reason
        assert "\n" not in message
        assert "<" not in message
        assert len(server.requests) == requests


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1_0"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert _wanted(headers) == seconds


@HTTP
@pytest.mark.parametrize(
    ("reply", "cause"),
    [(fails(401), "AuthenticationError"), (PAGE, "JSONDecodeError"), (silent, "TimeoutError")],
    ids=["refused", "page", "silent"],
)
def test_the_cause_is_kept(protocol: Protocol, reply: Reply, cause: str) -> None:
    protocol.adapter("m")._load()
    with serving(reply) as server, pytest.raises(ModelError) as failed:
        ask(protocol.model(server.url), Prompt("s", "c", "q", {}, timeout=0.5))
    assert type(failed.value.__cause__).__name__ == cause


@HTTP
def test_the_client_is_told_how_much_time_is_left(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float] = []

    async def handle(_: Any, request: httpx2.Request) -> httpx2.Response:
        told.append(request.extensions["timeout"]["read"])
        return httpx2.Response(500, headers={"retry-after": "1"}, json={})

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", handle)
    reason_of(protocol.model("http://127.0.0.1:9"), Prompt("s", "c", "q", {}, timeout=12.0))
    first, second, third = told
    assert 12 >= first > second + 0.9 > third + 1.8


def test_each_pause_is_longer_than_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", note)
    with serving(fails(500)) as server:
        reason_of(OpenAIModel("m", base_url=server.url))
    first, second = pauses
    assert 0.29 < first <= 0.4 < second <= 0.8


@HTTP
def test_a_retry_may_succeed(protocol: Protocol) -> None:
    good = protocol.says(answer("note0.md"))
    with serving(fails(429, retry_after="0.01"), fails(529, retry_after="0.01"), good) as server:
        assert "note0.md" in ask(protocol.model(server.url)).text
        assert len(server.requests) == 3


@HTTP
def test_how_much_a_server_may_reply(protocol: Protocol) -> None:
    body = json.dumps({"padding": " " * (MAX_REPLY + 1)})
    with serving(sends(body)) as server:
        reason, message = reason_of(protocol.model(server.url))
        assert (reason, len(server.requests)) == ("invalid_json", 1)
        assert "more than 2,097,152 bytes" in message
    packed = gzip.compress(b" " * 10_000_000).decode("latin-1")
    with serving(sends(packed, content_encoding="gzip")) as server:
        reason, message = reason_of(protocol.model(server.url))
        assert (reason, len(server.requests)) == ("invalid_json", 1)
        assert "packed" in message
        assert server.requests[0].headers["accept-encoding"] == "identity"


def test_an_error_in_place_of_an_answer() -> None:
    error = {"code": 429, "message": "slow down"}
    for body in ({"error": error}, {"choices": [{"error": error, "message": {"content": ""}}]}):
        with serving(sends(body)) as server:
            assert reason_of(OpenAIModel("m", base_url=server.url))[0] == "rate_limited"
    with serving(sends({"type": "error", "error": {"type": "x", "message": "no"}})) as server:
        assert reason_of(AnthropicModel("m", base_url=server.url)) == (
            "model_failed",
            "127.0.0.1 replied 500: no",
        )
    answered = {"message": {"content": answer("note0.md")}, "finish_reason": "stop"}
    with serving(sends({"error": {"code": 0, "message": ""}, "choices": [answered]})) as server:
        assert "note0.md" in ask(OpenAIModel("m", base_url=server.url)).text


@pytest.mark.parametrize(
    ("reason", "found"),
    [("content_filter", "refusal"), ("length", "truncated"), ("stop", "invalid_json")],
)
def test_how_openai_may_end(reason: str, found: str) -> None:
    choice = {"message": {"content": "I would"}, "finish_reason": reason}
    with serving(sends({"choices": [choice]})) as server:
        assert reason_of(OpenAIModel("m", base_url=server.url))[0] == found


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("refusal", "refusal"),
        ("max_tokens", "truncated"),
        ("model_context_window_exceeded", "truncated"),
        ("end_turn", "invalid_json"),
    ],
)
def test_how_anthropic_may_end(reason: str, found: str) -> None:
    message = {"content": [{"type": "text", "text": "I would"}], "stop_reason": reason}
    with serving(sends(message)) as server:
        assert reason_of(AnthropicModel("m", base_url=server.url))[0] == found


@HTTP
@pytest.mark.parametrize("wait", ["30", "999999999", "Fri, 01 Jan 2038 00:00:00 GMT"])
def test_no_retry_is_waited_for_longer_than_there_is_time(protocol: Protocol, wait: str) -> None:
    with serving(fails(429, "slow down", retry_after=wait)) as server:
        start = time.monotonic()
        reason, message = reason_of(protocol.model(server.url))
        assert time.monotonic() - start < 10
    assert reason is Reason.RATE_LIMITED
    assert "slow down" in message
    assert len(server.requests) == 1


def test_without_a_limit_a_server_is_not_waited_for_forever() -> None:
    unlimited = Prompt("s", "c", "q", {}, timeout=None)
    with serving(fails(429, retry_after=str(MAX_PAUSE + 1))) as server:
        assert reason_of(OpenAIModel("m", base_url=server.url), unlimited)[0] == "rate_limited"


@HTTP
@pytest.mark.parametrize("reply", [silent, drips], ids=["silent", "drips"])
@pytest.mark.parametrize("mode", ["sync", "async", "direct"])
def test_the_answer_comes_within_the_deadline(
    folder: Path, protocol: Protocol, reply: Reply, mode: str
) -> None:
    protocol.adapter("m")._load()  # what the first import takes is no business of the server
    with serving(reply) as server:
        model = protocol.model(server.url)
        if mode == "direct":
            start = time.monotonic()
            assert reason_of(model, Prompt("s", "c", "q", {}, timeout=0.5))[0] == "timeout"
            assert time.monotonic() - start < 0.5 + SLACK
            return
        store = MemoryStore(folder, model=model)
        if mode == "sync":
            selection = store.find_relevant(QUERY, timeout=0.5)
        else:
            selection = asyncio.run(store.afind_relevant(QUERY, timeout=0.5))
        assert selection.elapsed < 0.5 + SLACK
        assert (selection.outcome, selection.reason) == ("fell_back", "timeout")
        assert len(selection) == 5


def test_no_thread_is_left_behind_by_a_server_that_never_answers(folder: Path) -> None:
    with serving(silent) as server:
        store = MemoryStore(folder, model=OpenAIModel("m", base_url=server.url))
        for _ in range(6):  # more than may hang
            selection = store.find_relevant(QUERY, timeout=0.3)
            assert selection.reason is Reason.TIMEOUT
        end = time.monotonic() + 5
        while threading.active_count() > 2 + len(server.requests) and time.monotonic() < end:
            time.sleep(0.01)
        assert [one for one in threading.enumerate() if one.name == "memory-selector"] == []


def test_many_threads_that_run_out_of_time_make_nobody_busy(folder: Path) -> None:
    with serving(silent) as server:
        store = MemoryStore(folder, model=OpenAIModel("m", base_url=server.url))
        reasons: list[object] = []

        def ask_again() -> None:
            reasons.extend(store.find_relevant(QUERY, timeout=0.3).reason for _ in range(3))

        threads = [threading.Thread(target=ask_again) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert set(reasons) == {Reason.TIMEOUT}


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_a_process_that_asks_for_the_first_time_ends_in_time(folder: Path, kind: str) -> None:
    # The clients take longer to import than there is time.
    with serving(silent) as server:
        code = (
            "import sys, time; start = time.monotonic()\n"
            "from selector import MemoryStore\n"
            f"model = '{kind}:m@{server.url}'\n"
            f"found = MemoryStore({str(folder)!r}, model=model)"
            f".find_relevant({QUERY!r}, timeout=0.2)\n"
            "print(found.reason, 'done' if found.elapsed < 0.2 + 0.2 else found.elapsed)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
    assert (done.stdout, done.stderr, done.returncode) == ("timeout done\n", "", 0)


def test_a_process_does_not_wait_for_a_host_that_is_looked_up(folder: Path) -> None:
    code = (
        "import socket, sys, time\n"
        "socket.getaddrinfo = lambda *args, **kwargs: time.sleep(60)\n"
        "from selector import MemoryStore\n"
        "model = 'openai:m@https://llm.example.com/v1'\n"
        f"found = MemoryStore({str(folder)!r}, model=model).find_relevant({QUERY!r}, timeout=3)\n"
        "print(found.reason)\n"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "MEMSEL_API_KEY": "sk-some-key"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("timeout\n", "", 0)
    assert time.monotonic() - start < 30


@HTTP
def test_nobody_listening_costs_no_time(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(silent) as server:
        url = server.url
    monkeypatch.setattr(failures, "FIRST_PAUSE", MAX_PAUSE / 2)
    start = time.monotonic()
    unlimited = Prompt("s", "c", "q", {}, timeout=None)
    reason, message = reason_of(protocol.model(url), unlimited)
    assert reason is Reason.CONNECTION
    assert "127.0.0.1" in message
    assert time.monotonic() - start < MAX_PAUSE / 3  # not tried again


# --- steps


@HTTP
@pytest.mark.parametrize("refusal", [400, 422, 501])
def test_a_refused_schema_is_not_asked_for_again(protocol: Protocol, refusal: int) -> None:
    good = protocol.says(answer("note0.md"))
    with serving(fails(refusal), fails(refusal), good) as server:
        model = protocol.model(server.url)
        ask(model)
        assert tuple(map(protocol.step, server.requests)) == protocol.steps
        ask(protocol.model(server.url, "other"))
        assert protocol.step(server.requests[-1]) == "text"
        assert len(server.requests) == 4


@HTTP
def test_an_ignored_schema_steps_down_and_is_remembered(protocol: Protocol) -> None:
    good = protocol.says(answer("note0.md"))
    with serving(protocol.says("note0.md, I think"), good) as server:
        model = protocol.model(server.url)
        ask(model)
        ask(model)
        assert list(map(protocol.step, server.requests)) == [
            protocol.steps[0],
            protocol.steps[1],
            protocol.steps[1],
        ]


@HTTP
def test_an_empty_answer_says_nothing_about_the_server(protocol: Protocol) -> None:
    good = protocol.says(answer("note0.md"))
    with serving(protocol.says(""), good) as server:
        model = protocol.model(server.url)
        ask(model)
        ask(model)
        assert [protocol.step(one) for one in server.requests] == [
            protocol.steps[0],
            protocol.steps[1],
            protocol.steps[0],
        ]


@HTTP
def test_the_tokens_of_every_step_count(protocol: Protocol) -> None:
    good = protocol.says(answer("note0.md"))
    with serving(protocol.says("note0.md, I think"), good) as server:
        reply = ask(protocol.model(server.url))
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (200, 180, 24)
    one, other = protocol.says("note0.md, I think"), fails(401)
    with serving(one, other) as server, pytest.raises(ModelError) as failed:
        ask(protocol.model(server.url))
    assert failed.value.usage is not None
    assert failed.value.usage.input_tokens == 100


@HTTP
def test_another_fault_is_not_taken_for_a_refused_schema(protocol: Protocol) -> None:
    good = protocol.says(answer("note0.md"))
    bad = fails(400, "the prompt is too long")
    with serving(bad, bad, bad, good) as server:
        model = protocol.model(server.url)
        assert "too long" in reason_of(model)[1]
        ask(model)
        assert protocol.step(server.requests[-1]) == "schema"


@HTTP
def test_a_server_is_not_judged_by_another(protocol: Protocol) -> None:
    good = protocol.says(answer("note0.md"))
    with serving(fails(400), good) as poor, serving(good) as rich:
        ask(protocol.model(poor.url))
        ask(protocol.model(rich.url))
        assert [protocol.step(one) for one in rich.requests] == ["schema"]


@HTTP
def test_the_schema_goes_out_as_it_is(protocol: Protocol) -> None:
    schema = {"type": "object", "properties": {"selected_memories": {"type": "array"}}}
    with serving(protocol.says(answer())) as server:
        ask(protocol.model(server.url), Prompt("s", "c", "q", schema, 20.0))
        assert str(schema) in str(server.requests[0].body)


def test_the_tool_that_must_be_called_is_an_answer() -> None:
    called = {"type": "tool_use", "id": "t", "name": "select_memories", "input": {
        "selected_memories": ["note0.md"]}}  # fmt: skip
    message = {
        "content": [{"type": "text", "text": "I choose."}, called],
        "stop_reason": "tool_use",
    }
    with serving(fails(400), sends(message)) as server:
        reply = ask(AnthropicModel("m", base_url=server.url))
        assert reply == ModelReply(answer("note0.md"))
        assert server.requests[1].body["tool_choice"]["name"] == "select_memories"


# --- caching


@HTTP
def test_what_comes_before_the_question_is_the_same_each_time(
    folder: Path, protocol: Protocol
) -> None:
    with serving(protocol.says(answer())) as server:
        store = MemoryStore(folder, model=protocol.model(server.url))
        for query in (QUERY, "something else", "a third one"):
            store.find_relevant(query, recent_tools=[query], timeout=20.0)
        stable = set(map(protocol.stable, server.requests))
        assert len(stable) == 1
        assert "note6.md" in stable.pop()


@pytest.mark.parametrize(
    ("url", "model", "mark"),
    [
        ("https://openrouter.ai/api/v1", "anthropic/claude", "cache_control"),
        ("https://api.openai.com/v1", "gpt-6-luna", "prompt_cache_breakpoint"),
        ("https://api.openai.com/v1", "gpt-5.6", "prompt_cache_breakpoint"),
        ("https://api.openai.com/v1", "gpt-5.4-mini", None),
        ("https://api.openai.com/v1", "o9", None),
        ("http://localhost:8080/v1", "gpt-6-luna", None),
    ],
)
def test_the_stable_part_is_marked_where_the_api_has_it(
    url: str, model: str, mark: str | None
) -> None:
    content = OpenAIModel(model, base_url=url)._content(PROMPT)
    if mark is None:
        assert content == PROMPT.user
    else:
        assert [list(part) for part in content] == [["type", "text", mark], ["type", "text"]]
        assert content[0]["text"] == PROMPT.context


# --- names


@pytest.mark.parametrize(
    ("spec", "model", "url"),
    [
        ("anthropic:claude-haiku-5-5", "claude-haiku-5-5", "https://api.anthropic.com"),
        ("openai:gpt-6-luna", "gpt-6-luna", "https://api.openai.com/v1"),
        (" openai:qwen3:8b@http://localhost:11434/v1/ ", "qwen3:8b", "http://localhost:11434/v1"),
        ("openai:@cf/meta/llama@https://x.example/v1", "@cf/meta/llama", "https://x.example/v1"),
        ("openai:a@b@HTTP://[::1]:8080", "a@b", "HTTP://[::1]:8080"),
        ("anthropic:m@http://127.0.0.1:9", "m", "http://127.0.0.1:9"),
    ],
)
def test_a_name_says_model_and_server(spec: str, model: str, url: str) -> None:
    found = load(spec)
    assert isinstance(found, HttpModel)
    assert (found.model, found.server.url) == (model, url)
    assert "key" not in repr(found)


@pytest.mark.parametrize(
    "spec",
    [
        "openai:@http://localhost:11434/v1",
        "", "gpt-6", "claude-haiku-5-5", "openai", "openai:", "openai: ", "gemini:pro", "openai:@",
        "openai:m@localhost:8080", "openai:m@http://", "openai:m@ftp://x/v1",
        "openai:m@https://user:password@x.example/v1", "openai:m@https://x.example/v1?key=1",
        "openai:m@https://x.example/v1#a", "openai:m@https://x.example\\@api.openai.com",
        "openai:m@http://api.openai.com/v1", "openai:m@http://openrouter.ai/api/v1",
        "openai:m@https://x example/v1", "openai:m@https://x.example:123456/v1",
        "openai:m@https://x.example:70000/v1", "openai:m@http://256.256.256.256",
        "openai:m@http://[::1:2:::3]", "openai:m@http://[1.2.3.4]", "openai:m@http://127.1",
        "openai:m@http\u017f://x.example", "openai:m@https://x.example/\x01",
        "openai:m@http://api.openai.com./v1",
        "command:", "command:no-such-program-anywhere --flag", "command:sh 'unclosed",
    ],
)  # fmt: skip
def test_what_names_no_model(tmp_path: Path, spec: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        MemoryStore(tmp_path, model=spec)
    message = str(refused.value)
    assert "\n" not in message
    assert "password@" not in message


def test_an_unknown_model_is_told_the_forms() -> None:
    with pytest.raises(ConfigurationError, match="name one as") as refused:
        load("gpt-6")
    assert FORMS in str(refused.value)
