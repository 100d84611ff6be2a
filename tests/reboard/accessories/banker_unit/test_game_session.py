"""The game session: the current game in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
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
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.board import open_database
from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from reboard.events import Event, Events
from reboard_sim.virtual_time import run

T = TypeVar("T")


class Counter:
    """A till on the ledger in a file, and the events that it told."""

    def __init__(self, file: Path, edition: str, books: type[LedgerThread] = LedgerThread) -> None:
        self.events: list[Event] = []
        events = Events(lambda: 0.0)
        events.listen(self.events.append)
        self.books = books(partial(LedgerFile, file))
        self.till = GameSession(self.books, load_edition(edition), emit=events.emit, wall_time=lambda: 1_700_000_000)

    def told(self, name: str) -> list[dict[str, object]]:
        return [dict(event.fields) for event in self.events if event.name == name]


def at_till(
    file: Path,
    work: Callable[[Counter], Awaitable[None]],
    edition: str = "world",
    books: type[LedgerThread] = LedgerThread,
) -> Counter:
    """Do *work* at a till that is switched on for it."""
    counters: list[Counter] = []

    async def main() -> None:
        counter = Counter(file, edition, books)
        counters.append(counter)
        try:
            await work(counter)
        finally:
            await counter.books.close()

    run(main)
    return counters[0]


async def only_open(counter: Counter) -> None:
    assert await counter.till.open(failed=lambda _: None) is None


async def open_and_play(counter: Counter) -> None:
    await only_open(counter)
    await counter.till.admit("C1")
    await counter.till.pay(BANK, 1, counter.till.edition.salary, "salary")


def test_repeated_random_numbers_lose_no_press(ledger_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was seen on an emulated machine that was put back to one moment again and again."""
    monkeypatch.setattr(game_session, "uuid4", lambda: UUID(int=1))

    async def pay_twice(counter: Counter) -> None:
        await open_and_play(counter)
        await counter.till.pay(BANK, 1, counter.till.edition.salary, "salary")

    for visit in range(1, 4):
        counter = at_till(ledger_file, pay_twice)
        assert counter.till.balances == {1: counter.till.edition.start + 2 * visit * counter.till.edition.salary}
        with closing(LedgerFile(ledger_file, read_only=True)) as ledger:
            assert ledger.balances(1) == counter.till.balances


def test_the_game_that_a_config_wants_is_kept_together_with_its_edition(ledger_file: Path) -> None:
    at_till(ledger_file, only_open, "world")
    commits: list[str] = []

    def watched(name: str) -> sqlite3.Connection:
        connection = open_database(name)
        connection.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
        return connection

    class Watched(LedgerThread):
        def __init__(self, _: Callable[[], Ledger]) -> None:
            super().__init__(partial(LedgerFile, ledger_file, database=watched))

    at_till(ledger_file, only_open, "nintendo", Watched)
    assert commits == ["COMMIT"]
    with closing(LedgerFile(ledger_file)) as ledger:
        assert ledger.setting(CONFIGURED_EDITION) == "nintendo"


def test_a_first_game_in_doubt_is_reported_when_it_is_found(ledger_file: Path) -> None:
    class SaysItFailed(LedgerThread):
        async def ask(self, call: Callable[[Ledger], T]) -> T:
            result = await super().ask(call)
            if "_start_game" in call.__qualname__:
                raise Rejection("disk")
            return result

    async def try_twice(counter: Counter) -> None:
        failures: list[str] = []
        await counter.till.open(failed=failures.append)
        assert len(failures) == 1
        assert counter.told("game.started") == [{"game": 1, "edition": "world"}]

    at_till(ledger_file, try_twice, books=SaysItFailed)


def test_a_start_and_what_was_undone_or_belongs_to_another_game_cannot_be_undone(ledger_file: Path) -> None:
    async def ask(counter: Counter) -> None:
        async def is_refused(number: int) -> None:
            with pytest.raises(Rejection) as rejection:
                await counter.till.undo(number)
            assert rejection.value.why == "nothing to undo"

        await open_and_play(counter)
        await counter.till.undo(2)
        for number in (9, 1, 2, 3):
            await is_refused(number)
        await counter.till.pay(BANK, 1, counter.till.edition.salary, "salary")
        await counter.till.start_game(counter.till.edition)
        await is_refused(4)

    at_till(ledger_file, ask)


def test_a_debtor_that_retired_with_nothing_keeps_no_one_elses_money_when_it_comes_back(
    ledger_file: Path, tmp_path: Path
) -> None:
    """What made its debt good was another player's bankruptcy, and that one stays."""
    own = tmp_path / "debts.toml"
    boxed = (resources.files("reboard.editions") / "nintendo.toml").read_text(encoding="utf-8")
    own.write_text(f"may_owe = true\n{boxed}", encoding="utf-8")

    async def owe(counter: Counter) -> None:
        game_session = counter.till
        await only_open(counter)
        await game_session.admit("C1")
        await game_session.admit("C2")
        await game_session.pay(2, BANK, 3000, "paid")
        await game_session.bankrupt(1, 2)
        assert game_session.balances == {1: 0, 2: 0}
        assert await game_session.bankrupt(2, BANK) is None
        await game_session.readmit(2)
        assert game_session.retired == {1}
        assert game_session.balances == {1: 0, 2: 0}
        assert await counter.books.ask(lambda ledger: ledger.retired(1)) == {1}

    at_till(ledger_file, owe, str(own))
