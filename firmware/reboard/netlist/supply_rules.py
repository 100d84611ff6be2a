"""The rules for currents: of the power supply, of the plug that feeds the Pi, and of the USB sockets.

``currents.supply``: the Pi at its peak, all parts at their maximum, hub and the motor's start against the supply. A
    note above 80 %, wrong above 100 %: then the Pi can restart. Source: Raspberry Pi documentation, *Power supply*.
``currents.plug``: what flows for longer through the Pi's supply socket: the Pi as usual, all parts at their maximum,
    and a stalled motor as far as its fuse allows (twice its hold current). Note and wrong as above.
``currents.hat``: a PoE hat on a Zero, which has no pins for it. With a hat ``currents.plug`` is left out, and a Pi 5
    gives its USB sockets 0.6 A. Source: product briefs.
``currents.usb``: all USB devices against what the sockets give: 1.2 A on a Pi 3 and 4, 1.6 A on a Pi 5, with less than
    5 A only 0.6 A. Note and wrong as above. Source: Raspberry Pi documentation, *USB*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reboard.finding import Finding, all_of, apart, fine, note, wrong
from reboard.netlist.circuit import TRIPS_AT, Circuit, Part
from reboard.netlist.electrical_rules import most_taken_at
from reboard.netlist.hardware_data import Model, hub_ma, poe_supply_a

SUPPLIES_A = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
"""The currents of common 5 V power supplies, in amperes."""

NEARLY_ALL = 0.8
"""The part of a limit above which a finding is a note: figures of parts and supplies are not exact."""

OWN_SUPPLY = "give {0} a separate supply (see [wiring] in docs/config.md)"


def currents(circuit: Circuit, model: Model, written_a: float | None, power: str = "plug") -> Iterator[Finding]:
    """Yield the findings on the supply, the plug and the USB sockets of a *model* whose supply is for *written_a*.

    If *written_a* is ``None``, the supply is the one that the manufacturer of *model* recommends. *power* is ``plug``
    or ``poe-hat``, which feeds the header: the limits of the Pi's supply socket do not apply to it.
    """
    is_hat = power == "poe-hat"
    written_a = written_a or (poe_supply_a() if is_hat else model.supply_a)
    if is_hat:
        model = replace(model, largest_a=written_a)
        yield _hat(model)
    yield supply(circuit, model, written_a)
    if not is_hat:
        yield _plug(circuit, model)
    if any(part.kind.on_usb for part in circuit.parts):
        # a Pi 5 asks its plug for 5 A, and finds none at a hat
        yield _usb(circuit, model, 0 if is_hat else written_a)


def _hat(model: Model) -> Finding:
    if model.has_poe:
        return fine("currents.hat", f"A {model.name} has the pins for a PoE hat.")
    do = 'Use a plug supply (`power = "plug"` in [wiring]), or another Pi.'
    return wrong("currents.hat", f"A {model.name} has no pins for a PoE hat, which therefore cannot feed it.", do)


def supply(circuit: Circuit, model: Model, written_a: float) -> Finding:
    """Return the finding on whether a supply for *written_a* amperes can power the whole table at its peak."""
    supply_a = min(written_a, model.largest_a)
    starting = _starting(circuit)
    running_a = (model.peak_ma + _parts_ma(circuit, model)) / 1000
    most_a = running_a + sum(part.most_ma - part.takes_ma for part in starting) / 1000
    names = _names(starting)
    gives = f"The supply is rated at {written_a:g} A"
    if written_a > supply_a:
        gives += f", but only {supply_a:g} A count: a {model.name} takes no more"
    takes = f"The {model.name} (at its peak {model.peak_ma / 1000:.2f} A) and all connected parts (at their maximum) "
    takes += f"draw {apart(running_a, supply_a, 2)} A."
    if starting:
        takes += f" Starting or stalling {names} adds {most_a - running_a:.2f} A: "
        takes += f"{apart(most_a, supply_a, 2)} A in total."
    if most_a <= supply_a * NEARLY_ALL:
        return fine("currents.supply", f"{takes} {gives}.")
    # the smallest supply that is not nearly at its limit, or the smallest that can work
    fitting = [size for size in SUPPLIES_A if supply_a < size <= model.largest_a and size >= most_a]
    size_a = next((size for size in fitting if size * NEARLY_ALL >= most_a), max(fitting, default=None))
    advice = []
    if size_a:
        more = " or more" if size_a < model.largest_a else ""
        advice.append(f"use a supply rated at {size_a:g} A{more} (`supply_a = {size_a:g}` in [wiring])")
    if starting:
        advice.append(OWN_SUPPLY.format(names))
    do = ", or ".join(advice) or "use fewer parts, or a lower brightness of LEDs"
    if most_a > model.largest_a:
        do = f"more than {model.largest_a:g} A are not possible with this {model.name}: {do}"
    do = f"{do[0].upper()}{do[1:]}."
    if most_a > supply_a:
        return wrong("currents.supply", f"{takes} {gives}, so the Pi can restart.", do)
    return note("currents.supply", f"{takes} {gives}: little is left.", f"{do} At least, use a short and thick cable.")


def _plug(circuit: Circuit, model: Model) -> Finding:
    """Return the finding on the current through the Pi's supply socket, as far as it lasts longer than seconds."""
    starting, limit_a = _starting(circuit), model.plug_ma / 1000
    takes_a = (model.takes_ma + _parts_ma(circuit, model) + sum(_lasting_ma(circuit, part) for part in starting)) / 1000
    what = f"Through the {model.plug} socket of the {model.name} flow up to {apart(takes_a, limit_a, 2)} A"
    what += f", with a stalled {all_of([part.name for part in starting])}." if starting else "."
    what += f" The socket is made for {limit_a:g} A."
    if takes_a <= limit_a * NEARLY_ALL:
        return fine("currents.plug", what)
    do = OWN_SUPPLY.format(_names(starting)) if starting else "use fewer parts, or a lower brightness of LEDs"
    if not starting and any(part.kind.on_usb for part in circuit.parts):
        do = "use fewer parts, or put USB devices on a powered hub"
    finding = wrong if takes_a > limit_a else note
    return finding("currents.plug", what, f"{do[0].upper()}{do[1:]}.")


