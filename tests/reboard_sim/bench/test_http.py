"""The bench over HTTP, as scripts and the page see it, with a fake table."""

from __future__ import annotations

import asyncio
import itertools
import json
import queue
import re
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, BinaryIO

import httpx
import pytest
from starlette.websockets import WebSocket

import reboard_sim.bench
from reboard.errors import ConfigError, ReboardError
from reboard.languages import Texts
from reboard.web import http_server
from reboard_sim.bench import streams
from reboard_sim.bench.act_requests import MOST_BYTES
from reboard_sim.bench.api import MOST_LINES
from reboard_sim.bench.bench_acts import Listener, Setup
from reboard_sim.bench.pace import Pace
from reboard_sim.bench.streams import MOST_PAGES, NEWS_PER_S, LivePages
from reboard_sim.plays.play_language import PlayError
from tests.reboard_sim.bench.conftest import served
from tests.reboard_sim.bench.live_socket import live
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

STATIC = Path(reboard_sim.bench.__file__).parent / "static"


class FakeTable:
    """Remembers requests, and publishes what a test gives it."""

    read_only = ""

    def __init__(self) -> None:
        self.pace: Pace = 1
        self.scenes: list[tuple[Setup, int, list[str]]] = []
        self.done: list[list[str]] = []
        self.waiting: queue.Queue[Future[bool]] = queue.Queue()
        self.listeners: list[Listener] = []
        self.passed: queue.Queue[dict[str, Any]] = queue.Queue()
        self.looks_inside = 0
        self.stalls = 0

    def table(self) -> dict[str, Any]:
        return {"edition": "world", "game": 1, "done": len(self.done)}

    def hardware(self) -> dict[str, Any]:
        if self.stalls:
            self.stalls -= 1
            raise TimeoutError
        rate = 1000.0 if self.pace == "fast" else float(self.pace)
        return {"t": time.monotonic(), "pace": self.pace, "rate": rate}

    def do(self, lines: list[str], queue: str = "") -> Future[bool]:
        doing: Future[bool] = Future()
        if "dance" in lines:
            doing.set_exception(PlayError(lines.index("dance") + 1, "'dance' is not an act"))
        elif "wait 500" in lines:
            self.waiting.put(doing)
        else:
            self.done.append(lines)
            doing.set_result(self.pace != 0)
        return doing

    def finish(self, queue: str) -> Future[None]:
        return _done()

    def choose_pace(self, pace: Pace) -> Future[None]:
        self.pace = pace
        return _done()

    def step(self) -> Future[None]:
        return self.choose_pace(0)

    def scene(self) -> dict[str, Any]:
        return {"number": len(self.scenes)}

    def switches(self, say: Texts) -> list[dict[str, Any]]:
        return []

    def join_code(self) -> str:
        return ""

    def set_scene(self, wish: Setup, seed: int, lines: list[str]) -> Future[None]:
        if wish.edition == "monopoly":
            refused: Future[None] = Future()
            refused.set_exception(ConfigError("table.toml:3: nothing so"))
            return refused
        self.scenes.append((wish, seed, lines))
        return _done()

    def check_scene(self, wish: Setup, lines: list[str]) -> None:
        if wish.edition == "monopoly":
            raise ConfigError("table.toml:3: nothing so")

    def open_inside_view(self) -> Callable[[], dict[str, Any] | None]:
        def look() -> dict[str, Any] | None:
            self.looks_inside += 1
            with suppress(queue.Empty):
                return self.passed.get_nowait()
            return None

        return look

    def ledger(self) -> dict[str, Any]:
        return {"columns": ["id"], "rows": [[1]], "problem": None}

    def export(self, name: str, file: BinaryIO, /) -> None:
        file.write(f"what is remembered of {name}".encode())

    def wiring(self) -> bytes:
        raise ReboardError("schemdraw is not installed")

    def vocabulary(self) -> Sequence[dict[str, str]]:
        return [{"usage": "press block", "meaning": "press the question block"}]

    def tell(self, name: str) -> None:
        self.listeners[0].event({"t": 1.5, "event": name})

    def play(self, t: float, pcm: bytes) -> None:
        self.listeners[0].sound(t, pcm)


