"""A coupon to print first: what has to fit, in half an hour and with a few grams of plastic."""

from __future__ import annotations

from build123d import Plane, Pos, Rot

from hardware.making.cad.mechanism import dovetail, rail, shaft
from hardware.making.cad.solids import FAR, Solid, at, block, countersunk, prism, rod, teardrop
from hardware.making.housings.measures import measures
from reboard.cards.sheet import card_shape

DEEP, HIGH = 26.0, 10.0
FRONT, BACK = -6.0, 6.0
COLUMNS = (-31.0, -21.0, -11.0, 1.0, 10.0, 18.0)
LONG = 54.0
INSERT_STEPS = (0.0, 0.1, 0.2)


def coupon() -> Solid:
    """Return the coupon. In front are three holes for an insert, each wider than the one on its left, then the shaft.

    Behind are an M3 screw's hole with its head, the threads that M3 and M2.5 cut, and the cam's spindle. On the right
    are a card's slit, the pin of the switches, and a piece of the lever's rails.
    """
    screw, gap, cam = measures("screw"), measures("printer")["gap"], measures("cam")
    (insert, deep), first = screw["insert"], COLUMNS[:3]
    body = Pos(COLUMNS[0] - 6 + LONG / 2, 0, 0) * block(LONG, DEEP, HIGH)
    for x, more in zip(first, INSERT_STEPS, strict=True):
        body -= Pos(x, FRONT, HIGH - deep) * rod(insert + more, deep)
    body -= countersunk([(first[0], BACK)])
    body -= at(rod(screw["m3_pilot"], FAR), [(first[1], BACK)]) + at(rod(screw["m2_5_pilot"], FAR), [(first[2], BACK)])
    body -= Pos(COLUMNS[3], FRONT, HIGH - cam["socket"]) * shaft(measures("motor")["fit"])
    body -= Pos(COLUMNS[3], BACK, 0) * rod(cam["spindle"] + 2 * cam["gap"], FAR)
    body -= Pos(COLUMNS[4], -2, 2) * block(card_shape().card.thickness + measures("slot")["play"], DEEP - 4, FAR)
    pin = measures("switch-box")["pin"] + 2 * measures("switch-box")["pin_gap"]
    body -= Pos(COLUMNS[5] - 3, 0, HIGH / 2) * Rot(0, 0, 90) * teardrop(pin, 2 * DEEP)
    half = rail(-DEEP / 2, DEEP / 2) - prism(Plane.XZ, dovetail(gap), -DEEP, DEEP)
    return body + Pos(COLUMNS[0] - 6 + LONG - 1 + half.bounding_box().max.X, 0, 0) * half
