"""What a query asks: its words, which words of a memory answer them, and what each weighs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from selector.lexicon import spelled, weight
from selector.patterns import lazy
from selector.words import GRAM, grams, joined, plain, words

BACKGROUND = 100  # imagined memories without any of the words: idf for small folders
STEM = 6  # letters of a part of a compound: shorter ones are found in half of all words
LONG = 10  # letters of a word that may be a compound
MAX_TERMS = 256  # words of a query that count
MAX_NEAR = 16  # query words that one word is compared with: enough, and a bound on the work

_NUMBER = lazy(r"\d+")

Answers = tuple[tuple[int, float], ...]  # (position of a query word, how well 0 to 1), each once
Found = Mapping[int, float]  # the same of a whole text: position -> how well


class Question(dict[str, Answers]):
    """A word of a memory -> the words of the query that it answers.

    Looks every distinct word up once, however many memories have it. `terms` are the query's
    words without accents, at most `MAX_TERMS`; answers name them by their position.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        wholes = joined(text)
        own = dict.fromkeys(word for word in words(text) if word not in wholes)
        self.terms = list(dict.fromkeys(map(plain, own)))[:MAX_TERMS]
        self.update((term, ((i, 1.0),)) for i, term in enumerate(self.terms))
        for whole, parts in wholes.items():
            answers = {answer for part in map(plain, parts) for answer in self.get(part, ())}
            self.setdefault(plain(whole), tuple(sorted(answers)))
        self._near = self._by_gram()
        pairs = [i for i, term in enumerate(self.terms) if spelled(term)]
        self._chained = frozenset(pairs if len(pairs) > 1 else ())

    def answered(self, text: str) -> dict[int, float]:
        """The positions of the query's words that a text answers, each with how well."""
        found: dict[int, float] = {}
        for answers in filter(None, map(self.__getitem__, words(text))):
            for i, how in answers:
                if how > found.get(i, 0.0):
                    found[i] = how
        return self._chain(found) if self._chained else found

    def weigh(self, met: Sequence[Found]) -> list[float]:
        """The weight of each term, 0 to 1, given what all memories answer.

        The idf of Robertson & Sparck Jones (as in BM25) against that of a word of one memory,
        times what the language leaves of it. A word that no memory has counts as one of one.
        """
        seen = [1] * len(self.terms)
        for i, df in Counter(chain.from_iterable(met)).items():
            seen[i] = df
        rarest = _idf(1, len(met))
        return [self._weight(i) * _idf(df, len(met)) / rarest for i, df in enumerate(seen)]

    def __missing__(self, word: str) -> Answers:
        bare = plain(word)
        found = self[word] = self[bare] if bare != word else self._alike(word)
        return found

    def _alike(self, word: str) -> Answers:
        # A longer query word that holds this one has its first gram; only long words hold others.
        near: Collection[int] = self._near.get(word[:GRAM], ())
        if len(word) >= LONG:
            near = {i for gram in grams(word) for i in self._near.get(gram, ())}
        if not near:
            return ()
        pairs = [(i, likeness(self.terms[i], word)) for i in sorted(near)[:MAX_NEAR]]
        return tuple(pair for pair in pairs if pair[1])

    def _by_gram(self) -> dict[str, list[int]]:
        near: dict[str, list[int]] = {}
        for i, term in enumerate(self.terms):
            for gram in set(grams(term)):
                near.setdefault(gram, []).append(i)
        return near

    def _chain(self, found: dict[int, float]) -> dict[int, float]:
        # Of a word that is spelled out, one lone pair of characters is found by chance.
        lone = {i for i in found if i - 1 not in found and i + 1 not in found} & self._chained
        return {i: how for i, how in found.items() if i not in lone}

    def _weight(self, i: int) -> float:
        own = weight(self.terms[i])
        # All pairs of a short word together are one word.
        return max(own, 1 / len(self._chained)) if i in self._chained else own


def likeness(a: str, b: str) -> float:
    """How surely two longer words are forms or compounds of one word, 0 to 1.

    `step1` and `step2` are two things, `python` and `python3` one.
    """
    numbers, others = _NUMBER.findall(a), _NUMBER.findall(b)
    if numbers and others and numbers != others:
        return 0.0
    short, long = sorted((a, b), key=len)
    same = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    if same >= GRAM and same >= 0.75 * len(short) and same >= 0.5 * len(long):
        return 2 * same / (len(short) + len(long))
    stem = short[: max(STEM, len(short) - 2)]  # up to two letters of ending may differ
    return len(stem) / len(long) if len(stem) >= STEM and stem in long else 0.0


def _idf(df: int, n: int) -> float:
    n += BACKGROUND
    return math.log(1 + (n - df + 0.5) / (df + 0.5))
