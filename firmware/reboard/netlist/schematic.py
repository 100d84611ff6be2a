"""Schematics of subcircuits, drawn with schemdraw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from schemdraw import Drawing, elements
from schemdraw.segments import SegmentText

from reboard.netlist.circuit import RAIL_NAMES, USB, Circuit, Subcircuit, connections, net_label, size_of
from reboard.netlist.hardware_data import GROUND, POWER_3V3, POWER_5V, PartKind

Point = tuple[float, float]
End = tuple[str, str]
"""A terminal: the name of its part, and the label of the terminal."""

INK = "#1d1d1f"
PALE = "#8a8a90"
PAPER = "#ffffff"
RAILS: Mapping[str, str] = {GROUND: "#1d1d1f", POWER_3V3: "#b45f06", POWER_5V: "#b3261e"}

SYMBOLS: Mapping[str, Any] = {
    "resistor": elements.Resistor,
    "led": elements.LED,
    "diode": elements.Diode,
    "button": elements.Button,
    "switch": elements.Switch,
    "motor": elements.Motor,
    "fuse": elements.FuseIEC,
    "capacitor": elements.Capacitor,
    "polarized capacitor": partial(elements.Capacitor, polar=True),
    "battery": elements.Battery,
    "npn": partial(elements.BjtNpn, circle=True),
    "nmos": lambda: elements.NMos(diode=True).scale(1.25),
    "speaker": elements.Speaker,
}
"""The schemdraw symbols, keyed by ``symbol`` in ``parts.toml``. A part with the symbol "module" is drawn as a box."""

SHOWN_BY_VALUE = ("diode", "nmos", "npn", "capacitor", "polarized capacitor")
"""The symbols of parts that the drawing labels with the value printed on them, not with their name."""

SMALL, USUAL, LARGE = 10, 12, 14
"""Font sizes in points. `SMALL` is the smallest one of a sheet."""

LINE_HEIGHT = 0.34
CLEARANCE = 0.12
"""The distance of a label from its symbol or wire, in drawing units."""

TAG_WIDTH = 2.9
PITCH = 0.7
"""The default distance between two terminals of a box, in drawing units."""


def label(
    words: str, at: Point, *, size: float, colour: str = INK, align: str = "center", middle: bool = False
) -> elements.Element:
    """Return a text element. Its baseline is at the point *at*, or its vertical centre if *middle* is true."""
    x, y = at
    at = (x, y - _capital(size) / 2) if middle else at
    element = elements.Element().at(at).theta(0).zorder(10).color(colour)
    element.segments.append(SegmentText((0, 0), words, align=(align, "bottom"), fontsize=size))
    return element


def _capital(size: float) -> float:
    """Return the height of a capital letter of DejaVu Sans, in drawing units of 36 points."""
    return 0.73 * size / 36


NetColour = Callable[[str, str], str]
"""A function that returns the colour of a net, from its name and its usual colour."""


def same_colour(net: str, colour: str) -> str:
    """Return *colour* for every *net*. This is the default `NetColour`."""
    return colour


class Pen:
    """A pen that draws one *subcircuit*. Points are relative to *origin*, the lower left corner of the subcircuit.

    Methods raise ``ValueError`` for a drawing that contradicts the circuit.
    """

    LEFT = 3.2
    """The x coordinate where flags at the left edge end and wires begin."""

    def __init__(
        self,
        drawing: Drawing,
        circuit: Circuit,
        subcircuit: Subcircuit,
        origin: Point,
        *,
        colour: str,
        net_colour: NetColour = same_colour,
    ) -> None:
        self._drawing = drawing
        self._net_colour = net_colour
        self._origin = origin
        self._colour = colour
        self._circuit = circuit
        self.parts = circuit.of_device(subcircuit.label)
        self._ends = {
            (end.part.name, end.terminal): end for end in connections(circuit) if end.part.subcircuit == subcircuit
        }
        self._drawn: set[End] = set()

    def has(self, name: str) -> bool:
        """Return whether the subcircuit has a part with this name."""
        return name in self.parts

    def joined(self, one: End, other: End) -> bool:
        """Return whether two terminals are on the same net."""
        nets = [self.parts[name].nets.get(terminal) for name, terminal in (one, other)]
        return nets[0] is not None and nets[0] == nets[1]

    def goes_to_header(self, name: str, terminal: str) -> bool:
        """Return whether a terminal is wired to a pin of the header."""
        return self._ends[name, terminal].pin is not None

    def part(self, name: str, ends: End, start: Point, end: Point, *, beside: str) -> None:
        """Draw a part with two terminals from *start* to *end*, and its label on the side *beside*.

        *ends* names its terminals, for a check against the circuit. *beside* is ``above``, ``below``,
        ``left`` or ``right``.
        """
        part = self.parts[name]
        symbol = SYMBOLS[part.kind.symbol]().endpoints(self._at(start), self._at(end))
        if set(ends) != set(part.nets):
            raise ValueError(f"{name} has the terminals {list(part.nets)}, not {list(ends)}")
        self._drawing.add(symbol.color(INK))
        self._label_beside(name, symbol, beside)

    def symbol(self, name: str, at: Point, anchor: str, *, beside: str) -> dict[str, Point]:
        """Draw a part with the *anchor* of its symbol at the point *at*. Return all anchors' points, keyed by name."""
        symbol = SYMBOLS[self.parts[name].kind.symbol]()
        placed = self._drawing.add(symbol.at(self._at(at)).theta(0).anchor(anchor).color(INK))
        self._label_beside(name, placed, beside)
        x, y = self._origin
        return {key: (point[0] - x, point[1] - y) for key, point in placed.absanchors.items()}

    def _label_beside(self, name: str, symbol: elements.Element, beside: str) -> None:
        """Label a symbol with the designator of the part *name* and its value: in a line ``above`` or ``below`` it, or
        in two lines on its ``left`` or ``right``.
        """
        part, box = self.parts[name], symbol.get_bbox(transform=True)
        value = size_of(part) or (printed_on(part.kind) if part.kind.symbol in SHOWN_BY_VALUE else name)
        x, y = (box.xmin + box.xmax) / 2, (box.ymin + box.ymax) / 2
        if beside in {"above", "below"}:
            y = box.ymax + CLEARANCE if beside == "above" else box.ymin - CLEARANCE - _capital(USUAL)
            self._drawing.add(label(f"{part.designator} {value}", (x, y), size=USUAL))
            return
        align, x = ("right", box.xmin - CLEARANCE) if beside == "left" else ("left", box.xmax + CLEARANCE)
        for words, line in ((part.designator, 0.5), (value, -0.5)):
            self._drawing.add(label(words, (x, y + line * LINE_HEIGHT), size=USUAL, align=align, middle=True))

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
        """Draw a part as a box. *corner* is its upper left corner, *left* and *right* the terminals on each side."""
        x, y = corner
        width, height = size
        corners = {"corner1": self._at((x, y)), "corner2": self._at((x + width, y - height))}
        self._drawing.add(elements.Rect(**corners).at((0, 0)).theta(0).color(INK))
        part = self.parts[name]
        self.text(printed_on(part.kind), (x + width / 2, y + 0.12), small=True)
        self.text(f"{part.designator} {name}", (x + width / 2, y + 0.12 + LINE_HEIGHT))
        for labels, edge, align in ((left, x + 0.15, "left"), (right, x + width - 0.25, "right")):
            for place, terminal in enumerate(labels):
                if terminal not in part.kind.terminals:
                    raise ValueError(f"{name} has no terminal {terminal}")
                self.text(terminal, (edge, self.row(corner, place, pitch)[1]), small=True, align=align, middle=True)

    def module(
        self,
        name: str,
        corner: Point,
        width: float,
        left: Sequence[str],
        right: Sequence[str] = (),
        *,
        pitch: float = PITCH,
        is_on_header: bool = True,
    ) -> None:
        """Draw a part as a box. The terminals on its *left* go to the header, or only the last one, to ground."""
        self.box(name, corner, (width, 0.35 + pitch * len(left)), left=left, right=right, pitch=pitch)
        for place, terminal in enumerate(left[:-1] if is_on_header else ()):
            self.leads_to((name, terminal), self.row(corner, place, pitch), "left")
        self.ground_beside((name, left[-1]), self.row(corner, len(left) - 1, pitch))

    def key(self, words: str, corner: Point, size: Point, *, row: float, column: float) -> None:
        """Draw the key *words* of a keypad between a *row*, at this y coordinate, and a *column*, at this x coordinate.

        *corner* is its upper left corner.
        """
        (x, y), (width, height) = corner, size
        middle, beside = (x + width / 2, y - height / 2), (x + width, y - height / 2)
        corners = {"corner1": self._at(corner), "corner2": self._at((x + width, y - height))}
        self._drawing.add(elements.Rect(**corners).at((0, 0)).theta(0).color(INK))
        self._lines([(middle[0], row), (middle[0], y)])
        self._lines([beside, (column, beside[1])])
        self.dot((middle[0], row))
        self.dot((column, beside[1]))
        self.text(words, middle, small=True, middle=True)

    @staticmethod
    def row(corner: Point, place: int, pitch: float = PITCH) -> Point:
        """Return the point of the terminal number *place* (from 0) at the left or right edge of a box.

        *corner* is the upper corner of that edge.
        """
        return corner[0], corner[1] - 0.5 - pitch * place

    def wire(self, points: Sequence[Point], *ends: End) -> None:
        """Draw a wire through *points* that connects the terminals *ends*."""
        nets = {self.parts[name].nets[terminal] for name, terminal in ends}
        if len(nets) != 1:
            names = ", ".join(f"{name} {terminal}" for name, terminal in ends)
            raise ValueError(f"these terminals are not on the same net: {names}")
        self._lines(points, self._net_colour(nets.pop(), INK))
        self._drawn.update(ends)

    def _lines(self, points: Sequence[Point], colour: str = INK) -> None:
        for start, end in pairwise(points):
            self._drawing.add(elements.Line().endpoints(self._at(start), self._at(end)).color(colour))

    def net(self, end: End, at: Point, *, align: str = "left") -> None:
        """Draw the name of the net of the terminal *end*, and its voltage, above a wire at the point *at*."""
        name, terminal = end
        words = net_label(self._circuit, self.parts[name].nets[terminal])
        self.text(words, (at[0], at[1] + CLEARANCE), small=True, align=align)

    def dot(self, at: Point) -> None:
        """Draw the dot of a junction of wires."""
        self._drawing.add(elements.Dot(radius=0.06).at(self._at(at)).color(INK))

    def leads_to(self, end: End, at: Point, direction: str) -> None:
        """Draw a ground symbol or a flag at the point *at*, for the header pin to which the terminal *end* is wired.

        A flag points in the *direction* ``left``, ``right`` or ``up``.
        """
        connection = self._ends[end]
        self._drawn.add(end)
        if connection.pin is None:
            raise ValueError(f"{end[0]} {end[1]} is not wired to a pin of the header")
        if connection.net == GROUND:
            ground = elements.Ground().at(self._at(at)).theta(0).color(INK)
            self._drawing.add(ground.label(f"pin {connection.pin}", "bottom", fontsize=SMALL, ofst=0.1))
            return
        words = f"{RAIL_NAMES.get(connection.net, connection.net)} · pin {connection.pin}"
        colour = RAILS.get(connection.net) or self._net_colour(connection.net, self._colour)
        if direction == "up":
            flag = elements.Vdd().at(self._at(at)).theta(0).color(colour)
            self._drawing.add(flag.label(words, "top", fontsize=SMALL, ofst=0.1))
            return
        flag = elements.Tag(width=TAG_WIDTH).theta(180 if direction == "left" else 0).at(self._at(at))
        self._drawing.add(flag.color(colour).label(words, fontsize=SMALL))

    def ground_beside(self, end: End, at: Point) -> None:
        """Draw a ground symbol to the left of the terminal *end* of a box, and a short wire between them."""
        beside = (at[0] - 0.5, at[1])
        self.wire([at, beside], end)
        self.leads_to(end, beside, "down")

    def on_usb(self) -> None:
        """Draw a subcircuit that consists of one part with a USB plug."""
        [name] = self.parts
        self.box(name, (self.LEFT, 1.4), (3.0, 1.0))
        self.text("to USB", (self.LEFT - 0.2, 0.9), small=True, align="right", middle=True)
        self.spare((name, USB))

    def spare(self, *ends: End) -> None:
        """Mark terminals as drawn, so that `finish` accepts them without a wire."""
        self._drawn.update(ends)

    def text(
        self,
        words: str,
        at: Point,
        *,
        small: bool = False,
        align: str = "center",
        middle: bool = False,
        pale: bool = False,
    ) -> None:
        """Draw a text. Its baseline is at the point *at*, or its vertical centre if *middle* is true."""
        size, colour = SMALL if small else USUAL, PALE if pale else INK
        self._drawing.add(label(words, self._at(at), size=size, align=align, middle=middle, colour=colour))

    def finish(self) -> None:
        """Check that every wired terminal is drawn. Raises ``ValueError`` otherwise."""
        if missing := sorted(self._ends.keys() - self._drawn):
            raise ValueError(f"these wired terminals are not drawn: {missing}")

    def _at(self, point: Point) -> Point:
        return self._origin[0] + point[0], self._origin[1] + point[1]


def printed_on(kind: PartKind) -> str:
    """Return the first words of a kind's value, which often are printed on the part: ``IRLZ44N``."""
    return kind.short_value.partition(" with ")[0]
