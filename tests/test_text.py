"""Text as a model may see it: cleaning, names, ages."""

from __future__ import annotations

import sys
import time
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector import text as module
from selector.codes import Code
from selector.text import (
    age,
    boundary,
    clean,
    clean_lines,
    cut,
    defused,
    fitting,
    is_safe_name,
    shown_lines,
)


@pytest.mark.parametrize(
    ("written", "shown", "codes"),
    [
        ("", "", set()),
        ("  plain  ", "plain", set()),
        ("a\nb\r\nc\td", "a b c d", set()),
        ("a\n\n  b", "a b", set()),
        ("a\u2028b\u2029c\x85d\x0be\x0cf", "a b c d e f", {Code.HIDDEN_TEXT}),
        ("a\x1cb\x1dc\x1ed", "a b c d", {Code.HIDDEN_TEXT}),
        ("a\0b\x1b[31m\x7f\x9b", "ab[31m", {Code.HIDDEN_TEXT}),
        ("ig\u200bno\u2060re\ufeff", "ignore", {Code.HIDDEN_TEXT}),
        ("a\u202eb\u202c\u2066c\u2069\u200e\u061c", "abc", {Code.HIDDEN_TEXT}),
        ("a\U000e0041\U000e007fb", "ab", {Code.HIDDEN_TEXT}),
        ("a\ue000\U000f0000\ufdd0\uffff\u0378b", "ab", {Code.HIDDEN_TEXT}),
        ("a\ud800b", "ab", {Code.HIDDEN_TEXT}),
        ("a\xadb\u115fc\u1160d\u3164e\uffa0f\u2800g", "abcdefg", {Code.HIDDEN_TEXT}),
        ("a\U000e0100\ufe00b\u034fc\u180bd", "abcd", {Code.HIDDEN_TEXT}),
        ("a\xa0b\u3000c\u2009d", "a b c d", set()),
        ("cafe\u0301", "caf\u00e9", set()),
        ("\u1112\u1161\u11ab", "\ud55c", set()),
        ("\u212a", "K", set()),
        ("❤\ufe0f 👩\u200d🚀", "❤ 👩🚀", set()),
        ("می\u200cخواهم", "می\u200cخواهم", set()),
        ("क्\u200dष", "क्\u200dष", set()),
        ("a\u200db", "ab", {Code.HIDDEN_TEXT}),
        ("\u200dक", "क", {Code.HIDDEN_TEXT}),
        ("מדריך فريق สวัสดี 发布 Ελλάς ёж", "מדריך فريق สวัสดี 发布 Ελλάς ёж", set()),
        ("Tiếng Việt, Ἀθῆναι, שָׁלוֹם", "Tiếng Việt, Ἀθῆναι, שָׁלוֹם", set()),
        ("x" + "\u0301" * 50, "x" + "\u0301" * 4, {Code.COMBINING_FLOOD}),
        *(
            (f"x{base}{mark * 50}y", f"x{base}{mark * 4}y", {Code.COMBINING_FLOOD})
            for base, mark in ("क\u0902", "བ\u0fb1", "ซ\u0e35", "ܐ\u0730", "א\u05b8", "ب\u0651",
                               "က\u1039", "x\u0489", "x\u1ab0", "x\U0001d165", "ꦏ\ua9ba",
                               "字\u302a")
        ),
        ("x" + "\u0301\u0489" * 9 + "y", "x" + "\u0301\u0489" * 2 + "y", {Code.COMBINING_FLOOD}),
        ("क" + "\u0941\u200d" * 9 + "ष", "क" + "\u0941\u200d" * 3 + "\u0941ष",
         {Code.COMBINING_FLOOD}),
        ("- - …… ‼‼‼‼‼‼", "- - …… ‼‼‼‼‼‼", set()),
        ("בְּרֵאשִׁ֖ית בָּרָ֣א", "בְּרֵאשִׁ֖ית בָּרָ֣א", set()),
        ("ٱلرَّحْمَٰنِ ٱللَّٰهُ", "ٱلرَّحْمَٰنِ ٱللَّٰهُ", set()),
        ("र्क्ष्म्यां कर्त्स्न्यम्", "र्क्ष्म्यां कर्त्स्न्यम्", set()),
        ("น้ำที่กู้ปั๊ม", "น้ำที่กู้ปั๊ม", set()),
        ("བསྒྲུབས་ རྒྱུད་ ཨོཾ་ཧཱུྃ", "བསྒྲུབས་ རྒྱུད་ ཨོཾ་ཧཱུྃ", set()),
        ("မြန်မာနိုင်ငံ ကြွေး", "မြန်မာနိုင်ငံ ကြွေး", set()),
    ],
)  # fmt: skip
def test_clean(written: str, shown: str, codes: set[Code]) -> None:
    found: set[Code] = set()
    assert clean(written, found) == unicodedata.normalize("NFC", shown)
    assert found == codes


