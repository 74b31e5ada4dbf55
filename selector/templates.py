"""The prompt files, filled in. They stand in `prompts/` so that people can read and change them."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from selector.errors import ConfigurationError

_HERE = os.path.dirname(os.path.abspath(__file__))
# In a wheel the prompts are inside the package, in a checkout beside it.
_FOLDERS = (os.path.join(_HERE, "prompts"), os.path.join(os.path.dirname(_HERE), "prompts"))
_NAME = re.compile(r"\$([a-z_]+)")


def render(template: str, **values: object) -> str:
    """The text of `prompts/<template>.md` with every `$name` replaced by its value.

    Values are put in as they are: a `$name` inside one stays. Raises ConfigurationError for a
    missing file, a `$name` without a value and a value without a `$name`.
    """
    text = _read(template)
    names = set(_NAME.findall(text))
    if names != values.keys():
        wrong = ", ".join(sorted(f"${name}" for name in names ^ values.keys()))
        raise ConfigurationError(f"prompt {template!r}: names and values differ in {wrong}")
    return _NAME.sub(lambda match: str(values[match[1]]), text)


def sentences(template: str) -> dict[str, str]:
    """`word -> sentence` of `prompts/<template>.md`, with lines like `word, word: sentence`.

    The sentence of `*` is for all other words. Raises ConfigurationError for a missing file, a line
    of another shape, a word that comes twice, and where `*` is missing.
    """
    found: dict[str, str] = {}
    for line in filter(None, _read(template).splitlines()):
        words, _, sentence = line.partition(": ")
        for word in words.split(","):
            if not sentence.strip() or not word.strip() or word.strip() in found:
                raise ConfigurationError(
                    f"prompt {template!r}: {line!r} is not `word, word: sentence` with new words"
                )
            found[word.strip()] = sentence.strip()
    if "*" not in found:
        raise ConfigurationError(
            f"prompt {template!r}: a line `*: sentence` for all others is missing"
        )
    return found


@lru_cache(maxsize=64)
def _read(template: str) -> str:
    for folder in _FOLDERS:
        try:
            with open(os.path.join(folder, f"{template}.md"), encoding="utf-8") as file:
                return file.read().strip()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"prompt {template!r} cannot be read: {error}") from error
    raise ConfigurationError(f"prompt {template!r}: no such file in {' or '.join(_FOLDERS)}")
