"""What a path says: whether a file is a memory, and which type its folder or name gives it."""

from __future__ import annotations

import os
import re

from selector.patterns import lazy

SUFFIXES = (".md", ".mdc", ".markdown")
SKIPPED_FOLDERS = frozenset(("node_modules", "venv", "__pycache__"))
# Lists of memories, and logs that are no durable memory. All names here are in lower case.
INDEX_FILES = frozenset(
    ("memory.md", "index.md", "readme.md", "log.md", "dreams.md", "raw_memories.md")
)
# What clients load in full by themselves.
CLIENT_FILES = frozenset(
    (
        "claude.md",
        "claude.local.md",
        "agents.md",
        "agents.override.md",
        "gemini.md",
        "copilot-instructions.md",
    )
)
# Below a root: where that goes which is taken away. A scan leaves it out, as all hidden folders.
TRASH = ".trash"
# What a file of ours is called while it is written.
TEMP_PREFIX, TEMP_SUFFIX = ".memsel-", ".tmp"

# What a folder says about the type, by its own name or with that of the folder it is in.
_FOLDER_TYPES: dict[str, str] = dict.fromkeys(
    (".claude/rules", ".cursor/rules", ".windsurf/rules", ".github/instructions",
     ".copilot/instructions", "windsurf/memories", ".kiro/steering"),
    "instruction",
) | dict.fromkeys(
    (".clinerules", "memory-bank", ".serena/memories", ".codex/memories", "openclaw/workspace",
     ".openclaw/workspace", ".memsearch/memory"),
    "project",
)  # fmt: skip
_INSTRUCTION_SUFFIXES = (".mdc", ".instructions.md")
_FILE_TYPES = {"skill.md": "skill", "user.md": "user", "memory.md": "index"} | dict.fromkeys(
    CLIENT_FILES, "instruction"
)
_CONFLICT = lazy(r"\.sync-conflict-|conflicted copy|\(.*conflict.*\)", re.IGNORECASE)
_NOTE = r"\.(?:md|mdc|markdown)"
# What programs write beside a note before they rename it. Swap and backup files of editors
# (`.a.md.swp`, `a.md~`, `.#a.md`, `#a.md#`) are somebody's work and not among them.
_TEMPORARY = lazy(
    rf"(?!\.?#)(?:.*{_NOTE}\.tmp(?:[.-][\w.-]+)?|.*{_NOTE}\.[\w-]+\.tmp"
    rf"|\.tmp[._-].*{_NOTE}|\.goutputstream-.+)",
    re.IGNORECASE | re.DOTALL,
)


def type_of_folder(path: str, root: str) -> str | None:
    """The type that the folders in `path` give to the memories in it, the last one that does."""
    kind = "project" if os.path.basename(root) == "memories" else None
    parent = ""
    for name in path.split(os.sep):
        kind = type_below(parent, name, kind)
        parent = name
    return kind


def type_below(parent: str, name: str, kind: str | None) -> str | None:
    """The type that a folder `name` gives, in a folder called `parent` that gives `kind`."""
    return _FOLDER_TYPES.get(f"{parent}/{name}") or _FOLDER_TYPES.get(name) or kind


def type_of_file(lower: str) -> str | None:
    """The type that a file name, given in lower case, stands for."""
    if lower.endswith(_INSTRUCTION_SUFFIXES):
        return "instruction"
    return _FILE_TYPES.get(lower)


def is_conflict_copy(name: str) -> bool:
    """True for what Syncthing, Dropbox and their like leave beside a file that two changed."""
    return _CONFLICT.search(name) is not None


def is_our_temporary(name: str) -> bool:
    """True for what this package calls a file while it is written."""
    return name.startswith(TEMP_PREFIX) and name.endswith(TEMP_SUFFIX)


def is_temporary(name: str) -> bool:
    """True for what this package or another calls a note while it is written."""
    return is_our_temporary(name) or _TEMPORARY.fullmatch(name) is not None
