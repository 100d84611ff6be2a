"""A table with a real ledger behind a real control socket, which does what a test says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from reboard.accessories.banker_unit import schema
from reboard.accessories.banker_unit.accounts import BANK
from reboard.accessories.banker_unit.game_history import outgoing
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.config.mqtt import BrokerAddress, MqttConfig
from reboard.errors import RequestError
from reboard.strict_json import Json
from tests.reboard.accessories.banker_unit.ledger_calls import pay
from tests.reboard.web.fake_table import FakeTable
from tests.virtual import happened


class TableWithLedger(FakeTable):
    """A `FakeTable` that answers ``transfers`` from a ledger in memory. Without a ledger, it has no banker unit."""

    def __init__(self, path: Path, *, has_bank: bool = True) -> None:
        super().__init__(path)
        self._presses = 0
        self.ledger = new_ledger() if has_bank else None
        if self.ledger:
            self.now["ledger"] = self.ledger.name()

    async def read(self, do: str, /, **args: object) -> object:
        if self.ledger is None:
            raise RequestError("this table has no banker unit")
        assert do == "transfers"
        return Json(outgoing(self.ledger, **args))  # type: ignore[arg-type]

    def pay(self, count: int = 1, *, is_heard: bool = True) -> None:
        """Pay *count* salaries. Their events can be lost."""
        assert self.ledger
        for _ in range(count):
            self._presses += 1
            row = pay(self.ledger, 1, BANK, 1, 1, reason="salary", press=f"press {self._presses}", at=1.7e9)
            fields = {name: value for name, value in row.as_json().items() if name not in ("at", "act")}
            if is_heard:
                self.events.emit(happened("transfer", **fields))

    @property
    def rows(self) -> list[dict[str, object]]:
        """The ledger's rows, as the broker's clients get them."""
        assert self.ledger
        answer = json.loads(outgoing(self.ledger, 0, 100_000))
        rows, prev = [], 0
        for row in answer["transfers"]:
            del row["act"]  # a copy needs none: each transfer is undone by its own
            rows.append({"ledger": answer["ledger"], "prev": prev, "edition": "world", **row})
            prev = row["id"]
        return rows


def new_ledger() -> Ledger:
    """Return a ledger in memory, with a game of two players."""
    ledger = Ledger(sqlite3.connect(":memory:", isolation_level=None))
    schema.migrate(ledger.connection)
    ledger.new_game("world", 1500, at=1.7e9, cards=(1, 2))
    return ledger


@asynccontextmanager
async def open_table(path: Path, *, has_bank: bool = True) -> AsyncIterator[TableWithLedger]:
    """Open a `TableWithLedger` at the control socket *path*, and close it at the end."""
    table = TableWithLedger(path, has_bank=has_bank)
    await table.open()
    try:
        yield table
    finally:
        await table.socket.close()
        if table.ledger:
            with closing(table.ledger):
                pass


def config(address: BrokerAddress, table: str = "table-1", **settings: bool) -> MqttConfig:
    """Return the section ``[mqtt]`` for the broker at *address*."""
    return MqttConfig(
        address.host, address.port, address.ca, address.user, address.password_file, table=table, **settings
    )
