"""Which memories answer a query, by their headers alone: no model, no index, no state.

A header answers the words of the query that it has, or has in another form. With `asked` the
weight of all words of the query and `met` the weight of the answered ones, the evidence is

    met / sqrt(asked)

the geometric mean of the share that is answered (met / asked) and of how much that is (met). The
share alone drowns a long question, the amount alone finds something for every long question. To
it comes the share of the memory's own name that the query mentions. A word weighs at most 1: its
idf against that of a word in a single memory, times what is left of a word that everybody says.
Common words alone therefore stay under the threshold, and nothing is an answer too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from operator import attrgetter

from selector.drafts import draft_of
from selector.lexicon import explains, warns, weight
from selector.question import Found, Question
from selector.types import Candidate, MemoryHeader, Score, SelectOptions
from selector.words import fold, plain, words

THRESHOLD = 0.345  # just under half of a question of two rare words: 1 / sqrt(2) / FULL
CLOSE = 2 / 3  # share of the best score that a second memory needs to be shown beside it
FULL = 2.0  # evidence for a score of 1: every one of four rare words is answered
NAMED = 0.45  # evidence for a query that mentions every word of a memory's name
IN_USE = 1.0  # a warning's tool is in use: as if the query had one more of its words
ORDER = 0.1  # how far recency, importance and scope together may lift what is relevant
HALF_LIFE = 180.0  # days until a memory's recency is half of the newest one's
BATCH = 16  # headers between two looks at the stop signal: 5 ms at worst
SURE = 2048  # headers that are rated even when it is late: 20 ms, so that something is answered

PERSONAL = frozenset({"feedback", "user", "preference"})  # what somebody wants, not a manual

OPENING = 4  # words of a description that name its subject

_NOTHING = Score(0.0)

_CandidateDraft, _ScoreDraft = draft_of(Candidate), draft_of(Score)


class HeuristicScorer:
    """Scores headers by the share of the query that they answer; keeps nothing between calls."""

    threshold = THRESHOLD
    close = CLOSE

    def score(
        self, query: str, headers: Sequence[MemoryHeader], options: SelectOptions
    ) -> list[Score]:
        """One score in [0, 1] for each header; 0 for those behind a stop signal."""
        question = Question(str(query))
        if not question.terms:
            return [_NOTHING] * len(headers)
        met: list[Found] = []
        for batch in _batches(headers, options):
            met += (question.answered(_text(header)) for header in batch)
        yardstick = Yardstick(question, question.weigh(met), headers, options)
        scores: list[Score] = []
        for batch in _batches(headers[: len(met)], options, SURE):
            found = met[len(scores) : len(scores) + len(batch)]
            scores += map(yardstick.score, batch, found)
        return scores + [_NOTHING] * (len(headers) - len(scores))


def _batches(
    headers: Sequence[MemoryHeader], options: SelectOptions, sure: int = 0
) -> Iterator[Sequence[MemoryHeader]]:
    """The headers, some at a time, until the caller says stop; the first `sure` ones always."""
    for start in range(0, len(headers), BATCH):
        if start >= sure and options.cancel is not None and options.cancel.is_set():
            return
        yield headers[start : start + BATCH]


def as_candidates(
    headers: Sequence[MemoryHeader], scores: Sequence[Score]
) -> tuple[Candidate, ...]:
    """Each header with its score."""
    candidates = []
    for header, score in zip(headers, scores, strict=True):
        candidate = _CandidateDraft()
        candidate.header = header
        candidate.score = score
        candidate.passage = None
        candidate.__class__ = Candidate
        candidates.append(candidate)
    return tuple(candidates)


def choose(
    candidates: Iterable[Candidate],
    limit: int,
    threshold: float = THRESHOLD,
    close: float = CLOSE,
) -> list[Candidate]:
    """The relevant ones, best first, at most `limit`; of equal ones the newer comes first.

    None below `threshold`, none with 0, and none below the share `close` of the best score.
    """
    relevant = (one for one in candidates if 0 < one.score.value >= threshold)
    ranked = sorted(relevant, key=_rank)[: max(0, limit)]
    return [one for one in ranked if one.score.value >= close * ranked[0].score.value]


def _rank(candidate: Candidate) -> tuple[float, float, str]:
    header = candidate.header
    return -candidate.score.value, -header.modified.timestamp(), header.name


class Yardstick:
    """What all headers of one query are measured with."""

    def __init__(
        self,
        question: Question,
        weights: Sequence[float],
        headers: Sequence[MemoryHeader],
        options: SelectOptions,
    ) -> None:
        self._question = question
        self._weights = weights
        asked = sum(weights)
        self._size = math.sqrt(asked)
        self._in_use = IN_USE * min(1.0, asked)  # "go on" asks nothing of a tool
        self._tools = [tool for tool in map(tool_words, options.recent_tools) if tool]
        self._files = options.files
        now = datetime.now(UTC)  # what is dated later has age 0 and makes nothing else older
        self._newest = min(now, max(map(attrgetter("modified"), headers), default=now))

    def score(self, header: MemoryHeader, found: Found) -> Score:
        """The score of one header that answers `found`."""
        if not (found or self._tools):
            return _NOTHING
        tool = self._tool(header, found) if self._tools else 0.0
        if tool < 0:
            return Score(0.0, {"recent_tool": tool})
        met = 0.0
        for i, how in found.items():
            met += self._weights[i] * how
        if not met + tool:
            return _NOTHING
        parts = {"words": met / self._size / FULL}
        value = parts["words"]
        if tool:
            parts["recent_tool"] = tool / self._size / FULL
            value += parts["recent_tool"]
        if value > THRESHOLD - NAMED / FULL:  # else no title makes it relevant
            parts["title"] = self._named(header) * NAMED / FULL
            value = min(1.0, value + parts["title"])
            if value >= THRESHOLD:
                parts["order"] = (1 - value) * ORDER * self._precedence(header)
                value += parts["order"]
        score = _ScoreDraft()
        score.value = min(1.0, value)
        score.parts = parts
        score.__class__ = Score
        return score  # type: ignore[no-any-return]

    def _named(self, header: MemoryHeader) -> float:
        """The share of a memory's name that the query mentions, 0 to 1, by weight."""
        named = all_words = 0.0
        for word in dict.fromkeys(words(_name(header))):
            if word == header.type:
                continue
            if answers := self._question[word]:
                own = max(self._weights[i] for i, _ in answers)
                named += own * max(how for _, how in answers)
            else:
                own = weight(word)
            all_words += own
        return named / max(1.0, all_words)  # common words alone name nothing

    def _tool(self, header: MemoryHeader, found: Found) -> float:
        """Evidence from the tools in use: -1 for their usage, more than 0 for their traps."""
        text = fold(_text(header))
        evidence = 0.0
        for tool in self._tools:
            if not all(word in text for word in tool):
                continue
            if is_usage(header, tool):
                return -1.0
            if is_trap(header, tool) and not any(self._question.terms[i] in tool for i in found):
                evidence = self._in_use
        return evidence

    def _precedence(self, header: MemoryHeader) -> float:
        """Recency, importance and scope, 0 to 1; the newest memory has recency 1."""
        recency = math.exp2(-_days(header.modified, self._newest) / HALF_LIFE)
        scope = any(covers(glob, file) for glob in header.scope for file in self._files)
        return (recency + min(1.0, max(0.0, header.importance)) + scope) / 3


