"""The bridge between a table and a real broker."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypedDict

import pytest

from reboard.accessories.banker_unit.vocabulary import CardInserted, GameEnded
from reboard.accessories.question_block.vocabulary import Drawn, QuietSet
from reboard.accessories.worm_apple import vocabulary as worm_apple
from reboard.config.mqtt import BrokerAddress, MqttConfig
from reboard.mqtt import bridge as module
from reboard.mqtt import outbox as outbox_module
from reboard.mqtt import requests
from reboard.mqtt.bridge import Bridge
from reboard.mqtt.broker import connected
from reboard.mqtt.topics import Have
from tests.mosquitto import MakeMosquitto, free_port
from tests.reboard.mqtt.fake_table import config, new_ledger, open_table
from tests.reboard.web.fake_table import PLAYS
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

LOUDER = b'{"do": "volume", "level": 4}'


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, name, seconds in (
        (module, "FIRST_PAUSE_S", 0.05),
        (module, "LONGEST_PAUSE_S", 0.2),
        (module, "TABLE_PAUSE_S", 0.2),
        (module, "HEAD_S", 0.3),
        (module, "CURSOR_S", 0.05),
        (outbox_module, "FIRST_PAUSE_S", 0.05),
        (outbox_module, "AGAIN_S", 0.1),
    ):
        monkeypatch.setattr(place, name, seconds)


class Hearer:
    """A client of the broker that keeps what it hears, by the last level of the topic."""

    def __init__(self) -> None:
        self.heard: dict[str, list[Any]] = {}
        self._news = asyncio.Event()

    async def listen(self, address: BrokerAddress, client_id: str) -> None:
        async with connected(address, client_id) as broker:
            await broker.subscribe("reboard/table-1/#", "homeassistant/#")
            while True:
                for message in await broker.receive(100):
                    kind = message.topic.rpartition("/")[2]
                    text = message.payload.decode(errors="replace")
                    self.heard.setdefault(kind, []).append(json.loads(text) if text.startswith(("{", "[")) else text)
                    broker.acknowledge(message)
                self._news.set()

    async def until(self, holds: Callable[[dict[str, list[Any]]], object]) -> None:
        """Wait until *holds* is true of what was heard."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds(self.heard):
                self._news.clear()
                await self._news.wait()

    @property
    def rows(self) -> list[Any]:
        """Each row that was heard, once."""
        rows = {row["id"]: row for row in self.heard.get("transfer", [])}
        return [rows[id_] for id_ in sorted(rows)]


