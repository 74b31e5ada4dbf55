"""The scorer: what it finds, what it leaves alone, and what only reorders."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from selector.lexicon import weight
from selector.question import MAX_NEAR, Question, likeness
from selector.scoring import BATCH, HeuristicScorer, choose, covers, tool_words
from selector.types import Candidate, MemoryHeader, Score, SelectOptions

QUERIES = Path(__file__).parent / "data" / "queries.jsonl"
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def memory(name: str, description: str | None = None, **fields: Any) -> MemoryHeader:
    return MemoryHeader(
        name=name,
        path=f"/notes/{name}",
        modified=fields.pop("modified", NEW_YEAR),
        description=description,
        **fields,
    )


def scores(query: str, headers: Sequence[MemoryHeader], **options: Any) -> dict[str, Score]:
    found = HeuristicScorer().score(query, headers, SelectOptions(**options))
    return {header.name: score for header, score in zip(headers, found, strict=True)}


def chosen(query: str, headers: Sequence[MemoryHeader], **options: Any) -> list[str]:
    found = HeuristicScorer().score(query, headers, SelectOptions(**options))
    best = choose(map(Candidate, headers, found), 5)
    return [candidate.header.name for candidate in best]


def rows() -> tuple[dict[str, str], list[dict[str, Any]]]:
    first, *others = map(json.loads, QUERIES.read_text("utf-8").splitlines())
    return first["docs"], others


def query_of(row: dict[str, Any]) -> str:
    if "raw_parts" in row:
        before, unit, times, after = row["raw_parts"]
        return f"{before}{unit * times}{after}"
    if "raw_parts_fn" in row:
        return " ".join(f"t{i}" for i in range(10_000))
    return row["query"]  # type: ignore[no-any-return]  # some rows hold no text, on purpose


@pytest.mark.parametrize("row", rows()[1], ids=lambda row: row["id"])
def test_rows(row: dict[str, Any]) -> None:
    headers = [memory(f"{name}.md", text) for name, text in rows()[0].items()]
    found = chosen(query_of(row), headers)
    assert {f"{name}.md" for name in row["must_hit"]} <= set(found)


SMALL = [
    memory("cluster_backup.md", "Backups of the cluster run at night, never restore by hand"),
    memory("user_langs.md", "Prefers Rust; new to Haskell"),
    memory("feedback_reviews.md", "Small pull requests, one topic each"),
    memory("lieferung.md", "Lieferscheine werden vor der Rechnung gedruckt"),
    memory("отчёты.md", "Отчёты для бухгалтерии готовим по пятницам"),
    memory("数据库.md", "数据库迁移前必须备份"),
    memory("ประชุม.md", "ประชุมทีมทุกวันจันทร์ตอนเช้า"),
]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("when do the cluster backups run?", "cluster_backup.md"),
        ("ClusterBackup restoring", "cluster_backup.md"),
        ("is Haskell new to me?", "user_langs.md"),
        ("how big should a pull request be", "feedback_reviews.md"),
        ("Wann wird der Lieferschein gedruckt?", "lieferung.md"),  # another ending
        ("Rechnungsdruck der Lieferscheine", "lieferung.md"),  # a compound
        ("когда готовить отчет бухгалтерии", "отчёты.md"),  # ё typed as е
        ("数据库怎么备份？", "数据库.md"),
        ("ประชุมทีม", "ประชุม.md"),
    ],
)
def test_finds(query: str, name: str) -> None:
    assert chosen(query, SMALL)[:1] == [name]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "thanks, that was it",
        "hello",
        "Hallo!",
        "continue",
        "how do I do this, and what would you use?",
        "what is the boiling point of water at night",
        "who won the chess world championship in 1972",
        "warum ist der Himmel vor der Nacht blau",
        "почему небо голубое",
        "什么是黑洞",
        "¿por qué el cielo es azul?",
    ],
)
def test_nothing_helps(query: str) -> None:
    assert chosen(query, SMALL) == []


@pytest.mark.parametrize("others", [0, 1, 40])
def test_small_folders_have_sensible_weights(others: int) -> None:
    note = memory("note.md", "Deploy the billing service")
    headers = [note, *(memory(f"n{i}.md", f"Something else {i}") for i in range(others))]
    assert chosen("billing deploy", headers) == ["note.md"]
    assert chosen("the weather in Lisbon", headers) == []
    assert chosen("billing deploy", []) == []


def test_a_word_of_every_memory_finds_none() -> None:
    headers = [memory(f"{i}.md", f"zebra topic{i}") for i in range(400)]
    found = scores("zebra topic7", headers)
    assert found["7.md"].value > HeuristicScorer.threshold > found["8.md"].value


def test_a_long_question_still_finds_what_it_names() -> None:
    trace = "\n".join(f"  File module{i}.py, line {i}, in handler{i}" for i in range(15))
    query = f"the cluster backup fails, restore?\n{trace}"
    assert chosen(query, SMALL)[:1] == ["cluster_backup.md"]


def test_order_of_headers_does_not_matter() -> None:
    shuffled = random.Random(3).sample(SMALL, len(SMALL))
    assert scores("cluster backup plan", SMALL) == scores("cluster backup plan", shuffled)


def test_scores_are_shares_and_say_what_they_are_made_of() -> None:
    for query in ("cluster backups of the cluster", "cluster backup restore night hand run"):
        for score in scores(query, SMALL).values():
            assert 0 <= score.value <= 1
            assert score.value == pytest.approx(min(1.0, sum(score.parts.values())), abs=0.05)
    parts = scores("when do the cluster backups run", SMALL)["cluster_backup.md"].parts
    assert min(parts["words"], parts["title"]) > 0


WATER = "Watering plan of the greenhouse"


@pytest.mark.parametrize(
    ("better", "worse", "options"),
    [
        ({"modified": NEW_YEAR}, {"modified": NEW_YEAR - timedelta(days=400)}, {}),
        ({"importance": 0.9}, {"importance": 0.1}, {}),
        ({"scope": ("src/**/*.ts",)}, {"scope": ("*.sql",)}, {"files": ("src/a/b.ts",)}),
    ],
    ids=["recency", "importance", "scope"],
)
def test_other_signals_reorder_what_is_relevant_only(
    better: dict[str, Any], worse: dict[str, Any], options: dict[str, Any]
) -> None:
    headers = [memory("n1.md", WATER, **worse), memory("n2.md", WATER, **better)]
    assert chosen("greenhouse watering", headers, **options) == ["n2.md", "n1.md"]
    unrelated = scores("trains to Lisbon", headers, **options)
    assert [score.value for score in unrelated.values()] == [0.0, 0.0]
    weak = scores("the sea, the sun, a ship, a plan, a storm", headers, **options)
    assert 0 < weak["n1.md"].value < HeuristicScorer.threshold
    assert weak["n1.md"] == weak["n2.md"]


TOOL = [
    memory("reference_quarry_cli.md", "quarry CLI: commands and arguments", type="reference"),
    memory("quarry-cheatsheet.md", "Cheat sheet for quarry", type="project"),
    memory("quarry_trap.md", "Warning: quarry rerun drops the stage", type="feedback"),
    memory("reference_quarry_trap.md", "Gotcha: quarry commands rerun all", type="reference"),
]


def test_usage_of_a_tool_in_use_is_left_out() -> None:
    idle = chosen("quarry commands", TOOL)
    assert "reference_quarry_cli.md" in idle
    for tools in (("quarry",), ("Bash", "quarry"), ("mcp__quarry__list_runs",)):
        found = scores("quarry commands cheat sheet", TOOL, recent_tools=tools)
        assert found["reference_quarry_cli.md"].value == 0
        assert found["quarry-cheatsheet.md"].value == 0
        assert found["reference_quarry_trap.md"].value > HeuristicScorer.threshold


@pytest.mark.parametrize("query", ["rerun 40122", "retry that failed job"])
def test_a_tool_in_use_speaks_for_its_warning(query: str) -> None:
    before = scores(query, TOOL)["quarry_trap.md"].value
    assert scores(query, TOOL, recent_tools=("quarry",))["quarry_trap.md"].value > before
    assert scores(query, TOOL, recent_tools=("anvil",))["quarry_trap.md"].value == before
    assert "quarry_trap.md" in chosen("rerun 40122", TOOL, recent_tools=("quarry",))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "ok, go on",
        "thanks, that was it",
        "hello",
        "Hallo!",
        "explain the difference between a mutex and a semaphore in two sentences",
    ],
)
def test_a_tool_in_use_alone_is_no_reason(query: str) -> None:
    assert chosen(query, TOOL, recent_tools=("quarry",)) == []


@pytest.mark.parametrize("tool", ["Read", "Write", "Edit", "Bash"])
def test_tools_called_like_everyday_words_hide_nothing_else(tool: str) -> None:
    note = memory(
        "reference_release.md",
        "Release steps: edit the changelog, write a note, read the output of bash commands",
        type="reference",
    )
    assert chosen("release steps", [note], recent_tools=(tool,)) == ["reference_release.md"]


def test_choose_cuts() -> None:
    least = HeuristicScorer.threshold
    values = {"c": 0.9, "b": 0.9, "a": 0.65, "far": 0.9 * 0.5, "under": least - 0.001}
    candidates = [Candidate(memory(name), Score(value)) for name, value in values.items()]
    assert [one.header.name for one in choose(candidates, 5)] == ["b", "c", "a"]
    assert [one.header.name for one in choose(candidates, 1)] == ["b"]
    assert [one.header.name for one in choose(candidates[3:4], 5)] == ["far"]
    assert choose(candidates[4:], 5) == []
    assert choose([], 5) == choose(candidates, 0) == []
    assert choose([Candidate(memory("nought"), Score(0.0))], 5, threshold=0.0) == []
    assert [one.header.name for one in choose(candidates[4:], 5, threshold=0.1)] == ["under"]


def test_of_equal_ones_the_newer_comes_first() -> None:
    times = {"a": NEW_YEAR, "b": NEW_YEAR + timedelta(days=1)}
    candidates = [Candidate(memory(n, modified=t), Score(0.8)) for n, t in times.items()]
    assert [one.header.name for one in choose(candidates, 2)] == ["b", "a"]
    assert choose(candidates, 2) == choose(reversed(candidates), 2)


class StopAfter:
    """A stop signal that is set once it was asked `times` times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_stop_signal_ends_the_scoring_early() -> None:
    headers = [memory(f"{i:04}.md", "greenhouse") for i in range(3 * BATCH)]
    found = HeuristicScorer().score("greenhouse", headers, SelectOptions(cancel=StopAfter(1)))
    assert len(found) == len(headers)
    assert all(score.value for score in found[:BATCH])
    assert not any(score.value for score in found[BATCH:])


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("релиз", "релиза", True),
        ("rechnung", "rechnungssumme", True),
        ("änderung", "schemaänderungen", True),
        ("retry", "retries", True),
        ("deploy", "deployment", True),
        ("card", "cart", False),
        ("contact", "contract", False),
        ("commit", "comment", False),
        ("port", "support", False),
        ("test", "latest", False),
        ("step1", "step2", False),
        ("python", "python3", True),
    ],
)
def test_likeness(a: str, b: str, alike: bool) -> None:
    assert bool(likeness(a, b)) is alike
    assert likeness(a, b) == likeness(b, a) < 1


