"""Which cards the banker unit takes."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from reboard.banker.ledger import BANK
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import DECK, AtTheTable, Play, table


def test_a_stranger_takes_the_next_free_number_and_the_starting_balance(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        for number, tag in enumerate(("AA", "BB", "CC"), 1):
            await table.insert("left", tag)
            assert table.lines[0] == f"+{number} 15M"
            await table.remove("left")
        await table.insert("left", "AA")
        assert table.lines[0] == "+1 15M"

    play(hands, cards=())


def test_a_strangers_number_is_remembered_through_a_power_cut(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file, cards=()) as before:
            await before.insert("left", "AA")
            await before.insert("right", "BB")
        async with table(ledger_file, cards=()) as after:
            await after.insert("left", "BB")
            assert after.lines[0] == "+2 15M"

    run(main)


def test_the_numbers_of_a_known_deck_are_kept_for_it(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", "STRANGER")
        assert table.lines[0] == "+4 15M"
        await table.remove("left")
        await table.insert("left", 3)
        assert table.lines[0] == "+3 15M"

    play(hands, cards=DECK[:3])


def test_a_stranger_gives_way_when_its_number_becomes_a_known_cards(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file, cards=()) as before:
            await before.insert("left", "AA")
        async with table(ledger_file, cards=DECK[:1]) as after:
            await after.insert("left", 1)
            await after.insert("right", "AA")
            assert after.lines == ("+1 15M", "-2 15M")

    run(main)


def test_a_card_beyond_the_editions_players_is_unknown(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", "STRANGER")
        assert table.told("card.inserted") == [{"slot": "left", "number": None}]
        assert table.told("refused") == [{"why": "unknown card"}]
        assert table.lines == ("UNKNOWN CARD", "INSERT CARD")
        assert table.balances == {}

    play(hands)


def test_a_known_card_beyond_the_editions_players_is_unknown_too(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", "D7")
        assert table.told("refused") == [{"why": "unknown card"}]

    play(hands, cards=(*DECK, "D7", "D8"))


def test_a_refused_card_leaves_its_slot_empty_until_it_is_taken_out(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", "STRANGER")
        await table.insert("left", 1)
        await table.type("1M")
        assert table.lines == ("+1 16M", ""), "the bank paid: nobody is on the right"
        await table.remove("right")
        assert table.told("card.removed") == [{"slot": "right", "number": None}]
        await table.insert("right", 2)
        assert table.lines == ("+1 16M", "-2 15M")

    play(hands)


def test_taking_a_refused_card_out_does_not_drop_what_is_typed_for_the_other(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1.5")
        await table.insert("right", "STRANGER")
        assert table.lines == ("+1 15M       1.5", "UNKNOWN CARD")
        await table.remove("right")
        await table.key("M")
        assert table.lines == ("+1 16.5M", "")

    play(hands)


def test_the_same_card_in_both_slots_is_refused_and_pays_itself_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 1)
        assert table.told("refused") == [{"why": "same card twice"}]
        assert table.lines == ("+1 15M", "SAME CARD")
        await table.type("5M")
        assert table.moved == [(BANK, 1, 5_000_000, "received")]
        await table.remove("left")
        assert table.lines == ("", "-1 20M"), "it was moved, and its reader on the left was slow to miss it"
        assert table.told("card.removed")[-2:] == [{"slot": "left", "number": 1}, {"slot": "right", "number": None}]
        await table.type("5M")
        assert table.moved[1:] == [(1, BANK, 5_000_000, "paid")]

    play(hands)


def test_without_cards_the_title_asks_for_one(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        assert table.lines == ("SUPER MARIO", "INSERT CARD")
        await table.insert("left", 1)
        assert table.lines == ("+1 30", "")
        await table.remove("left")
        assert table.lines == ("SUPER MARIO", "INSERT CARD")

    play(hands, edition="super-mario")


def test_eight_play_where_the_edition_lets_them(play: Play, tmp_path: Path) -> None:
    boxed = (resources.files("reboard.editions") / "classic-de.toml").read_text(encoding="utf-8")
    own = tmp_path / "eight.toml"
    own.write_text(boxed.replace("most = 6", "most = 8"), encoding="utf-8")

    async def hands(table: AtTheTable) -> None:
        for card in range(1, 9):
            await table.insert("left", f"CARD {card}")
            assert table.lines[0] == f"+{card} 1500"
            await table.key("GO")
            await table.remove("left")
        assert table.balances == dict.fromkeys(range(1, 9), 1700)
        await table.insert("left", "A NINTH")
        assert table.refusals == ["unknown card"]

    play(hands, edition=str(own), cards=[f"CARD {card}" for card in range(1, 9)])
