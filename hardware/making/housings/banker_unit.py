"""The banker unit: a shell with the panel, and a base that carries the Pi and most of the front.

In place, the middle of its front is at 0, 0, and it stands at height 0.
"""

from __future__ import annotations

from typing import get_args

from manifold3d import Manifold, OpType

from hardware.making.housings import vents
from hardware.making.housings.card_slot import bump_places, inner_width, screws, under_side
from hardware.making.housings.measures import measures, require
from hardware.making.housings.raspberry_pi import Pi, on_feet
from hardware.making.housings.screws import countersunk
from hardware.making.housings.solids import (
    Place,
    at,
    between,
    block,
    corners,
    in_a_disc,
    plate,
    rod,
    upside_down,
    wedge,
)
from hardware.making.housings.switch_box import bottom


def shell() -> Manifold:
    """Return the shell, lying on its panel as it is printed."""
    return upside_down(shell_in_place())


def shell_in_place() -> Manifold:
    """Return the shell in place. Its front is open below the slots, where the base closes it."""
    dims, made = measures("unit"), measures("shell")
    height = dims["outside"][2]
    wall, floor, inside = made["wall"], made["floor"], panel()
    body = (outline(0, height) - outline(wall, inside)).trim_by_plane((0, 0, 1), floor)
    opening = front_opening()
    body -= between((-opening / 2, -1, 0), (opening / 2, wall + 1, roof()))
    body += _pillars() + _ribs() + _display_pillars()
    body -= at(rod(measures("screw")["m3_pilot"], 12), base_screws(), floor)
    slot_thread = at(rod(measures("screw")["m3_pilot"], inside - roof() + floor - 0.8), slot_screws(), roof())
    display_thread = at(rod(measures("screw")["m2_5_pilot"], 99), _display_screws(), panel() + floor / 2 - 99)
    cut = [solid for solids in panel_openings().values() for solid in solids]
    openings = Manifold.batch_boolean(cut, OpType.Add).translate((0, 0, roof() - 1))
    slits = vents.slits(vent_row()).translate((0, dims["outside"][1] - wall / 2, 0))
    return body - slot_thread - display_thread - openings - slits - _cable(floor)


def base(pi: Pi = "pi-zero") -> Manifold:
    """Return the base with feet for a *pi*, as it is printed and as it stands."""
    made, screw = measures("shell"), measures("screw")
    wall, floor, gap = made["wall"], made["floor"], measures("printer")["gap"]
    body = outline(0, floor)
    rim = outline(wall + gap, floor + made["rim"]) - outline(2 * wall + gap, 99)
    rim -= at(rod(screw["pillar"] + 6, 99), base_screws())
    body += rim
    half, top = front_opening() / 2 - gap, roof() + under_side() - gap
    body += between((-half, 0, 0), (half, wall, top))
    between_slots = min(abs(x) for x in measures("unit")["slots"]) - inner_width() / 2 - wall - gap
    body += between((-between_slots, 0, 0), (between_slots, wall, roof() - gap))
    for side in (-1, 1):
        gusset = wedge((0, floor), (wall + top / 3, floor), (wall, floor + top / 3), (0, floor + top / 3), length=wall)
        body += gusset.translate((side * half / 2, 0, 0))
    body = on_feet(body, pi, pi_place(pi), floor)
    body -= countersunk(base_screws())
    return body - _cable(floor)


def pi_place(pi: Pi) -> Place:
    """Return the middle of a *pi*, with room behind it for the plug of its supply."""
    dims = measures("unit")
    x, plug = dims["pi"]
    return x, float(dims["outside"][1] - measures("shell")["wall"] - plug - measures(pi)["depth"] / 2)


def panel() -> float:
    """Return the height of the panel's inner side."""
    return float(measures("unit")["outside"][2] - measures("shell")["floor"])


def roof() -> float:
    """Return the height of the ribs that cards slide along."""
    return panel() - float(measures("slot")["below_panel"])


