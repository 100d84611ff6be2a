"""Cards, keys and money: the banker unit's rules as hands meet them."""

from __future__ import annotations

import pytest

from tests.reboard.banker.hand_table import AtTheTable, Play


def test_a_card_put_in_shows_its_number_and_balance_and_beeps(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        assert table.lines == ("+1 15M", "")
        assert table.sounds == ["card"]
        assert table.told("card.inserted") == [{"slot": "left", "number": 1}]

    play(hands)


def test_the_right_slot_is_the_second_line(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 2)
        assert table.lines == ("", "-2 15M")

    play(hands)


def test_left_alone_receives_from_the_bank(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1.5M")
        assert table.lines == ("+1 16.5M", "")
        assert table.sounds[-1] == "received"
        transfer = table.told("transfer")[-1]
        assert transfer | {"id": 0, "game": 0} == {
            "id": 0, "game": 0, "from": 0, "to": 1, "amount": 1_500_000, "reason": "received", "undoes": None
        }  # fmt: skip

    play(hands)


def test_right_alone_pays_the_bank(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 2)
        await table.type("260K")
        assert table.lines == ("", "-2 14.74M")
        assert table.sounds[-1] == "paid"
        assert (table.told("transfer")[-1]["from"], table.told("transfer")[-1]["to"]) == (2, 0)

    play(hands)


def test_with_both_cards_in_right_pays_left_in_one_transfer(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        before = len(table.told("transfer"))
        await table.type("3M")
        assert table.lines == ("+1 18M", "-2 12M")
        assert len(table.told("transfer")) == before + 1
        assert table.sounds[-1] == "paid"

    play(hands)


@pytest.mark.parametrize("side", ["right", None])
def test_go_without_a_card_on_the_left_is_refused(play: Play, side: str | None) -> None:
    async def hands(table: AtTheTable) -> None:
        if side == "right":
            await table.insert("right", 1)
        await table.key("GO")
        assert table.told("refused") == [{"why": "no card"}]
        assert "NO CARD" in table.lines

    play(hands)


def test_go_while_an_amount_is_typed_pays_the_salary_and_nothing_else(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("5")
        await table.key("GO")
        assert table.lines[0] == "+1 17M"
        await table.type("1M")
        assert table.lines[0] == "+1 18M", "not 51M"

    play(hands)


def test_what_is_typed_stands_at_the_right_of_the_payers_line(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1.5")
        assert table.display.lines == ("+1 15M       1.5", "")
        await table.insert("right", 2)
        assert table.display.lines == ("+1 15M", "-2 15M       1.5")
        await table.key("M")
        assert table.lines == ("+1 16.5M", "-2 13.5M")

    play(hands)


def test_c_clears_what_is_typed_and_nothing_else(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.type("99")
        await table.key("C")
        assert table.lines == ("+1 16M", "")
        await table.type("2M")
        assert table.lines == ("+1 18M", "")

    play(hands)


def test_more_than_a_player_has_is_refused_and_nothing_moves(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.type("15.001M")
        assert "NO FUNDS" in table.lines
        assert "-2 15M" in table.lines, "the payer's balance can still be seen"
        assert table.sounds[-1] == "refused"
        assert table.told("refused") == [{"why": "no funds"}]
        assert table.balances == {1: 15_000_000, 2: 15_000_000}
        await table.wait(2.1)
        assert table.lines == ("+1 15M", "-2 15M")

    play(hands)


def test_the_last_money_can_be_paid(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 1)
        await table.type("15M")
        assert table.lines == ("", "-1 0")

    play(hands)


def test_a_refusal_goes_with_the_next_touch(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 1)
        await table.type("20M")
        assert table.lines == ("NO FUNDS", "-1 15M")
        await table.key("2")
        assert table.display.lines == ("", "-1 15M         2")

    play(hands)


@pytest.mark.parametrize(
    ("typed", "why"),
    [("0M", "zero"), ("M", "zero"), ("1.5K", "too fine"), ("123456K", "too long"), ("1.2.3M", "two points")],
)
def test_a_wrong_amount_is_refused_once_and_forgotten(play: Play, typed: str, why: str) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type(typed)
        assert table.told("refused") == [{"why": why}]
        assert table.sounds.count("refused") == 1
        await table.type("1M")
        assert table.lines == ("+1 16M", "")

    play(hands)


def test_without_units_k_adds_two_zeros_and_m_enters(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("K")
        assert table.lines[0] == "+1 1500", "two zeros behind nothing are nothing"
        await table.type("2K")
        assert table.display.lines[0] == "+1 1500      200"
        await table.key("M")
        assert table.lines[0] == "+1 1700"
        await table.type("1.5M")
        assert table.told("refused") == [{"why": "too fine"}]

    play(hands, edition="nintendo")


def test_a_balance_too_large_for_its_line_is_refused(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(99):
            await table.type("99999M")
        assert table.balances == {1: 15_000_000 + 99 * 99_999_000_000}
        assert len(table.display.lines[0]) <= 16
        await table.type("99999M")
        await table.type("99999M")
        assert table.told("refused")[-1] == {"why": "too much"}
        assert "TOO MUCH" in table.lines

    play(hands)


def test_an_amount_typed_before_a_card_is_in_counts_for_the_card(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.type("1.5")
        assert table.lines == ("WORLD EDITION", "1.5")
        await table.insert("left", 1)
        await table.key("M")
        assert table.lines == ("+1 16.5M", "")

    play(hands)


def test_an_amount_entered_without_any_card_is_refused(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.type("1.5M")
        assert table.told("refused") == [{"why": "no card"}]
        assert table.lines == ("NO CARD", "INSERT CARD")
        await table.wait(2.1)
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(hands)


def test_a_card_taken_out_while_an_amount_is_typed_drops_the_entry(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("15")
        await table.remove("left")
        assert table.told("card.removed") == [{"slot": "left", "number": 1}]
        await table.wait(3)
        await table.insert("left", 1)
        await table.type("1M")
        assert table.lines == ("+1 16M", "")

    play(hands)


def test_c_with_nothing_typed_takes_the_last_transfer_back_as_an_opposite_one(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        wrong = table.told("transfer")[-1]
        await table.key("C")
        assert table.lines == ("+1 15M", "")
        assert table.sounds[-1] == "undone"
        undone = table.told("transfer")[-1]
        assert (undone["from"], undone["to"], undone["amount"]) == (wrong["to"], wrong["from"], wrong["amount"])
        assert undone["undoes"] == wrong["id"]

    play(hands)


def test_c_again_takes_back_the_one_before_and_then_there_is_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.key("GO")
        for expected in ("+1 16M", "+1 15M"):
            await table.key("C")
            assert table.lines[0] == expected
        await table.key("C")
        assert table.told("refused") == [{"why": "nothing to undo"}]
        assert table.balances == {1: 15_000_000}, "the starting balance is no mistake"

    play(hands)


def test_what_was_done_before_the_card_was_taken_out_is_not_taken_back(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.remove("left")
        await table.insert("left", 1)
        await table.key("C")
        assert table.told("refused") == [{"why": "nothing to undo"}]
        assert table.balances == {1: 16_000_000}

    play(hands)


def test_a_payment_is_taken_back_only_while_both_cards_are_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.type("4M")
        await table.remove("left")
        await table.key("C")
        assert table.told("refused") == [{"why": "nothing to undo"}]
        assert table.balances == {1: 19_000_000, 2: 11_000_000}

    play(hands)


def test_another_card_that_comes_and_goes_does_not_make_a_mistake_final(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("4M")
        await table.insert("right", 2)
        await table.remove("right")
        await table.key("C")
        assert table.lines == ("+1 15M", "")

    play(hands)


def test_a_payment_between_two_players_is_taken_back_from_both(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.type("4M")
        await table.key("C")
        assert table.lines == ("+1 15M", "-2 15M")

    play(hands)
