"""Which pin does what: none twice, none with another job, none that is high before anybody watches it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from reboard.finding import Finding, fine, note, wrong
from reboard.settings.pins_and_ports import FIRST_PIN, LAST_PIN
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.pi import gpio, gpio_number, header_pin, jobs, pin_limits

ANY = range(FIRST_PIN, LAST_PIN + 1)
FULL = "No pin is free: leave a part out of the config, or put one on USB."
CHANGE_PLACES = (
    "No other pin is free and low: let it change places with a button, a switch or a key, which may be there."
)


def on_header(wire: str) -> str:
    """A pin in words: ``GPIO17 (pin 11 of the header)``."""
    return f"{wire} (pin {header_pin(wire)} of the header)"


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
        found |= bool(named)
        # one that two want is told as such, and moves from there anyway
        named = {wire: setting for wire, setting in named.items() if len(circuit.users[wire]) == 1}
        if not named:
            continue
        pins = ", ".join(f"{wire} ({setting})" for wire, setting in named.items())
        what = f"{pins} {'belong' if len(named) > 1 else 'belongs'} to {job.name} as well: "
        if any(circuit.of_kind(job.taken_for)):
            yield wrong("pins.job", f"{what}{job.why_taken}.", _take(circuit, "Take pins that are"))
            continue
        what += f"{job.why}."
        if job.is_on:
            yield wrong("pins.job", what, _take(circuit, "Take pins that are"))
        else:
            yield note("pins.job", what, f"`{job.free}` switches it off." if job.free else "")
    if not found:
        yield fine("pins.job", "No pin has another job besides.")


def high_at_start(circuit: Circuit) -> Iterator[Finding]:
    """Is something on while the Pi starts, before any program watches it?"""
    found = False
    high = pin_limits().pulled_up_at_start
    low = [number for number in ANY if number not in high]
    for wire in circuit.pin_wires():
        if gpio_number(wire) not in high:
            continue
        for part in switched_by(circuit, wire):
            found = True
            what = f"{on_header(wire)} is pulled high while a Pi starts, and the {part.name} is on it."
            if part.kind.name == "mosfet":
                yield wrong(
                    "pins.start",
                    f"{what} The worms would dance on their own.",
                    _move(circuit, wire, low, CHANGE_PLACES),
                )
            else:
                yield note(
                    "pins.start", f"{what} It glows until the table plays.", _move(circuit, wire, low, CHANGE_PLACES)
                )
    if not found:
        yield fine("pins.start", "Nothing is switched on while the Pi starts.")


def _settings(circuit: Circuit) -> Iterator[tuple[str, str]]:
    """The pins that the config names, and the setting that does."""
    for wire in circuit.pin_wires():
        yield from ((wire, user) for user in circuit.users[wire] if "." in user)


def _called(user: str) -> str:
    return user if "." in user else f"the {user}"


def _move(circuit: Circuit, wire: str, good: Collection[int] = ANY, otherwise: str = FULL) -> str:
    setting = next((user for user in circuit.users[wire] if "." in user), circuit.users[wire][0])
    return _take(circuit, f"Put {setting} on a pin that is", good, otherwise)


def _take(circuit: Circuit, what: str, good: Collection[int] = ANY, otherwise: str = FULL) -> str:
    """To do *what* with pins that nobody has, of those that are *good*; without any, *otherwise*."""
    unused = [number for number in good if not circuit.users.get(gpio(number))]
    busy = {number for job in jobs() for number in job.gpios}
    if free := [number for number in unused if number not in busy]:
        return f"{what} free: {_listed(free)}."
    for job in jobs():
        idle = [number for number in unused if number in job.gpios]
        if idle and not job.is_on and not any(circuit.of_kind(job.taken_for)):
            return f"{what} good as long as {job.name} is off: {_listed(idle)}."
    return otherwise


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
