"""What holds for every test: an empty home folder, no keys, and no way out to the network."""

from __future__ import annotations

import os
import pickle
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
NOBODY = 65534
# What a person's environment may hold for the models, and for us.
KEYS = (
    "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS",
    "MEMSEL_API_KEY", "MEMSEL_MODEL", "MEMSEL_ROOT", "MEMSEL_TIMEOUT", "OPENAI_API_KEY",
    "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
    "OPENROUTER_API_KEY",
)  # fmt: skip
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home))
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in LOOPBACK:
            raise AssertionError(f"a test tried to reach {address!r}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def checkout() -> Path:
    """The folder of the repository."""
    return Path(__file__).parent.parent


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """An empty folder that other users can reach, which they cannot below `tmp_path`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def as_nobody(work: Callable[[], T]) -> T:
    """What `work` gives to a user who is not root: root may read everything and proves nothing."""
    if os.getuid() != 0:
        return work()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, pickle.dumps(work()))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        raw = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    found: T = pickle.loads(raw)
    return found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven notes about zebra crossings, note0.md the newest; to be read only."""
    root = tmp_path_factory.mktemp("notes")
    for number in range(7):
        path = root / f"note{number}.md"
        path.write_text(f"---\ndescription: zebra crossing {number}\n---\n")
        os.utime(path, (1_790_000_000 - number, 1_790_000_000 - number))
    return root