def at_the_slots(solid: Manifold) -> Manifold:
    """Return a *solid* of a slot at both slots."""
    placed = [solid.translate((x, 0, roof())) for x in measures("unit")["slots"]]
    return Manifold.batch_boolean(placed, OpType.Add)


def front_opening() -> float:
    """Return the width of the opening in the front of the shell."""
    slots, gap = measures("unit")["slots"], measures("printer")["gap"]
    return float(max(slots) - min(slots) + inner_width() + 2 * (measures("shell")["wall"] + gap))


def vent_row() -> vents.Row:
    """Return the row of slits in the back."""
    made, width = measures("shell"), measures("unit")["outside"][0]
    low = made["floor"] + max(measures("block")["cable"][1], made["rim"]) + 3
    return width - 2 * (2 * made["wall"] + measures("screw")["pillar"]), low, panel() - 3


def slot_screws() -> list[Place]:
    """Return the places of the screws that hold the slots to the panel."""
    return [(middle + x, y) for middle in measures("unit")["slots"] for x, y in screws()]


def base_screws() -> list[Place]:
    """Return the places of the screws that hold the base to the shell."""
    width, depth, _ = measures("unit")["outside"]
    from_edge = 2 * (measures("shell")["wall"] + measures("screw")["pillar"] / 2)
    return [(x, y + depth / 2) for x, y in corners(width - from_edge, depth - from_edge)]


def outline(less: float, height: float) -> Manifold:
    """Return a plate with the unit's outline, smaller by *less* on each side."""
    width, depth, _ = measures("unit")["outside"]
    flat = plate(width - 2 * less, depth - 2 * less, height, measures("shell")["corner"] - less)
    return flat.translate((0, depth / 2, 0))


def _pillars() -> Manifold:
    pillar, floor = measures("screw")["pillar"], measures("shell")["floor"]
    standing = at(rod(pillar, panel() - floor), base_screws(), floor) ^ outline(0, 99)
    return standing + at(rod(pillar, panel() - roof()), slot_screws(), roof())


def _ribs() -> Manifold:
    dims, wall = measures("slot"), measures("shell")["wall"]
    half, low, high = inner_width() / 2, roof(), panel()
    end = dims["card_goes_in"] + wall
    edge = between((-wall, 0, low), (wall, end, high))
    places = [wall - half, half - wall, *(x for x, _ in bump_places())]
    one_slot = [edge.translate((x, 0, 0)) for x in places]
    mouth = between((-front_opening() / 2, 0, low), (front_opening() / 2, wall, high))
    placed = [rib.translate((middle, 0, 0)) for middle in measures("unit")["slots"] for rib in one_slot]
    return Manifold.batch_boolean([*placed, mouth], OpType.Add)


def _display_pillars() -> Manifold:
    dims = measures("display")
    high = dims["bezel"][2] - measures("shell")["floor"]
    return at(rod(dims["pillar"], high), _display_screws(), panel() - high)


def _display_screws() -> list[Place]:
    x, y = measures("unit")["display"]
    return [(x + right, y + up) for right, up in corners(*measures("display")["holes_apart"])]


def panel_openings() -> dict[str, list[Manifold]]:
    """Return the openings of the panel, extended far upwards: window, slit, speaker, and the signs + and −."""
    dims, gap = measures("unit"), measures("printer")["gap"]
    (bezel_wide, bezel_deep, _), (x, y) = measures("display")["bezel"], dims["display"]
    window = block(bezel_wide + 2 * gap, bezel_deep + 2 * gap, 99).translate((x, y, 0))
    slit_wide, slit_deep = (size + 2 * gap for size in measures("keypad")["plug"])
    behind_foil = dims["keypad_from_front"] + measures("keypad")["foil"][1]
    slit = block(slit_wide, slit_deep, 99).translate((0, behind_foil + slit_deep / 2, 0))
    hole = measures("block")["grille_hole"]
    speaker_x, speaker_y = dims["speaker"]
    places = in_a_disc(measures("speaker")["diameter"] - 6, hole, 1.6 * hole)
    grille = at(rod(hole, 99), [(x + speaker_x, y + speaker_y) for x, y in places])
    long, wide = dims["sign"]
    plus, minus = sorted(dims["slots"])
    place = dims["sign_from_front"]
    return {
        "display's window": [window],
        "slit of the keypad's plug": [slit],
        "speaker's holes": [grille],
        "+": [block(*size, 99).translate((plus, place, 0)) for size in ((long, wide), (wide, long))],
        "−": [block(long, wide, 99).translate((minus, place, 0))],
    }


