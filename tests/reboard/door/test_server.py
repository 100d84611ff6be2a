from __future__ import annotations

import asyncio
import json
import re
import socket
import stat
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from reboard.door import server
from reboard.door.client import DoorClient
from reboard.door.server import TableDoor
from reboard.door.words import CHANGES, LONGEST_LINE_BYTES, READS, REQUESTS, door_path, encoded
from reboard.errors import DoorError, ReboardError
from reboard.events import VOCABULARY, Events
from reboard_sim.virtual_time import run

DOCS = Path(__file__).parents[3] / "docs" / "door.md"


class FakeTable:
    """Remembers what was asked of it."""

    def __init__(self) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.refusal: Exception | None = None
        self.transfers = 1

    def snapshot(self) -> dict[str, object]:
        return {"edition": "world"}

    async def history(self) -> str:
        if self.refusal:
            raise self.refusal
        return json.dumps({"game": 1, "transfers": [{}] * self.transfers})

    async def request(self, do: str, **args: object) -> object:
        self.asked.append((do, args))
        await asyncio.sleep(0.01)
        if self.refusal:
            raise self.refusal
        return len(self.asked)


class Lines:
    """A client that says exactly what it is told to."""

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


def at_the_door(
    tmp_path: Path, story: Callable[[FakeTable, Lines], Awaitable[None]], *, limit: int = LONGEST_LINE_BYTES
) -> None:
    async def main() -> None:
        table = FakeTable()
        table_door = TableDoor(table, tmp_path / "table.sock")
        table_door.claim()
        await table_door.open()
        client = Lines(*await asyncio.open_unix_connection(table_door.path, limit=limit))
        try:
            await story(table, client)
        finally:
            client.writer.close()
            await table_door.close()

    run(main)


