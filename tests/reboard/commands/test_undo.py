"""Taking a transfer back from the terminal: the one that is meant, whatever happens to the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reboard.commands.ledger import undo
from reboard.door.client import USUAL_TIMEOUT_S
from reboard.door.server import TableDoor
from reboard.errors import DoorError, ReboardError
from reboard.events import Events
from reboard.refusal import Refusal
from reboard_sim.virtual_time import run


def transfer(number: int, reason: str = "bank", undoes: int | None = None) -> dict[str, object]:
    return {"id": number, "reason": reason, "undoes": undoes}


class FakeTable:
    """Its latest transfers, newest first, and what it was asked to take back."""

    def __init__(self, *transfers: dict[str, object], answers_after_s: float = 0.0) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.transfers = list(transfers)
        self.asked: list[dict[str, object]] = []
        self._answers_after_s = answers_after_s

    def snapshot(self) -> dict[str, object]:
        return {"transfers": self.transfers}

    async def request(self, do: str, **args: object) -> object:
        self.asked.append(args)
        await asyncio.sleep(self._answers_after_s)
        if not args:
            raise Refusal("nothing to undo")
        opposite = transfer(100, "undo", undoes=int(str(args["transfer"])))
        self.transfers.insert(0, opposite)
        return opposite


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


@pytest.mark.parametrize(
    ("latest", "meant"),
    [
        ([transfer(9), transfer(8)], 9),
        ([transfer(10, undoes=9), transfer(9), transfer(8)], 8),
        ([transfer(9, "start"), transfer(8)], 8),
    ],
)
def test_the_last_transfer_that_can_be_taken_back_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], latest: list[dict[str, object]], meant: int
) -> None:
    table = at_the_door(tmp_path, lambda: FakeTable(*latest), lambda: undo(tmp_path / "table.sock"))
    assert table.asked == [{"transfer": meant}]
    assert capsys.readouterr().out == f"transfer {meant} was taken back by transfer 100\n"


def test_a_transfer_may_be_named(tmp_path: Path) -> None:
    table = at_the_door(tmp_path, lambda: FakeTable(transfer(9), transfer(8)), lambda: undo(tmp_path / "table.sock", 8))
    assert table.asked == [{"transfer": 8}]


def test_where_there_is_none_the_table_says_so(tmp_path: Path) -> None:
    with pytest.raises(ReboardError, match="there is no transfer that could be taken back"):
        at_the_door(tmp_path, lambda: FakeTable(transfer(1, "start")), lambda: undo(tmp_path / "table.sock"))


def test_an_answer_that_does_not_come_tells_how_to_make_sure(tmp_path: Path) -> None:
    def slow() -> FakeTable:
        return FakeTable(transfer(9), transfer(8), answers_after_s=2 * USUAL_TIMEOUT_S)

    with pytest.raises(DoorError, match=r"did not answer .*; whether transfer 9 was .*: `reboard ledger undo 9` makes"):
        at_the_door(tmp_path, slow, lambda: undo(tmp_path / "table.sock"))
