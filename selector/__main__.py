"""`python -m selector`: the same as the command `memsel`."""

from __future__ import annotations

import sys


def console() -> int:
    """The command as a process of its own; also Ctrl-C while it is loaded is one line and 130."""
    try:
        from selector.cli import console
    except KeyboardInterrupt:
        sys.stderr.write("memsel: stopped\n")
        return 130
    return console()


if __name__ == "__main__":
    raise SystemExit(console())
