"""Where the carrier board has room: on a Pi's header in a banker unit that is a little higher."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from build123d import import_step
from manifold3d import Manifold

from hardware.making.builds import HARDWARE
from hardware.making.cad import build
from hardware.making.housings.banker_unit import pi_place
from hardware.making.housings.inside import Things, in_every_unit, what_reads_cards
from hardware.making.housings.measures import measures
from hardware.making.housings.meshes import TOUCHING_MM3, between, shared_mm3, union
from hardware.making.housings.placed import Placed
from tests.hardware.housings.changing import housings_with

CARRIED = {"solder board", "amplifier", "Pi", "breadboard"}
"""What is on the board or below it, and what it replaces."""

ROOM = {"unit.outside.2": 62.0, "unit.pi.0": 25.5}
"""A unit 12 mm higher, and its Pi to the left, as the board's page says."""

PLUG, AMPLIFIER = 6.0, 20.0

HEADER = 11.0
"""Millimetres between the boards of a Pi and of a carrier on its header: 8.5 mm of socket on pins of 2.5 mm."""


def outline() -> dict[str, Any]:
    """The board's room, with its upper left corner at 0, 0 and y downwards."""
    return tomllib.loads((HARDWARE / "board" / "outline.toml").read_text(encoding="utf-8"))


def exported() -> Manifold:
    """A box around each solid of the STEP file, whose left back corner is at 0, 0, moved so that the front one is."""
    found = [solid.bounding_box() for solid in import_step(HARDWARE / "board" / "reboard-carrier.step").solids()]
    return union(between(tuple(box.min), tuple(box.max)) for box in found).translate((0, outline()["size"][1], 0))


def whole_board() -> Manifold:
    """The board's STEP file, and a box for each plug and for the amplifier on it."""
    said = outline()
    top = said["thickness"]
    parts = [exported()]
    for plug in said["connector"]:
        if "above" in plug:
            x, y = plug["at"][0], said["size"][1] - plug["at"][1]
            along = (plug["pitch"] * plug["pins"] + PLUG) / 2 if plug["pins"] else AMPLIFIER / 2
            across = PLUG if plug["pins"] else AMPLIFIER / 2
            dx, dy = (along, across) if plug["turn"] in (0, 180) else (across, along)
            parts.append(between((x - dx, y - dy, top), (x + dx, y + dy, top + plug["above"])))
    return union(parts)


def others(pieces: Placed) -> Things:
    inside = {**in_every_unit(pieces, "pi-zero"), **what_reads_cards(pieces, "pi-zero", "rc522")}
    return {name: thing for name, thing in inside.items() if name not in CARRIED}


def placed_board() -> Manifold:
    """The board in the unit, above its Pi, whose sockets point to the back."""
    said, dims, (x, y) = outline(), measures("pi-zero"), pi_place("pi-zero")
    low = measures("shell")["floor"] + dims["standoff"] + dims["board"] + HEADER
    turned = whole_board().translate((-said["pi"][0], said["pi"][1] - said["size"][1], 0)).rotate((0, 0, 180))
    return turned.translate((x + dims["width"] / 2, y - dims["depth"] / 2, low))


def in_its_way(board: Manifold, things: Things) -> list[str]:
    return [name for name, thing in things.items() if shared_mm3(board, thing.solid) > TOUCHING_MM3]


def test_the_step_file_has_the_size_of_the_outline() -> None:
    wide, deep = outline()["size"]
    left, front, low, right, back, _ = exported().bounding_box()
    assert (left, front, low, right, back) == pytest.approx((0, 0, 0, wide, deep), abs=0.1)


def test_in_the_unit_as_it_is_the_shell_is_in_its_way() -> None:
    assert "shell" in in_its_way(placed_board(), others(Placed()))


def test_it_has_room_in_a_unit_that_is_a_little_higher(tmp_path: Path) -> None:
    with housings_with(ROOM):
        for name in ("unit-shell", "unit-base", "unit-slot", "unit-antenna-tray"):
            build.export(build.MAKERS[name](), tmp_path / name)
        assert in_its_way(placed_board(), others(Placed(tmp_path))) == []
