"""The print on the board: each connector's function and pins, the board's name, and that it is untried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

SIZE = 0.8
"""The height of letters in mm, about the smallest that manufacturers print."""
EDGE = 1.15
"""From the board's edge to the middle of a connector's name."""


class Text(NamedTuple):
    """A text, by its middle or, if it is aligned, by its left or right end."""

    text: str
    x: float
    y: float
    turn: float = 0.0
    size: float = SIZE
    align: str = ""


def texts(design: dict[str, Any]) -> Iterator[Text]:
    """Yield what is printed on the upper side of the board."""
    for part in design["parts"]:
        if part["label"]:
            yield from _names(part, design["board"]["size"])
    for text, x, y, turn, size in design["board"]["texts"]:
        yield Text(text, x, y, turn, size)


def _names(part: dict[str, Any], size: tuple[float, float]) -> Iterator[Text]:
    name = f"{part['ref']} {part['label']}"
    if part["label_at"]:
        yield Text(name, *part["label_at"])
    if not part["pins"]:
        return
    (w, h), pitch = size, part["pitch"]
    along = pitch * (part["pins"] - 1) / 2
    dx, dy = {0: (1, 0), 90: (0, -1), 180: (-1, 0), 270: (0, 1)}[int(part["turn"])]
    x, y = part["x"] + dx * along, part["y"] + dy * along
    inside, is_upright = part["inside"], dx and max(map(len, part["names"].values())) > 2
    if not part["label_at"]:
        yield {
            0: Text(name, x, EDGE),
            90: Text(name, EDGE, y, 90),
            180: Text(name, x, h - EDGE),
            270: Text(name, w - EDGE, y, 90),
        }[int(part["turn"])]
    for pad, pin in part["names"].items():
        px, py = part["x"] + dx * pitch * (int(pad) - 1), part["y"] + dy * pitch * (int(pad) - 1)
        if is_upright:  # side by side, longer names would run into each other
            down = part["y"] < h / 2
            yield Text(pin, px, py + (inside - 0.4) * (1 if down else -1), 90, align="right" if down else "left")
        elif dx:
            yield Text(pin, px, py + (inside if part["y"] < h / 2 else -inside))
        elif part["x"] < w / 2:
            yield Text(pin, px + inside, py, align="left")
        else:
            yield Text(pin, px - inside, py, align="right")
