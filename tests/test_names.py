"""Written names and the memories they mean."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selector.names import MAX_ENDS, MAX_NAME, MAX_SPELLED, KnownNames, shown_names

NAMES = (
    "alpha.md",
    "beta.mdc",
    "gamma.markdown",
    "notes/deploy.md",
    "notes/2026/plan.md",
    "Release Plan.md",
    "Plan (draft).md",
    "café.md",
    "straße.md",
    "发布.md",
    "v2.notes.md",
    "a - b.md",
    "100%.md",
    "R&D.md",
    "it's.md",
    "twin.md",
    "Twin.md",
    "same.md",
    "same.mdc",
    "one/double.md",
    "two/double.md",
    "top.md",
    "below/top.md",
    'quo"ted.md',
    "back\\slash.md",
    "alpha.md - copy.md",
)
ROOT = "/home/u/Proj/memory"

FOUND = [
    ("alpha.md", "alpha.md"),
    (" \t\n alpha.md \r\n", "alpha.md"),
    ("\u00a0alpha.md\u3000", "alpha.md"),
    ('"alpha.md"', "alpha.md"),
    ("'alpha.md'", "alpha.md"),
    ("`alpha.md`", "alpha.md"),
    ("``alpha.md``", "alpha.md"),
    ("**alpha.md**", "alpha.md"),
    ("<alpha.md>", "alpha.md"),
    ("“alpha.md”", "alpha.md"),
    ("‘alpha.md’", "alpha.md"),
    ("« alpha.md »", "alpha.md"),
    ("al\u200bpha.md", "alpha.md"),
    ("\ufeffalpha.md", "alpha.md"),
    ("alpha\u00ad.md", "alpha.md"),
    ("\u2066alpha.md\u2069", "alpha.md"),
    ("ALPHA.MD", "alpha.md"),
    ("release plan.md", "Release Plan.md"),
    ("cafe\u0301.md", "café.md"),
    ("CAFE\u0301.md", "café.md"),
    ("STRASSE.md", "straße.md"),
    ("发布", "发布.md"),
    ("alpha", "alpha.md"),
    ("beta", "beta.mdc"),
    ("Gamma", "gamma.markdown"),
    ("v2.notes", "v2.notes.md"),
    ("Release Plan", "Release Plan.md"),
    ("deploy.md", "notes/deploy.md"),
    ("deploy", "notes/deploy.md"),
    ("plan.md", "notes/2026/plan.md"),
    ("notes\\deploy.md", "notes/deploy.md"),
    ("notes/deploy", "notes/deploy.md"),
    ("./alpha.md", "alpha.md"),
    (".\\notes\\deploy.md", "notes/deploy.md"),
    ("memory/alpha.md", "alpha.md"),
    ("./memory/alpha.md", "alpha.md"),
    ("Proj/memory/notes/deploy.md", "notes/deploy.md"),
    (f"{ROOT}/alpha.md", "alpha.md"),
    (f"{ROOT}/notes/deploy", "notes/deploy.md"),
    ("/HOME/u/proj/Memory/alpha.md", "alpha.md"),
    ("- [project] alpha.md (2026-04-14T09:30:00Z): how we deploy", "alpha.md"),
    ("- alpha.md (2026-04-14T09:30:00Z)", "alpha.md"),
    ("[project] alpha.md", "alpha.md"),
    ("[user] alpha", "alpha.md"),
    ("alpha.md (project): How we deploy", "alpha.md"),
    ("alpha.md: how we deploy", "alpha.md"),
    ("alpha.md - how we deploy", "alpha.md"),
    ("alpha.md — how we deploy", "alpha.md"),
    ("`alpha.md`: how we deploy", "alpha.md"),
    ("alpha.md (2026-04-14T09:30:00Z): see beta.mdc: and more", "alpha.md"),
    ("- [x-y] Plan (draft).md (2026-04-14T09:30:00Z): a plan", "Plan (draft).md"),
    ("- [fact] a - b.md (2026-04-14T09:30:00Z): a: b", "a - b.md"),
    ("- [fact] notes/deploy.md (2026-04-14T09:30:00Z): d", "notes/deploy.md"),
    ("alpha.md: " + "x: " * (2 * MAX_ENDS), "alpha.md"),
    ("- alpha.md - copy.md (2026-04-14T09:30:00Z): d", "alpha.md - copy.md"),
    ("twin.md", "twin.md"),
    ("Twin.md", "Twin.md"),
    ("TOP.md", "top.md"),
    ("top", "top.md"),
    ("below/top", "below/top.md"),
    ("one/double", "one/double.md"),
    ('QUO"TED.md', 'quo"ted.md'),
    ("back\\slash.md", "back\\slash.md"),
]

NOT_FOUND = [
    "",
    " ",
    '""',
    ".",
    "/",
    ".md",
    "alpah.md",
    "alph",
    "alpha.txt",
    "alpha.md.md",
    "alpha.markdown",
    "alpha.md.bak",
    "xalpha.md",
    "alpha- .md",
    "al[x] pha.md",
    "alpha (old).md",
    "alpha - beta.md",
    "alpha: beta.md",
    "alpha.md, beta.mdc",
    "alpha.md beta.mdc",
    "alpha.md\nbeta.mdc",
    "alpha.md\tbeta.mdc",
    "old/alpha.md",
    "notes/alpha.md",
    "2026/plan.md",
    "notes/plan.md",
    "/alpha.md",
    "//alpha.md",
    "~/alpha.md",
    "../alpha.md",
    "..\\alpha.md",
    "notes/../alpha.md",
    "./../alpha.md",
    "memory/../alpha.md",
    f"{ROOT}/../memory/alpha.md",
    f"{ROOT}/deploy.md",
    f"{ROOT}x/alpha.md",
    f"{ROOT}-alpha.md",
    "/home/u/other/memory/alpha.md",
    "/home/u/Proj/alpha.md",
    "/etc/passwd",
    "file:///home/u/Proj/memory/alpha.md",
    "https://example.com/alpha.md",
    "memory://alpha.md",
    "file:alpha.md",
    "C:\\Proj\\memory\\alpha.md",
    "C:/alpha.md",
    "\\\\server\\memory\\alpha.md",
    "Release%20Plan.md",
    "Release+Plan.md",
    "Release&nbsp;Plan.md",
    "R&amp;D.md",
    "&quot;alpha.md&quot;",
    "[alpha.md](alpha.md)",
    "\u0430lpha.md",  # the first letter is Cyrillic
    "\ud83d.md",
    "alpha.md\x00",
    "\x1b[2Jalpha.md",
    "al\x07pha.md",
    "alpha.md\x1f",
    "alpha.md\x85",
    "TWIN.md",
    "twin",
    "same",
    "double.md",
    "double",
    "*.md",
    "alpha.md" + " " * MAX_NAME,
    None,
    0,
    1.0,
    True,
    b"alpha.md",
    ["alpha.md"],
    {"name": "alpha.md"},
]


@pytest.mark.parametrize(("written", "name"), FOUND)
def test_other_spellings_are_found(written: str, name: str) -> None:
    assert KnownNames(NAMES, [ROOT]).find(written) == name


@pytest.mark.parametrize("written", NOT_FOUND, ids=lambda written: ascii(written)[:40])
def test_nothing_is_guessed(written: object) -> None:
    assert KnownNames(NAMES, [ROOT]).find(written) is None


def test_without_roots_no_folder_is_forgiven() -> None:
    known = KnownNames(NAMES)
    assert known.find("memory/alpha.md") is None
    assert known.find(f"{ROOT}/alpha.md") is None


def test_a_root_of_windows() -> None:
    known = KnownNames(NAMES, ["C:\\Users\\u\\Memory\\"])
    assert known.find("C:\\Users\\u\\Memory\\notes\\deploy.md") == "notes/deploy.md"
    assert known.find("c:/users/u/memory/alpha.md") == "alpha.md"
    assert known.find("D:\\Users\\u\\Memory\\alpha.md") is None


def test_no_root_leads_upwards() -> None:
    assert KnownNames(NAMES, ["/home/../memory"]).find("../memory/alpha.md") is None


def test_the_root_of_the_file_system_forgives_nothing() -> None:
    assert KnownNames(NAMES, ["/", ""]).find("/alpha.md") is None


def test_a_path_below_a_labelled_root_is_that_file_and_no_other() -> None:
    roots = {"user": "/home/u/notes", "project": "/srv/notes"}
    known = KnownNames(("user/a.md", "project/a.md", "user/b.md", "project/c/d.md"), roots)
    assert known.find("/home/u/notes/a.md") == "user/a.md"
    assert known.find("/srv/notes/a.md") == "project/a.md"
    assert known.find("/srv/notes/c/d") == "project/c/d.md"
    assert known.find("u/notes/b.md") == "user/b.md"
    assert known.find("notes/b.md") == "user/b.md"
    assert known.find("notes/a.md") is None  # both roots have one
    assert known.find("/srv/notes/b.md") is None  # only the other root has one
    assert known.find("a.md") is None
    assert known.find("b.md") == "user/b.md"


def test_twins_of_one_unicode_form_are_not_guessed() -> None:
    known = KnownNames(("café.md", "cafe\u0301.md"))
    assert known.find("café.md") == "café.md"
    assert known.find("cafe\u0301.md") == "cafe\u0301.md"
    assert known.find("CAFÉ.md") is None
    assert KnownNames(("cafe\u0301.md",)).find("café.md") == "cafe\u0301.md"


# Names that a manifest cannot show as they are.
ODD_NAMES = [
    ("❤\ufe0f.md", "❤.md"),
    ("👩\u200d🚀.md", "👩🚀.md"),
    ("x\u3000y.md", "x y.md"),
    ("\u00a0.md", ".md"),
    (" a.md", "a.md"),
    ("ạ  b.md", "ạ b.md"),
    ("x" + "\u0301" * 9 + ".md", "x" + "\u0301" * 4 + ".md"),
    ("cafe\u0301.md", "café.md"),
]


@pytest.mark.parametrize(("name", "text"), ODD_NAMES, ids=ascii)
def test_a_name_is_found_as_it_is_shown(name: str, text: str) -> None:
    shown = shown_names([name])[name]
    assert shown == text
    known = KnownNames([name, "other.md"], [ROOT])
    for written in (shown, shown.upper(), f"- [user] {shown} (2026-04-14T09:30:00Z): d"):
        assert known.find(written) == name
    assert known.find(f"{ROOT}/{shown}") == name


@pytest.mark.parametrize(("name", "text"), ODD_NAMES, ids=ascii)
def test_a_twin_is_shown_escaped_and_found_by_that(name: str, text: str) -> None:
    odd_names = [name, text, "~" + shown_names([name, text])[name]]
    names = [*odd_names, shown_names(odd_names)[name]]  # somebody has called files so
    shown = shown_names(names)
    assert shown[text] == text
    assert len(set(shown.values())) == len(names)
    known = KnownNames(names)
    for each in names:
        assert known.find(each) == each
        assert known.find(shown[each]) == each
        assert known.find(f"- [user] {shown[each]} (2026-04-14T09:30:00Z): d") == each


def test_how_a_twin_is_shown() -> None:
    shown = shown_names(
        ["a  é.md", "\u212aa \ufe0fb.md", "Ka b.md", "❤\ufe0f.md", "❤.md", "❤\ufe0e.md"]
    )
    assert [*shown.values()] == [
        "a  é.md",
        "{U+212A}a{U+0020}{U+FE0F}b.md",
        "Ka b.md",
        "{U+2764}{U+FE0F}.md",
        "❤.md",
        "{U+2764}{U+FE0E}.md",
    ]


@given(st.lists(st.text("a \u00a0\u0301e\ufe0f❤{U+}~", min_size=1, max_size=6), max_size=6))
def test_no_two_names_are_shown_alike(names: list[str]) -> None:
    shown = shown_names(names)
    assert len(set(shown.values())) == len(set(names))
    known = KnownNames(names)
    assert [known.find(text) for text in shown.values()] == [*shown]


def test_no_names_at_all() -> None:
    assert KnownNames(()).find("alpha.md") is None


def test_after_many_odd_spellings_only_exact_names_are_found() -> None:
    known = KnownNames(NAMES)
    assert [known.find(f"ghost {i}") for i in range(MAX_SPELLED)] == [None] * MAX_SPELLED
    assert known.find("ALPHA.MD") is None
    assert known.find("alpha.md") == "alpha.md"


@given(st.lists(st.text(max_size=20), max_size=6), st.text(max_size=40))
def test_only_known_names_come_back(names: list[str], written: str) -> None:
    found = KnownNames(names, ["/r"]).find(written)
    assert found is None or found in names
    assert found == KnownNames(names, ["/r"]).find(written)


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=6))
def test_every_name_finds_itself(names: list[str]) -> None:
    known = KnownNames(names)
    assert [known.find(name) for name in names] == names


@given(
    st.sampled_from(["alpha.md", "café.md", "发布.md", "Release Plan.md"]),
    st.sampled_from([str.upper, str.title, lambda n: unicodedata.normalize("NFD", n)]),
)
def test_case_and_unicode_form_do_not_matter(name: str, respell: Callable[[str], str]) -> None:
    assert KnownNames(NAMES).find(respell(name)) == name
