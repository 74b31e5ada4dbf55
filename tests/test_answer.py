"""A model's text in, known names out: rows of odd answers, our own, and texts at random."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selector.answer import MAX_ANSWER, REJECTED_LIMIT, Answer, read_answer
from selector.codes import Reason
from selector.errors import AnswerError

ROWS = Path(__file__).parent / "bad_inputs" / "model_answers.jsonl"
FIRST, *OTHERS = map(json.loads, ROWS.read_text("utf-8").splitlines())
KNOWN: list[str] = FIRST["known"]

# What the rows call the faults, in our words.
REASONS = {
    "no_json": Reason.INVALID_JSON,
    "empty_answer": Reason.INVALID_JSON,
    "missing_key": Reason.INVALID_SELECTION,
    "bad_type": Reason.INVALID_SELECTION,
    "nothing_valid": Reason.INVALID_SELECTION,
}


def raw_of(row: dict[str, Any]) -> str:
    if row["raw"] is not None:
        return str(row["raw"])
    before, unit, count, after = row["raw_parts"]
    return f"{before}{unit * count}{after}"


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row["id"])
def test_rows(row: dict[str, Any]) -> None:
    surfaced = row.get("already", [])
    known = [name for name in KNOWN if name not in surfaced]
    roots = [row["root"]] if "root" in row else []
    if row["outcome"] == "fallback":
        with pytest.raises(AnswerError) as caught:
            read_answer(raw_of(row), known, roots=roots, surfaced=surfaced)
        assert caught.value.reason is REASONS[row["reason"]]
        assert len(caught.value.rejected) == row["dropped"]
        return
    answer = read_answer(raw_of(row), known, roots=roots, surfaced=surfaced)
    assert list(answer.names) == row["selected"]
    assert len(answer.rejected) == row["dropped"]
    assert bool(answer.names) is (row["outcome"] == "ok")


def answered(*names: object) -> str:
    return json.dumps({"selected_memories": names}, ensure_ascii=False)


ALPHA = answered("alpha.md")
ZETA = answered("zeta.md")
AB = ["alpha.md", "beta.md"]
BOTH = answered("alpha.md", "beta.md")
WITH_EXAMPLE = f'{{"selected_memories": ["alpha.md"], "example": {ZETA}}}'
CUT = '{"selected_memories": ["alpha.md", "be'
MANY_KEYS = "".join(f'"{i}": {i}, ' for i in range(4000))
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"selected_memories": {"type": "array", "items": {"type": "string"}}},
        "required": ["selected_memories"],
    }
)

# The text, the names in it, and how many are thrown out.
READ: list[tuple[str, list[str], int]] = [
    # around the answer
    (f"\n\t  {ALPHA} \r\n", ["alpha.md"], 0),
    (f"\u200b{ALPHA}\u200b", ["alpha.md"], 0),
    (f"\x00{ALPHA}\x00", ["alpha.md"], 0),
    (f"~~~json\n{BOTH}\n~~~", AB, 0),
    (f"~~~~\n{BOTH}\n~~~~\nDone.", AB, 0),
    (f"````JSON\r\n{BOTH}\r\n````", AB, 0),
    (f"```json {ALPHA}```", ["alpha.md"], 0),
    (f"The list is `{ALPHA}`.", ["alpha.md"], 0),
    (f"<answer>\n<json>{ALPHA}</json>\n</answer>", ["alpha.md"], 0),
    (f"{{note}} and [list] come first: {ALPHA}", ["alpha.md"], 0),
    (f'"alpha.md" is mentioned. {answered("beta.md")}', ["beta.md"], 0),
    (f'{{"a": 1}}\n{{"b": [2]}}\n{ALPHA}\n{{"c": 3}}', ["alpha.md"], 0),
    ('"selected_memories": ["alpha.md"]', ["alpha.md"], 0),
    (f"{answered()}\n{ALPHA}", ["alpha.md"], 0),
    (f"{ALPHA}\n{answered()}", [], 0),
    (f"{ZETA}{ALPHA}", ["alpha.md"], 0),
    # the schema, the template, an example
    (f"{SCHEMA}\n{ALPHA}", ["alpha.md"], 0),
    (f"{ALPHA}\n{SCHEMA}", ["alpha.md"], 0),
    (f"{answered('file name', 'file name')} is the form.\n{ALPHA}", ["alpha.md"], 0),
    (WITH_EXAMPLE, ["alpha.md"], 0),
    (f'{{"example": {ZETA}, "selected_memories": ["alpha.md"]}}', ["alpha.md"], 0),
    (f"\n {WITH_EXAMPLE} \n", ["alpha.md"], 0),
    (f"```json\n{WITH_EXAMPLE}\n```", ["alpha.md"], 0),
    (f"~~~\n{WITH_EXAMPLE}\n~~~\n", ["alpha.md"], 0),
    # reasoning
    (f"<thinking>{ZETA}</thinking>{ALPHA}", ["alpha.md"], 0),
    (f"{ALPHA}<thinking>{ZETA}</thinking>", ["alpha.md"], 0),
    (f"{ALPHA}\n<think>or {ZETA}", ["alpha.md"], 0),
    (f'<think time="3">\n{ZETA}\n</think>\n{ALPHA}', ["alpha.md"], 0),
    (f"<THINK>{ZETA}</Think >{ALPHA}", ["alpha.md"], 0),
    (f"<think>a<think>b</think>{ZETA}</think>{ALPHA}", ["alpha.md"], 0),
    (f"<thinking>{ZETA}</think>{ALPHA}", ["alpha.md"], 0),
    (f"<think>a</think>{ALPHA}<think>{ZETA}</think>", ["alpha.md"], 0),
    (f"{ZETA}</reasoning>{ALPHA}", ["alpha.md"], 0),
    (f"<reflection>{ZETA}</reflection>\n<thought>x</thought>{ALPHA}", ["alpha.md"], 0),
    (f"<thinking>{ZETA}</thinking>{ALPHA}", ["alpha.md"], 0),
    (f"<scratchpad>{ZETA}</scratchpad>```\n{ALPHA}\n```", ["alpha.md"], 0),
    (f"[THINK]{ZETA}[/THINK]{ALPHA}", ["alpha.md"], 0),
    (f"<think></think>{answered()}", [], 0),
    ('<think>hm</think>["alpha.md"]', ["alpha.md"], 0),
    (f"<think>hm</think>{json.dumps(ALPHA)}", ["alpha.md"], 0),
    (f"The note about <analysis> tags: {ALPHA}", ["alpha.md"], 0),
    ('{"why": "of the <think> tag", "selected_memories": ["alpha.md"]}', ["alpha.md"], 0),
    ('```\n{"selected_memories": ["alpha.md"], "why": "of </think>"}\n```', ["alpha.md"], 0),
    ('{"selected_memories": ["alpha.md"], "why": "</think>"}', ["alpha.md"], 0),
    # other JSON around the key
    (f'{{"result": {ALPHA}}}', ["alpha.md"], 0),
    (f'{{"name": "select", "arguments": {BOTH}}}', AB, 0),
    (f"[{ALPHA}]", ["alpha.md"], 0),
    (f'{{"selected_memories": {ALPHA}}}', ["alpha.md"], 0),
    ('{"selected\\u005fmemories": ["alpha.md"]}', ["alpha.md"], 0),
    ('{"selected_memories" \n:\t["alpha.md"]}', ["alpha.md"], 0),
    ('{"a": {"b": [{"c": {}}]}, "selected_memories": ["alpha.md"]}', ["alpha.md"], 0),
    ('{"ok": True, "why": None, "selected_memories": ["alpha.md"]}', ["alpha.md"], 0),
    ('{"a": -Infinity, "b": NaN, "selected_memories": ["alpha.md", NaN]}', ["alpha.md"], 1),
    ('{"why": "a\tb\x01\x7f", "selected_memories": ["alpha.md"]}', ["alpha.md"], 0),
    ('{"why": "cut \\ud83d", "selected_memories": ["alpha.md"]}', ["alpha.md"], 0),
    (f"{{{MANY_KEYS}{ALPHA[1:]}", ["alpha.md"], 0),
    (f"{'[' * 3000} {ALPHA}", ["alpha.md"], 0),
    (f"{'{' * 3000} {ALPHA}", ["alpha.md"], 0),
    (f'{"[" * 3000}{"]" * 3000} {ALPHA}', ["alpha.md"], 0),
    (f'{{"a": {"[" * 3000}{"]" * 3000}, {ALPHA[1:]}', ["alpha.md"], 0),
    # JSON inside a string, once and more often
    (json.dumps(BOTH), AB, 0),
    (json.dumps(json.dumps(BOTH)), AB, 0),
    (json.dumps(f"```json\n{BOTH}\n```"), AB, 0),
    (f"```json\n{json.dumps(BOTH)}\n```", AB, 0),
    (f"Here: {json.dumps(BOTH)}", AB, 0),
    (json.dumps(BOTH)[:-3], AB, 0),
    (json.dumps(CUT)[:-1], ["alpha.md"], 0),
    (json.dumps(json.dumps({"selected_memories": ["发布.md"]}, indent=1))[:-2], ["发布.md"], 0),
    (json.dumps({"arguments": BOTH}), AB, 0),
    (json.dumps('["alpha.md"]'), ["alpha.md"], 0),
    ('{"selected_memories": "[\\"alpha.md\\", \\"beta.md\\"]"}', AB, 0),
    ('{"selected_memories": " [] "}', [], 0),
    ('{"selected_memories": " alpha.md "}', ["alpha.md"], 0),
    # a bare list
    ("[]", [], 0),
    ("```json\n[]\n```", [], 0),
    ("Answer: []", [], 0),
    ("Answer: `[ ]`.\nNothing fits.", [], 0),
    ('```\n["alpha.md"]\n```', ["alpha.md"], 0),
    ('I choose ["alpha.md", "beta.md"] because of [1].', AB, 0),
    ('With {braces} around. ["alpha.md"]', ["alpha.md"], 0),
    ('["zeta.md"] or rather ["alpha.md"]', ["alpha.md"], 0),
    ('["alpha.md", "beta.md",]', AB, 0),
    ('["alpha.md", "beta.md", "gam', AB, 0),
    ('["alpha.md", 7, null]', ["alpha.md"], 2),
    # a broken or cut list
    (CUT, ["alpha.md"], 0),
    ('{"selected_memories": ["alpha.md",', ["alpha.md"], 0),
    ('{"selected_memories": ["alpha.md"}', ["alpha.md"], 0),
    ('{"selected_memories": ["alpha.md", ...]}', ["alpha.md"], 0),
    ('{"selected_memories": [,"alpha.md",,"beta.md"]}', AB, 0),
    ('{"selected_memories": [\n"alpha.md"\n"beta.md"\n]}', AB, 0),
    ('{"selected_memories": [ /* two */ "alpha.md", // one\n"beta.md"]}', AB, 0),
    ('{"selected_memories": ["alpha.md", # one\n"beta.md"]}', AB, 0),
    ('{"selected_memories": [ // nothing fits\n]}', [], 0),
    ('{"selected_memories": [], // nothing fits\n}', [], 0),
    ('{"selected_memories": []', [], 0),
    ('{"selected_memories": ["alpha.md", 7, null, {"x": 1}, ["y"], "beta.md",]}', AB, 4),
    ('{"selected_memories": ["notes\\deploy.md"]}', ["notes/deploy.md"], 0),
    ('{"selected_memories": ["alpha.md", "gh\\ost.md"', ["alpha.md"], 1),
    (f'{ALPHA}\nNo: {{"selected_memories": ["be', ["alpha.md"], 0),
    (f'{ALPHA}\nNo: {{"selected_memories": nul', ["alpha.md"], 0),
    ('{"selected_memories": ["alpha.md" /* "beta.md"', ["alpha.md"], 0),
    # names
    (answered('"alpha.md"', "`beta.md`", "'gamma.md'"), ["alpha.md", "beta.md", "gamma.md"], 0),
    (answered("notes\\deploy.md", "./alpha.md"), ["notes/deploy.md", "alpha.md"], 0),
    (answered("alpha", "ALPHA", "Alpha.md", "beta"), AB, 2),
    (answered("cafe\u0301", "发布", "null"), ["café.md", "发布.md", "null.md"], 0),
    (answered("- [user] alpha.md (2026-12-01T00:00:00Z): x"), ["alpha.md"], 0),
    (answered("alpha.md", "", " ", "\ud83d", "al\x07pha.md", "x" * 20_000), ["alpha.md"], 5),
    (answered("../alpha.md", "/alpha.md", "C:\\alpha.md", "beta.md"), ["beta.md"], 3),
    (answered(*KNOWN), KNOWN, 0),
    (answered(*KNOWN * 2), KNOWN, len(KNOWN)),
]  # fmt: skip

NO_JSON = [
    " \r\n\t",
    "\ufeff",
    "null",
    "true",
    "7",
    "{",
    "[",
    "}",
    '"',
    '""',
    '"alpha.md"',
    "alpha.md",
    "None",
    "none of them",
    "<think>hm</think>",
    f"<think>{ALPHA}</think>",
    f"<think>\n{ALPHA}",
    f"hm\n<reasoning>\n{ALPHA}",
    f"{ALPHA}</think>",
    f"[think]{ALPHA}[/think]",
    f"{ZETA}<think>a</think>b</think>none",
    "- [x] alpha.md\n- [ ] beta.md",
    "- [ ] beta.md",
    "int[] alpha.md",
    "see [1] and [2].",
    "[alpha.md](alpha.md)",
    "[alpha.md, beta.md]",
    "['alpha.md']",
    "{\"selected_memories\": ['alpha.md']}",
    '{"selected_memories": [alpha.md]}',
    "{selected_memories: ['alpha.md']}",
    "{'files': [\"alpha.md\"]}",
    '{"files": ["alpha.md"],',
    "selected_memories:\n  - alpha.md",
    "<selected_memories><name>alpha.md</name></selected_memories>",
    '{"selected_memories"',
    '{"selected_memories":',
    '{"selected_memories": ',
    '{"selected_memories": [',
    '{"selected_memories": ["alp',
    '{"selected_memories": "alp',
    "x" * (MAX_ANSWER + 1) + ALPHA,
    "发" * (MAX_ANSWER // 3 + 1) + ALPHA,
]

# The text, and how many names are thrown out.
NO_SELECTION: list[tuple[str, int]] = [
    ("{}", 0),
    ("{} {}", 0),
    ('{"memories": ["alpha.md"]}', 0),
    ('{"selected_memory": "alpha.md"}', 0),
    ('{"selected memories": ["alpha.md"]}', 0),
    ('{"error": {"code": 529, "message": "overloaded"}}', 0),
    (SCHEMA, 0),
    (f"```json\n{SCHEMA}\n```", 0),
    ('{"selected_memories": {}}', 0),
    ('{"selected_memories": {"0": "alpha.md"}}', 0),
    ('{"selected_memories": true}', 0),
    ('{"selected_memories": 3}', 0),
    ('{"selected_memories": null}', 0),
    ('"selected_memories": null', 0),
    ('{"selected_memories": null} or ["alpha.md"]', 0),
    ('{"error": "a\nb"}', 0),
    ('{"selected_memories": ""}', 1),
    ('{"selected_memories": "none"}', 1),
    ('{"selected_memories": "alpha.md, beta.md"}', 1),
    ('{"selected_memories": "[\'alpha.md\']"}', 1),
    ('{"selected_memories": [""]}', 1),
    ('{"selected_memories": [null, true, 1.5, {}, []]}', 5),
    ('{"selected_memories": [["alpha.md"]]}', 1),
    ('{"selected_memories": [{"name": "alpha.md"}]}', 1),
    ("[0, 2]", 2),
    ('["ghost.md"]', 1),
    ('[{"file": "alpha.md"}]', 1),
    (answered("file name", "file name"), 2),
    (answered("*.md"), 1),
    (answered("Release%20Plan.md", "caf&eacute;.md"), 2),
    (f"{answered('ghost.md')[:-2]}", 1),
    (f"{ALPHA}\n{answered('ghost.md')}", 1),
]


@pytest.mark.parametrize(("text", "names", "dropped"), READ, ids=lambda value: ascii(value)[:60])
def test_names_are_read(text: str, names: list[str], dropped: int) -> None:
    answer = read_answer(text, KNOWN)
    assert list(answer.names) == names
    assert len(answer.rejected) == dropped


@pytest.mark.parametrize("text", NO_JSON, ids=lambda text: ascii(text)[:60])
def test_a_text_without_a_list(text: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_answer(text, KNOWN)
    assert caught.value.reason is Reason.INVALID_JSON
    assert caught.value.rejected == ()


@pytest.mark.parametrize(("text", "dropped"), NO_SELECTION, ids=lambda value: ascii(value)[:60])
def test_a_list_without_a_known_name(text: str, dropped: int) -> None:
    with pytest.raises(AnswerError) as caught:
        read_answer(text, KNOWN)
    assert caught.value.reason is Reason.INVALID_SELECTION
    assert len(caught.value.rejected) == dropped


def test_only_surfaced_names_are_an_answer() -> None:
    surfaced = ["old.md", "notes/older.md"]
    for names in (["old.md"], ["OLD", "older.md"], ["old.md", "ghost.md"], ["ghost.md", "old.md"]):
        answer = read_answer(answered(*names), KNOWN, surfaced=surfaced)
        assert answer == Answer((), tuple(names))
    with pytest.raises(AnswerError):
        read_answer(answered("ghost.md"), KNOWN, surfaced=surfaced)
    mixed = read_answer(answered("old.md", "alpha.md"), KNOWN, surfaced=surfaced)
    assert mixed == Answer(("alpha.md",), ("old.md",))


def test_a_surfaced_name_that_may_return_is_known() -> None:
    assert read_answer(ALPHA, KNOWN, surfaced=["alpha.md"]).names == ("alpha.md",)


def test_without_known_names_only_nothing_is_an_answer() -> None:
    assert read_answer(answered(), []) == Answer((), ())
    with pytest.raises(AnswerError):
        read_answer(ALPHA, [])


def test_rejected_names_can_be_shown() -> None:
    names = ["alpha.md", "x" * 500, "a\nb\x1b[2J", "\u202ebad", "\ud83d", 7, 0.5, None, [], {}]
    rejected = read_answer(answered(*names), KNOWN).rejected
    assert len(rejected) == len(names) - 1
    assert all(text.isprintable() and text.encode() for text in rejected)
    assert len(rejected[0]) == REJECTED_LIMIT
    assert rejected[4:6] == ("7", "0.5")


def test_an_answer_is_read_up_to_its_cap() -> None:
    names = json.dumps(["alpha.md", *["beta.md"] * 20_000])
    answer = read_answer(f'{{"selected_memories": {names}}}', KNOWN)
    assert answer.names == ("alpha.md", "beta.md")
    assert len(answer.rejected) < MAX_ANSWER / len('"beta.md", ')
    # The cap counts bytes, and may fall into the middle of a character.
    for shift in range(4):
        text = f'{{"selected_memories": ["alpha.md", "{"x" * shift}{"发" * MAX_ANSWER}"]}}'
        assert read_answer(text, KNOWN) == Answer(("alpha.md",), ())


def names_or_reason(text: str, known: list[str]) -> tuple[str, ...] | Reason:
    """The outcome for a text, with what must hold for any text at all."""
    try:
        names = read_answer(text, known).names
    except AnswerError as error:
        return error.reason
    assert set(names) <= set(known)
    assert len(set(names)) == len(names)
    return names


@pytest.mark.parametrize(
    "wrap", [str, json.dumps, lambda text: f"```json\n{text}", lambda t: t[22:]]
)
def test_cut_at_every_position(wrap: Any) -> None:
    names = ["alpha.md", "发布.md", "notes/deploy.md", "Release Plan.md"]
    text = wrap(answered(*names))
    longest = 0
    for end in range(len(text) + 1):
        found = names_or_reason(text[:end], KNOWN)
        if isinstance(found, Reason):
            assert found is Reason.INVALID_JSON
            assert not longest, "a longer part holds at least the names of a shorter one"
        else:
            assert list(found) == names[: len(found)]
            assert len(found) >= longest
            longest = len(found)
    assert longest == len(names)


# --- at random

PIECES = st.sampled_from(
    [
        '"selected_memories"', '"selected_memories": ["', '\\"selected_memories\\": [\\"', "{", "}",
        "[", "]", '"', "\\", ",", ":", "//", "/*", "*/", "#", "\n", "```", "~~~", "<think>",
        "</think>", "[think]", "null", "NaN", "1", '"alpha.md"', "alpha", "ALPHA.MD", "notes/",
        "..", "\u200b", "\ud83d", "\x00", "发", "é", "(", "- ", ": ", " ",
    ]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map("".join),
    st.binary(max_size=200).map(lambda raw: raw.decode("utf-8", "replace")),
    st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")),
)


@settings(max_examples=500, deadline=None)
@given(TEXTS)
def test_any_text(text: str) -> None:
    assert names_or_reason(text, KNOWN) == names_or_reason(text, KNOWN)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_an_answer_that_was_mangled(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(KNOWN), unique=True, max_size=5))
    text = answered(*names)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 6)))
        text = text[:start] + data.draw(st.one_of(PIECES, st.text(max_size=3))) + text[end:]
    assert names_or_reason(text, KNOWN) == names_or_reason(text, KNOWN)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(KNOWN), unique=True, max_size=6), st.data())
def test_a_cut_answer_holds_no_other_name(names: list[str], data: st.DataObject) -> None:
    text = answered(*names)
    found = names_or_reason(text[: data.draw(st.integers(0, len(text)))], KNOWN)
    assert isinstance(found, Reason) or list(found) == names[: len(found)]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(KNOWN), unique=True, max_size=6),
    st.text(st.characters(exclude_characters='<[{"}]')),
    st.text(st.characters(exclude_characters='<[{"}]')),
)
def test_words_around_an_answer_do_not_matter(names: list[str], before: str, after: str) -> None:
    found = names_or_reason(f"{before}{answered(*names)}{after}", KNOWN)
    assert found == tuple(names)


@settings(max_examples=300, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists))
def test_any_value(value: Any) -> None:
    text = json.dumps({"selected_memories": value})
    found = names_or_reason(text, KNOWN)
    if value == []:
        assert found == ()


@pytest.mark.parametrize(
    "text", ["`" * 65_000, "~" * 65_000, "```\n" + "`" * 65_000 + "x", "```\n" * 16_000]
)
def test_a_flood_of_fences_is_no_answer(text: str) -> None:
    # With a pattern for the fence each of these takes seconds.
    with pytest.raises(AnswerError):
        read_answer(text, ["alpha.md"])
