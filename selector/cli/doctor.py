"""`memsel doctor`: what is wrong with the files, and what of it was mended."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from selector.cli.options import add_json, add_roots, check_roots, roots
from selector.cli.output import FAILED, OK, Unwritten, is_terminal, line, note, succeed
from selector.cli.parser import Parser
from selector.codes import Severity

if TYPE_CHECKING:
    from selector.findings import Finding

FIXED = "fixed"
WORDS = ("error", "warning", FIXED)


def fill(parser: Parser) -> None:
    """Adds the arguments of the command."""
    parser.description = (
        "Say what is wrong with the memories. Ends with 1 when there are errors that are not fixed."
    )
    add_roots(parser)
    parser.add_argument("--fix", action="store_true", help="mend what can be mended safely")
    parser.add_argument("--strict", action="store_true", help="end with 1 for warnings, too")
    add_json(parser)


def run(options: Namespace) -> int:
    """Examines and prints; the exit code is 1 when something is left that counts."""
    from selector.doctor import examine

    folders = roots(options)
    report = examine(folders.get("") or folders, fix=options.fix)
    check_roots(options, folders, report.failed)
    counts = _counts(report.findings)
    bad = counts[Severity.ERROR] + (counts[Severity.WARNING] if options.strict else 0)
    code = FAILED if bad else OK
    try:
        if options.json:
            findings = [_data(one) for one in report.findings]
            succeed({"memories": report.memories, "findings": findings, "counts": counts}, options)
        else:
            _print(report.findings)
            _sum_up(report.memories, counts)
    except Unwritten as unwritten:
        unwritten.code = code  # what is wrong does not depend on who listens
        raise
    return code


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    counts = dict.fromkeys(WORDS, 0)
    for one in findings:
        counts[_word(one)] += 1
    return counts


def _word(finding: Finding) -> str:
    return FIXED if finding.fixed else str(finding.severity)


def _place(finding: Finding) -> str:
    name = finding.name or "."
    return name if finding.line is None else f"{name}:{finding.line}"


def _print(findings: Sequence[Finding]) -> None:
    if not is_terminal():
        for one in findings:
            line(f"{_word(one)}  {_place(one)}  {one.message}")
        return
    from selector.cli.table import BOLD, GREEN, PLAIN, RED, YELLOW, table

    styles = dict(zip(WORDS, (RED, YELLOW, GREEN), strict=True))
    table(
        [
            ((_word(one), styles[_word(one)]), (_place(one), BOLD), (one.message, PLAIN))
            for one in findings
        ],
        whole=True,
    )


def _sum_up(memories: int, counts: dict[str, int]) -> None:
    """The last line: below the findings on a terminal, beside them in a pipe."""
    plural = {"error": "errors", "warning": "warnings"}
    told = [f"{n} {word if n == 1 else plural.get(word, word)}" for word, n in counts.items() if n]
    looked_at = "1 memory" if memories == 1 else f"{memories:,} memories"
    text = f"{looked_at} looked at: {', '.join(told) or 'nothing is wrong'}"
    if is_terminal():
        line(text)
    else:
        note(text)


def _data(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "line": finding.line,
        "code": str(finding.code),
        "severity": str(finding.severity),
        "message": finding.message,
        "fixed": finding.fixed,
    }
