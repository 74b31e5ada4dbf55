"""The heart: candidates and a query in, a selection out. Written once, without I/O.

question  = prepare(query, candidates, options)     pure: prompt, and the names that are valid
reply     = ask(question)                           the only I/O; any callable, sync or async
selection = conclude(question, reply)               pure; or raises AnswerError
selection = fall_back(candidates, options, error)   pure: the scores that the store has already
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selector.answer import KEY, read_answer
from selector.codes import Outcome, Reason
from selector.errors import AnswerError, ConfigurationError
from selector.fallback import as_model_error
from selector.manifest import MAX_BYTES, MAX_LINES, fit, manifest
from selector.names import shown_names
from selector.patterns import lazy
from selector.templates import render
from selector.text import clean, cut
from selector.types import Candidate, ModelFunction, ModelReply, Prompt, Selection, SelectOptions

QUERY_LIMIT = 8_000  # characters of a query that a model is shown: its beginning and its end
LIST_LIMIT = 40  # tools and files named in a prompt
NAME_LIMIT = 200  # characters of each
PASSAGE_LIMIT = 300  # characters of a passage

_BACKTICKS = lazy(r"`+")
# Line feeds and tabs stay, other controls and lone surrogates cannot be shown or sent.
_UNSHOWABLE = lazy("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def answer_schema() -> dict[str, Any]:
    """The JSON Schema of an answer; a new one each time, as a model function may change its own."""
    about = "File names copied from the list; empty when nothing clearly helps."
    names = {"type": "array", "items": {"type": "string"}, "description": about}
    return {
        "type": "object",
        "properties": {KEY: names},
        "required": [KEY],
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a model, and what is needed to understand its answer."""

    prompt: Prompt
    shown: tuple[Candidate, ...]  # in the manifest, newest first
    not_shown: int  # candidates that the manifest had no room for
    options: SelectOptions


class AIMemorySelector:
    """Lets a model choose from a manifest. `model` is any callable, sync or async.

    `roots` are the folders that a model may put before a name: paths, or `label -> path`. Raises
    ConfigurationError for a `model` that cannot be called.
    """

    def __init__(
        self,
        model: ModelFunction,
        *,
        roots: Mapping[str, str] | Iterable[str] = (),
        max_lines: int = MAX_LINES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        if not callable(model):
            raise ConfigurationError(
                f"model {model!r}: a callable is needed that takes a Prompt and returns text"
            )
        self.model = model
        self._roots = dict(roots) if isinstance(roots, Mapping) else tuple(roots)
        self._max_lines = max_lines
        self._max_bytes = max_bytes

    def below(self, roots: Mapping[str, str]) -> AIMemorySelector:
        """This one, or where it knows no roots one that knows these and is else the same."""
        if self._roots:
            return self
        return AIMemorySelector(
            self.model, roots=roots, max_lines=self._max_lines, max_bytes=self._max_bytes
        )

    def prepare(
        self,
        query: str,
        candidates: Sequence[Candidate],
        options: SelectOptions,
        *,
        timeout: float | None = None,
    ) -> Question:
        """The question for a model; `timeout` is the time left in seconds."""
        shown = fit(candidates, max_lines=self._max_lines, max_bytes=self._max_bytes)
        prompt = Prompt(
            system=render("select_system", limit=options.limit),
            context=render("select_context", manifest=manifest([one.header for one in shown])),
            question=_question(query, shown, options),
            schema=answer_schema(),
            timeout=timeout,
        )
        return Question(prompt, tuple(shown), len(candidates) - len(shown), options)

    def ask(self, question: Question) -> str | ModelReply | Awaitable[str | ModelReply]:
        """The model's reply. Whatever the model raises becomes ModelError, with its cause."""
        try:
            reply = self.model(question.prompt)
        except Exception as error:
            raise as_model_error(error) from error
        return _awaited(reply) if isinstance(reply, Awaitable) else reply

    def conclude(self, question: Question, reply: str | ModelReply) -> Selection:
        """The selection that a reply stands for, newest first; raises AnswerError."""
        usage = reply if isinstance(reply, ModelReply) else ModelReply(reply)
        if not isinstance(usage.text, str):
            raise AnswerError(
                f"the model returned {type(usage.text).__name__}, not text", Reason.INVALID_JSON
            )
        try:
            answer = read_answer(
                usage.text,
                [one.header.name for one in question.shown],
                roots=self._roots,
                surfaced=question.options.already_surfaced,
            )
        except AnswerError as error:
            error.usage = usage
            raise
        chosen = frozenset(answer.names)
        memories = [one.header for one in question.shown if one.header.name in chosen]
        return Selection(
            Outcome.SELECTED if memories else Outcome.NONE_RELEVANT,
            tuple(memories[: question.options.limit]),
            candidates=question.shown,
            not_shown=question.not_shown,
            rejected=answer.rejected,
            usage=usage,
        )

    def select(
        self, query: str, candidates: Sequence[Candidate], options: SelectOptions
    ) -> Selection | Awaitable[Selection]:
        """All three steps: the selection, or an awaitable of it when the model is asynchronous."""
        question = self.prepare(query, candidates, options, timeout=options.timeout)
        reply = self.ask(question)
        if isinstance(reply, Awaitable):
            return self._conclude_later(question, reply)
        return self.conclude(question, reply)

    async def _conclude_later(
        self, question: Question, reply: Awaitable[str | ModelReply]
    ) -> Selection:
        return self.conclude(question, await reply)


async def _awaited(reply: Awaitable[str | ModelReply]) -> str | ModelReply:
    try:
        return await reply
    except Exception as error:
        raise as_model_error(error) from error


def _question(query: str, shown: Sequence[Candidate], options: SelectOptions) -> str:
    names = shown_names(one.header.name for one in shown)
    passages = [
        f"- {names[one.header.name]}: {cut(clean(one.passage), PASSAGE_LIMIT)}"
        for one in shown
        if one.passage
    ]
    return render(
        "select_question",
        tools=_listed(options.recent_tools),
        files=_listed(options.files),
        passages=_section("\n".join(passages)),
        query=fenced(query),
    )


def _section(passages: str) -> str:
    return f"\n{render('select_passages', passages=passages)}\n" if passages else ""


def _listed(names: Sequence[str]) -> str:
    shown = [text for name in names[:LIST_LIMIT] if (text := cut(clean(name), NAME_LIMIT))]
    return ", ".join(shown) or "none"


def fenced(query: str) -> str:
    """`query` between fences that it cannot close; of a long one the beginning and the end."""
    text = _UNSHOWABLE.sub(" ", query.replace("\r\n", "\n"))
    if len(text) > QUERY_LIMIT:
        half = QUERY_LIMIT // 2
        text = f"{text[:half]}\n[...]\n{text[-half:]}"
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
