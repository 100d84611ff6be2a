from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from reboard.door import client
from reboard.door.client import DoorClient
from reboard.errors import DoorError, ReboardError
from reboard_sim.virtual_time import run

Table = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def in_front_of(table: Table, tmp_path: Path, story: Callable[[DoorClient], Awaitable[None]]) -> None:
    """Run *story* with a client of something that behaves like *table*, good or bad."""

    async def main() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await table(reader, writer)
            finally:
                writer.close()

        path = tmp_path / "table.sock"
        server = await asyncio.start_unix_server(serve, path)
        try:
            async with await DoorClient.connect(path, timeout_s=5) as client:
                await story(client)
        finally:
            server.close()
        await asyncio.sleep(1)

    run(main)


def saying(*lines: bytes) -> Table:
    """Answers the first request with *lines* and hangs up."""

    async def table(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.writelines(line + b"\n" for line in lines)
        await writer.drain()

    return table


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


def test_answers_find_the_request_they_belong_to(tmp_path: Path) -> None:
    async def table(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await reader.readline()
        writer.write(b'{"id": 2, "ok": "two"}\n{"id": 1, "ok": "one"}\n')
        await reader.read()

    async def story(client: DoorClient) -> None:
        first, second = await asyncio.gather(client.request("snapshot"), client.request("undo"))
        assert (first, second) == ("one", "two")

    in_front_of(table, tmp_path, story)


def test_the_tables_own_sentence_is_raised(tmp_path: Path) -> None:
    async def story(client: DoorClient) -> None:
        with pytest.raises(ReboardError, match="nothing to take back"):
            await client.request("undo")

    in_front_of(saying(b'{"id": 1, "error": "there is nothing to take back"}'), tmp_path, story)


def test_a_table_that_does_not_answer_is_told_after_the_timeout(tmp_path: Path) -> None:
    async def story(client: DoorClient) -> None:
        began = asyncio.get_running_loop().time()
        with pytest.raises(DoorError, match="did not answer 'undo' within 5 s"):
            await client.request("undo")
        assert asyncio.get_running_loop().time() - began == pytest.approx(5)

    in_front_of(silent, tmp_path, story)


def test_a_table_that_goes_away_ends_what_waits_and_what_comes_later(tmp_path: Path) -> None:
    async def story(client: DoorClient) -> None:
        for _ in range(2):
            with pytest.raises(DoorError, match="the table went away"):
                await client.request("undo")

    in_front_of(saying(), tmp_path, story)


def test_the_last_line_of_a_table_is_told(tmp_path: Path) -> None:
    async def story(client: DoorClient) -> None:
        with pytest.raises(DoorError, match="hung up: you read too slowly"):
            await client.request("undo")

    in_front_of(saying(b'{"id": null, "error": "you read too slowly"}'), tmp_path, story)


@pytest.mark.parametrize("line", [b"HTTP/1.1 400 Bad Request", b"3", b"{}", b'{"id": 1}', b"\xff"])
def test_something_that_is_no_table_is_recognised(tmp_path: Path, line: bytes) -> None:
    async def story(client: DoorClient) -> None:
        with pytest.raises(DoorError, match="is no table"):
            await client.request("undo")

    in_front_of(saying(line), tmp_path, story)


def test_events_come_in_order_and_end_with_the_table(tmp_path: Path) -> None:
    async def story(client: DoorClient) -> None:
        events = await client.events()
        assert (await anext(events))["event"] == "deal.started"
        assert (await anext(events))["event"] == "deal.ended"
        with pytest.raises(DoorError, match="went away"):
            await anext(events)

    lines = b'{"id": 1, "ok": null}', b'{"t": 1, "event": "deal.started"}', b'{"t": 2, "event": "deal.ended"}'
    in_front_of(saying(*lines), tmp_path, story)


def test_events_that_nobody_takes_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_UNREAD_EVENTS", 3)

    async def story(client: DoorClient) -> None:
        events = await client.events()
        await asyncio.sleep(1)
        for _ in range(4):
            await anext(events)
        with pytest.raises(DoorError, match="over 3 events were left unread"):
            await anext(events)

    in_front_of(saying(b'{"id": 1, "ok": null}', *[b'{"t": 1, "event": "deal.tick"}'] * 9), tmp_path, story)


def test_nobody_at_the_door_is_told_with_what_to_do(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(DoorError, match="start one with `reboard run`"):
            await DoorClient.connect(tmp_path / "table.sock")

    run(main)


def test_a_file_that_is_no_door_is_told(tmp_path: Path) -> None:
    (tmp_path / "table.sock").mkdir()

    async def main() -> None:
        with pytest.raises(DoorError):
            await DoorClient.connect(tmp_path / "table.sock")

    run(main)
