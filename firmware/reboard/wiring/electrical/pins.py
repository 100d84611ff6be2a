"""Which pin does what: none twice, none with another job, none that is high before anybody watches it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reboard.finding import Finding, fine, note, wrong
from reboard.wiring.circuit import Circuit
from reboard.wiring.electrical.moves import GLOWS, Moves, is_done, switched_by
from reboard.wiring.pi import Job, gpio_number, header_pin, jobs, pin_limits


def on_header(wire: str) -> str:
    """A pin in words: ``GPIO17 (pin 11 of the header)``."""
    return f"{wire} (pin {header_pin(wire)} of the header)"


def used_twice(circuit: Circuit) -> Iterator[Finding]:
    """Does anybody want a pin that somebody else has?"""
    twice = _twice(circuit)
    for wire in twice:
        who = " and ".join(map(_called, circuit.users[wire]))
        yield wrong("pins.twice", f"{on_header(wire)} is wanted by {who}.", _moves(circuit).advice([wire]))
    if not twice:
        yield fine("pins.twice", f"{len(circuit.pin_wires())} pins are used, none of them twice.")


def other_jobs(circuit: Circuit) -> Iterator[Finding]:
    """Is a pin that the config names also good for something that the Pi does by itself?"""
    found = False
    for job in jobs():
        found |= any(gpio_number(wire) in job.gpios for wire, _ in _settings(circuit))
        named = _named(circuit, job)
        if not named:
            continue
        pins = ", ".join(f"{wire} ({setting})" for wire, setting in named.items())
        what = f"{pins} {'belong' if len(named) > 1 else 'belongs'} to {job.name} as well: "
        what += f"{job.why_taken if any(circuit.of_kind(job.taken_for)) else job.why}."
        if is_done(circuit, job):
            yield wrong("pins.job", what, _moves(circuit).advice(named))
        else:
            yield note("pins.job", what, f"`{job.free}` switches it off." if job.free else "")
    if not found:
        yield fine("pins.job", "No pin has another job besides.")


def high_at_start(circuit: Circuit) -> Iterator[Finding]:
    """Is something on while the Pi starts, before any program watches it?"""
    found = False
    for wire in _high(circuit):
        for part in switched_by(circuit, wire):
            found = True
            what = f"{on_header(wire)} is pulled high while a Pi starts, and the {part.name} is on it."
            if part.kind.name in GLOWS:
                do = _moves(circuit).advice_for_what_glows(wire)
                yield note("pins.start", f"{what} It glows until the table plays.", do)
            else:
                # the settings refuse such a pin for a motor; here it is told of a circuit, whoever has drawn it
                yield wrong("pins.start", f"{what} The worms would dance on their own.", _moves(circuit).advice([wire]))
    if not found:
        yield fine("pins.start", "Nothing is switched on while the Pi starts.")


def _moves(circuit: Circuit) -> Moves:
    """Where all of them go, whichever finding tells them to."""
    busy = [wire for job in jobs() if is_done(circuit, job) for wire in _named(circuit, job)]
    return Moves(
        circuit, [*_twice(circuit), *busy], [wire for wire in _high(circuit) if any(switched_by(circuit, wire))]
    )


def _twice(circuit: Circuit) -> list[str]:
    return [wire for wire in circuit.pin_wires() if len(circuit.users[wire]) > 1]


def _named(circuit: Circuit, job: Job) -> Mapping[str, str]:
    """The pins of a *job* that the config names, and the setting that does."""
    # one that two want is told as such, and moves from there anyway
    named = {wire: setting for wire, setting in _settings(circuit) if gpio_number(wire) in job.gpios}
    return {wire: setting for wire, setting in named.items() if len(circuit.users[wire]) == 1}


def _high(circuit: Circuit) -> list[str]:
    return [wire for wire in circuit.pin_wires() if gpio_number(wire) in pin_limits().pulled_up_at_start]


def _settings(circuit: Circuit) -> Iterator[tuple[str, str]]:
    """The pins that the config names, and the setting that does."""
    for wire in circuit.pin_wires():
        yield from ((wire, user) for user in circuit.users[wire] if "." in user)


def _called(user: str) -> str:
    return user if "." in user else f"the {user}"
