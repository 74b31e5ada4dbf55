"""One door: what the package promises is there, sorted, and documented."""

from __future__ import annotations

import inspect

import selector
from selector import codes, errors, types


def test_all_is_sorted_and_everything_in_it_exists() -> None:
    assert selector.__all__ == sorted(set(selector.__all__))
    for name in selector.__all__:
        assert getattr(selector, name) is not None


def test_every_public_value_and_error_is_exported() -> None:
    for module in (codes, errors, types):
        own = {
            name
            for name, value in vars(module).items()
            if inspect.isclass(value)
            and value.__module__ == module.__name__
            and not name.startswith("_")
        }
        assert own <= set(selector.__all__)


def test_what_is_not_public_is_an_attribute_error() -> None:
    assert not hasattr(selector, "no_such_name")
    assert set(selector.__all__) <= set(dir(selector))


def test_every_public_class_and_method_says_what_it_gives() -> None:
    for name in selector.__all__:
        value = getattr(selector, name)
        if inspect.isclass(value):
            methods = [m for n, m in vars(value).items() if inspect.isfunction(m) and n[0] != "_"]
            assert all(one.__doc__ for one in (value, *methods)), name
