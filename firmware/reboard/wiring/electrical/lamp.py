"""The lamp: what flows through one behind a transistor, and whether any glows so that it is seen."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, inf

from reboard.finding import Finding, note, wrong
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.connections import RAIL_NAMES, ohms
from reboard.wiring.pi import POWER_5V, RAILS, pin_limits

COLLECTOR_V = 0.2
"""What stays between a transistor's collector and its emitter when it is on."""

LEAST_SEEN_MA = 1.0
"""Makers tell how bright an LED is at 10 or 20 mA, and of the thriftiest at 2 mA (Vishay TLLR5400, HLMP-4700). Half of
that is where we give up: it is our own line, and in a bright room a good deal more may be wanted."""

WELL_SEEN_MA = 4.0
"""What our own lamp takes, of the kind that the parts list asks for."""

LEAST_LEFT_V = 0.3
"""An LED's volts are what is usual: those of one bag may want 0.4 V more or less (white ones 2.8 to 3.6 V), and the
Pi's 3.3 V may be 0.2 V off. Where no more than this is left for the resistor, one for 4 mA lets through anything from
nothing to 11 mA; with 0.2 V left it may be the 16 mA of a pin, and with less it is more. No resistor is right there."""

TAKE_ANOTHER = 'Take a red or yellow one, of 2 V, or a transistor: `driver = "transistor"`.'


def leaves_too_little(wiring: Wiring, gets_v: float) -> bool:
    """Whether of *gets_v* volts the LED leaves too few for a resistor to set its current."""
    return round(gets_v - wiring.lamp.led_v, 6) <= LEAST_LEFT_V


def bright_lamp(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Is there a resistor in the way of a lamp behind a transistor, and is it large enough?"""
    for lamp, rail, ohm in _bright_lamps(circuit):
        if not ohm:
            yield wrong(
                "currents.lamp",
                f"The {lamp.name} is on {RAIL_NAMES[rail]} without a resistor, and nothing limits its current.",
                "Put a resistor in its way, 150 Ω for 20 mA: `resistor_ohm = 150`.",
            )
            continue
        takes_ma, limit_ma = _bright_ma(wiring, rail, ohm), _least_stood_ma(circuit, lamp)
        if takes_ma > limit_ma:
            least = (RAILS[rail] - wiring.lamp.led_v - COLLECTOR_V) / limit_ma * 1000
            yield wrong(
                "currents.lamp",
                f"The {lamp.name} takes {takes_ma:.0f} mA, and {limit_ma:g} mA are what it and its transistor stand.",
                f"Take a resistor of at least {in_tens(least)} Ω: `resistor_ohm = {in_tens(least)}`.",
            )


def dark_lamp(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Does a lamp want more volts than it gets, or does its resistor leave it too little?"""
    behind = {lamp.name for lamp, *_ in _bright_lamps(circuit)}
    for lamp in circuit.of_kind("led"):
        gets_v = RAILS[POWER_5V] - COLLECTOR_V if lamp.name in behind else pin_limits().gives_v
        left_v = gets_v - wiring.lamp.led_v
        ohm = min((ohm for _, ohm in circuit.resistors(lamp.wires["+"])), default=0.0)
        gets_ma = round(left_v / ohm * 1000, 6) if ohm else inf
        if left_v <= 0:
            yield note(
                "currents.dark",
                f"The {lamp.name} wants {wiring.lamp.led_v:g} V, and gets {gets_v:g} V: it stays dark.",
                TAKE_ANOTHER,
            )
        elif gets_ma < LEAST_SEEN_MA:
            better_ohm = in_tens(left_v / WELL_SEEN_MA * 1000)
            lets_ma = left_v / better_ohm * 1000
            better = f"{better_ohm} Ω, which lets {lets_ma:.1f} mA through: `resistor_ohm = {better_ohm}`"
            yield note(
                "currents.dark",
                f"The {lamp.name} gets {gets_ma:.2g} mA through its resistor of {ohms(ohm)}: it is hardly seen.",
                TAKE_ANOTHER if leaves_too_little(wiring, gets_v) else f"Take one of {better}.",
            )


def bright_lamps_ma(circuit: Circuit, wiring: Wiring) -> float:
    """What all lamps behind transistors take from their supply, in mA; one without a resistor is not counted."""
    return sum(_bright_ma(wiring, rail, ohm) for _, rail, ohm in _bright_lamps(circuit) if ohm)


def _bright_lamps(circuit: Circuit) -> Iterator[tuple[Part, str, float]]:
    """Each lamp behind a transistor, the rail that feeds it, and its resistor's ohms: 0 without one."""
    for lamp in circuit.of_kind("led"):
        plus = lamp.wires["+"]
        for rail, ohm in ((plus, 0.0), *circuit.resistors(plus)):
            if RAILS.get(rail):
                yield lamp, rail, ohm


def in_tens(ohm: float) -> int:
    """A resistor of so many ohms or a little more."""
    return ceil(ohm / 10) * 10


def _bright_ma(wiring: Wiring, rail: str, ohm: float) -> float:
    return max(0.0, RAILS[rail] - wiring.lamp.led_v - COLLECTOR_V) / ohm * 1000


def _least_stood_ma(circuit: Circuit, lamp: Part) -> float:
    """What *lamp* and the transistor in its way stand, whichever is less."""
    way = (terminal for wire in lamp.wires.values() for terminal in circuit.terminals_at(wire))
    return min((terminal.stands_ma for terminal in way if terminal.stands_ma is not None), default=inf)
