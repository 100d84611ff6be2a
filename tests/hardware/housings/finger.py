"""A finger that tries to get past what moves in the apple."""

from __future__ import annotations

from collections.abc import Iterator

from manifold3d import CrossSection, JoinType, Manifold

from hardware.making.housings.finger_gaps import CLOSED_MM, OPEN_MM
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, rod, shared_mm3
from hardware.making.housings.placed import Placed
from hardware.making.housings.wobble import plate_bottom, plate_radius
from hardware.making.housings.worm_apple import cam_height, height

TURNS = range(0, 360, 10)
STEP = 2.0
"""Millimetres that the plate is moved at a time: it is thicker, so it jumps over nothing."""

THROUGH_WALL = (-82.0, -85.0, -88.0)
"""Places between fence and wall, where the plate's tongue is."""


def plate_moved(pieces: Placed, least: float) -> Iterator[Manifold]:
    """The plate at every angle of the cam, moved up or down by up to *least*."""
    steps = round(abs(least) / STEP)
    for turned in TURNS:
        plate = pieces.plate(turned).translate((0, 0, cam_height()))
        yield from (plate.translate((0, 0, least * step / steps)) for step in range(steps + 1))


def stays_open_above(pieces: Placed) -> bool:
    shell = pieces.shell("apple")
    return all(shared_mm3(shell, plate) < TOUCHING_MM3 for plate in plate_moved(pieces, OPEN_MM))


def parts_of_room(section: CrossSection) -> list[CrossSection]:
    """Return the areas in which the middle of a finger of 5 mm can be, and which it cannot leave."""
    room = CrossSection.square((2 * measures("apple")["diameter"], height()), center=True).translate((0, height() / 2))
    found: list[CrossSection] = (room - section).offset(-CLOSED_MM / 2, JoinType.Round).decompose()
    return found


def upright(solid: Manifold) -> CrossSection:
    """The section through y = 0; its second axis is the height."""
    return solid.rotate((-90, 0, 0)).slice(0)


def gets_past(section: CrossSection, above: CrossSection, below: CrossSection) -> bool:
    return any(not (part ^ above).is_empty() and not (part ^ below).is_empty() for part in parts_of_room(section))


def mark(x: float, up: float) -> CrossSection:
    return CrossSection.square((1, 1), center=True).translate((x, up))


def gets_beside_the_plate(pieces: Placed) -> bool:
    # at 180° the section is through the tongue; beside that it would be along the tongue's narrow gap
    shell, low = pieces.shell("apple"), cam_height() + plate_bottom(plate_radius()) - CLOSED_MM
    above = mark(20, height() - measures("shell")["floor"] - measures("apple")["collar"][1] - OPEN_MM / 2)
    for turned in range(0, 360, 45):
        inside = shell + pieces.plate(turned).translate((0, 0, cam_height())) + rod(40, 50)
        for around in range(0, 360, 5):
            if gets_past(upright(inside.rotate((0, 0, -around))), above, mark(plate_radius() - 10, low)):
                return True
    return False


def gets_beside_the_tongue(pieces: Placed) -> bool:
    shell, middle = pieces.shell("apple"), cam_height() + measures("cam")["hub"]
    for turned in range(0, 360, 30):
        inside = shell + pieces.plate(turned).translate((0, 0, cam_height()))
        for place in THROUGH_WALL:
            section = upright(inside.translate((-place, 0, 0)).rotate((0, 0, 90)))
            if gets_past(section, mark(0, middle + 20), mark(0, middle - 20)):
                return True
    return False
