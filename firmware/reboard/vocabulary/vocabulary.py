"""The vocabulary of an accessory: all that its module declares."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from reboard.errors import Why, Whys
from reboard.vocabulary.declared import Event, Request
from reboard.vocabulary.labelled import LabelledNumbers, Labels

T = TypeVar("T")


class Vocabulary:
    """The events, requests and rejections that *modules* declare. The first module has the part of the snapshot.

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

    @cached_property
    def rejections(self) -> Sequence[Why]:
        """The reasons to reject a request or an input."""
        return [why for each in self._declared(Whys) for why in each.members]

    @property
    def labels(self) -> Mapping[str, Mapping[str, str]]:
        """The English words for pages of each subclass of `Labels` or `LabelledNumbers`, keyed by its name."""
        numbers = {each.__name__: {str(one): one.label for one in each} for each in self._declared(LabelledNumbers)}
        return numbers | {
            each.__name__: {str(one): one.label for one in each.members} for each in self._declared(Labels)
        }

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

    def _declared(self, base: type[T]) -> Iterator[type[T]]:
        for module in self.modules:
            for each in vars(sys.modules[module]).values():
                if isinstance(each, type) and issubclass(each, base) and each.__module__ == module:
                    yield each
