"""What several commands are told alike: the folders, the types, and the environment."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping

from selector.cli.output import Failure, note
from selector.cli.parser import usage
from selector.codes import Code
from selector.errors import ConfigurationError
from selector.roots import root_paths
from selector.types import Problem

ROOT = "MEMSEL_ROOT"
UNREADABLE = frozenset((Code.NO_FOLDER, Code.NOT_A_FOLDER, Code.PERMISSION, Code.UNREADABLE))

_MEND = {
    Code.NO_FOLDER: "there is no such folder; make it, or name another",
    Code.NOT_A_FOLDER: "that is a file; name the folder that it is in",
    Code.PERMISSION: "you may not read it; ask its owner, or name another",
}


def add_roots(parser: ArgumentParser) -> None:
    """Adds `--root`."""
    parser.add_argument(
        "--root",
        metavar="DIR",
        action="append",
        dest="roots",
        help=f"a folder of memories, or LABEL=DIR; repeatable (default: {ROOT})",
    )


def add_types(parser: ArgumentParser) -> None:
    """Adds `--type`."""
    parser.add_argument(
        "--type",
        metavar="TYPE",
        action="append",
        dest="types",
        default=[],
        type=str.lower,  # as in headers
        help="only memories of this type; repeatable",
    )


def add_json(parser: ArgumentParser) -> None:
    """Adds `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def positive(text: str, name: str, command: str) -> int:
    """The whole number from 1 on that `text` is."""
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise usage(f"{name} {text}: a whole number from 1 on is needed", command)
    return number


def roots(options: Namespace) -> dict[str, str]:
    """`label -> absolute path` of the folders that `--root`, else the environment, names."""
    if options.roots:
        return _labelled(options.roots, "--root")
    if given := list(filter(None, os.environ.get(ROOT, "").split(os.pathsep))):
        return _labelled(given, ROOT)
    raise usage(f"no folder of memories: give --root DIR or set {ROOT}", options.command)


def _labelled(given: list[str], source: str) -> dict[str, str]:
    pairs = [_pair(text) for text in given]
    if len(pairs) == 1 and pairs[0][0] is None:
        return _paths(pairs[0][1], source)
    found: dict[str, str] = {}
    for label, path in pairs:
        name = os.path.basename(_paths(path, source)[""]) if label is None else label
        if not _is_label(name):
            raise Failure("usage", f"{source} {path}: give it a label: LABEL=DIR")
        if name in found:
            raise Failure(
                "usage", f"{source}: two folders are called {name!r}; label them: LABEL=DIR"
            )
        found[name] = path
    return _paths(found, source)


def _pair(text: str) -> tuple[str | None, str]:
    """Label and path; no label where what stands before `=` is a part of the path."""
    label, equals, path = text.partition("=")
    if not equals or not _is_label(label):
        return None, text
    is_whole = _exists(text) and not _exists(path)
    return (None, text) if is_whole else (label, path)


def _is_label(text: str) -> bool:
    try:
        return bool(root_paths({text: "."}))
    except ConfigurationError:
        return False


def _exists(path: str) -> bool:
    return os.path.isdir(os.path.expanduser(path))


def _paths(given: str | Mapping[str, str], source: str) -> dict[str, str]:
    try:
        return root_paths(given)
    except ConfigurationError as error:
        raise Failure("usage", f"{source}: {error}") from error


def check_roots(options: Namespace, found: Mapping[str, str], failed: Mapping[str, Code]) -> None:
    """Raises Failure when no folder can be read; says which ones cannot where others can."""
    source = "" if options.roots else f"{ROOT}: "
    told = [f"{source}root {found[label]!r}: {mend(code)}" for label, code in failed.items()]
    if len(told) < len(found):
        for text in told:
            note(f"{text}; the other folders were read")
        return
    many = f"none of the {len(found)} folders can be read; the first is " if len(found) > 1 else ""
    raise Failure(str(next(iter(failed.values()))), f"{many}{told[0]}")


def mend(code: Code) -> str:
    """What to do about a folder that cannot be read."""
    return _MEND.get(code, "the system cannot read it")


def failed_roots(found: Mapping[str, str], problems: Iterable[Problem]) -> dict[str, Code]:
    """The labels of the folders that could not be read, from a selection's problems."""
    return {
        problem.name: problem.code
        for problem in problems
        if problem.code in UNREADABLE and problem.name in found
    }


def environment(name: str) -> str | None:
    """The value of a variable; None when it is not set, or empty."""
    return os.environ.get(name) or None


def from_stdin(limit: int) -> str:
    """What stands on standard input, at most `limit` bytes; raises Failure when nothing can be."""
    if sys.stdin is None:
        raise Failure("usage", "standard input is closed: give the prompt in quotes")
    raw = b""
    try:
        # In parts: a Ctrl-C that comes between two of them would else wait for the end.
        while len(raw) <= limit and (some := os.read(sys.stdin.fileno(), limit)):
            raw += some
    except OSError as error:
        raise Failure(
            "usage", f"standard input cannot be read: {error.strerror or error}"
        ) from error
    if len(raw) > limit:
        note(f"only the first {limit:,} bytes of the prompt were read")
    return raw[:limit].decode("utf-8", "replace")
