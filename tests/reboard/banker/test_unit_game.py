"""New games, the volume, sleep, and requests through the door."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

import pytest

from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.hands import MOST_WAITING, Answer, Request
from reboard.banker.ledger import Ledger
from reboard.errors import ReboardError
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import DECK, AtTheTable, Play, StallingBookkeeper, table

T = TypeVar("T")


def test_c_held_for_three_seconds_without_a_card_is_a_new_game(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.remove("left")
        await table.key("C", seconds=3.01)
        assert table.sounds[-1] == "new_game"
        assert table.told("game.started") == [{"game": n, "edition": "world"} for n in (1, 2)]
        assert table.balances == {1: 15_000_000}, "every card is back at the starting balance at once"
        assert table.lines == ("NEW GAME", "INSERT CARD")
        await table.insert("left", 1)
        assert table.lines == ("+1 15M", "")
        assert [game.id for game in await table.books.ask(Ledger.games)] == [1, 2]
        assert await table.books.ask(lambda ledger: ledger.balance(1, 1)) == 16_000_000, (
            "the old game stays in the ledger"
        )

    play(hands)


def test_c_let_go_before_three_seconds_does_nothing(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("C", seconds=2.99)
        await table.wait(5)
        assert len(table.told("game.started")) == 1
        assert table.sounds == []

    play(hands)


def test_c_held_for_ten_seconds_is_one_new_game(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("C", seconds=10)
        assert len(table.told("game.started")) == 2

    play(hands)


def test_c_held_with_a_card_in_is_no_new_game(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.key("C", seconds=5)
        assert len(table.told("game.started")) == 1

    play(hands)


@pytest.mark.parametrize("key", ["C", "GO"])
def test_a_key_that_nobody_can_see_any_more_is_neither_held_nor_let_go(play: Play, key: str) -> None:
    async def hands(table: AtTheTable) -> None:
        table.keypad.press(key)
        await table.wait(1)
        table.keypad.call_off()
        await table.wait(10)
        table.keypad.release(key)
        await table.wait(1)
        assert len(table.told("game.started")) == 1
        assert table.sounds == []
        assert table.lines[1] == "INSERT CARD"

    play(hands)


def test_a_card_that_comes_or_goes_while_c_is_held_saves_the_game(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        table.keypad.press("C")
        await table.wait(1)
        await table.remove("left")
        await table.wait(10)
        assert len(table.told("game.started")) == 1

    play(hands)


def test_leaning_on_several_keys_is_no_new_game(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        table.keypad.press("C")
        table.keypad.press("0")
        await table.wait(10)
        assert len(table.told("game.started")) == 1

    play(hands)


def test_the_game_goes_on_after_the_power_was_cut(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file) as before:
            await before.insert("left", 1)
            await before.type("1.5M")
        async with table(ledger_file) as after:
            assert after.told("game.started") == []
            assert after.balances == {1: 16_500_000}
            transfers = after.unit.snapshot()["transfers"]
            assert isinstance(transfers, list)
            assert [row["reason"] for row in transfers] == ["received", "start"]
            await after.insert("left", 1)
            assert after.lines == ("+1 16.5M", "")
            await after.type("1M")
            assert after.lines == ("+1 17.5M", "")

    run(main)


def test_another_edition_is_another_game_and_the_old_one_is_kept(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file) as before:
            await before.insert("left", 1)
        async with table(ledger_file, edition="nintendo") as after:
            assert after.told("game.started") == [{"game": 2, "edition": "nintendo"}]
            await after.insert("left", 1)
            assert after.lines == ("+1 1500", "")
            assert await after.books.ask(lambda ledger: ledger.balances(1)) == {1: 15_000_000}

    run(main)


def test_the_point_steps_the_volume_when_no_card_is_in(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        assert table.speaker.volume == 3
        for volume in (4, 0, 1, 2, 3):
            await table.key(".")
            assert table.speaker.volume == volume
            assert table.lines[0] == f"VOLUME {volume}"
            assert table.sounds[-1] == "volume"
        await table.wait(2.1)
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(hands)


def test_the_point_is_a_point_while_a_card_is_in_or_an_amount_is_typed(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.type("1.")
        assert table.lines[1] == "1."
        await table.key("C")
        await table.insert("left", 1)
        await table.type(".5M")
        assert table.lines[0] == "+1 15.5M"
        assert table.speaker.volume == 3

    play(hands)


def test_after_a_minute_without_a_touch_the_display_sleeps(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("1")
        await table.wait(59.8)
        assert not table.display.dark
        await table.wait(0.2)
        assert table.display.dark
        assert table.unit.snapshot()["asleep"]

    play(hands)


def test_the_key_that_wakes_the_display_does_only_that(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.wait(61)
        await table.key("GO")
        assert not table.display.dark
        assert table.lines == ("+1 15M", "")
        assert table.sounds == ["card"]
        await table.key("GO")
        assert table.lines == ("+1 17M", "")

    play(hands)


def test_the_c_that_wakes_the_display_begins_no_new_game_however_long_it_is_held(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.wait(61)
        await table.key("C", seconds=10)
        assert len(table.told("game.started")) == 1

    play(hands)


def test_a_card_that_wakes_the_display_is_in_and_shown(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.wait(61)
        await table.insert("left", 1)
        assert not table.display.dark
        assert table.lines == ("+1 15M", "")
        await table.type("1M")
        assert table.lines == ("+1 16M", "")

    play(hands)


def test_a_card_taken_out_in_the_dark_is_out(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.wait(61)
        await table.remove("left")
        assert not table.display.dark
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(hands)


def test_the_snapshot_tells_everything_as_json_would(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.insert("right", 2)
        await table.type("1M")
        await table.type("25")
        snapshot = table.unit.snapshot()
        assert snapshot["cards"] == [
            {"number": 1, "balance": 16_000_000, "shown": "16M", "name": "", "retired": False},
            {"number": 2, "balance": 14_000_000, "shown": "14M", "name": "", "retired": False},
        ]
        assert snapshot["display"] == ["+1 16M", "-2 14M        25"]
        transfers = snapshot.pop("transfers")
        assert isinstance(transfers, list)
        assert [row["id"] for row in transfers] == [3, 2, 1]
        assert {key: snapshot[key] for key in ("game", "slots", "deal", "typed", "asleep")} == {
            "game": 1,
            "slots": {"left": 1, "right": 2},
            "deal": {"running": False},
            "typed": "25",
            "asleep": False,
        }

    play(hands)


def test_the_snapshot_has_the_latest_twenty_transfers_newest_first(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(25):
            await table.key("GO")
        transfers = table.unit.snapshot()["transfers"]
        assert isinstance(transfers, list)
        assert [row["id"] for row in transfers] == list(range(26, 6, -1))

    play(hands)


def test_undo_through_the_door_takes_the_last_transfer_back_wherever_the_card_is(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.type("2M")
        await table.remove("left")
        answer = await table.unit.requests.undo()
        assert (answer["undoes"], answer["amount"]) == (3, 2_000_000)
        assert table.sounds[-1] == "undone"
        await table.unit.requests.undo()
        assert table.balances == {1: 15_000_000}
        with pytest.raises(Refusal, match="no transfer that could be taken back"):
            await table.unit.requests.undo()
        assert "refused" not in table.sounds, "who asked through the door is told there"

    play(hands)


def test_an_undo_that_names_its_transfer_can_be_repeated_without_harm(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.type("2M")
        await table.unit.requests.undo(3)
        for number in (3, 1, 4, 99):
            with pytest.raises(Refusal):
                await table.unit.requests.undo(number)
        assert table.balances == {1: 16_000_000}

    play(hands)


def test_a_transfer_of_an_old_game_is_not_taken_back(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.unit.requests.new_game()
        with pytest.raises(Refusal):
            await table.unit.requests.undo(2)
        with pytest.raises(Refusal):
            await table.unit.requests.undo()

    play(hands)


def test_what_the_door_took_back_c_does_not_take_back_again(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.unit.requests.undo()
        assert table.lines == ("+1 15M", "")
        await table.key("C")
        assert table.told("refused") == [{"why": "nothing to undo"}]

    play(hands)


def test_a_new_game_through_the_door_shows_the_cards_that_are_in_with_new_balances(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        assert await table.unit.requests.new_game() == {"game": 2}
        await table.wait(2.1)
        assert table.lines == ("+1 15M", "")
        await table.type("1M")
        assert table.lines == ("+1 16M", "")

    play(hands)


def test_a_unit_that_does_not_run_says_so_instead_of_waiting(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file) as stopped:
            pass
        with pytest.raises(ReboardError, match="not running"):
            await stopped.unit.requests.undo()

    run(main)


def test_nothing_is_heard_or_shown_before_the_disk_has_it(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.wait(4.8)
        assert table.lines[0].startswith("+1 15M")
        assert table.sounds[-1] == "key"
        assert table.balances == {1: 15_000_000}
        await table.wait(0.2)
        assert table.lines == ("+1 16M", "")
        assert table.sounds[-1] == "received"

    play(hands, books=StallingBookkeeper)


def test_what_is_typed_while_the_disk_stalls_is_not_lost(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M2M")
        await table.remove("left")
        await table.wait(11)
        assert table.balances == {1: 18_000_000}
        assert table.lines == ("WORLD EDITION", "INSERT CARD")

    play(hands, books=StallingBookkeeper)


def test_more_touches_than_the_unit_can_keep_void_the_entry_and_keep_the_slots_true(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        for _ in range(MOST_WAITING):
            table.keypad.press("1")
        await table.insert("right", 2)
        table.left.take()
        table.keypad.press("M")
        with pytest.raises(Refusal):
            await table.unit.requests.undo()
        await table.wait(6)
        assert table.told("refused") == [{"why": "too fast"}]
        assert table.balances == {1: 16_000_000, 2: 15_000_000}
        assert table.unit.snapshot()["slots"] == {"left": None, "right": 2}
        await table.wait(3)
        await table.type("1M")
        await table.wait(6)
        assert table.lines == ("", "-2 14M")

    play(hands, books=StallingBookkeeper)


def test_once_touches_are_lost_none_counts_until_the_unit_has_caught_up(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        for _ in range(MOST_WAITING):
            table.keypad.press("1")
            table.keypad.press("M")
        await table.wait(5.1)
        table.keypad.press("GO")
        await table.wait(5 * MOST_WAITING)
        assert table.told("refused") == [{"why": "too fast"}]
        assert {row["reason"] for row in table.told("transfer")} == {"start", "received"}
        await table.key("1")  # it has fallen asleep over it
        await table.key("GO")
        await table.wait(5.1)
        assert table.told("transfer")[-1]["reason"] == "salary"

    play(hands, books=StallingBookkeeper)


@pytest.mark.parametrize("how", ["cancelled", "failed"])
def test_a_request_that_is_being_carried_out_when_the_unit_ends_is_told_so(how: str) -> None:
    async def main() -> None:
        async def work() -> Answer:
            await asyncio.sleep(1)
            raise ZeroDivisionError

        request = Request(work, asyncio.get_running_loop().create_future())
        unit = asyncio.create_task(request.carry_out())
        await asyncio.sleep(0.5)
        if how == "cancelled":
            unit.cancel()
        await asyncio.wait([unit])
        with pytest.raises(asyncio.CancelledError if how == "cancelled" else ZeroDivisionError):
            unit.result()
        with pytest.raises(ReboardError, match="has stopped"):
            await asyncio.wait_for(request.answer, 1)

    run(main)


def test_a_new_game_that_is_on_the_disk_is_on(play: Play) -> None:
    class Forgetful(Bookkeeper):
        """Takes what is written, and lets nothing be read of what was."""

        async def ask(self, call: Callable[[Ledger], T]) -> T:
            if "start_game" not in call.__qualname__ and table_is_open.is_set():
                raise Refusal("disk")
            return await super().ask(call)

    table_is_open = asyncio.Event()

    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        table_is_open.set()
        assert await table.unit.requests.new_game() == {"game": 2}
        assert table.balances == {1: 15_000_000}
        assert [row["reason"] for row in table.told("transfer")] == ["start", "received", "start"]

    play(hands, books=Forgetful)


def test_a_card_that_was_looked_up_and_queued_is_no_twin_of_itself(play: Play) -> None:
    class SlowJoining(StallingBookkeeper):
        stalls_s: ClassVar = {"pay": 5.0, "join": 1.0}

    async def hands(table: AtTheTable) -> None:
        await table.insert("right", 1)
        await table.wait(1.1)
        await table.type("1M")
        for _ in range(MOST_WAITING + 1):
            table.keypad.press("1")
        table.left.put(DECK[1])
        table.right.take()
        await table.wait(5.3)  # the left card is being looked up, and the unit listens again
        table.right.put(DECK[3])
        await table.wait(10)
        assert table.told("refused") == [{"why": "too fast"}]
        assert table.unit.snapshot()["slots"] == {"left": 2, "right": 4}

    play(hands, books=SlowJoining)


def test_a_request_that_waits_when_the_unit_stops_is_told_so(ledger_file: Path) -> None:
    async def main() -> None:
        async with table(ledger_file, books=StallingBookkeeper) as stalling:
            await stalling.insert("left", 1)
            await stalling.type("1M")
            asked = asyncio.create_task(stalling.unit.requests.undo())
            await stalling.wait(0.1)
        with pytest.raises(ReboardError, match="has stopped"):
            await asked

    run(main)
