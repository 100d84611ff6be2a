"""The kinds of card readers that are installed.

A kind is the `KIND` of a module in ``kinds/``, which is named after it, or an entry point of a plug-in. Its parts and
connections are in ``netlist/readers/``. Everything else iterates over `READER_KINDS`: config, check, doctor, setup,
wiring, the bench and the tests.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, TypeVar

from reboard.config.kinds import Section
from reboard.devices.readers import kinds
from reboard.devices.readers.reader_kind import ReaderKind, SlotConfig
from reboard.errors import PLUG_IN_ERRORS, PLUG_IN_REMEDY, failure

ENTRY_POINTS = "reboard.readers"

log = logging.getLogger(__name__)

T = TypeVar("T")


class Kinds(Mapping[str, T]):
    """A value for each kind of reader, keyed by the name of the kind.

    A kind is loaded when it is used, because a table has one or two of them. A list of all loads all.
    """

    def __init__(self, value: Callable[[ReaderKind[Any]], T]) -> None:
        self._value = value

    def __getitem__(self, name: str) -> T:
        return self._value(_ours(name) or _plug_ins()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())


@cache
def _ours(name: str) -> ReaderKind[Any] | None:
    module = f"{kinds.__name__}.{name}"
    return import_module(module).KIND if name.isidentifier() and find_spec(module) else None


@cache
def _plug_ins() -> Mapping[str, ReaderKind[Any]]:
    found: dict[str, ReaderKind[Any]] = {}
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            kind = entry.load()
            if not isinstance(kind, ReaderKind) or kind.name != entry.name:
                raise TypeError(f"{entry.value} is not a ReaderKind with the name {entry.name}")
            found[entry.name] = kind
        except PLUG_IN_ERRORS as error:
            log.warning("the reader %s cannot be used: %s. %s", entry.name, failure(error), PLUG_IN_REMEDY)
    return found


def _names() -> list[str]:
    import pkgutil  # a table lists no kinds

    ours = (_ours(module.name) for module in pkgutil.iter_modules(kinds.__path__))
    found = [*filter(None, ours), *(kind for name, kind in _plug_ins().items() if not _ours(name))]
    return [kind.name for kind in sorted(found, key=lambda kind: (kind.order, kind.name))]


READER_KINDS = Kinds(lambda kind: kind)
"""All kinds of reader."""

SLOT_KINDS: Mapping[str, Section[SlotConfig]] = Kinds(lambda kind: kind.section)
"""The section of the config for each kind of reader."""


def kind_of(config: SlotConfig) -> ReaderKind[Any]:
    """Return the kind of the reader of *config*."""
    return READER_KINDS[config.reader]
