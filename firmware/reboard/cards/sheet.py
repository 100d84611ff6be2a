"""Player cards for printing: their shape, their artwork and the sheets as a PDF."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Any, NamedTuple

from reportlab.lib.colors import Color, HexColor, black, white
from reportlab.lib.pagesizes import A4, LETTER, landscape
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

WEIGHTS = (1, 2, 4)
"""The values of the three places for bumps. The code of a card is the sum of the values of its bumps."""

LAST_WITH_BUMPS = sum(WEIGHTS)
"""The last card that slots with switches can read: three places have seven codes with at least one bump."""


@dataclass(frozen=True, slots=True)
class Card:
    """The size of a card, with its corner radius, in mm. The upper edge enters the slot first."""

    width: float
    length: float
    corner: float
    thickness: float


@dataclass(frozen=True, slots=True)
class Sticker:
    """The diameter of the RFID sticker and the distance of its centre from the upper edge of the card, in mm.

    The sticker is on the middle line of the card.
    """

    diameter: float
    from_upper_edge: float


@dataclass(frozen=True, slots=True)
class Bumps:
    """The positions and the size of the bumps, in mm. *places* are the distances from the middle line of the card."""

    places: Sequence[float]
    from_upper_edge: float
    diameter: float
    height: float

    def of(self, code: int) -> list[float]:
        """Return the entries of *places* that have a bump for a *code* from 1 to 7."""
        return [place for weight, place in zip(WEIGHTS, self.places, strict=True) if code & weight]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a card: its size, its sticker and its bumps."""

    card: Card
    sticker: Sticker
    bumps: Bumps


@cache
def card_shape() -> Shape:
    """Read the shape of a card from ``cards.toml``."""
    data = tomllib.loads(resources.files("reboard.cards").joinpath("cards.toml").read_text(encoding="utf-8"))
    return Shape(Card(**data["card"]), Sticker(**data["sticker"]), Bumps(**data["bumps"]))


COLOURS = ("#d6322c", "#b85c00", "#7d7200", "#1f8434", "#007f8c", "#2a6fe3", "#8d4ee0", "#cf2f86")
"""The colours of the cards, as the pages show them. In black and white, the cards differ in their numbers and waves."""

BOLD, PLAIN = "Helvetica-Bold", "Helvetica"
WAVES = 15


class Face(NamedTuple):
    """One side of a card on a canvas. The origin is the lower left corner. Lengths are in points."""

    canvas: Any
    shape: Shape
    number: int

    @property
    def width(self) -> float:
        return float(self.shape.card.width * mm)

    @property
    def length(self) -> float:
        return float(self.shape.card.length * mm)

    @property
    def colour(self) -> Color:
        return HexColor(COLOURS[self.number - 1])


def draw_front(face: Face, name: str) -> None:
    """Draw the front of a card: the number, the arrow and the *name* of the player."""
    canvas, middle = face.canvas, face.width / 2
    _draw_background(face)
    _draw_arrow(face, face.length - 24 * mm, 12 * mm)
    canvas.setFont(BOLD, 78)
    canvas.drawCentredString(middle, 24 * mm, str(face.number))
    canvas.setFont(BOLD, min(13, (face.width - 6 * mm) / max(1, canvas.stringWidth(name, BOLD, 1))))
    canvas.drawCentredString(middle, 14 * mm, name)
    canvas.setFont(PLAIN, 7)
    canvas.drawCentredString(middle, 7 * mm, "reboard bank")


def draw_back(face: Face) -> None:
    """Draw the back of a card: the number, and the places of the bumps and of the sticker."""
    canvas, shape, middle = face.canvas, face.shape, face.width / 2
    canvas.setStrokeColor(face.colour)
    canvas.setFillColor(face.colour)
    sticker = face.length - shape.sticker.from_upper_edge * mm
    canvas.setLineWidth(0.6)
    canvas.setDash(2, 2)
    canvas.circle(middle, sticker, shape.sticker.diameter / 2 * mm)
    canvas.setDash()
    canvas.setFont(PLAIN, 7)
    canvas.drawCentredString(middle, sticker + 3, "RFID sticker")
    canvas.drawCentredString(middle, sticker - 6, "inside")
    if face.number <= LAST_WITH_BUMPS:
        _draw_bumps(face)
    canvas.setFont(BOLD, 20)
    canvas.drawCentredString(middle, 8 * mm, str(face.number))