@asynccontextmanager
async def running(*lives: Any) -> AsyncIterator[None]:
    tasks = [asyncio.ensure_future(life) for life in lives]
    try:
        yield
        assert not any(task.done() for task in tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def hearing(address: BrokerAddress) -> AsyncIterator[Hearer]:
    hearer = Hearer()
    async with running(hearer.listen(address, "hearer")):
        yield hearer


async def until(holds: Callable[[], object]) -> None:
    """Wait until *holds*, which no event reports."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def bridge(socket: Path, mqtt: MqttConfig) -> Bridge:
    return Bridge(socket, mqtt, socket.with_name("cursor.json"))


async def test_each_row_state_and_shared_event_arrives(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    broker, socket = make_mosquitto(), tmp_path / "table.sock"
    async with open_table(socket) as table, hearing(broker.address()) as hall:
        table.pay(40)
        async with running(bridge(socket, config(broker.address())).run()):
            await hall.until(lambda heard: "state" in heard and "head" in heard and hall.rows == table.rows)
            assert hall.heard["availability"] == ["online"]
            table.pay(3)
            table.events.emit(Drawn("coins", 3))
            table.events.emit(CardInserted("left", 1))
            table.events.emit(GameEnded(1, [{"place": 1, "number": 1, "name": "Anna", "worth": 5, "shown": "5"}]))
            await hall.until(lambda heard: len(heard.get("event", [])) == 2 and hall.rows == table.rows)
            coins, ended = hall.heard["event"]
            assert (coins["event"], coins["coins"], "t" in coins) == ("block.outcome", 3, False)
            ledger = table.rows[0]["ledger"]
            assert (coins["ledger"], ended["ledger"], hall.heard["state"][0]["ledger"]) == (ledger,) * 3
            assert ended["ranking"] == [{"place": 1, "number": 1, "worth": 5, "shown": "5"}]
            await hall.until(lambda heard: heard["head"][-1]["last"] == table.rows[-1]["id"])
            table.pay(is_heard=False)
            await hall.until(lambda _: hall.rows == table.rows)
        await hall.until(lambda heard: heard["availability"][-1] == "offline")
    [state] = hall.heard["state"]
    assert state["cards"][0] == {"number": 1, "balance": 16_500_000, "shown": "16.5M", **PLAYS}
    assert state["block"] == {"last": {"outcome": "coins", "coins": 3}, "quiet": False}
    assert not state.keys() & {"t", "display", "typed", "rules", "editions", "transfers", "payments"}


async def test_a_state_is_published_when_it_changes_and_at_most_ten_times_a_second(
    make_mosquitto: MakeMosquitto, tmp_path: Path
) -> None:
    broker, socket = make_mosquitto(), tmp_path / "table.sock"
    mqtt = config(broker.address(), share_names=True)
    async with open_table(socket) as table, hearing(broker.address()) as hall, running(bridge(socket, mqtt).run()):
        await hall.until(lambda heard: "state" in heard)
        assert hall.heard["state"][0]["cards"][0]["name"] == "Anna"
        loop = asyncio.get_running_loop()
        began = loop.time()
        for pot in range(100):
            table.now["pot"] = {"balance": pot, "shown": str(pot)}
            table.events.emit(QuietSet(True))
            await asyncio.sleep(0.01)
        await hall.until(lambda heard: (heard["state"][-1]["pot"] or {}).get("balance") == 99)
        assert 2 <= len(hall.heard["state"]) - 1 <= (loop.time() - began) / 0.1 + 1


async def test_everything_arrives_although_broker_table_and_bridge_are_killed(
    make_mosquitto: MakeMosquitto, tmp_path: Path
) -> None:
    broker, socket = make_mosquitto(), tmp_path / "table.sock"
    mqtt = config(broker.address())
    async with open_table(socket) as table:
        table.pay(100)
        async with hearing(broker.address()) as hall, running(bridge(socket, mqtt).run()):
            await hall.until(lambda _: len(hall.rows) > 5)
        table.pay(50)
        async with running(bridge(socket, mqtt).run()):
            await asyncio.sleep(0.5)
            broker.kill()
            table.pay(50)
            await asyncio.sleep(0.3)
            broker.start()
            await table.socket.close()
            await table.open()
            async with hearing(broker.address()) as late:
                await late.until(lambda heard: "head" in heard)
                async with connected(broker.address(), "asks") as asking:
                    have = Have(table.rows[0]["ledger"], 0, True)  # type: ignore[arg-type]
                    await asking.publish("reboard/table-1/have", b"\xff not a message")
                    await asking.publish("reboard/table-1/have", have.encoded())
                    await late.until(lambda _: late.rows == table.rows)
        assert len(table.rows) == 202


async def test_without_a_receiver_the_bridge_waits_and_the_cursor_stays(
    make_mosquitto: MakeMosquitto, tmp_path: Path
) -> None:
    broker, socket = make_mosquitto(), tmp_path / "table.sock"
    async with open_table(socket) as table:
        own = bridge(socket, config(broker.address()))
        async with running(own.run()):
            await until(lambda: own.outbox.problem)
            assert own.outbox.cursor.id == 0
            async with hearing(broker.address()) as hall:
                await hall.until(lambda _: hall.rows == table.rows)


async def test_a_forbidden_row_moves_no_cursor_and_the_rights_are_all_it_needs(
    make_mosquitto: MakeMosquitto, tmp_path: Path
) -> None:
    hall_may = "user hall\ntopic readwrite #\n"
    acl = f"user table-1\ntopic write reboard/table-1/state\ntopic write reboard/table-1/availability\n\n{hall_may}"
    users = {"table-1": "one", "hall": "all"}
    broker, socket = make_mosquitto(users=users, acl=acl), tmp_path / "table.sock"
    own = bridge(socket, config(broker.address("table-1")))
    async with open_table(socket) as table, running(own.run()):
        async with hearing(broker.address("hall")) as hall:
            await until(lambda: "0x87" in own.outbox.problem)
            assert own.outbox.cursor.id == 0
            await hall.until(lambda heard: "state" in heard)
            assert "transfer" not in hall.heard
        (broker.directory / "acl").write_text(f"user table-1\ntopic readwrite reboard/table-1/#\n\n{hall_may}")
        broker.stop()
        broker.start()
        async with hearing(broker.address("hall")) as again:
            await again.until(lambda _: again.rows == table.rows)


async def test_a_ledger_from_a_backup_is_sent_from_its_beginning(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    broker, socket = make_mosquitto(), tmp_path / "table.sock"
    own = bridge(socket, config(broker.address()))
    async with open_table(socket) as table, hearing(broker.address()) as hall, running(own.run()):
        table.pay(20)
        await hall.until(lambda _: hall.rows == table.rows)
        assert table.ledger
        table.ledger.close()
        table.ledger = new_ledger()
        await hall.until(lambda _: hall.heard["transfer"][-2:] == table.rows)


async def test_a_table_without_a_bank_and_a_plug_in_that_fails_share_the_rest(
    make_mosquitto: MakeMosquitto, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Misspelt(TypedDict):
        apple: Aple  # type: ignore[name-defined]  # noqa: F821

    told: list[str] = []
    monkeypatch.setattr(module, "notify", told.append)
    monkeypatch.setattr(sys.modules[worm_apple.__name__], "Snapshot", Misspelt)
    broker, socket = make_mosquitto(), tmp_path / "table.sock"
    async with open_table(socket, has_bank=False) as table, hearing(broker.address()) as hall:
        del table.now["cards"]
        async with running(bridge(socket, config(broker.address())).run()):
            await hall.until(lambda heard: "state" in heard)
            [state] = hall.heard["state"]
            assert (state["cards"], "apple" in state, state["block"]["quiet"]) == ([], False, False)
            await until(lambda: told and "table-1 is at the broker" in told[-1])
            assert "transfers" not in told[-1]


async def test_connections_that_are_lost_again_and_again_may_be_two_bridges_of_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def disconnects(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(bytes([0x20, 3, 0, 0, 0]))
        await reader.read(1000)
        writer.close()

    told: list[str] = []
    monkeypatch.setattr(module, "notify", told.append)
    own = bridge(tmp_path / "none", config(BrokerAddress("127.0.0.1", port := free_port())))
    async with await asyncio.start_server(disconnects, "127.0.0.1", port), running(own.run()):
        await until(lambda: any("table-1?" in status for status in told))
    assert "table-1?" not in told[0]


async def test_a_retained_request_is_ignored_when_it_is_published_too(
    make_mosquitto: MakeMosquitto, tmp_path: Path
) -> None:
    broker, socket = make_mosquitto(users={"table-1": "one"}), tmp_path / "table.sock"
    own = bridge(socket, config(broker.address("table-1"), requests=True))
    async with open_table(socket) as table, connected(broker.address("table-1"), "maria") as maria:
        await maria.subscribe("reboard/table-1/transfer")
        async with running(own.run()):
            await maria.receive()
            await maria.publish("reboard/table-1/request/maria", LOUDER, retain=True)
            await maria.publish("reboard/table-1/request/maria", LOUDER.replace(b"4", b"2"))
            await until(lambda: table.requests)
            assert [args["level"] for _, args in table.requests] == [2]


async def test_a_flood_of_requests_and_of_damaged_messages_costs_little(
    make_mosquitto: MakeMosquitto,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def never(do: str, /, **args: object) -> None:
        await asyncio.get_running_loop().create_future()

    broker, socket = make_mosquitto(users={"table-1": "one"}), tmp_path / "table.sock"
    own = bridge(socket, config(broker.address("table-1"), requests=True))
    monkeypatch.setattr(requests.ignored_log, "filters", [requests.Seldom()])
    async with (
        open_table(socket) as table,
        connected(broker.address("table-1"), "flood") as flood,
        running(own.run()),
    ):
        await flood.subscribe("reboard/table-1/transfer")
        await flood.receive()
        table.request = never  # type: ignore[method-assign]
        for _ in range(200):
            await flood.publish("reboard/table-1/have", b"no message")
            await flood.publish("reboard/table-1/request/maria", LOUDER, correlation=b"the same")
        await flood.publish("reboard/table-1/have", Have(str(table.now["ledger"]), 1, again=False).encoded())
        await until(lambda: own.outbox.confirmed)
        assert len(own._answering) == module.MOST_ANSWERING
    assert len([record for record in caplog.records if "was ignored" in record.getMessage()]) == 1
