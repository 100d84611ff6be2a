"""Whether the carrier board has room in the banker unit."""

from __future__ import annotations

from pathlib import Path

from build123d import import_step
from manifold3d import Manifold

from hardware.making.housings import banker_unit
from hardware.making.housings.inside import Things
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, between, shared_mm3, union
from hardware.making.housings.places import Place
from hardware.making.housings.raspberry_pi import Pi

HEADER = 11.0
"""Millimetres between the boards of a Pi and of a carrier on its header: 8.5 mm of socket on pins of 2.5 mm."""


def boxes(step: Path) -> Manifold:
    """Return a box around each solid of a board's STEP file: the board, and each part on it."""
    found = [solid.bounding_box() for solid in import_step(step).solids()]
    return union(between(tuple(box.min), tuple(box.max)) for box in found)


def in_the_unit(board: Manifold, pi: Pi, corner: Place) -> Manifold:
    """Return a *board* in the unit, on the header of its *pi*, whose sockets point to the back.

    Seen from above the board has its left front corner at 0, 0 and its under side at height 0, and the Pi below it has
    the corner beside pin 1, its left back one, at *corner*.
    """
    dims, (x, y) = measures(pi), banker_unit.pi_place(pi)
    low = measures("shell")["floor"] + dims["standoff"] + dims["board"] + HEADER
    turned = board.translate((-corner[0], -corner[1], 0)).rotate((0, 0, 180))
    return turned.translate((x + dims["width"] / 2, y - dims["depth"] / 2, low))


def in_its_way(board: Manifold, things: Things) -> list[str]:
    """Return the names of the *things* that overlap a *board* in place."""
    return [name for name, thing in things.items() if shared_mm3(board, thing.solid) > TOUCHING_MM3]
