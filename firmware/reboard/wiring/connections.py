"""Connections: every wire from a part's terminal, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.pi import RAILS, gpio_number, header, header_pin

USB = "USB"
RAIL_NAMES = {"3.3V": "3.3 V", "5V": "5 V"}


class Connection(NamedTuple):
    """A terminal of a part, and where its *wire* goes: *to* a *pin* of the header, or to other parts' terminals."""

    part: Part
    terminal: str
    wire: str
    to: str
    pin: int | None


def connections(circuit: Circuit) -> Iterator[Connection]:
    """Every terminal that is wired, part by part.

    Of the header's many grounds each circuit has one of its own, next to its pins, as long as there are any.
    """
    rail_pins = _RailPins(circuit)
    for part in circuit.parts:
        if part.kind.on_usb:
            yield Connection(part, USB, USB, "a USB socket of the Pi", None)
        for terminal, wire in part.wires.items():
            if wire in RAILS:
                pin = rail_pins.of(part, wire)
                yield Connection(part, terminal, wire, f"{RAIL_NAMES.get(wire, wire)}, pin {pin}", pin)
            elif wire in header():
                yield Connection(part, terminal, wire, f"{wire}, pin {header_pin(wire)}", header_pin(wire))
            elif to := _others(circuit, part, terminal, wire):
                yield Connection(part, terminal, wire, to, None)


def named(part: Part) -> str:
    """A part with its value, if it has one: ``lamp resistor, 330 Ω``."""
    return f"{part.name}, {ohms(part.ohm)}" if part.ohm else part.name


def ohms(ohm: float) -> str:
    """A resistance as it is written on bags: ``330 Ω``, ``1.8 kΩ``."""
    for size, unit in ((1_000_000, "MΩ"), (1000, "kΩ")):
        if ohm >= size:
            return f"{ohm / size:g} {unit}"
    return f"{ohm:g} Ω"


def _others(circuit: Circuit, part: Part, terminal: str, wire: str) -> str:
    ends = (
        f"{other.name} {label}"
        for other in circuit.on(wire)
        for label, at in other.wires.items()
        if at == wire and (other.name, label) != (part.name, terminal)
    )
    return "; ".join(ends)


class _RailPins:
    """Which of a rail's pins each circuit has."""

    def __init__(self, circuit: Circuit) -> None:
        self._circuit = circuit
        self._had: dict[tuple[str, str], int] = {}

    def of(self, part: Part, rail: str) -> int:
        """The pin of *rail* for *part*'s circuit."""
        key = (part.circuit, rail)
        if key not in self._had:
            taken = {pin for (_, other), pin in self._had.items() if other == rail}
            self._had[key] = header_pin(rail, near=self._place(part), without=taken)
        return self._had[key]

    def _place(self, part: Part) -> int:
        """The header's pin that *part*, or another one of its circuit, is on."""
        family = [part, *(other for other in self._circuit.parts if other.circuit == part.circuit)]
        wires = (wire for one in family for wire in one.wires.values() if gpio_number(wire) is not None)
        return next((header_pin(wire) for wire in wires), 1)
