"""Bankruptcy at the keypad."""

from __future__ import annotations

from pathlib import Path

from reboard.banker.ledger import Ledger
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Play, table

ALL_OF_IT = 15_000_000


async def retire_with_nothing(table: AtTheTable) -> None:
    """Card 3 pays all it has to the bank, and then goes bankrupt; it is still in."""
    await table.insert("right", 3)
    await table.type("15M")
    await table.remove("right")
    await table.choose(2)
    await table.insert("right", 3)
    await table.key("M")


def test_it_asks_for_the_card_and_gives_all_it_has_to_the_bank(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        assert table.lines == ("BANKRUPTCY", "CARD TO RIGHT")
        await table.insert("right", 3)
        assert table.lines == ("-3 15M", "M: ALL TO BANK")
        await table.key("M")
        assert table.moved == [(3, 0, ALL_OF_IT, "bankrupt")]
        assert table.sounds[-1] == "paid"
        assert table.lines == ("OUT OF THE GAME", "-3 0")

    play(hands)


def test_with_a_creditor_on_the_left_it_gets_everything(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        assert table.lines == ("BANKRUPTCY", "CARD TO RIGHT")
        await table.insert("right", 3)
        assert table.lines == ("-3 15M", "M: ALL TO CARD 2")
        await table.key("M")
        assert table.moved == [(3, 2, ALL_OF_IT, "bankrupt")]
        assert table.lines == ("GAME OVER", "-3 0")
        await table.wait(2.1)
        assert table.lines == ("+2 30M", "-3 0")

    play(hands)


def test_the_creditor_is_called_by_name_if_all_of_it_fits(tmp_path: Path) -> None:
    async def main() -> None:
        async with table(tmp_path / "ledger.db", names=("Anna", "Rumpelst")) as at_table:
            await at_table.choose(2)
            await at_table.insert("right", 3)
            await at_table.insert("left", 1)
            assert at_table.lines[1] == "M: ALL TO Anna"
            await at_table.insert("left", 2)
            assert at_table.lines[1] == "M: ALL TO CARD 2"

    run(main)


def test_every_other_key_moves_nothing_and_c_leaves(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("right", 3)
        for key in ("GO", "DEAL", "K", ".", "0", "9"):
            await table.key(key)
            assert table.lines == ("-3 15M", "CLOSE MENU FIRST")
        await table.key("M")
        await table.key("C")
        assert table.lines == ("", "-3 15M")
        assert table.moved == []

    play(hands)


def test_without_a_card_on_the_right_m_is_refused(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        await table.key("M")
        assert table.refusals == ["no card"]
        assert table.moved == []
        await table.wait(2.1)
        assert table.lines == ("BANKRUPTCY", "CARD TO RIGHT")

    play(hands)


def test_a_card_taken_out_in_the_middle_is_not_bankrupt(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        await table.insert("right", 3)
        await table.remove("right")
        assert table.lines == ("BANKRUPTCY", "CARD TO RIGHT")
        await table.insert("right", 4)
        await table.remove("left")
        assert table.lines == ("-4 15M", "M: ALL TO BANK")
        await table.key("M")
        assert table.moved == [(4, 0, ALL_OF_IT, "bankrupt")]

    play(hands)


def test_who_is_bankrupt_is_told_so_and_takes_part_in_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        await table.remove("right")
        await table.insert("left", 3)
        assert table.lines == ("+3 0", "OUT OF THE GAME")
        assert table.told("card.inserted")[-1] == {"slot": "left", "number": 3}
        await table.key("GO")
        await table.type("1M")
        await table.insert("right", 2)
        await table.type("1M")
        assert table.refusals == ["bankrupt"] * 3
        assert table.lines[0] == "OUT OF THE GAME"
        assert len(table.moved) == 1
        assert table.balances == {2: ALL_OF_IT, 3: 0}

    play(hands)


def test_a_bankrupt_card_is_no_creditor(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        await table.remove("right")
        await table.choose(2)
        await table.insert("left", 3)
        await table.insert("right", 2)
        await table.key("M")
        assert table.refusals == ["bankrupt"]
        assert table.balances[2] == ALL_OF_IT

    play(hands)


def test_c_takes_it_back_while_the_card_is_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        await table.insert("right", 3)
        await table.key("M")
        await table.key("C")
        assert table.lines == ("+2 15M", "-3 15M")
        await table.type("1M")
        assert table.moved[-1] == (3, 2, 1_000_000, "players")
        snapshot = table.unit.snapshot()["cards"]
        assert isinstance(snapshot, list)
        assert not any(card["retired"] for card in snapshot)

    play(hands)


def test_choosing_it_again_brings_a_card_back_with_what_it_had(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        await table.insert("right", 3)
        await table.key("M")
        await table.remove("right")
        await table.remove("left")
        await table.choose(2)
        await table.insert("right", 3)
        await table.wait(2.1)
        assert table.lines == ("-3 0", "M: BACK IN")
        await table.key("M")
        assert table.lines == ("BACK IN", "-3 15M")
        assert table.sounds[-1] == "undone"
        assert table.balances == {2: ALL_OF_IT, 3: ALL_OF_IT}
        await table.type("1M")
        assert table.balances[3] == 14_000_000

    play(hands)


def test_a_card_that_had_nothing_retires_and_comes_back_with_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await retire_with_nothing(table)
        assert table.moved == [(3, 0, ALL_OF_IT, "paid")]
        await table.remove("right")
        await table.insert("left", 3)
        await table.type("1M")
        assert table.refusals == ["bankrupt"]
        await table.remove("left")
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        assert table.lines == ("BACK IN", "-3 0")
        await table.remove("right")
        await table.insert("left", 3)
        await table.type("1M")
        assert table.balances == {3: 1_000_000}

    play(hands)


def test_c_takes_the_bankruptcy_of_a_card_with_nothing_back_while_it_is_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await retire_with_nothing(table)
        await table.key("C")
        assert table.lines == ("BACK IN", "-3 0")
        assert table.sounds[-1] == "undone"
        await table.key("C")
        assert table.refusals == ["nothing to undo"]
        await table.remove("right")
        await table.insert("left", 3)
        await table.type("1M")
        assert table.balances == {3: 1_000_000}

    play(hands)


def test_a_card_with_nothing_that_has_left_is_not_taken_back_by_the_next_ones_c(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await retire_with_nothing(table)
        await table.remove("right")
        await table.insert("right", 4)
        await table.key("C")
        assert table.refusals == ["nothing to undo"]

    play(hands)


def test_a_creditor_without_money_of_its_own_that_retires_later_is_brought_back_alone(play: Play) -> None:
    """What it got from the first bankruptcy is not what it lost in its own."""

    async def hands(table: AtTheTable) -> None:
        for creditor, bankrupt in ((2, 3), (1, 2)):
            await table.choose(2)
            await table.insert("left", creditor)
            await table.insert("right", bankrupt)
            await table.key("M")
            await table.remove("left")
            await table.remove("right")
        assert table.balances == {1: 45_000_000, 2: 0, 3: 0}
        await table.choose(2)
        await table.insert("right", 2)
        await table.key("M")
        assert table.balances == {1: ALL_OF_IT, 2: 30_000_000, 3: 0}
        await table.remove("right")
        await table.insert("left", 3)
        assert table.lines[1] == "OUT OF THE GAME"

    play(hands)


def test_a_card_does_not_come_back_when_its_money_is_spent(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("left", 2)
        await table.insert("right", 3)
        await table.key("M")
        await table.remove("left")
        await table.remove("right")
        await table.insert("right", 2)
        await table.type("20M")
        await table.remove("right")
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        assert table.refusals == ["no funds"]
        assert table.balances == {2: 10_000_000, 3: 0}
        assert table.lines == ("-3 0", "NO FUNDS"), "the dialog stays open"

    play(hands)


def test_bankruptcy_is_remembered_through_a_power_cut(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file) as before:
            await before.choose(2)
            await before.insert("right", 3)
            await before.key("M")
        async with table(ledger_file) as after:
            await after.insert("left", 3)
            assert after.lines == ("+3 0", "OUT OF THE GAME")
            assert await after.books.ask(Ledger.verify) == []

    run(main)


def test_a_new_game_begins_with_everybody(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(2)
        await table.insert("right", 3)
        await table.key("M")
        await table.remove("right")
        await table.key("C", seconds=3.1)
        await table.insert("left", 3)
        assert table.lines == ("+3 15M", "")

    play(hands)
