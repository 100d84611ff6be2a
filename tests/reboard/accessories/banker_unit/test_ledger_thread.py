"""The ledger thread: a slow or bad disk never stops the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Game, Ledger, Transfer
from reboard.accessories.banker_unit.ledger_thread import MOST_WAITING, LedgerThread
from reboard.errors import ReboardError, Rejection
from reboard_sim.virtual_time import run


def begun(ledger: Ledger) -> Game:
    return ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2))


def paid(amount: int) -> Callable[[Ledger], Transfer]:
    return lambda ledger: ledger.pay(1, 1, 2, amount, reason="x", press=str(amount), at=1.0)


def test_calls_are_done_in_order_and_off_the_loop(ledger_file: Path) -> None:
    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file))
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


def test_a_cancelled_close_leaves_no_thread_and_no_open_file(ledger_file: Path) -> None:
    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file))
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
        books = LedgerThread(partial(LedgerFile, ledger_file))
        await books.ask(Ledger.games)
        answers = await asyncio.gather(
            *(books.ask(Ledger.games) for _ in range(MOST_WAITING + 1)), return_exceptions=True
        )
        assert answers[:-1] == [[]] * MOST_WAITING
        assert isinstance(answers[-1], Rejection)
        assert await books.ask(Ledger.games) == []
        await books.close()

    run(main)


def test_a_transfer_whose_caller_was_cancelled_is_saved(ledger_file: Path) -> None:
    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file))
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
        books = LedgerThread(partial(LedgerFile, tmp_path / "state" / "ledger.sqlite3"))
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


def test_a_damaged_file_is_reported_and_opened_again(monkeypatch: pytest.MonkeyPatch, ledger_file: Path) -> None:
    opened: list[Path] = []

    def opening() -> Ledger:
        opened.append(ledger_file)
        return LedgerFile(ledger_file)

    async def main() -> None:
        books = LedgerThread(opening)
        await books.ask(begun)
        malformed = sqlite3.DatabaseError("database disk image is malformed")
        malformed.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        BadDisk(monkeypatch, malformed)
        with pytest.raises(ReboardError, match="found damaged: database disk image is malformed") as told:
            await books.ask(paid(100))
        assert not isinstance(told.value, Rejection)
        await books.ask(paid(100))
        assert opened == [ledger_file] * 2
        await books.close()

    run(main)
