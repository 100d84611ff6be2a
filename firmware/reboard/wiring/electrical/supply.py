"""Amperes: what the supplies have to give."""

from __future__ import annotations

from collections.abc import Iterator

from reboard.finding import Finding, fine, note, wrong
from reboard.settings.wiring import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.electrical.lamp import bright_lamps_ma
from reboard.wiring.kinds import Terminal
from reboard.wiring.pi import POWER_5V, gpio_number, hub_ma, models


def adapters(circuit: Circuit) -> Iterator[Finding]:
    """Can a supply inside a part give what others take from it?"""
    for source in circuit.parts:
        for wire, terminal in source.terminals():
            takes_ma = sum(map(_takes_at, circuit.terminals_at(wire)))
            if terminal.gives_ma is not None and takes_ma > terminal.gives_ma:
                who = " and ".join(part.name for part in circuit.on(wire) if circuit.power_of(part) == wire)
                yield wrong(
                    "currents.adapter",
                    f"The {who} takes up to {takes_ma:g} mA from the {terminal.gives_v:g} V of the {source.name}, "
                    f"which gives {terminal.gives_ma:g} mA.",
                    'Feed it from the adapter\'s 5 V (`power = "5V"`), with the divider in the way of its signal.',
                )


def whole(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Can the supply give what all of it takes?"""
    model = models()[wiring.pi]
    supply_a = wiring.supply_a or model.supply_a
    plugs = sum(part.kind.on_usb for part in circuit.parts)
    own_ma = model.takes_ma + (hub_ma() if plugs > model.usb_sockets else 0)
    takes_a = (
        own_ma + bright_lamps_ma(circuit, wiring) + sum(_takes_ma(circuit, part) for part in circuit.parts)
    ) / 1000
    stalled_a = takes_a + sum(
        (motor.most_ma - motor.takes_ma) / 1000 for motor in circuit.of_kind("motor") if _from_the_pi(circuit, motor)
    )
    what = (
        f"The {model.name} (typically {model.takes_ma / 1000:.2f} A) and all that hangs on it (at the most) take "
        f"{takes_a:.2f} A"
    )
    if stalled_a > takes_a:
        what += (
            f". At each start of the motor, and while it is held fast, {stalled_a - takes_a:.2f} A come on top, "
            f"{stalled_a:.2f} A in all. The supply gives {supply_a:g} A"
        )
    else:
        what += f", and the supply gives {supply_a:g} A"
    bigger = f"Take a supply of {_next_size(stalled_a):g} A or more, and write it into `supply_a`"
    if takes_a > supply_a:
        yield wrong("currents.supply", f"{what}.", f"{bigger}.")
    elif stalled_a > supply_a:
        yield note(
            "currents.supply",
            f"{what}: the Pi would start anew.",
            f'{bigger}; or give the motor batteries of its own: `supply = "batteries"`.',
        )
    else:
        yield fine("currents.supply", f"{what}.")


def _takes_ma(circuit: Circuit, part: Part) -> float:
    if part.kind.name == "motor":
        return part.takes_ma if _from_the_pi(circuit, part) else 0
    own = part.kind.most_ma if part.kind.on_usb else 0
    return own + sum(map(_takes_at, part.kind.terminals.values()))


def _takes_at(terminal: Terminal) -> float:
    """The most that is taken at *terminal*, in mA."""
    return max(terminal.takes_ma, terminal.most_ma)


def _from_the_pi(circuit: Circuit, motor: Part) -> bool:
    plus = motor.wires["+"]
    return plus == POWER_5V or gpio_number(plus) is not None


def _next_size(amperes: float) -> float:
    return next((size for size in (1.5, 2.0, 2.5, 3.0, 4.0, 5.0) if size >= amperes), amperes)
