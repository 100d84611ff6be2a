"""Amperes: what the pins have to give, and what the supply has to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, inf

from reboard.finding import Finding, fine, note, wrong
from reboard.settings.as_wired import Wiring
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.connections import RAIL_NAMES
from reboard.wiring.electrical.pins import on_header
from reboard.wiring.kinds import Terminal
from reboard.wiring.pi import POWER_5V, RAILS, gpio_number, hub_ma, models, pin_limits

BASE_V, COLLECTOR_V = 0.7, 0.2
"""What stays between a transistor's base and its emitter, and between collector and emitter when it is on."""


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
            "Put a MOSFET between them, as in the drawing of the apple: `reboard wiring` shows it.",
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
            least = (limits.gives_v - wiring.lamp.led_v) / limits.most_ma * 1000
            yield wrong(
                "currents.pin",
                f"The {load.name} takes {ma:.0f} mA from {on_header(wire)}, which gives {limits.most_ma} mA.",
                f"Take a resistor of at least {least:.0f} Ω (330 Ω is bright enough), or a transistor: "
                '`driver = "transistor"`.',
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
                f"Take a resistor of at least {ceil(least / 10) * 10} Ω: `resistor_ohm = {ceil(least / 10) * 10}`.",
            )


def dark_lamp(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Does a lamp want more volts than it gets?"""
    behind = {lamp.name for lamp, *_ in _bright_lamps(circuit)}
    for lamp in circuit.of_kind("led"):
        gets_v = RAILS[POWER_5V] - COLLECTOR_V if lamp.name in behind else pin_limits().gives_v
        if wiring.lamp.led_v >= gets_v:
            yield note(
                "currents.dark",
                f"The {lamp.name} wants {wiring.lamp.led_v:g} V, and gets {gets_v:g} V: it stays dark.",
                'Take a red or yellow one, of 2 V, or a transistor: `driver = "transistor"`.',
            )


def adapters(circuit: Circuit) -> Iterator[Finding]:
    """Can a supply inside a part give what others take from it?"""
    for source in circuit.parts:
        for wire, terminal in source.terminals():
            takes_ma = sum(map(_takes_at, _terminals_at(circuit, wire)))
            if terminal.gives_ma is not None and takes_ma > terminal.gives_ma:
                who = " and ".join(part.name for part in circuit.on(wire) if circuit.power_of(part) == wire)
                yield wrong(
                    "currents.adapter",
                    f"The {who} takes up to {takes_ma:g} mA from the {terminal.gives_v:g} V of the {source.name}, "
                    f"which gives {terminal.gives_ma:g} mA.",
                    'Feed it from the adapter\'s 5 V (`power = "5V"`), with the divider in the way of its signal.',
                )


def supply(circuit: Circuit, wiring: Wiring) -> Iterator[Finding]:
    """Can the supply give what all of it takes?"""
    model = models()[wiring.pi]
    supply_a = wiring.supply_a or model.supply_a
    lamps_ma = sum(_bright_ma(wiring, rail, ohm) for _, rail, ohm in _bright_lamps(circuit) if ohm)
    plugs = sum(part.kind.on_usb for part in circuit.parts)
    own_ma = model.takes_ma + (hub_ma() if plugs > model.usb_sockets else 0)
    takes_a = (own_ma + lamps_ma + sum(_takes_ma(circuit, part) for part in circuit.parts)) / 1000
    stalled_a = takes_a + sum(
        (motor.most_ma - motor.takes_ma) / 1000 for motor in circuit.of_kind("motor") if _from_the_pi(circuit, motor)
    )
    what = (
        f"The {model.name} (typically {model.takes_ma / 1000:.2f} A) and all that hangs on it (at the most) take "
        f"{takes_a:.2f} A"
    )
    bigger = f"Take a supply of {_next_size(stalled_a):g} A or more, and write it into `supply_a`"
    if takes_a > supply_a:
        yield wrong("currents.supply", f"{what}, and the supply gives {supply_a:g} A.", f"{bigger}.")
    elif stalled_a > supply_a:
        yield note(
            "currents.supply",
            f"{what}. At each start of the motor, and while it is held fast, they take {stalled_a:.2f} A, and the "
            f"supply gives {supply_a:g} A: the Pi would start anew.",
            f'{bigger}; or give the motor batteries of its own: `supply = "batteries"`.',
        )
    else:
        yield fine("currents.supply", f"{what}, and the supply gives {supply_a:g} A.")


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


def _bright_lamps(circuit: Circuit) -> Iterator[tuple[Part, str, float]]:
    """Each lamp behind a transistor, the rail that feeds it, and its resistor's ohms: 0 without one."""
    for lamp in circuit.of_kind("led"):
        plus = lamp.wires["+"]
        for rail, ohm in ((plus, 0.0), *circuit.resistors(plus)):
            if rail in RAIL_NAMES:
                yield lamp, rail, ohm


def _bright_ma(wiring: Wiring, rail: str, ohm: float) -> float:
    return max(0.0, RAILS[rail] - wiring.lamp.led_v - COLLECTOR_V) / ohm * 1000


def _least_stood_ma(circuit: Circuit, lamp: Part) -> float:
    """What *lamp* and the transistor in its way stand, whichever is less."""
    way = (terminal for wire in lamp.wires.values() for terminal in _terminals_at(circuit, wire))
    return min((terminal.stands_ma for terminal in way if terminal.stands_ma is not None), default=inf)


def _loads(circuit: Circuit, wire: str) -> list[Part]:
    ends = [wire, *(end for end, _ in circuit.resistors(wire))]
    return [part for end in ends for part in circuit.on(end) if part.kind.name == "led"] or list(circuit.on(wire))


def _takes_ma(circuit: Circuit, part: Part) -> float:
    if part.kind.name == "motor":
        return part.takes_ma if _from_the_pi(circuit, part) else 0
    own = part.kind.most_ma if part.kind.on_usb else 0
    return own + sum(map(_takes_at, part.kind.terminals.values()))


def _takes_at(terminal: Terminal) -> float:
    """The most that is taken at *terminal*, in mA."""
    return max(terminal.takes_ma, terminal.most_ma)


def _terminals_at(circuit: Circuit, wire: str) -> Iterator[Terminal]:
    return (terminal for part in circuit.on(wire) for at, terminal in part.terminals() if at == wire)


def _from_the_pi(circuit: Circuit, motor: Part) -> bool:
    plus = motor.wires["+"]
    return plus == POWER_5V or gpio_number(plus) is not None


def _next_size(amperes: float) -> float:
    return next((size for size in (1.5, 2.0, 2.5, 3.0, 4.0, 5.0) if size >= amperes), amperes)
