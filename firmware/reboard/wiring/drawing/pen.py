"""A pen that draws only what is so: it looks up where each terminal goes, and refuses to join what is not joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from schemdraw import Drawing, elements

from reboard.wiring.circuit import Circuit, Part
from reboard.wiring.connections import RAIL_NAMES, connections, ohms
from reboard.wiring.drawing.colours import ACCESSORIES, INK, PALE, RAILS
from reboard.wiring.pi import GROUND

Point = tuple[float, float]
End = tuple[str, str]
"""A part's name and one of its terminals."""

SYMBOLS: Mapping[str, Any] = {
    "resistor": elements.Resistor,
    "led": elements.LED,
    "diode": elements.Diode,
    "button": elements.Button,
    "switch": elements.Switch,
    "motor": elements.Motor,
    "capacitor": elements.Capacitor,
    "polarized capacitor": partial(elements.Capacitor, polar=True),
    "battery": elements.Battery,
}
TOLD_BY_VALUE = ("diode", "suppression-capacitor", "bulk-capacitor")
"""Kinds of parts whose value is beside them, and not their name: it is what is printed on them."""
SMALL, USUAL, LARGE = 10, 12, 14
LINE_HEIGHT = 0.34
TAG_WIDTH = 2.9
PITCH = 0.7
"""From one terminal of a box to the next."""


def label(
    words: str, at: Point, *, size: float, colour: str = INK, align: str = "center", middle: bool = False
) -> elements.Element:
    """Words, at the middle of their lower edge, or *middle*: of their height."""
    x, y = at
    centred = (x, y - 0.13 * size / USUAL) if middle else at
    element = elements.Label().at(centred).theta(0).zorder(10).color(colour)
    return element.label(words, fontsize=size, halign=align, valign="center" if middle else "bottom", ofst=0)


