"""The manifest, the whole prompt and a context block over the samples, compared with files.

After a change that is meant, write the files anew and read the difference:

    UPDATE_GOLDEN=1 python -m pytest tests/test_golden.py
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from selector.codes import Code
from selector.context import context_block
from selector.manifest import manifest
from selector.reading import read_memory
from selector.scan import scan
from selector.selection import AIMemorySelector
from selector.testing import ScriptedModel
from selector.types import Candidate, MemoryHeader, Problem, Score, SelectOptions
from selector.validity import is_valid

GOLDEN = Path(__file__).parent / "golden"
# The day on which the sample memories are looked at: neither a fresh clone nor the calendar counts.
TODAY = date(2026, 12, 1)
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample memories, last changed on that day."""
    folder = tmp_path_factory.mktemp("samples") / "memories"
    shutil.copytree(Path(__file__).parent.parent / "memories", folder)
    touch(folder, NOW)
    return folder


def touch(folder: Path, time: float) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (time, time))


def valid(folder: Path) -> list[MemoryHeader]:
    headers = scan(folder).headers
    names = {header.name for header in headers}
    return [header for header in headers if is_valid(header, names, TODAY)]


def compare(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text + "\n", "utf-8")
    assert text + "\n" == path.read_text("utf-8")


def test_the_manifest(samples: Path) -> None:
    compare("manifest.txt", manifest(valid(samples)))


def test_the_prompt(samples: Path) -> None:
    candidates = [Candidate(header, Score(0.0)) for header in valid(samples)]
    options = SelectOptions(
        limit=3, recent_tools=("quayload", "Bash"), files=("web/map/layers.ts", "delays/model.py")
    )
    query = (
        "The feed of Ostra Ferries fails.\n\n```\nUnicodeDecodeError: 0xf6\n```\nHow do I load it?"
    )
    prompt = AIMemorySelector(ScriptedModel()).prepare(query, candidates, options).prompt
    compare("prompt.txt", f"{prompt.system}\n\n{'=' * 72}\n\n{prompt.user}")


def test_the_context(samples: Path) -> None:
    """Three bodies are whole, two are cut; the paths are those of another folder."""
    names = {"user_maren.md", "oncall/import-rollback.md", "data/clock-change.md",
             "feedback_times_ja.md", "reference_dashboards.md"}  # fmt: skip
    chosen = [header for header in valid(samples) if header.name in names]
    assert len(chosen) == len(names)
    memories = [read_memory(str(samples), header) for header in chosen]
    moved = [
        replace(one, header=replace(one.header, path=f"/notes/{one.header.name}"))
        for one in memories
    ]
    missing = [Problem("reference_maps.md", Code.VANISHED)]
    now = datetime.fromtimestamp(NOW, UTC)
    compare("context.txt", context_block(moved, now=now, max_bytes=3_000, missing=missing))


def test_the_samples_do_not_depend_on_when_they_were_cloned(samples: Path) -> None:
    lines = manifest(valid(samples))
    touch(samples, NOW + 3 * 365 * 86_400)
    assert manifest(valid(samples)) == lines
    touch(samples, NOW)
