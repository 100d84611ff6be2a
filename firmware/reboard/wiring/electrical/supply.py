"""Amperes: what the Pi's supply has to give."""

from __future__ import annotations

from collections.abc import Iterator

from reboard.finding import Finding, fine, note, wrong
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.electrical.feeding import most_taken_at
from reboard.wiring.electrical.figures import apart
from reboard.wiring.electrical.lamp import bright_lamps_ma
from reboard.wiring.electrical.motor import A_MOSFET
from reboard.wiring.pi import POWER_5V, Model, gpio_number, hub_ma, models

SUPPLIES_A = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
"""What supplies of 5 V are made for."""


def whole(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Can the supply give what all of it takes?"""
    model = models()[wiring.pi]
    told_a = wiring.supply_a or model.supply_a
    supply_a = min(told_a, model.largest_a)
    plugs = sum(part.kind.on_usb for part in circuit.parts)
    own_ma = model.takes_ma + (hub_ma() if plugs > model.usb_sockets else 0)
    takes_a = (
        own_ma + bright_lamps_ma(circuit, wiring) + sum(_takes_ma(circuit, part) for part in circuit.parts)
    ) / 1000
    stalled_a = takes_a + sum((motor.most_ma - motor.takes_ma) / 1000 for motor in _motors_on_the_pi(circuit))
    gives = f"supply gives {told_a:g} A"
    if told_a > supply_a:
        gives += f", of which {supply_a:g} A count: none that is made for a {model.name} gives more"
    what = (
        f"The {model.name} (typically {model.takes_ma / 1000:.2f} A) and all that hangs on it (at the most) take "
        f"{apart(takes_a, supply_a, 2)} A"
    )
    if stalled_a > takes_a:
        what += (
            f". At each start of the motor, and while it is held fast, {stalled_a - takes_a:.2f} A come on top, "
            f"{apart(stalled_a, supply_a, 2)} A in all. The {gives}"
        )
    else:
        what += f", and the {gives}"
    if stalled_a <= supply_a:
        yield fine("currents.supply", f"{what}.")
        return
    what += "." if takes_a > supply_a else ": the Pi would start anew."
    if stalled_a > model.largest_a:
        yield wrong("currents.supply", what, _take_away(circuit, model))
        return
    size_a = next((size for size in SUPPLIES_A if size >= stalled_a), model.largest_a)
    bigger = f"Take a supply of {size_a:g} A{' or more' if size_a < model.largest_a else ''} (`supply_a = {size_a:g}`)"
    if takes_a > supply_a:
        yield wrong("currents.supply", what, f"{bigger}.")
    else:
        batteries = f"or give the motor batteries of its own: {_own_batteries(circuit)}"
        yield note("currents.supply", what, f"{bigger}; {batteries}.")


def _take_away(circuit: Circuit, model: Model) -> str:
    """What to do when it is more than any supply for that *model* gives."""
    none = f"No supply for a {model.name} gives more than {model.largest_a:g} A"
    if any(_motors_on_the_pi(circuit)):
        return f"{none}: give the motor batteries of its own: {_own_batteries(circuit)}."
    return f"{none}: let less hang on it, and give what takes most a supply of its own."


def _own_batteries(circuit: Circuit) -> str:
    """How they are written; a motor on a pin has to come off it first."""
    written = '`supply = "batteries"`'
    return written if any(circuit.of_kind("mosfet")) else f"{A_MOSFET} and {written}"


def _takes_ma(circuit: Circuit, part: Part) -> float:
    if part.kind.name == "motor":
        return part.takes_ma if part in _motors_on_the_pi(circuit) else 0
    own = part.kind.most_ma if part.kind.on_usb else 0
    return own + sum(map(most_taken_at, part.kind.terminals.values()))


def _motors_on_the_pi(circuit: Circuit) -> Iterator[Part]:
    for motor in circuit.of_kind("motor"):
        plus = motor.wires["+"]
        if plus == POWER_5V or gpio_number(plus) is not None:
            yield motor
