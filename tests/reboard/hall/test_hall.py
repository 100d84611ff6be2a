"""The hall between broker and store: nothing is acknowledged that is not stored, and every problem is a sentence."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pytest

from reboard.cli import main
from reboard.config.mqtt import BrokerAddress
from reboard.hall import hall as hall_module
from reboard.hall.hall import LONGEST_PAUSE_S, LOOK_S, Hall
from reboard.hall.store import Batch, Store, StoreError
from reboard.mqtt.broker import ReceivedMessage
from reboard.mqtt.broker_errors import DELIVERED, FORBIDDEN, BrokerError
from reboard.mqtt.topics import TopicLevel, topic
from reboard.web.responses import EventStreams
from tests.reboard.hall.club import PlayedTable, Sent


class FakeBroker:
    """A broker that keeps the messages which are not acknowledged, and sends them again after a lost connection."""

    def __init__(self) -> None:
        self.unread: list[ReceivedMessage] = []
        self.unacknowledged: dict[int, ReceivedMessage] = {}
        self.published: list[tuple[str, bytes]] = []
        self.code = DELIVERED
        self.lost: asyncio.Event = asyncio.Event()
        self.is_unsteady = False
        self.connections = 0
        self._news = asyncio.Event()
        self._count = 0

    @asynccontextmanager
    async def connected(self, *_: object, **__: object) -> AsyncIterator[FakeBroker]:
        self.unread = list(self.unacknowledged.values())
        self._news.set()
        self.connections += 1
        if not self.is_unsteady:
            self.lost.clear()
        yield self

    def send(self, *messages: Sent) -> None:
        for name, payload, is_retained in messages:
            self._count += 1
            message = ReceivedMessage(name, payload, 1, self._count, is_retained, None, None)
            self.unacknowledged[self._count] = message
            self.unread.append(message)
        self._news.set()

    async def subscribe(self, *filters: str) -> None:
        assert filters

    async def receive(self, most: int) -> list[ReceivedMessage]:
        while not self.unread:
            if self.lost.is_set():
                raise BrokerError("the connection was lost")
            self._news.clear()
            await self._news.wait()
        read, self.unread = self.unread[:most], self.unread[most:]
        return read

    def acknowledge(self, message: ReceivedMessage) -> None:
        self.unacknowledged.pop(message.mid, None)

    def publish(self, name: str, payload: bytes) -> asyncio.Future[int]:
        self.published.append((name, payload))
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        answer.set_result(self.code)
        return answer

    def lose(self) -> None:
        self.lost.set()
        self._news.set()


@asynccontextmanager
async def running(file: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Hall, FakeBroker]]:
    broker = FakeBroker()
    monkeypatch.setattr(hall_module, "connected", broker.connected)
    hall = Hall(Store(file), BrokerAddress("127.0.0.1"), EventStreams())
    work = asyncio.create_task(hall.run())
    try:
        await asyncio.sleep(1)
        yield hall, broker
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        hall.store.close()


def stored(file: Path) -> list[int]:
    with closing(sqlite3.connect(file)) as connection:
        return [number for (number,) in connection.execute("SELECT id FROM transfer ORDER BY id")]


def problem(hall: Hall) -> str | None:
    said = hall.first_events()[0].decode()
    return str(json.loads(said.partition("data: ")[2])["why"] or "")


async def test_a_full_disk_acknowledges_nothing_and_fills_up_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, table = tmp_path / "hall.sqlite", PlayedTable("table-1")
    full = False

    def write_with_limit(store: Store, batch: Batch) -> dict[tuple[str, str], int]:
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages if full else 2**30}")
        return write(store, batch)

    write = Store.write
    monkeypatch.setattr(Store, "write", write_with_limit)
    async with running(file, monkeypatch) as (hall, broker):
        broker.send(table.add())
        await asyncio.sleep(1)
        assert stored(file) == [1]
        assert broker.unacknowledged == {}
        assert problem(hall) == ""
        full = True
        broker.send(*(table.add(reason="x" * 190) for _ in range(200)))
        await asyncio.sleep(5)
        assert stored(file) == [1]
        assert len(broker.unacknowledged) == 200
        assert "the disk is full: free some space" in str(problem(hall))
        full = False
        await asyncio.sleep(2 * LONGEST_PAUSE_S)
        assert stored(file) == [row.id for row in table.rows]
        assert broker.unacknowledged == {}
        assert problem(hall) == ""


async def test_a_store_deleted_meanwhile_is_made_again_and_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, table = tmp_path / "hall.sqlite", PlayedTable("table-1")
    async with running(file, monkeypatch) as (hall, broker):
        broker.send(table.add(), table.add(), table.head())
        await asyncio.sleep(5)
        for part in tmp_path.iterdir():
            part.unlink()
        broker.published.clear()
        broker.send(table.add(), table.head())
        await asyncio.sleep(LONGEST_PAUSE_S)
        asked = [json.loads(payload) for name, payload in broker.published if name == topic("table-1", TopicLevel.HAVE)]
        assert {"ledger": table.ledger, "upto": 0, "again": True} in asked
        broker.send(*map(table.message, table.rows))
        await asyncio.sleep(1)
        assert stored(file) == [row.id for row in table.rows]
        assert problem(hall) == ""


@pytest.mark.parametrize(("pages", "least", "most"), [(1, 30, 50), (500, 3, 5)])
async def test_pages_get_fewer_messages_if_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int, least: int, most: int
) -> None:
    published: list[bytes] = []
    written: list[bool] = []
    write = Store.write

    def count_states(store: Store, batch: Batch) -> dict[tuple[str, str], int]:
        written.append(bool(batch.states))
        return write(store, batch)

    monkeypatch.setattr(Store, "write", count_states)
    monkeypatch.setattr(EventStreams, "count", pages)
    monkeypatch.setattr(EventStreams, "publish", lambda _, event: published.append(event))
    table = PlayedTable("table-1")
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (_, broker):
        published.clear()
        for clock in range(100):
            broker.send(table.state(clock=clock))
            await asyncio.sleep(0.01)
        assert least <= len(published) <= most
        assert sum(written) <= 1, "the memory card is spared"
        await asyncio.sleep(1)
        assert b'"clock":99' in published[-1]


async def test_a_table_that_is_removed_and_brought_back_at_once_sends_all_its_rows_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, table = tmp_path / "hall.sqlite", PlayedTable("table-1")
    async with running(file, monkeypatch) as (_, broker):
        broker.send(table.online(), table.add(), table.add(), table.head(), table.state())
        await asyncio.sleep(2)
        for option in ("--remove", "--bring-back"):
            main(["hall", option, "table-1", "--store", str(file)])
        broker.send(table.add(), table.head())
        await asyncio.sleep(30)
        asked = [json.loads(payload) for name, payload in broker.published if name == topic("table-1", TopicLevel.HAVE)]
        assert {"ledger": table.ledger, "upto": 0, "again": True} in asked[1:]
        broker.send(*map(table.message, table.rows))
        await asyncio.sleep(1)
        assert stored(file) == [row.id for row in table.rows]


async def test_a_removed_table_is_forgotten_until_it_is_brought_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, table, other = tmp_path / "hall.sqlite", PlayedTable("table-1"), PlayedTable("table-2")

    def command(option: str, name: str) -> str:
        main(["hall", option, name, "--store", str(file)])
        said = capsys.readouterr()
        return said.out + said.err

    async with running(file, monkeypatch) as (hall, broker):
        broker.send(table.online(), table.add(), table.head(), table.state(), other.add(), other.state())
        await asyncio.sleep(2)
        assert {one["name"] for one in hall.tables()} == {"table-1", "table-2"}
        assert "no table 'table-3'" in command("--remove", "table-3")
        assert "table-1 was removed with 1 games" in command("--remove", "table-1")
        broker.send(table.add(), table.head(), table.state(clock=7))
        await asyncio.sleep(2 * LOOK_S)
        broker.send(table.add(), table.head(), table.state(clock=8))
        await asyncio.sleep(5)
        assert [one["name"] for one in hall.tables()] == ["table-2"]
        assert stored(file) == [1]
        assert broker.unacknowledged == {}
    async with running(file, monkeypatch) as (hall, broker):
        broker.send(table.state(), table.head())
        await asyncio.sleep(5)
        assert [one["name"] for one in hall.tables()] == ["table-2"]
        assert "Removed tables: table-1" in command("--bring-back", "table-2")
        command("--bring-back", "table-1")
        await asyncio.sleep(2 * LOOK_S)
        broker.send(table.head(), table.state())
        await asyncio.sleep(5)
        asked = [json.loads(payload) for name, payload in broker.published if name == topic("table-1", TopicLevel.HAVE)]
        assert asked[-1] == {"ledger": table.ledger, "upto": 0, "again": True}
        broker.send(*map(table.message, table.rows))
        await asyncio.sleep(1)
        assert stored(file) == sorted([1, *(row.id for row in table.rows)])
        assert {one["name"] for one in hall.tables()} == {"table-1", "table-2"}
    file.unlink()
    assert "name the file of the hall with --store" in command("--remove", "table-1")


async def test_a_lost_connection_and_a_forbidden_answer_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = PlayedTable("table-1")
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (hall, broker):
        broker.lose()
        await asyncio.sleep(0.1)
        assert problem(hall) == "the connection was lost"
        await asyncio.sleep(2)
        assert problem(hall) == ""
        broker.code = FORBIDDEN
        broker.send(table.head())
        await asyncio.sleep(2)
        assert "reboard mqtt acl" in str(problem(hall))


async def test_a_full_hall_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reboard.hall.receiver.MOST_TABLES", 1)
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (hall, broker):
        broker.send(PlayedTable("made-up").state())
        await asyncio.sleep(1)
        assert problem(hall) == ""
        broker.send(PlayedTable("table-1").state())
        await asyncio.sleep(1)
        assert "reboard mqtt acl" in str(problem(hall))
        assert [one["name"] for one in hall.tables()] == ["made-up"]


@pytest.mark.parametrize("method", ["sort", "due", "changed"])
async def test_a_bug_does_not_end_the_hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    table = PlayedTable("table-1")
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (hall, broker):
        with monkeypatch.context() as broken:
            broken.setattr(hall.receiver, method, lambda *_: 1 / 0)
            broker.send(table.online(), table.state(), table.add())
            await asyncio.sleep(5)
            assert "ZeroDivisionError" in str(problem(hall))
        await asyncio.sleep(2 * LONGEST_PAUSE_S)
        assert stored(tmp_path / "hall.sqlite") == [1]
        broker.send(table.head())
        await asyncio.sleep(2)
        assert [one["stale"] for one in hall.tables()] == [False]


async def test_a_connection_that_is_lost_at_once_is_not_tried_ever_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (_, broker):
        broker.is_unsteady = True
        broker.lose()
        await asyncio.sleep(60)
        assert broker.connections < 12
        broker.is_unsteady = False
        await asyncio.sleep(2 * LONGEST_PAUSE_S)
        before = broker.connections
        broker.lose()
        await asyncio.sleep(1)
        assert broker.connections == before + 1, "after a steady time the first pause is short"


async def test_a_hall_that_starts_again_shows_the_tables_at_once_as_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = PlayedTable("table-1")
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (hall, broker):
        broker.send(table.online(), table.state())
        await asyncio.sleep(2)
        assert [one["stale"] for one in hall.tables()] == [False]
    async with running(tmp_path / "hall.sqlite", monkeypatch) as (hall, broker):
        [shown] = hall.tables()
        assert shown["stale"] is True
        assert shown["game"] == 1
        assert shown["seen_at"] is not None


@contextmanager
def refused(words: str) -> Iterator[None]:
    with pytest.raises(StoreError) as error:
        yield
    assert words in str(error.value)


def test_a_store_that_cannot_be_used_says_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "hall.sqlite"
    with closing(Store(file)), refused("another hall uses this file"):
        Store(file)
    content = bytearray(file.read_bytes())
    file.write_bytes(b"x" * 5000)
    with refused("not a store of the hall"):
        Store(file)
    assert file.read_bytes() == b"x" * 5000
    file.write_bytes(content[:16] + b"x" * 5000)
    with refused(f"mv {file} {file}.damaged"):
        Store(file)
    file.write_bytes(content.replace(b"CREATE TABLE", b"CREATE TABL\xb6", 1))
    with refused(f"mv {file} {file}.damaged"):
        Store(file)
    content[4096:] = b"\xff" * len(content[4096:])
    file.write_bytes(content)
    with refused(f"mv {file} {file}.damaged"):
        Store(file)
    file.unlink()
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE photos (name)")
    with refused("not a store of the hall"):
        Store(file)
    file.unlink()
    with closing(Store(file)):
        pass
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA user_version = 99")
    with refused("another version"):
        Store(file)
    (tmp_path / "taken").touch()
    with refused("check the path"):
        Store(tmp_path / "taken" / "hall.sqlite")
