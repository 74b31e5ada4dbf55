"""Which API key, and which header, reaches which host."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from selector.codes import Reason
from selector.errors import ConfigurationError, ModelError
from selector.models import load
from selector.models.anthropic import AnthropicModel
from selector.models.http import HttpModel
from selector.models.openai import OpenAIModel
from selector.store import MemoryStore
from selector.testing import answer
from tests.adapters import HTTP, QUERY, ask, reason_of
from tests.conftest import KEYS
from tests.servers import ANTHROPIC, OPENAI, Protocol, fails, serving


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
    "openai:m@https://API.openai.com:443/v1/": "OPENAI_API_KEY",
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
    vendors = {"x-gate"} | ({"openai-organization", "openai-project"} if spec[0] == "o" else set())
    is_vendors = "@" not in spec or ":443" in spec
    assert others == (vendors if is_vendors else set())


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


def test_a_key_far_behind_in_a_long_message_is_hidden_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MEMSEL_API_KEY", "sk-very-secret")
    for before in range(470, 500):
        with serving(fails(401, f"{'x' * before}sk-very-secret")) as server:
            assert "sk-" not in reason_of(OpenAIModel("m", base_url=server.url))[1]


@HTTP
def test_no_message_behind_the_error_shows_the_key(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSEL_API_KEY", "sk-very-secret")
    with serving(fails(401, "wrong key: sk-very-secret")) as server:
        try:
            ask(protocol.model(server.url))
        except ModelError as error:
            told = "".join(traceback.format_exception(error))
    assert "wrong key: ***" in told
    assert "sk-very-secret" not in told


@pytest.mark.parametrize("key", ["sk-by-hand\n", " sk-by-hand\r\n"])
def test_a_key_read_from_a_file_may_have_a_line_end(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = OpenAIModel("m", api_key=key, base_url="https://llm.example.com/v1")
    assert sent(model, monkeypatch)["authorization"] == "Bearer sk-by-hand"


@pytest.mark.parametrize("key", ["", " ", "two\nlines", "ключ", "nul\0"])
def test_what_cannot_be_a_key_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        OpenAIModel("m", api_key=key)
    assert key.strip() == "" or key not in str(refused.value)


@pytest.mark.usefixtures("every_key")
def test_of_two_variables_that_name_a_server_its_own_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{kind}_BASE_URL", "https://gate.example.com")
    for spec in ("anthropic:m", "openai:m"):
        model = load(spec)
        assert isinstance(model, HttpModel)
        key = f"secret-{spec[:-2].upper()}_API_KEY"
        assert sent(model, monkeypatch)["authorization"] == f"Bearer {key}"


@HTTP
def test_no_proxy_sees_what_goes_to_this_machine(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(fails(500)) as proxy, serving(protocol.says(answer())) as server:
        for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        ask(protocol.model(server.url))
        assert len(server.requests) == 1
        assert proxy.requests == []


@HTTP
def test_a_proxy_that_cannot_be_used_is_a_reason(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "gopher://proxy")
    monkeypatch.setenv("MEMSEL_API_KEY", "sk-some-key")
    assert reason_of(protocol.adapter("m", base_url="https://llm.example.com"))[0] == "connection"


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
                chat_template_kwargs={"enable_thinking": False},
            )
        )
        request = server.requests[0]
    assert request.body["reasoning_effort"] == "low"
    assert request.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert request.body["max_tokens"] == 77
    assert request.headers["x-title"] == "notes"


def test_a_field_of_the_users_wins_and_keeps_the_rest_of_ours() -> None:
    with serving(ANTHROPIC.says(answer())) as server:
        url = server.url
        ask(AnthropicModel("m", base_url=url, output_config={"effort": "low"}, max_tokens=5))
        body = server.requests[0].body
        assert body["output_config"].keys() == {"format", "effort"}
        assert body["max_tokens"] == 5
        ask(AnthropicModel("m", base_url=url, temperature=0))
        assert server.requests[1].body["temperature"] == 0


def test_the_cap_is_named_as_the_user_names_it() -> None:
    with serving(OPENAI.says(answer())) as server:
        ask(OpenAIModel("m", base_url=server.url, max_completion_tokens=9))
        assert server.requests[0].body["max_completion_tokens"] == 9
        assert "max_tokens" not in server.requests[0].body
    assert OpenAIModel("m")._cap() == {"max_completion_tokens": 2_000}
    assert OpenAIModel("m", base_url="http://localhost:1")._cap() == {"max_tokens": 2_000}


@pytest.mark.parametrize("field", ["stream", "timeout", "n", "messages"])
def test_a_field_that_would_break_the_protocol_is_refused(field: str) -> None:
    with pytest.raises(ConfigurationError, match=field):
        OpenAIModel("m", **{field: 1})  # type: ignore[arg-type]
