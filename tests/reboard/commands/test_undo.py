"""Taking a transfer back from the terminal: the one that is meant, whatever happens to the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from reboard.banker.ledger import BANK, Ledger
from reboard.commands.ledger import undo
from reboard.door.client import USUAL_TIMEOUT_S
from reboard.door.server import TableDoor
from reboard.errors import DoorError, ReboardError
from reboard.events import Events
from reboard_sim.virtual_time import run


class FakeTable:
    """Takes back what it is asked to, and remembers that."""

    def __init__(self, answers_after_s: float = 0.0) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.asked: list[dict[str, object]] = []
        self._answers_after_s = answers_after_s

    def snapshot(self) -> dict[str, object]:
        return {}

    async def history(self) -> str:
        return '{"game": null, "before": {}, "transfers": []}'

    async def request(self, do: str, **args: object) -> object:
        self.asked.append(args)
        await asyncio.sleep(self._answers_after_s)
        return {"id": 100, "undoes": args["transfer"]}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A start, then 12 transfers of which all but the first, transfer 2, were taken back."""
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        game = ledger.new_game("nintendo", 1500, at=1.0, cards=(1,)).id
        wrong = [ledger.pay(game, BANK, 1, 5, reason="received", press=f"{n}", at=2.0) for n in range(12)]
        for transfer in wrong[1:]:
            ledger.undo(transfer.id, press=f"not {transfer.id}", at=3.0)
    return tmp_path / "ledger.db"


def at_the_door(tmp_path: Path, make: Callable[[], FakeTable], act: Callable[[], Awaitable[None]]) -> FakeTable:
    async def main() -> FakeTable:
        table = make()
        door = TableDoor(table, tmp_path / "table.sock")
        door.claim()
        await door.open()
        try:
            await act()
        finally:
            await door.close()
            await asyncio.sleep(1)
        return table

    table: FakeTable = run(main)
    return table


def test_the_last_transfer_that_can_be_taken_back_is_named_however_long_ago_it_was(
    tmp_path: Path, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = at_the_door(tmp_path, FakeTable, lambda: undo(tmp_path / "table.sock", book))
    assert table.asked == [{"transfer": 2, "by": "reboard ledger"}]
    assert capsys.readouterr().out == "transfer 2 was taken back by transfer 100\n"


def test_a_transfer_may_be_named(tmp_path: Path, book: Path) -> None:
    table = at_the_door(tmp_path, FakeTable, lambda: undo(tmp_path / "table.sock", book, 8))
    assert table.asked == [{"transfer": 8, "by": "reboard ledger"}]


def test_where_there_is_none_nothing_is_asked(tmp_path: Path, book: Path) -> None:
    with closing(Ledger(book)) as ledger:
        ledger.undo(2, press="the first", at=4.0)
    with pytest.raises(ReboardError, match="there is no transfer that could be taken back"):
        at_the_door(tmp_path, FakeTable, lambda: undo(tmp_path / "table.sock", book))


def test_an_answer_that_does_not_come_tells_how_to_make_sure(tmp_path: Path, book: Path) -> None:
    with pytest.raises(DoorError, match=r"did not answer .*; whether transfer 2 was .*: `reboard ledger undo 2` makes"):
        at_the_door(tmp_path, lambda: FakeTable(2 * USUAL_TIMEOUT_S), lambda: undo(tmp_path / "table.sock", book))
