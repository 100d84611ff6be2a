"""Sheets of cards: each card's two sides meet at a fold, so that paper printed on one side becomes a card with two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from reportlab.lib.colors import black
from reportlab.lib.pagesizes import A4, LETTER, landscape
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from reboard.cards.art import PLAIN, Face, draw_back, draw_front
from reboard.cards.shape import card_shape

PAPERS = {"a4": landscape(A4), "letter": landscape(LETTER)}
"""Width and height, in points, of the papers that there are."""

MARGIN = 6 * mm
"""What no printer reaches."""

RULER_MM = 50
HOW = (
    "Print at 100 %, on one side: the ruler is {ruler} mm long. Cut along the lines, fold at the dashes with the "
    "sticker inside, glue, film on both sides, and set the bumps if your slots feel them."
)


def cards_pdf(names: Sequence[str], paper: str) -> bytes:
    """A card for each of *names*, which may be ``""``: numbers 1, 2, … on as many sheets of *paper* as it takes."""
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
        # turned by half, so that both sides have their upper edge at the same end when it is folded
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
