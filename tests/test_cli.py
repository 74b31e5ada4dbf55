"""What all commands have in common: help, errors, exit codes, the envelope, and being stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from selector import __version__
from selector.cli import main
from selector.cli.parser import COMMANDS, formatter
from tests.commands import COMMAND, memsel, program, sample_memories, started
from tests.test_golden import compare

QUERY = "How do I roll back a bad timetable import?"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def memories(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample_memories(tmp_path_factory.mktemp("samples")))


def failed(capsys: Capture, *arguments: str) -> tuple[int, str]:
    """Exit code and the one line, of a call that prints nothing else."""
    code = main(arguments)
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("memsel")
    return code, err.rstrip("\n")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(command: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"] if command else ["--help"])
    assert ended.value.code == 0
    compare(f"help/{command or 'memsel'}.txt", capsys.readouterr().out.rstrip("\n"))


@pytest.mark.parametrize(
    ("columns", "width"), [("60", 60), ("0", 80), ("-5", 80), ("x", 80), ("", 80)]
)
def test_help_is_as_wide_as_the_terminal(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_terminal() -> os.terminal_size:
        raise OSError

    monkeypatch.setattr(os, "get_terminal_size", no_terminal)
    monkeypatch.setenv("COLUMNS", columns)
    assert formatter("memsel")._width == width - 2


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"memsel {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("", "memsel: no command: name one of select, list, "),
        ("forget x", "memsel: 'forget' is no command: name one of select, list, "),
        ("--limit 3", "memsel: --limit: options stand behind the command, which is one of "),
        ("select", "memsel select: missing: QUERY; see memsel select --help"),
        (
            "select x --limit 0",
            "memsel select: --limit 0: a whole number from 1 on is needed; see ",
        ),
        ("select x --limit many", "memsel select: --limit many: a whole number from 1 on is "),
        ("select x --limit", "memsel select: --limit: a value is needed; see memsel select --help"),
        ("select x --lim 3", "memsel select: --lim: there is no such option; is it --limit?; see "),
        ("select x --timeout 0", "memsel select: --timeout 0: a number of seconds above 0 is "),
        ("select x --timeout nan", "memsel select: --timeout nan: a number of seconds above 0 "),
        ("select x --timeout soon", "memsel select: --timeout soon: a number of seconds above "),
        ("select x --max-bytes 9", "memsel select: --max-bytes: only together with --context; "),
        ("select x --context --max-bytes 0", "memsel select: --max-bytes 0: a whole number from "),
        ("select how do I", "memsel select: 'do I' is left over: put the prompt in quotes: mem"),
        ("select --root . -- -x y", "memsel select: 'y' is left over: put the prompt in quotes: "),
        (
            "select -- -x --root .",
            "memsel select: '--root' stands behind --: options go before it",
        ),
        ("show a b", "memsel show: 'b' is left over: only one NAME; quotes keep one with spaces "),
        (
            "list x",
            "memsel list: 'x' is left over: one argument too many; folders are named with ",
        ),
        ("completion tcsh", "memsel completion: SHELL: invalid choice: 'tcsh' (choose from "),
        ("list", "memsel list: no folder of memories: give --root DIR or set MEMSEL_ROOT; see "),
        ("select x --root . --model gpt", "memsel: --model: model 'gpt': name one as anthropic:"),
        ("select x --root . --model command:no/such", "memsel: --model: model command 'no/such'"),
        ("list --root \x1b[31m", r"memsel: root '/\x1b[31m': there is no such folder; make it"),
    ],
)
def test_a_bad_call_ends_with_2_and_one_line(
    arguments: str, line: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    code, told = failed(capsys, *arguments.split())
    assert code == 2
    assert told.startswith(line), told


@pytest.mark.parametrize("command", ["select x", "list", "manifest", "show x", "doctor"])
@pytest.mark.parametrize(
    ("root", "word", "message"),
    [
        ("missing", "no_folder", "there is no such folder; make it, or name another"),
        ("file.md", "not_a_folder", "that is a file; name the folder that it is in"),
    ],
)
def test_a_root_that_cannot_be_read(
    tmp_path: Path, capsys: Capture, command: str, root: str, word: str, message: str
) -> None:
    (tmp_path / "file.md").write_text("x")
    arguments = [*command.split(), "--root", str(tmp_path / root)]
    line = f"root '{tmp_path / root}': {message}"
    assert failed(capsys, *arguments) == (2, f"memsel: {line}")
    assert main([*arguments, "--json"]) == 2
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["ok"] is False
    assert answer["error"] == {"type": word, "message": line}
    assert answer["meta"].keys() == {"schema", "command", "elapsed_ms", "messages"}
    assert answer["meta"]["command"] == command.split()[0]
    assert err == f"memsel: {line}\n"


@pytest.mark.parametrize(
    ("arguments", "command", "kind"),
    [
        (["select", "--json"], "select", "usage"),
        (["select", "x", "--root", "--json"], "select", "usage"),
        (["--json"], None, "usage"),
        (["select", "x", "--root", ".", "--model", "gpt", "--json"], "select", "configuration"),
    ],
)
def test_an_error_has_an_envelope_where_one_was_asked_for(
    capsys: Capture, arguments: list[str], command: str | None, kind: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer.keys() == {"ok", "error", "meta"}
    assert (answer["ok"], answer["meta"]["command"]) == (False, command)
    assert answer["error"]["type"] == kind
    assert err.endswith(f": {answer['error']['message']}\n")


def test_a_prompt_that_reads_like_an_option_asks_for_no_envelope(capsys: Capture) -> None:
    assert failed(capsys, "select", "--", "--json")[0] == 2


@pytest.mark.parametrize(
    "command", ["select QUERY", "list", "manifest", "show user_ruben.md", "doctor"]
)
def test_the_envelope(command: str, memories: str, capsys: Capture) -> None:
    words = [QUERY if word == "QUERY" else word for word in command.split()]
    assert main([*words, "--root", memories, "--json"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer.keys() == {"ok", "data", "meta"}
    assert answer["ok"] is True
    assert answer["meta"].pop("elapsed_ms") > 0
    assert answer["meta"] == {"schema": 1, "command": words[0], "messages": []}
    assert (out.isascii(), err) == (True, "")
    answer["meta"]["elapsed_ms"] = 0
    text = json.dumps(answer, indent=2, ensure_ascii=False).replace(memories, "MEMORIES")
    compare(f"{words[0]}.json", text)


def test_the_envelope_of_an_error(tmp_path: Path, capsys: Capture) -> None:
    missing = str(tmp_path / "missing")
    assert main(["list", "--root", missing, "--json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    answer["meta"]["elapsed_ms"] = 0
    compare("error.json", json.dumps(answer, indent=2).replace(missing, "MISSING"))


def test_what_is_said_beside_the_result_is_in_the_envelope_too(
    memories: str, tmp_path: Path, capsys: Capture
) -> None:
    roots = ["--root", f"here={memories}", "--root", f"gone={tmp_path / 'gone'}"]
    for command in (["select", QUERY], ["list"], ["manifest"], ["doctor"]):
        assert main([*command, *roots, "--json"]) in (0, 1)
        out, err = capsys.readouterr()
        (message,) = json.loads(out)["meta"]["messages"]
        assert err == f"memsel: {message}\n"
        assert "gone" in message
    call = ["select", QUERY, "--root", memories, "--json", "--context", "--max-bytes", "99"]
    assert main(call) == 0
    (message,) = json.loads(capsys.readouterr().out)["meta"]["messages"]
    assert "no room" in message


def test_a_signal_that_is_ignored_stays_ignored(memories: str, tmp_path: Path) -> None:
    model = program(tmp_path, "sleep 1; echo '[]'").removeprefix("command:")
    call = f"{sys.executable} -m selector select x --root {memories} --model command:{model}"
    done = subprocess.run(
        ["sh", "-c", f"(trap '' HUP; exec {call}) & sleep 0.7; kill -HUP $!; wait $!"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "memsel: no memory helps with this\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_exit_code_survives_a_reader_that_has_gone(tmp_path: Path, unbuffered: str) -> None:
    (tmp_path / "empty.md").write_text("")
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m selector doctor --root {tmp_path} | true; "
         "echo ${PIPESTATUS[0]}"],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == "1\n"


def test_a_current_folder_that_is_gone_is_one_line(memories: str, tmp_path: Path) -> None:
    call = f"{sys.executable} -m selector list --root . --root {memories} --json"
    done = subprocess.run(
        f"mkdir g; cd g; rmdir ../g; {call}",
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout)["meta"]["command"] == "list"
    assert len(done.stderr.splitlines()) == 1
    assert "written" not in done.stderr


def test_ctrl_c_while_the_command_is_loaded() -> None:
    script = (
        "import builtins, sys; real = builtins.__import__\n"
        "def stopped(name, *args, **kwargs):\n"
        "    if name == 'selector.cli': raise KeyboardInterrupt\n"
        "    return real(name, *args, **kwargs)\n"
        "builtins.__import__ = stopped\n"
        "from selector.__main__ import console; sys.exit(console())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "memsel: stopped\n")


def test_dashes_behind_the_options_are_no_argument(memories: str, capsys: Capture) -> None:
    assert main(["list", "--root", memories, "--names", "--"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 23


def test_only_what_a_command_needs_is_imported(tmp_path: Path) -> None:
    needless = {"asyncio", "json", "subprocess", "shutil", "importlib.metadata", "threading"}
    needless |= {"difflib", "selector.cli.table", "selector.cli.explain", "selector.models"}
    needless |= {f"selector.cli.{name}" for name, _ in COMMANDS.values()} - {"selector.cli.select"}
    script = f"import sys; from selector.cli import main; main({['select', 'x', '--root', '.']})"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    loaded = set(done.stdout.split())
    assert "selector.cli.select" in loaded
    assert loaded & needless == set()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path, unbuffered: str) -> None:
    for number in range(2_000):
        (tmp_path / f"{number}.md").write_text("---\ndescription: zebra\n---\n")
    for command in (f"list --root {tmp_path}", "select --help", f"list --json --root {tmp_path}"):
        done = subprocess.run(
            f"{' '.join(COMMAND)} {command} | true",
            shell=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""


@pytest.mark.parametrize("extra", [[], ["--json"], ["--context"]])
def test_an_answer_that_cannot_be_written_is_one_line(memories: str, extra: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "select", QUERY, "--root", memories, *extra],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "memsel: the answer cannot be written: No space left on device\n"


@pytest.mark.parametrize(("closed", "code"), [("1", 0), ("2", 0), ("2", 2)])
def test_closed_streams_are_no_error(memories: str, closed: str, code: int) -> None:
    root = memories if code == 0 else "missing"
    call = f"{' '.join(COMMAND)} select 'roll back an import' --root {root} {closed}>&-"
    done = subprocess.run(call, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr == ""
    assert bool(done.stdout) is (closed == "2" and code == 0)


def test_a_folder_of_another_script_survives_a_poor_terminal(tmp_path: Path) -> None:
    (tmp_path / "发布.md").write_text("---\ndescription: 发布流程与回滚\n---\n", encoding="utf-8")
    call = ("select", "发布流程", "--root", str(tmp_path))
    done = memsel(*call, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.startswith("\\u53d1\\u5e03.md")
    done = memsel(*call, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["data"]["memories"][0]["name"] == "发布.md"


def test_ctrl_c_in_a_scan(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.md").write_text("---\ndescription: zebra\n---\n")
    script = (
        "import os, signal, sys, selector.scan as s; real = s.read_header\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def slow(*a): os.kill(os.getpid(), signal.SIGINT); return real(*a)\n"
        "s.read_header = slow\n"
        "from selector.cli import main\n"
        f"sys.exit(main(['select', 'zebra', '--root', {str(tmp_path)!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, done.stdout) == (130, "memsel: stopped\n", "")


@pytest.mark.parametrize(("number", "told", "code"), [(2, "memsel: stopped\n", 130), (15, "", 143)])
def test_a_stop_while_a_model_is_asked(
    memories: str, tmp_path: Path, number: int, told: str, code: int
) -> None:
    asked = tmp_path / "asked"
    model = program(tmp_path, f"echo $$ > {asked}.new; mv {asked}.new {asked}; exec sleep 60")
    with started("select", QUERY, "--root", memories, "--model", model, "--timeout", "60") as call:
        _wait_for(asked.exists)
        call.send_signal(number)
        assert call.communicate(timeout=20) == ("", told)
    assert call.returncode == code
    _wait_for(lambda: not _is_running(int(asked.read_text())))


def test_ctrl_c_while_standard_input_is_read(memories: str) -> None:
    with started("select", "-", "--root", memories) as call:
        assert call.stdin is not None
        call.stdin.write("x" * 300_000)  # more than a pipe holds: some of it has been read
        call.stdin.flush()
        time.sleep(0.3)
        call.send_signal(2)
        call.wait(timeout=20)
        assert call.stdout is not None
        assert call.stderr is not None
        assert (call.stdout.read(), call.stderr.read()) == ("", "memsel: stopped\n")
        call.stdin.close()
    assert call.returncode == 130


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def _wait_for(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within 30 seconds")
