"""The table page over HTTP: the table, its events, and who may read them."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from reboard.accessories.banker_unit.vocabulary import DealTick, GameStarted
from reboard.accessories.worm_apple.vocabulary import Wound
from reboard.devices.motor import MotorSet
from reboard.web import known_hosts, table_watch
from reboard.web.responses import HEARTBEAT, HEARTBEAT_S, EventStreams
from reboard.web.table_page import STATIC
from reboard.web.table_watch import TableWatch
from reboard_sim.virtual_time import run
from tests.reboard.web.app_client import Client, with_page
from tests.reboard.web.fake_table import SNAPSHOT, FakeTable, without_time


def test_the_page_shows_the_table_and_keeps_the_last_state_while_it_is_away(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        browser = client()
        assert without_time((await browser.get("/api/table")).json()) == SNAPSHOT
        await table.socket.close()
        await asyncio.sleep(3)
        answer = await browser.get("/api/table")
        assert answer.status_code == 503
        assert without_time(answer.json()["last"]) == SNAPSHOT
        await table.open()
        await asyncio.sleep(3)
        assert (await browser.get("/api/table")).status_code == 200

    with_page(tmp_path, scenario)


NAMES = ["localhost", "localhost:8080", "TABLE.local", "127.0.0.1:8080", "[::1]:8080", "10.1.2.3"]
STRANGE_NAMES = ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "", "1"]


def test_the_own_names_are_those_of_home_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    for hostname in ("Table", "table.lan", "table.example.org"):
        monkeypatch.setattr(socket, "gethostname", lambda name=hostname: name)
        names = known_hosts.own_names()
        assert {"localhost", "table", "table.local", "table.home.arpa", hostname.lower()} <= names


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("raspberrypi-2.local", 200),
        ("raspberrypi.fritz.box:8080", 200),
        ("Raspberrypi.speedport.ip", 200),
        ("raspberrypi.cat-1.ts.net", 200),
        ("other-2.local", 400),
        ("raspberrypi-2.lan", 400),
        ("fritz.box", 400),
        ("evil.ts.net", 400),
        ("raspberrypi.ts.net.evil.example", 400),
    ],
)
async def test_names_that_routers_and_avahi_give_are_own_names(
    monkeypatch: pytest.MonkeyPatch, host: str, status: int
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "raspberrypi")
    app = known_hosts.KnownHosts(PlainTextResponse(""), known_hosts.own_names(), ": do this")
    async with Client(transport=httpx.ASGITransport(app), base_url="http://localhost") as browser:
        answer = await browser.get("/", headers={"host": host})
    assert answer.status_code == status
    assert ("do this" in answer.text) == (status == 400)


def test_the_page_answers_only_under_its_own_names_and_ip_addresses(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        for host in NAMES:
            assert (await client().get("/", headers={"host": host})).status_code == 200, host
        for host in STRANGE_NAMES:
            for path in ("/", "/api/table", "/api/events", "/static/page.css"):
                assert (await client().get(path, headers={"host": host})).status_code == 400, host

    with_page(tmp_path, scenario)


def test_every_answer_has_security_headers_and_only_get_is_allowed(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        for path in ("/", "/api/table", "/api/panels", "/static/page.css", "/static/panels/apple/panel.js", "/nothing"):
            headers = (await client().get(path)).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert (await client().post(path)).status_code in (404, 405)
        for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/panels/apple/%2e%2e/apple.py"):
            assert (await client().get(path)).status_code == 404

    with_page(tmp_path, scenario)


def test_the_scripts_load_nothing_from_elsewhere_and_insert_no_markup() -> None:
    files = [*STATIC.iterdir(), *(STATIC.parents[1] / "accessories").glob("*/panel/*")]
    files = [file for file in files if file.suffix != ".png"]
    assert len(files) > 30
    for file in files:
        text = file.read_text().replace('xmlns="http://www.w3.org/2000/svg"', "")
        found = re.findall(r"https?:|innerHTML|insertAdjacentHTML|outerHTML|eval\(|onclick|style=", text)
        assert found == [], file.name


class Listener:
    """A browser that reads the events."""

    def __init__(self, stream: AsyncIterator[bytes]) -> None:
        self._events = (event async for piece in stream for event in piece.decode().removesuffix("\n\n").split("\n\n"))

    async def next(self, kind: str) -> Any:
        """Return the data of the next event of that kind."""
        async for event in self._events:
            *head, data = event.split("\n")
            if (head[0].removeprefix("event: ") if head else "message") == kind:
                return json.loads(data.removeprefix("data: "))
        raise AssertionError("the stream ended")


Scenario = Callable[[FakeTable, TableWatch, Listener], Any]


def with_watch(tmp_path: Path, scenario: Scenario, *, is_open: bool = True) -> None:
    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        streams = EventStreams()
        watch = TableWatch(tmp_path / "table.sock", streams)
        stream = streams.stream(watch.first_events)
        task = asyncio.create_task(watch.run())
        if is_open:
            await table.open()
            await asyncio.sleep(1)
        try:
            await scenario(table, watch, Listener(stream))
        finally:
            task.cancel()
            await asyncio.wait({task})
            await stream.aclose()
            await table.socket.close()
            await asyncio.sleep(1)

    run(main)


def test_a_browser_gets_the_state_and_then_every_event(tmp_path: Path) -> None:
    async def scenario(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        table.events.emit(Wound())
        for _ in range(99):
            table.events.emit(MotorSet(0.5))
        await table.open()
        await asyncio.sleep(1)
        assert await listener.next("connection") == {"connected": True, "why": None}
        assert without_time(await listener.next("table")) == SNAPSHOT
        assert (await listener.next("past"))["event"] == "apple.wound", "frequent events do not push it out"
        table.events.emit(DealTick())
        assert (await listener.next("message"))["event"] == "deal.tick"
        await asyncio.sleep(1)
        table.now = {**SNAPSHOT, "game": 4}
        table.events.emit(GameStarted(4, "world"))
        assert (await listener.next("table"))["game"] == 4, "the unchanged state was not sent"

    with_watch(tmp_path, scenario, is_open=False)


def test_the_table_is_asked_at_most_ten_times_a_second(tmp_path: Path) -> None:
    async def scenario(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        table.snapshots = 0
        for _ in range(1000):
            table.events.emit(MotorSet(0.5))
            await asyncio.sleep(0.01)
        assert 95 <= table.snapshots <= 101

    with_watch(tmp_path, scenario)


def test_a_table_that_goes_away_is_found_again_within_two_seconds(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        table.events.emit(Wound())
        assert (await listener.next("connection"))["connected"] is True
        await listener.next("table")
        await table.socket.close()
        assert (await listener.next("connection"))["connected"] is False
        assert without_time(watch.snapshot) == SNAPSHOT
        await asyncio.sleep(100)
        assert caplog.text.count("reboard run") == 1, "the log has it once"
        await table.open()
        await asyncio.sleep(2.1)
        assert watch.why_away is None
        assert without_time(await listener.next("table")) == SNAPSHOT, "it is sent again after a break"
        assert len([event for event in watch.first_events() if event.startswith(b"event: past")]) == 1

    with_watch(tmp_path, scenario)


def test_a_table_that_hangs_is_noticed(tmp_path: Path) -> None:
    async def scenario(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        answers_left = 2

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal answers_left
            while line := await reader.readline():
                if answers_left:
                    answers_left -= 1
                    writer.write(json.dumps({"id": json.loads(line)["id"], "ok": {}}).encode() + b"\n")
            writer.close()

        hanging = await asyncio.start_unix_server(hang, tmp_path / "table.sock")
        await asyncio.sleep(1)
        assert watch.why_away is None
        await asyncio.sleep(table_watch.SILENCE_S + table_watch.ANSWER_S)
        assert watch.why_away
        hanging.close()

    with_watch(tmp_path, scenario, is_open=False)


def test_a_stream_has_heartbeats_and_cuts_off_a_slow_client() -> None:
    async def main() -> None:
        streams = EventStreams(most_clients=2, most_waiting=3)
        began = asyncio.get_running_loop().time()
        slow, other = streams.stream(lambda: [b"0"]), streams.stream(tuple)
        assert await anext(slow) == b"0"
        assert await anext(other) == HEARTBEAT
        assert asyncio.get_running_loop().time() - began >= HEARTBEAT_S
        assert streams.is_full
        for n in range(9):
            streams.publish(b"%d" % n)
        assert [piece async for piece in slow] == [b"012"], "what waits is one piece"
        assert not streams.is_full, "its place is free"
        streams.end_all()
        assert [piece async for piece in other] == [b"012"]
        assert b"".join([piece async for piece in streams.stream(tuple)]) == b""
        assert streams.is_full

    run(main)
