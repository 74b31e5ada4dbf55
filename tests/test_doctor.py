"""What `examine` finds in real folders, what it mends, and when it leaves things alone."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from selector import findings
from selector.codes import Code, Severity
from selector.doctor import Report, examine
from selector.errors import ConfigurationError
from selector.files import open_folder
from selector.findings import Finding
from selector.layout import SUFFIXES, TEMP_PREFIX, TRASH, is_temporary
from selector.reading import MAX_BODY
from selector.scan import MAX_DEPTH, scan
from selector.trash import move_to_trash
from tests.conftest import as_nobody

BAD_INPUTS = Path(__file__).parent / "bad_inputs"
NOTE = "---\nname: a\ndescription: a note\ntype: project\n---\nbody\n"
OURS = f"{TEMP_PREFIX}12ab.tmp"

needs_links = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="no O_NOFOLLOW here")


def write(path: Path, text: str = NOTE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def index(root: Path, *lines: str, name: str = "MEMORY.md") -> Path:
    """An index of these lines, beside four notes to which it may lead."""
    for number in range(1, 5):
        write(root / f"{number}.md")
    return write(root / name, "\n".join(lines) + "\n")


def stray(path: Path, age: float = 7200) -> Path:
    """A temporary file of that age in seconds."""
    write(path, "half a no")
    os.utime(path, (time.time() - age,) * 2)
    return path


def codes(report: Report) -> set[tuple[str, Code]]:
    return {(each.name, each.code) for each in report.findings}


def lines(report: Report, code: Code = Code.BROKEN_INDEX_LINE) -> list[int | None]:
    """The lines that were found, and not mended."""
    return [each.line for each in report.findings if each.code is code and not each.fixed]


def fixed(report: Report) -> list[Finding]:
    return [each for each in report.findings if each.fixed]


def tree(root: Path) -> dict[str, tuple[object, ...]]:
    """All that may change: bytes, modes and times."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted((root, *root.rglob("*"))):
        info = path.lstat()
        raw = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        found[str(path)] = (raw, info.st_mode, info.st_mtime_ns, info.st_ino)
    return found


# --- the table


def test_every_code_has_a_place() -> None:
    places = [set(findings.ERRORS), set(findings.WARNINGS), set(findings.NOT_FINDINGS)]
    assert set.union(*places) == set(Code)
    assert sum(map(len, places)) == len(Code)


def test_every_sentence_is_one_line() -> None:
    for sentence in (*findings.ERRORS.values(), *findings.WARNINGS.values()):
        assert sentence.isprintable()
        assert ": " in sentence or ", " in sentence, f"what to do? {sentence}"


HEADER_CASES = [
    ("---\ndescription: x\n", Code.UNCLOSED_HEADER, Severity.ERROR),
    (f"---\nx: {'y' * 17_000}\n---\n", Code.HEADER_TOO_LARGE, Severity.ERROR),
    ("", Code.EMPTY_FILE, Severity.ERROR),
    ("---\ndescription: caf\udce9\n---\n", Code.INVALID_ENCODING, Severity.ERROR),
    ("text only\n", Code.NO_DESCRIPTION, Severity.WARNING),
    ("---\ntype: project\n---\n", Code.NO_DESCRIPTION, Severity.WARNING),
    (NOTE.replace("a note", "a n\u200bote"), Code.HIDDEN_TEXT, Severity.WARNING),
    (NOTE.replace("a note", '"a n\\u200bote"'), Code.HIDDEN_TEXT, Severity.WARNING),
    (NOTE.replace("a note", "a" + "\u0301" * 50), Code.COMBINING_FLOOD, Severity.WARNING),
    (NOTE.replace("a note", "x" * 600), Code.LONG_DESCRIPTION, Severity.WARNING),
    (NOTE.replace("project", "two words"), Code.BAD_TYPE, Severity.WARNING),
    (NOTE.replace("type:", "importance: much\ntype:"), Code.BAD_VALUE, Severity.WARNING),
    (f"\n{NOTE}", Code.BAD_SYNTAX, Severity.WARNING),
    (NOTE.replace("description", "Description"), Code.KEY_CASE, Severity.WARNING),
    (NOTE.replace("type:", "description: b\ntype:"), Code.DUPLICATE_KEY, Severity.WARNING),
    (NOTE.replace("body", "---\nname: b\n---\nbody"), Code.SECOND_HEADER, Severity.WARNING),
    (NOTE.replace("type:", "modified: soon\ntype:"), Code.BAD_TIME, Severity.WARNING),
    (NOTE.replace("type:", "modified: 2999-01-01\ntype:"), Code.FUTURE_TIME, Severity.WARNING),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "severity"), HEADER_CASES, ids=lambda each: str(each)[:20]
)
def test_headers(tmp_path: Path, text: str, code: Code, severity: Severity) -> None:
    """One fault, one finding; also where a scan reports the missing description besides."""
    write(tmp_path / "a.md", text)
    report = examine(tmp_path)
    assert report.memories == 1
    assert [(each.name, each.code, each.severity) for each in report.findings] == [
        ("a.md", code, severity)
    ]


