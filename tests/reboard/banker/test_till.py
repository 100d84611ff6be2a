"""The game that is on, as the books have it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import pytest

from reboard.banker import till
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.ledger import BANK, Ledger
from reboard.banker.no_ledger import NoLedgerError
from reboard.banker.till import CONFIGURED_EDITION, Till
from reboard.database import open_database
from reboard.edition import editions_in_the_box, load_edition
from reboard.events import Event, Events
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import table

T = TypeVar("T")


class Counter:
    """A till on the ledger in a file, and the events that it told."""

    def __init__(self, file: Path, edition: str, books: Callable[[Path], Bookkeeper] = Bookkeeper) -> None:
        self.events: list[Event] = []
        events = Events(lambda: 0.0)
        events.listen(self.events.append)
        self.books = books(file)
        self.till = Till(self.books, load_edition(edition), emit=events.emit, wall_time=lambda: 1_700_000_000)

    def told(self, name: str) -> list[dict[str, object]]:
        return [dict(event.fields) for event in self.events if event.name == name]


def at_till(
    file: Path,
    work: Callable[[Counter], Awaitable[None]],
    edition: str = "world",
    books: Callable[[Path], Bookkeeper] = Bookkeeper,
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
    assert await counter.till.open() is None


async def open_and_play(counter: Counter) -> None:
    await only_open(counter)
    await counter.till.join(1)
    await counter.till.pay(BANK, 1, counter.till.edition.salary, "salary")


def test_a_machine_whose_randomness_comes_again_books_every_press(
    ledger_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it was seen on an emulated machine that was put back to one moment again and again."""
    monkeypatch.setattr(till, "uuid4", lambda: UUID(int=1))

    async def pay_twice(counter: Counter) -> None:
        await open_and_play(counter)
        await counter.till.pay(BANK, 1, counter.till.edition.salary, "salary")

    for visit in range(1, 4):
        counter = at_till(ledger_file, pay_twice)
        assert counter.till.balances == {1: counter.till.edition.start + 2 * visit * counter.till.edition.salary}
        with closing(Ledger(ledger_file, read_only=True)) as ledger:
            assert ledger.balances(1) == counter.till.balances


def test_a_new_ledger_begins_with_a_game_in_the_configs_edition(ledger_file: Path) -> None:
    first = at_till(ledger_file, only_open, "nintendo")
    assert first.told("game.started") == [{"game": 1, "edition": "nintendo"}]
    assert first.till.game == 1


def test_the_game_goes_on_with_its_balances_after_a_restart(ledger_file: Path) -> None:
    at_till(ledger_file, open_and_play)
    again = at_till(ledger_file, only_open)
    assert again.events == []
    assert again.till.balances == {1: 17_000_000}
    assert [transfer.reason for transfer in again.till.latest] == ["salary", "start"]


def test_a_game_of_another_edition_that_was_begun_at_the_keypad_goes_on_in_it(ledger_file: Path) -> None:
    async def choose(counter: Counter) -> None:
        await only_open(counter)
        await counter.till.start_game(load_edition("nintendo"))

    at_till(ledger_file, choose)
    again = at_till(ledger_file, only_open)
    assert again.till.edition.name == "nintendo"
    assert again.till.game == 2


def test_a_config_that_names_another_edition_wants_a_new_game_in_it(ledger_file: Path) -> None:
    at_till(ledger_file, open_and_play)
    other = at_till(ledger_file, only_open, "nintendo")
    assert other.till.edition.name == "nintendo"
    assert other.till.game == 2
    assert at_till(ledger_file, only_open, "nintendo").till.game == 2, "once"
    assert at_till(ledger_file, only_open, "world").till.game == 3


def test_a_config_that_names_the_edition_that_is_played_anyway_ends_no_game(ledger_file: Path) -> None:
    async def choose(counter: Counter) -> None:
        await only_open(counter)
        await counter.till.start_game(load_edition("nintendo"))

    at_till(ledger_file, choose)
    assert at_till(ledger_file, only_open, "nintendo").till.game == 2


def test_a_ledger_from_before_there_was_a_choice_goes_on(ledger_file: Path) -> None:
    with closing(Ledger(ledger_file)) as ledger:
        ledger.new_game("world", 15_000_000, at=1.0, cards=(1,))
    assert at_till(ledger_file, only_open).till.balances == {1: 15_000_000}


def test_the_game_that_a_config_wants_is_kept_together_with_its_edition(ledger_file: Path) -> None:
    at_till(ledger_file, only_open, "world")
    commits: list[str] = []

    def watched(name: str) -> sqlite3.Connection:
        connection = open_database(name)
        connection.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
        return connection

    at_till(ledger_file, only_open, "nintendo", partial(Bookkeeper, database=watched))
    assert commits == ["COMMIT"]
    with closing(Ledger(ledger_file)) as ledger:
        assert ledger.setting(CONFIGURED_EDITION) == "nintendo"


def test_a_game_whose_edition_is_gone_is_put_aside_and_returned(ledger_file: Path) -> None:
    at_till(ledger_file, only_open)
    with closing(Ledger(ledger_file)) as ledger:
        ledger.new_game("our street", 100, at=2.0, cards=(1, 2))

    async def miss_it(counter: Counter) -> None:
        missed = await counter.till.open()
        assert missed is not None
        assert (missed.id, missed.edition) == (2, "our street")
        assert counter.till.game == 3
        assert counter.till.edition.name == "world"

    at_till(ledger_file, miss_it)
    assert at_till(ledger_file, only_open).till.game == 3


