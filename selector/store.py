"""`MemoryStore`: owns the roots, the scorer and the selector, and what happens when they fail."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Unpack

from selector.clock import Clock, Overtime, Stopped
from selector.codes import Code, Outcome, Reason, Warn
from selector.errors import AnswerError, ConfigurationError, ModelError, ReadError
from selector.fallback import by_score, fall_back, one_line
from selector.flow import Ask, Flow, Work, arun, run
from selector.foreign import Rated, chosen_by, rated_by
from selector.roots import Root, root_paths
from selector.scan import Scan, scan
from selector.scoring import HeuristicScorer, as_candidates
from selector.types import (
    CONTEXT_BYTES,
    Memory,
    MemoryHeader,
    MemorySelector,
    ModelFunction,
    RelevanceScorer,
    Score,
    SearchIndex,
    Selection,
    SelectKeywords,
    SelectOptions,
)
from selector.validity import is_valid

if TYPE_CHECKING:
    from selector.selection import AIMemorySelector


class MemoryStore:
    """Memories in one folder, or in several with labels, and the choice among them.

    `model` is any callable that answers a `Prompt`, or a name that `selector.models.load` knows
    ("anthropic:MODEL"); with none the scorer answers. `selector` replaces the whole way to choose,
    `model` included, and `scorer` the ranking. `index` and `read_only` are not used yet: nothing
    here searches or writes. Raises ConfigurationError for what cannot work; a folder that does not
    exist is no error, it may come later.
    """

    def __init__(
        self,
        root: Root | Mapping[str, Root],
        *,
        model: ModelFunction | str | None = None,
        selector: MemorySelector | None = None,
        scorer: RelevanceScorer | None = None,
        index: SearchIndex | None = None,
        read_only: bool = False,
    ) -> None:
        self.roots = root_paths(root)
        self.index = index
        self.read_only = read_only
        self._own_scorer = HeuristicScorer()
        self._scorer = self._own_scorer if scorer is None else scorer
        self._asker = _asker(model, selector, self.roots)
        self._selector = self._asker if selector is None else selector
        for name, part, method in (("selector", selector, "select"), ("scorer", scorer, "score")):
            if part is not None and not callable(getattr(part, method, None)):
                raise ConfigurationError(f"{name} {part!r} has no method {method}()")
        self._listed: dict[str, MemoryHeader] = {}

    def scan(self, *, indexes: bool = False, instructions: bool = False) -> Scan:
        """All headers, newest first, and all problems. See `selector.scan.scan`."""
        return self._scan(Clock(), indexes=indexes, instructions=instructions)

    def read(self, name: str) -> Memory:
        """The whole memory `name`: header, metadata and body. Raises ReadError."""
        header = self._listed.get(name)
        if header is None:
            found = self.scan(indexes=True, instructions=True)
            header = next((one for one in found.headers if one.name == name), None)
        if header is None:
            why = "".join(
                f"; root {self.roots[label]!r} cannot be read: {code}"
                for label, code in found.failed.items()
            )
            raise ReadError(
                f"no memory is called {name!r}; names are as scan() lists them{why}",
                Code.NOT_LISTED,
            )
        from selector.reading import read_memory  # hashes and YAML: not for every selection

        return read_memory(self._root_of(header), header)

    def find_relevant(self, query: str, **options: Unpack[SelectKeywords]) -> Selection:
        """The few memories that help with `query`, and why these.

        `options` are the fields of `SelectOptions`. Raises TypeError or ValueError for an option
        that cannot be meant, ConfigurationError for an installation whose prompts cannot be read;
        what fails at run time is named in the result.
        """
        chosen = SelectOptions(**options)
        clock = Clock(chosen.timeout, chosen.cancel)
        return _made(run(self._select(str(query), chosen, clock), clock), clock)

    async def afind_relevant(self, query: str, **options: Unpack[SelectKeywords]) -> Selection:
        """The asynchronous twin of `find_relevant`. A cancelled task stays cancelled."""
        chosen = SelectOptions(**options)
        clock = Clock(chosen.timeout, chosen.cancel)
        return _made(await arun(self._select(str(query), chosen, clock), clock), clock)

    def context(
        self, selection: Selection | Iterable[MemoryHeader], max_bytes: int = CONTEXT_BYTES
    ) -> str:
        """The chosen memories as one block for a prompt, of at most `max_bytes` bytes of UTF-8.

        The bodies are read now; ages count up to when the choice was made. A memory that cannot be
        read is named in the last line. "" when there is nothing to show. Raises TypeError or
        ValueError for arguments that cannot be meant, ConfigurationError like `find_relevant`.
        """
        from selector.context import context_block, headers_of  # not for a selection alone
        from selector.reading import read_each

        now = selection.made_at if isinstance(selection, Selection) else None
        memories, missing = read_each(self.roots, headers_of(selection))
        return context_block(
            memories, now=now or datetime.now(UTC), max_bytes=max_bytes, missing=missing
        )

    async def acontext(
        self, selection: Selection | Iterable[MemoryHeader], max_bytes: int = CONTEXT_BYTES
    ) -> str:
        """The asynchronous twin of `context`: the files are read off the event loop."""
        from selector.calls import awork

        text: str = await awork(lambda _: self.context(selection, max_bytes), Clock())
        return text

    def _select(self, query: str, options: SelectOptions, clock: Clock) -> Flow[Selection]:
        """The whole flow, one step after the other; a stop at any of them ends it quietly."""
        try:
            _check(clock)
            found: Scan = yield Work(self._scan)
            _check(clock)
            selection = _nothing_to_read(found, len(self.roots))
            if found.headers:
                selection = yield from self._among(found.headers, query, options, clock)
            _check(clock)
        except Stopped:
            return Selection(Outcome.CANCELLED)
        selection = _late(selection) if found.incomplete else selection
        return replace(selection, problems=tuple(found.problems))

    def _among(
        self, headers: Sequence[MemoryHeader], query: str, options: SelectOptions, clock: Clock
    ) -> Flow[Selection]:
        """The selection among all headers: some filtered out, the rest rated and chosen from."""
        valid: Sequence[MemoryHeader]
        valid = yield Work(lambda clock: self._valid(headers, options, clock))
        _check(clock)
        if not valid or not query.strip():
            return Selection(Outcome.NONE_RELEVANT)
        rated = yield from self._rated(query, valid, options)
        _check(clock)
        selection = yield from self._choose(query, rated, options)
        if rated.failure is None:
            return selection
        detail = selection.detail or f"the scorer failed: {rated.failure}"
        return replace(selection, warnings=(Warn.SCORER_FAILED,), detail=detail)

    def _rated(
        self, query: str, valid: Sequence[MemoryHeader], options: SelectOptions
    ) -> Flow[Rated]:
        """The valid memories with the scores of the user's scorer; with ours when that fails."""
        failure = None
        if self._scorer is not self._own_scorer:
            try:
                scores = yield Ask(self._scorer.score, (query, valid, options))
                return rated_by(self._scorer, valid, scores)
            except (ModelError, AnswerError) as error:
                failure = one_line(error)
        scores, late = yield Work(lambda clock: self._own_scores(query, valid, options, clock))
        own = self._own_scorer
        return Rated(as_candidates(valid, scores), own.threshold, own.close, failure, late)

    def _own_scores(
        self, query: str, valid: Sequence[MemoryHeader], options: SelectOptions, clock: Clock
    ) -> tuple[list[Score], bool]:
        """Our scores; and True when the time was not enough for more than the newest memories."""
        signal = Overtime(clock)
        scores = self._own_scorer.score(query, valid, replace(options, cancel=signal))
        return scores, signal.is_set()

    def _choose(self, query: str, rated: Rated, options: SelectOptions) -> Flow[Selection]:
        """What the selector chooses; the best scores where there is none, or it fails."""
        candidates, selector = rated.candidates, self._selector
        bar = {"threshold": rated.threshold, "close": rated.close}
        if rated.late:
            error = ModelError("no time was left for all memories", Reason.TIMEOUT)
            return fall_back(candidates, options, error, **bar)
        if selector is None or not options.model:
            memories = by_score(candidates, options, **bar)
            outcome = Outcome.SELECTED if memories else Outcome.NONE_RELEVANT
            return Selection(outcome, memories, candidates=candidates)
        try:
            if asker := self._asker:
                question = yield Work(
                    lambda clock: asker.prepare(
                        query, candidates, options, timeout=clock.remaining()
                    )
                )
                reply = yield Ask(asker.model, (question.prompt,))
                return asker.conclude(question, reply)
            selection = yield Ask(selector.select, (query, candidates, options))
            return chosen_by(selection, candidates, options)
        except (ModelError, AnswerError) as error:
            return fall_back(candidates, options, error, **bar)

    def _scan(self, clock: Clock, *, indexes: bool = False, instructions: bool = False) -> Scan:
        roots = self.roots.get("") or self.roots
        found = scan(roots, indexes=indexes, instructions=instructions, stop=clock.is_over)
        if not found.incomplete:
            self._listed = {header.name: header for header in found.headers}
        return found

    def _valid(
        self, headers: Sequence[MemoryHeader], options: SelectOptions, clock: Clock
    ) -> tuple[MemoryHeader, ...]:
        """The headers that still count, are of a wanted type, and are new to the conversation."""
        names = {header.name for header in headers}
        today = datetime.now(UTC).date()
        return tuple(
            header
            for header in headers
            if is_valid(header, names, today, labelled="" not in self.roots)
            and (not options.types or header.type in options.types)
            and not self._is_surfaced(header, options.already_surfaced, clock)
        )

    def _is_surfaced(
        self,
        header: MemoryHeader,
        surfaced: Collection[str] | Mapping[str, str | None],
        clock: Clock,
    ) -> bool:
        """True when the conversation has the memory; one that has changed since counts as new."""
        if header.name not in surfaced:
            return False
        known = surfaced[header.name] if isinstance(surfaced, Mapping) else None
        if not known or clock.is_over():  # no time left to look whether it has changed
            return True
        from selector.reading import content_hash

        return content_hash(self._root_of(header), header) in (known.lower(), None)

    def _root_of(self, header: MemoryHeader) -> str:
        return self.roots.get("") or self.roots[header.name.partition("/")[0]]


