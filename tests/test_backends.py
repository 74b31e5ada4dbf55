"""Adapters by name: what is unknown, what is missing, and what is broken of ours."""

from __future__ import annotations

import subprocess
import sys

import pytest

from selector.backends import Backend, load_backend
from selector.errors import ConfigurationError

TABLE = {
    "here": Backend("selector.models.command", "CommandModel"),
    "missing": Backend("selector.models.command", "CommandModel", "no_such_vendor"),
    "broken": Backend("selector.models.no_such_module", "Model"),
}


def test_an_adapter_is_loaded_by_its_name() -> None:
    assert load_backend("model", TABLE, "here").__name__ == "CommandModel"


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="'x': known are broken, here, missing"):
        load_backend("model", TABLE, "x")


def test_a_missing_package_is_named_with_what_to_do() -> None:
    with pytest.raises(ConfigurationError, match="pip install no_such_vendor"):
        load_backend("model", TABLE, "missing")


def test_a_broken_adapter_of_ours_is_not_taken_for_a_missing_package() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load_backend("model", TABLE, "broken")


def test_the_vendors_package_is_not_imported_yet() -> None:
    script = (
        "import sys; from selector.models import load; load('anthropic:m'); load('openai:m')\n"
        "sys.exit(not {'anthropic', 'openai', 'httpx2'}.isdisjoint(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
