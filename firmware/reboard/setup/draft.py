"""The config that comes about while questions are answered: settings by name, and which pins are taken by now."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from reboard.settings.pins_and_ports import HEADER_UARTS

USUAL_WIRING: Mapping[str, int] = {"block.button": 17, "block.lamp": 27, "apple.lever": 22, "apple.motor": 13}
"""The pins of the drawing."""

USUAL_ROWS, USUAL_COLUMNS = [23, 24, 25, 12], [5, 6, 16, 26]


class Draft:
    """A TOML document that is changed setting by setting, each called as in ``bank.display.address``.

    *rules* are udev's, by slot, which give readers their lasting names; *found* are the device files of those that were
    found just now, whose new names udev does not know yet.
    """

    def __init__(
        self, document: Mapping[str, Any], rules: Mapping[str, str], found: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.document: dict[str, Any] = copy.deepcopy(dict(document))
        self.rules = dict(rules)
        self.found = dict(found)

    def copy(self) -> Draft:
        """One that can be changed without changing this."""
        return Draft(self.document, self.rules, self.found)

    def get(self, name: str) -> Any:
        """What the setting or section *name* is, or ``None``."""
        found: Any = self.document
        for key in name.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def put(self, name: str, value: object) -> None:
        """Let the setting or section *name* be *value*."""
        *sections, key = name.split(".")
        table = self.document
        for section in sections:
            table = table.setdefault(section, {})
        table[key] = value

    def drop(self, name: str) -> None:
        """Leave out the setting or section *name*, which may not be there."""
        section, _, key = name.rpartition(".")
        table = self.get(section) if section else self.document
        if isinstance(table, dict):
            table.pop(key, None)

    def pins(self) -> dict[int, str]:
        """Every pin that is spoken for, and the setting that does."""
        return dict(self._pins())

    def _pins(self) -> Iterator[tuple[int, str]]:
        for name in USUAL_WIRING:
            if isinstance(pin := self.get(name), int):
                yield pin, name
        for name in ("bank.left.pins", "bank.right.pins", "bank.keypad.rows", "bank.keypad.columns"):
            for pin in self.get(name) or ():
                yield pin, name
        for side in ("bank.left", "bank.right"):
            if self.get(f"{side}.port") in HEADER_UARTS:
                yield from ((pin, f"{side}.port") for pin in (14, 15))
        if self.get("bank.display") and self.get("bank.display.bus") in (None, 1):
            yield from ((pin, "bank.display") for pin in (2, 3))
