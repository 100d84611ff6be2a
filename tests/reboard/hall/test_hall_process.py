"""`reboard hall` as a process, with a real broker."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from reboard.cli import main
from reboard.config.mqtt import BrokerAddress
from reboard.mqtt.bridge import Bridge
from reboard.mqtt.broker import BrokerConnection, connected
from reboard.mqtt.broker_errors import DELIVERED, FORBIDDEN
from reboard.mqtt.topics import Have, TopicLevel, topic
from tests.mosquitto import MakeMosquitto, free_port
from tests.reboard.hall.club import PlayedTable
from tests.reboard.mqtt.fake_table import config, open_table
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

USERS = {"table-1": "one", "hall": "all"}
ACL = """
user table-1
topic readwrite reboard/table-1/#

user hall
topic read reboard/#
topic write reboard/+/have
"""


class HallProcess:
    """A ``reboard hall`` that a test starts and kills."""

    def __init__(self, folder: Path, address: BrokerAddress) -> None:
        self.store = folder / "state" / "hall.sqlite"
        self.url = f"http://127.0.0.1:{free_port()}"
        self._command = [sys.executable, "-m", "reboard", "hall", "--broker", address.host, "--port", str(address.port),
                         "--user", str(address.user), "--password-file", str(address.password_file),
                         "--listen", self.url.removeprefix("http://"), "--store", str(self.store)]  # fmt: skip
        if address.ca:
            self._command += ["--ca", address.ca]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command)

    def end(self, number: int = signal.SIGKILL) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(number)
        return process.wait(PATIENCE_S)

    def get(self, path: str) -> Any:
        """Return the JSON at *path*, or ``None`` while the hall does not answer."""
        try:
            return httpx.get(f"{self.url}{path}", timeout=PATIENCE_S).json()
        except httpx.HTTPError:
            return None

    def rows(self) -> list[int]:
        """Return the ids in the store."""
        with closing(sqlite3.connect(self.store)) as connection:
            return [number for (number,) in connection.execute("SELECT id FROM transfer ORDER BY id")]


@pytest.fixture
def start_hall(tmp_path: Path) -> Iterator[Callable[[BrokerAddress], HallProcess]]:
    with ExitStack() as halls:

        def start(address: BrokerAddress) -> HallProcess:
            hall = HallProcess(tmp_path, address)
            hall.start()
            halls.callback(hall.end)
            return hall

        yield start


async def soon(holds: Callable[[], object]) -> None:
    await asyncio.to_thread(eventually, holds)


@asynccontextmanager
async def bridge(address: BrokerAddress, table: PlayedTable) -> Any:
    """Connect a table, which sends its head and answers the hall, and yield a function that publishes."""
    async with connected(address, table.name) as broker:
        await broker.subscribe(topic(table.name, TopicLevel.HAVE))
        work = asyncio.gather(answer(broker, table), send_heads(broker, table))
        try:
            yield lambda sent, retain=False: broker.publish(sent[0], sent[1], retain=retain)
        finally:
            work.cancel()


async def answer(broker: BrokerConnection, table: PlayedTable) -> None:
    while True:
        for message in await broker.receive():
            broker.acknowledge(message)
            for name, payload, _ in table.answer(Have.parse(message.payload)):
                await broker.publish(name, payload)


async def send_heads(broker: BrokerConnection, table: PlayedTable) -> None:
    while True:
        broker.publish(*table.head()[:2], qos=0)
        await asyncio.sleep(0.5)


async def test_it_survives_kills_a_dead_broker_and_the_loss_of_its_store(
    make_mosquitto: MakeMosquitto, start_hall: Callable[[BrokerAddress], HallProcess]
) -> None:
    broker = make_mosquitto(users=USERS, acl=ACL, tls=True)
    hall = start_hall(broker.address("hall"))
    await soon(lambda: hall.get("/api/tables") == [])
    table = PlayedTable("table-1")
    async with bridge(broker.address("table-1"), table) as publish:
        await publish(table.online(), retain=True)
        await publish(table.state(), retain=True)
        await soon(lambda: hall.get("/api/tables"))
        assert await publish(table.add()) == DELIVERED
        assert await publish(PlayedTable("table-2").add()) == FORBIDDEN
        await soon(lambda: hall.rows() == [1])
        await soon(lambda: [one["stale"] for one in hall.get("/api/tables")] == [False])
        [shown] = hall.get("/api/tables")
        assert (shown["name"], shown["game"]) == ("table-1", 1)

        hall.end()
        lost = table.add()  # while the hall is away, and never published
        await publish(table.add())
        hall.start()
        await soon(lambda: hall.rows() == [row.id for row in table.rows])
        assert lost

        assert hall.end(signal.SIGTERM) == 0
        for file in hall.store.parent.iterdir():
            file.unlink()
        hall.start()
        await soon(lambda: hall.get("/api/tables") and len(hall.rows()) == 3)

    broker.kill()
    table.add()
    broker.start()
    async with bridge(broker.address("table-1"), table):
        await soon(lambda: hall.rows() == [row.id for row in table.rows])
    history = hall.get(f"/api/tables/table-1/transfers?ledger={table.ledger}&game=1")
    assert [row["id"] for row in history["transfers"]] == [row.id for row in table.rows][::-1]
    assert json.dumps(history).count("1500000") == len(table.rows)


async def test_a_real_bridge_fills_a_hall_that_comes_late(
    tmp_path: Path, make_mosquitto: MakeMosquitto, start_hall: Callable[[BrokerAddress], HallProcess]
) -> None:
    broker = make_mosquitto(users=USERS, acl=ACL)
    settings = config(broker.address("table-1"), share_names=True)
    async with open_table(tmp_path / "table.sock") as table:
        table.pay(300)
        work = asyncio.create_task(Bridge(tmp_path / "table.sock", settings, tmp_path / "cursor").run())
        hall = start_hall(broker.address("hall"))
        ids = [row["id"] for row in table.rows]
        await soon(lambda: hall.get("/api/tables") and hall.rows() == ids)
        table.pay()
        ids = [row["id"] for row in table.rows]
        await soon(lambda: hall.rows() == ids)
        await soon(lambda: not hall.get("/api/tables")[0]["stale"])
        [shown] = hall.get("/api/tables")
        assert [card["name"] for card in shown["cards"]] == ["Anna", ""]
        work.cancel()
        await soon(lambda: hall.get("/api/tables")[0]["stale"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--broker"),
        (["--broker", "a:1883"], "the address or name of a broker"),
        (["--broker", "a", "--port", "70000"], "whole number from 1 to 65535"),
        (["--broker", "a", "--user", "hall"], "--password-file belong together"),
        (["--broker", "a", "--listen", "8090"], "an address and a port"),
        (["--broker", "a", "--store", "photos.sqlite"], "not a store of the hall"),
    ],
)
def test_wrong_options_say_what_to_write(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("photos.sqlite")) as other:
        other.execute("CREATE TABLE photos (name)")
    if "--listen" not in arguments:
        arguments = [*arguments, "--listen", f"127.0.0.1:{free_port()}"]
    try:
        code: object = main(["hall", *arguments])
    except SystemExit as end:
        code = end.code
    assert code in (1, 2)
    assert words in capsys.readouterr().err
