"""What a scan, a selection and a process cost, as multiples of what none can do without.

    python -m benchmarks.speed [--rounds N] [--files N ...] [--json]

Only the ratios are worth quoting: both sides of each are measured in one run, in turn (A B C,
A B C, ...), and every ratio is that of one round; the table has their median, least and greatest.
Times are printed for orientation.

In one process the floor is what any reader of a folder must do: walk, stat, open and read 4 KiB
of every file. Processes are compared with `python -c pass` of the same interpreter. "Cold" means
without any cache of ours: the store is new and what the package has memoized is forgotten before
every measurement. The operating system has seen the files before: its page cache is warm for
both sides, and so is the compiled bytecode.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.folders import generate
from selector.codes import Warn
from selector.scan import scan
from selector.store import MemoryStore

ROUNDS = 9  # in one process; processes are noisier and get twice as many
FILES = (1_000, 10_000)
PROJECT = Path(__file__).resolve().parent.parent

QUERIES = (
    "Why did the nightly backup fail after the last deploy?",
    "How do I roll back a database migration without losing records?",
    "Add a retry with an idempotency key to the payment webhook in src/billing/webhook.ts",
    "what does the reviewer prefer in pull requests",
    "Write a haiku about the sea",
    "Wie lange dauert die Datenbankmigration, und wer gibt sie frei?",
    "支付回调 需要 重新启动 吗",
    "The mobile build is red since the Redis cache was moved; where are the logs, who is on call? "
    "Check `strict_mode` too, and explain what the GraphQL gateway answers.",
)

Action = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the ratio to the first line of its group, round by round."""

    name: str
    ratios: Sequence[float]
    cost: str  # for orientation
    target: float | None = None
    stretch: float | None = None

    @property
    def median(self) -> float:
        """The ratio to quote."""
        return statistics.median(self.ratios)

    @property
    def verdict(self) -> str:
        """ "ok" or "over"; empty where there is no target."""
        if self.target is None:
            return ""
        return "ok" if self.median <= self.target else "over"


def interleave(actions: Sequence[Action], rounds: int) -> list[list[float]]:
    """Seconds of every action in every round; a round before them warms up and does not count."""
    seconds: list[list[float]] = [[] for _ in actions]
    for number in range(-1, rounds):
        for action, taken in zip(actions, seconds, strict=True):
            elapsed = _time(action, number)
            if number >= 0:
                taken.append(elapsed)
    return seconds


def _time(action: Action, number: int) -> float:
    _forget()
    gc.collect()
    start = time.perf_counter()
    result = action(number)  # kept until the clock has stopped: freeing it is not measured
    elapsed = time.perf_counter() - start
    del result
    return elapsed


def _forget() -> None:
    """Empties every memo of the package, as in a process that has just begun."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "selector":
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()


def ratios(taken: Sequence[float], floor: Sequence[float]) -> list[float]:
    """Each round's time as a multiple of the floor of the same round."""
    return [one / least for one, least in zip(taken, floor, strict=True)]


