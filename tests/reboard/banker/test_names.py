"""Who plays with which card."""

from __future__ import annotations

import pytest

from reboard.banker.ledger import Ledger
from reboard.banker.names import Names, given_names, keep_name
from reboard.banker.texts import Text, Texts
from reboard.languages import ACCOUNT, LANGUAGES
from tests.reboard.banker.hand_table import AtTheTable, Play

NAMES = ["Anna", "Gwendola"]


def test_a_name_stands_on_the_other_line_while_its_card_is_in_alone(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 2)
        assert table.lines == ("+2 15M", "Gwendola")
        await table.insert("right", 1)
        assert table.lines == ("+2 15M", "-1 15M")
        await table.remove("left")
        assert table.lines == ("Anna", "-1 15M")
        await table.remove("right")
        await table.insert("right", 3)
        assert table.lines == ("", "-3 15M"), "nobody has said who that is"

    play(hands, names=NAMES)


@pytest.mark.parametrize("what", ["a notice", "a deal", "trouble"])
def test_a_name_gives_way_to_what_matters_more(play: Play, what: str) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        if what == "a notice":
            await table.key("C")
            assert table.lines == ("+1 15M", "NOTHING TO UNDO")
        elif what == "a deal":
            await table.key("DEAL")
            assert table.lines[0] == "+1 15M"
            assert table.display.lines[1].endswith("DEAL")
        else:
            table.unit.show_trouble("speaker")
            assert table.lines == ("+1 15M", "! SPEAKER")

    play(hands, names=NAMES)


def test_the_history_and_the_snapshot_have_the_names(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.type("3M")
        table.keypad.press(".")
        await table.wait(1.1)
        assert table.lines[0] == "1 +3M Gwendola"
        cards = table.unit.snapshot()["cards"]
        assert isinstance(cards, list)
        assert [(card["number"], card["name"]) for card in cards] == [(1, "Anna"), (2, "Gwendola")]

    play(hands, names=NAMES)


def test_what_the_host_says_counts_before_what_the_config_says() -> None:
    names = Names(["Anna", "Ben"], {2: "Bea", 8: "Hal"})
    assert [names.of(card) for card in range(10)] == ["", "Anna", "Bea", "", "", "", "", "", "Hal", ""]
    names.give(2, "")
    names.give(8, "")
    assert [names.of(card) for card in (1, 2, 8)] == ["Anna", "Ben", ""]


def test_no_two_are_alike_whatever_the_config_says_later() -> None:
    names = Names(["Anna", "Ben"], {3: "Anna"})
    assert [names.of(card) for card in (1, 2, 3)] == ["", "Ben", "Anna"]
    assert [names.bearer(name) for name in ("Anna", "Ben", "Cem", "")] == [3, 2, None, None]


def test_names_are_kept_in_the_ledger_and_half_a_name_of_a_damaged_one_is_none(ledger: Ledger) -> None:
    assert given_names(ledger) == {}
    keep_name(ledger, 1, "Zoë")
    keep_name(ledger, 8, "Hal")
    keep_name(ledger, 2, "An\ufffda")
    keep_name(ledger, 1, "Zoe")
    assert given_names(ledger) == {1: "Zoe", 8: "Hal"}
    keep_name(ledger, 1, "")
    assert given_names(ledger) == {8: "Hal"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_bank_and_the_cards_are_called_is_known_to_be_no_players_name(language: str) -> None:
    texts = Texts(language)
    assert ACCOUNT.fullmatch(texts(Text.BANK))
    assert ACCOUNT.fullmatch(texts(Text.POT))
    assert ACCOUNT.fullmatch(texts(Text.CARD, number=5))