def _done() -> Future[None]:
    done: Future[None] = Future()
    done.set_result(None)
    return done


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def url(table: FakeTable) -> Iterator[str]:
    with served(table) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=PATIENCE_S, trust_env=False) as client:
        yield client


@contextmanager
def sse(client: httpx.Client, path: str, **headers: str) -> Iterator[Iterator[dict[str, str]]]:
    """The messages of a stream, each as its fields."""
    with client.stream("GET", path, headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _messages(answer.iter_lines())


def _messages(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield fields
            fields = {}


def test_the_page_has_no_inline_code_and_no_foreign_files() -> None:
    for path in (path for path in STATIC.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, path.name
        if path.suffix in (".html", ".svg"):
            assert not re.search(r'<style|<script(?![^>]*\bsrc=)|\sstyle="|\son\w+="', text), path.name


def test_a_page_gets_devices_and_events_and_what_it_asks_for(
    url: str, table: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "LONGEST_HEAD_S", 0.3)  # only for requests
    tone, silence = struct.pack("<4h", 0, 9000, -9000, 1), bytes(8)
    with live(url) as page:
        assert next(page.messages("hardware"))["pace"] == 1
        table.play(1.0, tone)
        table.tell("apple.wound")
        assert next(page.messages("events")) == [[1, {"t": 1.5, "event": "apple.wound"}]]
        assert table.looks_inside == 0

        page.send('{"topics": ["sound", "inside"]}')
        begun = time.monotonic()
        for number in range(10):
            table.passed.put({"t": number})
        news = page.messages("inside")
        assert [next(news)["t"] for _ in range(10)] == list(range(10))
        assert time.monotonic() - begun > 9 / NEWS_PER_S * 0.9
        for t, pcm in ((1.25, tone), (1.26, silence), (1.27, tone)):
            table.play(t, pcm)
        assert list(itertools.islice(page.sounds(), 2)) == [struct.pack("<d", t) + tone for t in (1.25, 1.27)]

        page.send('{"topics": []}')

        def looks_no_more() -> bool:
            seen = table.looks_inside
            time.sleep(0.2)
            return table.looks_inside == seen

        eventually(looks_no_more, "the page does not look any more")
        table.play(1.28, tone)
        table.tell("apple.stopped")
        assert [number for number, _ in next(page.messages("events"))] == [2]


def test_a_slow_page_gets_the_latest_events_and_sound_without_the_older_ones(url: str, table: FakeTable) -> None:
    with live(url) as page:
        page.send('{"topics": ["sound"]}')
        next(page.messages("hardware"))
        time.sleep(0.2)
        for number in range(5000):
            table.tell(f"{number} {'x' * 2000}")
            table.play(number / 50, b"xx" * 960)
        events: list[Any] = []
        while not events or events[-1][0] < 5000:
            events += next(page.messages("events"))
        assert len(events) < 1000
        table.tell("the end")
        assert next(page.messages("events"))[-1][1]["event"] == "the end"


def test_a_page_is_closed_that_sends_nonsense_or_too_much_or_is_one_too_many(url: str, table: FakeTable) -> None:
    for sent, code in (
        ("", 1007),
        ("[]", 1007),
        ("[" * 1000, 1007),
        ('{"topics": "sound"}', 1007),
        ('{"topics": ["money"]}', 1007),
        ('{"topics": [{}]}', 1007),
        (b"\xff", 1007),
        (json.dumps({"topics": ["sound"] * 200}), 1009),
    ):
        with live(url) as page:
            page.send(sent)
            assert list(page.messages("refusals")) == []
            assert page.closed == code, sent
    with ExitStack() as pages:
        for _ in range(MOST_PAGES):
            assert next(pages.enter_context(live(url)).messages("hardware"))
        with live(url) as page:
            assert (page.receive(), page.closed) == (None, 1013)


async def test_a_bench_that_shuts_down_does_not_say_that_too_many_pages_are_open(table: FakeTable) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    ended = asyncio.Event()
    ended.set()
    pages = LivePages(table.hardware, table.open_inside_view, ended)
    await pages.serve(WebSocket({"type": "websocket"}, receive, send), list)
    assert sent[-1]["code"] == 1001


@pytest.mark.parametrize("can_rest", [True, False])
async def test_the_devices_of_a_table_are_looked_at_after_its_work_and_those_of_a_program_always(
    table: FakeTable, can_rest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "RESTS_AFTER_S", -1.0)
    looks: list[None] = []

    def hardware() -> dict[str, Any]:
        looks.append(None)
        return table.hardware()

    ended = asyncio.Event()
    pages = LivePages(hardware, table.open_inside_view, ended, can_rest=can_rest)
    watching = asyncio.ensure_future(pages.watch())
    pages._has_pages.set()
    await asyncio.sleep(1)
    assert len(looks) == 1 if can_rest else len(looks) > 4
    pages.is_due.set()
    await asyncio.sleep(0.5)
    watching.cancel()
    assert len(looks) == 2 or not can_rest


def test_lines_are_answered_with_the_table_after_them_or_the_line_that_fails(
    client: httpx.Client, table: FakeTable
) -> None:
    answer = client.post("/api/bench/do", json={"lines": ["press block", "wait 5"]})
    assert (answer.status_code, answer.json()["done"]) == (200, 1)
    answer = client.post("/api/bench/do", json={"lines": ["press block", "dance"]})
    assert (answer.status_code, answer.json()) == (400, {"error": "'dance' is not an act", "line": 2})
    assert table.done == [["press block", "wait 5"]]
    assert client.get("/api/bench/export/money.xls").status_code == 404


INVALID_LINES = [
    (b"", 400),
    (b"press block", 400),
    (b'["press block"]', 400),
    (b'{"line": "press block"}', 400),
    (b'{"lines": "press block"}', 400),
    (b'{"lines": ["press block", 5]}', 400),
    (b"[" * 50_000, 400),
    (b'{"lines": ["\xff"]}', 400),
    (b'{"lines": ["dance \\ud800"]}', 400),
    (json.dumps({"lines": ["wait 0"] * (MOST_LINES + 1)}).encode(), 413),
    (json.dumps({"lines": ["#" + " " * MOST_BYTES]}).encode(), 413),
]


def test_an_invalid_list_of_lines_is_rejected(client: httpx.Client, table: FakeTable) -> None:
    for body, status in INVALID_LINES:
        answer = client.post("/api/bench/do", content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["line"]) == (status, None), body[:50]
        assert answer.json()["error"]
    assert table.done == []


def test_the_pages_live_on_after_the_table_did_not_answer_once(
    url: str, table: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "RETRY_S", 0.01)
    table.stalls = 1
    with live(url) as page:
        assert next(page.messages("hardware"))["pace"] == 1
    assert table.stalls == 0


def test_a_request_is_cancelled_when_its_client_is_gone(url: str, table: FakeTable) -> None:
    with closing(HTTPConnection(url.split("/")[2], timeout=PATIENCE_S)) as client:
        client.request("POST", "/api/bench/do", '{"lines": ["wait 500"]}', {"Content-Type": "application/json"})
        doing = table.waiting.get(timeout=PATIENCE_S)
    cancelled = threading.Event()
    doing.add_done_callback(lambda _: cancelled.set())
    assert cancelled.wait(PATIENCE_S)
    assert doing.cancelled()


INVALID_SETUPS: list[tuple[dict[str, Any], str]] = [
    ({"edition": 5}, "edition"),
    ({"edition": 'world"\nx = "'}, "edition"),
    ({"edition": "monopoly"}, "table.toml:3: nothing so"),
    ({"wiring": ["own"]}, "wiring"),
    ({"wiring": {"name": "a"}}, "wiring"),
    ({"left": "magnet"}, "left"),
    ({"right": ["id12"]}, "right"),
    ({"seed": "7"}, "seed"),
    ({"seed": -1}, "seed"),
    ({"seed": True}, "seed"),
    ({"seed": 2**53}, "9007199254740991"),
    ({"lines": "press block"}, "a list of play lines"),
    ({"lines": ["wait 0"] * 10_001}, "at most 10000 lines"),
]


def test_an_invalid_setup_is_rejected(client: httpx.Client, table: FakeTable) -> None:
    for asked, problem in INVALID_SETUPS:
        for check in (False, True):
            answer = client.post("/api/bench/scene", json={**asked, "check": check})
            assert answer.status_code in (400, 413)
            assert problem in answer.json()["error"]
    assert client.post("/api/bench/scene", json={"seed": 7, "check": True}).status_code == 200
    assert table.scenes == [], "a check loads nothing"


def test_another_sites_page_can_do_nothing(client: httpx.Client, url: str, table: FakeTable) -> None:
    body = {"lines": ["press block"]}
    for origin in ("http://evil.example", "null", url.rstrip("/") + "1"):
        assert client.post("/api/bench/do", json=body, headers={"origin": origin}).status_code == 403
    plain = {"content-type": "text/plain"}
    assert client.post("/api/bench/do", content=json.dumps(body), headers=plain).status_code == 415
    assert table.done == []
    assert client.get("/api/table", headers={"origin": "http://evil.example"}).status_code == 403
    for origin, status in (("http://evil.example", 403), ("null", 403), (url.rstrip("/"), 101)):
        with live(url, origin=origin) as page:
            assert page.status == status
    assert client.post("/api/bench/do", json=body, headers={"origin": url.rstrip("/")}).status_code == 200


def test_a_foreign_host_name_gets_no_answer(client: httpx.Client, url: str, table: FakeTable) -> None:
    evil = {"host": "evil.example:8000", "origin": "http://evil.example:8000"}
    assert client.post("/api/bench/do", json={"lines": ["press block"]}, headers=evil).status_code == 400
    assert client.get("/api/table", headers=evil).status_code == 400
    with live(url, **evil) as page:
        assert page.status == 400
    assert table.done == []
    assert client.get("/api/table", headers={"host": "localhost:8000"}).status_code == 200


def test_a_client_that_reconnects_gets_the_events_that_it_missed(
    client: httpx.Client, url: str, table: FakeTable
) -> None:
    for name in ("block.pressed", "apple.wound", "apple.stopped"):
        table.tell(name)
    client.get("/api/table")  # answered after what was told before it
    for path, headers in (("/api/events", {"last-event-id": "1"}), ("/api/events?after=1", {})):
        with sse(client, path, **headers) as messages:
            missed = [json.loads(message["data"])["event"] for message in itertools.islice(messages, 2)]
        assert missed == ["apple.wound", "apple.stopped"]
    with live(url, "?after=1") as page:
        assert [event["event"] for _, event in next(page.messages("events"))] == missed


def test_the_bench_stops_at_once_though_streams_are_open(table: FakeTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "SHUTDOWN_S", 3 * PATIENCE_S)
    with ExitStack() as listening:
        with served(table) as url:
            client = listening.enter_context(httpx.Client(base_url=url, timeout=PATIENCE_S, trust_env=False))
            listening.enter_context(client.stream("GET", "/api/events"))
            page = listening.enter_context(live(url))
            page.send('{"topics": ["sound", "inside"]}')
        assert list(page.messages("refusals")) == []
    assert table.listeners == []
