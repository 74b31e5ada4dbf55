"""The memory files of other clients (`tests/formats/`): which are listed, and with what header.

The expectations are written by hand from the files and the reading rules, never from a scan.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from selector.codes import Code, DescriptionSource, Severity
from selector.scan import Scan, scan
from selector.types import MemoryHeader

FORMATS = Path(__file__).parent / "formats"
HEADER, BODY = DescriptionSource.HEADER, DescriptionSource.BODY


def at(text: str) -> datetime:
    """The instant, in UTC, that an ISO text names."""
    return datetime.fromisoformat(text).astimezone(UTC)


# Every file of the copy gets this mtime, at an hour that no file declares.
MTIME = at("2026-11-30T12:00:00Z")


class Row(NamedTuple):
    """What a header should say; `modified` is the mtime unless the file has its own word."""

    name: str
    type: str | None
    title: str | None
    description: str | None
    source: DescriptionSource | None
    scope: tuple[str, ...] = ()
    modified: datetime = MTIME
    expires_at: date | None = None


class Case(NamedTuple):
    """A root as a user of that client would give it, and all that a scan should find there."""

    root: str
    rows: tuple[Row, ...] = ()  # newest first, name breaks ties
    index_files: tuple[str, ...] = ()  # left out, as lists of memories or not durable
    client_files: tuple[str, ...] = ()  # left out, as the client loads them anyway
    indexes: bool = False
    instructions: bool = False

    @property
    def label(self) -> str:
        """The name of the case in a test report."""
        options = "+indexes" * self.indexes + "+instructions" * self.instructions
        return self.root + options


SKILLS = (
    Case(
        "agent-skills",
        (
            Row(
                "release-notes/SKILL.md",
                "skill",
                "release-notes",
                "Writes release notes from merged changes. Use when a release is prepared.",
                HEADER,
            ),
        ),
    ),
)

AGENTS_NAMES = ("AGENTS.md", "AGENTS.override.md", "services/payments/AGENTS.md")
AGENTS = (
    Case("agents-md", client_files=AGENTS_NAMES),
    Case(
        "agents-md",
        (
            Row("AGENTS.md", "instruction", "AGENTS.md", "`uv sync`", BODY),
            Row(
                "AGENTS.override.md",
                "instruction",
                None,
                "Local override: use the mirror at localhost.",
                BODY,
            ),
            Row(
                "services/payments/AGENTS.md",
                "instruction",
                None,
                "Money is integer cents. Never use floats here.",
                BODY,
            ),
        ),
        instructions=True,
    ),
)

ANTHROPIC = (
    Case(
        "anthropic-memory-tool/memories",
        (Row("deploys/order.md", "project", None, "Migrate first, then roll the web tier.", BODY),),
    ),
)

BASIC_MEMORY = (
    Case(
        "basic-memory",
        (
            Row(
                "deploys/Deploy Order.md",
                "note",
                "Deploy Order",
                "[decision] Migrate before rolling the web tier #deploy (since the October outage)"
                " [fact] The migration job takes about four minutes",
                BODY,
            ),
        ),
    ),
)

AUTO_MEMORY = "claude-code-auto-memory/home/.claude/projects/-home-dev-shop/memory"
AGENT_MEMORY = "claude-code-auto-memory/project/.claude/agent-memory/code-reviewer"
AUTO_MEMORY_ROWS = (
    Row(
        "feedback_short_answers.md",
        "feedback",
        "Short answers",
        "Keep answers to a few lines and leave out the recap",
        HEADER,
    ),
    Row(
        "reference_tracker.md",
        None,
        None,
        "Payment incidents are filed in the PAY board, not in the repo's issues.",
        BODY,
    ),
    Row(
        "user_role.md",
        "user",
        "user-role",
        "Backend engineer, ten years of Go, first time with React",
        HEADER,
    ),
    Row(
        "project_deploy_order.md",
        "project",
        "deploy-order",
        "Database migrations run before the web tier is rolled; #1 cause of failed deploys",
        HEADER,
        modified=at("2026-11-18T09:12:44.318Z"),
    ),
)
CLAUDE_MEMORY = (
    Case(AUTO_MEMORY, AUTO_MEMORY_ROWS, index_files=("MEMORY.md",)),
    Case(
        AUTO_MEMORY,
        (
            Row(
                "MEMORY.md",
                "index",
                "Memory index",
                "[Deploy order](project_deploy_order.md) — migrate first, then roll the web tier"
                " [Tone](feedback_short_answers.md) — short answers, no recap"
                " [Role](user_role.md) — backend engineer, new to the front en",  # 200 characters
                BODY,
            ),
            *AUTO_MEMORY_ROWS,
        ),
        indexes=True,
    ),
    Case(AGENT_MEMORY, index_files=("MEMORY.md",)),
    Case(
        AGENT_MEMORY,
        (
            Row(
                "MEMORY.md",
                "index",
                None,
                "[Flaky suites](flaky_suites.md) — which suites to rerun once before blaming the"
                " change",
                BODY,
            ),
        ),
        indexes=True,
    ),
)

API_RULES = Row(
    "api.md",
    "instruction",
    "API rules",
    "Validate every input at the edge.",
    BODY,
    scope=("src/api/**/*.{ts,tsx}", "lib/http/**"),
)
CLAUDE_INSTRUCTIONS = (
    Case("claude-code-instructions/.claude/rules", (API_RULES,)),
    Case("claude-code-instructions/.claude", (API_RULES._replace(name="rules/api.md"),)),
    # `.claude` is hidden and below the root here: its rules are not listed.
    Case("claude-code-instructions", client_files=("CLAUDE.local.md", "CLAUDE.md")),
    Case(
        "claude-code-instructions",
        (
            Row(
                "CLAUDE.local.md",
                "instruction",
                None,
                "My sandbox is http://localhost:8081.",
                BODY,
            ),
            Row(
                "CLAUDE.md",
                "instruction",
                "Shop",
                "Build: `make build`; tests: `make test` Shared rules: @AGENTS.md",
                BODY,
            ),
        ),
        instructions=True,
    ),
)

ACTIVE_CONTEXT = Row(
    "activeContext.md", "project", "Active context", "Working on the deploy order fix.", BODY
)
CLINE = (
    Case(
        "cline/.clinerules",
        (
            Row(
                "testing.md",
                "project",
                None,
                "Use factories, not fixtures files.",
                BODY,
                scope=("tests/**",),
            ),
        ),
    ),
    Case("cline/memory-bank", (ACTIVE_CONTEXT,)),
    Case("cline", (ACTIVE_CONTEXT._replace(name="memory-bank/activeContext.md"),)),
)

CODEX_ROOT = "codex-memories/home/.codex/memories"
CODEX_ROWS = (
    Row(
        "memory_summary.md",
        "project",
        "User profile",  # below the lone `v1` that opens the file
        "Prefers small diffs and a test for each fix.",
        BODY,
    ),
    Row(
        "rollout_summaries/2026-11-18-failed-rollout.md",
        "project",
        "Failed rollout",
        "The migration ran after the web tier; the fix was to reorder the job.",
        BODY,
        modified=at("2026-11-18T09:12:44Z"),  # its `updated_at` line, not the day in the name
    ),
)
CODEX = (
    Case(CODEX_ROOT, CODEX_ROWS, index_files=("MEMORY.md", "raw_memories.md")),
    Case(
        CODEX_ROOT,
        (
            Row(
                "MEMORY.md",
                "index",
                "Task Group: shop / deploys",
                "scope: how releases of the shop are rolled out and undone"
                " applies_to: cwd=/home/dev/shop; reuse_rule=only in this checkout",
                BODY,
            ),
            CODEX_ROWS[0],
            Row(
                "raw_memories.md",
                "project",
                "Raw memories",
                "(merged input of the next consolidation; do not index as durable memory)",
                BODY,
            ),
            CODEX_ROWS[1],
        ),
        indexes=True,
    ),
)

PYTHON_INSTRUCTIONS = Row(
    "python.instructions.md",
    "instruction",
    "Python",
    "Python conventions",
    HEADER,
    scope=("**/*.py", "**/*.pyi"),
)
COPILOT = (
    Case("copilot/.github/instructions", (PYTHON_INSTRUCTIONS,)),
    Case(
        "copilot/.github",
        (PYTHON_INSTRUCTIONS._replace(name="instructions/python.instructions.md"),),
        client_files=("copilot-instructions.md",),
    ),
    Case(
        "copilot/.github",
        (
            Row("copilot-instructions.md", "instruction", "Shop", "Use pnpm.", BODY),
            PYTHON_INSTRUCTIONS._replace(name="instructions/python.instructions.md"),
        ),
        instructions=True,
    ),
)

CURSOR = (
    Case(
        "cursor-rules/.cursor/rules",
        (
            Row("00-core.mdc", "instruction", None, "Small diffs.", BODY),
            # Not YAML: a second `: ` in the description, and `*` opens an alias.
            Row(
                "10-tsx.mdc",
                "instruction",
                None,
                "React component conventions: props first",
                HEADER,
                scope=("*.tsx", "src/ui/**/*.ts"),
            ),
            Row(
                "20-migrations.mdc",
                "instruction",
                None,
                "How database migrations are written and run",
                HEADER,
            ),
        ),
    ),
    Case("cursor-rules"),
)

GEMINI = (
    Case("gemini-cli/home/.gemini", client_files=("GEMINI.md",)),
    Case(
        "gemini-cli/home/.gemini",
        (Row("GEMINI.md", "instruction", "Preferences", "Use metric units.", BODY),),
        instructions=True,
    ),
    Case("gemini-cli/project", client_files=("GEMINI.md",)),
    Case(
        "gemini-cli/project",
        (Row("GEMINI.md", "instruction", "Shop", "Run `make test` before a commit.", BODY),),
        instructions=True,
    ),
)

KIRO = (
    Case(
        "kiro/.kiro/steering",
        (
            Row(
                "components.md",
                "instruction",
                None,
                "Keep components pure.",
                BODY,
                scope=("components/**/*.tsx",),
            ),
            Row("tech.md", "instruction", "Stack", "Python 3.12, PostgreSQL.", BODY),
        ),
    ),
)

MEMSEARCH = (
    Case(
        "memsearch/.memsearch/memory",
        (
            Row(
                "2026-11-30.md",
                "project",
                "Session 09:10",
                "Reordered the migration job.",
                BODY,
                modified=at("2026-11-30T00:00:00Z"),
            ),
        ),
    ),
)

MEMSEL = (
    Case(
        "memsel/.memsel/notes",
        (
            Row(
                "deploy-order.md",
                "project",
                "deploy-order",
                "Database migrations run before the web tier is rolled",
                HEADER,
                scope=("deploy/**",),
                modified=at("2026-11-18T09:12:44.318Z"),
            ),
        ),
    ),
)

OBSIDIAN = (
    Case(
        "obsidian",
        (
            Row(
                "Deploy order.md",
                None,
                None,
                "Migrate first. See the steps and .",
                BODY,
                modified=at("2026-11-18T00:00:00Z"),
            ),
        ),
    ),
)

OKF_NOTE = Row(
    "deploy-order.md",
    "runbook",
    "Deploy order",
    "Which step comes first in a release",
    HEADER,
    modified=at("2026-11-18T09:12:44Z"),
    expires_at=date(2027, 5, 18),
)
OKF = (
    Case("okf", (OKF_NOTE,), index_files=("index.md", "log.md")),
    Case(
        "okf",
        (
            Row("index.md", None, "Index", "[Deploy order](deploy-order.md)", BODY),
            Row(
                "log.md",
                None,
                "2026-11-18: Reordered the release steps",
                "Because of the October outage.",
                BODY,
            ),
            OKF_NOTE,
        ),
        indexes=True,
    ),
)

OPENCLAW_ROWS = (
    Row(
        "USER.md",
        "user",
        "User",
        "Prefer short answers. (observed 2026-11-02, active)",
        BODY,
    ),
    Row(
        "memory/2026-11-30-payment-incident.md",
        "project",
        "Payment incident",
        "Root cause: missing column.",
        BODY,
        modified=at("2026-11-30T00:00:00Z"),
    ),
    Row(
        "memory/2026-11-30.md",
        "project",
        "2026-11-30",
        "09:10 Reordered the migration job. 14:30 Incident PAY-12 closed.",
        BODY,
        modified=at("2026-11-30T00:00:00Z"),
    ),
)
OPENCLAW = (
    Case("openclaw/workspace", OPENCLAW_ROWS, index_files=("DREAMS.md", "MEMORY.md")),
    Case(
        "openclaw/workspace",
        (
            Row(
                "DREAMS.md",
                "project",
                "Dream diary",
                "(review only; not durable memory)",
                BODY,
            ),
            Row("MEMORY.md", "index", "Long-term memory", "The shop deploys on Tuesdays.", BODY),
            *OPENCLAW_ROWS,
        ),
        indexes=True,
    ),
)

SERENA = (
    Case(
        "serena/.serena/memories",
        (Row("suggested_commands.md", "project", "Suggested commands", "make test", BODY),),
    ),
)

WINDSURF = (
    Case(
        "windsurf/.windsurf/rules",
        (
            Row(
                "api.md",
                "instruction",
                None,
                "API layer rules",
                HEADER,
                scope=("src/api/**/*.ts", "src/http/**"),
            ),
            Row(
                "release.md",
                "instruction",
                None,
                "When preparing a release or a deploy",
                HEADER,
            ),
        ),
    ),
    Case(
        "windsurf/home/.codeium/windsurf/memories",
        (Row("global_rules.md", "instruction", None, "Answer in English.", BODY),),
    ),
)

CASES = (
    *SKILLS,
    *AGENTS,
    *ANTHROPIC,
    *BASIC_MEMORY,
    *CLAUDE_MEMORY,
    *CLAUDE_INSTRUCTIONS,
    *CLINE,
    *CODEX,
    *COPILOT,
    *CURSOR,
    *GEMINI,
    *KIRO,
    *MEMSEARCH,
    *MEMSEL,
    *OBSIDIAN,
    *OKF,
    *OPENCLAW,
    *SERENA,
    *WINDSURF,
)
each_case = pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])


def names() -> list[str]:
    """Every file and folder of `formats/`; a copy is not listed, as that may set its atime."""
    return [path.relative_to(FORMATS).as_posix() for path in (FORMATS, *FORMATS.rglob("*"))]


def fresh_copy(folder: Path) -> Path:
    """A copy of `formats/` in which every file and folder carries `MTIME`."""
    tree = shutil.copytree(FORMATS, folder / "formats")
    nanoseconds = int(MTIME.timestamp()) * 10**9
    for name in names():
        (tree / name).chmod(0o755 if (tree / name).is_dir() else 0o644)
        os.utime(tree / name, ns=(nanoseconds, nanoseconds))
    return tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy for the tests that only read."""
    return fresh_copy(tmp_path_factory.mktemp("scanned"))


