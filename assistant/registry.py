"""Named parts of one kind, each loaded only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from assistant.errors import SettingsError

T = TypeVar("T")


class Registry(Generic[T]):
    """A table from name to part. A part is given as "module:attribute" and imported at first use.

    Adding a part is one file and one line in the table of its folder.
    """

    def __init__(self, noun: str, parts: Mapping[str, str | Callable[..., T]]) -> None:
        self.noun = noun
        self._parts: dict[str, str | Callable[..., T]] = dict(parts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def add(self, name: str, part: str | Callable[..., T]) -> None:
        """Adds or replaces a part, for notebooks that try one of their own."""
        self._parts[name] = part

    def check(self, name: str) -> None:
        """Imports nothing. Raises SettingsError that lists the known names when there is no part of this name."""
        if name not in self._parts:
            known = ", ".join(sorted(self._parts))
            raise SettingsError(f"There is no {self.noun} named {name!r}; choose one of: {known}.")

    def part(self, name: str) -> Callable[..., T]:
        """The function or class of this name. Raises SettingsError that lists the known names."""
        self.check(name)
        part = self._parts[name]
        if isinstance(part, str):
            module, _, attribute = part.partition(":")
            part = getattr(import_module(module), attribute)
            self._parts[name] = part
        return part

    def build(self, name: str, *args: Any, **kwargs: Any) -> T:
        """The part of this name, built with these arguments."""
        return self.part(name)(*args, **kwargs)