def test_a_snapshot_is_answered_under_its_id(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        assert await client.ask({"id": "a", "do": "snapshot"}) == {"id": "a", "ok": {"edition": "world"}}

    at_the_door(tmp_path, story)


def test_a_request_reaches_the_table_with_its_arguments(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        assert await client.ask({"id": 1, "do": "volume", "level": 2}) == {"id": 1, "ok": 1}
        assert table.asked == [("volume", {"level": 2})]

    at_the_door(tmp_path, story)


def test_the_tables_refusal_is_the_answer(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.refusal = ReboardError("there is nothing to take back")
        assert await client.ask({"id": 1, "do": "undo", "transfer": 9}) == {
            "id": 1,
            "error": "there is nothing to take back",
        }

    at_the_door(tmp_path, story)


def test_a_failing_table_is_told_in_a_sentence_and_the_door_stays_open(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.refusal = ZeroDivisionError("oh")
        answer = await client.ask({"id": 1, "do": "undo", "transfer": 9})
        assert answer == {"id": 1, "error": "the table failed at this request; its log tells how"}
        assert "ZeroDivisionError" in caplog.text
        assert "ok" in await client.ask({"id": 2, "do": "snapshot"})

    at_the_door(tmp_path, story)


def test_a_repeated_change_is_carried_out_once_and_answered_alike(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        client.say({"id": 7, "do": "undo", "transfer": 9}, {"id": 7, "do": "undo", "transfer": 9})
        assert [await client.hear(), await client.hear()] == [{"id": 7, "ok": 1}] * 2
        assert len(table.asked) == 1
        assert (await client.ask({"id": 8, "do": "undo", "transfer": 9}))["ok"] == 2

    at_the_door(tmp_path, story)


def test_a_repeated_refusal_is_not_tried_again(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.refusal = ReboardError("no")
        first = await client.ask({"id": 7, "do": "undo", "transfer": 9})
        table.refusal = None
        assert await client.ask({"id": 7, "do": "undo", "transfer": 9}) == first

    at_the_door(tmp_path, story)


def test_the_past_is_looked_up_each_time_and_is_no_change(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        for table.transfers in (1, 2):
            answer = await client.ask({"id": 7, "do": "history"})
            assert answer == {"id": 7, "ok": {"game": 1, "transfers": [{}] * table.transfers}}
        table.refusal = ReboardError("there is no banker unit")
        assert await client.ask({"id": "x", "do": "history"}) == {"id": "x", "error": "there is no banker unit"}
        table.refusal = None
        assert "ok" in await client.ask({"id": 7, "do": "volume", "level": 1}), "the id was not used for a change"

    at_the_door(tmp_path, story)


def test_who_asks_is_told_to_the_table(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        await client.ask({"id": 1, "do": "name", "card": 8, "name": "", "by": "the page"})
        assert table.asked == [("name", {"card": 8, "name": "", "by": "the page"})]

    at_the_door(tmp_path, story)


def test_an_id_used_for_two_requests_is_an_error(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        await client.ask({"id": 7, "do": "volume", "level": 1})
        assert "used before" in (await client.ask({"id": 7, "do": "volume", "level": 2}))["error"]
        assert len(table.asked) == 1

    at_the_door(tmp_path, story)


def test_only_so_many_answers_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REMEMBERED_ANSWERS", 2)

    async def story(table: FakeTable, client: Lines) -> None:
        for key in (1, 2, 3, 1):
            await client.ask({"id": key, "do": "undo", "transfer": 9})
        assert len(table.asked) == 4

    at_the_door(tmp_path, story)


def test_events_are_sent_as_they_come_after_the_recent_ones_asked_for(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        for level in (1, 2, 3):
            table.events.emit("volume", level=level)
        assert await client.ask({"id": 1, "do": "events", "recent": 2}) == {"id": 1, "ok": None}
        past = [await client.hear(), await client.hear()]
        assert [(event["level"], event["recent"]) for event in past] == [(2, True), (3, True)]
        table.events.emit("deal.started")
        event = await client.hear()
        assert event["event"] == "deal.started"
        assert "recent" not in event

    at_the_door(tmp_path, story)


def test_a_swarm_of_passing_events_does_not_push_out_what_happened(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.events.emit("fault", part="left slot", cause="it went away")
        for number in range(200):
            table.events.emit("lamp", on=number % 2 == 0)
        await client.ask({"id": 1, "do": "events", "recent": 100})
        assert (await client.hear())["event"] == "fault"
        table.events.emit("lamp", on=True)
        assert (await client.hear())["event"] == "lamp"

    at_the_door(tmp_path, story)


def test_asking_for_events_twice_does_not_tell_them_twice(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        await client.ask({"id": 1, "do": "events"})
        await client.ask({"id": 2, "do": "events"})
        table.events.emit("deal.started")
        table.events.emit("deal.ended")
        assert [(await client.hear())["event"] for _ in range(2)] == ["deal.started", "deal.ended"]

    at_the_door(tmp_path, story)


def test_nothing_is_sent_to_somebody_who_has_not_asked(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.events.emit("deal.started")
        assert (await client.ask({"id": 1, "do": "snapshot"}))["id"] == 1

    at_the_door(tmp_path, story)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"hello", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 20_000, "no JSON"),
        (b"[]", '"id"'),
        (b"1", '"id"'),
        ({"do": "snapshot"}, '"id"'),
        ({"id": None, "do": "snapshot"}, '"id"'),
        ({"id": True, "do": "snapshot"}, '"id"'),
        ({"id": "x" * 201, "do": "snapshot"}, '"id"'),
        (b'{"id": 1e999, "do": "snapshot"}', '"id"'),
        ({"id": 1}, "must be one of snapshot, events"),
        ({"id": 1, "do": ["undo"]}, "must be one of"),
        ({"id": 1, "do": "format the disk"}, "must be one of"),
        ({"id": 1, "do": "volume"}, "a whole number from 0 to 4"),
        ({"id": 1, "do": "volume", "level": 5}, "a whole number from 0 to 4"),
        ({"id": 1, "do": "volume", "level": True}, "a whole number from 0 to 4"),
        ({"id": 1, "do": "quiet", "on": 1}, "true or false"),
        ({"id": 1, "do": "events", "recent": 101}, "a whole number from 0 to 100"),
        ({"id": 1, "do": "undo"}, '"transfer" must be a whole number'),
        ({"id": 1, "do": "undo", "transfer": "3"}, '"transfer" must be a whole number'),
        ({"id": 1, "do": "undo", "transfer": -3}, '"transfer" must be a whole number from 1 to'),
        ({"id": 1, "do": "undo", "transfer": 0}, '"transfer" must be a whole number from 1 to'),
        ({"id": 1, "do": "new_game", "game": 0}, '"game" must be a whole number from 1 to'),
        ({"id": 1, "do": "new_game", "edition": ""}, '"edition" must be a text of 1 to 200 printable characters'),
        ({"id": 1, "do": "end_game"}, '"game" must be a whole number from 1 to'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": []}, '"worths" must be an object of cards, "1" to "8", each'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": {"9": 1}}, '"worths" must be an object of cards'),
        ({"id": 1, "do": "end_game", "game": 1, "worths": {"1": -1}}, "a whole number from 0 to 1000000000000000"),
        ({"id": 1, "do": "end_game", "game": 1, "worths": {"1": 0.5}}, '"worths" must be an object of cards'),
        ({"id": 1, "do": "name", "card": 9, "name": "Anna"}, '"card" must be a whole number from 1 to 8'),
        ({"id": 1, "do": "name", "card": 1}, '"name" must be a text of 0 to 60 printable characters'),
        ({"id": 1, "do": "name", "card": 1, "name": "An\nna"}, '"name" must be a text'),
        ({"id": 1, "do": "undo", "transfer": 1, "by": ""}, '"by" must be a text of 1 to 60 printable characters'),
        ({"id": 1, "do": "undo", "transfer": 1, "by": "x\nroot logged in"}, '"by" must be a text'),
        (b'{"id": 1, "do": "undo", "transfer": 1, "by": "\\ud800"}', '"by" must be a text'),
        ({"id": 1, "do": "snapshot", "by": "me"}, "snapshot takes no argument 'by'"),
    ],
)
def test_garbage_is_answered_with_what_is_wrong_and_the_door_stays_open(
    tmp_path: Path, line: object, complaint: str
) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        answer = await client.ask(line)
        assert answer.keys() == {"id", "error"}
        assert complaint in answer["error"]
        assert not table.asked
        assert "ok" in await client.ask({"id": 2, "do": "snapshot"})

    at_the_door(tmp_path, story)


def test_an_error_names_the_id_when_it_could_be_read(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        assert (await client.ask({"id": "x", "do": "nonsense"}))["id"] == "x"

    at_the_door(tmp_path, story)


def test_empty_lines_are_passed_over(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        client.say(b"", b"  ")
        assert (await client.ask({"id": 1, "do": "snapshot"}))["id"] == 1

    at_the_door(tmp_path, story)


def test_an_endless_line_ends_the_connection_with_a_reason(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        client.say(b"x" * (LONGEST_LINE_BYTES + 1))
        assert f"longer than {LONGEST_LINE_BYTES}" in (await client.hear())["error"]
        assert await client.reader.read() == b""

    at_the_door(tmp_path, story)


def test_a_client_that_never_reads_is_sent_away_and_the_others_hear_on(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        other = Lines(*await asyncio.open_unix_connection(tmp_path / "table.sock"))
        assert "ok" in await other.ask({"id": 1, "do": "events"})
        assert "ok" in await client.ask({"id": 1, "do": "events"})
        heard = 0
        for n in range(20):
            for _ in range(500):
                table.events.emit("fault", part="display", cause=f"{n} " + 100 * "x")
            for _ in range(500):
                heard += (await other.hear())["event"] == "fault"
        assert heard == 10_000
        other.writer.close()
        received = (await client.reader.read()).splitlines()
        assert len(received) < 10_000
        assert "read too slowly" in json.loads(received[-1])["error"]

    at_the_door(tmp_path, story)


def test_an_answer_that_is_longer_than_what_may_be_left_unread_reaches_who_reads_it(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.transfers = server.MOST_UNREAD_BYTES // 2
        assert "ok" in await client.ask({"id": 1, "do": "events"})
        client.say({"id": 2, "do": "history"}, {"id": 3, "do": "history"})
        await asyncio.sleep(1)
        for _ in range(1000):
            table.events.emit("fault", part="display", cause=100 * "x")
        heard = [await client.hear() for _ in range(1002)]
        answers = [said["ok"]["transfers"] for said in heard if "ok" in said]
        assert [len(answer) for answer in answers] == [table.transfers] * 2

    at_the_door(tmp_path, story, limit=8 * server.MOST_UNREAD_BYTES)


def test_who_asks_for_long_answers_and_never_reads_is_sent_away_all_the_same(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        table.transfers = server.MOST_UNREAD_BYTES // 2
        client.say({"id": 0, "do": "events"}, *({"id": n, "do": "history"} for n in range(1, 100)))
        await asyncio.sleep(1)
        for _ in range(10_000):
            table.events.emit("fault", part="display", cause=100 * "x")
        *received, last = (await client.reader.read()).splitlines()
        assert "read too slowly" in json.loads(last)["error"]
        assert len([line for line in received if b"transfers" in line]) < 3, "an answer at a time"

    at_the_door(tmp_path, story)


def test_a_client_that_neither_reads_nor_hangs_up_is_cut_off(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        deaf = socket.socket(socket.AF_UNIX)
        with deaf:
            deaf.connect(str(tmp_path / "table.sock"))
            deaf.setblocking(False)
            deaf.sendall(b'{"id": 1, "do": "events"}\n')
            await asyncio.get_running_loop().sock_recv(deaf, 100)
            for _ in range(10_000):
                table.events.emit("fault", part="display", cause=100 * "x")
            await asyncio.sleep(2 * server.LAST_LINE_S)
            with pytest.raises(BrokenPipeError):
                deaf.sendall(b"\n")

    at_the_door(tmp_path, story)


def test_one_client_too_many_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_CLIENTS", 1)

    async def story(table: FakeTable, client: Lines) -> None:
        await client.ask({"id": 1, "do": "snapshot"})
        second = Lines(*await asyncio.open_unix_connection(tmp_path / "table.sock"))
        assert "1 clients are at the door already" in (await second.hear())["error"]
        second.writer.close()
        client.writer.close()
        await client.writer.wait_closed()
        await asyncio.sleep(0.1)
        third = Lines(*await asyncio.open_unix_connection(tmp_path / "table.sock"))
        assert "ok" in await third.ask({"id": 1, "do": "snapshot"})
        third.writer.close()

    at_the_door(tmp_path, story)


def test_a_flood_of_connections_takes_little_of_the_tables_time_and_keeps_no_client_out(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        loop = asyncio.get_running_loop()
        until, accepted = loop.time() + 2, 0
        while loop.time() < until:
            with socket.socket(socket.AF_UNIX) as flooding, suppress(BlockingIOError):
                flooding.setblocking(False)
                flooding.connect(str(tmp_path / "table.sock"))
                accepted += 1
            await asyncio.sleep(0.001)
        assert accepted < 200, "2000 tried"
        async with await DoorClient.connect(tmp_path / "table.sock") as other:
            assert await other.request("snapshot") == {"edition": "world"}

    at_the_door(tmp_path, story)


def test_a_closing_door_tells_everybody_and_leaves_nothing_behind(tmp_path: Path) -> None:
    async def main() -> None:
        path, link = tmp_path / "run" / "table.sock", tmp_path / "state" / "table.sock"
        table_door = TableDoor(FakeTable(), path, also_at=link)
        table_door.claim()
        await table_door.open()
        client = Lines(*await asyncio.open_unix_connection(link))
        await client.ask({"id": 1, "do": "snapshot"})
        await table_door.close()
        assert await client.hear() == {"id": None, "error": "the table was switched off"}
        assert not path.exists()
        assert not link.is_symlink()
        await table_door.close()
        client.writer.close()

    run(main)


@pytest.mark.parametrize("turns", range(6))
def test_who_knocks_when_the_door_closes_is_told_however_far_that_has_come(tmp_path: Path, turns: int) -> None:
    async def main() -> bytes:
        table_door = TableDoor(FakeTable(), tmp_path / "table.sock")
        table_door.claim()
        await table_door.open()
        with socket.socket(socket.AF_UNIX) as late:
            late.connect(str(tmp_path / "table.sock"))
            for _ in range(turns):
                await asyncio.sleep(0)
            await table_door.close()
            late.setblocking(False)
            return late.recv(1000)

    assert asyncio.run(main()) == encoded({"id": None, "error": "the table was switched off"})


def test_only_its_user_and_group_may_open_the_door(tmp_path: Path) -> None:
    async def story(table: FakeTable, client: Lines) -> None:
        await client.ask({"id": 1, "do": "snapshot"})
        assert stat.S_IMODE((tmp_path / "table.sock").stat().st_mode) == 0o660

    at_the_door(tmp_path, story)


def test_a_dead_tables_socket_and_link_are_replaced(tmp_path: Path) -> None:
    path, link = tmp_path / "run" / "table.sock", tmp_path / "table.sock"
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    link.symlink_to(path)

    async def main() -> None:
        table_door = TableDoor(FakeTable(), path, also_at=link)
        table_door.claim()
        await table_door.open()
        async with await DoorClient.connect(link) as client:
            assert await client.request("snapshot") == {"edition": "world"}
        await table_door.close()

    run(main)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_live_tables_door_is_not_taken(tmp_path: Path, is_open: bool) -> None:
    async def main() -> None:
        first = TableDoor(FakeTable(), tmp_path / "table.sock")
        first.claim()
        if is_open:
            await first.open()
        with pytest.raises(DoorError, match="another table is at work already"):
            TableDoor(FakeTable(), first.path).claim()
        # a second daemon of the same state, whose own socket would be elsewhere
        with pytest.raises(DoorError, match="another table is at work already"):
            TableDoor(FakeTable(), tmp_path / "run" / "table.sock", also_at=first.path).claim()
        await first.open()
        async with await DoorClient.connect(first.path) as client:
            assert await client.request("snapshot") == {"edition": "world"}
        await first.close()

    run(main)


def test_a_door_does_not_remove_the_one_that_took_its_place(tmp_path: Path) -> None:
    async def main() -> None:
        first = TableDoor(FakeTable(), tmp_path / "table.sock")
        first.claim()
        await first.open()
        first.path.unlink()
        second = TableDoor(FakeTable(), first.path)
        second.claim()
        await second.open()
        await first.close()
        assert first.path.exists()
        await second.close()

    run(main)


def test_what_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "table.sock"
    path.write_text("precious")

    async def main() -> None:
        with pytest.raises(DoorError, match="in the way"):
            TableDoor(FakeTable(), path).claim()

    run(main)
    assert path.read_text() == "precious"


@pytest.mark.parametrize("place", ["x" * 120, "file/state"])
def test_a_door_that_cannot_be_made_is_told_plainly(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")

    async def main() -> None:
        with pytest.raises(DoorError, match=r"cannot be made at .*: "):
            TableDoor(FakeTable(), tmp_path / place / "table.sock").claim()

    run(main)


def test_a_state_directory_that_takes_no_link_leaves_the_door_open(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def main() -> None:
        door = TableDoor(FakeTable(), tmp_path / "run" / "table.sock", also_at=tmp_path / "file" / "table.sock")
        door.claim()
        await door.open()
        async with await DoorClient.connect(door.path) as client:
            assert await client.request("snapshot") == {"edition": "world"}
        await door.close()
        assert not door.path.exists()

    run(main)


def test_the_door_is_in_the_directory_that_the_service_has_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REBOARD_DOOR", "/run/reboard")
    assert door_path(Path("/var/lib/reboard")) == Path("/run/reboard/table.sock")
    monkeypatch.delenv("REBOARD_DOOR")
    assert door_path(Path("/var/lib/reboard")) == Path("/var/lib/reboard/table.sock")


def test_the_paper_has_every_event_with_its_fields() -> None:
    _, _, events = DOCS.read_text().partition("## Events")
    rows = re.findall(r"^\| `([a-z.]+)` \| ([^|]*)\|", events, re.MULTILINE)
    assert {name: frozenset(re.findall(r"`(\w+)`", fields)) for name, fields in rows} == dict(VOCABULARY)


def test_the_paper_has_every_request_with_its_arguments() -> None:
    requests, _, _ = DOCS.read_text().partition("## Events")
    rows = re.findall(r"^\| `([a-z_]+)` \| ([^|]*)\|", requests, re.MULTILINE)
    told = {do: set(re.findall(r"`(\w+)`", arguments)) for do, arguments in rows}
    assert told == {do: set(arguments) for do, arguments in (READS | CHANGES).items()}


def test_whoever_asks_for_a_change_may_say_who_it_is_and_whoever_only_looks_need_not() -> None:
    assert {do for do, arguments in REQUESTS.items() if "by" in arguments} == CHANGES.keys()
