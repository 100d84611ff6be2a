"""A slot for a bank card, which goes in face up as far as a stop.

Places count from the middle of the mouth, and heights from the ribs of the panel that the card slides along. The card
goes in along the y axis. Its bumps are below: the left side of its back is on the right here.
"""

from __future__ import annotations

from collections.abc import Iterable

from manifold3d import Manifold, OpType

from hardware.making.housings.measures import measures, require
from hardware.making.housings.solids import Place, at, between, on_the_bed, plate, rod, wedge
from reboard.cards.sheet import card_shape

LEAD_IN = 2.0
"""Slope of the mouth's lower edge, in degrees."""


def slot() -> Manifold:
    """Return a slot as it is printed: two rails, a trough for the bumps, windows for rollers, and the stop."""
    return on_the_bed(slot_in_place())


def slot_in_place() -> Manifold:
    """Return the slot in place."""
    dims, wall = measures("slot"), measures("shell")["wall"]
    half, goes_in, low = inner_width() / 2, dims["card_goes_in"], under_side()
    body = between((-half - wall, 0, low), (half + wall, goes_in + wall, 0))
    rails = -card_shape().card.thickness - dims["play"]
    body -= between((-half, -1, rails), (half, goes_in, 1))
    trough = half - dims["rail"]
    body -= between((-trough, -1, low + dims["bottom"]), (trough, goes_in, 1))
    body -= wedge((0, rails + 1), (0, rails - LEAD_IN), (LEAD_IN, rails), (LEAD_IN, rails + 1), length=2 * half)
    body += ears(screws(), half, low, 0)
    body -= at(_window(), bump_places(), low - 1)
    return body - at(rod(measures("screw")["m3_hole"], 99), screws(), -50)


def card(code: int = 0) -> Manifold:
    """Return a card at the stop, with the bumps of a *code*."""
    dims, bump = card_shape().card, card_shape().bumps
    flat = plate(dims.width, dims.length, dims.thickness, dims.corner)
    placed = flat.translate((0, measures("slot")["card_goes_in"] - dims.length / 2, -dims.thickness))
    there = [place for number, place in enumerate(bump_places()) if code & 1 << number]
    bumps = at(rod(bump.diameter, bump.height + dims.thickness / 2), there, -dims.thickness - bump.height)
    return placed + bumps


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


def ears(places: Iterable[Place], beside: float, low: float, high: float) -> Manifold:
    """Return the ears that reach from a piece to its screws, without holes. *beside* is half its width."""
    pillar = measures("screw")["pillar"]
    arms = [
        between((min(x, side), y - pillar / 2, low), (max(x, side), y + pillar / 2, high))
        for x, y in places
        for side in [beside if x > 0 else -beside]
    ]
    return Manifold.batch_boolean([*arms, at(rod(pillar, high - low), places, low)], OpType.Add)


def _window() -> Manifold:
    """Return the opening for a roller, with its middle at 0, 0, and for the end of its lever."""
    made, box = measures("microswitch"), measures("switch-box")
    half, round_part = made["body"][1] / 2 + box["well_gap"], made["roller"][0] / 2 + box["end_gap"]
    return between((-half, -2 * made["roller"][0], 0), (half, round_part, 99))


def check() -> None:
    """Raise ``MeasureError`` if a card does not go in, cannot be taken out, or misses the switches."""
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
