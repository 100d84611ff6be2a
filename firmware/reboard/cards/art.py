"""What is on a card: its number, an arrow, waves as on banknotes, a name, and marks for who builds it. All our own."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from reportlab.lib.colors import Color, HexColor, white
from reportlab.lib.units import mm

from reboard.cards.shape import WEIGHTS, Shape

COLOURS = ("#1a56b0", "#b3261e", "#1b6e3c", "#b45f06", "#6a2c91", "#00666f", "#8a1c5b")
"""One a card. On paper without colour cards are told by their numbers and their waves."""

BOLD, PLAIN = "Helvetica-Bold", "Helvetica"
WAVES = 15


class Face(NamedTuple):
    """One side of a card on a canvas, its lower left corner at 0, 0 and its upper edge up. Lengths are points."""

    canvas: Any
    shape: Shape
    number: int

    @property
    def width(self) -> float:
        """Of the card."""
        return float(self.shape.card.width * mm)

    @property
    def length(self) -> float:
        """Of the card."""
        return float(self.shape.card.length * mm)

    @property
    def colour(self) -> Color:
        """The card's own."""
        return HexColor(COLOURS[self.number - 1])


def draw_front(face: Face, name: str) -> None:
    """The side that is looked at: number, arrow and *name*."""
    canvas, middle = face.canvas, face.width / 2
    _draw_ground(face)
    _draw_arrow(face, face.length - 24 * mm, 12 * mm)
    canvas.setFillColor(white)
    canvas.setFont(BOLD, 78)
    canvas.drawCentredString(middle, 24 * mm, str(face.number))
    canvas.setFont(BOLD, 13)
    canvas.drawCentredString(middle, 14 * mm, name)
    canvas.setFont(PLAIN, 7)
    canvas.drawCentredString(middle, 7 * mm, "reboard bank")


def draw_back(face: Face) -> None:
    """The side with the bumps: where to put them, and where the sticker is inside."""
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
    height = face.length - shape.bumps.from_upper_edge * mm
    bumps = shape.bumps.of(face.number)
    for weight, place in zip(WEIGHTS, shape.bumps.places, strict=True):
        canvas.circle(middle + place * mm, height, shape.bumps.diameter / 2 * mm, fill=int(place in bumps))
        canvas.setFillColor(face.colour)
        canvas.drawCentredString(middle + place * mm, height - 6 * mm, str(weight))
    canvas.drawCentredString(middle, height - 10 * mm, "a bump on each filled spot")
    canvas.setFont(BOLD, 20)
    canvas.drawCentredString(middle, 8 * mm, str(face.number))


def _draw_ground(face: Face) -> None:
    """The card's colour, and waves that are each card's own."""
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
    """An arrow to the edge that goes in first."""
    canvas, middle = face.canvas, face.width / 2
    path = canvas.beginPath()
    corners = ((-0.2, 0), (-0.2, 0.5), (-0.5, 0.5), (0, 1), (0.5, 0.5), (0.2, 0.5), (0.2, 0))
    for number, (x, y) in enumerate(corners):
        (path.lineTo if number else path.moveTo)(middle + x * size, foot + y * size)
    path.close()
    canvas.setFillColor(white)
    canvas.drawPath(path, stroke=0, fill=1)
