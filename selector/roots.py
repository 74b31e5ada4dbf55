"""Folders as a user names them: one path, or several with a label each."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping

from selector.errors import ConfigurationError
from selector.text import is_safe_name

Root = str | os.PathLike[str]


def root_paths(root: Root | Mapping[str, Root]) -> dict[str, str]:
    """`label -> absolute path`; one root without a label has the label "".

    Raises ConfigurationError for no root at all and for a label that cannot open a name.
    """
    if not isinstance(root, Mapping):
        return {"": _absolute(root)}
    if not root:
        raise ConfigurationError("no root given: name a folder, or {label: folder, ...}")
    for label in root:
        if not _is_label(label):
            raise ConfigurationError(f"label {label!r}: one visible word without '/' is needed")
    paths = {unicodedata.normalize("NFC", label): _absolute(path) for label, path in root.items()}
    if len(paths) < len(root):
        raise ConfigurationError("two labels differ only in Unicode form: another word is needed")
    return paths


def _is_label(label: object) -> bool:
    if not isinstance(label, str) or not label or not is_safe_name(label):
        return False
    return label == label.strip() and not label.startswith(".") and not set(label) & set("/\\")


def _absolute(path: Root) -> str:
    try:
        text = os.fsdecode(path)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"root {path!r}: a path to a folder is needed") from error
    if not text:  # would be the current folder
        raise ConfigurationError(f"root {path!r}: a path to a folder is needed")
    path = os.path.expanduser(text)
    if text[0] == "~" and not os.path.normpath(path).strip(os.sep):  # an empty HOME
        raise ConfigurationError(f"root {text!r}: no home folder is known")
    try:
        return os.path.abspath(path)
    except OSError:  # the current folder is gone, and so is what would be below it
        return path