def _usb(circuit: Circuit, model: Model, written_a: float) -> Finding:
    plugged = [part for part in circuit.parts if part.kind.on_usb]
    takes_ma = sum(part.kind.most_ma for part in plugged) + _hub_ma(circuit, model)
    takes_ma += sum(
        most_taken_at(terminal)
        for part in plugged
        for net in part.nets.values()
        for _, terminal in circuit.terminals_on(net)
    )
    limit_ma = model.usb_ma if written_a >= model.supply_a else model.usb_weak_ma
    what = f"All USB devices together draw up to {takes_ma:g} mA"
    if not limit_ma:
        return fine("currents.usb", f"{what}. A {model.name} does not limit them.")
    what += f". The sockets of a {model.name} give {limit_ma:g} mA"
    what += f" with a supply of less than {model.supply_a:g} A." if limit_ma < model.usb_ma else "."
    if takes_ma <= limit_ma * NEARLY_ALL:
        return fine("currents.usb", what)
    do = "Put them on a hub with a supply of its own"
    if limit_ma < model.usb_ma:
        do += f", or use a supply rated at {model.supply_a:g} A (`supply_a = {model.supply_a:g}` in [wiring])"
    finding = wrong if takes_ma > limit_ma else note
    return finding("currents.usb", what, f"{do}.")


def _starting(circuit: Circuit) -> list[Part]:
    return [part for part in circuit.parts if part.most_ma > part.takes_ma and circuit.is_fed_by_the_pi(part)]


def _lasting_ma(circuit: Circuit, part: Part) -> float:
    """Return the current by which a stalled *part* exceeds its usual one for longer: its fuse limits it."""
    fuses = [fuse for net in part.nets.values() for fuse in circuit.fuses(net)]
    return min([part.most_ma, *(fuse.most_through("a") * TRIPS_AT for fuse in fuses)]) - part.takes_ma


def _names(parts: Sequence[Part]) -> str:
    return all_of(list(dict.fromkeys(f"the {part.name}" for part in parts)))


def _hub_ma(circuit: Circuit, model: Model) -> float:
    return hub_ma() if sum(part.kind.on_usb for part in circuit.parts) > model.usb_sockets else 0


def _parts_ma(circuit: Circuit, model: Model) -> float:
    return _hub_ma(circuit, model) + sum(_takes_ma(circuit, part) for part in circuit.parts)


def _takes_ma(circuit: Circuit, part: Part) -> float:
    own_ma = part.kind.most_ma if part.kind.on_usb else 0
    own_ma += part.takes_ma if circuit.is_fed_by_the_pi(part) else 0
    return own_ma + sum(map(most_taken_at, part.kind.terminals.values()))
