"""What a player can be called."""

from __future__ import annotations

import pytest

from reboard.player_names import must_be


@pytest.mark.parametrize("name", ["Anna", "Zoë", "Großpapa", "Jo 2", "X", "12345678", "Bankräub"])
def test_a_short_name_that_the_display_can_show_is_fine(name: str) -> None:
    assert must_be(name) is None


@pytest.mark.parametrize(
    "name", ["", "Gwendolyn", " Anna", "Anna ", "安娜", "An\nna", "An\x00na", "\ud800", "\u200bAnna"]
)
def test_what_the_display_cannot_show_is_none(name: str) -> None:
    assert must_be(name) == "a name of at most 8 characters that the display can show"


@pytest.mark.parametrize("name", ["BANK", "bank", "Bänk", "Pot", "Card 5", "KARTE 1", "card12"])
def test_nobody_is_called_as_the_bank_or_a_card_is(name: str) -> None:
    assert must_be(name) == "other than the names of bank, pot and cards"