def _asker(
    model: ModelFunction | str | None,
    selector: MemorySelector | None,
    roots: Mapping[str, str],
) -> AIMemorySelector | None:
    """Our own selector, whose steps the flow takes one by one; None where there is another."""
    if selector is None and model is None:
        return None
    from selector.selection import AIMemorySelector  # a third of the start-up: only with a model

    if selector is not None:
        # A subclass may choose in its own way.
        return selector.below(roots) if type(selector) is AIMemorySelector else None
    if isinstance(model, str):
        from selector.models import load

        model = load(model)
    return AIMemorySelector(model, roots=roots) if model is not None else None


def _made(selection: Selection, clock: Clock) -> Selection:
    return replace(selection, elapsed=clock.elapsed(), made_at=datetime.now(UTC))


def _check(clock: Clock) -> None:
    if clock.is_set():
        raise Stopped


def _nothing_to_read(found: Scan, roots: int) -> Selection:
    if found.failed and len(found.failed) == roots:
        return Selection(Outcome.UNAVAILABLE, reason=Code(found.status))
    return Selection(Outcome.NO_MEMORIES)


def _late(selection: Selection) -> Selection:
    """A selection among the part of the memories that could be read in time."""
    return replace(
        selection,
        outcome=Outcome.FELL_BACK,
        reason=selection.reason or Reason.TIMEOUT,
        warnings=(*selection.warnings, Warn.SCAN_INCOMPLETE),
    )