def scan_case(tree: Path, case: Case) -> Scan:
    """The scan that a case describes."""
    return scan(tree / case.root, indexes=case.indexes, instructions=case.instructions)


def as_row(header: MemoryHeader) -> Row:
    """The part of a header that the tables speak of."""
    return Row(
        header.name,
        header.type,
        header.title,
        header.description,
        header.description_from,
        header.scope,
        header.modified,
        header.expires_at,
    )


def left_out(found: Scan, code: Code) -> list[tuple[str, Severity]]:
    """The names that a scan left out for one reason, with how much that matters."""
    return sorted((each.name, each.severity) for each in found.problems if each.code is code)


def as_info(names: Iterable[str]) -> list[tuple[str, Severity]]:
    """The names as files that are left out on purpose."""
    return [(name, Severity.INFO) for name in names]


@each_case
def test_headers(tree: Path, case: Case) -> None:
    found = scan_case(tree, case)
    assert [as_row(header) for header in found.headers] == list(case.rows)


@each_case
def test_left_out(tree: Path, case: Case) -> None:
    found = scan_case(tree, case)
    assert left_out(found, Code.INDEX_FILE) == as_info(case.index_files)
    assert left_out(found, Code.CLIENT_FILE) == as_info(case.client_files)


@each_case
def test_healthy_files_are_no_errors(tree: Path, case: Case) -> None:
    found = scan_case(tree, case)
    assert [each for each in found.problems if each.severity is Severity.ERROR] == []