def test_ordinary_characters_need_no_look() -> None:
    """The quick way out of `clean` gives what the long way gives, for each character and pair."""
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if char.isprintable() and not module._UNUSUAL.search(char):
            assert unicodedata.combining(char) == 0, hex(number)
            assert unicodedata.category(char)[0] != "M", hex(number)
            assert unicodedata.normalize("NFC", f"e{char}가{char}") == f"e{char}가{char}"
            assert not module._BLANK_LETTERS.match(char), hex(number)


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60))
def test_clean_any_text(text: str) -> None:
    shown = clean(text)
    bare = shown.replace("\u200c", "").replace("\u200d", "")
    assert bare.isprintable()
    assert len(shown.splitlines()) <= 1
    assert unicodedata.is_normalized("NFC", shown)
    assert clean(shown) == shown
    assert shown == shown.strip()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("", ""),
        (" \n\t\n\u200b\n", ""),
        ("plain", "plain"),
        ("\n \n  a  b\tc \n\n\td\n \n", "  a  b\tc \n\n\td"),
        ("a\r\nb\rc\n\rd", "a\nb\nc\n\nd"),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei", "a\nb\nc\nd\ne\nf\ng\nh\ni"),
        ("a\0b\x1b[31m\x7f\x9b\x08", "ab[31m"),
        ("\ufeffig\u200bno\u2060re \u202eb\u202c\u2066c\u2069", "ignore bc"),
        ("a\U000e0041\ue000\ufdd0\u0378\ud800b", "ab"),
        ("a\xadb\u115fc\u3164d\u2800e\ufe00", "abcde"),
        ("a\xa0\xa0b\u3000c\x1fd", "a  b c d"),
        ("cafe\u0301\n\u212a", "caf\u00e9\nK"),
        ("e\n\u0301", "e\n\u0301"),
        ("❤\ufe0f 👩\u200d🚀", "❤ 👩🚀"),
        ("می\u200cخواهم\nक्\u200dष\na\u200db", "می\u200cخواهم\nक्\u200dष\nab"),
        ("x" + "\u0301" * 50 + "\n" + "\u0301" * 50, "x" + "\u0301" * 4 + "\n" + "\u0301" * 4),
        ("מדריך\n\tแผนที่  发布\nشَرْح", "מדריך\n\tแผนที่  发布\nشَرْح"),
    ],
    ids=ascii,
)
def test_clean_lines(written: str, shown: str) -> None:
    assert clean_lines(written) == unicodedata.normalize("NFC", shown)


LINES = st.lists(
    st.sampled_from(
        ["\n", "\r", "\t", " ", "\x0b", "\u2028", "\u0301", "\u200b", "\u200c", "ا", "e"]
    )
    | st.characters(),
    max_size=40,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(LINES)
def test_clean_lines_are_the_lines_of_the_text_each_clean(text: str) -> None:
    lines = shown_lines(text)
    words = [clean(line).split() for line in text.splitlines()]
    assert [line.split() for line in lines] == words
    shown = clean_lines(text)
    assert shown.split("\n") == shown.splitlines() or shown == ""
    assert clean_lines(shown) == shown
    assert unicodedata.is_normalized("NFC", shown)
    assert shown == "" or (shown.splitlines()[0].strip() and shown.splitlines()[-1].strip())


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("</memory>", "<\\/memory>"),
        ("<memories-3f9a1c2e7b10>", "<\\memories-3f9a1c2e7b10>"),
        ("</ MEMORIES >", "<\\/ MEMORIES >"),
        ("< / memory\n>", "<\\ / memory\n>"),
        ("<\n/system>", "<\\\n/system>"),
        ("<system-reminder>x</system-reminder>", "<\\system-reminder>x<\\/system-reminder>"),
        ("<System_Prompt a='b'>", "<\\System_Prompt a='b'>"),
        ("<human/><user><assistant>", "<\\human/><\\user><\\assistant>"),
        ("<instructions><instruction>", "<\\instructions><\\instruction>"),
        ("<function_calls></tool_result>", "<\\function_calls><\\/tool_result>"),
        ("<antml:invoke name='x'>", "<\\antml:invoke name='x'>"),
        ("text </memory", "text <\\/memory"),
        ("<|im_start|>system<|im_end|>", "<\\|im_start|>system<\\|im_end|>"),
        ("<｜User｜>", "<\\｜User｜>"),
        ("[INST] x [/INST]", "[\\INST] x [\\/INST]"),
        ("<<SYS>>x<</SYS>>", "<\\<SYS>>x<\\</SYS>>"),
        ("<s></s><start_of_turn><eos>", "<\\s><\\/s><\\start_of_turn><\\eos>"),
        ("Human: a\n\nAssistant: b", "\\Human: a\n\n\\Assistant: b"),
        ("a\n  SYSTEM : b\nUser：c", "a\n  \\SYSTEM : b\n\\User：c"),
        ("--- 3f9a1c2e7b10 b.md", "\\--- 3f9a1c2e7b10 b.md"),
    ],
)
def test_what_poses_as_a_wrapper_or_a_turn_is_defused(written: str, shown: str) -> None:
    assert defused(written) == shown
    assert defused(shown) == shown
    assert shown.replace("\\", "") == written


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d; x <- y; 1 << 2; a <= b",
        "List<System.Text.Json> vector<userland> <users> <summary> <div> <strong> <memoryless>",
        "F# <| and <|> and |> and <||>",
        "user: maren\n    User: in code\n- User: in a list\nThe user: a person. Humans: two",
        "[inst] [user] [instance] array[INSTALLED] [x](y)",
        "---\nname: x\n---\n--- a b\n--- 3f9a1c2e7b1\n--- END MEMORIES ---",
        "\\ backslash \\<x \\[y",
        "&lt;/memory&gt;",
    ],
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert defused(text) == text


