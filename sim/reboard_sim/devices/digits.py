"""A virtual seven-segment display with one digit or several."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.lamp import VirtualLamp
from reboard_sim.devices.opened import Opening

SEGMENTS = "abcdefg"
POINT = "dp"
TERMINALS = (SEGMENTS,)

SEEN_S = 0.05
"""The time for which the eye still sees a digit after it is dark, in seconds: the digits of a row take turns."""

SHAPES = {
    "": " ", "abcdef": "0", "bc": "1", "abdeg": "2", "abcdg": "3", "bcfg": "4", "acdfg": "5", "acdefg": "6", "abc": "7",
    "abcdefg": "8", "abcdfg": "9", "abcefg": "A", "cdefg": "b", "adef": "C", "bcdeg": "d", "adefg": "E", "aefg": "F",
    "bcefg": "H", "def": "L", "ceg": "n", "cdeg": "o", "abefg": "P", "eg": "r", "defg": "t", "bcdef": "U", "bcdfg": "y",
    "g": "-", "d": "_", "ef": "I", "bcde": "J",
}  # fmt: skip
"""The characters of sets of lit segments."""


class VirtualDigits(VirtualDevice):
    """Digits of seven segments and a point. *segments* has a lamp for each segment, keyed by ``a`` to ``g`` and ``dp``.

    *selects* has the line of each digit from the left, which is lit while its line is high, or none for one digit.
    """

    def __init__(self, segments: Mapping[str, VirtualLamp], selects: Sequence[Line]) -> None:
        self._segments = segments
        self._selects = selects
        self._seen: list[tuple[float, frozenset[str]]] = [(0.0, frozenset())] * (len(selects) or 1)
        for line in (*selects, *(lamp.line for lamp in segments.values())):
            line.on_change.append(self._changed)

    def lit(self) -> list[frozenset[str]]:
        """Return the segments of each digit that a user sees lit."""
        self._changed(now := next(iter(self._segments.values())).line.clock())
        return [segments if now - t <= SEEN_S else frozenset() for t, segments in self._seen]

    @property
    def text(self) -> str:
        """The characters, with ``?`` for an unknown shape."""
        known = (SHAPES.get("".join(sorted(lit - {POINT})), "?") + "." * (POINT in lit) for lit in self.lit())
        return "".join(known).strip()

    def state(self) -> object:
        digits = ["".join(sorted(lit - {POINT})) + "." * (POINT in lit) for lit in self.lit()]
        return {"digits": digits, "text": self.text}

    def shows(self) -> Collection[str]:
        """Return the text, such as ``12.5``, and ``on`` or ``off``."""
        return [self.text, "on" if any(self.lit()) else "off"]

    def _changed(self, t: float, _duty: float = 0.0) -> None:
        lit = frozenset(name for name, lamp in self._segments.items() if lamp.is_on)
        for place in range(len(self._seen)):
            is_selected = not self._selects or self._selects[place].level
            # a digit that is switched off stays in the eye; one without segments is dark for its whole turn
            if is_selected and (lit or not self._selects):
                self._seen[place] = (t, lit)


def opened(opening: Opening, board: VirtualBoard) -> VirtualDigits:
    """Return a display on its pins ``a`` to ``g`` and ``dp``, and ``digit_1``, ``digit_2`` and so on for several."""
    lines = {name: board.pins.line(pin) for name, pin in opening.pins.items()}
    segments = {
        name: VirtualLamp(line, active_high=opening.active_high)
        for name, line in lines.items()
        if name in (*SEGMENTS, POINT)
    }
    return VirtualDigits(segments, [line for name, line in lines.items() if name.startswith("digit_")])
