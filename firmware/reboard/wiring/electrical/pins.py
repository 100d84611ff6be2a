"""Which pin does what: none twice, none with another job, none that is high before anybody watches it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from reboard.finding import Finding, fine, note, wrong
from reboard.settings.pins_and_ports import FIRST_PIN, LAST_PIN
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.pi import RAILS, Job, gpio, gpio_number, header_pin, jobs, pin_limits

ANY = range(FIRST_PIN, LAST_PIN + 1)
TOO_FEW = "Fewer pins are free than have to move: leave a part out of the config, or put one on USB."
CHANGE_PLACES = (
    "No other pin is free and low: let it change places with a button, a switch or a key, which may be there."
)
STEERED = {"led": "+", "transistor": "base", "mosfet": "G", "motor": "+"}
"""What a pin switches, and by which terminal."""
GLOWS = ("led", "transistor")
"""What of that is a lamp: on its own it is a nuisance, and a motor a danger."""


def on_header(wire: str) -> str:
    """A pin in words: ``GPIO17 (pin 11 of the header)``."""
    return f"{wire} (pin {header_pin(wire)} of the header)"


def switched_by(circuit: Circuit, wire: str) -> Iterator[Part]:
    """The lamps, motors and transistors that the pin of *wire* switches, straight or through a resistor."""
    # a backpack's pull-up leads to a rail, and what hangs there is no pin's to switch
    ends = {wire, *(end for end, _ in circuit.resistors(wire))} - RAILS.keys()
    for part in circuit.of_kind(*STEERED):
        if part.wires[STEERED[part.kind.name]] in ends:
            yield part


def used_twice(circuit: Circuit) -> Iterator[Finding]:
    """Does anybody want a pin that somebody else has?"""
    twice = [wire for wire in circuit.pin_wires() if len(circuit.users[wire]) > 1]
    for wire in twice:
        who = " and ".join(map(_called, circuit.users[wire]))
        yield wrong("pins.twice", f"{on_header(wire)} is wanted by {who}.", _move(circuit, [wire]))
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
        what += f"{job.why_taken if any(circuit.of_kind(job.taken_for)) else job.why}."
        if _is_done(circuit, job):
            yield wrong("pins.job", what, _move(circuit, named))
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
            do = _move(circuit, [wire])
            if part.kind.name in GLOWS:
                yield note("pins.start", f"{what} It glows until the table plays.", do)
            else:
                # the settings refuse such a pin for a motor; here it is told of a circuit, whoever has drawn it
                yield wrong("pins.start", f"{what} The worms would dance on their own.", do)
    if not found:
        yield fine("pins.start", "Nothing is switched on while the Pi starts.")


def _settings(circuit: Circuit) -> Iterator[tuple[str, str]]:
    """The pins that the config names, and the setting that does."""
    for wire in circuit.pin_wires():
        yield from ((wire, user) for user in circuit.users[wire] if "." in user)


def _called(user: str) -> str:
    return user if "." in user else f"the {user}"


def _move(circuit: Circuit, wires: Collection[str]) -> str:
    """Where the settings can go that name the *wires*: what is switched only to pins that are low at the start."""
    settings = {wire: _setting(circuit, wire) for wire in wires}
    switching = {wire: setting for wire, setting in settings.items() if any(switched_by(circuit, wire))}
    others = [setting for wire, setting in settings.items() if wire not in switching]
    low, some = _offer(circuit, len(switching), is_low=True), _offer(circuit, len(settings))
    if switching and not low and all(_is_good_for_a_button(circuit, wire) for wire in switching):
        return CHANGE_PLACES
    if not some:
        return TOO_FEW
    said = []
    if switching:
        said.append(_put(switching.values(), low) if low else _put_in_place_of_buttons(switching.values(), some))
    if others:
        said.append(_put(others, some))
    return " ".join(said)


def _setting(circuit: Circuit, wire: str) -> str:
    """Who has to leave the pin of *wire*: the setting that names it, for no part can."""
    return next((user for user in circuit.users[wire] if "." in user), circuit.users[wire][0])


def _put(settings: Collection[str], offer: str) -> str:
    return f"Put {' and '.join(settings)} on {'a pin that is' if len(settings) == 1 else 'pins that are'} {offer}."


def _put_in_place_of_buttons(settings: Collection[str], offer: str) -> str:
    if len(settings) == 1:
        whose = "a button's, a switch's or a key's, and put that one on a pin that is"
    else:
        whose = "those of buttons, switches or keys, and put these on pins that are"
    return f"Too few pins that are low while a Pi starts are free for {' and '.join(settings)}: take {whose} {offer}."


def _offer(circuit: Circuit, wanted: int, *, is_low: bool = False) -> str:
    """At least as many pins as are *wanted*, those without any other job first; ``""``: there are not so many."""
    offers, count = [], 0
    for what, numbers in _unused(circuit, is_low=is_low):
        if numbers and count < wanted:
            offers.append(f"{what}: {', '.join(map(str, numbers))}")
            count += len(numbers)
    return "; or ".join(offers) if count >= wanted else ""


def _unused(circuit: Circuit, *, is_low: bool = False) -> Iterator[tuple[str, list[int]]]:
    """The pins that nobody has, and how they are so; with *is_low* only those that are low while a Pi starts."""
    high = pin_limits().pulled_up_at_start if is_low else ()
    unused = [number for number in ANY if not circuit.users.get(gpio(number)) and number not in high]
    busy = {number for job in jobs() for number in job.gpios}
    yield "free", [number for number in unused if number not in busy]
    for job in jobs():
        if not _is_done(circuit, job):
            yield f"good as long as {job.name} is off", [number for number in unused if number in job.gpios]


def _is_good_for_a_button(circuit: Circuit, wire: str) -> bool:
    """Whether a button may have the pin of *wire* once that is left."""
    return not any(_is_done(circuit, job) for job in jobs() if gpio_number(wire) in job.gpios)


def _is_done(circuit: Circuit, job: Job) -> bool:
    """Whether its pins do this *job* in *circuit*, so that they can be nothing else."""
    return job.is_on or any(circuit.of_kind(job.taken_for))