def floor(root: Path) -> None:
    """What no reader of a folder can do without."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            os.stat(path)
            with open(path, "rb") as file:
                file.read(4096)


def select(root: Path, query: str) -> object:
    """What a new store selects for the query, without a model."""
    selection = MemoryStore(root).find_relevant(query)
    if Warn.SCAN_INCOMPLETE in selection.warnings:
        raise SystemExit("the deadline cut a selection short: its time says nothing")
    return selection


def measure_folder(root: Path, files: int, rounds: int) -> list[Row]:
    """Scan and selection in this process against the floor."""
    base, scanned, selected = interleave(
        (
            lambda _: floor(root),
            lambda _: scan(root),
            lambda number: select(root, QUERIES[number % len(QUERIES)]),
        ),
        rounds,
    )

    def row(name: str, taken: list[float], *targets: float) -> Row:
        cost = f"{statistics.median(taken) / files * 1e6:.0f} us/file"
        return Row(f"{name}, {files:,} files", ratios(taken, base), cost, *targets)

    return [
        row("walk, stat, read 4 KiB", base),
        row("scan", scanned, 2.5, 1.8),
        row("selection without a model", selected, 5.0),
    ]


def measure_processes(root: Path, files: int, rounds: int) -> list[Row]:
    """Import and command as processes against an interpreter that does nothing."""
    python = interpreter()
    command = [*python, *console_script()]

    def selecting(number: int) -> None:
        query = QUERIES[number % len(QUERIES)]
        run([*command, "select", query, "--root", str(root)])

    base, imported, helped, selected = interleave(
        (
            lambda _: run([*python, "-c", "pass"]),
            lambda _: run([*python, "-c", "from selector import MemoryStore"]),
            lambda _: run([*command, "--help"]),
            selecting,
        ),
        rounds,
    )

    def row(name: str, taken: list[float], *targets: float) -> Row:
        return Row(name, ratios(taken, base), f"{statistics.median(taken) * 1e3:.1f} ms", *targets)

    return [
        row("python -c pass", base),
        row("from selector import MemoryStore", imported, 5.0),
        row("memsel --help", helped),
        row(f"memsel select, {files:,} files", selected, 10.0),
    ]


def run(command: Sequence[str]) -> None:
    """Runs a process to its end; raises CalledProcessError when it fails."""
    # Without PYTHON* variables: PYTHONDONTWRITEBYTECODE would make each process compile anew.
    environment = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
    subprocess.run(command, env=environment, cwd=PROJECT, check=True, capture_output=True)


def interpreter() -> list[str]:
    """This interpreter: isolated when the package is installed, else started in the checkout."""
    isolated = [sys.executable, "-I"]
    probe = [*isolated, "-c", "import selector"]
    installed = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    return isolated if installed else [sys.executable]


def console_script() -> list[str]:
    """What the interpreter runs: the installed command of this environment, else the module."""
    script = Path(sys.executable).with_name("memsel")
    return [str(script)] if script.exists() else ["-m", "selector"]


def table(rows: Sequence[Row]) -> str:
    """The rows as plain text."""
    lines = [("", "median", "min..max", "target", "", "time")]
    for row in rows:
        target = "" if row.target is None else f"{row.target:g}"
        if row.stretch is not None:
            target += f" ({row.stretch:g})"
        spread = f"{min(row.ratios):.2f}..{max(row.ratios):.2f}"
        lines.append((row.name, f"{row.median:.2f}", spread, target, row.verdict, row.cost))
    return "\n".join(
        f"{name:<40}{ratio:>7}  {spread:>14}  {target:<10}{verdict:<6}{cost:>13}"
        for name, ratio, spread, target, verdict, cost in lines
    )


def as_json(row: Row) -> dict[str, Any]:
    """One row for another program."""
    return {
        "name": row.name,
        "ratio": round(row.median, 3),
        "min": round(min(row.ratios), 3),
        "max": round(max(row.ratios), 3),
        "target": row.target,
        "stretch": row.stretch,
        "verdict": row.verdict,
        "time": row.cost,
    }


def measure(files: Sequence[int], rounds: int) -> list[Row]:
    """All rows; the processes read the folder of the first size."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="memsel-bench-") as temporary:
        roots = [Path(temporary, f"{count}-files") for count in files]
        for root, count in zip(roots, files, strict=True):
            generate(root, count)
            rows += measure_folder(root, count, rounds)
        return rows + measure_processes(roots[0], files[0], 2 * rounds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description="Measures scan, selection and start-up."
    )
    parser.add_argument(
        "--rounds", type=_positive, default=ROUNDS, metavar="N", help="twice as many for processes"
    )
    parser.add_argument(
        "--files",
        type=_positive,
        nargs="+",
        default=FILES,
        metavar="N",
        help="sizes of the folders",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    rows = measure(options.files, options.rounds)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if options.json:
        figures = {"python": python, "files": list(options.files), "rounds": options.rounds}
        print(json.dumps(figures | {"rows": [as_json(row) for row in rows]}, indent=2))
    else:
        sizes = " and ".join(f"{count:,}" for count in options.files)
        print(
            f"{python} on {platform.system()}; folders of {sizes} files; {options.rounds} rounds, "
            f"{2 * options.rounds} of processes; ratios to the first line of each group, "
            "page cache warm"
        )
        print(table(rows))


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 1 on is needed")
    return number


if __name__ == "__main__":
    main()
