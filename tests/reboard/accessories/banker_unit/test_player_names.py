"""The players' names: which are allowed, and what the display shows of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reboard.accessories.banker_unit.accounts import CARDS, Account
from reboard.accessories.banker_unit.player_names import Names, must_be, on_display
from reboard.accessories.banker_unit.texts import Text, display_texts
from reboard.devices.displays.kinds.hd44780_i2c import rom_codes
from reboard.devices.displays.pixel_font import cell
from reboard.languages import Texts, languages
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Anna", "Anna"),
        ("O’Brien", "O'Brien"),
        ("Łukasz", "Lukasz"),
        ("Đorđe", "Dorde"),
        ("Zoë", "Zoë"),
        ("Zoe\u0308", "Zoë"),
        ("Ægir", "AEgir"),
        ("Großmutter Anna", "Großmutt"),
        ("Anna 🦄", "Anna"),
        ("👨‍👩‍👧‍👦" * 20, ""),
        ("Мария", ""),
        ("علی‌رضا", ""),
        ("e\u0301" * 20, "é" * 8),
    ],
)
def test_any_name_that_can_be_printed_is_allowed_and_the_display_shows_its_letters(name: str, shown: str) -> None:
    assert must_be(name) is None
    assert on_display(name) == shown


@pytest.mark.parametrize(
    "name", ["", " Anna", "x" * 21, "👨‍👩‍👧‍👦" * 21, "An\nna", "Anna\u200d", "\u202eAnna", "\u3164", "An\ufffda"]
)
def test_what_is_too_long_or_hidden_is_no_name(name: str) -> None:
    assert str(must_be(name)).startswith("1 to 20 characters")


@pytest.mark.parametrize("language", languages())
def test_the_names_of_accounts_are_no_players_names(language: str) -> None:
    texts = display_texts(language)
    assert all(must_be(texts(account.name)) for account in Account)
    assert all(must_be(Texts(language)(account.label)) for account in Account)  # "die Bank"
    assert must_be(texts(Text.CARD, number=5))
    assert must_be("5")  # "5 > BANK" is card 5


def test_names_that_would_look_alike_on_the_display_are_numbers_there() -> None:
    names = Names(["Großmutter Anna", "Großmutter Berta", "Bank 🏦", "André", "Andre 🦄", "5️⃣", "Ben", "🦄"])
    assert [names.on_display(card) for card in CARDS] == ["", "", "", "", "", "", "Ben", ""]
    assert names.of(1) == "Großmutter Anna"


@given(st.lists(st.text(), max_size=8))
def test_the_display_has_all_letters_of_any_name_and_no_two_are_the_same(texts: list[str]) -> None:
    names = Names(texts)
    shown = [each for each in map(names.on_display, CARDS) if each]
    assert len({each.casefold() for each in shown}) == len(shown)
    for name in shown:
        assert 1 <= len(name) <= 8
        assert {letter for letter in name if rom_codes(letter) == b"?" and cell(letter) == cell("?")} <= {"?"}


@at_table(names=("Anna", "Ben"))
async def test_the_host_gives_a_name_as_phones_type_it(table: AtTheTable) -> None:
    await table.do("insert left 1")
    await table.request("name", card=1, name="Zoé O’Łuk 👨‍👩‍👧‍👦")
    assert table.snapshot["cards"][0]["name"] == "Zoé O’Łuk 👨‍👩‍👧‍👦"
    assert table.lines[1] == "Zoé O'Lu"
