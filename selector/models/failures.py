"""What a server, or the vendor's client, does instead of answering: in our words, once."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from selector.codes import Reason
from selector.errors import ModelError
from selector.models.replies import dig

RETRIES = 2  # behind the first try
FIRST_PAUSE = 0.4  # seconds before the first retry where the server names none; then doubled
MAX_PAUSE = 60.0  # seconds: a server that wants longer is not waited for, even without a limit

_NUMBER = re.compile(r"\d{1,9}(?:\.\d*)?", re.ASCII)

_STATUSES = {
    401: Reason.AUTH,
    402: Reason.RATE_LIMITED,  # no credit left: another request will not do either
    403: Reason.AUTH,
    407: Reason.CONNECTION,
    408: Reason.TIMEOUT,
    409: Reason.OVERLOADED,
    429: Reason.RATE_LIMITED,
    502: Reason.OVERLOADED,
    503: Reason.OVERLOADED,
    504: Reason.TIMEOUT,
    529: Reason.OVERLOADED,
}
# How a server refuses a field that it does not know.
_STEP_DOWN = frozenset((400, 422, 501))
SHORTEST_KEY = 8  # characters: a shorter one is a word like others
DEEPEST = 20  # errors behind an error that are looked at


class RefusedRequest(ModelError):
    """A request that the server does not take in this form."""


def told(sdk: Any, error: Exception, host: str) -> ModelError:
    """A foreign exception as one of ours."""
    if isinstance(ours := error.__cause__, ModelError):  # out of our own connection
        return ModelError(str(ours), ours.reason)
    if isinstance(error, sdk.APITimeoutError):
        return ModelError(f"{host} gave no answer in time", Reason.TIMEOUT)
    if isinstance(error, sdk.APIConnectionError):
        cause = error.__cause__ or error
        return ModelError(f"{host} cannot be reached: {cause}", Reason.CONNECTION)
    if not isinstance(error, sdk.APIStatusError):
        return ModelError(f"{type(error).__name__}: {error}")
    return told_status(host, error.status_code, error.body)


def told_status(host: str, status: int, body: Any) -> ModelError:
    """What an HTTP status other than 200 stands for; `body` is its JSON, or a text."""
    found = dig(body, "error", "message") or dig(body, "message") or dig(body, "error") or body
    text = found if isinstance(found, str) else ""
    message = f"{host} replied {status}: {_plain(text)}".rstrip(": ")
    if status == 404 or 300 <= status < 400:
        message += " (is the base URL right, and the model's name?)"
    if status in _STEP_DOWN:
        return RefusedRequest(message, Reason.BAD_REQUEST)
    if status in _STATUSES:
        return ModelError(message, _STATUSES[status])
    return ModelError(message, Reason.MODEL_FAILED if status >= 500 else Reason.BAD_REQUEST)


def _plain(text: str) -> str:
    return "a web page" if text.lstrip()[:1] == "<" else text


def pause_before(attempt: int, sdk: Any, error: Exception) -> float | None:
    """Seconds to wait before the next try; None where another one is of no use."""
    ours = isinstance(error.__cause__, ModelError)
    if attempt >= RETRIES or ours or isinstance(error, sdk.APITimeoutError):
        return None
    pause: float = FIRST_PAUSE * 2**attempt
    if isinstance(error, sdk.APIConnectionError):
        # Nobody is there: a local server that is down is to cost no prompt a second.
        is_down = type(error.__cause__).__name__ in ("ConnectError", "UnsupportedProtocol")
        return None if is_down else pause
    if not isinstance(error, sdk.APIStatusError):
        return None
    status, headers = error.status_code, error.response.headers
    if status not in (408, 409, 429) and (status < 500 or status in _STEP_DOWN):
        return None
    if headers.get("x-should-retry") == "false":
        return None
    return _wanted(headers) or pause * random.uniform(0.75, 1)


def _wanted(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait for; None where it does not say."""
    if (text := headers.get("retry-after-ms", "")) and _NUMBER.fullmatch(text):
        return float(text) / 1000
    text = headers.get("retry-after", "")
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None


def hide(key: str | None, error: BaseException | None) -> None:
    """Takes the key out of the messages of an error and of all that it comes from."""
    for _ in range(DEEPEST):
        if not key or len(key) < SHORTEST_KEY or error is None:
            return
        error.args = tuple(
            one.replace(key, "***") if isinstance(one, str) else one for one in error.args
        )
        if isinstance(message := getattr(error, "message", None), str):
            error.message = message.replace(key, "***")  # type: ignore[attr-defined]
        error = error.__cause__ or error.__context__
