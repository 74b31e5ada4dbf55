"""The benchmark: its folders are the same for the same seed, and it runs and prints its table."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks import speed
from benchmarks.folders import NEWEST, generate
from selector.codes import DescriptionSource
from selector.scan import scan

FILES = 400  # enough for every kind of file


def _digest(root: Path) -> list[tuple[str, str, float]]:
    return [
        (
            path.relative_to(root).as_posix(),
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime,
        )
        for path in sorted(root.rglob("*"))
        if path.is_file()
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("bench") / "notes"
    generate(root, FILES, seed=5)
    return root


def test_same_seed_same_folder(folder: Path, tmp_path: Path) -> None:
    generate(tmp_path / "again", FILES, seed=5)
    generate(tmp_path / "other", FILES, seed=6)
    assert _digest(tmp_path / "again") == _digest(folder)
    assert _digest(tmp_path / "other") != _digest(folder)


def test_every_file_is_a_memory(folder: Path) -> None:
    found = scan(folder)
    assert len(_digest(folder)) == FILES
    assert len(found.headers) == FILES
    assert max(header.modified for header in found.headers) <= NEWEST
    assert {header.description_from for header in found.headers} >= set(DescriptionSource)
    assert {header.type for header in found.headers} >= {"project", "user", "instruction", "skill"}
    assert any(header.scope for header in found.headers)


def test_files_vary_as_real_ones_do(folder: Path) -> None:
    contents = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for part in (b"originSessionId", b">-\n", b"globs: ", b"applyTo: ", b"permalink: ", b"\r\n"):
        assert any(part in content for content in contents), part
    assert any(not content.isascii() for content in contents)
    assert any(content[:1] == b"#" for content in contents)
    sizes = sorted(map(len, contents))
    assert 200 < sizes[FILES // 10] < sizes[FILES // 2] < 6144


def test_ratios_are_those_of_one_round() -> None:
    assert speed.ratios([2.0, 9.0], [1.0, 3.0]) == [2.0, 3.0]
    order: list[str] = []
    speed.interleave((lambda n: order.append(f"a{n}"), lambda n: order.append(f"b{n}")), 2)
    assert order == ["a-1", "b-1", "a0", "b0", "a1", "b1"]


def test_verdict() -> None:
    row = speed.Row("scan", [1.0, 2.0, 9.0], "3 us/file", 2.0)
    assert (row.median, row.verdict) == (2.0, "ok")
    assert speed.Row("scan", [2.1], "", 2.0).verdict == "over"
    assert speed.Row("scan", [2.1], "").verdict == ""


def test_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    speed.main(["--rounds", "1", "--files", "12", "20"])
    header, columns, *rows = capsys.readouterr().out.splitlines()
    assert "12 and 20 files" in header
    assert columns.split() == ["median", "min..max", "target", "time"]
    assert len(rows) == 10
    assert rows[1].startswith("scan, 12 files")
    assert rows[-1].startswith("memsel select, 12 files")


def test_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    speed.main(["--rounds", "1", "--files", "5", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["files"] == [5]
    assert [row["name"] for row in printed["rows"] if row["target"]] == [
        "scan, 5 files",
        "selection without a model, 5 files",
        "from selector import MemoryStore",
        "memsel select, 5 files",
    ]
