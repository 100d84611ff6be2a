"""The control socket: requests, events, limits, files."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reboard.kit  # noqa: F401 - every kind of device
from reboard.accessories.banker_unit.vocabulary import DealStarted
from reboard.accessories.installed import all_events, all_requests
from reboard.control import socket_server
from reboard.control.client import ControlClient
from reboard.control.protocol import LONGEST_LINE_BYTES
from reboard.control.signal_watch import SignalWatch
from reboard.control.socket_server import ControlSocket
from reboard.devices.signal_tap import SignalTap
from reboard.devices.speaker import VolumeSet
from reboard.errors import ControlSocketError, ReboardError
from reboard.events import DeviceEvent, Events, Fault
from reboard.strict_json import Json
from reboard.vocabulary.checks import arguments_of
from reboard.vocabulary.declared import PHONE
from reboard.vocabulary.hints import fields_of
from tests.plugged_in import Dragon, installed

DOCS = Path(__file__).parents[3] / "docs" / "control-socket.md"


class FakeTable:
    """A table that remembers its requests."""

    def __init__(self) -> None:
        self.events = Events(asyncio.get_running_loop().time, all_events())
        self.tap = SignalTap(self.events.now)
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.rejection: Exception | None = None
        self.transfers = 1
        self.result: object = None
        self.answers_after_s = 0.01

    def snapshot(self) -> dict[str, object]:
        return {"edition": "world"}

    def watch_signals(self) -> SignalWatch:
        return SignalWatch(self.tap, self.events, config={}, snapshot=self.snapshot)

    async def read(self, do: str, /, **args: object) -> object:
        if self.rejection:
            raise self.rejection
        if do == "roar":
            return {"asked": args}
        return Json(json.dumps({"game": 1, "transfers": [{}] * self.transfers}))

    async def request(self, do: str, /, **args: object) -> object:
        self.asked.append((do, args))
        await asyncio.sleep(self.answers_after_s)
        if self.rejection:
            raise self.rejection
        return self.result or len(self.asked)


class Lines:
    """A client that sends exactly the given lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def say(self, *lines: object) -> None:
        for line in lines:
            raw = line if isinstance(line, bytes) else json.dumps(line).encode()
            self.writer.write(raw + b"\n")

    async def hear(self) -> Any:
        return json.loads(await self.reader.readline())

    async def ask(self, line: object) -> Any:
        self.say(line)
        return await self.hear()


@asynccontextmanager
async def at_a_socket(tmp_path: Path, *, limit: int = LONGEST_LINE_BYTES) -> AsyncIterator[tuple[FakeTable, Lines]]:
    table = FakeTable()
    control_socket = ControlSocket(table, tmp_path / "table.sock")
    control_socket.claim()
    await control_socket.open()
    client = Lines(*await asyncio.open_unix_connection(control_socket.path, limit=limit))
    try:
        yield table, client
    finally:
        client.writer.close()
        await control_socket.close()


async def test_a_failing_table_is_an_error_and_the_socket_stays_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        table.rejection = ZeroDivisionError("oh")
        answer = await client.ask({"id": 1, "do": "undo", "transfer": 9})
        assert answer == {"id": 1, "error": "this request failed because of a bug: see the table's log"}
        assert "ZeroDivisionError" in caplog.text
        assert "ok" in await client.ask({"id": 2, "do": "snapshot"})


async def test_a_reading_request_has_its_arguments(tmp_path: Path) -> None:
    with installed(Dragon()):
        async with at_a_socket(tmp_path) as (_, client):
            answer = await client.ask({"id": 1, "do": "roar", "times": 3})
    assert answer == {"id": 1, "ok": {"asked": {"times": 3}}}


