"""The lamp: what flows through one behind a transistor, and whether any glows so that it is seen."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from reboard.finding import Finding, note, wrong
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.connections import RAIL_NAMES, ohms
from reboard.wiring.electrical import led
from reboard.wiring.electrical.figures import apart
from reboard.wiring.pi import POWER_5V, RAILS, pin_limits

LEAST_SEEN_MA = 1.0
"""Makers tell how bright an LED is at 10 or 20 mA, and of the thriftiest at 2 mA (Vishay TLLR5400, HLMP-4700). Half of
that is where we give up: it is our own line, and in a bright room a good deal more may be wanted."""


def bright_lamp(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Is there a resistor in the way of a lamp behind a transistor, and is it large enough?"""
    least = led.bright_ohm(wiring)
    for lamp, rail, ohm in _bright_lamps(circuit):
        takes_ma, limit_ma = led.transistor_ma(wiring, ohm), _least_stood_ma(circuit, lamp)
        if takes_ma == inf:
            yield wrong(
                "currents.lamp",
                f"The {lamp.name} is on {RAIL_NAMES[rail]} without a resistor, and nothing limits its current.",
                f"Put a resistor of at least {least} Ω in its way: `resistor_ohm = {least}`.",
            )
        elif takes_ma > limit_ma:
            yield wrong(
                "currents.lamp",
                f"The {lamp.name} takes {apart(takes_ma, limit_ma, 0)} mA, and {limit_ma:g} mA are what it and its "
                "transistor stand.",
                f"Take a resistor of at least {least} Ω: `resistor_ohm = {least}`.",
            )


def dark_lamp(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Does a lamp want more volts than it gets, or does its resistor leave it too little?"""
    behind = {lamp.name for lamp, *_ in _bright_lamps(circuit)}
    for lamp in circuit.of_kind("led"):
        gets_v = led.behind_transistor_v() if lamp.name in behind else pin_limits().gives_v
        left_v = gets_v - wiring.lamp.led_v
        ohm = _resistor_ohm(circuit, lamp)
        if lamp.name not in behind and led.pin_ma(wiring, ohm) > pin_limits().most_ma:
            continue  # its pin is told of that, and whoever follows that has a lamp that is seen
        gets_ma = round(left_v / ohm * 1000, 6) if ohm else inf
        take_another = f"Take {led.another_on_a_pin()}; {led.or_a_transistor(wiring)}."
        if left_v <= 0:
            yield note(
                "currents.dark",
                f"The {lamp.name} wants {wiring.lamp.led_v:g} V, and gets {gets_v:g} V: it stays dark.",
                take_another,
            )
        elif gets_ma < LEAST_SEEN_MA:
            yield note(
                "currents.dark",
                f"The {lamp.name} gets {gets_ma:.2g} mA through its resistor of {ohms(ohm)}: it is hardly seen.",
                take_another
                if led.leaves_too_little(wiring, gets_v)
                else f"Take one of {led.one_that_is_well_seen(wiring, gets_v)}.",
            )


def bright_lamps_ma(circuit: Circuit, wiring: Wiring) -> float:
    """What all lamps behind transistors take from their supply, in mA; one without a resistor is not counted."""
    return sum(led.transistor_ma(wiring, ohm) for *_, ohm in _bright_lamps(circuit) if ohm)


def _bright_lamps(circuit: Circuit) -> Iterator[tuple[Part, str, float]]:
    """Each lamp behind a transistor, the rail that feeds it, and its resistor's ohms: 0 without one."""
    for lamp in circuit.of_kind("led"):
        if any(part.kind.name == "transistor" for part in circuit.on(lamp.wires["-"])):
            plus = lamp.wires["+"]
            ends = [plus, *(part.other_end(plus) for part in circuit.on(plus) if part.ohm)]
            rail = next((end for end in ends if RAILS.get(end)), POWER_5V)
            yield lamp, rail, _resistor_ohm(circuit, lamp)


def _resistor_ohm(circuit: Circuit, lamp: Part) -> float:
    """What is in the way of *lamp*; what pulls its pin up, on the Pi's board or in a part, is not."""
    return min((part.ohm for part in circuit.on(lamp.wires["+"]) if part.ohm), default=0.0)


def _least_stood_ma(circuit: Circuit, lamp: Part) -> float:
    """What *lamp* and the transistor in its way stand, whichever is less."""
    way = (terminal for wire in lamp.wires.values() for terminal in circuit.terminals_at(wire))
    return min((terminal.stands_ma for terminal in way if terminal.stands_ma is not None), default=inf)
