"""Servers on loopback that speak the protocols of models, well and badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from selector.models.anthropic import AnthropicModel
from selector.models.http import HttpModel
from selector.models.openai import OpenAIModel


class Request(NamedTuple):
    """What a server was sent."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]


class Server:
    """A server that gives its replies in their order, the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.replies = replies
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = json.loads(self.rfile.read(length))
                outer.requests.append(Request(self.path, headers, body))
                reply = outer.replies[min(len(outer.requests), len(outer.replies)) - 1]
                with suppress(OSError):  # the client has left
                    reply(self, outer)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


Reply = Callable[[BaseHTTPRequestHandler, Server], None]


def sends(
    body: object,
    status: int = 200,
    content_type: str = "application/json",
    **headers: str,
) -> Reply:
    """A whole response; a body that is no text is sent as JSON."""
    raw = (body if isinstance(body, str) else json.dumps(body)).encode()

    def reply(handler: BaseHTTPRequestHandler, _: Server) -> None:
        handler.send_response(status)
        handler.send_header("content-type", content_type)
        handler.send_header("content-length", str(len(raw)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(raw)

    return reply


def fails(status: int, message: str = "no", **headers: str) -> Reply:
    """An error in the shape that both protocols have."""
    error = {"type": "error", "error": {"type": "some_error", "message": message}}
    return sends(error, status, **headers)


PAGE = sends("<!DOCTYPE html><title>Log in</title>", content_type="text/html")


def silent(_: BaseHTTPRequestHandler, server: Server) -> None:
    """Never answers."""
    server.closing.wait(60)


def drips(handler: BaseHTTPRequestHandler, server: Server) -> None:
    """Sends one blank after the other, so that no single read takes long."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    while not server.closing.wait(0.02):
        handler.wfile.write(b" ")


def hangs_up(handler: BaseHTTPRequestHandler, _: Server) -> None:
    """Closes the connection without a word."""
    handler.close_connection = True


def after(seconds: float, reply: Reply) -> Reply:
    """`reply`, later."""

    def later(handler: BaseHTTPRequestHandler, server: Server) -> None:
        time.sleep(seconds)
        reply(handler, server)

    return later


class Protocol(NamedTuple):
    """How one protocol says things."""

    adapter: type[HttpModel]
    path: str  # of the base URL
    says: Callable[..., Reply]  # text, end="whole"|"cut"|"refused"
    step: Callable[[Request], str]  # what a request asks for
    steps: tuple[str, ...]
    stable: Callable[[Request], str]  # what a request has before the question

    def model(self, url: str, name: str = "m") -> HttpModel:
        """The adapter's model at a server."""
        return self.adapter(name, base_url=url + self.path)


def _anthropic_says(text: str, end: str = "whole") -> Reply:
    reasons = {"whole": "end_turn", "cut": "max_tokens", "refused": "refusal"}
    return sends(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": reasons[end],
            "usage": {
                "input_tokens": 7,
                "cache_read_input_tokens": 90,
                "cache_creation_input_tokens": 3,
                "output_tokens": 12,
            },
        }
    )


def _openai_says(text: str, end: str = "whole") -> Reply:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if end == "refused":
        message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 12,
        "total_tokens": 112,
        "prompt_tokens_details": {"cached_tokens": 90},
    }
    choice = {"index": 0, "message": message, "finish_reason": "length" if end == "cut" else "stop"}
    return sends({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})


def _anthropic_step(request: Request) -> str:
    if "output_config" in request.body:
        return "schema"
    return "tool" if "tools" in request.body else "text"


def _openai_step(request: Request) -> str:
    kind = request.body.get("response_format", {}).get("type", "text")
    return {"json_schema": "schema", "json_object": "json"}.get(kind, "text")


def _anthropic_stable(request: Request) -> str:
    content = request.body["messages"][0]["content"]
    assert content[0]["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in content[1]
    return str(request.body["system"]) + str(content[0]["text"])


def _openai_stable(request: Request) -> str:
    system, user = request.body["messages"]
    return str(system["content"]) + str(user["content"].partition("\n\nTools in active use")[0])


ANTHROPIC = Protocol(
    AnthropicModel,
    "",
    _anthropic_says,
    _anthropic_step,
    ("schema", "tool", "text"),
    _anthropic_stable,
)
OPENAI = Protocol(
    OpenAIModel, "/v1", _openai_says, _openai_step, ("schema", "json", "text"), _openai_stable
)


@contextmanager
def serving(*replies: Reply) -> Iterator[Server]:
    """A running server."""
    with Server(*replies) as server:
        yield server
