"""The wheel works outside the checkout: built, installed into a fresh environment, and run."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path


def test_the_wheel_carries_the_prompts_and_runs(checkout: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    _run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, checkout)
    (wheel,) = tmp_path.glob("memory_selector-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    prompts = {f"selector/prompts/{path.name}" for path in (checkout / "prompts").iterdir()}
    assert prompts <= names
    assert "selector/py.typed" in names
    assert not any(name.startswith(("tests/", "memories/", "benchmarks/")) for name in names)

    environment = tmp_path / "environment"
    _run(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", wheel)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "deploy.md").write_text("---\ndescription: deploy order of the billing tier\n---\n")
    command = environment / "bin" / "memsel"
    found = json.loads(
        _run(command, "select", "billing deploy order", "--root", notes, "--json", cwd=tmp_path)
    )
    assert [one["name"] for one in found["data"]["memories"]] == ["deploy.md"]
    assert "_memsel_names" in _run(command, "completion", "bash")  # with what it is made by
    assert _run(command, "list", "--root", notes, "--names", cwd=tmp_path) == "deploy.md\n"
    ask = (
        "from selector import MemoryStore; seen = []\n"
        "def model(prompt): seen.append(prompt); return '[]'\n"
        f"print(MemoryStore({str(notes)!r}, model=model).find_relevant('billing').outcome)\n"
        "assert 'at most 5' in seen[0].system and 'deploy.md' in seen[0].user\n"
    )
    assert _run(python, "-c", ask, cwd=tmp_path) == "none_relevant\n"


def _run(*command: object, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=cwd
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
