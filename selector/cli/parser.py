"""The commands and their parsers. Only what a call needs is imported and built."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from selector import __version__
from selector.cli.output import Failure

# name -> (module, what it does). A module has `fill(parser)` and `run(options) -> exit code`.
COMMANDS = {
    "select": ("select", "choose memories for a prompt"),
    "list": ("listing", "list the memories"),
    "manifest": ("manifest", "print the lines that a model chooses from"),
    "show": ("show", "print one memory"),
    "doctor": ("doctor", "say what is wrong with the files, and mend what is safe"),
    "completion": ("completion", "print a completion script for a shell"),
}

# Argparse forgets that commands are indented, and would break the line behind the longest one.
_LONGEST = max(map(len, COMMANDS)) + 4

Run = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line.

    `surplus` says what to do about words that no argument takes, `dashes` about an option that
    there is not.
    """

    surplus = "one argument too many; folders are named with --root"
    dashes = ""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=formatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Raises Failure in place of a usage block."""
        message = message.removeprefix("argument ")
        message = message.replace("expected one argument", "a value is needed")
        message = message.replace("the following arguments are required: ", "missing: ")
        raise usage(message, self.prog.removeprefix("memsel").strip())

    def words(self, words: list[str]) -> argparse.Namespace:
        """The options in `words`; raises Failure for one that is left over."""
        # Before argparse says that something else is missing.
        if unknown := next(filter(self._is_unknown, _before_dashes(words)), None):
            self.error(self._unknown(unknown))
        options, extra = self.parse_known_args(words)
        if words := [word for word in extra if word != "--"]:
            self._left_over(words)
        return options

    def _is_unknown(self, word: str) -> bool:
        """True for an option that there is not; a number or a sentence with a dash is none."""
        if word[:1] != "-" or word == "-" or _is_number(word):
            return False
        if " " in word:
            return word[:2] in self._option_string_actions  # argparse takes it for that option
        return word.partition("=")[0] not in self._option_string_actions

    def _left_over(self, words: list[str]) -> NoReturn:
        if any(word.partition("=")[0] in self._option_string_actions for word in words):
            self.error(f"{words[0]!r} stands behind --: options go before it")
        self.error(f"{' '.join(words)!r} is left over: {self.surplus}")

    def _unknown(self, word: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(word.partition("=")[0], self._option_string_actions, 1)
        meant = f"is it {near[0]}?" if near else self.dashes
        return f"{word}: there is no such option{meant and f'; {meant}'}"


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _before_dashes(words: list[str]) -> list[str]:
    return words[: words.index("--")] if "--" in words else words


def usage(message: str, command: str = "") -> Failure:
    """The failure of a call that cannot be meant."""
    see = f"memsel {command} --help" if command else "memsel --help"
    return Failure("usage", f"{message}; see {see}", command=command)


def parse(words: list[str], start: float) -> tuple[Run, argparse.Namespace]:
    """What is to be run, and with which options; raises Failure, and SystemExit for the help."""
    name = words[0] if words else ""
    if name not in COMMANDS:
        _no_command(words)
    module = _module(name)
    parser = Parser(prog=f"memsel {name}")
    module.fill(parser)
    options = parser.words(words[1:])
    options.command, options.start = name, start
    return module.run, options


def _no_command(words: list[str]) -> NoReturn:
    if words and words[0] in ("-h", "--help", "--version"):
        whole_parser(filled=False).parse_args(words[:1])
    known = ", ".join(COMMANDS)
    if not words:
        raise usage(f"no command: name one of {known}")
    if words[0][:1] == "-":
        raise usage(f"{words[0]}: options stand behind the command, which is one of {known}")
    raise usage(f"{words[0]!r} is no command: name one of {known}")


def whole_parser(*, filled: bool = True) -> Parser:
    """The parser of all commands; without their arguments unless `filled`."""
    parser = Parser(prog="memsel", description="Choose the few notes that help with a prompt.")
    parser.add_argument("--version", action="version", version=f"memsel {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="memsel")
    for name, (_, about) in COMMANDS.items():
        command = commands.add_parser(name, help=about)
        if filled:
            _module(name).fill(command)
    return parser


def _module(command: str) -> Any:
    return import_module(f"selector.cli.{COMMANDS[command][0]}")


def formatter(prog: str) -> argparse.HelpFormatter:
    """A formatter as wide as the terminal.

    Told no width, argparse asks `shutil` for it, also when no help is wanted: 3 ms at each start.
    """
    found = argparse.HelpFormatter(prog, width=columns() - 2)
    found._action_max_length = _LONGEST
    return found


def columns() -> int:
    """What `COLUMNS` says, else the terminal, else 80."""
    with suppress(ValueError):
        if (number := int(os.environ.get("COLUMNS", ""))) > 0:
            return number
    with suppress(OSError):
        if (number := os.get_terminal_size().columns) > 0:
            return number
    return 80
