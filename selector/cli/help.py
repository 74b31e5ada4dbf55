"""How the command lays out its help."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress


def formatter(prog: str) -> argparse.HelpFormatter:
    """A formatter as wide as the terminal.

    Told no width, argparse asks `shutil` for it, also when no help is wanted: 3 ms at each start.
    """
    return argparse.HelpFormatter(prog, width=_columns() - 2)


def _columns() -> int:
    """What `COLUMNS` says, else the terminal, else 80."""
    with suppress(ValueError):
        if (columns := int(os.environ.get("COLUMNS", ""))) > 0:
            return columns
    with suppress(OSError):
        if (columns := os.get_terminal_size().columns) > 0:
            return columns
    return 80
