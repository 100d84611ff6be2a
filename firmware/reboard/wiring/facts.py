"""A config as a flat list of facts, which the circuits in ``hardware`` ask for by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from reboard.config import BumpsConfig, KeyboardConfig, SlotConfig, TableConfig
from reboard.settings.pins_and_ports import HEADER_UARTS, OTHER_UART
from reboard.settings.wiring import SlotWiring
from reboard.wiring.pi import gpio

Fact = str | float | bool | None
Facts = Mapping[str, Fact]

ON_5V = (("rdm6300", "header"), ("rdm6300", "usb"), ("pn532", "usb"))
"""Readers and lines where our drawing feeds with 5 V, and therefore divides the signal. A PN532 takes more than the
3.3 V of an adapter gives; the Pi's own have enough."""


def facts_of(config: TableConfig) -> Facts:
    """Everything that *config* says: ``block.lamp``, ``bank.keypad.rows.0``; ``block`` itself is true when it is there.

    Besides there are ``bank.left.line`` (``header`` or ``usb``) for a reader on a serial line whose pins are known, and
    ``wiring.left.power`` and ``wiring.left.divider`` as they are for its kind when nothing is said;
    ``speaker.is_heard`` where any sound is wanted.
    """
    facts = dict(_said("", config))
    if config.speaker and not config.speaker.is_silent:
        facts["speaker.is_heard"] = True
    for side in ("left", "right"):
        slot: SlotConfig | None = getattr(config.bank, side, None)
        if slot is None or isinstance(slot, KeyboardConfig | BumpsConfig):
            continue
        if slot.port not in HEADER_UARTS and OTHER_UART.fullmatch(slot.port):
            continue
        wiring: SlotWiring = getattr(config.wiring, side)
        line = "header" if slot.port in HEADER_UARTS else "usb"
        facts[f"bank.{side}.line"] = line
        power = wiring.power or ("5V" if (slot.reader, line) in ON_5V else "3.3V")
        facts[f"wiring.{side}.power"] = power
        facts[f"wiring.{side}.divider"] = power == "5V" if wiring.divider is None else wiring.divider
    return facts


def holds(condition: str, facts: Facts) -> bool:
    """Whether a *condition* is so: a fact's name, or ``name = value``."""
    name, equals, value = condition.partition(" = ")
    fact = facts.get(name)
    return str(fact).lower() == value.lower() if equals else bool(fact)


def pin_or_itself(target: str, facts: Facts) -> str:
    """The wire of the pin that a setting names, for ``@block.lamp``; *target* itself if it is no such name."""
    number = facts[target.removeprefix("@")] if target.startswith("@") else None
    return target if number is None else gpio(int(number))


def _said(prefix: str, value: object) -> Iterator[tuple[str, Fact]]:
    if is_dataclass(value) and not isinstance(value, type):
        if prefix:
            yield prefix, True
        for field in fields(value):
            yield from _said(f"{prefix}.{field.name}" if prefix else field.name, getattr(value, field.name))
    elif isinstance(value, tuple):
        if value:
            yield prefix, True
        for place, entry in enumerate(value):
            yield from _said(f"{prefix}.{place}", entry)
    elif value is None or isinstance(value, str | int | float):
        yield prefix, value