def test_the_unit_says_that_an_edition_is_gone(ledger_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    at_till(ledger_file, only_open)
    with closing(Ledger(ledger_file)) as ledger:
        ledger.new_game("our street", 100, at=2.0)

    async def main() -> None:
        async with table(ledger_file) as at_table:
            assert at_table.lines == ("EDITION IS GONE", "INSERT CARD")
            await at_table.insert("left", 1)
            assert at_table.lines == ("+1 15M", "")

    with caplog.at_level(logging.WARNING):
        run(main)
    assert caplog.messages == [
        "game 2 is put aside: its edition our street is not here any more; a new one is on in world"
    ]


def test_the_editions_are_the_configs_own_and_then_the_boxs_each_once(ledger_file: Path, tmp_path: Path) -> None:
    own = tmp_path / "nintendo.toml"
    own.write_bytes((resources.files("reboard.editions") / "world.toml").read_bytes())
    counter = at_till(ledger_file, only_open, str(own))
    names = [edition.name for edition in counter.till.editions()]
    others = [edition.name for edition in editions_in_the_box() if not edition.name.startswith("nintendo")]
    assert names == ["nintendo", "nintendo/quick", *others]
    assert counter.till.editions()[0].money.units, "the owner's file comes first"


def test_a_game_that_is_gone_on_with_is_on_when_the_disk_has_it(ledger_file: Path) -> None:
    """Whatever is looked up is looked up before: afterwards nothing can fail and leave the till in the wrong game."""

    class Fails(Bookkeeper):
        calls = 0

        async def ask(self, call: Callable[[Ledger], T]) -> T:
            result = await super().ask(call)
            if "resumed" in call.__qualname__:
                self.calls = 1
            elif self.calls:
                raise Refusal("disk")
            return result

    async def go_on(counter: Counter) -> None:
        await open_and_play(counter)
        await counter.till.start_game(counter.till.edition)
        (kept,) = await counter.till.kept_games()
        await counter.till.resume(kept.game)
        assert counter.till.game == 1
        assert counter.till.balances == {1: 17_000_000}

    at_till(ledger_file, go_on, books=Fails)


def test_a_first_game_that_the_disk_said_it_had_not_saved_is_told_when_it_is_found(ledger_file: Path) -> None:
    class SaysItFailed(Bookkeeper):
        async def ask(self, call: Callable[[Ledger], T]) -> T:
            result = await super().ask(call)
            if "_start_game" in call.__qualname__:
                raise Refusal("disk")
            return result

    async def try_twice(counter: Counter) -> None:
        with pytest.raises(NoLedgerError):
            await counter.till.open()
        assert counter.events == []
        await only_open(counter)
        assert counter.told("game.started") == [{"game": 1, "edition": "world"}]

    at_till(ledger_file, try_twice, books=SaysItFailed)


def test_a_press_books_once_though_the_answer_got_lost(ledger_file: Path) -> None:
    async def twice(counter: Counter) -> None:
        await open_and_play(counter)
        await counter.till.pay(BANK, 1, 1_000_000, "received")
        await counter.till.pay(BANK, 1, 1_000_000, "received")

    counter = at_till(ledger_file, twice)
    assert counter.till.balances == {1: 19_000_000}, "two presses are two transfers"
    assert len({transfer.id for transfer in counter.till.latest}) == 4


def test_what_is_not_taken_back_is_told_with_its_reason(ledger_file: Path) -> None:
    async def ask(counter: Counter) -> None:
        till = counter.till

        async def refused(number: int) -> str:
            with pytest.raises(Refusal) as refusal:
                await till.undo(number)
            assert refusal.value.why == "nothing to undo"
            return str(refusal.value)

        await open_and_play(counter)
        await till.undo(2)
        await till.pay(BANK, 1, 1_000_000, "recovered")
        assert await refused(9) == "there is no transfer 9"
        assert await refused(1) == "transfer 1 is what card 1 began the game with, and is not taken back"
        assert await refused(2) == "transfer 2 was taken back already, by transfer 3"
        assert await refused(3) == "transfer 3 took transfer 2 back, and is not taken back itself"
        assert "lost when the file was damaged" in await refused(4)
        await till.start_game(till.edition)
        assert await refused(2) == "transfer 2 belongs to game 1, and it is game 2 that is on"

    at_till(ledger_file, ask)


def test_a_debtor_that_retired_with_nothing_keeps_no_one_elses_money_when_it_comes_back(
    ledger_file: Path, tmp_path: Path
) -> None:
    """What made its debt good was another player's bankruptcy, and that one stays."""
    own = tmp_path / "debts.toml"
    boxed = (resources.files("reboard.editions") / "nintendo.toml").read_text(encoding="utf-8")
    own.write_text(f"may_owe = true\n{boxed}", encoding="utf-8")

    async def owe(counter: Counter) -> None:
        till = counter.till
        await only_open(counter)
        await till.join(1)
        await till.join(2)
        await till.pay(2, BANK, 3000, "paid")
        await till.bankrupt(1, 2)
        assert till.balances == {1: 0, 2: 0}
        assert await till.bankrupt(2, BANK) is None
        await till.readmit(2)
        assert till.retired == {1}
        assert till.balances == {1: 0, 2: 0}
        assert await counter.books.ask(lambda ledger: ledger.retired(1)) == {1}

    at_till(ledger_file, owe, str(own))
