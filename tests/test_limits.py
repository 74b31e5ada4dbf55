"""The numbers that users rely on; changing one is a change of the contract."""

from __future__ import annotations

import pytest

from selector import answer, calls, clock, headers, manifest, reading, salvage, scan, types


@pytest.mark.parametrize(
    ("limit", "agreed"),
    [
        (types.DEFAULT_LIMIT, 5),  # memories
        (types.DESCRIPTION_LIMIT, 512),  # characters
        (types.SelectOptions().timeout, 10.0),  # seconds
        (manifest.MAX_LINES, 200),
        (manifest.MAX_BYTES, 25_000),
        (answer.MAX_ANSWER, 64 * 1024),  # bytes
        (headers.HEAD_BYTES, 4 * 1024),
        (headers.OPEN_HEADER_BYTES, 16 * 1024),
        (reading.MAX_BODY, 4 * 1024 * 1024),  # bytes
        (calls.MAX_LEFT_BEHIND, 4),  # hanging calls
    ],
)
def test_limits(limit: float | None, agreed: float) -> None:
    assert limit == agreed


def test_work_is_bounded() -> None:
    """What keeps a stop within 50 ms, an answer of 64 KiB within another 50, a scan in memory."""
    assert clock.POLL <= 0.025  # seconds
    assert clock.LATE <= 0.05  # seconds
    assert salvage.MAX_READ <= 2 * answer.MAX_ANSWER
    assert salvage.MAX_TRIES <= 100
    assert scan._BATCH * headers.OPEN_HEADER_BYTES <= 4 * 1024 * 1024  # bytes
