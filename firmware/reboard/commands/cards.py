"""``reboard cards``: bank cards to print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from reboard.cards.shape import MOST_CARDS
from reboard.errors import ReboardError


def print_cards(file: Path, *, paper: str, count: int, names: Sequence[str]) -> None:
    """Write *count* cards, 1 to 7, with the *names* of those who have one, as a PDF for *paper* into *file*.

    Raises `ReboardError` when nothing here can make a PDF.
    """
    try:
        from reboard.cards.sheet import cards_pdf
    except ImportError:
        raise ReboardError(
            "cards need reportlab, which is not installed: sudo apt install python3-reportlab, or, in a virtual "
            f"environment, {sys.executable} -m pip install reportlab"
        ) from None
    if not 1 <= count <= MOST_CARDS:
        raise ReboardError(f"there can be 1 to {MOST_CARDS} cards, not {count}")
    known = [*names, *[""] * count][:count]
    file.write_bytes(cards_pdf(known, paper))
    print(f"{count} cards: {file}")