def _draw_bumps(face: Face) -> None:
    canvas, bumps, middle = face.canvas, face.shape.bumps, face.width / 2
    height = face.length - bumps.from_upper_edge * mm
    places = bumps.of(face.number)
    for weight, place in zip(WEIGHTS, bumps.places, strict=True):
        canvas.circle(middle + place * mm, height, bumps.diameter / 2 * mm, fill=int(place in places))
        canvas.drawCentredString(middle + place * mm, height - 6 * mm, str(weight))
    canvas.drawCentredString(middle, height - 10 * mm, "a bump on each filled spot")


def _draw_background(face: Face) -> None:
    canvas = face.canvas
    canvas.setFillColor(face.colour)
    canvas.rect(0, 0, face.width, face.length, stroke=0, fill=1)
    canvas.setStrokeColor(Color(1, 1, 1, alpha=0.35))
    canvas.setLineWidth(0.5)
    for wave in range(WAVES):
        path = canvas.beginPath()
        for step in range(101):
            along = step / 100
            turns = math.sin(2 * math.pi * (face.number * along + wave / WAVES))
            across = math.sin(2 * math.pi * (along + wave / WAVES / 2))
            x = face.width * (0.5 + 0.5 * along * turns + 0.15 * (1 - along) * across)
            (path.lineTo if step else path.moveTo)(x, face.length * along)
        canvas.drawPath(path)


def _draw_arrow(face: Face, foot: float, size: float) -> None:
    canvas, middle = face.canvas, face.width / 2
    path = canvas.beginPath()
    corners = ((-0.2, 0), (-0.2, 0.5), (-0.5, 0.5), (0, 1), (0.5, 0.5), (0.2, 0.5), (0.2, 0))
    for number, (x, y) in enumerate(corners):
        (path.lineTo if number else path.moveTo)(middle + x * size, foot + y * size)
    path.close()
    canvas.setFillColor(white)
    canvas.drawPath(path, stroke=0, fill=1)


PAPERS = {"a4": landscape(A4), "letter": landscape(LETTER)}
"""The width and height of each paper size in landscape format, in points."""

MARGIN = 6 * mm
"""The width of the margin where printers cannot print, in points."""

RULER_MM = 50
HOW = (
    "Print at 100 % on one side: this ruler must be {ruler} mm long. Cut along the solid lines. Fold along the dashed "
    "line with the sticker inside. Glue, laminate both sides, and add the bumps if your slots have switches."
)


def cards_pdf(names: Sequence[str], paper: str) -> bytes:
    """Return a PDF with a card for each of *names*, numbered from 1. *paper* is a key of `PAPERS`."""
    page = PAPERS[paper]
    file = BytesIO()
    canvas = Canvas(file, pagesize=page, invariant=1)
    canvas.setTitle("Bank cards")
    canvas.setAuthor("reboard")
    card = card_shape().card
    in_a_row = int((page[0] - 2 * MARGIN) // (card.width * mm))
    for first in range(0, len(names), in_a_row):
        row = names[first : first + in_a_row]
        _draw_row(canvas, page, first + 1, row)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw_row(canvas: Any, page: tuple[float, float], first: int, names: Sequence[str]) -> None:
    shape = card_shape()
    width, length = shape.card.width * mm, shape.card.length * mm
    left, fold = (page[0] - width * len(names)) / 2, page[1] / 2 + 4 * mm
    for place, name in enumerate(names):
        x = left + place * width
        face = Face(canvas, shape, first + place)
        with _card_at(canvas, x, fold, width, length):
            draw_front(face, name)
        # turned by 180°, so that the upper edges meet when the card is folded
        with _card_at(canvas, x + width, fold, width, length, turned=True):
            draw_back(face)
        canvas.setStrokeColor(black)
        canvas.setLineWidth(0.4)
        canvas.rect(x, fold - length, width, 2 * length)
        canvas.setDash(3, 3)
        canvas.line(x, fold, x + width, fold)
        canvas.setDash()
    _draw_how(canvas, 2 * MARGIN, fold - length - 5 * mm)


@contextmanager
def _card_at(canvas: Any, x: float, y: float, width: float, length: float, *, turned: bool = False) -> Iterator[None]:
    canvas.saveState()
    canvas.translate(x, y)
    if turned:
        canvas.rotate(180)
    outline = canvas.beginPath()
    outline.rect(0, 0, width, length)
    canvas.clipPath(outline, stroke=0)
    yield
    canvas.restoreState()


def _draw_how(canvas: Any, x: float, y: float) -> None:
    canvas.setFillColor(black)
    canvas.line(x, y, x + RULER_MM * mm, y)
    for end in (x, x + RULER_MM * mm):
        canvas.line(end, y - 1.5 * mm, end, y + 1.5 * mm)
    canvas.setFont(PLAIN, 7)
    canvas.drawString(x + (RULER_MM + 4) * mm, y - 2, HOW.format(ruler=RULER_MM))