@each_case
def test_path_size_and_defaults(tree: Path, case: Case) -> None:
    for header in scan_case(tree, case).headers:
        assert header.path == str(tree / case.root / header.name)
        assert header.size == (tree / case.root / header.name).stat().st_size
        assert header.modified.tzinfo is UTC
        assert (header.importance, header.superseded_by) == (0.5, None)


def test_whole_tree(tree: Path) -> None:
    """Hidden folders below the root are not entered, and nothing in them is reported."""
    found = scan(tree)
    assert [header.name for header in found.headers] == [
        "agent-skills/release-notes/SKILL.md",
        "anthropic-memory-tool/memories/deploys/order.md",
        "basic-memory/deploys/Deploy Order.md",
        "cline/memory-bank/activeContext.md",
        "openclaw/workspace/USER.md",
        "openclaw/workspace/memory/2026-11-30-payment-incident.md",
        "openclaw/workspace/memory/2026-11-30.md",
        "okf/deploy-order.md",
        "obsidian/Deploy order.md",
    ]
    assert left_out(found, Code.INDEX_FILE) == as_info(
        (
            "README.md",
            "okf/index.md",
            "okf/log.md",
            "openclaw/workspace/DREAMS.md",
            "openclaw/workspace/MEMORY.md",
        )
    )
    assert left_out(found, Code.CLIENT_FILE) == as_info(
        (
            "agents-md/AGENTS.md",
            "agents-md/AGENTS.override.md",
            "agents-md/services/payments/AGENTS.md",
            "claude-code-instructions/CLAUDE.local.md",
            "claude-code-instructions/CLAUDE.md",
            "gemini-cli/project/GEMINI.md",
        )
    )
    hidden = [each.name for each in found.problems if "/." in f"/{each.name}"]
    assert hidden == []


