"""Whether housings can be made of the measures: what is told to somebody who has changed one too far.

First the measures are held against each other, then what is inside is looked at, and in the end each piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from manifold3d import Error, Manifold

from hardware.making.housings import banker_unit, worm_apple
from hardware.making.housings.apart import TOUCHING_MM3, in_the_way
from hardware.making.housings.inequality import inequality
from hardware.making.housings.inside import (
    Antenna,
    Things,
    in_every_unit,
    in_the_apple,
    in_the_block,
    on_the_panel,
    solids,
    what_feels_cards,
    what_reads_cards,
)
from hardware.making.housings.measures import FILE, FORMS, MeasureError, measures, numbers
from hardware.making.housings.raspberry_pi import Pi
from hardware.making.housings.relations import relations
from hardware.making.housings.solids import plate

STICKS_OUT = {"shell", "base", "cards", "keypad", "lever", "worms"}

TURNED = (0.0, 90.0, 180.0, 270.0)
"""How far the apple's cam has turned, in degrees."""

PULLED = (0.5, 1.0)
"""How far its lever is pulled, as a part of its way."""

SAID_BY = {
    "block": "[block], [shell] and [screw]",
    "unit": "[unit], [slot], [switch-box], [antenna], [shell] and [screw]",
    "apple": "[apple], [cam], [lever], [motor], [shell] and [screw]",
}
"""Which sections tell of a housing's pieces."""

Filled = tuple[str, Manifold, Things]
"""A housing's name, what it fills, and what is in it."""


def look_at_measures() -> None:
    """Raises ``MeasureError`` if one is larger than the bed, or cannot be what it is beside the others."""
    bed = measures("printer")["bed"]
    for section, name, longest in _longest():
        if longest > bed:
            limit = f"{bed:g} or less, the `bed` below [printer]"
            raise MeasureError(f"`{name}` below [{section}] in {FILE.name} cannot be {longest:g}: {limit}")
    for why, wanted in relations():
        if not (relation := inequality(wanted)).holds():
            would_do = "; ".join(relation.what_would_do()) or "no other measure alone would do"
            raise MeasureError(f"no housing can be made of {FILE.name} as it is, for {why}: {would_do}")


def look_at_piece(housing: str, piece: str, solid: Manifold) -> None:
    """Raises ``MeasureError`` for a piece that nobody could print."""
    bed = measures("printer")["bed"]
    left, front, low, right, back, high = solid.bounding_box()
    if solid.status() != Error.NoError or solid.is_empty():
        wrong = "would be nothing at all"
    elif len(solid.decompose()) > 1:
        wrong = "would fall into pieces"
    elif max(right - left, back - front, high - low) > bed:
        wrong = f"would be {_size(solid)}, on a bed of {bed:g}"
    else:
        return
    raise MeasureError(f"the {piece} of the {housing} {wrong}: look at {SAID_BY[housing]} in {FILE.name}")


def look_inside() -> None:
    """Raises ``MeasureError`` for what has no room in its housing, or is in the way of something else."""
    for housing, whole, things in _filled():
        for name, (solid, said_by) in things.items():
            if name not in STICKS_OUT and (beyond := solid - whole).volume() > TOUCHING_MM3:
                raise MeasureError(
                    f"the {name} of the {housing} has no room there, and a place of {_size(beyond)} would be outside: "
                    f"look at {said_by} in {FILE.name}"
                )
        for one, other, _ in in_the_way(solids(things)):
            place = _size(things[one].solid ^ things[other].solid)
            raise MeasureError(
                f"the {one} and the {other} of the {housing} would be in each other's way, in a place of {place}: look "
                f"at {things[one].said_by}, and at {things[other].said_by} in {FILE.name}"
            )


def _longest() -> Iterator[tuple[str, str, float]]:
    """The longest of each measure that is one of a piece, with its section and name."""
    for section in FORMS:
        if section != "printer":
            for name, value in measures(section).items():
                yield section, name, max(map(abs, numbers(value)), default=0)


def _filled() -> Iterator[Filled]:
    """Every way in which a housing is filled."""
    made = measures("shell")
    width, depth, height = measures("block")["outside"]
    block, apple = plate(width, depth, height + made["floor"], made["corner"]), worm_apple.outline(0)
    unit, above_it = (banker_unit.outline(0, measures("unit")["outside"][2] + more) for more in (0, 99))
    yield "unit", above_it, on_the_panel()
    for pi in get_args(Pi):
        yield "block", block, in_the_block(pi)
        yield "unit", unit, {**in_every_unit(pi), **what_feels_cards()}
        for antenna in get_args(Antenna):
            yield "unit", unit, {**in_every_unit(pi), **what_reads_cards(pi, antenna)}
    for turned in TURNED:
        yield "apple", apple, in_the_apple(turned, 0)
    for part in PULLED:
        yield "apple", apple, in_the_apple(0, part * measures("lever")["travel"])


def _size(place: Manifold) -> str:
    left, front, low, right, back, high = place.bounding_box()
    return f"{right - left:.1f} × {back - front:.1f} × {high - low:.1f} mm"
