"""Amperes: what the pins have to give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from reboard.finding import Finding, fine, wrong
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.electrical import led
from reboard.wiring.electrical.figures import apart
from reboard.wiring.electrical.motor import A_MOSFET
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
            f"Put a MOSFET between them, with 10 kΩ from its gate to ground: {A_MOSFET}. Then `reboard wiring` shows "
            "how it is joined.",
        )
    too_much = {wire: ma for wire, ma in gives.items() if ma > limits.most_ma and wire not in motors}
    for wire, ma in too_much.items():
        yield _about_a_lamp(_loads(circuit, wire)[-1], wire, ma, wiring)
    # a motor comes off its pin whatever it takes
    total = sum(ma for wire, ma in gives.items() if wire not in motors)
    if limits.most_of_all_ma < total < inf:
        yield wrong(
            "currents.pins",
            f"All pins together give {apart(total, limits.most_of_all_ma, 0)} mA, and may give "
            f"{limits.most_of_all_ma} mA.",
            "Let transistors switch what takes most.",
        )
    elif not too_much and not motors:
        yield fine("currents.pins", f"All pins together give {total:.0f} mA of {limits.most_of_all_ma} mA.")


def _about_a_lamp(lamp: Part, wire: str, takes_ma: float, wiring: Wiring) -> Finding:
    """What is wrong with a *lamp* that takes too much from the pin of *wire*."""
    limits, led_v, least_v = pin_limits(), wiring.lamp.led_v, led.least_v(wiring)
    if takes_ma == inf:
        what = f"The {lamp.name} is on {on_header(wire)} without a resistor, and nothing limits its current."
    elif least_v == led_v:
        much = apart(takes_ma, limits.most_ma, 0)
        what = f"The {lamp.name} takes {much} mA from {on_header(wire)}, which gives {limits.most_ma} mA."
    else:
        what = (
            f"The {lamp.name} may take {apart(takes_ma, limits.most_ma, 0)} mA from {on_header(wire)}, which gives "
            f"{limits.most_ma} mA: of LEDs for {led_v:g} V some have no more than {least_v:.3g} V."
        )
    if led.leaves_too_little(wiring, limits.gives_v):
        return wrong("currents.pin", what, f"Take {led.another_on_a_pin()}; {led.or_a_transistor(wiring)}.")
    resistor = led.one_that_is_well_seen(wiring, limits.gives_v)
    return wrong("currents.pin", what, f"Take a resistor of {resistor}; {led.or_a_transistor(wiring)}.")


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
            yield led.pin_ma(wiring, ohm)
        elif "transistor" in at_end:
            yield (gives_v - BASE_V) / ohm * 1000
        elif "mosfet" in at_end:
            yield from (gives_v / (ohm + down) * 1000 for far, down in circuit.resistors(end) if far != wire)


def _loads(circuit: Circuit, wire: str) -> list[Part]:
    ends = [wire, *(end for end, _ in circuit.resistors(wire))]
    return [part for end in ends for part in circuit.on(end) if part.kind.name == "led"] or list(circuit.on(wire))
