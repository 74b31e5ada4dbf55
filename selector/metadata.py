"""The whole frontmatter of one memory, through python-frontmatter; every scalar stays a string."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from selector.patterns import lazy

YAML_BYTES = 16_384  # the longest header that is given to YAML, the same as a scan reads
MAX_BRACKETS = 64  # of one kind: YAML's readers recurse at each
_LINE = lazy(r"([^\W\d][\w.-]*)[ \t]*:[ \t]*(.*)")


def parse(header: str) -> dict[str, Any] | None:
    """The mapping in `header`, None when it holds none.

    A header that YAML refuses is read line by line, the values as they stand. Dates, numbers and
    yes/no are not resolved; aliases stay text, since nine lines of them can name a gigabyte. The
    first of two equal keys counts.
    """
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    if len(header) > YAML_BYTES or max(map(header.count, "[{")) > MAX_BRACKETS:
        return _by_lines(header)
    try:
        found = YAMLHandler().load(header, Loader=_loader())
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return _by_lines(header)
    if found in (None, ""):
        return {}
    return found if isinstance(found, dict) else _by_lines(header)


def _by_lines(header: str) -> dict[str, Any] | None:
    found: dict[str, list[str]] = {}
    lines: list[str] = []  # of the key above
    for line in header.splitlines():
        match = _LINE.match(line)
        if match:
            lines = [_unquoted(match[2].strip())]
            found.setdefault(match[1], lines)
        elif line.strip():
            lines.append(line.strip())
    return {key: "\n".join(lines).strip() for key, lines in found.items()} or None


def _unquoted(text: str) -> str:
    pair = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if pair else text


@lru_cache(maxsize=1)
def _loader() -> type:
    """A YAML loader that resolves nothing. Made when first used: the import costs 15 ms."""
    import yaml

    class Loader(yaml.BaseLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("an alias stays text")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            first: dict[str, Any] = {}
            for key, value in node.value:
                first.setdefault(str(key.value), (key, value))
            node.value = list(first.values())
            return super().construct_mapping(node, deep)

    return Loader
