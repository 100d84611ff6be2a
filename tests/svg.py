"""Where the texts of an SVG are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 0.55
"""The width of a letter of DejaVu Sans, in font sizes: about the average of the words in our drawings."""


class Text(NamedTuple):
    """A text, and the box around its capital letters."""

    words: str
    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: Text) -> bool:
        """Return whether two texts overlap."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        return wide > 0.5 and min(self.bottom, other.bottom) - max(self.top, other.top) > 0.5


def disorder(svg: bytes) -> list[str]:
    """Return a line for each text that reaches out of the drawing or overlaps another one."""
    root = ElementTree.fromstring(svg)
    x, y, width, height = map(float, root.get("viewBox", "").split())
    texts = list(_texts(root))
    out = [
        f"{text.words} is cut off"
        for text in texts
        if text.left < x or text.top < y or text.right > x + width or text.bottom > y + height
    ]
    pairs = combinations(texts, 2)
    return out + [f"{one.words} overlaps {other.words}" for one, other in pairs if one.touches(other)]


def _texts(root: ElementTree.Element) -> Iterator[Text]:
    for text in root.iter(f"{SVG}text"):
        words, size = "".join(text.itertext()).strip(), float(text.get("font-size", ""))
        line = text.find(f"{SVG}tspan")
        bottom = float(text.get("y", "")) + (float(line.get("dy", "")) if line is not None else 0)
        width = LETTER * size * len(words)
        left = (
            float(text.get("x", "")) - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
        )
        yield Text(words, left, bottom - 0.73 * size, left + width, bottom)
