"""A tray for the antenna of a card reader, below a slot, under the sticker of a card.

Places count from the slot: see `hardware.making.housings.card_slot`.
"""

from __future__ import annotations

from manifold3d import Manifold

from hardware.making.housings.card_slot import check_screw, ears, screws, sticker_from_mouth, under_side
from hardware.making.housings.measures import measures, require
from hardware.making.housings.solids import at, between, on_the_bed, rod


def antenna_tray() -> Manifold:
    """Return the tray as it is printed."""
    return on_the_bed(antenna_tray_in_place())


def antenna_tray_in_place() -> Manifold:
    """Return the tray in place. Its front is open: it ends behind the front wall of the unit."""
    dims, wall, gap = measures("antenna"), measures("shell")["wall"], measures("printer")["gap"]
    wide = max(dims["coil"][0], dims["pn532"][0]) / 2 + gap
    deep = max(dims["coil"][1], dims["pn532"][1]) / 2
    middle, high = sticker_from_mouth(), under_side()
    low = high - dims["height"]
    body = between((-wide - wall, middle - deep, low), (wide + wall, middle + deep + gap + wall, high))
    body -= between((-wide, middle - deep - 1, low + dims["bottom"]), (wide, middle + deep + gap, high + 1))
    half = dims["wires"] / 2
    body -= between((-half, middle + deep, low + dims["bottom"]), (half, middle + deep + gap + 2 * wall, high + 1))
    body += ears(screws()[:2], wide + wall, low, high)
    return body - at(rod(measures("screw")["m3_hole"], 99), screws()[:2], low - 50)


def check() -> None:
    """Raise ``MeasureError`` if an antenna or its wires do not fit the tray, or the tray's screws do not hold."""
    dims, wall, gap = measures("antenna"), measures("shell")["wall"], measures("printer")["gap"]
    require(dims["bottom"] >= 0.4, "a tray needs a floor of two layers. Increase [antenna] bottom to 0.4 or more.")
    require(dims["wires"] >= 2, "a coil's wires need 2 mm. Increase [antenna] wires.")
    for antenna in ("coil", "pn532"):
        wide, deep, high = dims[antenna]
        require(
            sticker_from_mouth() >= deep / 2 + wall,
            f"the antenna is in the front wall. Increase [slot] card_goes_in or decrease [antenna] {antenna} or "
            "[shell] wall.",
        )
        require(wide >= 10 + dims["wires"], f"the antenna slips out. Decrease [antenna] wires or increase {antenna}.")
        require(
            dims["height"] >= dims["bottom"] + high,
            f"the antenna sticks out of its tray. Increase [antenna] height or decrease bottom or {antenna}.",
        )
        require(
            min(abs(x) for x, _ in screws()[:2]) >= wide / 2 + gap + wall + measures("screw")["m3_hole"] / 2,
            "a screw is in the antenna's way. Move the first two [slot] screws away from the middle, or decrease "
            f"[antenna] {antenna}, [shell] wall, [printer] gap or [screw] m3_hole.",
        )
    check_screw(20, under_side() - dims["height"], "[antenna] height, or [slot] bottom or bump_clearance")
