"""The command `memsel`: parse, call, print. Results go to stdout, everything else to stderr."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence

from selector import __version__
from selector.cli import select
from selector.cli.help import formatter
from selector.errors import ConfigurationError

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def console() -> int:
    """The command as a process of its own: it ends too soon to look for garbage, then or before."""
    gc.disable()
    try:
        return main()
    finally:
        gc.freeze()  # else all that is left would be looked through once more at the end


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code: 0 for an answer, also an empty one; 1 when it cannot be written; 2 for a bad
    call; 130 for Ctrl-C.
    """
    parser = argparse.ArgumentParser(
        prog="memsel",
        description="Choose the few notes that help with a prompt.",
        allow_abbrev=False,
        formatter_class=formatter,
    )
    parser.add_argument("--version", action="version", version=f"memsel {__version__}")
    commands = parser.add_subparsers(
        title="commands",
        metavar="COMMAND",
        required=True,
        prog="memsel",  # else argparse formats a whole usage to find it out
    )
    select.add_to(commands)
    try:
        options = parser.parse_args(arguments)
        code: int = options.run(options)
        if sys.stdout is not None:  # closed by the caller
            sys.stdout.flush()
        return code
    except ConfigurationError as error:
        print(f"memsel: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("memsel: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has seen enough; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        print(f"memsel: the answer cannot be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
