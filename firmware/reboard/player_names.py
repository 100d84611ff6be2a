"""What a player can be called, whoever says so: the config, or the host of the game."""

from __future__ import annotations

import unicodedata

from reboard.languages import ACCOUNT

LONGEST_NAME = 8
"""A player's name leaves room beside it on a line of the display."""


def must_be(name: str) -> str | None:
    """What a name must be, where *name* is not; ``None`` when it can be shown. The display leaves out accents."""
    without_accents = "".join(unicodedata.normalize("NFKD", character)[0] for character in name)
    can_be_shown = name.isprintable() and without_accents.replace("ß", "").isascii()
    if not 0 < len(name) <= LONGEST_NAME or name != name.strip() or not can_be_shown:
        return f"a name of at most {LONGEST_NAME} characters that the display can show"
    if ACCOUNT.fullmatch(without_accents):
        return "other than the names of bank, pot and cards"
    return None
