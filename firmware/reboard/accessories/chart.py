"""Charts as SVG: the interface of a chart, and functions that draw its common elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from datetime import tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from reboard.graphemes import graphemes
from reboard.record import Record

WIDTHS_PX = (360, 540, 720, 1080)
HEIGHTS_PX = (180, 210, 240, 270, 300, 360)
THEMES = ("light", "dark")
FIRST_WIDE = "\u1100"  # Korean, Chinese, Japanese, emoji
DARK = "(prefers-color-scheme: dark)"


class Look(Record):
    """The look of a chart.

    With a *theme* of ``None``, the browser chooses the theme. A *zone* of ``None`` is the time zone of this machine. A
    chart may ignore *height_px*; with ``None`` it chooses its height.
    """

    width_px: int = 720
    height_px: int | None = None
    theme: str | None = None
    language: str = "en"
    zone: tzinfo | None = None


class Chart(ABC):
    """A chart of an accessory, drawn from the snapshot of the table."""

    empty: str
    """The error message if there is nothing to draw."""

    css: str = ""
    """The CSS of the chart, after the common `style`."""

    request: str | None = None
    """The request on the control socket whose answer `draw` gets in addition to the snapshot, or ``None``."""

    @abstractmethod
    def state(self, snapshot: Mapping[str, Any]) -> Hashable | None:
        """Return a cache key that identifies the data of the chart, or ``None`` if there is nothing to draw."""

    @abstractmethod
    def draw(self, snapshot: Mapping[str, Any], answer: Any, look: Look) -> str | None:
        """Return the chart as SVG, or ``None`` if there is nothing to draw. *answer* is the answer to `request`."""


@cache
def style(theme: str | None, own: str = "") -> str:
    """Return the CSS of all charts and a chart's *own*.

    With a *theme* of ``None``, the colours follow the browser's theme.
    """
    css = (Path(__file__).parent / "chart.css").read_text(encoding="utf-8") + own
    return css if theme is None else css.replace(DARK, "all" if theme == "dark" else "not all")


def escape(words: str) -> str:
    """Return *words* for SVG and HTML."""
    from html import escape  # it takes a millisecond of each start of a table, which draws nothing

    return escape(words)


def svg(look: Look, height: int, title: str, description: str, parts: Sequence[str], css: str = "") -> str:
    """Return a complete SVG document with the elements *parts* and the *css* of a chart.

    Screen readers read *title* and *description*.
    """
    width = look.width_px
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-labelledby="title" aria-describedby="desc"><title id="title">{escape(title)}</title>'
        f'<desc id="desc">{escape(description)}</desc><style>{style(look.theme, css)}</style>'
        f'<rect class="paper" width="{width}" height="{height}"/>{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, classes: str = "") -> str:
    """Return an SVG text element at *x*, with its baseline at *y*, in pixels. *classes* are CSS classes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{escape(words)}</text>'


def width_px(words: str) -> int:
    """Return a generous estimate of the width of a text, in pixels. The browser chooses the font."""
    return sum(map(_letter_px, graphemes(words)))


def _letter_px(letter: str) -> int:
    if letter >= FIRST_WIDE:
        return 18
    return 13 if letter in "MWmw@" else 10 if letter.isupper() else 8
