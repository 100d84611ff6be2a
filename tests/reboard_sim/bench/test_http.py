"""The bench over HTTP, as scripts and the page see it, with a table of cardboard behind it."""

from __future__ import annotations

import itertools
import json
import os
import queue
import re
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import httpx
import pytest

import reboard_sim.bench
from reboard.errors import ConfigError
from reboard.web.server import ListenError
from reboard_sim.bench.app import LOOKS_PER_S, MOST_CLIENTS
from reboard_sim.bench.carried_out import LONGEST_BODY_S, MOST_BYTES
from reboard_sim.bench.hands_on_table import AtNewTableError, SetAnewError, TooManyWaitingError
from reboard_sim.bench.inside_stream import NEWS_PER_S
from reboard_sim.bench.pace import Pace
from reboard_sim.bench.request_lines import MOST_LINES
from reboard_sim.bench.scene_wish import LONGEST_SCENE_S, SceneWish
from reboard_sim.bench.server import BenchServer
from reboard_sim.faults import FAULTS
from reboard_sim.play_language import PlayError

pytestmark = pytest.mark.realtime

STATIC = Path(reboard_sim.bench.__file__).parent / "static"
PATIENCE_S = 10.0
WAITING = '{"lines": ["wait 500"]}'


class CardboardTable:
    """Remembers what it is asked, and says what it is told to say."""

    def __init__(self) -> None:
        self.looks: dict[str, Any] = {"lamp": False}
        self.pace: Pace = 1
        self.problem: Exception | None = None
        self.steps = 0
        self.scenes: list[tuple[SceneWish, int, list[str]]] = []
        self.done: list[list[str]] = []
        self.hands: list[str] = []
        self.waiting: queue.Queue[Future[bool]] = queue.Queue()
        self.listeners: list[Callable[..., None]] = []
        self.passed: queue.Queue[dict[str, Any]] = queue.Queue()
        self.looks_inside = 0

    def table(self) -> dict[str, Any]:
        return {"edition": "world", "game": 1, "done": len(self.done)}

    def hardware(self) -> dict[str, Any]:
        rate = 1000.0 if self.pace == "fast" else float(self.pace)
        return {**self.looks, "t": time.monotonic(), "pace": self.pace, "rate": rate}

    def do(self, lines: list[str], hand: str = "") -> Future[bool]:
        doing: Future[bool] = Future()
        if self.problem:
            doing.set_exception(self.problem)
        elif "dance" in lines:
            doing.set_exception(PlayError(lines.index("dance") + 1, "'dance' is no act"))
        elif "wait 500" in lines:
            self.waiting.put(doing)
        else:
            self.done.append(lines)
            self.hands.append(hand)
            doing.set_result(self.pace != 0)
        return doing

    def choose_pace(self, pace: Pace) -> Future[None]:
        self.pace = pace
        return _done()

    def step(self) -> Future[None]:
        self.steps += 1
        return self.choose_pace(0)

    def scene(self) -> dict[str, Any]:
        return {"number": len(self.scenes)}

    def set_scene(self, wish: SceneWish, seed: int, lines: list[str]) -> Future[None]:
        if wish.edition == "monopoly":
            refused: Future[None] = Future()
            refused.set_exception(ConfigError("table.toml:3: nothing so"))
            return refused
        self.scenes.append((wish, seed, lines))
        if "insert left 9" in lines:
            half: Future[None] = Future()
            half.set_exception(AtNewTableError(lines.index("insert left 9") + 1, "there is no card 9"))
            return half
        return _done()

    def subscribe_events(self, callback: Callable[[dict[str, Any]], None], /) -> Callable[[], None]:
        return self._listen(callback)

    def subscribe_sound(self, callback: Callable[[float, bytes], None], /) -> Callable[[], None]:
        return self._listen(callback)

    def subscribe_refusals(self, callback: Callable[[str], None], /) -> Callable[[], None]:
        return self._listen(callback)

    def look_inside(self) -> Callable[[], dict[str, Any] | None]:
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

    def vocabulary(self) -> Sequence[dict[str, str]]:
        return [{"usage": "press block", "meaning": "press the question block"}]

    def tell(self, name: str) -> None:
        self.listeners[0]({"t": 1.5, "event": name})

    def play(self, t: float, pcm: bytes) -> None:
        self.listeners[1](t, pcm)

    def _listen(self, callback: Callable[..., None]) -> Callable[[], None]:
        self.listeners.append(callback)
        return lambda: self.listeners.remove(callback)


