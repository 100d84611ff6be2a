"""What measures have to be to each other, as it is written down: ``block.outside.0 >= 4 shell.wall + 2 printer.gap``.

A measure is named by its section and its name; ``.0`` is the first number of a list. ``|slot.screws.0.0|`` is how far
from the middle a place is, on whichever side. A number alone is millimetres.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from hardware.making.housings.measures import PLACES, measures
from reboard.cards.shape import card_shape

OFF_BY = 1e-6
"""What adding up may make of millimetres that are equal."""

FINEST = 100
"""What could be is told in hundredths."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""From the seventh ring of worms on it is told in figures, up to the twentieth."""
PARTS = ("list", "number")


class Term(NamedTuple):
    """A measure, so many *times*; without a *name* a number alone."""

    times: float
    name: str = ""
    from_middle: bool = False

    def measured(self) -> float:
        """The measure itself."""
        value = measure(self.name) if self.name else 1.0
        return abs(value) if self.from_middle else value


class Inequality(NamedTuple):
    """All *terms* together have to be 0 or more."""

    terms: tuple[Term, ...]

    def holds(self) -> bool:
        """Whether the measures are so."""
        return self._left_over() >= -OFF_BY

    def what_would_do(self) -> Iterator[str]:
        """For each measure in it what it is, and what it could be if all others stay; not where no size would do."""
        bed = measure("printer.bed")
        for term in self.by_measure():
            could_be = term.measured() - self._left_over() / term.times
            is_place = not (term.from_middle or is_size(term.name))
            if 0 < could_be <= bed or (is_place and abs(could_be) <= bed):
                yield f"{called(term.name)} is {term.measured():g} and could be {_limit(could_be, term)}"

    def by_measure(self) -> Iterator[Term]:
        """Each measure once."""
        times: dict[tuple[str, bool], float] = {}
        for term in self.terms:
            key = (term.name, term.from_middle)
            times[key] = times.get(key, 0.0) + term.times
        return (Term(number, *key) for key, number in times.items() if key[0] and number)

    def _left_over(self) -> float:
        return sum(term.times * term.measured() for term in self.terms)


def inequality(text: str) -> Inequality:
    """As it is written: terms with a + or a - between them on both sides of one ``>=``."""
    left, right = text.split(" >= ")
    return Inequality((*_terms(left, 1.0), *_terms(right, -1.0)))


def measure(name: str) -> float:
    """The measure of that name, as it is now: one of the housings', or of a card's."""
    section, of_it, *places = name.split(".")
    card = dataclasses.asdict(card_shape())
    value: Any = card[section][of_it] if section in card else measures(section)[of_it]
    for place in places:
        value = value[int(place)]
    return float(value)


def is_size(name: str) -> bool:
    """Whether that measure cannot be below 0."""
    section, of_it, *_ = name.split(".")
    return of_it not in PLACES.get(section, ())


def called(name: str) -> str:
    """That measure as somebody finds it: its name and section, in words."""
    section, of_it, *places = name.split(".")
    words = f"`{of_it}` below [{section}]"
    if section in dataclasses.asdict(card_shape()):
        words += " in cards.toml"
    for part, place in zip(PARTS[-len(places) :], places, strict=False):
        words = f"the {_ordinal(int(place))} {part} of {words}"
    return words


def _ordinal(place: int) -> str:
    """In words the place that is counted from 0."""
    return ORDINALS[place] if place < len(ORDINALS) else f"{place + 1}th"


def _limit(could_be: float, term: Term) -> str:
    if term.times > 0:
        words = f"{math.ceil(could_be * FINEST - OFF_BY) / FINEST:g} or more"
    else:
        words = f"{math.floor(could_be * FINEST + OFF_BY) / FINEST:g} or less"
    return f"{words}, from the middle to either side" if term.from_middle else words


def _terms(side: str, sign: float) -> Iterator[Term]:
    first, *others = re.split(r" ([+-]) ", side)
    for said, words in zip(["+", *others[::2]], [first, *others[1::2]], strict=True):
        times, _, name = words.rpartition(" ")
        if name.replace(".", "", 1).isdigit():
            times, name = name, ""
        number = sign * (1.0 if said == "+" else -1.0) * float(times or 1)
        yield Term(number, name.strip("|"), from_middle=name.startswith("|"))
