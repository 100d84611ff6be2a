"""The pieces and the bought parts of each housing as meshes, in place."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import get_args

from manifold3d import Manifold

from hardware.making.housings import banker_unit, lever, microswitch, switch_box, wobble, worm_apple
from hardware.making.housings.box import Box
from hardware.making.housings.card_slot import bump_places, under_side
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import at, load, rod, union
from hardware.making.housings.pieces import FOLDER
from hardware.making.housings.raspberry_pi import Pi
from reboard.cards.sheet import card_shape


class Placed:
    """The pieces whose STL files are in a *folder*, in the place where they belong in their housing."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self.printed = cache(self._load)

    def _load(self, name: str) -> Manifold:
        return load(self._folder / f"{name}.stl")

    def _turned_over(self, name: str, top: float) -> Manifold:
        return self.printed(name).rotate((180, 0, 0)).translate((0, 0, top))

    def base(self, housing: str, pi: Pi = "pi-zero") -> Manifold:
        """Return the base of a *housing* for a *pi*."""
        return self.printed(f"{housing}-base" if pi == "pi-zero" else f"{housing}-base-{pi}")

    def shell(self, housing: str) -> Manifold:
        """Return the shell of a *housing*, on its base. A box has its slits at the back and on the right."""
        if housing in get_args(Box):
            top = measures(housing)["outside"][2] + measures("shell")["floor"]
            return self.printed(f"{housing}-shell").rotate((0, 180, 0)).translate((0, 0, top))
        top = worm_apple.height() if housing == "apple" else measures(housing)["outside"][2]
        return self._turned_over(f"{housing}-shell", top)

    def slot(self) -> Manifold:
        """Return a slot, at height 0 of its own."""
        return self.printed("unit-slot").translate((0, 0, under_side()))

    def switch_box(self) -> Manifold:
        """Return the box for switches, below a slot."""
        return self.printed("unit-switch-box").translate((0, 0, switch_box.bottom()))

    def antenna_tray(self) -> Manifold:
        """Return the tray for an antenna, below a slot."""
        return self.printed("unit-antenna-tray").translate((0, 0, under_side() - measures("antenna")["height"]))

    def cam(self, turned: float = 0) -> Manifold:
        """Return the cam with the middle of its face at 0, 0, 0. It slopes down towards *turned* degrees from x."""
        return self.printed("apple-cam").translate((0, 0, -wobble.cam_height())).rotate((0, 0, turned))

    def plate(self, turned: float = 0) -> Manifold:
        """Return the wobble plate on the *turned* cam. Its tongue stays on the left."""
        flat = self._turned_over("apple-wobble-plate", measures("cam")["hub"] + measures("cam")["plate"])
        return flat.rotate((0, 0, -turned)).rotate((0, wobble.slope(), 0)).rotate((0, 0, turned))

    def lever(self, pulled: float = 0) -> Manifold:
        """Return the lever, *pulled* so far to the front."""
        top = lever.switch_middle() + measures("lever")["bar"][1] / 2
        return self._turned_over("apple-lever", top).translate((0, -pulled, 0))


def at_the_slots(solid: Manifold) -> Manifold:
    """Return a *solid* of a slot at both slots."""
    return at(solid, [(x, 0) for x in measures("unit")["slots"]], banker_unit.roof())


def card(code: int = 0) -> Manifold:
    """Return a card at the stop of its slot, with the bumps of a *code*."""
    dims, bump = card_shape().card, card_shape().bumps
    x, y = dims.width / 2 - dims.corner, dims.length / 2 - dims.corner
    flat = at(rod(2 * dims.corner, dims.thickness), [(-x, -y), (-x, y), (x, -y), (x, y)]).hull()
    placed = flat.translate((0, measures("slot")["card_goes_in"] - dims.length / 2, -dims.thickness))
    there = [place for number, place in enumerate(bump_places()) if code & 1 << number]
    bumps = at(rod(bump.diameter, bump.height + dims.thickness / 2), there, -dims.thickness - bump.height)
    return placed + bumps


def switches(part: Manifold, *, lifted: float = 0) -> Manifold:
    """Return one *part* of all three switches below a slot, with the rollers *lifted* by their screws."""
    y, z = switch_box.pin()
    angle = math.degrees(math.asin(lifted / measures("microswitch")["roller_from_hole"]))
    return at(part.rotate((angle, 0, 0)), [(x, y) for x, _ in bump_places()], z)


def lever_switch(part: Manifold) -> Manifold:
    """Return a *part* of the lever's switch: it lies on its side, with its roller to the bar."""
    x, y = lever.switch_place()
    return part.rotate((0, -90, 0)).mirror((0, 1, 0)).translate((x, y, lever.switch_middle()))


def worms(turned: float = 0) -> Manifold:
    """Return all worms on the plate of a *turned* cam."""
    standing = rod(*measures("apple")["worm"])
    polar = [(math.hypot(x, y), math.degrees(math.atan2(y, x))) for x, y in worm_apple.holes()]
    lifts = [worm_apple.cam_height() + wobble.plate_height(away, around, turned) for away, around in polar]
    return union(standing.translate((x, y, up)) for (x, y), up in zip(worm_apple.holes(), lifts, strict=True))


def switch() -> Manifold:
    """Return a whole switch that has just clicked."""
    clicks = measures("microswitch")["operates_at"]
    return union([microswitch.body(), microswitch.terminals(), microswitch.lever(clicks), microswitch.roller(clicks)])
