"""A slot for a bank card, which is taken in to a stop, face up.

All is where it is in the slot: the middle of its mouth is at 0, 0; the ribs of the panel, which the card slides along,
are at the height 0; the card goes in along the y axis. A card that lies face up has its bumps below, and what is left
on its back is right here.
"""

from __future__ import annotations

from collections.abc import Iterable

from manifold3d import Manifold, OpType

from hardware.making.housings.measures import measures
from hardware.making.housings.solids import Place, at, between, on_the_bed, plate, rod, wedge
from reboard.cards.shape import card_shape

LEAD_IN = 2.0
"""How far the mouth's lower edge slopes."""


def slot() -> Manifold:
    """What carries a card: two rails, a trough for its bumps between them, and the stop. The windows are for rollers.
    It lies as it is printed."""
    return on_the_bed(slot_in_place())


def slot_in_place() -> Manifold:
    """The slot, where it is."""
    said, wall = measures("slot"), measures("shell")["wall"]
    half, goes_in, low = inner_width() / 2, said["card_goes_in"], under_side()
    body = between((-half - wall, 0, low), (half + wall, goes_in + wall, 0))
    rails = -card_shape().card.thickness - said["play"]
    body -= between((-half, -1, rails), (half, goes_in, 1))
    trough = half - said["rail"]
    body -= between((-trough, -1, low + said["bottom"]), (trough, goes_in, 1))
    body -= wedge((0, rails + 1), (0, rails - LEAD_IN), (LEAD_IN, rails), (LEAD_IN, rails + 1), length=2 * half)
    body += ears(screws(), half, low, 0)
    body -= at(_window(), bump_places(), low - 1)
    return body - at(rod(measures("screw")["m3_hole"], 99), screws(), -50)


def card(code: int = 0) -> Manifold:
    """A card at the stop, with the bumps of that *code*."""
    said, bump = card_shape().card, card_shape().bumps
    flat = plate(said.width, said.length, said.thickness, said.corner)
    placed = flat.translate((0, measures("slot")["card_goes_in"] - said.length / 2, -said.thickness))
    there = [place for number, place in enumerate(bump_places()) if code & 1 << number]
    bumps = at(rod(bump.diameter, bump.height + said.thickness / 2), there, -said.thickness - bump.height)
    return placed + bumps


def bump_places() -> list[Place]:
    """Where the bumps that count 1, 2 and 4 are when a card is in."""
    bumps = card_shape().bumps
    return [(-x, measures("slot")["card_goes_in"] - bumps.from_upper_edge) for x in bumps.places]


def sticker_from_mouth() -> float:
    """How far behind the mouth the middle of a card's sticker is when the card is in."""
    return float(measures("slot")["card_goes_in"] - card_shape().sticker.from_upper_edge)


def inner_width() -> float:
    """Between the walls beside a card."""
    return float(card_shape().card.width + 2 * measures("slot")["play_beside"])


def under_side() -> float:
    """The height of the slot's under side, which is below 0."""
    said, shape = measures("slot"), card_shape()
    return -float(shape.card.thickness + shape.bumps.height + said["bump_clearance"] + said["bottom"])


def screws() -> list[Place]:
    """Where the screws are that hold a slot: two in front, and two that hold a switch box as well."""
    return [(x, y) for x, y in measures("slot")["screws"]]


def ears(places: Iterable[Place], beside: float, low: float, high: float) -> Manifold:
    """What reaches from a piece, as wide as *beside* on both sides, to the screws at *places*; without their holes."""
    pillar = measures("screw")["pillar"]
    arms = [
        between((min(x, side), y - pillar / 2, low), (max(x, side), y + pillar / 2, high))
        for x, y in places
        for side in [beside if x > 0 else -beside]
    ]
    return Manifold.batch_boolean([*arms, at(rod(pillar, high - low), places, low)], OpType.Add)


def _window() -> Manifold:
    """What a roller comes through, and the end of its lever: the roller's middle is at 0, 0."""
    made, box = measures("microswitch"), measures("switch-box")
    half, round_part = made["body"][1] / 2 + box["well_gap"], made["roller"][0] / 2 + box["end_gap"]
    return between((-half, -2 * made["roller"][0], 0), (half, round_part, 99))