async def test_a_repeated_change_is_carried_out_once_and_answered_alike(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        client.say({"id": 7, "do": "undo", "transfer": 9}, {"id": 7, "do": "undo", "transfer": 9})
        assert [await client.hear(), await client.hear()] == [{"id": 7, "ok": 1}] * 2
        assert len(table.asked) == 1
        assert (await client.ask({"id": 8, "do": "undo", "transfer": 9}))["ok"] == 2


async def test_history_is_read_each_time(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        for table.transfers in (1, 2):
            answer = await client.ask({"id": 7, "do": "history"})
            assert answer == {"id": 7, "ok": {"game": 1, "transfers": [{}] * table.transfers}}
        table.rejection = ReboardError("there is no banker unit")
        assert await client.ask({"id": "x", "do": "history"}) == {"id": "x", "error": "there is no banker unit"}
        table.rejection = None
        assert "ok" in await client.ask({"id": 7, "do": "volume", "level": 1}), "the id was not used for a change"


async def test_only_so_many_answers_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_server, "REMEMBERED_ANSWERS", 2)

    async with at_a_socket(tmp_path) as (table, client):
        for key in (1, 2, 3, 1):
            await client.ask({"id": key, "do": "undo", "transfer": 9})
        assert len(table.asked) == 4


async def test_recent_events_come_first(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        for level in (1, 2, 3):
            table.events.emit(VolumeSet(level))
        assert await client.ask({"id": 1, "do": "events", "recent": 2}) == {"id": 1, "ok": None}
        past = [await client.hear(), await client.hear()]
        assert [(event["level"], event["recent"]) for event in past] == [(2, True), (3, True)]
        table.events.emit(DealStarted())
        event = await client.hear()
        assert event["event"] == "deal.started"
        assert "recent" not in event


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"hello", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 20_000, "not JSON"),
        (b"[]", '"id"'),
        (b"1", '"id"'),
        ({"do": "snapshot"}, '"id"'),
        ({"id": None, "do": "snapshot"}, '"id"'),
        ({"id": True, "do": "snapshot"}, '"id"'),
        ({"id": "x" * 201, "do": "snapshot"}, '"id"'),
        (b'{"id": 1e999, "do": "snapshot"}', '"id"'),
        ({"id": 1}, '"do"'),
        ({"id": 1, "do": ["undo"]}, '"do"'),
        ({"id": 1, "do": "format the disk"}, '"do"'),
        ({"id": 1, "do": "volume"}, '"level"'),
        ({"id": 1, "do": "volume", "level": 5}, '"level"'),
        ({"id": 1, "do": "volume", "level": True}, '"level"'),
        ({"id": 1, "do": "quiet", "on": 1}, '"on"'),
        ({"id": 1, "do": "events", "recent": 101}, '"recent"'),
        ({"id": 1, "do": "undo"}, '"transfer"'),
        ({"id": 1, "do": "undo", "transfer": "3"}, '"transfer"'),
        ({"id": 1, "do": "undo", "transfer": -3}, '"transfer"'),
        ({"id": 1, "do": "undo", "transfer": 0}, '"transfer"'),
        ({"id": 1, "do": "new_game", "game": 0}, '"game"'),
        ({"id": 1, "do": "new_game", "edition": ""}, '"edition"'),
        ({"id": 1, "do": "end_game"}, '"game"'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": []}, '"worths"'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": {"9": 1}}, '"worths"'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": {"1": -1}}, '"worths"'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": {"1": 0.5}}, '"worths"'),
        ({"id": 1, "do": "name", "card": 9, "name": "Anna"}, '"card"'),
        ({"id": 1, "do": "name", "card": 1}, '"name"'),
        ({"id": 1, "do": "name", "card": 1, "name": "An\nna"}, '"name"'),
        ({"id": 1, "do": "undo", "transfer": 1, "by": ""}, '"by"'),
        ({"id": 1, "do": "undo", "transfer": 1, "by": "x\nroot logged in"}, '"by"'),
        (b'{"id": 1, "do": "undo", "transfer": 1, "by": "\\ud800"}', '"by"'),
        ({"id": 1, "do": "snapshot", "by": "me"}, "by"),
    ],
)
async def test_garbage_is_an_error_and_the_socket_stays_open(tmp_path: Path, line: object, complaint: str) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        answer = await client.ask(line)
        assert answer.keys() == {"id", "error"}
        assert complaint in answer["error"]
        assert not table.asked
        assert "ok" in await client.ask({"id": 2, "do": "snapshot"})


