"""Words of any script: the one tokenizer that scores, the index, slugs and twins share.

Text becomes NFKC and case-folded. Letters and digits make words, and `camelCase`, `snake_case`,
dotted versions and paths give their parts and, in `joined`, their whole. Scripts written without
spaces become overlapping pairs of characters. No word is too short to count; none is too long to
be cheap: every function here takes linear time, looks at `MAX_TEXT` characters, and never raises.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from operator import add

from selector.patterns import lazy

MAX_TEXT = 20_000  # characters looked at: a long stack trace, not a whole log
MAX_WORDS = 2_000  # words given back
MAX_WORD = 128  # characters: longer runs are keys or noise, and are cut into pieces
GRAM = 4  # characters: what serves most European languages (McNamee & Mayfield 2004)

# Scripts without spaces between words, or (Hangul) with particles glued to them. The gaps are
# punctuation: the katakana dot, Burmese and Khmer full stops.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u1049\u1050-\u109f\u1100-\u11ff\u1780-\u17d3\u17d7\u17dc-\u17ff"
    "\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs and accents that belong to a word although `\w` leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06ed\u0900-\u0963\u0981-\u0df3\u0f18-\u0fbc"
)
_JOINTS = r"[._/\\@:-]"  # what holds a version, a path, an address or a compound together

# Lower case and blanks in one pass over the bytes: five times as fast as a pattern.
_ASCII = bytes(ord(chr(i).lower()) if chr(i).isalnum() else 32 for i in range(128)) + bytes(128)
_COMPOUND = lazy(rf"(?<![^\W_])[^\W_]++(?:{_JOINTS}[^\W_]++)+")
_CAMEL = lazy(r"(?<![A-Za-z0-9])[A-Za-z0-9]++")
# What opens a part of a camelCase word. (One class of letters in front: it is searched for faster.)
_HUMP = lazy(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?<=[A-Z][A-Z])(?=[a-z]{2}))")
# Soft hyphen, zero-width, direction and tag characters, invisible operators, byte-order mark:
# none is printable.
_IGNORED = lazy(
    "[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]+"
)


_SHARP = lazy(r"#(?<=[^\W_]#)(?![^\W_])")  # C#
_WORD = lazy(rf"[\w{_MARKS}]{{1,{MAX_WORD}}}(?:\+\+|\#(?!\w))?")
_ACCENT = lazy("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655\u0670]")
_DENSE_RUN = lazy(rf"([{_DENSE}]+)")


def fold(text: str) -> str:
    """`text` as it is compared: NFKC, case-folded, without invisible joiners; accents stay."""
    if text.isascii():
        return text.lower()
    if not text.isprintable():
        text = _IGNORED.sub("", text)
    return unicodedata.normalize("NFKC", text).casefold()


def plain(word: str) -> str:
    """`word` without accents, Arabic and Hebrew points: what people type in a hurry."""
    if word.isascii():
        return word
    bare = _ACCENT.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare) or word


def words(text: str) -> list[str]:
    """The words of `text`: parts of compounds, pairs of characters in dense scripts, in order.

    Behind them those that are whole and split, `useCart` as `usecart`, as some people write it.
    """
    text = text[:MAX_TEXT]
    spaced = _open(text)
    found = _split(spaced)
    if spaced is not text:
        parts = set(found)
        found += [word for word in _split(text) if word not in parts]
    return found[:MAX_WORDS]


def joined(text: str) -> dict[str, tuple[str, ...]]:
    """The compounds of `text`, written as they are and without joints: whole -> its parts."""
    text = text[:MAX_TEXT]
    wholes: dict[str, tuple[str, ...]] = {}
    for whole in _compounds(text):
        parts = tuple(_split(_open(whole)))
        if len(whole) <= MAX_WORD and len(parts) > 1:
            wholes[fold(whole)] = parts
            wholes["".join(parts)] = parts
        if len(wholes) >= MAX_WORDS:
            break
    return wholes


def is_dense(word: str) -> bool:
    """Whether a word opens with a script that is written without spaces."""
    return word[:1] >= _DENSE[0] and _DENSE_RUN.match(word) is not None


def grams(word: str) -> Iterator[str]:
    """The overlapping pieces of `GRAM` characters of a longer word; nothing for a shorter one."""
    return (word[i : i + GRAM] for i in range(len(word) - GRAM + 1))


def _open(text: str) -> str:
    """`text` with a space before every hump of a camelCase word."""
    return _HUMP.sub(_spaced, text) if _HUMP.search(text) else text


def _spaced(match: re.Match[str]) -> str:
    return f" {match[0]}"


def _split(text: str) -> list[str]:
    if text.isascii() and "++" not in text and not ("#" in text and _SHARP.search(text)):
        found = text.encode().translate(_ASCII).decode().split()
        # every other word takes at least two characters, a letter and a blank
        room = len(text) - 2 * len(found) + 2
        if room <= MAX_WORD or max(map(len, found), default=0) <= MAX_WORD:
            return found
    found = []
    pieces = _DENSE_RUN.split(fold(text).replace("_", " "))  # every other one is dense
    for i, piece in enumerate(pieces):
        if i % 2 and len(piece) > 1:
            found += map(add, piece, piece[1:])
        elif piece:
            found += _WORD.findall(piece)
    return found


def _compounds(text: str) -> Iterator[str]:
    for match in _COMPOUND.finditer(text):
        yield match[0]
    if _HUMP.search(text):
        for match in _CAMEL.finditer(text):
            if _HUMP.search(match[0]):
                yield match[0]
