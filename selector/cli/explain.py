"""How a selection came about: what a model was shown, what it answered, what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from selector.answer import read_answer
from selector.codes import Outcome, Severity
from selector.errors import AnswerError
from selector.manifest import fit
from selector.names import KnownNames
from selector.text import clean, cut
from selector.types import Candidate, ModelFunction, ModelReply, Prompt, Selection

OTHERS = 10  # candidates behind the chosen ones that a person is shown
ANSWER_LIMIT = 500  # characters of an answer that a person is shown

NOT_LISTED, TWICE, SURFACED, OVER = (
    "not in the list",
    "named twice",
    "already surfaced",
    "over the limit",
)


class Record:
    """A model that keeps what it was asked."""

    def __init__(self, model: ModelFunction) -> None:
        self.prompt: Prompt | None = None
        self._model = model

    def __call__(self, prompt: Prompt) -> str | ModelReply | Awaitable[str | ModelReply]:
        """What the model replies."""
        self.prompt = prompt
        return self._model(prompt)


class Explanation:
    """One selection explained, for a person and for a program.

    `spec` is the model as the person wrote it; `record` is None where no model was named.
    """

    def __init__(
        self,
        selection: Selection,
        roots: Mapping[str, str],
        surfaced: Collection[str],
        spec: str | None,
        record: Record | None,
    ) -> None:
        self._selection, self._roots, self._surfaced = selection, roots, surfaced
        self._spec, self._reply = spec, selection.usage
        self._prompt = record.prompt if record else None
        self._chosen = {header.name for header in selection}

    @property
    def _asked(self) -> bool:
        return self._prompt is not None

    @cached_property
    def _shown(self) -> dict[str, None]:
        """The names that the model was shown, newest first."""
        selection, found = self._selection, self._selection.candidates
        if not self._asked:
            return {}
        # Where the model answered these are the candidates; else they are chosen once more.
        shown = fit(found) if selection.outcome is Outcome.FELL_BACK else found
        return dict.fromkeys(one.header.name for one in shown)

    @cached_property
    def _ranked(self) -> list[Candidate]:
        found = self._selection.candidates
        return sorted(found, key=lambda one: (-one.score.value, one.header.name))

    @property
    def _not_shown(self) -> int:
        left = len(self._selection.candidates) - len(self._shown)
        return self._selection.not_shown + (left if self._asked else 0)

    def rejected(self) -> list[tuple[str, str]]:
        """What the model answered and was not taken: each name, and why."""
        known = KnownNames(tuple(self._shown), self._roots)
        surfaced = KnownNames(tuple(self._surfaced), self._roots)
        found = [
            (name, TWICE if known.find(name) else SURFACED if surfaced.find(name) else NOT_LISTED)
            for name in self._selection.rejected
        ]
        return found + [(name, OVER) for name in self._answered() if name not in self._chosen]

    def _answered(self) -> tuple[str, ...]:
        """The known names in an answer that counted."""
        reply = self._reply
        if reply is None or self._selection.outcome is Outcome.FELL_BACK:
            return ()
        try:
            names = tuple(self._shown)
            return read_answer(reply.text, names, roots=self._roots, surfaced=self._surfaced).names
        except AnswerError:
            return ()

    def lines(self) -> Iterator[str]:
        """For a person: the chosen candidates and some behind them, and a part of the answer."""
        yield from self._ending()
        yield from self._candidates()
        if self._reply is not None:
            yield f"the model answered: {self._answer()}"
        if rejected := self.rejected():
            yield "rejected:"
            yield from (f"   {name}: {why}" for name, why in rejected)
        for problem in self._selection.problems:
            if problem.severity is not Severity.INFO:
                yield f" ! {problem.name or 'root'}: {problem.code}"

    def _ending(self) -> Iterator[str]:
        selection = self._selection
        by_model = self._asked and selection.outcome is not Outcome.FELL_BACK
        who = self._spec if by_model else "the offline scorer"
        by = f", by {who}" if selection.candidates else ""
        yield f"{selection.outcome} in {selection.elapsed * 1000:.0f} ms{by}"
        if selection.reason:
            yield f"reason: {': '.join(filter(None, (selection.reason, selection.detail)))}"
        if self._spec:
            told = f"{len(self._shown)} candidates in the prompt, {self._not_shown} left out"
            yield f"model: {self._spec}, {told if self._asked else 'not asked'}"
        if self._reply is not None:
            yield f"tokens: {_tokens(self._reply)}"

    def _candidates(self) -> Iterator[str]:
        yield f"{len(self._selection.candidates)} candidates:"
        others = OTHERS
        for one in self._ranked:
            name, chosen = one.header.name, one.header.name in self._chosen
            others -= not chosen
            if others < 0 and not chosen:
                continue
            parts = ", ".join(f"{part} {value:.2f}" for part, value in one.score.parts.items())
            mark = "  not shown" if self._asked and name not in self._shown else ""
            star = "*" if chosen else " "
            yield f" {star} {one.score.value:.2f}  {name}  ({parts or 'nothing'}){mark}"

    def _answer(self) -> str:
        text = self._reply.text if self._reply else ""
        line = clean(str(text)[: 4 * ANSWER_LIMIT])
        short = cut(line, ANSWER_LIMIT)
        return f"{short} …" if len(str(text)) > 4 * ANSWER_LIMIT or short != line else short

    def data(self) -> dict[str, Any]:
        """For a program: everything in full."""
        prompt, reply = self._prompt, self._reply
        return {
            "model": self._spec,
            "candidates": [
                {
                    "name": one.header.name,
                    "score": round(one.score.value, 4),
                    "parts": {name: round(value, 4) for name, value in one.score.parts.items()},
                }
                for one in self._ranked
            ],
            "shown": list(self._shown),
            "not_shown": self._not_shown,
            "prompt": prompt
            and {"system": prompt.system, "context": prompt.context, "question": prompt.question},
            "answer": reply and reply.text,
            "rejected": [{"name": name, "why": why} for name, why in self.rejected()],
            "usage": reply
            and {
                "input_tokens": reply.input_tokens,
                "cached_tokens": reply.cached_tokens,
                "output_tokens": reply.output_tokens,
            },
            "problems": [
                {"name": one.name, "code": str(one.code), "severity": str(one.severity)}
                for one in self._selection.problems
            ],
        }


def _tokens(reply: ModelReply) -> str:
    counts = (
        (reply.input_tokens, "input"),
        (reply.cached_tokens, "of them cached"),
        (reply.output_tokens, "output"),
    )
    told = [f"{count:,} {what}" for count, what in counts if count is not None]
    return ", ".join(told) or "unknown"
