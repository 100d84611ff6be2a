"""Places in a slot for a bank card, which goes in face up as far as a stop, and whether its measures go together.

Places count from the middle of the mouth, and heights from the ribs of the panel that the card slides along. The card
goes in along the y axis. Its bumps are below: the left side of its back is on the right here.
"""

from __future__ import annotations

from typing import Literal, get_args

from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place
from reboard.cards.sheet import card_shape

Antenna = Literal["coil", "pn532", "rc522"]
"""A measure of an antenna, with the board that it is on."""

LEAD_IN = 2.0
"""Slope of the mouth's lower edge, in degrees."""


def bump_places() -> list[Place]:
    """Return the places of the bumps 1, 2 and 4 of a card that is in."""
    bumps = card_shape().bumps
    return [(-x, measures("slot")["card_goes_in"] - bumps.from_upper_edge) for x in bumps.places]


def sticker_from_mouth() -> float:
    """Return the distance from the mouth to the middle of a card's sticker."""
    return float(measures("slot")["card_goes_in"] - card_shape().sticker.from_upper_edge)


def inner_width() -> float:
    """Return the distance between the walls beside a card."""
    return float(card_shape().card.width + 2 * measures("slot")["play_beside"])


def under_side() -> float:
    """Return the height of the under side of a slot, which is below 0."""
    dims, shape = measures("slot"), card_shape()
    return -float(shape.card.thickness + shape.bumps.height + dims["bump_clearance"] + dims["bottom"])


def screws() -> list[Place]:
    """Return the places of the screws: two in front, and two that hold a switch box too."""
    return [(x, y) for x, y in measures("slot")["screws"]]


def antenna_room() -> tuple[float, float, float]:
    """Return half of the inner width of a tray for an antenna, and the places of its inner front and back.

    It is under the sticker of a card that is in its slot.
    """
    dims, gap = measures("antenna"), measures("printer")["gap"]
    wide, deep = (max(dims["coil"][side], dims["pn532"][side]) / 2 for side in (0, 1))
    middle = sticker_from_mouth()
    return float(wide + gap), float(middle - deep), float(middle + deep + gap)


def antenna_middle(antenna: Antenna) -> float:
    """Return the distance from the mouth to the middle of an antenna's board. An RC522's front is the tray's."""
    if antenna != "rc522":
        return sticker_from_mouth()
    return antenna_room()[1] + float(measures("antenna")[antenna][1]) / 2


def check() -> None:
    """Raise ``MeasureError`` if a card does not go in, cannot be taken out, or misses switches or antennas."""
    dims, shape, made = measures("slot"), card_shape(), measures("microswitch")
    wall, screw, bumps = measures("shell")["wall"], measures("screw"), shape.bumps
    play, beside, clicks_at, goes_in = dims["play"], dims["play_beside"], dims["clicks_at"], dims["card_goes_in"]
    require(shape.card.length >= 8 + goes_in, "fingers need 8 mm of a card. Decrease [slot] card_goes_in.")
    require(
        sticker_from_mouth() >= shape.sticker.diameter / 2 + wall,
        "a card's sticker is in the wall. Increase [slot] card_goes_in or decrease [shell] wall.",
    )
    require(min(play, beside) >= 0.1, "a card jams. Increase [slot] play and play_beside to 0.1 or more.")
    require(bumps.diameter / 2 >= 0.5 + beside, "bumps miss their switches. Decrease [slot] play_beside.")
    require(clicks_at >= 0.1 + play, "every card presses a switch. Decrease [slot] play or increase clicks_at.")
    require(bumps.height >= 0.3 + clicks_at, "a bump does not press its switch. Decrease [slot] clicks_at.")
    require(
        clicks_at + made["overtravel"] >= bumps.height,
        "a bump pushes a switch too far. Increase [slot] clicks_at or [microswitch] overtravel.",
    )
    require(
        shape.card.width / 2 >= dims["rail"] + max(map(abs, bumps.places)) + bumps.diameter / 2,
        "a card's bumps run over the rails. Decrease [slot] rail.",
    )
    require(dims["rail"] >= 1 + 2 * beside, "a card slips off its rails. Increase [slot] rail or decrease play_beside.")
    require(dims["bump_clearance"] >= 0.1, "bumps rub. Increase [slot] bump_clearance to 0.1 or more.")
    require(dims["bottom"] >= 0.4, "a slot needs a floor of two layers. Increase [slot] bottom to 0.4 or more.")
    check_screw(10, under_side(), "[slot] bump_clearance and bottom")
    for x, y in screws():
        require(
            abs(x) >= (inner_width() + screw["m3_hole"]) / 2,
            "a screw is in the card's way. Move [slot] screws away from the middle, or decrease play_beside or "
            "[screw] m3_hole.",
        )
        require(
            screw["pillar"] / 2 + wall <= y <= goes_in + wall - screw["pillar"] / 2,
            "a screw is not beside its slot. Move [slot] screws, increase card_goes_in, or decrease [screw] pillar or "
            "[shell] wall.",
        )
    _check_antennas()


def _check_antennas() -> None:
    dims, wall, gap = measures("antenna"), measures("shell")["wall"], measures("printer")["gap"]
    require(dims["bottom"] >= 0.4, "a tray needs a floor of two layers. Increase [antenna] bottom to 0.4 or more.")
    require(
        dims["opening"] >= dims["rc522"][0] + 2 * gap,
        "an RC522 does not go through the back. Increase [antenna] opening or decrease rc522 or [printer] gap.",
    )
    for antenna in get_args(Antenna):
        wide, deep, high = dims[antenna]
        require(
            antenna_middle(antenna) >= deep / 2 + wall,
            f"the antenna is in the front wall. Increase [slot] card_goes_in or decrease [antenna] {antenna} or "
            "[shell] wall.",
        )
        require(
            antenna == "rc522" or wide >= 2 + dims["opening"],
            f"the antenna slips out. Decrease [antenna] opening or increase {antenna}.",
        )
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


def check_screw(long: float, under: float, thick: str) -> None:
    """Raise ``MeasureError`` if a screw does not hold in the ribs of the panel, or comes out of it.

    *under* is the height of its head, and *thick* names what it goes through.
    """
    reaches, panel = long + under, measures("slot")["below_panel"] + measures("shell")["floor"]
    require(reaches >= 4, f"less than 4 mm of the {long:g} mm screws hold in the panel. Decrease {thick}.")
    require(
        reaches <= panel - 0.8,
        f"the {long:g} mm screws come out of the panel. Increase {thick}, [slot] below_panel or [shell] floor.",
    )
