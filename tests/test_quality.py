"""How well the scorer chooses among the sample memories: floors that a change must not fall below.

The prompts were written for these memories, so the figures say nothing about others.
"""

from __future__ import annotations

from pathlib import Path

from selector.store import MemoryStore

# Prompt -> the memory that answers it.
DIRECT = {
    "How do I roll back a bad timetable import?": "oncall/import-rollback.md",
    "a broken import: how do we restore the previous edition": "oncall/import-rollback.md",
    "Pier boards are blank at Skerra, what do I restart?": "oncall/stale-boards.md",
    "which dashboard shows the feed age": "reference_dashboards.md",
    "Draw the route map with one colour for each operator": "feedback_route_map.md",
    "What do I write in the commit message for route 12?": "feedback_commit_messages.md",
    "Can I deploy while a storm cancellation is active?": "feedback_storm_cancellations.md",
    "write a parser test, should I use mocks or recorded files": "feedback_recorded_files.md",
    "An operator sends 25:40 as the time past midnight": "data/operator-oddities.md",
    "What happens to sailings on the night of the clock change?": "data/clock-change.md",
    "what does paper day mean in the glossary": "2026-02-17-harbour-words.md",
    "How are delay predictions calculated from the tide gauge?": "project_delay_prediction.md",
    "which flags does quayload have for a preview": "reference_quayload_usage.md",
    "does quayload --replace delete sailings of the editors": "feedback_quayload_replace.md",
    "Wen rufe ich nachts an, wenn der Fahrplandienst ausfällt?": "oncall/rufbereitschaft.md",
    "日本語版の時刻表示は24時間表記ですか": "feedback_times_ja.md",
    "停航短信通知的发送上限是多少": "reference_sms_zh.md",
    "Где лежат резервные копии базы расписаний?": "reference_backups_ru.md",
    "¿Qué islas cambian el horario los días de fiesta?": "data/festivos.md",
    "rédige les annonces vocales à quai pour l'île": "feedback_annonces_vocales.md",
    "Was möchte Maren aus der Fahrplanredaktion?": "user_maren.md",
    "explain it to Ruben, the backend developer": "user_ruben.md",
}  # fmt: skip
NONE = (
    "Write a regular expression that matches an IPv4 address",
    "Write a haiku about the sea",
    "What is the capital of Mongolia?",
    "explain the difference between a mutex and a semaphore in two sentences",
    "How do I center a div with CSS grid?",
    "convert this list comprehension to a generator",
    "What is the time complexity of heapsort?",
    "thanks, that was it",
    "ok, go on",
    "Translate 'good morning' into Welsh",
    "Warum ist der Himmel blau?",
    "给我讲一个笑话",
    "Сколько будет семью восемь?",
    "Quelle est la recette de la ratatouille ?",
    "fix the typo in the second paragraph",
)


def test_prompts_that_one_memory_answers(checkout: Path) -> None:
    store = MemoryStore(checkout / "memories")
    chosen = {query: [one.name for one in store.find_relevant(query)] for query in DIRECT}
    missed = {query: chosen[query] for query, name in DIRECT.items() if name not in chosen[query]}
    assert len(missed) <= 1, missed
    too_many = sum(len(names) for names in chosen.values()) - (len(DIRECT) - len(missed))
    assert too_many <= 2, chosen


def test_prompts_that_none_answers(checkout: Path) -> None:
    store = MemoryStore(checkout / "memories")
    chosen = {query: [one.name for one in store.find_relevant(query)] for query in NONE}
    assert sum(map(bool, chosen.values())) <= 1, chosen