def test_every_file_has_a_row() -> None:
    """No example without an expectation, and none lost on the way into a checkout."""
    expected = {f"{case.root}/{row.name}" for case in CASES for row in case.rows}
    present = {name for name in names() if (FORMATS / name).is_file()}
    assert present - expected == {"README.md", "cursor-rules/.cursorrules"}
    assert expected - present == set()


def state(tree: Path) -> dict[str, dict[str, int]]:
    """Mode, size and times of everything in a copy, without opening or listing any of it."""
    fields = ["st_mode", "st_size", "st_mtime_ns", "st_ctime_ns"]
    if hasattr(os, "O_NOATIME"):  # elsewhere a reader cannot help it
        fields.append("st_atime_ns")
    status = {name: (tree / name).lstat() for name in names()}
    return {name: {field: getattr(status[name], field) for field in fields} for name in status}


def contents(tree: Path) -> dict[str, bytes]:
    """The bytes of every file in a tree."""
    files = (path for path in tree.rglob("*") if path.is_file())
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in files}


def test_scan_changes_nothing(tmp_path: Path) -> None:
    """Not even an access time, which the kernel would set here (`relatime`) on a plain read."""
    tree = fresh_copy(tmp_path)
    before = state(tree)
    for case in CASES:
        scan_case(tree, case)
    scan(tree, indexes=True, instructions=True)
    assert state(tree) == before
    assert contents(tree) == contents(FORMATS)
