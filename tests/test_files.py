"""Opening files below a folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from selector.codes import Code
from selector.files import (
    HAS_DIR_FD,
    code_of,
    open_file,
    open_folder,
    opened_below,
    read_at_most,
)

pytestmark = pytest.mark.skipif(not HAS_DIR_FD, reason="no opening by folder descriptor here")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a note at the top and one below, and a secret beside it."""
    (tmp_path / "root" / "sub").mkdir(parents=True)
    (tmp_path / "root" / "a.md").write_text("top", encoding="utf-8")
    (tmp_path / "root" / "sub" / "b.md").write_text("below", encoding="utf-8")
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    return tmp_path / "root"


both_ways = pytest.mark.parametrize("by_descriptor", [True, False])


@both_ways
@pytest.mark.parametrize(("name", "text"), [("a.md", b"top"), ("sub/b.md", b"below")])
def test_opened_below(root: Path, name: str, text: bytes, by_descriptor: bool) -> None:
    with opened_below(str(root), name, by_descriptor=by_descriptor) as descriptor:
        assert read_at_most(descriptor, 100) == text


@both_ways
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("gone.md", Code.VANISHED),
        ("gone/b.md", Code.VANISHED),
        ("link.md", Code.SYMLINK_OUTSIDE),
        ("pipe", Code.NOT_REGULAR),
        ("sub", Code.NOT_REGULAR),
        ("a.md/b.md", Code.NOT_A_FOLDER),
        ("x" * 300, Code.UNSAFE_NAME),
    ],
)
def test_refused(root: Path, name: str, code: Code, by_descriptor: bool) -> None:
    (root / "link.md").symlink_to(root.parent / "secret.md")
    os.mkfifo(root / "pipe")
    opened = opened_below(str(root), name, by_descriptor=by_descriptor)
    with pytest.raises(OSError, match="Errno") as caught, opened:
        pass
    assert code_of(caught.value) is code


@both_ways
@pytest.mark.parametrize("name", ["../secret.md", "sub/../../secret.md", "/etc/hostname", "", "."])
def test_no_way_out(root: Path, name: str, by_descriptor: bool) -> None:
    opened = opened_below(str(root), name, by_descriptor=by_descriptor)
    with pytest.raises(FileNotFoundError), opened:
        pass


def test_a_folder_that_is_a_link(root: Path) -> None:
    """The root may be one, for its owner chose it; no folder below it may."""
    (root.parent / "to_root").symlink_to(root)
    with opened_below(str(root.parent / "to_root"), "a.md") as descriptor:
        assert read_at_most(descriptor, 100) == b"top"
    (root / "out").symlink_to(root.parent)
    with pytest.raises(OSError, match="out"), opened_below(str(root), "out/secret.md"):
        pass


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux counts descriptors here")
def test_nothing_is_left_open(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for name in ("a.md", "sub/b.md", "sub/gone.md", "sub", "a.md/b"):
        try:
            with opened_below(str(root), name):
                pass
        except OSError:
            continue
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(not hasattr(os, "O_NOATIME"), reason="only Linux can leave it alone")
def test_access_times_are_kept(root: Path) -> None:
    os.utime(root / "a.md", (1, 2))
    os.utime(root / "sub", (1, 2))
    descriptor = open_file(str(root / "a.md"))
    assert os.read(descriptor, 10) == b"top"
    os.close(descriptor)
    descriptor = open_folder(str(root / "sub"))
    assert os.listdir(descriptor) == ["b.md"]
    os.close(descriptor)
    assert [(root / name).stat().st_atime_ns for name in ("a.md", "sub")] == [10**9, 10**9]


def test_read_at_most(root: Path) -> None:
    (root / "a.md").write_bytes(b"x" * 1000)
    for limit, length in ((0, 0), (10, 10), (1000, 1000), (5000, 1000)):
        descriptor = open_file(str(root / "a.md"))
        assert len(read_at_most(descriptor, limit)) == length
        os.close(descriptor)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOENT, Code.VANISHED),
        (errno.EACCES, Code.PERMISSION),
        (errno.ELOOP, Code.SYMLINK_OUTSIDE),
        (errno.EIO, Code.UNREADABLE),
        (None, Code.UNREADABLE),
    ],
)
def test_code_of(number: int | None, code: Code) -> None:
    assert code_of(OSError(number, "no") if number else OSError("no")) is code
