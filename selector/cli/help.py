"""How the command lays out its help."""

from __future__ import annotations

import argparse
import os


def formatter(prog: str) -> argparse.HelpFormatter:
    """A formatter as wide as the terminal.

    Told no width, argparse asks `shutil` for it, also when no help is wanted: 3 ms at each start.
    """
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (ValueError, OSError):
        columns = 80
    return argparse.HelpFormatter(prog, width=max(columns, 20) - 2)
