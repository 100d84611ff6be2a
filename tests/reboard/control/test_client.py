from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from reboard.control import client as module
from reboard.control.client import ControlClient, has_table
from reboard.errors import ControlSocketError, ForbiddenSocketError, Rejection

Table = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def in_front_of(table: Table, tmp_path: Path) -> AsyncIterator[ControlClient]:
    """A client of something that behaves like *table*, good or bad."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await table(reader, writer)
        finally:
            writer.close()

    path = tmp_path / "table.sock"
    server = await asyncio.start_unix_server(serve, path)
    try:
        async with await ControlClient.connect(path, timeout_s=5) as client:
            yield client
    finally:
        server.close()


def saying(*lines: bytes) -> Table:
    """Answers the first request with *lines* and hangs up."""

    async def table(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"".join(line + b"\n" for line in lines))
        await writer.drain()

    return table


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def test_answers_are_matched_by_id(tmp_path: Path) -> None:
    async def table(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await reader.readline()
        writer.write(b'{"id": 2, "ok": "two"}\n{"id": 1, "ok": "one"}\n')
        await reader.read()

    async with in_front_of(table, tmp_path) as client:
        first, second = await asyncio.gather(client.request("snapshot"), client.request("undo"))
        assert (first, second) == ("one", "two")


async def test_a_rejection_of_any_accessory_keeps_its_reason(tmp_path: Path) -> None:
    answer = b'{"id": 1, "error": "the bell is broken: ring later", "why": "broken"}'
    async with in_front_of(saying(answer), tmp_path) as client:
        with pytest.raises(Rejection, match="ring later") as rejection:
            await client.request("ring")
        assert rejection.value.why == "broken"


async def test_a_silent_table_is_an_error_after_the_timeout(tmp_path: Path) -> None:
    async with in_front_of(silent, tmp_path) as client:
        began = asyncio.get_running_loop().time()
        with pytest.raises(ControlSocketError, match="did not answer the request 'undo' within 5 s"):
            await client.request("undo")
        assert asyncio.get_running_loop().time() - began == pytest.approx(5)


async def test_a_closed_connection_fails_every_request(tmp_path: Path) -> None:
    async with in_front_of(saying(), tmp_path) as client:
        for _ in range(2):
            with pytest.raises(ControlSocketError, match="the connection to the table was lost"):
                await client.request("undo")


@pytest.mark.parametrize("line", [b"HTTP/1.1 400 Bad Request", b"3", b"{}", b'{"id": 1}', b"\xff"])
async def test_another_server_is_recognised(tmp_path: Path, line: bytes) -> None:
    async with in_front_of(saying(line), tmp_path) as client:
        with pytest.raises(ControlSocketError, match="not a table"):
            await client.request("undo")


async def test_a_forbidden_socket_is_named_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def forbid(_: Path) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "_connected", forbid)
    link = tmp_path / "table.sock"
    link.symlink_to(tmp_path / "run/table.sock")
    with pytest.raises(ForbiddenSocketError, match=r"run/table\.sock"):
        await ControlClient.connect(link)


async def test_a_path_that_is_too_long_for_a_socket_has_no_table(tmp_path: Path) -> None:
    assert not await has_table(tmp_path / ("a" * 200) / "control.sock")


async def test_unread_events_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_UNREAD_EVENTS", 3)

    async with in_front_of(
        saying(b'{"id": 1, "ok": null}', *[b'{"t": 1, "event": "deal.tick"}'] * 9), tmp_path
    ) as client:
        events = await client.events()
        await asyncio.sleep(1)
        for _ in range(4):
            await anext(events)
        with pytest.raises(ControlSocketError, match="3 events"):
            await anext(events)
