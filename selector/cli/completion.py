"""`memsel completion`: a script that completes commands, options, folders and names."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator

from selector.cli.output import OK, line
from selector.cli.parser import Parser, whole_parser

SHELLS = ("bash", "zsh", "fish")

# Names come from files: they are read as lines and never expanded. `--root` is taken from the
# command line as far as it is typed; else the environment names the folders.
_NAMES = {
    "bash": "_memsel_names",
    "zsh": "_memsel_names",
    "fish": "(_memsel_names)",
    "preamble": {
        "bash": r"""
_memsel_names() {
  local -a roots=()
  local i name
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == --root && $((i + 1)) -lt $COMP_CWORD ]]; then
      roots+=(--root "${COMP_WORDS[i + 1]}")
    fi
  done
  while IFS= read -r name; do
    if [[ $name == "$1"* ]]; then printf '%q\n' "$name"; fi
  done < <(memsel list --names "${roots[@]}" 2>/dev/null)
}
""",
        "zsh": r"""
_memsel_names() {
  local -a roots names
  local i
  for ((i = 1; i < $#words; i++)); do
    [[ $words[i] == --root ]] && roots+=(--root "${(Q)words[i + 1]}")
  done
  names=(${(f)"$(memsel list --names $roots 2>/dev/null)"})
  compadd -a names
}
""",
        "fish": r"""
function _memsel_names
  set -l words (commandline -opc)
  set -l roots
  for i in (seq 2 (count $words))
    if test "$words[$i]" = --root
      set -a roots --root $words[(math $i + 1)]
    end
  end
  memsel list --names $roots 2>/dev/null
end
""",
    },
}


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        'Print a completion script. In bash: eval "$(memsel completion bash)"; in zsh: memsel '
        "completion zsh into a file _memsel on your fpath; in fish: memsel completion fish into "
        "~/.config/fish/completions/memsel.fish."
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(options: Namespace) -> int:
    """Prints the script."""
    import shtab

    parser = whole_parser()
    for action in _actions(parser):
        if action.dest == "roots":
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # shtab looks there
        elif action.dest == "name":
            action.complete = _NAMES  # type: ignore[attr-defined]
    line(shtab.complete(parser, options.shell), harmless_already=True)
    return OK


def _actions(parser: ArgumentParser) -> Iterator[Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, _SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
