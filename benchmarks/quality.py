"""How well the store chooses without a model: precision, recall, and when it says nothing.

    python -m benchmarks.quality FOLDER QUESTIONS [--none OTHERS]

QUESTIONS has one JSON object a line: `query` (or `question`), `gold` (names of the memories to
choose; empty when none helps), and where they apply `category`, `acceptable` (neither right nor
wrong), `forbidden`, `recent_tools` and `already_surfaced`. OTHERS are about something else: the
right answer to each of them is nothing. Memories that expired before today are out.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selector.store import MemoryStore

Row = Mapping[str, Any]

LIMIT = 5
COLUMNS = ("n", "precision", "recall", "F1", "nothing", "forbidden")


def choose(store: MemoryStore, row: Row) -> list[str]:
    """The names that a store chooses for a query, without a model."""
    selection = store.find_relevant(
        str(row.get("query", row.get("question"))),
        recent_tools=tuple(row.get("recent_tools") or ()),
        already_surfaced=frozenset(row.get("already_surfaced") or ()),
        limit=LIMIT,
        timeout=None,
    )
    return [header.name for header in selection]


def count(row: Row, chosen: Sequence[str]) -> Counter[str]:
    """What one query adds to the figures."""
    gold, forbidden = set(row.get("gold") or ()), set(row.get("forbidden") or ())
    judged = [name for name in chosen if name not in (row.get("acceptable") or ())]
    return Counter(
        n=1,
        right=len(gold.intersection(judged)),
        chosen=len(judged),
        gold=len(gold),
        nothing=not chosen,
        forbidden=not forbidden.isdisjoint(chosen),
    )


def figures(counts: Counter[str]) -> list[str]:
    """The columns of one line: micro-averaged shares, and shares of the queries."""
    n, right = counts["n"], counts["right"]
    both = counts["chosen"] + counts["gold"]
    shares = (
        (right, counts["chosen"]),
        (right, counts["gold"]),
        (2 * right, both),
        (counts["nothing"], n),
        (counts["forbidden"], n),
    )
    return [str(n), *(f"{part / whole:.3f}" if whole else "-" for part, whole in shares)]


def measure(rows: Iterable[Row], store: MemoryStore) -> dict[str, Counter[str]]:
    """The counts of every category, and of all."""
    totals: dict[str, Counter[str]] = {}
    for row in rows:
        counts = count(row, choose(store, row))
        for category in (str(row.get("category") or "-"), "OVERALL"):
            totals.setdefault(category, Counter()).update(counts)
    return dict(sorted(totals.items(), key=lambda item: (item[0] == "OVERALL", item[0])))


def read_rows(path: Path) -> list[Row]:
    """One object a line; empty lines are left out."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def main() -> None:
    """Print a line for every category, and how many other questions were answered with nothing."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("memories", type=Path, metavar="FOLDER", help="the memories")
    parser.add_argument("queries", type=Path, metavar="QUESTIONS", help="JSON lines, as above")
    parser.add_argument(
        "--none", type=Path, metavar="OTHERS", help="JSON lines of questions on other topics"
    )
    parser.add_argument("--sample", type=int, default=300, help="how many of them (300)")
    args = parser.parse_args()
    for path in (args.memories, args.queries, args.none):
        if path is not None and not path.exists():
            parser.error(f"{path}: there is no such file or folder")
    store = MemoryStore(args.memories)
    print(f"{'category':14}" + "".join(f"{column:>11}" for column in COLUMNS))
    for category, counts in measure(read_rows(args.queries), store).items():
        print(f"{category:14}" + "".join(f"{figure:>11}" for figure in figures(counts)))
    if args.none:
        rows = read_rows(args.none)
        rows = random.Random(1).sample(rows, min(args.sample, len(rows)))
        silent = sum(not choose(store, row) for row in rows)
        print(f"nothing for {silent} of {len(rows)} other questions")


if __name__ == "__main__":
    main()
