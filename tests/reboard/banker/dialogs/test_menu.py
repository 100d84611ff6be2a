"""The menu, and what is true of every dialog."""

from __future__ import annotations

import pytest

from tests.reboard.banker.hand_table import AtTheTable, Play

TITLES = ["1 FINAL COUNT", "2 BANKRUPTCY", "3 OTHER GAME", "4 NEW EDITION", "5 GAME CLOCK"]
AT_REST = ("WORLD EDITION", "INSERT CARD")


def test_go_held_without_a_card_opens_the_menu_and_go_leads_through_it(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        shown = []
        for _ in range(6):
            shown.append(table.lines)
            await table.key("GO")
        assert shown == [(title, "GO NEXT   M OKAY") for title in [*TITLES, TITLES[0]]]
        assert table.refusals == []

    play(hands)


def test_go_let_go_early_is_refused_and_not_before(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        table.keypad.press("GO")
        await table.wait(1.49)
        assert table.refusals == []
        table.keypad.release("GO")
        await table.wait(0.01)
        assert table.refusals == ["no card"]
        assert table.lines == ("NO CARD", "INSERT CARD")
        await table.wait(3)
        assert table.lines == AT_REST

    play(hands)


@pytest.mark.parametrize(("entry", "first"), [(1, "FINAL COUNT"), (2, "BANKRUPTCY"), (4, "WORLD EDITION")])
def test_an_entry_is_opened_by_its_number_or_by_m(play: Play, entry: int, first: str) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(entry)
        opened = table.lines
        assert opened[0] == first
        await table.key("C")
        assert table.lines == AT_REST
        await table.key("GO", seconds=1.6)
        for _ in range(entry - 1):
            await table.key("GO")
        await table.key("M")
        assert table.lines == opened

    play(hands)


def test_keys_without_a_meaning_in_the_menu_change_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        for key in ("0", "6", "7", "8", "9", ".", "K", "DEAL"):
            await table.key(key)
            assert table.lines == (TITLES[0], "CLOSE MENU FIRST")
        assert table.told("deal.started") == []
        assert table.speaker.volume == 3
        await table.key("C")
        assert table.lines == AT_REST
        assert table.unit.snapshot()["typed"] == ""

    play(hands)


def test_twenty_seconds_without_a_touch_close_it_and_a_touch_keeps_it_open(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        await table.wait(19.5)
        await table.key("GO")
        await table.wait(19.5)
        assert table.lines[0] == TITLES[1]
        await table.wait(0.5)
        assert table.lines == AT_REST

    play(hands)


def test_cards_that_come_and_go_are_announced_and_move_no_money(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        await table.wait(19)
        await table.insert("left", 1)
        await table.wait(19)
        await table.remove("left")
        assert table.told("card.inserted") == [{"slot": "left", "number": 1}]
        assert table.told("card.removed") == [{"slot": "left", "number": 1}]
        assert table.sounds[-1] == "card"
        assert table.lines[0] == TITLES[0]
        assert table.moved == []

    play(hands)


def test_a_strangers_refusal_is_said_in_the_dialog_for_a_moment(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        await table.insert("left", "STRANGER")
        assert table.lines == (TITLES[0], "UNKNOWN CARD")
        await table.wait(2.1)
        assert table.lines == (TITLES[0], "GO NEXT   M OKAY")

    play(hands)


def test_the_c_that_closes_a_dialog_begins_no_new_game_however_long_it_is_held(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("GO", seconds=1.6)
        await table.key("C", seconds=10)
        assert table.lines == AT_REST
        assert len(table.told("game.started")) == 1
        await table.key("C", seconds=3.1)
        assert len(table.told("game.started")) == 2

    play(hands)


def test_go_leaned_on_opens_the_menu_once_and_leaves_it_when_nobody_is_there(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        table.keypad.press("GO")
        await table.wait(21)
        assert table.lines[0] == TITLES[0]
        await table.wait(1)
        assert table.lines == AT_REST
        await table.wait(3600)
        assert table.display.dark
        table.keypad.release("GO")
        await table.wait(0.1)
        assert table.lines == AT_REST
        assert table.refusals == []

    play(hands)


def test_a_new_game_through_the_door_closes_the_dialog(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.choose(1)
        await table.insert("left", 1)
        await table.type("5")
        await table.unit.requests.new_game()
        await table.wait(2.1)
        assert table.lines == ("+1 15M", "")
        await table.type("1M")
        assert table.moved == [(0, 1, 1_000_000, "received")], "the digit typed before is forgotten"

    play(hands)


def test_a_request_keeps_no_dialog_open(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M2M3M")
        await table.remove("left")
        await table.key("GO", seconds=1.6)
        for _ in range(3):
            await table.wait(9)
            await table.unit.requests.undo()
        assert table.lines == AT_REST

    play(hands)


def test_a_deal_goes_on_while_a_dialog_is_open_and_c_is_the_dialogs(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("DEAL")
        await table.key("GO", seconds=1.6)
        await table.key("C")
        assert table.unit.snapshot()["deal"] == {"running": True}
        await table.key("C")
        assert table.told("deal.cancelled") == [{}]

    play(hands)
