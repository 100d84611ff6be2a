"""The ledger thread: a slow or bad disk never stops the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from asyncio.subprocess import PIPE
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Game, Ledger, Transfer
from reboard.accessories.banker_unit.ledger_thread import MOST_WAITING, LedgerThread
from reboard.board import open_database
from reboard.errors import ReboardError, Rejection
from tests.reboard.accessories.banker_unit.ledger_calls import pay


def begun(ledger: Ledger) -> Game:
    return ledger.new_game("nintendo", 1500, at=1.0, cards=(1, 2))


def paid(amount: int) -> Callable[[Ledger], Transfer]:
    return lambda ledger: pay(ledger, 1, 1, 2, amount, reason="x", press=str(amount), at=1.0)


async def test_calls_are_done_in_order_and_a_transfer_is_saved_even_if_its_caller_is_cancelled(
    ledger_file: Path,
) -> None:
    thread = LedgerThread(partial(LedgerFile, ledger_file))
    await thread.ask(begun)
    cancelled = asyncio.create_task(thread.ask(paid(100)))
    await asyncio.sleep(0)
    cancelled.cancel()
    transfers = await asyncio.gather(*(thread.ask(paid(n)) for n in range(1, 11)))
    assert [transfer.amount for transfer in transfers] == list(range(1, 11))
    assert [transfer.id for transfer in transfers] == sorted(transfer.id for transfer in transfers)
    assert await thread.ask(lambda ledger: ledger.balances(1)) == {1: 1345, 2: 1655}
    assert await thread.ask(Ledger.verify) == []
    await thread.close()
    await thread.close()
    with pytest.raises(ReboardError, match="closed"):
        await thread.ask(Ledger.games)


async def test_a_cancelled_close_leaves_no_thread_and_no_open_file(ledger_file: Path) -> None:
    thread = LedgerThread(partial(LedgerFile, ledger_file))
    stalls = threading.Event()
    stalled = asyncio.create_task(thread.ask(lambda _: stalls.wait()))
    closing = asyncio.create_task(thread.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait({closing})
    assert closing.cancelled()
    stalls.set()
    await stalled
    thread._thread.shutdown()
    assert not thread._thread._thread.is_alive()
    LedgerFile(ledger_file).close()


async def test_more_calls_than_can_wait_are_refused_at_once(ledger_file: Path) -> None:
    thread = LedgerThread(partial(LedgerFile, ledger_file))
    await thread.ask(Ledger.games)
    *answers, last = await asyncio.gather(
        *(thread.ask(Ledger.games) for _ in range(MOST_WAITING + 1)), return_exceptions=True
    )
    assert answers == [[]] * MOST_WAITING
    assert isinstance(last, Rejection)
    assert await thread.ask(Ledger.games) == []
    await thread.close()


async def test_a_ledger_that_cannot_be_opened_is_tried_again_with_the_next_call(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    thread = LedgerThread(partial(LedgerFile, tmp_path / "state" / "ledger.db"))
    with pytest.raises(ReboardError, match="cannot be opened"):
        await thread.ask(Ledger.games)
    (tmp_path / "state").unlink()
    await thread.ask(Ledger.games)
    await thread.close()


async def test_a_damaged_file_is_reported_and_opened_again(ledger_file: Path) -> None:
    opened: list[LedgerFile] = []

    def open_it() -> LedgerFile:
        opened.append(LedgerFile(ledger_file))
        return opened[-1]

    def fail(_: Ledger) -> None:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    thread = LedgerThread(open_it)
    await thread.ask(begun)
    with pytest.raises(ReboardError, match="is damaged: database disk image is malformed") as told:
        await thread.ask(fail)
    assert not isinstance(told.value, Rejection)
    await thread.ask(paid(100))
    assert len(opened) == 2
    await thread.close()


def test_a_ledger_that_another_program_locks_says_which(ledger_file: Path) -> None:
    locks = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "print(flush=True)\n"
        "sys.stdin.read()\n"
    )

    def impatient(uri: str) -> sqlite3.Connection:
        connection = open_database(uri)
        connection.execute("PRAGMA busy_timeout = 10")
        return connection

    async def main() -> None:
        books = LedgerThread(partial(LedgerFile, ledger_file, database=impatient))
        await books.ask(begun)
        command = (sys.executable, "-c", locks, ledger_file)
        other = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        assert other.stdout
        await other.stdout.readline()
        with pytest.raises(Rejection, match="disk"):
            await books.ask(paid(5))
        assert f"(process {other.pid}) has locked the ledger: close that program" in (books.fault or "")
        await other.communicate(b"")
        await books.ask(paid(5))
        assert books.fault is None
        await books.close()

    asyncio.run(main())
