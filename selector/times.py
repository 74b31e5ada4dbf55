"""When a memory was last changed, and when it ends: what a header declares, and what to believe."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from selector.codes import Code
from selector.fields import Fields
from selector.patterns import lazy
from selector.scalars import word_of

ONE_DAY = 86_400.0  # seconds

TIME_KEYS = (
    "metadata.modified", "modified", "updated", "updated_at", "timestamp", "date", "created",
)  # fmt: skip
EXPIRY_KEYS = ("expires_at", "valid_until", "stale_after")

_ANY_TIME = frozenset(TIME_KEYS)
_DATE_NAME = lazy(r"(?:.*/)?(\d{4}-\d{2}-\d{2})(?!\d)[^/]*\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH = datetime(1970, 1, 1)  # what is between it and a time is the same
_EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH).total_seconds()
_LATEST = (datetime.max.replace(tzinfo=UTC, microsecond=0) - _EPOCH).total_seconds()


def modified(fields: Fields, name: str, mtime: float, codes: set[Code]) -> datetime:
    """The first declared time that can be believed, else the date in the file name, else `mtime`.

    A time more than a day after the mtime cannot be: the file was not touched since.
    """
    if not _ANY_TIME.isdisjoint(fields):
        for key in TIME_KEYS:
            written = fields.get(key)
            time = _believed(written, mtime + ONE_DAY, codes) if written else None
            if time is not None:
                return time
    if name[name.rfind("/") + 1].isdigit() and (opening := _DATE_NAME.match(name)):
        time = parse_time(opening[1])
        if time is not None and time.timestamp() <= mtime + ONE_DAY:
            return time
    try:
        return datetime.fromtimestamp(mtime, UTC)
    except (ValueError, OverflowError, OSError):  # out of range; Windows: before 1970
        return _EPOCH + timedelta(seconds=min(max(mtime, _EARLIEST), _LATEST))


def last_day(fields: Fields, codes: set[Code]) -> date | None:
    """The day (UTC) on which a memory ends: the earliest that `EXPIRY_KEYS` hold."""
    days: list[date] = []
    for key in EXPIRY_KEYS:
        text = word_of(fields[key], codes) if key in fields else ""
        time = parse_time(text) if text else None
        if time is not None:
            days.append(time.date())
        elif text:
            codes.add(Code.BAD_TIME)
    return min(days, default=None)


def _believed(written: str, latest: float, codes: set[Code]) -> datetime | None:
    """A declared time, None when it is missing, unreadable or later than can be."""
    time = parse_time(written)
    if time is None:
        text = word_of(written, codes)
        if not text:
            return None
        time = parse_time(text)
    if time is None:
        codes.add(Code.BAD_TIME)
    elif time.timestamp() > latest:
        codes.add(Code.FUTURE_TIME)
        return None
    return time


def parse_time(text: str) -> datetime | None:
    """An ISO date or time as aware UTC; one without a zone is taken as UTC."""
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is UTC:
            return time
        if time.tzinfo is None:
            return _EPOCH + (time - _NAIVE_EPOCH)  # a fifth of the cost of `replace(tzinfo=UTC)`
        return time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
