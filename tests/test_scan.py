"""Folders as a disk may hold them: every row of `bad_inputs/fs_cases.jsonl` that a scan meets."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from selector.codes import Code, Severity
from selector.errors import ConfigurationError
from selector.headers import HEAD_BYTES
from selector.roots import root_paths
from selector.scan import MAX_DEPTH, Scan, scan
from selector.text import age
from tests.conftest import as_nobody

BAD_INPUTS = Path(__file__).parent / "bad_inputs"
NOTE = "---\nname: {name}\ndescription: note {name}\ntype: project\n---\nbody\n"

needs_links = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="no O_NOFOLLOW here")


def write(path: Path, name: str = "a") -> Path:
    """A well-formed note."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(NOTE.format(name=name), encoding="utf-8")
    return path


def names(found: Scan) -> list[str]:
    """The listed names, in the order of the scan."""
    return [header.name for header in found.headers]


def problems(found: Scan) -> set[tuple[str, Code]]:
    """What was reported, without what is only information on a header."""
    ignored = (Code.NO_DESCRIPTION,)
    return {(each.name, each.code) for each in found.problems if each.code not in ignored}


@pytest.fixture(scope="module")
def cases() -> Iterator[Path]:
    """The folders that `make_fs_cases.py` builds, where another user can reach them."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        script = BAD_INPUTS / "make_fs_cases.py"
        subprocess.run(
            [sys.executable, "-W", "ignore", str(script), f"{folder}/cases"],
            check=True,
            capture_output=True,
        )
        yield Path(folder) / "cases"
        for path in (Path(folder) / "cases").glob("*/sub"):
            path.chmod(0o755)


class Expected(NamedTuple):
    """What a scan of one case gives."""

    names: tuple[str, ...] = ()
    problems: frozenset[tuple[str, Code]] = frozenset()
    status: str = "ok"


def only(name: str, code: Code) -> frozenset[tuple[str, Code]]:
    """One problem."""
    return frozenset({(name, code)})


DEEP = "/".join("d" * (MAX_DEPTH + 1))
STATIC = {
    "F001": Expected(),
    "F002": Expected((), only("", Code.NO_FOLDER), "no_folder"),
    "F003": Expected((), only("", Code.NOT_A_FOLDER), "not_a_folder"),
    "F004/link": Expected(("a.md",)),
    "F004": Expected(("real/a.md",), only("link", Code.SYMLINK_INSIDE)),
    "F006": Expected(("a.md",), only("b.md", Code.SYMLINK_INSIDE)),
    "F007": Expected((), only("x.md", Code.SYMLINK_OUTSIDE)),
    "F008": Expected((), only("x.md", Code.DANGLING)),
    "F009": Expected((), only("x.md", Code.LOOP)),
    "F010": Expected(("a.md",), only("up", Code.SYMLINK_OUTSIDE)),
    "F011": Expected((), only("out", Code.SYMLINK_OUTSIDE)),
    "F012": Expected(("h.md",)),
    "F013": Expected((), only("x.md", Code.NOT_REGULAR)),
    "F014": Expected((), only("s.md", Code.NOT_REGULAR)),
    "F015": Expected(("dir.md/a.md",)),
    "F019": Expected(
        ("Note.md", "note.md"),
        frozenset({("Note.md", Code.CASE_TWINS), ("note.md", Code.CASE_TWINS)}),
    ),
    "F020": Expected(("cafe\u0301.md", "caf\u00e9.md"), only("cafe\u0301.md", Code.UNICODE_TWINS)),
    "F021": Expected(("----=-.md", "[.md", "{.md", "°.md", "🐘.md")),
    "F022": Expected(("my file.md", "my-file.md", "my_file.md")),
    "F023": Expected((), only("caf\\udce9.md", Code.UNSAFE_NAME)),
    "F024": Expected((), only("a\\n- b.md", Code.UNSAFE_NAME)),
    "F025": Expected(("a" * 252 + ".md",)),
    "F026": Expected((), only(DEEP, Code.TOO_DEEP)),
    "F028": Expected(("big.md",)),
    "F029": Expected(("line.md",)),
    "F030": Expected(("f.md",), only("f.md", Code.FUTURE_MTIME)),
    "F031": Expected(("e.md", "n.md")),
    "F032": Expected(tuple(sorted(f"t{number}.md" for number in range(1000)))),
    "F034": Expected(),
    "F035": Expected(
        (
            "a (conflicted copy 2026-12-01).md",
            "a.md",
            "a.sync-conflict-20261201-100000-ABCDEFG.md",
        ),
        frozenset(
            {
                ("a (conflicted copy 2026-12-01).md", Code.CONFLICT_COPY),
                ("a.sync-conflict-20261201-100000-ABCDEFG.md", Code.CONFLICT_COPY),
            }
        ),
    ),
    "F036": Expected(),
    "F037": Expected(("z.md",), only("z.md", Code.EMPTY_FILE)),
    "F038": Expected(),
}
# Listed in the order of their names, whatever second they were written in.
SAME_TIME = ("F019", "F020", "F021", "F022", "F035")


@pytest.mark.parametrize("by_descriptor", [True, False])
@pytest.mark.parametrize("case", STATIC)
def test_static_cases(cases: Path, case: str, by_descriptor: bool) -> None:
    root = cases / case
    expected = STATIC[case]
    found = scan(root, by_descriptor=by_descriptor)
    listed = sorted(names(found)) if case in SAME_TIME else names(found)
    assert listed == list(expected.names)
    assert problems(found) == expected.problems
    assert found.status == expected.status


def test_every_static_case_is_here() -> None:
    lines = (BAD_INPUTS / "fs_cases.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    static = {row["id"] for row in rows if "live" not in row}
    elsewhere = {"F005", "F016", "F017", "F018", "F027", "F033"}  # tests of their own; the index
    assert static == {case[:4] for case in STATIC} | elsewhere


@pytest.mark.parametrize("labels", [("real", "link"), ("link", "real")])
def test_root_listed_twice(cases: Path, labels: tuple[str, str]) -> None:
    found = scan({label: cases / "F005" / label for label in labels})
    assert names(found) == [f"{labels[0]}/a.md"]
    assert problems(found) == {(labels[1], Code.LOOP)}
    assert found.status == "ok"


def test_ten_thousand_files(cases: Path) -> None:
    found = scan(cases / "F027")
    assert len({header.name for header in found.headers}) == 10_000
    assert found.problems == []


def test_order_is_the_same_on_every_run(cases: Path) -> None:
    assert names(scan(cases / "F032")) == names(scan(cases / "F032"))


def test_newest_first_then_by_name(tmp_path: Path) -> None:
    """Over all folders: the files of a folder are read before those below it."""
    for name, mtime in (("z.md", 5), ("a/b.md", 5), ("m.md", 9), ("a/a.md", 1), ("b.md", 5)):
        os.utime(write(tmp_path / name), (10**9 + mtime,) * 2)
    assert names(scan(tmp_path)) == ["m.md", "a/b.md", "b.md", "z.md", "a/a.md"]


def test_odd_times(cases: Path, tmp_path: Path) -> None:
    future = scan(cases / "F030").headers[0]
    assert age(future.modified, datetime.now(UTC)) == "today"
    for header in scan(cases / "F031").headers:
        assert age(header.modified, datetime.now(UTC)) == "unknown"
    write(tmp_path / "new.md")
    os.utime(write(tmp_path / "future.md"), (time.time() + 10**9,) * 2)
    os.utime(write(tmp_path / "old.md"), (-10, -10))
    assert names(scan(tmp_path)) == ["future.md", "new.md", "old.md"]


def test_sparse_file_is_not_read(cases: Path) -> None:
    header = scan(cases / "F028").headers[0]
    assert (header.description, header.size) == ("note a", 2 << 30)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="permissions of POSIX")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(
    ("case", "listed", "expected"),
    [
        ("F016", ["a.md"], {("b.md", Code.PERMISSION)}),
        ("F017", ["a.md"], {("sub", Code.PERMISSION)}),
        ("F017/sub", [], {("", Code.PERMISSION)}),
        # Not the owner: such a one cannot ask for an unchanged access time, and reads all the same.
        ("F018", ["a.md"], set()),
    ],
)
def test_permissions(
    cases: Path, case: str, listed: list[str], expected: set[tuple[str, Code]]
) -> None:
    found = as_nobody(lambda: scan(cases / case))
    assert (names(found), problems(found)) == (listed, expected)
    assert found.status == ("permission" if case == "F017/sub" else "ok")
    assert all(each.severity is Severity.ERROR for each in found.problems)


def mischief(act: Callable[[], object]) -> Callable[[], bool]:
    """A `stop` that never stops: it acts once, after a file was listed and before it is opened."""
    acts = [act]

    def stop() -> bool:
        while acts:
            acts.pop()()
        return False

    return stop


both_ways = pytest.mark.parametrize("by_descriptor", [True, False])


@both_ways
def test_vanished(tmp_path: Path, by_descriptor: bool) -> None:
    note = write(tmp_path / "a.md")
    write(tmp_path / "b.md", "b")
    found = scan(tmp_path, stop=mischief(note.unlink), by_descriptor=by_descriptor)
    assert (names(found), problems(found)) == (["b.md"], {("a.md", Code.VANISHED)})


@needs_links
@both_ways
def test_link_swapped_in(tmp_path: Path, by_descriptor: bool) -> None:
    outside = write(tmp_path / "outside.md", "secret")
    note = write(tmp_path / "root" / "a.md")

    def swap() -> None:
        note.unlink()
        note.symlink_to(outside)

    found = scan(tmp_path / "root", stop=mischief(swap), by_descriptor=by_descriptor)
    assert (names(found), problems(found)) == ([], {("a.md", Code.SYMLINK_OUTSIDE)})


@needs_links
@both_ways
def test_pipe_swapped_in(tmp_path: Path, by_descriptor: bool) -> None:
    """Opening a pipe that no one writes to would wait for ever."""
    note = write(tmp_path / "a.md")

    def swap() -> None:
        note.unlink()
        os.mkfifo(note)

    found = scan(tmp_path, stop=mischief(swap), by_descriptor=by_descriptor)
    assert (names(found), problems(found)) == ([], {("a.md", Code.NOT_REGULAR)})


@needs_links
@both_ways
def test_folder_swapped_for_a_link(tmp_path: Path, by_descriptor: bool) -> None:
    write(tmp_path / "outside" / "b.md", "secret")
    write(tmp_path / "root" / "a.md")
    write(tmp_path / "root" / "sub" / "b.md")

    def swap() -> None:
        shutil.rmtree(tmp_path / "root" / "sub")
        (tmp_path / "root" / "sub").symlink_to(tmp_path / "outside")

    found = scan(tmp_path / "root", stop=mischief(swap), by_descriptor=by_descriptor)
    assert names(found) == ["a.md"]
    assert [each.name for each in found.problems] == ["sub"]


@needs_links
def test_parent_moved_away(tmp_path: Path) -> None:
    """The folder that was listed is the folder that is read."""
    write(tmp_path / "root" / "sub" / "b.md", "inside")
    write(tmp_path / "outside" / "b.md", "secret")

    def swap() -> None:
        (tmp_path / "root" / "sub").rename(tmp_path / "gone")
        (tmp_path / "root" / "sub").symlink_to(tmp_path / "outside")

    found = scan(tmp_path / "root", stop=mischief(swap))
    assert [header.title for header in found.headers] == ["inside"]


def in_a_loop(act: Callable[[], object], done: threading.Event) -> threading.Thread:
    """A thread that acts until it is told to end."""

    def run() -> None:
        while not done.is_set():
            act()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@needs_links
def test_link_swapped_in_many_times(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside.md", "secret")
    note = tmp_path / "root" / "a.md"
    write(note)

    def swap() -> None:
        (tmp_path / "link").symlink_to(outside)
        (tmp_path / "link").replace(note)
        write(tmp_path / "note.md").replace(note)

    done = threading.Event()
    thread = in_a_loop(swap, done)
    try:
        titles = {header.title for _ in range(2000) for header in scan(tmp_path / "root").headers}
    finally:
        done.set()
        thread.join()
    assert titles <= {"a"}


@both_ways
@pytest.mark.parametrize("grows", [True, False])
def test_size_changes_while_read(tmp_path: Path, grows: bool, by_descriptor: bool) -> None:
    """Whatever prefix is read, the header is whole: it was never changed."""
    note = write(tmp_path / "a.md")
    length = note.stat().st_size

    def change() -> None:
        with note.open("ab") as file:
            file.write(b"more\n" * 400)
        if not grows or note.stat().st_size > 100_000:
            os.truncate(note, length)

    done = threading.Event()
    thread = in_a_loop(change, done)
    try:
        for _ in range(500):
            found = scan(tmp_path, by_descriptor=by_descriptor)
            assert [header.description for header in found.headers] == ["note a"]
            assert problems(found) == set()
    finally:
        done.set()
        thread.join()


def test_truncated_in_the_header(tmp_path: Path) -> None:
    note = write(tmp_path / "a.md")
    found = scan(tmp_path, stop=mischief(lambda: os.truncate(note, 20)))
    assert names(found) == ["a.md"]
    assert problems(found) == {("a.md", Code.UNCLOSED_HEADER)}


@pytest.mark.parametrize(
    ("line", "description"),
    [(HEAD_BYTES - 8, "late"), (HEAD_BYTES, "late"), (15_000, "late"), (17_000, None)],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_long_headers(tmp_path: Path, line: int, description: str | None, ends: str) -> None:
    """Up to 16 KiB are read while a header is open, even past what looks like its end."""
    header = f"---{ends}x: {'y' * 100}{ends}----{ends}x: {'y' * line}{ends}description: late{ends}"
    (tmp_path / "a.md").write_bytes(f"{header}---{ends}\nbody\n".encode())
    found = scan(tmp_path)
    declared = found.headers[0].description_from == "header"
    assert declared is (description is not None)
    assert not declared or found.headers[0].description == description
    assert (("a.md", Code.HEADER_TOO_LARGE) in problems(found)) is not declared


def test_a_character_on_the_edge(tmp_path: Path) -> None:
    for shift in range(4):
        text = NOTE.format(name="a")
        body = "x" * (HEAD_BYTES - len(text) - shift) + "🐘" * 10
        (tmp_path / f"{shift}.md").write_text(text + body, encoding="utf-8")
    assert scan(tmp_path).problems == []


def test_what_is_left_out(tmp_path: Path) -> None:
    for name in (
        "a.md", "b.mdc", "c.markdown", "D.MD", "e.txt", "f.md.bak", ".hidden.md", ".git/a.md",
        "node_modules/a.md", "venv/a.md", "__pycache__/a.md", "MEMORY.md", "sub/memory.md",
        "README.md", "Index.md", "LOG.md", "CLAUDE.md", "agents.md", "sub/GEMINI.md",
        "copilot-instructions.md", "raw_memories.md", "DREAMS.md", "USER.md", "sub/SKILL.md",
    ):  # fmt: skip
        write(tmp_path / name)
    listed = {"a.md", "b.mdc", "c.markdown", "D.MD", "USER.md", "sub/SKILL.md"}
    indexes = {
        "MEMORY.md", "sub/memory.md", "README.md", "Index.md", "LOG.md", "raw_memories.md",
        "DREAMS.md",
    }  # fmt: skip
    clients = {"CLAUDE.md", "agents.md", "sub/GEMINI.md", "copilot-instructions.md"}
    found = scan(tmp_path)
    assert set(names(found)) == listed
    assert {each.name for each in found.problems if each.code is Code.INDEX_FILE} == indexes
    assert {each.name for each in found.problems if each.code is Code.CLIENT_FILE} == clients
    assert {each.severity for each in found.problems} == {Severity.INFO}
    everything = scan(tmp_path, indexes=True, instructions=True)
    assert set(names(everything)) == listed | indexes | clients


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("x/MEMORY.md", "index"),
        ("x/memory.md", "index"),
        ("x/USER.md", "user"),
        ("x/user.md", "user"),
        ("x/s/SKILL.md", "skill"),
        ("x/s/skill.md", "skill"),
        ("x/CLAUDE.md", "instruction"),
        ("x/r.mdc", "instruction"),
        ("x/r.instructions.md", "instruction"),
        (".claude/rules/deep/r.md", "instruction"),
        (".serena/memories/r.md", "project"),
        ("memories/r.md", "project"),
        ("x/r.md", None),
    ],
)
def test_type_by_path(tmp_path: Path, path: str, kind: str | None) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text("text\n", encoding="utf-8")
    root = tmp_path / path.rpartition("/")[0]
    found = scan(root, indexes=True, instructions=True)
    assert [header.type for header in found.headers] == [kind]


@pytest.mark.parametrize(
    "files",
    [
        ("caf\u00e9.md", "cafe\u0301.md"),
        ("caf\u00e9/a.md", "cafe\u0301/a.md"),
        ("K.md", "\u212a.md"),
        ("\u1e69.md", "s\u0323\u0307.md", "\u1e61\u0323.md"),
    ],
)
def test_unicode_twins_have_names_of_their_own(tmp_path: Path, files: tuple[str, ...]) -> None:
    for number, name in enumerate(files):
        write(tmp_path / name, str(number))
    if len(list(tmp_path.rglob("*.md"))) < len(files):
        pytest.skip("one file on this file system")
    found = scan(tmp_path)
    # The one that is NFC already has that name; each name leads to its own file.
    assert {header.name: header.title for header in found.headers}[files[0]] == "0"
    assert len(set(names(found))) == len(files)
    for header in found.headers:
        assert Path(header.path).read_text("utf-8").splitlines()[1] == f"name: {header.title}"
    assert [each.code for each in found.problems].count(Code.UNICODE_TWINS) == len(files) - 1


def test_nfd_alone_is_listed_as_nfc(tmp_path: Path) -> None:
    write(tmp_path / "cafe\u0301" / "n\u0303.md")
    assert names(scan(tmp_path)) == ["caf\u00e9/\u00f1.md"]


def test_depth(tmp_path: Path) -> None:
    deepest = "/".join("d" * MAX_DEPTH)
    write(tmp_path / deepest / "a.md")
    write(tmp_path / deepest / "d" / "b.md")
    found = scan(tmp_path)
    assert names(found) == [f"{deepest}/a.md"]
    assert problems(found) == {(f"{deepest}/d", Code.TOO_DEEP)}


def test_hidden_root_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / ".memories" / "a.md")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert names(scan("~/.memories")) == ["a.md"]
    assert names(scan(os.fsencode(tmp_path / ".memories"))) == ["a.md"]  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    header = scan(".memories/").headers[0]
    assert header.path == str(tmp_path / ".memories" / "a.md")


def test_labels(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.md")
    write(tmp_path / "two" / "a.md")
    found = scan({"b": tmp_path / "one", "ä": tmp_path / "two", "none": tmp_path / "three"})
    assert sorted(names(found)) == ["b/a.md", "ä/a.md"]
    assert (list(found.failed), found.status) == (["none"], "no_folder")


@pytest.mark.parametrize("first", ["inner", "outer"])
def test_one_root_within_another(tmp_path: Path, first: str) -> None:
    """Each file once, under the label that came to it first."""
    write(tmp_path / "a.md")
    write(tmp_path / "sub" / "b.md")
    roots = {"inner": tmp_path / "sub", "outer": tmp_path}
    found = scan({label: roots[label] for label in sorted(roots, key=lambda key: key != first)})
    inner = "inner/b.md" if first == "inner" else "outer/sub/b.md"
    assert set(names(found)) == {"outer/a.md", inner}
    assert [each.code for each in found.problems] == [Code.LOOP]


def test_labels_are_told_apart() -> None:
    with pytest.raises(ConfigurationError, match="two labels"):
        root_paths({"caf\u00e9": "/a", "cafe\u0301": "/b"})


def test_the_current_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert root_paths("memories") == {"": "memories"}
    assert scan("memories").status == "no_folder"
    assert root_paths("/x/../y") == {"": "/y"}


@pytest.mark.parametrize(
    "root", [{}, {"": "/x"}, {"a/b": "/x"}, {".a": "/x"}, {"a\nb": "/x"}, {" a": "/x"},
             {"a\\b": "/x"}, {1: "/x"}, {"a": None}, None, 7, ""]
)  # fmt: skip
def test_wrong_roots(root: object) -> None:
    with pytest.raises(ConfigurationError, match=r"needed|no root"):
        root_paths(root)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("root", "status"),
    [("gone", "no_folder"), ("a.md/x", "not_a_folder"), ("loop", "no_folder"),
     ("pipe", "not_a_folder"), ("a\0b", "no_folder"), ("x" * 300, "no_folder")],
)  # fmt: skip
@both_ways
def test_unavailable_roots(tmp_path: Path, root: str, status: str, by_descriptor: bool) -> None:
    write(tmp_path / "a.md")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    found = scan(f"{tmp_path}/{root}", by_descriptor=by_descriptor)
    assert (found.headers, found.status) == ([], status)
    assert [each.severity for each in found.problems] == [Severity.ERROR]


@pytest.mark.parametrize("asked", [0, 1, 270, 300])
def test_stop(tmp_path: Path, asked: int) -> None:
    for number in range(300):
        write(tmp_path / f"{number:03}.md")
    (tmp_path / "0.txt").write_text("no note")
    left = [True] * asked + [False]
    found = scan(tmp_path, stop=lambda: not left.pop(0))
    assert len(found.headers) == asked
    expected = set() if asked == 300 else {("", Code.SCAN_INCOMPLETE)}
    assert problems(found) == expected


def state(tree: Path) -> dict[str, tuple[object, ...]]:
    """Everything about a tree that a reader might change, contents last as reading sets times."""
    paths = [tree, *sorted(tree.rglob("*"))]
    taken: dict[str, tuple[object, ...]] = {}
    for path in paths:
        info = path.lstat()
        taken[str(path)] = (
            info.st_mode, info.st_size, info.st_ino, info.st_mtime_ns, info.st_ctime_ns,
            info.st_atime_ns if hasattr(os, "O_NOATIME") and path.is_file() else 0,
        )  # fmt: skip
    return taken


def digests(tree: Path) -> dict[str, str]:
    files = (path for path in sorted(tree.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_scan_changes_nothing(tmp_path: Path) -> None:
    """No byte, mode or time: with `relatime` a plain read would set the old access time."""
    tree = shutil.copytree(BAD_INPUTS, tmp_path / "tree")
    for path in tree.rglob("*"):
        os.utime(path, (1, 2))
    contents = digests(BAD_INPUTS)
    before = state(tree)
    scan(tree)
    scan(tree, indexes=True, instructions=True)
    assert state(tree) == before
    assert list(digests(tree).values()) == list(contents.values())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux counts descriptors here")
def test_no_descriptor_is_left_open(cases: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for case in STATIC:
        scan(cases / case)
    assert len(os.listdir("/proc/self/fd")) == before


def test_bad_headers_are_all_listed() -> None:
    listed = set(names(scan(BAD_INPUTS / "md")))
    assert listed == {path.name for path in (BAD_INPUTS / "md").iterdir()}


def test_problems_of_one_file_stand_together(tmp_path: Path) -> None:
    for name in ("a.md", "b (conflict).md", "c.md"):
        (tmp_path / name).write_text("---\nnever: closed\n")
    names = [problem.name for problem in scan(tmp_path).problems]
    assert names == sorted(names)


def test_what_is_odd_about_one_file_is_not_said_of_the_next(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nName: a\ndescription: b\n---\n")
    (tmp_path / "b.md").write_text("---\nname: a\ndescription: b\n---\n")
    problems = scan(tmp_path).problems
    assert [(problem.name, problem.code) for problem in problems] == [("a.md", Code.KEY_CASE)]


def test_a_stop_ends_a_scan_without_any_notes(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"folder{number}").mkdir()
        (tmp_path / f"{number}.txt").touch()
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    assert scan(tmp_path, stop=stop).incomplete
    assert len(asked) == 4


def test_a_stop_ends_the_listing_of_a_huge_folder(tmp_path: Path) -> None:
    for number in range(5000):
        (tmp_path / f"{number}.txt").touch()
    assert scan(tmp_path, stop=lambda: True).incomplete
