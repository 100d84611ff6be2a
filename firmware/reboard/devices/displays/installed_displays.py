"""The kinds of display controllers that are installed.

A kind is the `KIND` of a module in ``kinds/``, which is named after it, or an entry point of a plug-in. Its parts and
connections are in ``netlist/displays/``. Everything else iterates over `DISPLAY_KINDS`: config, check, doctor, setup,
wiring, the bench and the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reboard.config.kinds import Section
from reboard.devices.displays import kinds
from reboard.devices.displays.display_controller import DisplayControllerKind
from reboard.devices.installed_kinds import EachKind, InstalledKinds

DISPLAY_KINDS: Mapping[str, DisplayControllerKind] = InstalledKinds(DisplayControllerKind, kinds, "reboard.displays")
"""All kinds of controller."""

DISPLAY_SECTIONS: Mapping[str, Section[Any]] = EachKind(DISPLAY_KINDS, lambda kind: kind.section)
"""The section of the config for each kind of controller."""
