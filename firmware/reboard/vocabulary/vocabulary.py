"""The vocabulary of an accessory: all that its module declares."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from reboard.vocabulary.declared import Declared, Event, Request

D = TypeVar("D", bound=Declared)


class Vocabulary:
    """The events and requests that the *modules* of these names declare, and the part of the snapshot in the first one.

    ``Snapshot``, a ``TypedDict``, has the keys that an accessory adds to the snapshot of the table. ``ABSENT`` has
    their values for a table where the accessory is not running. Without it, the key is the name of the accessory.
    ``OUTCOMES`` are the outcomes that the bank can book, by the amounts in ``[outcomes.<name>]`` of the edition, and
    ``WORDS`` the names of outcomes for players. A module need not have any of these.
    """

    def __init__(self, *modules: str) -> None:
        self.modules = modules

    @cached_property
    def events(self) -> Mapping[str, type[Event]]:
        """The events, keyed by name, except those of devices."""
        return {each.event: each for each in self._declared(Event)}

    @cached_property
    def requests(self) -> Mapping[str, type[Request]]:
        """The requests, keyed by name, with the internal ones."""
        return {each.do: each for each in self._declared(Request)}

    @property
    def snapshot(self) -> type | None:
        """The ``TypedDict`` of the keys in the snapshot, or ``None``."""
        found: type | None = self._names.get("Snapshot")
        return found

    @property
    def absent(self) -> Mapping[str, object] | None:
        """The ``ABSENT`` of the module, or ``None``."""
        found: Mapping[str, object] | None = self._names.get("ABSENT") if self.modules else {}
        return found

    @property
    def outcomes(self) -> Sequence[str]:
        """The outcomes that the bank can book."""
        found: Sequence[str] = self._names.get("OUTCOMES", ())
        return found

    @property
    def words(self) -> Mapping[str, str]:
        """The names of outcomes for players, in English, keyed by outcome."""
        found: Mapping[str, str] = self._names.get("WORDS", {})
        return found

    @property
    def _names(self) -> Mapping[str, Any]:
        return vars(sys.modules[self.modules[0]]) if self.modules else {}

    def _declared(self, base: type[D]) -> Iterator[type[D]]:
        for module in self.modules:
            for each in vars(sys.modules[module]).values():
                if isinstance(each, type) and issubclass(each, base) and each.__module__ == module:
                    yield each
