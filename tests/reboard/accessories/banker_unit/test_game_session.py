"""The game session: the current game in memory."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import pytest

from reboard.accessories.banker_unit import game_session
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.game_session import CONFIGURED_EDITION, GameSession
from reboard.accessories.banker_unit.ledger import BANK, Ledger
from reboard.accessories.banker_unit.ledger_errors import Cause
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.board import open_database
from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from reboard.events import Emit, ignore_event
from tests.virtual import Recorder

T = TypeVar("T")


@asynccontextmanager
async def opened(
    thread: LedgerThread,
    edition: str = "world",
    *,
    emit: Emit = ignore_event,
    failed: Callable[[Cause], None] = lambda _: None,
) -> AsyncIterator[GameSession]:
    session = GameSession(thread, load_edition(edition), emit=emit, wall_time=lambda: 1_700_000_000)
    try:
        assert await session.open(failed=failed) is None
        yield session
    finally:
        await thread.close()


async def test_repeated_random_numbers_lose_no_press(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on an emulated machine that was put back to one moment again and again."""
    monkeypatch.setattr(game_session, "uuid4", lambda: UUID(int=1))
    for visit in range(1, 4):
        async with opened(LedgerThread(partial(LedgerFile, ledger_file))) as session:
            await session.admit("C1")
            for _ in range(2):
                await session.pay(BANK, 1, session.edition.salary, "salary")
            assert session.balances == {1: session.edition.start + 2 * visit * session.edition.salary}
        with closing(LedgerFile(ledger_file, read_only=True)) as ledger:
            assert ledger.balances(1) == session.balances


async def test_the_game_that_a_config_wants_is_kept_together_with_its_edition(
    ledger_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    commits: list[str] = []

    def watched(name: str) -> sqlite3.Connection:
        connection = open_database(name)
        connection.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
        return connection

    async with opened(LedgerThread(partial(LedgerFile, ledger_file))):
        assert not caplog.records
    async with opened(LedgerThread(partial(LedgerFile, ledger_file, database=watched)), "nintendo"):
        assert commits == ["COMMIT"]
        (record,) = caplog.records
        assert "game 1" in record.getMessage()
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.setting(CONFIGURED_EDITION) == "nintendo"


async def test_a_first_game_in_doubt_is_reported_when_it_is_found(ledger_file: Path) -> None:
    class SaysItFailed(LedgerThread):
        async def ask(self, call: Callable[[Ledger], T]) -> T:
            result = await super().ask(call)
            if "_start_game" in call.__qualname__:
                raise Rejection("disk")
            return result

    failures: list[Cause] = []
    emit = Recorder()
    async with opened(SaysItFailed(partial(LedgerFile, ledger_file)), emit=emit, failed=failures.append):
        assert len(failures) == 1
        assert emit.events.count(("game.started", {"game": 1, "edition": "world"})) == 1


async def test_a_start_and_what_was_undone_or_belongs_to_another_game_cannot_be_undone(ledger_file: Path) -> None:
    async with opened(LedgerThread(partial(LedgerFile, ledger_file))) as session:
        await session.admit("C1")
        await session.pay(BANK, 1, session.edition.salary, "salary")
        await session.undo(2)
        for number in (9, 1, 2, 3):
            with pytest.raises(Rejection, match=rf"transfer {number}\b") as rejection:
                await session.undo(number)
            assert rejection.value.why == "nothing to undo"
        await session.pay(BANK, 1, session.edition.salary, "salary")
        await session.start_game(session.edition)
        with pytest.raises(Rejection, match="transfer 4"):
            await session.undo(4)


async def test_a_debtor_that_retired_with_nothing_keeps_no_one_elses_money_when_it_comes_back(
    ledger_file: Path, tmp_path: Path
) -> None:
    """What made its debt good was another player's bankruptcy, and that one stays."""
    own = tmp_path / "debts.toml"
    boxed = (resources.files("reboard.editions") / "nintendo.toml").read_text(encoding="utf-8")
    own.write_text(f"may_owe = true\n{boxed}", encoding="utf-8")
    thread = LedgerThread(partial(LedgerFile, ledger_file))
    async with opened(thread, str(own)) as session:
        await session.admit("C1")
        await session.admit("C2")
        await session.pay(2, BANK, 3000, "paid")
        await session.bankrupt(1, 2)
        assert session.balances == {1: 0, 2: 0}
        assert await session.bankrupt(2, BANK) is None
        await session.readmit(2)
        assert session.retired == {1}
        assert session.balances == {1: 0, 2: 0}
        assert await thread.ask(lambda ledger: ledger.retired(1)) == {1}
