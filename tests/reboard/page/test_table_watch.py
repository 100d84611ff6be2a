from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from reboard.page import table_watch
from reboard.page.table_watch import TableWatch
from reboard.web.event_stream import EventStreams, server_sent
from reboard_sim.virtual_time import run
from tests.reboard.page.fake_table import SNAPSHOT, FakeTable, but_its_time


class Listener:
    """A client of the page's events."""

    def __init__(self, stream: AsyncIterator[bytes]) -> None:
        self._stream = stream

    async def next(self, kind: str) -> Any:
        """The data of the next event of that kind."""
        async for event in self._stream:
            *head, data = event.decode().strip().split("\n")
            if (head[0].removeprefix("event: ") if head else "message") == kind:
                return json.loads(data.removeprefix("data: "))
        raise AssertionError("the stream ended")


Story = Callable[[FakeTable, TableWatch, Listener], Awaitable[None]]


def watching(tmp_path: Path, story: Story) -> None:
    async def main() -> None:
        table = FakeTable(tmp_path / "table.sock")
        streams = EventStreams()
        watch = TableWatch(tmp_path / "table.sock", streams)
        stream = streams.stream(watch.first_events)
        listener = Listener(stream)
        task = asyncio.create_task(watch.run())
        try:
            await story(table, watch, listener)
        finally:
            task.cancel()
            await asyncio.wait({task})
            await stream.aclose()
            await table.door.close()
            await asyncio.sleep(1)  # whoever is at the other end of a connection finds it closed

    run(main)


def test_a_newcomer_is_told_the_connection_the_table_and_what_happened(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        table.events.emit("game.started", game=3, edition="world")
        await table.open()
        await asyncio.sleep(1)
        assert await listener.next("connection") == {"connected": True, "why": None}
        assert but_its_time(await listener.next("table")) == SNAPSHOT
        assert (await listener.next("past"))["event"] == "game.started"

    watching(tmp_path, story)


def test_events_are_passed_on_and_the_table_is_looked_at_anew(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        await table.open()
        await asyncio.sleep(1)
        await listener.next("table")
        table.now = {**SNAPSHOT, "game": 4}
        table.events.emit("game.started", game=4, edition="world")
        event = await listener.next("message")
        assert (event["event"], event["game"]) == ("game.started", 4)
        assert (await listener.next("table"))["game"] == 4

    watching(tmp_path, story)


def test_the_table_is_asked_at_most_ten_times_a_second(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        await table.open()
        await asyncio.sleep(1)
        table.looks = 0
        for _ in range(1000):
            table.events.emit("motor", level=0.5)
            await asyncio.sleep(0.01)
        assert 95 <= table.looks <= 101

    watching(tmp_path, story)


def test_an_unchanged_table_is_not_sent_again(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        await table.open()
        await asyncio.sleep(1)
        await listener.next("table")
        table.events.emit("deal.tick")
        await asyncio.sleep(1)
        table.now = {**SNAPSHOT, "game": 4}
        table.events.emit("deal.tick")
        assert (await listener.next("table"))["game"] == 4

    watching(tmp_path, story)


def test_swarms_of_events_do_not_push_out_what_happened(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        await table.open()
        await asyncio.sleep(1)
        table.events.emit("apple.wound")
        for _ in range(99):
            table.events.emit("motor", level=0.5)
        await asyncio.sleep(1)
        assert [b"apple.wound" in event for event in watch.first_events()] == [False, False, True]

    watching(tmp_path, story)


def test_a_table_that_goes_away_is_told_and_found_again_within_two_seconds(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        await table.open()
        await asyncio.sleep(1)
        assert (await listener.next("connection"))["connected"] is True
        await table.door.close()
        away = await listener.next("connection")
        assert away == {"connected": False, "why": "the table hung up: the table was switched off"}
        assert but_its_time(watch.snapshot) == SNAPSHOT
        await asyncio.sleep(100)
        assert watch.why_away
        assert "reboard run" in watch.why_away
        await table.open()
        await asyncio.sleep(2.1)
        assert watch.why_away is None

    watching(tmp_path, story)


def test_what_happened_is_told_anew_and_not_twice_after_a_break(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        table.events.emit("apple.wound")
        for _ in range(2):
            await table.open()
            await asyncio.sleep(3)
            assert len([event for event in watch.first_events() if event.startswith(b"event: past")]) == 1
            await table.door.close()
            await asyncio.sleep(3)

    watching(tmp_path, story)


def test_a_table_that_comes_back_is_told_anew_though_it_is_as_it_was(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        for _ in range(2):
            await table.open()
            await asyncio.sleep(3)
            async with asyncio.timeout(1):
                assert but_its_time(await listener.next("table")) == SNAPSHOT
            await table.door.close()
            await asyncio.sleep(3)

    watching(tmp_path, story)


def test_a_table_that_hangs_is_found_out(tmp_path: Path) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
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
        await asyncio.sleep(table_watch.LOOK_ANYWAY_S + table_watch.ANSWER_S)
        assert watch.why_away
        assert "did not answer" in watch.why_away
        hanging.close()

    watching(tmp_path, story)


def test_a_table_that_is_not_understood_is_away_told_in_the_log_and_looked_for_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_over_the_past(data: object, kind: str | None = None) -> bytes:
        if kind == "past":
            raise KeyError("event")
        return server_sent(data, kind)

    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        table.events.emit("apple.wound")
        with pytest.MonkeyPatch.context() as page:
            page.setattr(table_watch, "server_sent", fail_over_the_past)
            await table.open()
            await asyncio.sleep(60)
            assert watch.why_away == "the page does not understand the table: KeyError('event')"
            assert 25 <= caplog.text.count("Traceback") <= 35, "ever less often, up to every two seconds"
        await asyncio.sleep(3)
        assert watch.why_away is None

    watching(tmp_path, story)


def test_being_away_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(table: FakeTable, watch: TableWatch, listener: Listener) -> None:
        await asyncio.sleep(60)
        assert caplog.text.count("no table is at work") == 1

    watching(tmp_path, story)