def test_a_lone_pair_of_a_spelled_script_is_chance() -> None:
    question = Question("ประชุมทีม")
    assert question.answered("ประ") != {}
    assert question.answered("ปร กุม") == {}


def test_a_name_of_common_words_names_nothing() -> None:
    parts = scores("how do I sail to the sea", [memory("how-to.md", "A trip to the sea")])
    assert parts["how-to.md"].parts["title"] < 0.1


def test_a_whole_answers_its_parts_and_the_other_way_round() -> None:
    for asked, told in (("foo_bar", "foobar"), ("PgBouncer", "pgbouncer"), ("foobar", "FooBar")):
        question = Question(asked)
        assert len(question.answered(told)) == len(question.terms), (asked, told)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("the", "deploy"),
        ("fur", "rechnung"),
        ("для", "отчет"),
        ("file", "greenhouse"),
        ("4471", "sku"),
        ("files", "sails"),
        ("什么", "回滚"),
        ("して", "成語"),
    ],
)
def test_weights(less: str, more: str) -> None:
    assert 0 < weight(less) < weight(more) <= 1


@pytest.mark.parametrize(
    ("glob", "file", "expected"),
    [
        ("**/*.ts", "a.ts", True),
        ("**/*.ts", "/home/me/app/src/a.ts", True),
        ("src/**/*.py", "src/a.py", True),
        ("./src/*.py", "src\\a.py", True),
        ("src/*.py", "lib/a.py", False),
        ("*.ts", "a.tsx", False),
        ("[", "a", False),
        ("", "a", False),
    ],
)
def test_covers(glob: str, file: str, expected: bool) -> None:
    assert covers(glob, file) is expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("quarry", ("quarry",)),
        ("mcp__quarry__list_runs", ("quarry",)),
        ("mcp__git-lab__get", ("git", "lab")),
        ("", ()),
        ("__", ()),
    ],
)
def test_tool_words(tool: str, expected: tuple[str, ...]) -> None:
    assert tool_words(tool) == expected


def test_many_long_words_that_look_alike_are_compared_with_few() -> None:
    words = [f"internationali{number:04}zations" for number in range(200)]
    question = Question(" ".join(words))
    compared = [question[f"internationali{number:04}sation"] for number in range(300, 330)]
    assert max(map(len, compared)) <= MAX_NEAR


def test_a_note_from_the_future_makes_no_other_older() -> None:
    now = memory("now.md", "kettle", modified=datetime.now(UTC))
    late = memory("late.md", "kettle", modified=datetime(2990, 1, 1, tzinfo=UTC))
    frost = memory("a.md", "greenhouse frost")
    alone = HeuristicScorer().score("greenhouse frost", [frost, now], SelectOptions())
    beside = HeuristicScorer().score("greenhouse frost", [frost, late], SelectOptions())
    orders = [scores[0].parts["order"] for scores in (alone, beside)]
    assert orders[1] == pytest.approx(orders[0], rel=0.2)
