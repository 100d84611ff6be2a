"""The cards of the virtual table."""

from __future__ import annotations

DECK = (
    "3A00C41F07",
    "3A00C4B26E",
    "3A00D10A93",
    "3A00D17C58",
    "3A00E835DA",
    "3A00E8A641",
    "3A00F719BC",
    "3A00F7E02D",
)
"""The tags of cards 1 to 8: ten hex digits each, as an EM4100 has. ``DECK[0]`` is card 1."""


def called(card: str) -> str:
    """What a play calls the card with this tag: its number in the deck, or ``tag`` and its own for a stranger."""
    return f"{DECK.index(card) + 1}" if card in DECK else f"tag {card}"