def test_a_sound_folder(tmp_path: Path) -> None:
    index(tmp_path, "- [One](1.md)")
    write(tmp_path / "CLAUDE.md", "no header")
    (tmp_path / "link.md").symlink_to("1.md")
    (tmp_path / "README.md").write_text("- [gone](gone.md)")
    assert examine(tmp_path, fix=True) == Report(4, (), {})
    assert not (tmp_path / TRASH).exists()


@needs_links
def test_links_and_names(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", write(tmp_path / "outside.md")
    write(root / "a" / "b.md")
    (root / "out.md").symlink_to(outside)
    (root / "nowhere.md").symlink_to("gone.md")
    os.mkfifo(root / "pipe.md")
    write(root / "line\nbreak.md")
    write(root / ("d/" * (MAX_DEPTH + 1)) / "deep.md")
    write(root / "Twin.md")
    write(root / "twin.md")
    write(root / "caf\u00e9.md")
    write(root / "cafe\u0301.md")
    write(root / "x (conflicted copy 2026-12-01).md")
    os.utime(write(root / "future.md"), (time.time() + 1e6,) * 2)
    report = examine(root)
    deep = "/".join("d" * (MAX_DEPTH + 1))
    assert {(each.name, each.code, each.severity.value) for each in report.findings} == {
        ("out.md", Code.SYMLINK_OUTSIDE, "warning"),
        ("nowhere.md", Code.DANGLING, "warning"),
        ("pipe.md", Code.NOT_REGULAR, "warning"),
        ("line\\nbreak.md", Code.UNSAFE_NAME, "error"),
        (deep, Code.TOO_DEEP, "error"),
        ("Twin.md", Code.CASE_TWINS, "warning"),
        ("twin.md", Code.CASE_TWINS, "warning"),
        ("cafe\u0301.md", Code.UNICODE_TWINS, "warning"),
        ("x (conflicted copy 2026-12-01).md", Code.CONFLICT_COPY, "warning"),
        ("future.md", Code.FUTURE_MTIME, "warning"),
    }


def test_what_may_not_be_read(shared_folder: Path) -> None:
    write(shared_folder / "a.md").chmod(0)
    write(shared_folder / "sub" / "b.md")
    write(shared_folder / "MEMORY.md", "- [b](sub/b.md)\n").chmod(0)
    (shared_folder / "sub").chmod(0)
    try:
        report = as_nobody(lambda: _plain(examine(shared_folder)))
    finally:
        (shared_folder / "sub").chmod(0o755)
    assert report == [
        (name, "permission", "error", None, False) for name in ("MEMORY.md", "a.md", "sub")
    ]


def _plain(report: Report) -> list[tuple[object, ...]]:
    return [
        (each.name, str(each.code), str(each.severity), each.line, each.fixed)
        for each in report.findings
    ]


@pytest.mark.parametrize(
    ("root", "code"),
    [("gone", Code.NO_FOLDER), ("file", Code.NOT_A_FOLDER), ("nul\0", Code.NO_FOLDER)],
)
def test_roots_that_cannot_be_read(tmp_path: Path, root: str, code: Code) -> None:
    (tmp_path / "file").write_text("x")
    report = examine(f"{tmp_path}/{root}", fix=True)
    assert (report.memories, report.failed) == (0, {"": code})
    assert _plain(report) == [("", str(code), "error", None, False)]
    write(tmp_path / "notes" / "a.md")
    both = examine({"gone": f"{tmp_path}/{root}", "mine": tmp_path / "notes"})
    assert (both.memories, both.failed) == (1, {"gone": code})
    assert codes(both) == {("gone", code)}


def test_a_root_that_cannot_be_meant() -> None:
    with pytest.raises(ConfigurationError):
        examine("")


# --- texts


@pytest.mark.parametrize(
    ("body", "line", "where"),
    [
        ("plain\n", None, ""),
        ("a\tb\r\nc\n", None, ""),
        ("❤\ufe0f 👩\u200d🚀 می\u200cخواهم क्\u200dष\n", None, ""),
        ("one\ntw\u200bo\u2060\nthree\u202e\n", 8, "in 2 lines"),
        ("\n\n\U000e0041\U000e0042\n", 9, "in one line"),
        ("a\x1b[31m\x00\n", 7, "in one line"),
        ("a\u200db\u200c\n", 7, "in one line"),
        ("\u200bक\u200d\u200b\n", 7, "in one line"),
        ("a\x0cb\u2028c\xadd\ufeff\n", 7, "in one line"),
    ],
)
def test_hidden_text(tmp_path: Path, body: str, line: int | None, where: str) -> None:
    write(tmp_path / "a.md", f"{NOTE}{body}")
    found = examine(tmp_path).findings
    assert [each.line for each in found] == ([line] if line else [])
    assert all(each.code is Code.HIDDEN_TEXT for each in found)
    assert all(where in each.message for each in found)


def test_hidden_text_far_behind_the_beginning(tmp_path: Path) -> None:
    write(tmp_path / "a.md", NOTE + "word\n" * 10_000 + "\u200b")
    assert lines(examine(tmp_path), Code.HIDDEN_TEXT) == [10_007]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.md").write_bytes(NOTE.encode(encoding))
    assert examine(tmp_path).findings == ()
    (tmp_path / "a.md").write_bytes(f"{NOTE}\nx\u200b".encode(encoding))
    assert lines(examine(tmp_path), Code.HIDDEN_TEXT) == [8]


def test_invalid_bytes_behind_the_beginning(tmp_path: Path) -> None:
    write(tmp_path / "a.md", NOTE + "word\n" * 10_000 + "caf\udce9")
    (found,) = examine(tmp_path).findings
    assert (found.code, found.severity, found.line) == (
        Code.INVALID_ENCODING,
        Severity.ERROR,
        10_007,
    )


@pytest.mark.parametrize(
    ("size", "code"),
    [
        (findings.LONG_NOTE, None),
        (findings.LONG_NOTE + 1, Code.LONG_NOTE),
        (MAX_BODY, Code.LONG_NOTE),
        (MAX_BODY + 1, Code.TOO_LARGE),
        (2 << 30, Code.TOO_LARGE),
    ],
)
def test_sizes(tmp_path: Path, size: int, code: Code | None) -> None:
    note = write(tmp_path / "a.md", NOTE + "x" * (min(size, MAX_BODY + 1) - len(NOTE)))
    os.truncate(note, size)
    found = examine(tmp_path).findings
    assert [each.code for each in found] == ([code] if code else [])
    assert all((each.severity == "error") == (code is Code.TOO_LARGE) for each in found)


# --- index files


@pytest.mark.parametrize(
    ("line", "is_broken"),
    [
        ("- [One](1.md) and [Two](./2.md)", False),
        ("- [One](1.md#part), [One](1.md?raw=1), [One](<1.md>), [One](1.md \"title\")", False),
        ("- [Sub](sub/my%20note.md) [Sub](<sub/my note.md>) [Sub](sub/my note.md)", False),
        ("- [Folder](sub/), [Root](/1.md), [Up](sub/../1.md)", False),
        ("- [Odd](odd_(1).md), [Odd](odd\\_\\(1\\).md), [C](c%23.md), [C](c#.md)", False),
        ("- [Web](https://example.com/x.md), [Mail](mailto:a@b.c), [Here](#part), [No]()", False),
        ("- [[1]], [[1.md]], [[1#part|shown]], [[sub/my note]], [[#part]], [[1\\|x]]", False),
        ("- [[Declared Title]], [[my note]], [[MY NOTE.md]], [[straße]]", False),
        ("- `[code](gone.md)` and [[ -f x ]] and [Task 1] (gone.md)", False),
        ("- caf\u00e9: [c](caf\u00e9.md) [c](cafe\u0301.md)", False),
        ("- [[❤️ love]], ![[pic.png]], [[board.canvas]], [[CLAUDE]], [[claude.md]]", False),
        ("- [a](a&amp;b.md), [a](1), [a](sub\\my note.md), [a](Odd_(1).md), [a](C%23.MD)", False),
        ("- [Elsewhere](my note.md)", True),
        ("- [Gone](gone.md)", True),
        ("- [One](1.md), [Gone](gone.md)", True),
        ("- [Gone](sub/gone.md#part)", True),
        ("- [[gone]], [[1]]", True),
        ("- [[gone.md#part|shown]]", True),
        ("- [Out](../outside.md)", True),
        ("- [Out](../../../../../../../etc/hostname)", True),
        ("- [Out](/etc/hostname)", True),
        ("- [NUL](a%00b.md)", True),
        (f"- [Long]({'x' * 300}.md)", True),
        ("plain [Gone](gone.md)", True),
        ("| [Gone](gone.md) | table |", True),
        ("- [`code`](gone.md)", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["MEMORY.md", "index.md", "Memory.MD"])
def test_index_lines(tmp_path: Path, line: str, is_broken: bool, name: str) -> None:
    root = tmp_path / "root"
    write(tmp_path / "outside.md")
    titled = NOTE.replace("name: a", "name: Declared Title")
    write(root / "deep" / "loved.md", NOTE.replace("name: a", "name: ❤\ufe0f love"))
    for note in (
        "a&b.md",
        "odd_(1).md",
        "c#.md",
        "caf\u00e9.md",
        "sub/my note.md",
        "deep/titled.md",
        "deep/Straße.md",
    ):
        write(root / note, titled if "titled" in note else NOTE)
    index(root, "# Memory index", "", line, "- [Two](2.md)", name=name)
    report = examine(root)
    assert lines(report) == ([3] if is_broken else [])
    assert report.memories == 12
    assert codes(report) <= {(name, Code.BROKEN_INDEX_LINE)}


def test_index_in_a_folder(tmp_path: Path) -> None:
    """Links are relative to the index file."""
    index(tmp_path / "sub", "- [One](1.md)", "- [One](sub/1.md)", "- [One](../sub/1.md)")
    report = examine({"team": tmp_path})
    assert lines(report) == [2]
    assert codes(report) == {("team/sub/MEMORY.md", Code.BROKEN_INDEX_LINE)}


def test_a_word_about_comments_hides_nothing(tmp_path: Path) -> None:
    index(tmp_path, "Use `<!--` to comment.", "- [gone](gone.md)")
    assert lines(examine(tmp_path)) == [2]
    index(tmp_path, "- [One](1.md)", "<!-- never closed", "- [gone](gone.md)")
    assert lines(examine(tmp_path)) == []
    index(tmp_path, "~~~ `info`", "- [gone](gone.md)", "~~~")
    assert lines(examine(tmp_path)) == []


def test_what_is_no_link(tmp_path: Path) -> None:
    index(
        tmp_path,
        *("---", "related: '[[gone]]'", "---"),
        *(
            "```",
            "``` not yet",
            "- [Gone](gone.md)",
            "```",
            "~~~~ md",
            "~~~",
            "- [Gone](gone.md)",
            "~~~~",
        ),
        *("<!-- [Gone](gone.md)", "- [Gone](gone.md) -->"),
        "``` `inline` [Gone](gone.md)",
        "- [Gone](gone.md)",
    )
    assert lines(examine(tmp_path)) == [14, 15]


@pytest.mark.parametrize(
    ("text", "is_long"),
    [
        ("x\n" * 200, False),
        ("x\n" * 201, True),
        ("x" * 25_000, False),
        ("ö" * 12_501, True),
        ("---\n" + "x: y\n" * 300 + "---\n<!--" + "y\n" * 300 + "-->\n" + "x\n" * 199, False),
    ],
)
def test_long_index(tmp_path: Path, text: str, is_long: bool) -> None:
    """The header and comments of an index do not count."""
    write(tmp_path / "MEMORY.md", text)
    assert codes(examine(tmp_path)) == ({("MEMORY.md", Code.LONG_INDEX)} if is_long else set())


def test_an_index_is_no_memory_but_a_text(tmp_path: Path) -> None:
    write(tmp_path / "MEMORY.md", "no description\n\nhid\u200bden")
    write(tmp_path / "index.md", "---\nnever closed\n\nbad \udcff")
    assert codes(examine(tmp_path)) == {
        ("MEMORY.md", Code.HIDDEN_TEXT),
        ("index.md", Code.INVALID_ENCODING),
    }


@pytest.mark.parametrize(
    "line", ["](" * 200_000, "[[a" * 200_000, "[[" + "a" * 400_000, "](" + " '" * 200_000,
             "`" * 400_001, "<!--" * 100_000, "](" + "\\" * 400_001, "- [x](a(" + "(" * 400_000,
             "\t" * 400_000 + "- [x](gone.md)", "](" + " " * 400_000 + ")",
             "](a" + " " * 400_000 + "b)",
             "- [x](gone.md)\n" * 20_000 + "x" * 2_000_000, "[[a|" * 100_000,
             "](\\)" * 100_000, "a" + "\u0301\u0316" * 400_000]
)  # fmt: skip
def test_hostile_lines_cost_no_more_than_their_length(tmp_path: Path, line: str) -> None:
    write(tmp_path / "MEMORY.md", f"- [x](gone.md)\n{line}\n")
    before = time.perf_counter()
    examine(tmp_path)
    assert time.perf_counter() - before < 30  # minutes and hours, when it is their square


# --- stray files


@pytest.mark.parametrize(
    ("name", "is_stray"),
    [
        (OURS, True),
        *((f"x{suffix}.tmp", True) for suffix in SUFFIXES),
        ("x.md.tmp.1234.abcd", True),
        (".x.md.5f2c.tmp", True),
        (".tmp-x.md", True),
        (".goutputstream-AB12CD", True),
        ("x.MD.TMP", True),
        ("x.md.tmp-17123456789abc", True),
        (".x.md.swp", False),
        ("x.md~", False),
        (".#x.md", False),
        ("#x.md#", False),
        (".#x.md.tmp", False),
        ("x.tmp", False),
        (".hidden.md", False),
        ("x.md.bak", False),
        (".memsel-notes.md", False),
        ("4913", False),
    ],
)
def test_stray_files(tmp_path: Path, name: str, is_stray: bool) -> None:
    stray(tmp_path / "sub" / name)
    assert is_temporary(name) is is_stray
    report = examine(tmp_path)
    assert codes(report) == ({(f"sub/{name}", Code.STRAY_FILE)} if is_stray else set())
    assert ("less " in "".join(each.message for each in report.findings)) is (
        is_stray and name != OURS
    )


def test_a_young_file_may_be_in_use(tmp_path: Path) -> None:
    young = stray(tmp_path / OURS, age=3500)
    future = stray(tmp_path / f"{OURS}.tmp", age=-90_000)
    assert examine(tmp_path, fix=True).findings == ()
    assert young.exists()
    assert future.exists()


@needs_links
def test_where_stray_files_are_looked_for(tmp_path: Path) -> None:
    root = tmp_path / "root"
    deepest = "d/" * MAX_DEPTH
    stray(root / deepest / OURS)
    for folder in (".git", ".trash", "node_modules", "venv", f"{deepest}/d", "a\nb"):
        stray(root / folder / OURS)
    stray(tmp_path / "outside" / OURS)
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "x.md.tmp").symlink_to(tmp_path / "outside" / OURS)
    os.mkfifo(root / "y.md.tmp")
    (root / "z.md.tmp").mkdir()
    for odd in ("x", "y", "z"):
        os.utime(root / f"{odd}.md.tmp", (1e9, 1e9), follow_symlinks=False)
    before = tree(tmp_path / "outside")
    found = [each for each in examine(root, fix=True).findings if each.code is Code.STRAY_FILE]
    assert [(each.name, each.fixed) for each in found] == [(f"{deepest}{OURS}", True)]
    assert tree(tmp_path / "outside") == before


def test_a_root_within_another_is_walked_once(tmp_path: Path) -> None:
    stray(tmp_path / "sub" / OURS)
    report = examine({"all": tmp_path, "sub": tmp_path / "sub"})
    assert codes(report) == {(f"all/sub/{OURS}", Code.STRAY_FILE)}


# --- mending


def test_stray_files_of_ours_are_moved(tmp_path: Path) -> None:
    stray(tmp_path / OURS)
    stray(tmp_path / "sub" / OURS).write_text("another")
    os.utime(tmp_path / "sub" / OURS, (1e9, 1e9))
    other = stray(tmp_path / "x.md.tmp")
    write(tmp_path / TRASH / OURS, "an older one")
    report = examine(tmp_path, fix=True)
    assert {(each.name, each.fixed) for each in report.findings} == {
        (OURS, True),
        (f"sub/{OURS}", True),
        ("x.md.tmp", False),
    }
    kept = {path.name: path.read_text() for path in (tmp_path / TRASH).iterdir()}
    assert kept == {OURS: "an older one", f"{OURS}.2": "half a no", f"{OURS}.3": "another"}
    assert other.exists()
    again = examine(tmp_path, fix=True)
    assert codes(again) == {("x.md.tmp", Code.STRAY_FILE)}


def test_a_move_that_fails_leaves_nothing(tmp_path: Path) -> None:
    folder = open_folder(str(tmp_path))
    try:
        with pytest.raises(FileNotFoundError):
            move_to_trash(str(tmp_path), "vanished", folder)
    finally:
        os.close(folder)
    assert list((tmp_path / TRASH).iterdir()) == []


def test_the_trash_is_private(tmp_path: Path) -> None:
    stray(tmp_path / OURS)
    examine(tmp_path, fix=True)
    assert stat.S_IMODE((tmp_path / TRASH).stat().st_mode) == 0o700


@needs_links
def test_the_trash_may_not_be_a_link(tmp_path: Path) -> None:
    left = stray(tmp_path / "root" / OURS)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root" / TRASH).symlink_to(tmp_path / "elsewhere")
    (found,) = examine(tmp_path / "root", fix=True).findings
    assert not found.fixed
    assert "not moved" in found.message
    assert left.exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_index_is_for_a_person_to_mend(tmp_path: Path) -> None:
    file = index(tmp_path, "- [One](1.md)", "- [Gone](gone.md)")
    before = file.read_bytes()
    (found,) = examine(tmp_path, fix=True).findings
    assert (found.line, found.fixed) == (2, False)
    assert "correct the link or delete the line" in found.message
    assert file.read_bytes() == before


def test_a_folder_that_may_not_be_written(shared_folder: Path) -> None:
    stray(shared_folder / OURS)
    before = tree(shared_folder)
    (found,) = as_nobody(lambda: examine(shared_folder, fix=True).findings)
    assert not found.fixed
    assert "not moved: Permission denied" in found.message
    assert tree(shared_folder) == before


@needs_links
def test_a_root_that_is_a_link(tmp_path: Path) -> None:
    stray(tmp_path / "root" / OURS)
    (tmp_path / "link").symlink_to("root")
    before = tree(tmp_path)
    (found,) = examine(tmp_path / "link", fix=True).findings
    assert not found.fixed
    assert "the root is a link" in found.message
    assert tree(tmp_path) == before
    (found,) = examine(tmp_path / "root", fix=True).findings
    assert found.fixed


# --- whole folders


@pytest.fixture(scope="module")
def cases() -> Iterator[Path]:
    """The folders that `make_fs_cases.py` builds, without the slow one, for another user too."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        script = BAD_INPUTS / "make_fs_cases.py"
        command = [sys.executable, "-W", "ignore", str(script), f"{folder}/cases"]
        subprocess.run(command, check=True, capture_output=True)
        shutil.rmtree(f"{folder}/cases/F027")  # 10,000 notes
        yield Path(folder) / "cases"
        for path in (Path(folder) / "cases").glob("*/sub"):
            path.chmod(0o755)


def test_hostile_folders(cases: Path) -> None:
    for case in sorted(cases.iterdir()):
        report = examine(case)
        assert examine(case) == report
        assert report.memories == len(scan(case).headers)
        for found in report.findings:
            assert found.name.isprintable()
            assert found.message.isprintable()
    assert codes(examine(cases / "F038")) == set()  # too young
    assert codes(examine(cases / "F034")) == set()
    assert len(as_nobody(lambda: examine(cases, fix=True)).findings) >= 10


def test_nothing_is_written_without_fix(tmp_path: Path) -> None:
    root = tmp_path / "md"
    shutil.copytree(BAD_INPUTS / "md", root)
    index(root, "- [One](1.md)", "- [Gone](gone.md)")
    stray(root / OURS)
    for path in root.rglob("*"):
        os.utime(path, (1e9, 1e9))
    os.utime(root, (1e9, 1e9))
    before = tree(root)
    for path in root.rglob("*"):
        os.utime(path, (1e9, 1e9))
    report = examine(root)
    read = {path.lstat().st_atime for path in root.rglob("*")}
    assert tree(root) == before
    assert len({each.code for each in report.findings}) > 10
    if hasattr(os, "O_NOATIME"):
        assert read == {1e9}


def test_order(tmp_path: Path) -> None:
    write(tmp_path / "b.md", "")
    write(tmp_path / "c.md", "")
    write(tmp_path / "a.md", "no header\u200b")
    index(tmp_path, "- [x](gone.md)", "- [x](gone.md)")
    found = examine(tmp_path).findings
    assert [(each.severity.value, each.name, each.code.value, each.line) for each in found] == [
        ("error", "b.md", "empty_file", None),
        ("error", "c.md", "empty_file", None),
        ("warning", "MEMORY.md", "broken_index_line", 1),
        ("warning", "MEMORY.md", "broken_index_line", 2),
        ("warning", "a.md", "hidden_text", 1),
        ("warning", "a.md", "no_description", None),
    ]


def test_a_folder_that_changes_meanwhile(tmp_path: Path) -> None:
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            with suppress(OSError):  # what is mended is in the way
                index(tmp_path / "root", "- [One](1.md)", "- [Two](2.md)", "- [Gone](gone.md)")
                stray(tmp_path / "root" / OURS)
                shutil.rmtree(tmp_path / "root")

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(200):
            examine(tmp_path / "root", fix=True)
    finally:
        done.set()
        thread.join()
