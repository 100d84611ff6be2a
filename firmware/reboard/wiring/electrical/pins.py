"""Which pin does what: none twice, none with another job, none that is high before anybody watches it."""

from __future__ import annotations

from collections.abc import Iterator

from reboard.finding import Finding, fine, note, wrong
from reboard.settings.pins_and_ports import FIRST_PIN, LAST_PIN
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.pi import gpio, gpio_number, header_pin, jobs, pin_limits


def on_header(wire: str) -> str:
    """A pin in words: ``GPIO17 (pin 11 of the header)``."""
    return f"{wire} (pin {header_pin(wire)} of the header)"


def free_pins(circuit: Circuit) -> str:
    """The pins that nobody has, and that have no other job, in words."""
    busy = {number for job in jobs() for number in job.gpios}
    free = (
        number
        for number in range(FIRST_PIN, LAST_PIN + 1)
        if number not in busy and not circuit.users.get(gpio(number))
    )
    return ", ".join(map(str, free)) or "none"


def switched_by(circuit: Circuit, wire: str) -> Iterator[Part]:
    """The lamps and transistors that the pin of *wire* switches, straight or through a resistor."""
    steered = {"led": "+", "transistor": "base", "mosfet": "G"}
    ends = [wire, *(end for end, _ in circuit.resistors(wire))]
    for part in circuit.of_kind(*steered):
        if part.wires[steered[part.kind.name]] in ends:
            yield part


def used_twice(circuit: Circuit) -> Iterator[Finding]:
    """Does anybody want a pin that somebody else has?"""
    twice = [wire for wire in circuit.pin_wires() if len(circuit.users[wire]) > 1]
    for wire in twice:
        who = " and ".join(map(_called, circuit.users[wire]))
        yield wrong("pins.twice", f"{on_header(wire)} is wanted by {who}.", _move(circuit, wire))
    if not twice:
        yield fine("pins.twice", f"{len(circuit.pin_wires())} pins are used, none of them twice.")


def other_jobs(circuit: Circuit) -> Iterator[Finding]:
    """Is a pin that the config names also good for something that the Pi does by itself?"""
    found = False
    for job in jobs():
        named = {wire: setting for wire, setting in _settings(circuit) if gpio_number(wire) in job.gpios}
        if not named:
            continue
        found = True
        pins = ", ".join(f"{wire} ({setting})" for wire, setting in named.items())
        what = f"{pins} {'belong' if len(named) > 1 else 'belongs'} to {job.name} as well: "
        if any(circuit.of_kind(job.taken_for)):
            yield wrong("pins.job", f"{what}{job.why_taken}.", f"Take pins that are free: {free_pins(circuit)}.")
            continue
        what += f"{job.why}."
        if job.is_on:
            yield wrong("pins.job", what, f"Take pins that are free: {free_pins(circuit)}.")
        else:
            yield note("pins.job", what, f"`{job.free}` switches it off." if job.free else "")
    if not found:
        yield fine("pins.job", "No pin has another job besides.")


def high_at_start(circuit: Circuit) -> Iterator[Finding]:
    """Is something on while the Pi starts, before any program watches it?"""
    found = False
    for wire in circuit.pin_wires():
        if gpio_number(wire) not in pin_limits().pulled_up_at_start:
            continue
        for part in switched_by(circuit, wire):
            found = True
            what = f"{on_header(wire)} is pulled high while a Pi starts, and the {part.name} is on it."
            if part.kind.name == "mosfet":
                yield wrong("pins.start", f"{what} The worms would dance on their own.", _move(circuit, wire))
            else:
                yield note("pins.start", f"{what} It glows until the table plays.", _move(circuit, wire))
    if not found:
        yield fine("pins.start", "Nothing is switched on while the Pi starts.")


def _settings(circuit: Circuit) -> Iterator[tuple[str, str]]:
    """The pins that the config names, and the setting that does."""
    for wire in circuit.pin_wires():
        yield from ((wire, user) for user in circuit.users[wire] if "." in user)


def _called(user: str) -> str:
    return user if "." in user else f"the {user}"


def _move(circuit: Circuit, wire: str) -> str:
    setting = next((user for user in circuit.users[wire] if "." in user), circuit.users[wire][0])
    return f"Put {setting} on a pin that is free: {free_pins(circuit)}."
