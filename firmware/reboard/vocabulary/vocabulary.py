"""The vocabulary of an accessory: all that its module declares."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from reboard.errors import Why
from reboard.labels import Labelled, LabelledNumbers, Labels, OutcomeKind
from reboard.vocabulary.declared import Event, Request

L = TypeVar("L", bound=Labelled)
T = TypeVar("T")


class Vocabulary:
    """The events, requests, rejections and outcomes that *modules* declare. The first has the part of the snapshot.

    ``Snapshot``, a ``TypedDict``, has the keys that an accessory adds to the snapshot of the table. ``ABSENT`` has
    their values for a table where the accessory is not running. Without it, the key is the name of the accessory.
    Subclasses of `Labels` have the names that users read in words: each `Why` and `OutcomeKind`, and others.
    """

    def __init__(self, *modules: str) -> None:
        self.modules = modules

    @cached_property
    def events(self) -> Mapping[str, type[Event]]:
        """The events, keyed by name, except those of devices."""
        return _keyed("event", [(each.event, each) for each in self._declared(Event)])

    @cached_property
    def requests(self) -> Mapping[str, type[Request]]:
        """The requests, keyed by name, with the internal ones."""
        return _keyed("request", [(each.do, each) for each in self._declared(Request)])

    @cached_property
    def rejections(self) -> Sequence[Why]:
        """The reasons to reject a request or an input."""
        return self._names(Why)

    @cached_property
    def outcomes(self) -> Sequence[OutcomeKind]:
        """The outcomes."""
        return self._names(OutcomeKind)

    @property
    def labels(self) -> Mapping[str, Mapping[str, str]]:
        """The English words for pages of all other names, keyed by the name of their class."""
        numbers = {each.__name__: {str(one): one.label for one in each} for each in self._declared(LabelledNumbers)}
        for declared in self._declared(Labels):
            if plain := {str(each): each.label for each in declared.members if type(each) is Labelled}:
                numbers[declared.__name__] = plain
        return numbers

    @property
    def snapshot(self) -> type | None:
        """The ``TypedDict`` of the keys in the snapshot, or ``None``."""
        found: type | None = self._module.get("Snapshot")
        return found

    @property
    def absent(self) -> Mapping[str, object] | None:
        """The ``ABSENT`` of the module, or ``None``."""
        found: Mapping[str, object] | None = self._module.get("ABSENT") if self.modules else {}
        return found

    @property
    def _module(self) -> Mapping[str, Any]:
        return vars(sys.modules[self.modules[0]]) if self.modules else {}

    def _names(self, kind: type[L]) -> Sequence[L]:
        return [each for labels in self._declared(Labels) for each in labels.members if isinstance(each, kind)]

    def _declared(self, base: type[T]) -> Iterator[type[T]]:
        for module in self.modules:
            for each in vars(sys.modules[module]).values():
                if isinstance(each, type) and issubclass(each, base) and each.__module__ == module:
                    yield each


def _keyed(what: str, named: Sequence[tuple[str, T]]) -> Mapping[str, T]:
    """Return *named* as a mapping. Raises ``ValueError`` if two classes declare *what* with the same name."""
    keyed: dict[str, T] = {}
    for name, each in named:
        if keyed.setdefault(name, each) is not each:
            raise ValueError(f"two classes declare the {what} {name!r}: rename one of them")
    return keyed
