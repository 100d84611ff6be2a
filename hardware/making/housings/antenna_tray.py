"""The room in a tray for the antenna of a card reader, under the sticker of a card that is in its slot.

Places count from the slot: see `hardware.making.housings.card_slot`.
"""

from __future__ import annotations

from hardware.making.housings.card_slot import check_screw, screws, sticker_from_mouth, under_side
from hardware.making.housings.measures import measures, require


def inside() -> tuple[float, float, float]:
    """Return half of the tray's inner width, and the places of its inner front and back."""
    dims, gap = measures("antenna"), measures("printer")["gap"]
    wide, deep = (max(dims["coil"][side], dims["pn532"][side]) / 2 for side in (0, 1))
    middle = sticker_from_mouth()
    return float(wide + gap), float(middle - deep), float(middle + deep + gap)


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
