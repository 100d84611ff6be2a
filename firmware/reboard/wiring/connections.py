"""Connections: every wire from a part's terminal, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.pi import RAILS, header, header_pin
from reboard.wiring.rail_pins import rail_pins

USB = "USB"
NO_BREAK = "\u00a0"
SAME_ENDS = ("NO", "a", "b")
"""Terminals that need no name: a resistor's ends are alike, and a switch's NO is where everybody expects its pin."""

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

    Of the header's many grounds each circuit has one of its own, next to its pins, as long as there are any, whatever
    ``[wiring]`` says. A pin takes one wire, so ends that share one are told with each other: they meet before it.
    """
    ends = list(_ends(circuit))
    for end in ends:
        meets = [
            f"{other.part.name} {other.terminal}"
            for other in ends
            if end.pin and other.pin == end.pin and other is not end
        ]
        yield end._replace(to=f"{end.to}, with {'; '.join(meets)}") if meets else end


def _ends(circuit: Circuit) -> Iterator[Connection]:
    """Every terminal that is wired, each as if it were alone on its pin."""
    pins = rail_pins(circuit.claims)
    for part in circuit.parts:
        if part.kind.on_usb:
            yield Connection(part, USB, USB, "a USB socket of the Pi", None)
        for terminal, wire in part.wires.items():
            if wire in RAILS:
                pin = pins[part.circuit, wire]
                yield Connection(part, terminal, wire, f"{RAIL_NAMES.get(wire, wire)}, pin {pin}", pin)
            elif wire in header():
                yield Connection(part, terminal, wire, f"{wire}, pin {header_pin(wire)}", header_pin(wire))
            elif to := _others(circuit, part, terminal, wire):
                yield Connection(part, terminal, wire, to, None)


def at_pins(circuit: Circuit) -> Mapping[int, Sequence[Connection]]:
    """The terminals that go to each pin of the header that is used, by its number."""
    ends: dict[int, list[Connection]] = {}
    for wire in connections(circuit):
        if wire.pin is not None:
            ends.setdefault(wire.pin, []).append(wire)
    return ends


def called(end: Connection) -> str:
    """The terminal at the far end of a wire: ``amplifier VIN``, ``gate resistor``.

    It is never what hangs behind it: who reads "motor" beside a pin joins a bare motor to it.
    """
    return end.part.name if end.terminal in SAME_ENDS else f"{end.part.name} {end.terminal}"


def short_list(names: Sequence[str], width: int) -> list[str]:
    """*names* in one or two lines of *width* characters; the first and how many more, when that is too little."""
    whole = [name.replace(" ", NO_BREAK) for name in names]
    lines = wrap(", ".join(whole), width, break_long_words=False)
    if len(lines) > 2:
        lines = wrap(f"{whole[0]} and {len(whole) - 1} more", width, break_long_words=False)
    return [line.replace(NO_BREAK, " ") for line in lines]


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