def _cable(floor: float) -> Manifold:
    wide, high = measures("block")["cable"]
    depth, wall = measures("unit")["outside"][1], measures("shell")["wall"]
    return block(wide, 8 * wall, high).translate((measures("unit")["pi"][0], depth, floor))


def check() -> None:
    """Raise ``MeasureError`` if the unit is too small for what is inside."""
    dims, slot, antenna = measures("unit"), measures("slot"), measures("antenna")
    wall, floor, rim = (measures("shell")[name] for name in ("wall", "floor", "rim"))
    gap, pillar, cable_high = measures("printer")["gap"], measures("screw")["pillar"], measures("block")["cable"][1]
    (width, depth, height), (left, right), (long, wide) = dims["outside"], dims["slots"], dims["sign"]
    vents.check_row(vent_row(), "[unit] outside")
    require(abs(left + right) < 1e-6, "[unit] slots have to be as far from the middle on the left as on the right.")
    for name in ("coil", "pn532"):
        require(
            right - left >= antenna["apart"] + antenna[name][0],
            f"the antennas disturb each other. Move [unit] slots apart, or decrease [antenna] apart or {name}.",
        )
    require(
        right >= 1 + inner_width() / 2 + wall + gap,
        "the slots touch. Move [unit] slots apart, or decrease [slot] play_beside, [shell] wall or [printer] gap.",
    )
    require(
        width >= 2 * right + inner_width() + 4 * wall + 2 * gap + 2 * pillar
        and width >= 2 * right + 2 * max(abs(x) for x, _ in screws()) + pillar + 2 * wall,
        "the slots and their screws are too wide for the unit. Increase the first number of [unit] outside, or move "
        "slots or [slot] screws to the middle, or decrease [slot] play_beside, [screw] pillar, [shell] wall or "
        "[printer] gap.",
    )
    for pi in get_args(Pi):
        require(
            depth >= slot["card_goes_in"] + measures(pi)["depth"] + dims["pi"][1] + 2 * wall,
            "a Pi does not go behind the slots. Increase the second number of [unit] outside, or decrease "
            f"[slot] card_goes_in, [{pi}] depth, [unit] pi or [shell] wall.",
        )
    inside = height - 2 * floor - slot["below_panel"]
    require(
        inside >= -bottom(),
        "a switch box is too high for the unit. Increase the third number of [unit] outside, or decrease "
        "[slot] below_panel, [switch-box] bridge or [shell] floor.",
    )
    require(
        inside >= antenna["height"] - under_side(),
        "an antenna tray is too high for the unit. Increase the third number of [unit] outside, or decrease "
        "[slot] below_panel, [antenna] height or [shell] floor.",
    )
    require(
        inside >= 5 + gap - under_side(),
        "the front below the slots is less than 5 mm high. Increase the third number of [unit] outside, or decrease "
        "[slot] below_panel, [printer] gap or [shell] floor.",
    )
    require(height <= 90, "the unit is higher than 90 mm. Decrease the third number of [unit] outside.")
    require(height >= 4 * rim, "the rim reaches too far in. Decrease [shell] rim or increase [unit] outside.")
    require(
        height >= 2 * cable_high + 2 * floor,
        "the cable's hole is higher than the unit's wall. Decrease [block] cable or [shell] floor, or increase "
        "[unit] outside.",
    )
    require(
        wide >= 0.8 and long >= 1 + wide,
        "the + and the − look the same. Increase the first number of [unit] sign; the second is 0.8 or more.",
    )
    require(
        dims["sign_from_front"] >= 1 + long / 2,
        "the + and the − are not in the panel. Increase [unit] sign_from_front or decrease sign.",
    )
