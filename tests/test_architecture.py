"""The floors: a module imports only from floors below its own, also inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

# From the ground up. Every module has a floor; the README draws the same picture.
FLOORS: dict[str, frozenset[str]] = {
    floor: frozenset(names.split())
    for floor, names in {
        "ground: values, errors, time, clean text": "backends clock codes drafts errors"
        " patterns text types",
        "files: a folder in, headers and memories out": "fields files frontmatter headers layout"
        " indexfile markdown metadata reading roots scalars scan strays times trash validity",
        "ranking: a query and headers in, scores out": "lexicon question scoring words",
        "choosing: candidates in, a prompt out; a reply in, a selection out": "answer context"
        " fallback manifest names salvage selection templates testing",
        "running: code that is not ours, without hanging on it": "calls flow foreign models",
        "store": "doctor findings store",
        "cli": "cli",
    }.items()
}
ROOF = frozenset(("", "__main__"))


def modules(checkout: Path) -> dict[str, Path]:
    """Dotted name below `selector` -> file; a package stands for all its files."""
    package = checkout / "selector"
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [node.module or ""] if node.module != "selector" else names
        else:
            continue
        ours = (name.removeprefix("selector.") for name in names if name.startswith("selector."))
        yield from (name for name in ours if name != "__version__")


def floor_of(module: str) -> int:
    place = module.split(".")[0]
    return next(number for number, names in enumerate(FLOORS.values()) if place in names)


def test_every_module_has_one_floor(checkout: Path) -> None:
    places = {name.split(".")[0] for name in modules(checkout)} - ROOF
    assert sorted(places) == sorted(name for names in FLOORS.values() for name in names)


def test_imports_point_down(checkout: Path) -> None:
    graph = {
        name: [other for other in imported(path) if other.split(".")[0] != name.split(".")[0]]
        for name, path in modules(checkout).items()
        if name not in ROOF
    }
    up = [
        (name, other) for name in graph for other in graph[name] if floor_of(other) > floor_of(name)
    ]
    assert up == []
    TopologicalSorter(graph).prepare()  # raises CycleError: no cycles within a floor either


@pytest.mark.parametrize("heavy", ["anthropic", "openai", "pydantic", "asyncio", "yaml"])
def test_nothing_heavy_is_imported_at_the_top(checkout: Path, heavy: str) -> None:
    for name, path in modules(checkout).items():
        if heavy == "asyncio" and name.startswith("models."):
            continue  # imported when a model is named, which runs on an event loop
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                text = ast.unparse(node)
                assert heavy not in text.split(), f"{name}: {text}"


def test_the_readme_draws_every_module(checkout: Path) -> None:
    readme = (checkout / "README.md").read_text(encoding="utf-8")
    picture = readme.partition("## How it is built")[2].split("```")[1]
    drawn = set(picture.replace("MemoryStore", "").split())
    assert {name for names in FLOORS.values() for name in names} <= drawn