def _done() -> Future[None]:
    done: Future[None] = Future()
    done.set_result(None)
    return done


@pytest.fixture
def table() -> CardboardTable:
    return CardboardTable()


@pytest.fixture
def url(table: CardboardTable, serve: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    with serve(table) as url:
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


@contextmanager
def asked(url: str, body: str, length: int | None = None) -> Iterator[socket.socket]:
    """A client that sends *body* to be done, says that it is so long, and has gone afterwards."""
    host, port = url.split("/")[2].split(":")
    head = f"POST /api/bench/do HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as line:
        line.sendall(f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n{body}".encode())
        yield line


def _messages(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    fields: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            yield fields
            fields = {}


# the page


def test_the_page_and_every_file_that_it_names_are_served(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.status_code == 200
    names = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text))
    names |= {f"/static/art/{name}.svg" for name in re.findall(r'data-art="(\w+)"', page.text)}
    names |= {f"/static/{path.name}" for path in STATIC.glob("*.js")}
    for module in STATIC.glob("*.js"):
        names |= {f"/static/{name}" for name in re.findall(r'from "\./([\w.]+)"', module.read_text(encoding="utf-8"))}
    assert len(names) > 20
    assert {name: client.get(name).status_code for name in names} == dict.fromkeys(names, 200)


def test_nothing_of_the_page_comes_from_elsewhere_or_stands_inline() -> None:
    for path in (path for path in STATIC.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, path.name
        if path.suffix in (".html", ".svg"):
            assert not re.search(r'<style|<script(?![^>]*\bsrc=)|\sstyle="|\son\w+="', text), path.name


def test_the_page_may_load_only_its_own_scripts_and_styles_and_stand_in_no_frame(client: httpx.Client) -> None:
    policy = client.get("/").headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"


# the inside


def test_what_passes_inside_is_told_while_somebody_looks_in_and_no_oftener_than_20_times_a_second(
    client: httpx.Client, table: CardboardTable
) -> None:
    assert table.looks_inside == 0
    with sse(client, "/api/bench/inside") as messages:
        begun = time.monotonic()
        for number in range(10):
            table.passed.put({"t": number})
        assert [json.loads(next(messages)["data"])["t"] for _ in range(10)] == list(range(10))
        assert time.monotonic() - begun > 9 / NEWS_PER_S * 0.9
    time.sleep(0.2)
    seen = table.looks_inside
    time.sleep(0.3)
    assert table.looks_inside == seen, "nobody looks in any more"


def test_a_page_that_takes_nothing_is_asked_for_nothing_more(url: str, table: CardboardTable) -> None:
    host, port = url.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as line:
        line.sendall(f"GET /api/bench/inside HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        for _ in range(100):
            table.passed.put({"much": "x" * 1_000_000})
        time.sleep(2)
        seen = table.looks_inside
        time.sleep(0.5)
        assert table.looks_inside == seen < 30


def test_no_more_than_may_be_look_in(client: httpx.Client) -> None:
    with ExitStack() as looking:
        everybody = [looking.enter_context(sse(client, "/api/bench/inside")) for _ in range(MOST_CLIENTS)]
        assert len(everybody) == MOST_CLIENTS
        answer = client.get("/api/bench/inside")
        assert answer.status_code == 503
        assert "close a page" in answer.json()["error"]


def test_the_ledgers_rows_are_told(client: httpx.Client) -> None:
    assert client.get("/api/bench/ledger").json() == {"columns": ["id"], "rows": [[1]], "problem": None}


@pytest.mark.parametrize("name", ["pins.vcd", "sound.wav", "events.jsonl"])
def test_what_is_remembered_can_be_kept(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/api/bench/export/{name}")
    assert answer.headers["content-disposition"] == f'attachment; filename="reboard-{name}"'
    assert answer.text == f"what is remembered of {name}"


def test_what_is_not_remembered_is_refused_in_words(client: httpx.Client) -> None:
    answer = client.get("/api/bench/export/money.xls")
    assert answer.status_code == 404
    assert "pins.vcd" in answer.json()["error"]


# the table


def test_the_table_is_told_and_not_kept_by_browsers(client: httpx.Client) -> None:
    answer = client.get("/api/table")
    assert answer.json() == {"edition": "world", "game": 1, "done": 0}
    assert answer.headers["cache-control"] == "no-store"


def test_the_bench_tells_what_can_be_chosen_there(client: httpx.Client) -> None:
    choices = client.get("/api/bench").json()
    world = next(edition for edition in choices["editions"] if edition["name"] == "world")
    assert world["units"] is True
    assert "World" in world["title"]
    assert {fault["name"] for fault in choices["faults"]} == set(FAULTS)
    assert choices["acts"] == [{"usage": "press block", "meaning": "press the question block"}]


def test_lines_are_done_in_turn_and_answered_with_the_table_after_them(
    client: httpx.Client, table: CardboardTable
) -> None:
    answer = client.post("/api/bench/do", json={"lines": ["press block", "wait 5"]})
    assert answer.status_code == 200
    assert answer.json()["done"] == 1
    assert table.done == [["press block", "wait 5"]]


def test_a_line_that_cannot_be_done_is_named(client: httpx.Client, table: CardboardTable) -> None:
    answer = client.post("/api/bench/do", json={"lines": ["press block", "dance"]})
    assert answer.status_code == 400
    assert answer.json() == {"error": "'dance' is no act", "line": 2}
    assert table.done == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
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
    ],
    ids=["nothing", "text", "list", "no lines", "a text", "number", "depths", "bytes", "half", "too many", "too long"],
)
def test_what_is_no_list_of_lines_is_refused_in_words(
    client: httpx.Client, table: CardboardTable, body: bytes, status: int
) -> None:
    answer = client.post("/api/bench/do", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["error"]
    assert answer.json()["line"] is None
    assert table.done == []


def test_as_many_lines_as_may_be_are_done(client: httpx.Client, table: CardboardTable) -> None:
    assert client.post("/api/bench/do", json={"lines": ["wait 0"] * MOST_LINES}).status_code == 200
    assert len(table.done[0]) == MOST_LINES


def test_hands_that_wait_stop_nobody_elses(client: httpx.Client, url: str, table: CardboardTable) -> None:
    with ExitStack() as waiting:
        for _ in range(30):
            waiting.enter_context(asked(url, WAITING))
        for _ in range(30):
            table.waiting.get(timeout=PATIENCE_S)
        assert client.post("/api/bench/do", json={"lines": ["press block"]}).status_code == 200


def test_what_somebody_asked_for_who_has_gone_is_called_off(url: str, table: CardboardTable) -> None:
    with asked(url, WAITING):
        doing = table.waiting.get(timeout=PATIENCE_S)
    called_off = threading.Event()
    doing.add_done_callback(lambda _: called_off.set())
    assert called_off.wait(PATIENCE_S)
    assert doing.cancelled()


def test_lines_that_do_not_arrive_are_not_waited_for(url: str) -> None:
    begun = time.monotonic()
    with asked(url, "{", length=100) as line:
        assert line.recv(1000).startswith(b"HTTP/1.1 408 ")
    assert time.monotonic() - begun < LONGEST_BODY_S + 1


def test_who_goes_in_the_middle_of_a_request_leaves_no_trace(
    url: str, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with asked(url, "{", length=99_999_999_999):
        pass
    time.sleep(0.1)
    assert client.get("/api/table").status_code == 200
    assert caplog.records == []


def test_a_request_may_say_which_hand_is_to_do_it(client: httpx.Client, table: CardboardTable) -> None:
    assert client.post("/api/bench/do", json={"lines": ["key 1"], "hand": "my left one"}).status_code == 200
    assert client.post("/api/bench/do", json={"lines": ["key 2"]}).status_code == 200
    assert table.hands == ["my left one", ""]
    for hand in (5, "x" * 61):
        answer = client.post("/api/bench/do", json={"lines": ["key 3"], "hand": hand})
        assert answer.status_code == 400
        assert "at most 60 characters" in answer.json()["error"]


# time


@pytest.mark.parametrize("pace", [0, 1, 10, "fast"])
def test_the_pace_of_the_clock_is_chosen_and_told(client: httpx.Client, table: CardboardTable, pace: Pace) -> None:
    answer = client.post("/api/bench/time", json={"pace": pace})
    assert answer.status_code == 200
    assert answer.json().keys() == {"t", "pace", "rate"}
    assert answer.json()["pace"] == table.pace == pace


def test_the_clock_goes_on_by_one_step(client: httpx.Client, table: CardboardTable) -> None:
    assert client.post("/api/bench/time", json={"step": True}).json()["pace"] == 0
    assert table.steps == 1


@pytest.mark.parametrize("asked", [{}, {"pace": 2}, {"pace": "10"}, {"pace": True}, {"pace": 1.0}, {"step": 1}])
def test_a_pace_that_there_is_not_is_refused_in_words(
    client: httpx.Client, table: CardboardTable, asked: dict[str, Any]
) -> None:
    answer = client.post("/api/bench/time", json=asked)
    assert answer.status_code == 400
    assert '{"pace": 0}, 1, 10 or "fast"' in answer.json()["error"]
    assert table.pace == 1


def test_what_is_asked_while_the_clock_stands_is_accepted_and_not_done_yet(
    client: httpx.Client, table: CardboardTable
) -> None:
    table.pace = 0
    assert client.post("/api/bench/do", json={"lines": ["press block"]}).status_code == 202


def test_what_was_asked_of_a_table_that_is_gone_is_answered_so(client: httpx.Client, table: CardboardTable) -> None:
    table.problem = SetAnewError()
    answer = client.post("/api/bench/do", json={"lines": ["press block"]})
    assert answer.status_code == 409
    assert answer.json() == {"error": "the table was set anew before this was done", "line": None}


def test_more_than_can_wait_is_refused_for_now(client: httpx.Client, table: CardboardTable) -> None:
    table.problem = TooManyWaitingError("500 requests wait to be done already")
    answer = client.post("/api/bench/do", json={"lines": ["press block"]})
    assert answer.status_code == 503
    assert "wait to be done already" in answer.json()["error"]


@pytest.mark.parametrize("pace", [0, "fast"])
def test_time_is_told_as_it_passes_only_where_no_page_can_count_it(
    client: httpx.Client, table: CardboardTable, pace: Pace
) -> None:
    with sse(client, "/api/bench/live") as messages:
        next(messages)
        time.sleep(0.3)
        table.pace = pace
        seen = [json.loads(next(messages)["data"]) for _ in range(3)]
    assert [looks["pace"] for looks in seen] == [pace, pace, pace]
    assert seen[0]["t"] < seen[1]["t"] < seen[2]["t"]


# scenes


def test_a_scene_is_set_with_what_is_said_of_it(client: httpx.Client, table: CardboardTable) -> None:
    asked = {"edition": "world", "wiring": "own", "left": "pn532", "right": None, "seed": 7, "lines": ["press block"]}
    assert client.post("/api/bench/scene", json=asked).status_code == 200
    assert table.scenes == [(SceneWish("world", "own", None, {"left": "pn532"}), 7, ["press block"])]
    assert client.get("/api/bench/scene").json() == {"number": 1}


def test_a_scene_of_which_nothing_is_said_is_our_own_with_a_seed_of_its_own(
    client: httpx.Client, table: CardboardTable
) -> None:
    for _ in range(2):
        assert client.post("/api/bench/scene", json={}).status_code == 200
    (wish, seed, lines), (_, other_seed, _) = table.scenes
    assert (wish, lines) == (SceneWish(), [])
    assert seed != other_seed


def test_of_a_line_that_fails_at_the_new_table_it_is_told_that_there_is_a_new_one(client: httpx.Client) -> None:
    answer = client.post("/api/bench/scene", json={"lines": ["press block", "insert left 9"]})
    assert answer.status_code == 400
    assert answer.json() == {"error": "there is no card 9", "line": 2, "is_set": True}
    answer = client.post("/api/bench/scene", json={"edition": "monopoly"})
    assert "is_set" not in answer.json()


def test_how_long_a_scene_may_take_is_told_beforehand(client: httpx.Client) -> None:
    assert client.get("/api/bench").json()["longest_scene_s"] == LONGEST_SCENE_S


def test_a_wiring_is_sent_as_the_text_of_its_file(client: httpx.Client, table: CardboardTable) -> None:
    wiring = {"name": "C:/fakepath/mine.toml", "text": "[block]\nbutton = 17\n"}
    assert client.post("/api/bench/scene", json={"wiring": wiring}).status_code == 200
    assert table.scenes[0][0] == SceneWish("", "mine.toml", "[block]\nbutton = 17\n")


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"edition": 5}, "edition is a name"),
        ({"edition": 'world"\nx = "'}, "edition is a name"),
        ({"edition": "monopoly"}, "table.toml:3: nothing so"),
        ({"wiring": ["own"]}, "wiring is "),
        ({"wiring": {"name": "a"}}, "wiring is "),
        ({"left": "magnet"}, "left is one of rdm6300, "),
        ({"right": ["id12"]}, "right is one of "),
        ({"seed": "7"}, "seed is a whole number"),
        ({"seed": -1}, "seed is a whole number"),
        ({"seed": True}, "seed is a whole number"),
        ({"seed": 2**53}, "seed is a whole number from 0 to 9007199254740991"),
        ({"lines": "press block"}, "a list of lines"),
        ({"lines": ["wait 0"] * 10_001}, "at most 10000 lines"),
    ],
)
def test_a_scene_that_there_is_not_is_refused_in_words(
    client: httpx.Client, table: CardboardTable, asked: dict[str, Any], problem: str
) -> None:
    answer = client.post("/api/bench/scene", json=asked)
    assert answer.status_code in (400, 413)
    assert problem in answer.json()["error"]
    assert table.scenes == []


# other people's pages


def test_another_sites_page_can_do_nothing(client: httpx.Client, url: str, table: CardboardTable) -> None:
    body = {"lines": ["press block"]}
    for origin in ("http://evil.example", "null", url.rstrip("/") + "1"):
        assert client.post("/api/bench/do", json=body, headers={"origin": origin}).status_code == 403
    plain = {"content-type": "text/plain"}
    assert client.post("/api/bench/do", content=json.dumps(body), headers=plain).status_code == 415
    assert table.done == []
    assert client.get("/api/table", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/api/bench/do", json=body, headers={"origin": url.rstrip("/")}).status_code == 200


def test_a_name_that_somebody_else_made_point_here_is_not_answered(client: httpx.Client, table: CardboardTable) -> None:
    evil = {"host": "evil.example:8000", "origin": "http://evil.example:8000"}
    assert client.post("/api/bench/do", json={"lines": ["press block"]}, headers=evil).status_code == 400
    assert client.get("/api/table", headers=evil).status_code == 400
    assert table.done == []
    assert client.get("/api/table", headers={"host": "localhost:8000"}).status_code == 200


# what goes on


def test_events_are_told_as_they_happen_each_with_its_number(client: httpx.Client, table: CardboardTable) -> None:
    table.tell("block.pressed")
    client.get("/api/table")  # answered after what was told before it
    with sse(client, "/api/events") as messages:
        table.tell("apple.wound")
        first = next(messages)
        table.tell("apple.stopped")
        second = next(messages)
    assert json.loads(first["data"]) == {"t": 1.5, "event": "apple.wound"}
    assert json.loads(second["data"])["event"] == "apple.stopped"
    assert [first["id"], second["id"]] == ["2", "3"]


@pytest.mark.parametrize("how", ["header", "query"])
def test_who_comes_back_is_told_what_was_missed(client: httpx.Client, table: CardboardTable, how: str) -> None:
    for name in ("block.pressed", "apple.wound", "apple.stopped"):
        table.tell(name)
    client.get("/api/table")  # answered after what was told before it
    path, headers = ("/api/events", {"last-event-id": "1"}) if how == "header" else ("/api/events?after=1", {})
    with sse(client, path, **headers) as messages:
        missed = [json.loads(message["data"])["event"] for message in itertools.islice(messages, 2)]
    assert missed == ["apple.wound", "apple.stopped"]


@pytest.mark.parametrize("last", ["9" * 5000, "-1", "one", "²"])
def test_a_number_that_no_event_has_is_as_good_as_none(client: httpx.Client, table: CardboardTable, last: str) -> None:
    table.tell("block.pressed")
    client.get("/api/table")  # answered after what was told before it
    with sse(client, f"/api/events?after={last}") as messages:
        table.tell("apple.wound")
        assert json.loads(next(messages)["data"])["event"] == "apple.wound"


def test_looks_are_told_at_once_and_then_only_when_they_change(client: httpx.Client, table: CardboardTable) -> None:
    with sse(client, "/api/bench/live") as messages:
        assert json.loads(next(messages)["data"])["lamp"] is False
        time.sleep(0.3)
        table.looks = {"lamp": True}
        assert json.loads(next(messages)["data"])["lamp"] is True


def test_a_page_follows_looks_and_events_in_one_answer(client: httpx.Client, table: CardboardTable) -> None:
    table.tell("block.pressed")
    table.tell("apple.wound")
    client.get("/api/table")  # answered after what was told before it
    with sse(client, "/api/bench/live?after=1") as messages:
        looks, missed = next(messages), next(messages)
        table.tell("apple.started")
        news = next(messages)
    assert (looks["event"], "id" in looks) == ("hardware", False)
    assert (missed["id"], json.loads(missed["data"])["event"]) == ("2", "apple.wound")
    assert (news["id"], json.loads(news["data"])["event"]) == ("3", "apple.started")


def test_why_something_could_not_be_done_that_was_answered_before_is_told_to_every_page(
    client: httpx.Client, table: CardboardTable
) -> None:
    with sse(client, "/api/bench/live") as messages:
        next(messages)
        table.listeners[2]("play:1: there is no card 9")
        told = next(messages)
    assert (told["event"], json.loads(told["data"])) == ("refusal", {"error": "play:1: there is no card 9"})


def test_looks_are_told_no_more_often_than_eyes_can_see(client: httpx.Client, table: CardboardTable) -> None:
    over = threading.Event()

    def fidget() -> None:
        for turns in itertools.count():
            table.looks = {"lamp": False, "turns": turns}
            if over.wait(0.001):
                return

    fidgeting = threading.Thread(target=fidget)
    fidgeting.start()
    try:
        with sse(client, "/api/bench/live") as messages:
            times = [json.loads(message["data"])["t"] for message in itertools.islice(messages, 12)]
    finally:
        over.set()
        fidgeting.join()
    assert (len(times) - 1) / (times[-1] - times[0]) <= LOOKS_PER_S


def test_sound_is_streamed_in_blocks_with_their_times_and_silence_is_not(
    client: httpx.Client, table: CardboardTable
) -> None:
    tone, silence = struct.pack("<4h", 0, 9000, -9000, 1), bytes(8)
    with client.stream("GET", "/api/bench/sound") as answer:
        assert answer.headers["content-type"] == "application/octet-stream"
        parts = answer.iter_raw()
        assert next(parts) == struct.pack("<dI", 0.0, 0)
        for t, pcm in ((1.25, tone), (1.26, silence), (1.27, tone)):
            table.play(t, pcm)
        heard = b""
        while len(heard) < 2 * (12 + len(tone)):
            heard += next(parts)
    assert heard == b"".join(struct.pack("<dI", t, len(tone)) + tone for t in (1.25, 1.27))


# beginning and end


def test_the_bench_stops_at_once_though_streams_are_open(
    table: CardboardTable, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    with ExitStack() as listening:
        with serve(table) as url:
            client = listening.enter_context(httpx.Client(base_url=url, timeout=PATIENCE_S, trust_env=False))
            for path in ("/api/events", "/api/bench/live", "/api/bench/sound", "/api/bench/inside"):
                listening.enter_context(client.stream("GET", path))
            stopping = time.monotonic()
        assert time.monotonic() - stopping < 1.5
    assert table.listeners == []


def test_the_bench_stops_at_once_though_lines_are_being_done(
    table: CardboardTable, serve: Callable[..., AbstractContextManager[str]], caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as waiting:
        with serve(table) as url:
            line = waiting.enter_context(asked(url, WAITING))
            doing = table.waiting.get(timeout=PATIENCE_S)
        assert line.recv(1000).startswith(b"HTTP/1.1 503 ")
    assert doing.cancelled()
    assert caplog.records == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_bench_without_ending_the_program(table: CardboardTable, number: int) -> None:
    server = BenchServer(table, port=0)
    before = signal.getsignal(number)

    def ask_and_end() -> None:
        httpx.get(f"{server.url}api/table", timeout=PATIENCE_S, trust_env=False)
        os.kill(os.getpid(), number)

    ending = threading.Thread(target=ask_and_end)
    ending.start()
    server.run()
    ending.join(PATIENCE_S)
    assert signal.getsignal(number) is before


def test_a_port_that_is_taken_is_named(url: str, table: CardboardTable) -> None:
    port = int(url.rstrip("/").rpartition(":")[2])
    with pytest.raises(ListenError, match=rf"{port} is taken by another program; choose another port with --port"):
        BenchServer(table, port=port)
