"""What holds a card reader's antenna below a slot, under the sticker of a card that is in.

All is where it is in the slot, see `hardware.making.housings.card_slot`.
"""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.card_slot import ears, screws, sticker_from_mouth, under_side
from hardware.making.housings.measures import measures
from hardware.making.housings.solids import at, between, on_the_bed, rod


def antenna_tray() -> Manifold:
    """The tray, as it is printed."""
    return on_the_bed(antenna_tray_in_place())


def antenna_tray_in_place() -> Manifold:
    """The tray, where it is. Its front is open, so that it ends behind the unit's front wall; wires go out behind."""
    said, wall, gap = measures("antenna"), measures("shell")["wall"], measures("printer")["gap"]
    wide = max(said["coil"][0], said["pn532"][0]) / 2 + gap
    deep = max(said["coil"][1], said["pn532"][1]) / 2
    middle, high = sticker_from_mouth(), under_side()
    low = high - said["height"]
    body = between((-wide - wall, middle - deep, low), (wide + wall, middle + deep + gap + wall, high))
    body -= between((-wide, middle - deep - 1, low + said["bottom"]), (wide, middle + deep + gap, high + 1))
    half = said["wires"] / 2
    body -= between((-half, middle + deep, low + said["bottom"]), (half, middle + deep + gap + 2 * wall, high + 1))
    body += ears(screws()[:2], wide + wall, low, high)
    return body - at(rod(measures("screw")["m3_hole"], 99), screws()[:2], low - 50)
