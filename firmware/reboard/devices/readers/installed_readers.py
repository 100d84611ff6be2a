"""The kinds of card readers that are installed.

A kind is the `KIND` of a module in ``kinds/``, which is named after it, or an entry point of a plug-in. Its parts and
connections are in ``netlist/readers/``. Everything else iterates over `READER_KINDS`: config, check, doctor, setup,
wiring, the bench and the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reboard.config.kinds import Section
from reboard.devices.installed_kinds import EachKind, InstalledKinds
from reboard.devices.readers import kinds
from reboard.devices.readers.reader_kind import ReaderKind, SlotConfig

READER_KINDS: Mapping[str, ReaderKind[Any]] = InstalledKinds(ReaderKind, kinds, "reboard.readers")
"""All kinds of reader."""

SLOT_KINDS: Mapping[str, Section[SlotConfig]] = EachKind(READER_KINDS, lambda kind: kind.section)
"""The section of the config for each kind of reader."""


def kind_of(config: SlotConfig) -> ReaderKind[Any]:
    """Return the kind of the reader of *config*."""
    return READER_KINDS[config.reader]
