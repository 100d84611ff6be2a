"""Volts: is every part fed as it wants to be, and does every input get what it stands?"""

from __future__ import annotations

from collections.abc import Iterator

from reboard.finding import Finding, fine, wrong
from reboard.wiring.circuit import Circuit
from reboard.wiring.electrical.pins import on_header
from reboard.wiring.pi import pin_limits

DIVIDER = (
    "Put 1.8 kΩ between the reader's TX and the line, and 3.3 kΩ from the line to ground; "
    "then write `divider = true` into [wiring]."
)
NO_5V_ON_THE_BUS = (
    'Feed the display with 3.3 V (`power = "3.3V"`), or put a level shifter between it and the Pi '
    "(`level_shifter = true`)."
)


def too_high(circuit: Circuit) -> Iterator[Finding]:
    """Does more come to an input than it stands?"""
    found = False
    for wire, where, stands_v in _inputs(circuit):
        volts = circuit.highest_volts(wire)
        if volts is None or volts <= stands_v + pin_limits().tolerance_v:
            continue
        found = True
        sources = [
            part.name for part in circuit.on(wire) if any(at == wire and t.pulls_up_ohm for at, t in part.terminals())
        ]
        from_reader = not sources
        who = sources[0] if sources else _driver(circuit, wire)
        yield wrong(
            "levels.high",
            f"{where} gets up to {volts:.1f} V from the {who}, and stands {stands_v:g} V.",
            DIVIDER if from_reader else NO_5V_ON_THE_BUS,
        )
    if not found:
        yield fine("levels.high", "No input gets more volts than it stands.")


def fed_wrongly(circuit: Circuit) -> Iterator[Finding]:
    """Is a part fed with more or less than it wants?"""
    found = False
    for part in circuit.parts:
        for wire, terminal in part.terminals():
            volts = circuit.volts_of_supply(wire)
            if terminal.takes_v is None or volts is None:
                continue
            low, high = terminal.takes_v
            if not low <= volts <= high:
                found = True
                yield wrong(
                    "levels.supply",
                    f"The {part.name} ({part.kind.value}) wants {low:g} to {high:g} V, and gets {volts:g} V.",
                    f"Feed it from {'5 V' if low > volts else '3.3 V'}, and say so in [wiring].",
                )
    if not found:
        yield fine("levels.supply", "Every part gets the volts that it wants.")


def _inputs(circuit: Circuit) -> Iterator[tuple[str, str, float]]:
    for wire in circuit.pin_wires():
        yield wire, on_header(wire), pin_limits().stands_v
    for part in circuit.parts:
        for label, wire in part.wires.items():
            stands_v = part.kind.terminals[label].listens_v
            if stands_v is not None:
                yield wire, f"{label} of the {part.name}", stands_v


def _driver(circuit: Circuit, wire: str) -> str:
    reach = [wire, *(end for end, _ in circuit.resistors(wire))]
    return next((part.name for end in reach for part, _ in circuit.drivers(end)), "supply")
