"""Places in the banker unit, and whether its measures go together.

In place, the middle of its front is at 0, 0, and it stands at height 0.
"""

from __future__ import annotations

from typing import get_args

from hardware.making.housings import vents
from hardware.making.housings.card_slot import Antenna, inner_width, screws, under_side
from hardware.making.housings.measures import measures, require
from hardware.making.housings.places import Place, Rectangle, corners, in_a_disc
from hardware.making.housings.raspberry_pi import Pi
from hardware.making.housings.switch_box import bottom


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


def display_screws() -> list[Place]:
    """Return the places of the display's screws."""
    x, y = measures("unit")["display"]
    return [(x + right, y + up) for right, up in corners(*measures("display")["holes_apart"])]


def speaker_holes() -> list[Place]:
    """Return the places of the holes before the speaker."""
    x, y = measures("unit")["speaker"]
    hole = measures("block")["grille_hole"]
    return [(x + right, y + up) for right, up in in_a_disc(measures("speaker")["diameter"] - 6, hole, 1.6 * hole)]


def panel_openings() -> dict[str, list[Rectangle]]:
    """Return the openings of the panel with straight edges: window, slit, and the signs + and −."""
    dims, gap = measures("unit"), measures("printer")["gap"]
    (bezel_wide, bezel_deep, _), (x, y) = measures("display")["bezel"], dims["display"]
    slit_wide, slit_deep = (size + 2 * gap for size in measures("keypad")["plug"])
    behind_foil = dims["keypad_from_front"] + measures("keypad")["foil"][1]
    (long, wide), place = dims["sign"], dims["sign_from_front"]
    plus, minus = sorted(dims["slots"])
    return {
        "display's window": [(x, y, bezel_wide + 2 * gap, bezel_deep + 2 * gap)],
        "slit of the keypad's plug": [(0, behind_foil + slit_deep / 2, slit_wide, slit_deep)],
        "+": [(plus, place, long, wide), (plus, place, wide, long)],
        "−": [(minus, place, long, wide)],
    }


def check() -> None:
    """Raise ``MeasureError`` if the unit is too small for what is inside."""
    dims, slot, antenna = measures("unit"), measures("slot"), measures("antenna")
    wall, floor, rim = (measures("shell")[name] for name in ("wall", "floor", "rim"))
    gap, pillar, cable_high = measures("printer")["gap"], measures("screw")["pillar"], measures("block")["cable"][1]
    (width, depth, height), (left, right), (long, wide) = dims["outside"], dims["slots"], dims["sign"]
    vents.check_row(vent_row(), "[unit] outside")
    require(abs(left + right) < 1e-6, "[unit] slots have to be as far from the middle on the left as on the right.")
    for name in get_args(Antenna):
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
