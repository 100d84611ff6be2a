"""The bookkeeper: nobody waits for the disk but who asked, and a bad disk spoils nothing."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard.banker.bookkeeper import MOST_WAITING, Bookkeeper
from reboard.banker.ledger import Game, Ledger, Transfer
from reboard.database import OpenDatabase
from reboard.errors import ReboardError
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Play, table


def begun(ledger: Ledger) -> Game:
    return ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2))


def paid(amount: int) -> Callable[[Ledger], Transfer]:
    return lambda ledger: ledger.pay(1, 1, 2, amount, reason="x", press=str(amount), at=1.0)


def test_calls_are_done_in_order_and_off_the_loop(ledger_file: Path) -> None:
    async def main() -> None:
        books = Bookkeeper(ledger_file)
        await books.ask(begun)
        booked = await asyncio.gather(*(books.ask(paid(n)) for n in range(1, 11)))
        assert [transfer.amount for transfer in booked] == list(range(1, 11))
        assert [transfer.id for transfer in booked] == sorted(transfer.id for transfer in booked)
        assert await books.ask(lambda ledger: ledger.balances(1)) == {1: 1445, 2: 1555}
        assert await books.ask(Ledger.verify) == []
        await books.close()
        await books.close()
        with pytest.raises(ReboardError, match="closed"):
            await books.ask(Ledger.games)

    run(main)


def test_what_nobody_waits_for_any_more_fails_in_silence(ledger_file: Path) -> None:
    complaints: list[object] = []
    may_fail = threading.Event()

    def fail(_: Ledger) -> None:
        may_fail.wait(10)
        raise Refusal("disk")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        books = Bookkeeper(ledger_file)
        asked = asyncio.create_task(books.ask(fail))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        may_fail.set()
        await books.close()

    run(main)
    gc.collect()
    assert complaints == []


def test_who_does_not_wait_for_the_end_leaves_no_thread_and_no_open_file(ledger_file: Path) -> None:
    async def main() -> None:
        books = Bookkeeper(ledger_file)
        stalls = threading.Event()
        stalled = asyncio.create_task(books.ask(lambda _: stalls.wait()))
        closing = asyncio.create_task(books.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait({closing})
        assert closing.cancelled()
        stalls.set()
        await stalled
        books._thread.shutdown()
        assert books._ledger is None
        assert not books._thread._thread.is_alive()

    run(main)


def test_more_calls_than_can_wait_are_refused_at_once(ledger_file: Path) -> None:
    async def main() -> None:
        books = Bookkeeper(ledger_file)
        await books.ask(Ledger.games)
        answers = await asyncio.gather(
            *(books.ask(Ledger.games) for _ in range(MOST_WAITING + 1)), return_exceptions=True
        )
        assert answers[:-1] == [[]] * MOST_WAITING
        assert isinstance(answers[-1], Refusal)
        assert await books.ask(Ledger.games) == []
        await books.close()

    run(main)


def test_a_transfer_whose_caller_gave_up_is_booked_all_the_same(ledger_file: Path) -> None:
    async def main() -> None:
        books = Bookkeeper(ledger_file)
        await books.ask(begun)
        asked = asyncio.create_task(books.ask(paid(100)))
        await asyncio.sleep(0)
        asked.cancel()
        assert await books.ask(lambda ledger: ledger.balances(1)) == {1: 1400, 2: 1600}
        await books.close()

    run(main)


def test_a_ledger_that_cannot_be_opened_is_tried_again_with_the_next_call(tmp_path: Path) -> None:
    async def main() -> None:
        (tmp_path / "state").touch()
        books = Bookkeeper(tmp_path / "state" / "ledger.sqlite3")
        with pytest.raises(ReboardError, match="cannot be opened"):
            await books.ask(Ledger.games)
        (tmp_path / "state").unlink()
        await books.ask(Ledger.games)
        await books.close()

    run(main)


class BadDisk:
    """Makes `Ledger.pay` fail as often as *errors* says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *errors: sqlite3.Error) -> None:
        self._errors = list(errors)
        self._pay = Ledger.pay
        bad_disk = self

        def pay(ledger: Ledger, *args: int, reason: str, press: str, at: float) -> Transfer:
            if bad_disk._errors:
                raise bad_disk._errors.pop(0)
            return bad_disk._pay(ledger, *args, reason=reason, press=press, at=at)

        monkeypatch.setattr(Ledger, "pay", pay)


def test_a_full_disk_is_refused_moves_nothing_and_the_unit_plays_on(
    play: Play, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        BadDisk(monkeypatch, sqlite3.OperationalError("database or disk is full"))
        await table.type("1M")
        assert table.told("refused") == [{"why": "disk"}]
        assert table.lines == ("+1 15M", "NOT SAVED")
        assert table.sounds[-1] == "refused"
        assert table.balances == {1: 15_000_000}
        ((part, cause),) = [fault.values() for fault in table.told("fault")]
        assert part == "ledger"
        assert str(cause).endswith("nothing was saved: look at the disk and its rights (database or disk is full)")
        assert not caplog.records
        await table.type("1M")
        assert table.told("recovered") == [{"part": "ledger"}]
        assert table.lines == ("+1 16M", "")

    play(hands)


def test_a_file_found_damaged_is_told_and_opened_anew_by_the_next_call(
    monkeypatch: pytest.MonkeyPatch, ledger_file: Path
) -> None:
    opened: list[Path] = []
    open_ledger = Ledger.__init__

    def opening(ledger: Ledger, path: Path, *, database: OpenDatabase) -> None:
        opened.append(path)
        open_ledger(ledger, path, database=database)

    monkeypatch.setattr(Ledger, "__init__", opening)

    async def main() -> None:
        books = Bookkeeper(ledger_file)
        await books.ask(begun)
        malformed = sqlite3.DatabaseError("database disk image is malformed")
        malformed.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        BadDisk(monkeypatch, malformed)
        with pytest.raises(ReboardError, match="found damaged: database disk image is malformed") as told:
            await books.ask(paid(100))
        assert not isinstance(told.value, Refusal)
        await books.ask(paid(100))
        assert opened == [ledger_file] * 2
        await books.close()

    run(main)


def test_a_card_that_is_new_while_the_disk_is_full_is_not_in(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    def join(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    async def hands(table: AtTheTable) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "join", join)
            await table.insert("left", 1)
        assert table.told("card.inserted") == [{"slot": "left", "number": None}]
        assert table.told("refused") == [{"why": "disk"}]
        await table.remove("left")
        await table.insert("left", 1)
        assert table.lines == ("+1 15M", "")

    play(hands)


def test_a_unit_without_a_ledger_shows_it_tries_again_and_tells_each_cause_once(tmp_path: Path) -> None:
    async def main() -> None:
        state = tmp_path / "state"
        state.touch()
        async with table(state / "ledger.sqlite3") as broken:
            await broken.wait(100)
            assert broken.lines == ("WORLD EDITION", "NO LEDGER")
            assert [fault["part"] for fault in broken.told("fault")] == ["ledger"]
            with pytest.raises(ReboardError, match="not running"):
                await broken.unit.requests.undo()
            state.unlink()
            await broken.wait(30)
            assert broken.told("recovered") == [{"part": "ledger"}]
            await broken.insert("left", 1)
            assert broken.lines == ("+1 15M", "")

    run(main)
