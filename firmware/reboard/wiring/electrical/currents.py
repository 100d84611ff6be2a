"""Amperes: what the pins have to give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from reboard.finding import Finding, fine, wrong
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.electrical.lamp import TAKE_ANOTHER, in_tens, leaves_too_little
from reboard.wiring.electrical.pins import on_header
from reboard.wiring.pi import pin_limits

BASE_V = 0.7
"""What stays between a transistor's base and its emitter."""


def pins_give(circuit: Circuit, wiring: Wiring) -> Mapping[str, float]:
    """The most that each pin in use has to give or to swallow, in mA, by its wire."""
    return {wire: sum(_branches(circuit, wiring, wire)) for wire in circuit.pin_wires()}


def too_much_for_a_pin(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Does a pin, or do all of them together, have to give more than they may?"""
    limits = pin_limits()
    gives = pins_give(circuit, wiring)
    motors = {wire for motor in circuit.of_kind("motor") for wire in motor.wires.values() if wire in gives}
    for wire in motors:
        yield wrong(
            "currents.pin",
            f"The motor is on {on_header(wire)} itself: a pin gives {limits.most_ma} mA, and no motor starts with so "
            "little or stops without a spike of many volts.",
            'Put a MOSFET between them, and write `driver = "mosfet"`: then `reboard wiring` shows how it is joined.',
        )
    too_much = {wire: ma for wire, ma in gives.items() if ma > limits.most_ma and wire not in motors}
    for wire, ma in too_much.items():
        load = _loads(circuit, wire)[-1]
        if ma == inf:
            yield wrong(
                "currents.pin",
                f"The {load.name} is on {on_header(wire)} without a resistor, and nothing limits its current.",
                "Put 330 Ω in its way: `resistor_ohm = 330`.",
            )
        else:
            least = in_tens((limits.gives_v - wiring.lamp.led_v) / limits.most_ma * 1000)
            enough = f"a resistor of at least {least} Ω (330 Ω is bright enough)"
            yield wrong(
                "currents.pin",
                f"The {load.name} takes {ma:.0f} mA from {on_header(wire)}, which gives {limits.most_ma} mA.",
                TAKE_ANOTHER
                if leaves_too_little(wiring, limits.gives_v)
                else f'Take {enough}, or a transistor: `driver = "transistor"`.',
            )
    total = sum(gives.values())
    if total > limits.most_of_all_ma:
        how_much = "without a limit" if total == inf else f"{total:.0f} mA"
        yield wrong(
            "currents.pins",
            f"All pins together give {how_much}, and may give {limits.most_of_all_ma} mA.",
            "Let transistors switch what takes most.",
        )
    elif not too_much and not motors:
        yield fine("currents.pins", f"All pins together give {total:.0f} mA of {limits.most_of_all_ma} mA.")


def _branches(circuit: Circuit, wiring: Wiring, wire: str) -> Iterator[float]:
    gives_v = pin_limits().gives_v
    for part in circuit.on(wire):
        if part.kind.name == "led":
            yield inf
        if part.kind.name == "motor":
            yield part.takes_ma
    for end, ohm in circuit.resistors(wire):
        at_end = {part.kind.name for part in circuit.on(end)}
        volts = circuit.volts_of_supply(end)
        if volts is not None:
            yield max(volts, gives_v - volts) / ohm * 1000
        elif "led" in at_end:
            yield max(0.0, gives_v - wiring.lamp.led_v) / ohm * 1000
        elif "transistor" in at_end:
            yield (gives_v - BASE_V) / ohm * 1000
        elif "mosfet" in at_end:
            yield from (gives_v / (ohm + down) * 1000 for far, down in circuit.resistors(end) if far != wire)


def _loads(circuit: Circuit, wire: str) -> list[Part]:
    ends = [wire, *(end for end, _ in circuit.resistors(wire))]
    return [part for end in ends for part in circuit.on(end) if part.kind.name == "led"] or list(circuit.on(wire))