async def test_an_endless_line_ends_the_connection(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (_table, client):
        client.say(b"x" * (LONGEST_LINE_BYTES + 1))
        assert f"longer than {LONGEST_LINE_BYTES}" in (await client.hear())["error"]
        assert await client.reader.read() == b""


async def test_a_client_that_never_reads_is_disconnected(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        other = Lines(*await asyncio.open_unix_connection(tmp_path / "table.sock"))
        assert "ok" in await other.ask({"id": 1, "do": "events"})
        assert "ok" in await client.ask({"id": 1, "do": "events"})
        heard = 0
        for n in range(20):
            for _ in range(500):
                table.events.emit(Fault("display", f"{n} " + 100 * "x"))
            for _ in range(500):
                heard += (await other.hear())["event"] == "fault"
        assert heard == 10_000
        other.writer.close()
        received = (await client.reader.read()).splitlines()
        assert len(received) < 10_000
        assert "read too slowly" in json.loads(received[-1])["error"]


async def test_a_long_answer_arrives(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path, limit=8 * socket_server.MOST_UNREAD_BYTES) as (table, client):
        table.transfers = socket_server.MOST_UNREAD_BYTES // 2
        assert "ok" in await client.ask({"id": 1, "do": "events"})
        client.say({"id": 2, "do": "history"}, {"id": 3, "do": "history"})
        await asyncio.sleep(1)
        for _ in range(1000):
            table.events.emit(Fault("display", 100 * "x"))
        heard = [await client.hear() for _ in range(1002)]
        answers = [said["ok"]["transfers"] for said in heard if "ok" in said]
        assert [len(answer) for answer in answers] == [table.transfers] * 2


async def test_unread_long_answers_end_the_connection(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (table, client):
        table.transfers = socket_server.MOST_UNREAD_BYTES // 2
        client.say({"id": 0, "do": "events"}, *({"id": n, "do": "history"} for n in range(1, 100)))
        await asyncio.sleep(1)
        for _ in range(10_000):
            table.events.emit(Fault("display", 100 * "x"))
        *received, last = (await client.reader.read()).splitlines()
        assert "read too slowly" in json.loads(last)["error"]
        assert len([line for line in received if b"transfers" in line]) < 3, "an answer at a time"


async def test_a_client_that_neither_reads_nor_closes_is_disconnected(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (table, _client):
        deaf = socket.socket(socket.AF_UNIX)
        with deaf:
            deaf.connect(str(tmp_path / "table.sock"))
            deaf.setblocking(False)
            deaf.sendall(b'{"id": 1, "do": "events"}\n')
            await asyncio.get_running_loop().sock_recv(deaf, 100)
            for _ in range(10_000):
                table.events.emit(Fault("display", 100 * "x"))
            await asyncio.sleep(2 * socket_server.LAST_LINE_S)
            with pytest.raises(BrokenPipeError):
                deaf.sendall(b"\n")


async def test_one_client_too_many_gets_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_server, "MOST_CLIENTS", 1)

    async with at_a_socket(tmp_path) as (_table, client):
        await client.ask({"id": 1, "do": "snapshot"})
        second = Lines(*await asyncio.open_unix_connection(tmp_path / "table.sock"))
        assert "1 clients" in (await second.hear())["error"]
        second.writer.close()
        client.writer.close()
        await client.writer.wait_closed()
        await asyncio.sleep(0.1)
        third = Lines(*await asyncio.open_unix_connection(tmp_path / "table.sock"))
        assert "ok" in await third.ask({"id": 1, "do": "snapshot"})
        third.writer.close()


async def test_a_flood_of_connections_is_limited(tmp_path: Path) -> None:
    async with at_a_socket(tmp_path) as (_table, _client):
        loop = asyncio.get_running_loop()
        until, accepted = loop.time() + 2, 0
        while loop.time() < until:
            with socket.socket(socket.AF_UNIX) as flooding, suppress(BlockingIOError):
                flooding.setblocking(False)
                flooding.connect(str(tmp_path / "table.sock"))
                accepted += 1
            await asyncio.sleep(0.001)
        assert accepted < 200, "2000 tried"
        async with await ControlClient.connect(tmp_path / "table.sock") as other:
            assert await other.request("snapshot") == {"edition": "world"}


async def test_closing_informs_clients_and_removes_the_socket(tmp_path: Path) -> None:
    path, link = tmp_path / "run" / "table.sock", tmp_path / "state" / "table.sock"
    control_socket = ControlSocket(FakeTable(), path, also_at=link)
    control_socket.claim()
    await control_socket.open()
    client = Lines(*await asyncio.open_unix_connection(link))
    await client.ask({"id": 1, "do": "snapshot"})
    await control_socket.close()
    assert await client.hear() == {"id": None, "error": "the table was switched off"}
    assert not path.exists()
    assert not link.is_symlink()
    await control_socket.close()
    client.writer.close()


async def test_a_dead_tables_socket_and_link_are_replaced(tmp_path: Path) -> None:
    path, link = tmp_path / "run" / "table.sock", tmp_path / "table.sock"
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    link.symlink_to(path)

    control_socket = ControlSocket(FakeTable(), path, also_at=link)
    control_socket.claim()
    await control_socket.open()
    async with await ControlClient.connect(link) as client:
        assert await client.request("snapshot") == {"edition": "world"}
    await control_socket.close()


@pytest.mark.parametrize("is_open", [True, False])
async def test_the_socket_of_a_running_table_is_not_replaced(tmp_path: Path, is_open: bool) -> None:
    first = ControlSocket(FakeTable(), tmp_path / "table.sock")
    first.claim()
    if is_open:
        await first.open()
    with pytest.raises(ControlSocketError, match="another table"):
        ControlSocket(FakeTable(), first.path).claim()
    # a second daemon of the same state, whose own socket would be elsewhere
    with pytest.raises(ControlSocketError, match="another table"):
        ControlSocket(FakeTable(), tmp_path / "run" / "table.sock", also_at=first.path).claim()
    # nor by a table that could do without a socket
    for fails in ("fcntl.flock", "socket.socket.connect"):
        with patch(fails, side_effect=PermissionError), pytest.raises(ControlSocketError):
            ControlSocket(FakeTable(), first.path, also_at=first.path).claim()
    # the message names the socket, and not the link to it
    link = tmp_path / "link"
    link.symlink_to(first.path)
    for error in (PermissionError, None):
        with patch("fcntl.flock", side_effect=error), pytest.raises(ControlSocketError, match=str(first.path)):
            ControlSocket(FakeTable(), link, also_at=link).claim()
    await first.open()
    async with await ControlClient.connect(first.path) as client:
        assert await client.request("snapshot") == {"edition": "world"}
    await first.close()


async def test_closing_leaves_the_socket_of_another_table(tmp_path: Path) -> None:
    first = ControlSocket(FakeTable(), tmp_path / "table.sock")
    first.claim()
    await first.open()
    first.path.unlink()
    second = ControlSocket(FakeTable(), first.path)
    second.claim()
    await second.open()
    await first.close()
    assert first.path.exists()
    await second.close()


async def test_a_file_in_place_of_the_socket_stays(tmp_path: Path) -> None:
    path = tmp_path / "table.sock"
    path.write_text("precious")
    with pytest.raises(ControlSocketError, match="not a socket"):
        ControlSocket(FakeTable(), path).claim()
    with pytest.raises(ControlSocketError):
        ControlSocket(FakeTable(), path / "table.sock").claim()
    assert path.read_text() == "precious"


async def test_without_its_link_the_socket_still_works(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    control_socket = ControlSocket(
        FakeTable(), tmp_path / "run" / "table.sock", also_at=tmp_path / "file" / "table.sock"
    )
    control_socket.claim()
    await control_socket.open()
    async with await ControlClient.connect(control_socket.path) as client:
        assert await client.request("snapshot") == {"edition": "world"}
    await control_socket.close()
    assert not control_socket.path.exists()


def test_the_document_has_every_event_with_its_fields() -> None:
    _, _, events = DOCS.read_text().partition("## Events")
    rows = re.findall(r"^\| `([a-z_.]+)` \| ([^|]*)\|", events, re.MULTILINE)
    documented = {name: frozenset(re.findall(r"`(\w+)`", fields)) for name, fields in rows}
    of_devices = {event.event: event for event in DeviceEvent.__subclasses__()}
    declared = {**all_events(), **of_devices}
    assert documented == {name: {field.name for field in fields_of(event)} for name, event in declared.items()}


def test_the_document_has_every_request_with_its_arguments() -> None:
    requests, _, _ = DOCS.read_text().partition("## Events")
    rows = re.findall(r"^\| `([a-z_]+)` \| ([^|]*)\|", requests, re.MULTILINE)
    documented = {do: set(re.findall(r"(?:^|; )`(\w+)`", arguments)) for do, arguments in rows}
    assert documented == {do: {each.name for each in arguments_of(it)} - {PHONE} for do, it in all_requests().items()}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
REQUESTS = st.fixed_dictionaries(
    {"id": JSON, "do": st.sampled_from(sorted(all_requests())) | JSON},
    optional=dict.fromkeys(
        ["strange", "by", *(each.name for it in all_requests().values() for each in arguments_of(it))], JSON
    ),
)
LINES = st.one_of(
    st.binary(max_size=80),
    JSON.map(lambda value: json.dumps(value).encode()),
    REQUESTS.map(lambda value: json.dumps(value).encode()),
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, max_size=6))
async def test_any_line_gets_an_answer(lines: list[bytes], tmp_path: Path) -> None:
    control_socket = ControlSocket(FakeTable(), tmp_path / "table.sock")
    control_socket.claim()
    await control_socket.open()
    try:
        reader, writer = await asyncio.open_unix_connection(control_socket.path)
        writer.write(b"\n".join(lines) + b"\n")
        writer.write_eof()
        for answer in (await reader.read()).splitlines():
            said = json.loads(answer)
            assert said.keys() & {"ok", "error", "event"}, said
        writer.close()
        async with await ControlClient.connect(control_socket.path) as client:
            assert await client.request("snapshot") == {"edition": "world"}
    finally:
        await control_socket.close()
