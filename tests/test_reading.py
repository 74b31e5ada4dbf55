"""One memory in full: header, metadata and the body byte for byte."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selector.codes import Code
from selector.errors import ReadError
from selector.reading import MAX_BODY, content_hash, read_memory
from selector.scan import scan
from selector.types import Memory, MemoryHeader
from tests.conftest import as_nobody

HEAD = b"---\nname: x\ntype: user\n---\n"
RULED = b"a\n---\nb: c\n---\n"
X = {"name": "x", "type": "user"}
UTF_16 = "\ufeff---\r\nname: é\r\n---\r\nBody é\r\n"

# The bytes of a file, its metadata, its body as bytes and as text.
BODIES: dict[str, tuple[bytes, dict[str, Any], bytes, str]] = {
    "plain": (HEAD + b"Body\n", X, b"Body\n", "Body\n"),
    "no line break at the end": (HEAD + b"Body", X, b"Body", "Body"),
    "blank lines before": (HEAD + b"\n\n Body", X, b"\n\n Body", "\n\n Body"),
    "CRLF": (
        b"---\r\nname: x\r\ntype: user\r\n---\r\nOne\r\nTwo\r\n",
        X,
        b"One\r\nTwo\r\n",
        "One\r\nTwo\r\n",
    ),
    "CR alone": (b"---\rname: x\rtype: user\r---\rOne\rTwo", X, b"One\rTwo", "One\rTwo"),
    "mixed line breaks": (HEAD + b"a\rb\r\nc\n", X, b"a\rb\r\nc\n", "a\rb\r\nc\n"),
    "byte-order mark": (b"\xef\xbb\xbf" + HEAD + b"Body", X, b"Body", "Body"),
    "two marks": (b"\xef\xbb\xbf\xef\xbb\xbf" + HEAD + b"Body", X, b"Body", "Body"),
    "invisible before the header": ("\u200b".encode() + HEAD + b"Body", X, b"Body", "Body"),
    "UTF-16 little": (
        UTF_16.encode("utf-16-le"),
        {"name": "é"},
        "Body é\r\n".encode("utf-16-le"),
        "Body é\r\n",
    ),
    "UTF-16 big": (
        UTF_16.encode("utf-16-be"),
        {"name": "é"},
        "Body é\r\n".encode("utf-16-be"),
        "Body é\r\n",
    ),
    "half a character of UTF-16": (
        "\ufeff---\nname: x\n---\nBody".encode("utf-16-le") + b"!",
        {"name": "x"},
        "Body".encode("utf-16-le") + b"!",
        "Body\ufffd",
    ),
    "invalid bytes in the body": (HEAD + b"a\xff\xc3b\n", X, b"a\xff\xc3b\n", "a\ufffd\ufffdb\n"),
    "invalid bytes in the header": (
        b"---\nname: \xff\xe2\x82 x\n---\n\xffB",
        {"name": "\ufffd\ufffd x"},
        b"\xffB",
        "\ufffdB",
    ),
    "NUL": (HEAD + b"a\x00b", X, b"a\x00b", "a\x00b"),
    "no header": (b"# Title\n\nBody\n", {}, b"# Title\n\nBody\n", "# Title\n\nBody\n"),
    "no header, invalid": (b"a\xff", {}, b"a\xff", "a\ufffd"),
    "a rule in the body": (HEAD + RULED, X, RULED, RULED.decode()),
    "a second header": (HEAD + HEAD, X, HEAD, HEAD.decode()),
    **{
        name: (raw, {}, raw, raw.decode())
        for name, raw in {
            "a header that never closes": b"---\nname: x\nBody",
            "rules and no header": RULED,
            "text between rules": b"---\njust text\n---\nb",
        }.items()
    },
    "an empty header": (b"---\n---\nBody", {}, b"Body", "Body"),
    "no body": (HEAD, X, b"", ""),
    "a header up to the end": (HEAD[:-1], X, b"", ""),
    "empty": (b"", {}, b"", ""),
    "refused by YAML": (b"---\nglobs: **/*\n---\nBody", {"globs": "**/*"}, b"Body", "Body"),
}


def read(folder: Path, raw: bytes) -> Memory:
    (folder / "a.md").write_bytes(raw)
    (header,) = scan(folder).headers
    return read_memory(str(folder), header)


@pytest.mark.parametrize(("raw", "metadata", "body", "text"), BODIES.values(), ids=BODIES.keys())
def test_bodies(
    tmp_path: Path, raw: bytes, metadata: dict[str, Any], body: bytes, text: str
) -> None:
    memory = read(tmp_path, raw)
    assert (memory.metadata, memory.body, memory.text) == (metadata, body, text)
    assert memory.sha256 == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize("raw", [raw for raw, *_ in BODIES.values()], ids=BODIES.keys())
def test_header_and_metadata_are_of_one_mind(tmp_path: Path, raw: bytes) -> None:
    memory = read(tmp_path, raw)
    assert memory.header == scan(tmp_path).headers[0]
    if name := memory.metadata.get("name"):
        assert memory.header.title == name


pieces = st.sampled_from(
    [b"---", b"\n", b"\r", b"\r\n", b"name: x", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff",
     b"\x00", b"\n\x00", b"-\x00-\x00-\x00", b"\x00\xd8", "é".encode(), "\u200b".encode(), b": ",
     b"[", b"{a: b}: c", b"&a ", b"*a", b"? ", b"|\n", b"\t", b"'", b"#", "\u2028".encode()]
)  # fmt: skip


@given(st.lists(pieces, max_size=20).map(b"".join), st.booleans())
def test_any_bytes_are_kept(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, fenced: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    raw = b"---\n" + raw + b"\n---\n" if fenced else raw
    memory = read(folder, raw)
    assert raw.endswith(memory.body)
    # What is not body is a header, be it an empty one.
    assert memory.body == raw or b"---" in raw
    assert memory.sha256 == hashlib.sha256(raw).hexdigest()


def test_a_header_of_many_blocks_is_read_whole(tmp_path: Path) -> None:
    long = "".join(f"key_{i}: {'v' * 90}\n" for i in range(300))
    memory = read(tmp_path, f"---\nname: x\n{long}---\nBody".encode())
    assert len(memory.metadata) == 301
    assert memory.body == b"Body"


def test_the_memory_is_read_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(HEAD + b"old")
    (header,) = scan(tmp_path).headers
    (tmp_path / "a.md").write_bytes(b"---\nname: new\n---\nnew body")
    memory = read_memory(str(tmp_path), header)
    assert (memory.header.title, memory.body) == ("new", b"new body")
    assert memory.header.type is None  # what was declared before is not what the path says


def test_a_scan_and_a_reading_see_the_same_header(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"word " * 1000 + b"\n\n# Late heading\n")
    (header,) = scan(tmp_path).headers
    assert read_memory(str(tmp_path), header).header == header


def refused(folder: Path, header: MemoryHeader) -> Code:
    assert content_hash(str(folder), header) is None
    with pytest.raises(ReadError, match=r"'a\.md'") as caught:
        read_memory(str(folder), header)
    return caught.value.code


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(HEAD)
    (header,) = scan(tmp_path).headers
    (tmp_path / "a.md").unlink()
    assert refused(tmp_path, header) is Code.VANISHED


@pytest.mark.parametrize(
    ("size", "fits"), [(MAX_BODY, True), (MAX_BODY + 1, False), (2**31, False)]
)
def test_a_file_that_is_too_large(tmp_path: Path, size: int, fits: bool) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.write(HEAD)
        file.truncate(size)  # sparse: it takes no room
    (header,) = scan(tmp_path).headers
    if fits:
        assert len(read_memory(str(tmp_path), header).body) == size - len(HEAD)
    else:
        assert refused(tmp_path, header) is Code.TOO_LARGE


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_file_that_may_not_be_read(shared_folder: Path) -> None:
    (shared_folder / "a.md").write_bytes(HEAD)
    (header,) = scan(shared_folder).headers
    assert as_nobody(lambda: content_hash(str(shared_folder), header)) is not None
    (shared_folder / "a.md").chmod(0)
    assert as_nobody(lambda: refused(shared_folder, header)) is Code.PERMISSION


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(HEAD)
    (header,) = scan(tmp_path).headers
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").mkdir()
    assert refused(tmp_path, header) is Code.NOT_REGULAR


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_in_the_place_of_the_file_does_not_block(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(HEAD)
    (header,) = scan(tmp_path).headers
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    codes: list[Code] = []
    reader = threading.Thread(target=lambda: codes.append(refused(tmp_path, header)), daemon=True)
    reader.start()
    reader.join(10)
    if reader.is_alive():
        os.close(os.open(tmp_path / "a.md", os.O_WRONLY))  # ends the wait
        pytest.fail("opening a pipe blocks")
    assert codes == [Code.NOT_REGULAR]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no list of descriptors")
def test_reading_leaves_no_descriptor_open(tmp_path: Path) -> None:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "sub" / "deep" / "a.md").write_bytes(HEAD)
    (header,) = scan(tmp_path).headers
    before = len(os.listdir("/proc/self/fd"))
    read_memory(str(tmp_path), header)
    (tmp_path / "sub" / "deep" / "a.md").unlink()
    with pytest.raises(ReadError):
        read_memory(str(tmp_path), header)
    assert len(os.listdir("/proc/self/fd")) == before


def test_reading_changes_no_time(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(HEAD)
    os.utime(tmp_path / "a.md", (1_000_000_000, 1_000_000_000))
    (header,) = scan(tmp_path).headers
    read_memory(str(tmp_path), header)
    info = (tmp_path / "a.md").stat()
    assert info.st_mtime == 1_000_000_000
    if hasattr(os, "O_NOATIME"):
        assert info.st_atime == 1_000_000_000