class Pen:
    """Draws one circuit of *whole* with its lower left corner at *origin*."""

    def __init__(self, drawing: Drawing, whole: Circuit, circuit: str, origin: Point) -> None:
        self._drawing = drawing
        self._origin = origin
        self.parts = {part.name: part for part in whole.parts if part.circuit == circuit}
        self._wires = {
            (wire.part.name, wire.terminal): wire for wire in connections(whole) if wire.part.circuit == circuit
        }
        self._drawn: set[End] = set()

    def has(self, name: str) -> bool:
        """Whether there is a part called *name*."""
        return name in self.parts

    def joined(self, one: End, other: End) -> bool:
        """Whether two terminals are on one wire."""
        wires = [self.parts[name].wires.get(terminal) for name, terminal in (one, other)]
        return wires[0] is not None and wires[0] == wires[1]

    def goes_to_header(self, name: str, terminal: str) -> bool:
        """Whether a terminal is on a wire that the header has."""
        return self._wires[name, terminal].pin is not None

    def printed_on(self, name: str) -> str:
        """What is printed on a part: ``IRLZ44N``."""
        return _first_words(self.parts[name])

    def part(self, name: str, ends: tuple[str, str], start: Point, end: Point, *, beside: str = "top") -> None:
        """A part with two terminals, *ends*, from *start* to *end*."""
        part = self.parts[name]
        symbol = SYMBOLS[part.kind.symbol]().endpoints(self._at(start), self._at(end))
        if set(ends) != set(part.wires):
            raise ValueError(f"{name} has the terminals {list(part.wires)}, not {list(ends)}")
        words = ohms(part.ohm) if part.ohm else _first_words(part) if part.kind.name in TOLD_BY_VALUE else name
        symbol.label(words, beside, fontsize=USUAL, ofst=0.15)
        self._drawing.add(symbol.color(INK))

    def symbol(self, symbol: Any, at: Point, anchor: str) -> dict[str, Point]:
        """A part with more terminals; where each anchor of its *symbol* is."""
        placed = self._drawing.add(symbol.at(self._at(at)).theta(0).anchor(anchor).color(INK))
        x, y = self._origin
        return {key: (point[0] - x, point[1] - y) for key, point in placed.absanchors.items()}

    def box(
        self,
        name: str,
        corner: Point,
        size: Point,
        *,
        left: Sequence[str] = (),
        right: Sequence[str] = (),
        pitch: float = PITCH,
    ) -> None:
        """A part as a box, its upper left *corner* given, its terminals one below the other."""
        x, y = corner
        width, height = size
        corners = {"corner1": self._at((x, y)), "corner2": self._at((x + width, y - height))}
        self._drawing.add(elements.Rect(**corners).at((0, 0)).theta(0).color(INK))
        part = self.parts[name]
        self.text(_first_words(part), (x + width / 2, y + 0.12), size=SMALL)
        self.text(name, (x + width / 2, y + 0.12 + LINE_HEIGHT), size=USUAL)
        for labels, edge, align in ((left, x + 0.15, "left"), (right, x + width - 0.25, "right")):
            for place, label in enumerate(labels):
                if label not in part.kind.terminals:
                    raise ValueError(f"{name} has no terminal {label}")
                self.text(label, (edge, self.row(corner, place, pitch)[1]), size=SMALL, align=align, middle=True)

    @staticmethod
    def row(corner: Point, place: int, pitch: float = PITCH) -> Point:
        """The place of a box's terminal number *place*, from 0, at the edge that *corner* is on."""
        return corner[0], corner[1] - 0.5 - pitch * place

    def wire(self, points: Sequence[Point], *ends: End) -> None:
        """A line through *points* that joins all of *ends*. Raises ``ValueError`` when they are not joined."""
        wires = {self.parts[name].wires[terminal] for name, terminal in ends}
        if len(wires) != 1:
            raise ValueError(f"these are not joined: {', '.join(f'{name} {terminal}' for name, terminal in ends)}")
        for start, end in pairwise(points):
            self._drawing.add(elements.Line().endpoints(self._at(start), self._at(end)).color(INK))
        self._drawn.update(ends)

    def dot(self, at: Point) -> None:
        """Here wires are joined."""
        self._drawing.add(elements.Dot(radius=0.06).at(self._at(at)).color(INK))

    def leads_to(self, end: End, at: Point, direction: str) -> None:
        """Where the header has the wire of *end*: a ground, or a flag that points *direction* (left, right, up)."""
        connection = self._wires[end]
        self._drawn.add(end)
        if connection.pin is None:
            raise ValueError(f"{end[0]} {end[1]} does not go to the header")
        if connection.wire == GROUND:
            ground = elements.Ground().at(self._at(at)).theta(0).color(INK)
            self._drawing.add(ground.label(f"pin {connection.pin}", "bottom", fontsize=SMALL, ofst=0.1))
            return
        words = f"{RAIL_NAMES.get(connection.wire, connection.wire)} · pin {connection.pin}"
        colour = RAILS.get(connection.wire, ACCESSORIES[connection.part.accessory])
        if direction == "up":
            flag = elements.Vdd().at(self._at(at)).theta(0).color(colour)
            self._drawing.add(flag.label(words, "top", fontsize=SMALL, ofst=0.1))
            return
        flag = elements.Tag(width=TAG_WIDTH).theta(180 if direction == "left" else 0).at(self._at(at))
        self._drawing.add(flag.color(colour).label(words, fontsize=SMALL))

    def spare(self, *ends: End) -> None:
        """Terminals whose place in the drawing says already where they go."""
        self._drawn.update(ends)

    def text(
        self,
        words: str,
        at: Point,
        *,
        size: int = USUAL,
        align: str = "center",
        middle: bool = False,
        pale: bool = False,
    ) -> None:
        """Words, at the middle of their lower edge, or *middle*: of their height."""
        colour = PALE if pale else INK
        self._drawing.add(label(words, self._at(at), size=size, align=align, middle=middle, colour=colour))

    def finish(self) -> None:
        """Raises ``ValueError`` when something was left out."""
        if missing := sorted(self._wires.keys() - self._drawn):
            raise ValueError(f"not drawn: {missing}")

    def _at(self, point: Point) -> Point:
        return self._origin[0] + point[0], self._origin[1] + point[1]


def _first_words(part: Part) -> str:
    return part.kind.value.partition(",")[0].partition(" with ")[0]