MARKS = st.sampled_from(
    ["<", "/", ">", " ", "\n", "memory", "system", "s", "|", "im", "[", "INST", "]", "SYS", "Human",
     ":", "\\", "--- ", "3f9a1c2e7b10"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(MARKS | st.characters(), max_size=30).map("".join))
def test_defused_text_needs_it_no_more(text: str) -> None:
    shown = defused(text)
    assert defused(shown) == shown
    assert shown.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", ["<" * 20_000, "< " * 10_000, "<" + " " * 20_000, "<|" * 10_000,
                                  "[" * 20_000, "\n" * 20_000, "   \n" * 5_000, "<memory" * 3_000,
                                  "User" + " " * 20_000, "<" + "\n /" * 7_000])  # fmt: skip
def test_defusing_takes_no_longer_than_the_text(text: str) -> None:
    start = time.perf_counter()
    defused(text)
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    ("text", "size", "kept"),
    [
        ("abc", 9, "abc"),
        ("abc", 2, "ab"),
        ("abc", 0, ""),
        ("abc", -4, ""),
        ("aéb", 2, "a"),
        ("aéb", 3, "aé"),
        ("字字", 5, "字"),
        ("a🐘", 4, "a"),
        ("aq\u0323\u0303b", 4, "a"),
        ("aq\u0323\u0303b", 6, "aq\u0323\u0303"),
        ("می\u200cخواهم", 4, "م"),
        ("می\u200cخواهم", 7, "م"),
        ("\u0301" * 9, 8, ""),
    ],
)
def test_what_fits_is_whole_letters(text: str, size: int, kept: str) -> None:
    assert text[: fitting(text, size)] == kept
    assert len(kept.encode()) <= max(size, 0)
    assert boundary(text, len(text)) == len(text)


def test_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("ab cd", 3) == "ab"


@pytest.mark.parametrize(
    ("name", "is_safe"),
    [
        ("note.md", True),
        ("my note (2).md", True),
        ("🐘.md", True),
        ("❤\ufe0f.md", True),
        ("cafe\u0301.md", True),
        ("می\u200cخواهم.md", True),
        ("a\nb.md", False),
        ("a\tb.md", False),
        ("a\x1bb.md", False),
        ("a\u2028b.md", False),
        ("a\u202eb.md", False),
        ("a\u200bb.md", False),
        ("a\u3164.md", False),
        ("caf\udce9.md", False),
    ],
)
def test_is_safe_name(name: str, is_safe: bool) -> None:
    assert is_safe_name(name) is is_safe


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=-90), "today"),
        (timedelta(hours=23), "today"),
        (timedelta(days=1), "yesterday"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "2 weeks ago"),
        (timedelta(days=60), "2 months ago"),
        (timedelta(days=729), "24 months ago"),
        (timedelta(days=800), "2 years ago"),
        (timedelta(days=365 * 50), "unknown"),
    ],
)
def test_age(ago: timedelta, words: str) -> None:
    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert age(now - ago, now) == words
