"""Moves: where those go that have to leave their pin, all at once, so that nobody is sent where another one is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reboard.settings.pins_and_ports import FIRST_PIN, LAST_PIN
from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.electrical.figures import all_of
from reboard.wiring.pi import RAILS, Job, gpio, gpio_number, jobs, pin_limits

ANY = range(FIRST_PIN, LAST_PIN + 1)
TOO_FEW = "Fewer pins are free than have to move: leave a part out of the config, or put one on USB."
STEERED = {"led": "+", "transistor": "base", "mosfet": "G", "motor": "+"}
"""What a pin switches, and by which terminal."""
GLOWS = ("led", "transistor")
"""What of that is a lamp: on its own it is a nuisance, and a motor a danger."""
FREE = "free"

Unused = Mapping[int, str]
"""The pins that nobody has, the best first, and how they are so."""


def switched_by(circuit: Circuit, wire: str) -> Iterator[Part]:
    """The lamps, motors and transistors that the pin of *wire* switches, straight or through a resistor."""
    # a backpack's pull-up leads to a rail, and what hangs there is no pin's to switch
    ends = {wire, *(end for end, _ in circuit.resistors(wire))} - RAILS.keys()
    for part in circuit.of_kind(*STEERED):
        if part.wires[STEERED[part.kind.name]] in ends:
            yield part


def is_done(circuit: Circuit, job: Job) -> bool:
    """Whether its pins do this *job* in *circuit*, so that they can be nothing else."""
    return job.is_on or any(circuit.of_kind(job.taken_for))


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody goes: to a *pin* that is free, or to the pin *from_whom* has, who goes to that one instead."""

    pin: int
    from_whom: str = ""
    theirs: int | None = None


class Moves:
    """Where all go that *must* leave their pin, and those that would be better *on_low* ones.

    Both are wires of pins. Motors choose first, then lamps, for they want a pin that is low while a Pi starts; then
    all others that must; and at last what could stay.
    """

    def __init__(self, circuit: Circuit, must: Sequence[str], on_low: Sequence[str]) -> None:
        self._circuit = circuit
        self._unused = dict(_unused(circuit))
        self._left = dict(self._unused)
        self._leaving = [*must, *(wire for wire in on_low if wire not in must)]
        self._exchanged: set[str] = set()
        self._places: dict[str, Place] = {}
        switching = [wire for wire in must if self._is_switching(wire)]
        for wire in sorted(switching, key=self._only_glows):
            self._settle(wire, self._a_low_one() or self._anothers_low_one())
        for wire in must:
            if wire not in switching:
                self._settle(wire, self._any())
        for wire in self._leaving[len(must) :]:
            self._settle(wire, self._a_low_one())

    def advice(self, wires: Collection[str]) -> str:
        """Where those go that have the pins of *wires*."""
        places = {wire: self._places[wire] for wire in wires if wire in self._places}
        if len(places) < len(wires):
            return TOO_FEW
        free = [wire for wire, place in places.items() if not place.from_whom]
        switching = [wire for wire in free if self._is_switching(wire)]
        others = [wire for wire in free if wire not in switching]
        said = [self._put_in_place(wire, place) for wire, place in places.items() if place.from_whom]
        said += [self._put(group) for group in (switching, others) if group]
        return " ".join(said)

    def advice_for_what_glows(self, wire: str) -> str:
        """Where the lamp on the pin of *wire* goes, which may stay if it must."""
        if wire in self._places:
            return self.advice([wire])
        who = self._who_is_low()
        no_other = f"No other pin is free and low: let {self._who(wire)} change places with a button, a switch or a key"
        return (
            f"{no_other}, such as {who[1]}, which may be there."
            if who
            else "No other pin is free and low: it may stay."
        )

    def _settle(self, wire: str, place: Place | None) -> None:
        if place:
            self._places[wire] = place
            self._left.pop(place.pin, None)
            self._left.pop(place.theirs or 0, None)

    def _a_low_one(self) -> Place | None:
        return next((Place(pin) for pin in self._left if _is_low(pin)), None)

    def _any(self) -> Place | None:
        return next((Place(pin) for pin in self._left), None)

    def _anothers_low_one(self) -> Place | None:
        """The pin of somebody to whom any other is as good."""
        who, theirs = self._who_is_low(), self._any()
        if not (who and theirs):
            return None
        self._exchanged.add(who[0])
        return Place(gpio_number(who[0]) or 0, who[1], theirs.pin)

    def _who_is_low(self) -> tuple[str, str] | None:
        """A pin that is low while a Pi starts, and the button, switch or key that has it without wanting that."""
        for wire in self._circuit.pin_wires():
            users, number = self._circuit.users.get(wire, ()), gpio_number(wire)
            stays = wire not in self._leaving and wire not in self._exchanged and not self._is_switching(wire)
            if stays and number is not None and _is_low(number) and len(users) == 1 and "." in users[0]:
                return wire, users[0]
        return None

    def _put(self, wires: Sequence[str]) -> str:
        pins = [self._places[wire].pin for wire in wires]
        if set(self._leaving) == set(wires):
            # nobody else is on the way: any that is as good will do
            is_low = self._is_switching(wires[0]) and all(map(_is_low, pins))
            good = [pin for pin in self._unused if _is_low(pin) or not is_low]
            hows = list(dict.fromkeys(self._unused[pin] for pin in pins))
            pins = [pin for pin in good if self._unused[pin] in hows]
        offers: dict[str, list[str]] = {}
        for pin in pins:
            offers.setdefault(self._unused[pin], []).append(str(pin))
        offer = "; or ".join(f"{how}: {', '.join(numbers)}" for how, numbers in offers.items())
        which = "a pin that is" if len(wires) == 1 else "pins that are"
        return f"Put {all_of([*map(self._who, wires)])} on {which} {offer}."

    def _put_in_place(self, wire: str, place: Place) -> str:
        how = self._unused[place.theirs or 0]
        return (
            f"No pin that is low while a Pi starts is left for {self._who(wire)}, and a button, a switch or a key can "
            f"do without: put {self._who(wire)} on pin {place.pin}, and {place.from_whom}, which has that, on pin "
            f"{place.theirs}, which is {how}."
        )

    def _who(self, wire: str) -> str:
        """Who has to leave the pin of *wire*: the setting that names it, for no part can."""
        users = self._circuit.users[wire]
        return next((user for user in users if "." in user), users[0])

    def _is_switching(self, wire: str) -> bool:
        return any(switched_by(self._circuit, wire))

    def _only_glows(self, wire: str) -> bool:
        return all(part.kind.name in GLOWS for part in switched_by(self._circuit, wire))


def _is_low(pin: int) -> bool:
    """Whether a *pin* is low while a Pi starts."""
    return pin not in pin_limits().pulled_up_at_start


def _unused(circuit: Circuit) -> Iterator[tuple[int, str]]:
    unused = [number for number in ANY if not circuit.users.get(gpio(number))]
    busy = {number for job in jobs() for number in job.gpios}
    yield from ((number, FREE) for number in unused if number not in busy)
    for job in jobs():
        if not is_done(circuit, job):
            how = f"good as long as {job.name} is off"
            yield from ((number, how) for number in unused if number in job.gpios)
