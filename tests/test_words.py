"""The tokenizer: every script, every spelling, nothing that hangs or raises."""

from __future__ import annotations

import pytest

from selector.words import GRAM, MAX_TEXT, MAX_WORD, MAX_WORDS, fold, grams, joined, plain, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n", []),
        ("Deploy THE billing-service", ["deploy", "the", "billing", "service"]),
        ("go 工作 a", ["go", "工作", "a"]),  # nothing is too short
        ("C++, C# and C", ["c++", "c#", "and", "c"]),
        ("C++ code", ["c++", "code"]),
        ("C# code; #52", ["c#", "code", "52"]),
        ("problem+json", ["problem", "json"]),
        ("#tag a#b C#7", ["tag", "a", "b", "c", "7"]),
        ("foo_bar 38.101", ["foo", "bar", "38", "101"]),
        ("src/app/main.py", ["src", "app", "main", "py"]),
        ("@nasa x@jpl.nasa.gov", ["nasa", "x", "jpl", "nasa", "gov"]),
        ("don't l'été", ["don", "t", "l", "été"]),
        ("useCart", ["use", "cart", "usecart"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("URLs", ["urls"]),  # a plural is no hump
        ("billing发布", ["billing", "发布"]),
        ("发布流程", ["发布", "布流", "流程"]),
        ("猫 と", ["猫", "と"]),
        ("しりとり", ["しり", "りと", "とり"]),
        ("끝말잇기 게임", ["끝말", "말잇", "잇기", "게임"]),
        ("ไปนา", ["ไป", "ปน", "นา"]),
        ("План релиза", ["план", "релиза"]),
        ("नमस्ते दुनिया।", ["नमस्ते", "दुनिया"]),  # vowel signs belong to the word
        ("إطلاق المتجر", ["إطلاق", "المتجر"]),
        ("ＡＢＣ ﬁle Straße", ["abc", "file", "strasse"]),
        ("co\u00adop می\u200cخواهم", ["coop", "میخواهم"]),  # soft hyphen, joiner
        ("a\0b \ud800 c", ["a", "b", "c"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("a", "b"),
    [("cafe\u0301", "caf\u00e9"), ("ﾃｽﾄ", "テスト"), ("GRÖSSE", "größe"), ("\u212a", "k")],
)
def test_spellings_fold_together(a: str, b: str) -> None:
    assert fold(a) == fold(b)
    assert words(a) == words(b)


@pytest.mark.parametrize(
    "char",
    "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2061\u2064\u2066\u2069\ufeff"
    "\U000e0001\U000e0041\U000e007f",
    ids=ascii,
)
def test_what_is_not_seen_splits_no_word(char: str) -> None:
    assert words(f"roll{char}back\n{char}café{char}") == ["rollback", "café"]
    assert fold(f"Go{char}") == "go"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("café", "cafe"),
        ("größe", "große"),
        ("ёлка", "елка"),
        ("مُحَمَّد", "محمد"),
        ("ไม่", "ไม่"),  # tone marks of Thai tell words apart
        ("हिन्दी", "हिन्दी"),
        ("が", "が"),
        ("한국", "한국"),
        ("\u0301", "\u0301"),
    ],
)
def test_plain_drops_accents_only(word: str, expected: str) -> None:
    assert plain(word) == expected


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("see 38.101", "38.101", ("38", "101")),
        ("foo_bar", "foo_bar", ("foo", "bar")),
        ("foo_bar", "foobar", ("foo", "bar")),
        ("multi-agent docs", "multiagent", ("multi", "agent")),
        ("in src/app/main.py:", "src/app/main.py", ("src", "app", "main", "py")),
        ("use PgBouncer", "pgbouncer", ("pg", "bouncer")),
        ("день-за-днём", "деньзаднём", ("день", "за", "днём")),
    ],
)
def test_compounds_are_kept_whole_too(text: str, whole: str, parts: tuple[str, ...]) -> None:
    assert joined(text)[whole] == parts


@pytest.mark.parametrize("text", ["", "plain words", "a - b", "end.", "...", "发布流程"])
def test_no_compound(text: str) -> None:
    assert joined(text) == {}


def test_grams() -> None:
    assert list(grams("abcdef")) == ["abcd", "bcde", "cdef"]
    assert list(grams("abc")) == []
    assert all(len(gram) == GRAM for gram in grams("änderungen"))


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        '"' * 100_000,
        "aB" * 50_000,
        "a." * 50_000,
        "é" * 100_000,
        "中" * 100_000,
        "ไป" * 50_000,
        "\u0301" * 100_000,
        "\ud800" * 100_000,
        "aZ.é" * 25_000,
        " ".join(f"t{i}" for i in range(10_000)),
    ],
    ids=lambda text: f"{text[:4]!r}",
)
def test_huge_texts_are_bounded(text: str) -> None:
    found = words(text)
    assert len(found) <= MAX_WORDS
    assert all(len(word) <= MAX_WORD for word in found)
    assert all(len(whole) <= MAX_WORD for whole in joined(text))


def test_no_more_than_the_limit_is_looked_at() -> None:
    assert "beyond" not in words("a" * MAX_TEXT + " beyond")
    assert "within" in words("a" * (MAX_TEXT - 10) + " within")