def tool_words(tool: str) -> tuple[str, ...]:
    """The words that name a tool: of `mcp__server__function` those of the server."""
    parts = tool.split("__")
    return tuple(words(parts[1] if len(parts) > 2 else tool))


def is_about(text: str, tool: Sequence[str]) -> bool:
    """Whether a text has the words of a tool.

    A tool that is called like an everyday word (Read, Write, Task) needs the word "tool" too.
    """
    about = set(words(text))
    everyday = all(weight(plain(word)) < 1 for word in tool)
    return about.issuperset(tool) and (not everyday or not about.isdisjoint(("tool", "tools")))


def is_usage(header: MemoryHeader, tool: Sequence[str]) -> bool:
    """Whether a memory says how a tool is called: in its name or first, and without a warning."""
    about = set(map(plain, words(_text(header))))
    if header.type in PERSONAL or warns(about):
        return False
    opening = " ".join((header.description or "").split()[:OPENING])
    subject = is_about(f"{_name(header)} {opening}", tool)
    return subject and (header.type == "reference" or explains(about))


def is_trap(header: MemoryHeader, tool: Sequence[str]) -> bool:
    """Whether a memory says where a tool bites."""
    text = _text(header)
    bites = header.type == "feedback" or warns(set(map(plain, words(text))))
    return bites and is_about(text, tool)


def covers(glob: str, file: str) -> bool:
    """Whether a glob of a scope covers a file, whatever folder the project is in.

    `*` also spans folders, and `**/` may stand for none: enough to order what is relevant.
    """
    glob = glob.removeprefix("./").replace("**/", "*").lstrip("/")
    file = "/" + file.replace("\\", "/").lstrip("/")
    return fnmatchcase(file, "*/" + glob)


def _days(modified: datetime, newest: datetime) -> float:
    return max(0.0, (newest - modified).total_seconds() / 86400)


def _name(header: MemoryHeader) -> str:
    return f"{header.name.rpartition('.')[0]} {header.title or ''}"


def _text(header: MemoryHeader) -> str:
    return f"{_name(header)} {header.description or ''}"
