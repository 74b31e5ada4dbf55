"""Which API key, and which header, reaches which host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selector.codes import Reason
from selector.models import load
from selector.models.http import HttpModel
from selector.models.openai import OpenAIModel
from selector.store import MemoryStore
from selector.testing import answer
from tests.adapters import HTTP, QUERY, ask, reason_of
from tests.conftest import KEYS
from tests.servers import OPENAI, Protocol, fails, serving


@pytest.fixture
def every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        if name.endswith(("_KEY", "_TOKEN", "_ID")):
            monkeypatch.setenv(name, f"secret-{name}")
    for vendor in ("ANTHROPIC", "OPENAI"):
        lines = "Authorization: Bearer secret-custom\nX-Api-Key: secret-custom\nX-Gate: secret-gate"
        monkeypatch.setenv(f"{vendor}_CUSTOM_HEADERS", lines)


def sent(model: HttpModel, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The headers that a model's request has, whichever host it is for."""
    import httpx2

    found: dict[str, str] = {}

    def catch(request: httpx2.Request) -> httpx2.Response:
        assert request.url.host == model.server.host
        found.update(request.headers)
        return httpx2.Response(401, json={"error": {"message": "no"}})

    # The last thing before the wire: everything of ours and of the client has run.
    async def handle(_: Any, request: httpx2.Request) -> httpx2.Response:
        return catch(request)

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", handle)
    assert reason_of(model)[0] is Reason.AUTH
    return found


OURS = {
    "anthropic:m": "ANTHROPIC_API_KEY",
    "openai:m": "OPENAI_API_KEY",
    "openai:m@https://eu.api.openai.com/v1": "OPENAI_API_KEY",
    "openai:m@https://openrouter.ai/api/v1": "OPENROUTER_API_KEY",
    "anthropic:m@https://openrouter.ai/api": "OPENROUTER_API_KEY",
    "openai:m@https://api.anthropic.com/v1": "ANTHROPIC_API_KEY",
    "anthropic:m@https://api.openai.com/v1": "OPENAI_API_KEY",
    "openai:m@https://llm.example.com/v1": "MEMSEL_API_KEY",
    "anthropic:m@https://llm.example.com": "MEMSEL_API_KEY",
    "openai:m@http://10.0.0.7:8000/v1": "MEMSEL_API_KEY",
    "openai:m@https://api.openai.com.example.com/v1": "MEMSEL_API_KEY",
    "openai:m@https://notopenrouter.ai/v1": "MEMSEL_API_KEY",
    "openai:m@http://127.0.0.1.example.com/v1": "MEMSEL_API_KEY",
    "openai:m@http://localhost:11434/v1": "MEMSEL_API_KEY",
}


@pytest.mark.usefixtures("every_key")
@pytest.mark.parametrize("spec", OURS)
def test_each_key_goes_to_its_own_host_alone(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(spec)
    assert isinstance(model, HttpModel)
    headers = sent(model, monkeypatch)
    assert headers["authorization"] == f"Bearer secret-{OURS[spec]}"
    # What else the environment holds for a vendor goes to the vendor's host alone.
    others = {name for name, value in headers.items() if "secret" in value} - {"authorization"}
    assert others <= (
        {"openai-organization", "openai-project", "x-gate"} if "@" not in spec else set()
    )


@pytest.mark.usefixtures("every_key")
@pytest.mark.parametrize(("kind", "adapter"), [("ANTHROPIC", "anthropic"), ("OPENAI", "openai")])
def test_a_base_url_in_the_environment_gets_the_vendors_key(
    kind: str, adapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{kind}_BASE_URL", "https://gate.example.com:8443/llm/")
    for spec in (f"{adapter}:m", f"{adapter}:m@https://gate.example.com:8443/other"):
        model = load(spec)
        assert isinstance(model, HttpModel)
        headers = sent(model, monkeypatch)
        assert headers["authorization"] == f"Bearer secret-{kind}_API_KEY"
    other = load(f"{adapter}:m@https://gate.example.com/v1")  # another port is another server
    assert isinstance(other, HttpModel)
    assert sent(other, monkeypatch)["authorization"] == "Bearer secret-MEMSEL_API_KEY"


@pytest.mark.usefixtures("every_key")
def test_the_keys_over_a_real_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(fails(401)) as own, serving(fails(401)) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{own.url}/v1")
        for server in (own, other):
            reason_of(OpenAIModel("m", base_url=f"{server.url}/v1"))
        assert own.requests[0].headers["authorization"] == "Bearer secret-OPENAI_API_KEY"
        headers = other.requests[0].headers
        assert headers["authorization"] == "Bearer secret-MEMSEL_API_KEY"
        assert "secret" not in str({**headers, "authorization": ""})


@HTTP
def test_this_machine_needs_no_key(protocol: Protocol) -> None:
    with serving(protocol.says(answer())) as server:
        ask(protocol.model(server.url))
        headers = server.requests[0].headers
    assert not {"authorization", "x-api-key"} & set(headers)


@HTTP
@pytest.mark.usefixtures("every_key")
def test_a_redirect_takes_no_key_elsewhere(protocol: Protocol) -> None:
    with serving(protocol.says(answer())) as thief:
        for status in (301, 302, 307, 308):
            with serving(fails(status, location=f"{thief.url}/v1")) as server:
                assert reason_of(protocol.model(server.url))[0] == "bad_request"
        assert thief.requests == []


@pytest.mark.parametrize(
    ("spec", "variable"),
    [
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("openai:m", "OPENAI_API_KEY"),
        ("openai:m@https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        ("openai:m@https://llm.example.com/v1", "MEMSEL_API_KEY"),
    ],
)
@pytest.mark.parametrize("value", [None, "", "  ", "ключ", "two\nlines"])
def test_a_missing_key_names_its_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, spec: str, variable: str, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv(variable, value)
    selection = MemoryStore(folder, model=spec).find_relevant(QUERY)
    assert (selection.outcome, selection.reason) == ("fell_back", "no_key")
    assert selection.detail is not None
    assert variable in selection.detail


def test_a_key_that_a_server_repeats_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMSEL_API_KEY", "sk-very-secret")
    with serving(fails(401, "wrong key: sk-very-secret")) as server:
        reason, message = reason_of(OpenAIModel("m", base_url=server.url))
    assert reason is Reason.AUTH
    assert "wrong key: ***" in message
    assert "sk-very-secret" not in message


def test_a_key_by_hand_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-env")
    model = OpenAIModel("m", api_key="by-hand", base_url="https://llm.example.com/v1")
    assert sent(model, monkeypatch)["authorization"] == "Bearer by-hand"


def test_further_fields_and_headers_go_out() -> None:
    with serving(OPENAI.says(answer())) as server:
        ask(
            OpenAIModel(
                "m",
                base_url=server.url,
                max_tokens=77,
                reasoning_effort="low",
                extra_headers={"X-Title": "notes"},
            )
        )
        request = server.requests[0]
    assert request.body["reasoning_effort"] == "low"
    assert request.body["max_tokens"] == 77
    assert request.headers["x-title"] == "notes"
