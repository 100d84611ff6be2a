"""What the values, requests and loops of one accessory do to the others: nothing, and the table names it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from decimal import Decimal
from itertools import count
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Annotated, Any

import httpx
import pytest

from reboard import __version__
from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.banker_unit.vocabulary import Leave, Name, Undo
from reboard.accessories.question_block.accessory import QUESTION_BLOCK
from reboard.accessories.question_block.vocabulary import Pressed
from reboard.accessories.table_vocabulary import Requested
from reboard.accessory_context import QUIET_S
from reboard.cli import main
from reboard.control.client import ControlClient
from reboard.errors import ReboardError
from reboard.kit import (
    Between,
    Event,
    Fault,
    Game,
    GameAccessory,
    Labels,
    OutcomeKind,
    Recovered,
    Request,
    Section,
    ShowLines,
)
from reboard.service import table_loop
from reboard.strict_json import DEEPEST, MOST_STATE_BYTES, NotJsonError, plain
from reboard_sim import virtual_time
from reboard_sim.bench.servers import TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_command import UNFINISHED, play_file
from reboard_sim.scene import Scene
from tests.plugged_in import PLUG_IN, LairConfig, installed, packages_in, write_package
from tests.reboard.test_table import DRAGON, at_a_table, do, events, firmware
from tests.reboard_sim.bench.conftest import served
from tests.waiting import PATIENCE_S

HERE = Path(__file__).name


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth else []


cycle: list[Any] = []
cycle.append(cycle)

BAD_VALUES = {
    "inf": float("inf"),
    "NaN": float("nan"),
    "half a character": "\ud83d",
    "a key with half a character": {"\udc00": 1},
    "a megabyte": "x" * 1_000_000,
    "many numbers": list(range(100_000)),
    "a cycle": cycle,
    "a set": {1, 2},
    "bytes": b"\xff",
    "a huge number": 2**64,
    "deep": nested(500),
    "an object": object(),
    "a key that is no text": {(1, 2): 3},
}


class Roared(Event, name="dragon.roared"):
    """A dragon roared."""

    loud: Any


class Roar(Request, do="roar", changes=False):
    """Roar."""

    times: Annotated[int, Between(0, 9)]


class Growl(Request, do="growl", changes=False):
    """Growl."""

    how: Annotated[float, Between(3, None, is_above=True)]


class Outcomes(Labels):
    """The outcomes of the dragon."""

    HOARDS = OutcomeKind("hoards")


class Dragon(GameAccessory[LairConfig]):
    """A game that does what a test needs."""

    name = "dragon"
    title = "Dragon"
    section = Section(LairConfig)

    def __init__(self, does: Callable[[Game[LairConfig]], Any], answer: object = None) -> None:
        self.does = does
        self.answers = answer

    async def play(self, game: Game[LairConfig]) -> None:
        doing = self.does(game)
        if asyncio.iscoroutine(doing):
            await doing
        await asyncio.get_running_loop().create_future()

    async def answer(self, game: Game[LairConfig], request: Request) -> object:
        if isinstance(self.answers, BaseException):
            raise self.answers
        return self.answers


@pytest.mark.parametrize("name", ["NaN", "a cycle", "an object"])
async def test_a_value_that_json_lacks_is_a_fault_of_its_accessory(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    value = BAD_VALUES[name]

    async def shout(game: Game[LairConfig]) -> None:
        for _ in range(500):
            game.emit(Roared(value))
            await asyncio.sleep(0.01)
        game.state["hoard"] = value

    with installed(QUESTION_BLOCK, Dragon(shout, answer={"deep": [value]})):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "wait 1\npress block\nwait 1")
            fault = table.snapshot()["faults"]["dragon"]
            assert fault.startswith("the event dragon.roared: loud"), fault
            assert f"({HERE}, line " in fault
            await do(table, "wait 5")
            assert (table.snapshot()["dragon"], table.snapshot()["block"]["last"] is not None) == (None, True)
            with pytest.raises(ReboardError, match=r"dragon to 'roar': deep\[0\]"):
                await firmware(table).read("roar", times=2)
            json.dumps(table.snapshot(), allow_nan=False).encode("ascii")
        assert len(events(table, "block.outcome")) == 1
        assert not events(table, "dragon.roared")
        assert len(events(table, "fault")) == 1
    lines = [record.getMessage() for record in caplog.records if record.levelname != "INFO"]
    assert len(lines) == 3, "once, and then the 10th and the 100th"


async def test_an_accessory_recovers_from_a_bad_value_and_fails_once_however_often_it_flaps(tmp_path: Path) -> None:
    async def flap(game: Game[LairConfig]) -> None:
        for value in (1, float("nan")) * 50:
            game.state["heat"] = value
            await asyncio.sleep(1)
        game.state["heat"] = 1

    with installed(QUESTION_BLOCK, Dragon(flap)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            for _ in range(100):
                await do(table, "wait 1")
                table.snapshot()
            assert len(events(table, "fault")) == 1
            await do(table, f"wait {QUIET_S + 1}")
            assert (table.snapshot()["dragon"], table.snapshot()["faults"]) == ({"heat": 1}, {})


async def test_what_an_accessory_has_sent_does_not_change_later(tmp_path: Path) -> None:
    async def grow(game: Game[LairConfig]) -> None:
        heads = [1]
        game.emit(Roared(heads))
        heads.append(2)

    with installed(QUESTION_BLOCK, Dragon(grow)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert [event["loud"] for event in events(table, "dragon.roared")] == [[1]]


async def test_the_state_of_an_accessory_cannot_hide_that_of_another(tmp_path: Path) -> None:
    class Thief(Dragon):
        def running(self, *args: Any) -> Game[LairConfig]:
            game = super().running(*args)
            game.snapshot = lambda: {"dragon": 1, "block": {}, "faults": {}}  # type: ignore[method-assign]
            return game

    with installed(QUESTION_BLOCK, Thief(lambda _: None)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "press block\nwait 1")
            assert table.snapshot()["block"]["last"]
            assert "'block', which belongs to block" in table.snapshot()["faults"]["dragon"]


async def test_a_snapshot_that_fails_each_time_with_another_text_does_not_flood_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Dragon):
        def running(self, *args: Any) -> Game[LairConfig]:
            game, numbers = super().running(*args), count()
            game.snapshot = lambda: {"": {}}[str(next(numbers))]  # type: ignore[method-assign]
            return game

    with installed(QUESTION_BLOCK, Broken(lambda _: None)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            for _ in range(150):
                table.snapshot()
    assert sum("snapshot of dragon" in record.getMessage() for record in caplog.records) == 3


async def test_readers_that_fail_are_left_out(tmp_path: Path) -> None:
    class Broken(Dragon):
        def running(self, *args: Any) -> Game[LairConfig]:
            class Deaf(Game[LairConfig]):
                @property
                def readers(self) -> Any:
                    sys.exit(1)

            return Deaf(self, *args)

    with installed(QUESTION_BLOCK, Broken(lambda _: None)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert await firmware(table).read("readers") == {}
            assert "its readers failed" in table.snapshot()["faults"]["dragon"]


@pytest.mark.parametrize("event", [Pressed(), Requested("quiet", "me", {})], ids=["block", "table"])
async def test_an_accessory_emits_no_events_of_others(event: Event, tmp_path: Path) -> None:
    with installed(QUESTION_BLOCK, Dragon(lambda game: game.emit(event))):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert f"dragon does not declare the event {event.event!r}" in table.snapshot()["faults"]["dragon"]
        assert not events(table, event.event)


async def test_an_event_on_another_thread_is_refused(tmp_path: Path) -> None:
    async def shout(game: Game[LairConfig]) -> None:
        await asyncio.to_thread(game.emit, Roared(1))

    with installed(QUESTION_BLOCK, Dragon(shout)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "wait 1")
            assert "call_soon_threadsafe" in table.snapshot()["faults"]["dragon"]
        assert not events(table, "dragon.roared")


async def test_a_flood_of_events_is_a_fault_and_is_cut_off(tmp_path: Path) -> None:
    async def flood(game: Game[LairConfig]) -> None:
        for _ in range(20_000):
            game.emit(Roared(1))
            await asyncio.sleep(0.001)

    with installed(QUESTION_BLOCK, Dragon(flood)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "wait 20")
            assert "emits more than 1000 events" in table.snapshot()["faults"]["dragon"]
        assert 1000 <= len(events(table, "dragon.roared")) <= 3000


async def test_the_text_of_a_fault_controls_no_terminal(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def roar(game: Game[LairConfig]) -> None:
        game.emit(Fault("lair", "too \x1b[2J\ud83dhot"))
        game.emit(Fault("\x07lid", "open"))
        game.emit(Fault("\x07door", "open"))
        game.emit(Recovered("\x07lid"))

    with installed(QUESTION_BLOCK, Dragon(roar)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert table.snapshot()["faults"] == {"lair": "too ?[2J?hot", "?door": "open"}
    assert "\x1b" not in caplog.text


async def test_a_flood_of_faults_is_one_fault_and_hides_no_other_accessory(tmp_path: Path) -> None:
    async def flood(game: Game[LairConfig]) -> None:
        for number in range(20_000):
            game.emit(Fault(f"head {number}", "x" * 200))
            game.emit(Recovered("another's"))
            await asyncio.sleep(0.001)

    with installed(QUESTION_BLOCK, Dragon(flood)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            firmware(table).events.emit(Fault("another's", "not the dragon's"))
            await do(table, "press block\nwait 20")
            faults = table.snapshot()["faults"]
            assert "more than 50 faults" in faults["dragon"]
            assert faults["another's"]
            assert len(json.dumps(faults)) < MOST_STATE_BYTES
            assert table.snapshot()["block"]["last"]
        assert len(events(table, "fault")) == 52


class UnreadableError(ReboardError):
    def __str__(self) -> str:
        raise KeyError("words")


class NamelessType(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise KeyError("name")


class NamelessError(Exception, metaclass=NamelessType):
    pass


BROKEN_PARTS: dict[str, Any] = {
    "of another type": "world",
    "without a text": UnreadableError(),
    "cancelled": asyncio.CancelledError(),
    "interrupted": KeyboardInterrupt(),
    "closed": GeneratorExit(),
    "nameless": NamelessError(),
    "iterator's": StopIteration(),
    "long": ValueError("x" * 1_000_000),
}


PARTS = ("edition", "readers", "snapshot", "show_fault", "request", "run")
BREAKS = [(part, how) for part in PARTS for how in BROKEN_PARTS if part == "snapshot" or how in ("interrupted", "long")]


@pytest.mark.parametrize(("part", "how"), [*BREAKS, ("run", "of another type")])
async def test_a_broken_part_of_an_accessory_leaves_the_others_running(part: str, how: str, tmp_path: Path) -> None:
    broken = BROKEN_PARTS[how]

    def fail(*_: object) -> Any:
        if isinstance(broken, BaseException):
            raise broken
        return broken

    class Broken(Game[LairConfig]):
        pass

    class Breaker(Dragon):
        def running(self, *args: Any) -> Game[LairConfig]:
            setattr(Broken, part, property(fail) if part in ("edition", "readers") else fail)
            return Broken(self, *args)

    with installed(QUESTION_BLOCK, Breaker(lambda _: None)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "wait 1\npress block\nwait 1")
            for do_ in ("readers", "roar"):
                with suppress(ReboardError):
                    await firmware(table).read(do_, **({"times": 2} if do_ == "roar" else {}))
            for _ in range(20):
                assert table.snapshot()["block"]["last"]
            assert {*table.snapshot()["faults"]} <= {"dragon"}
            is_bug = isinstance(broken, BaseException) and not isinstance(broken, ReboardError)
            if is_bug and part not in ("show_fault", "request"):
                fault = table.snapshot()["faults"]["dragon"]
                assert isinstance(broken, NamelessError) or type(broken).__name__ in fault
                assert f"({HERE}, line " in fault
        assert len(events(table, "fault")) <= 2


@pytest.mark.parametrize("is_late", [False, True])
async def test_an_announcement_that_fails_is_a_fault_and_the_others_are_said(is_late: bool, tmp_path: Path) -> None:
    def fail(*_: object) -> Any:
        raise ValueError("hoarse")

    class Hoarse(Dragon):
        def announcements(self) -> Any:
            return {"dragon.roared": fail} if is_late else fail()

    with installed(QUESTION_BLOCK, Hoarse(lambda game: game.emit(Roared(loud=True)))):
        async with at_a_table(tmp_path, config=DRAGON + '[speaker]\nvoice = "en"\n') as table:
            await do(table, "wait 1\npress block\nwait 6")
            assert "hoarse" in table.snapshot()["faults"]["dragon"]
        assert [each["words"] for each in events(table, "said")]


async def test_an_accessory_that_stops_announces_nothing(tmp_path: Path) -> None:
    class Hoarse(Dragon):
        def announcements(self) -> Any:
            return {"dragon.roared": lambda *_: "I am still here."}

    def roar_and_die(game: Game[LairConfig]) -> None:
        game.emit(Roared(loud=True))
        raise ValueError("hoarse")

    with installed(QUESTION_BLOCK, Hoarse(roar_and_die)):
        async with at_a_table(tmp_path, config=DRAGON + '[speaker]\nvoice = "en"\n') as table:
            await do(table, "wait 3")
            assert all("hoarse" in str(each["cause"]) for each in events(table, "fault"))
        assert events(table, "said") == []


async def test_a_volume_that_is_no_whole_number_is_refused(tmp_path: Path) -> None:
    def turn(game: Game[LairConfig]) -> None:
        game.speaker.volume = Decimal(2)  # type: ignore[assignment]

    with installed(QUESTION_BLOCK, Dragon(turn)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            assert "the volume must be a whole number" in table.snapshot()["faults"]["dragon"]
            assert isinstance(table.snapshot()["volume"], int)


class LyingDict(dict[str, int]):
    def __len__(self) -> int:
        return 1

    def items(self) -> Any:
        return ((str(number), number) for number in count())


class LyingList(list[int]):
    def __len__(self) -> int:
        raise KeyboardInterrupt

    def __iter__(self) -> Any:
        return count()


class LyingText(str):
    def isascii(self) -> bool:
        raise KeyboardInterrupt


class LyingNumber(int):
    def __le__(self, other: object) -> bool:
        return True

    __ge__ = __le__

    def __int__(self) -> int:
        raise KeyboardInterrupt


def test_a_value_of_a_class_of_its_own_is_copied_whatever_its_methods_do() -> None:
    lies = [LyingDict(a=1), LyingList([2]), LyingText("three"), LyingNumber(4)]
    copy = plain(lies)
    assert ([type(each) for each in copy], copy) == ([dict, list, str, int], [{"a": 1}, [2], "three", 4])
    with pytest.raises(NotJsonError, match="more than 64 bits"):
        plain(LyingNumber(2**64))


def test_values_that_json_has_are_copied_and_the_others_are_named_with_their_place() -> None:
    fine = {"a": [1, 2.5, True, None, "ü😀"], "b": {"c": (1, 2)}, 3: "three"}
    assert plain(fine) == {"a": [1, 2.5, True, None, "ü😀"], "b": {"c": [1, 2]}, "3": "three"}
    assert plain(nested(DEEPEST - 1)) == nested(DEEPEST - 1)
    assert plain(True) is True
    bad: list[tuple[Any, str]] = [
        ({"a": [0, {"b": {1}}]}, r"it: a\[1\].b has"),
        (math.inf, "it is inf"),
        (b"\xff", "use a text$"),
        ({"a": 2**63}, "a is"),
    ]
    for value, place in [*bad, *((value, "it") for value in BAD_VALUES.values())]:
        with pytest.raises(NotJsonError, match=place):
            plain(value, "it")
    assert plain(["é" * 2000, 2**63 - 1, -(2**63)])
    too_large: list[Any] = ["x" * MOST_STATE_BYTES, ["é" * 3000], [[]] * 20_000, {str(key): 1 for key in range(5_000)}]
    for large in too_large:
        with pytest.raises(NotJsonError, match="longer than 16 kB"):
            plain(large)


class Unserved(Request, do="undoo"):
    """Nobody serves it."""


Unserved.__module__ = "another"
undo: Any = Undo
name: Any = Name
show_lines: Any = ShowLines
# tests/reboard/control has every kind of wrong argument
WRONG_REQUESTS: dict[str, Callable[[Game[LairConfig]], Any]] = {
    "missing": lambda game: game.context.request(undo()),
    "extra": lambda game: game.context.request(undo(transfer=2, why="so")),
    "self": lambda game: game.context.request(undo(transfer=2, self=3)),
    "a list": lambda game: game.context.request(name(card=[1], name="Zoë")),
    "half a character": lambda game: game.context.request(name(card=1, name="\ud83d")),
    "unknown": lambda game: game.context.request(Unserved()),
    "no text": lambda game: game.context.request(3),  # type: ignore[arg-type]
    "endless": lambda game: game.context.request(show_lines(("A",), float("inf"))),
    "an outcome of no kind": lambda game: game.book(["hoards"]),  # type: ignore[arg-type]
    "an unknown outcome": lambda game: game.book("hords"),
}


@pytest.mark.parametrize("ask", WRONG_REQUESTS.values(), ids=WRONG_REQUESTS)
async def test_a_wrong_request_to_the_bank_is_a_fault_of_the_sender(
    ask: Callable[[Game[LairConfig]], Any], tmp_path: Path
) -> None:
    bank = f'{DRAGON}[bank]\nleft = {{ reader = "rdm6300", port = "/dev/serial0" }}\n'
    with installed(QUESTION_BLOCK, BANKER_UNIT, Dragon(ask)):
        async with at_a_table(tmp_path, config=bank) as table:
            await do(table, "wait 0.5\ninsert left 1\nwait 1")
            faults, cards = table.snapshot()["faults"], table.snapshot()["cards"]
            assert (list(faults), [card["shown"] for card in cards]) == (["dragon"], ["15M"])
            assert f"({HERE}, line " in faults["dragon"]


async def test_the_bank_carries_out_the_requests_of_an_accessory(tmp_path: Path) -> None:
    async def send_home(game: Game[LairConfig]) -> None:
        await asyncio.sleep(1)
        await game.context.request(Name(card=1, name="Zoë"))
        await game.context.request(Leave(1))

    bank = f'{DRAGON}[bank]\nleft = {{ reader = "rdm6300", port = "/dev/serial0" }}\n'
    with installed(QUESTION_BLOCK, BANKER_UNIT, Dragon(send_home)):
        async with at_a_table(tmp_path, config=bank) as table:
            await do(table, "insert left 1\nwait 2")
            (card,) = table.snapshot()["cards"]
            assert (card["name"], card["left"], table.snapshot()["faults"]) == ("Zoë", True, {})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("claws"), "claws"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
    ids=["bug", "interrupted", "cancelled"],
)
async def test_a_request_that_fails_is_an_error_for_its_sender(error: BaseException, said: str, tmp_path: Path) -> None:
    with installed(QUESTION_BLOCK, Dragon(lambda _: None, answer=error)):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            for _ in range(3):
                with pytest.raises(ReboardError, match=f"'roar' of dragon failed.*{said}.*{HERE}, line "):
                    await firmware(table).read("roar", times=2)
            assert table.snapshot()["faults"] == {}


@pytest.fixture
def shouting(tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """A bench and a page of a table whose dragon shouts bad values."""

    async def shout(game: Game[LairConfig]) -> None:
        while True:
            for value in BAD_VALUES.values():
                game.emit(Roared(value))
                game.state["hoard"] = value
                await asyncio.sleep(0.01)

    (config := tmp_path / "table.toml").write_text(DRAGON)
    socket = tmp_path / "socket"
    with (
        installed(QUESTION_BLOCK, Dragon(shout, answer=float("inf"))),
        closing(TableThread(Scene.load(config, tmp_path), seed=1, socket=socket)) as table,
        served(table) as url,
        closing(TablePage(socket, port=0)) as page,
    ):
        yield url, page.link.url, socket


@pytest.mark.realtime
def test_bench_page_stream_and_socket_show_the_others_of_a_shouting_accessory(shouting: tuple[str, str, Path]) -> None:
    bench, page, socket = shouting
    with httpx.stream("GET", f"{page}api/events", timeout=PATIENCE_S) as stream:
        assert httpx.post(f"{bench}api/bench/do", json={"lines": ["press block", "wait 1"]}).status_code == 200
        assert any('"block.outcome"' in line for line in stream.iter_lines())
    for url in (bench, page):
        table = httpx.get(f"{url}api/table").json()
        assert (table["block"]["last"] is not None, table["dragon"], [*table["faults"]]) == (True, None, ["dragon"])

    async def growl() -> None:
        async with await ControlClient.connect(socket, timeout_s=PATIENCE_S) as client:
            with pytest.raises(ReboardError, match='growl: "how" must be a number above 3'):
                await client.request("growl", how="much")
            with pytest.raises(ReboardError, match="the answer of dragon to 'growl' is inf"):
                await client.request("growl", how=4)

    asyncio.run(growl())


async def spin(_: Game[LairConfig]) -> None:
    while True:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def whirl(_: Game[LairConfig]) -> None:
    while True:  # noqa: ASYNC110
        await asyncio.sleep(1e-9)


def call_soon(_: Game[LairConfig]) -> None:
    loop = asyncio.get_running_loop()

    def again() -> None:
        loop.call_soon(again)

    again()


@pytest.mark.parametrize("does", [spin, whirl, call_soon])
def test_a_game_that_never_waits_fails_the_play_with_its_place(
    does: Callable[[Game[LairConfig]], Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(virtual_time, "MOST_TURNS", 20_000)
    config, play = tmp_path / "table.toml", tmp_path / "spin.play"
    config.write_text(DRAGON)
    play.write_text("press block\nwait 1\n")
    with installed(QUESTION_BLOCK, Dragon(does)):
        assert play_file(play, config=config) == UNFINISHED
    said = capsys.readouterr().err
    assert f"{play}: dragon ({HERE}, line " in said
    assert "never waits" in said


@pytest.mark.realtime
@pytest.mark.parametrize("does", [spin, call_soon])
def test_the_bench_plays_on_beside_a_game_that_never_waits_and_names_it(
    does: Callable[[Game[LairConfig]], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_loop, "BLOCKED_S", 0.1)
    (config := tmp_path / "table.toml").write_text(DRAGON)
    with installed(QUESTION_BLOCK, Dragon(does)), closing(TableThread(Scene.load(config, tmp_path), seed=1)) as table:
        table.do(["press block", "wait 0.5"]).result(PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while not (faults := table.table()["faults"]) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert f"{HERE}, line " in faults["dragon"]
        assert "without a pause" in faults["dragon"]
        assert table.table()["block"]["last"]


async def exits_in_a_task(game: Game[LairConfig]) -> None:
    async def leave() -> None:
        await asyncio.sleep(0.2)
        sys.exit(0)

    game.context.keep("task", lambda: asyncio.create_task(leave()))


def fails_in_a_callback(game: Game[LairConfig]) -> None:
    asyncio.get_running_loop().call_later(0.2, lambda: dict[str, int]()["claws"])


def is_interrupted_in_a_callback(game: Game[LairConfig]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    asyncio.get_running_loop().call_later(0.2, interrupt)


@pytest.mark.parametrize("does", [exits_in_a_task, fails_in_a_callback, is_interrupted_in_a_callback])
def test_what_fails_beside_the_game_ends_neither_the_play_nor_the_table(
    does: Callable[[Game[LairConfig]], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, play = tmp_path / "table.toml", tmp_path / "exit.play"
    config.write_text(DRAGON)
    play.write_text("wait 1\npress block\nexpect event block.outcome\nexpect event block.pressed\nexpect motor on\n")
    with installed(QUESTION_BLOCK, Dragon(does)):
        assert play_file(play, config=config) == UNFINISHED
    assert "exit.play:5" in capsys.readouterr().err, "the play went on to its last line"


def test_a_plug_in_that_stops_the_loop_does_not_end_the_table() -> None:
    async def main() -> str:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        return "played"

    assert table_loop.run(main(), table_loop.TableLoop()) == "played"


def test_ctrl_c_stops_the_loop_that_a_plug_in_could_not_end() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
    heard: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: heard.append(type(context["exception"]).__name__))
        loop.call_soon(is_interrupted)
        loop.call_later(0.05, signal.raise_signal, signal.SIGINT)
        try:
            await asyncio.sleep(PATIENCE_S)
        finally:
            heard.append("switched off")

    def is_interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table_loop.run(main(), table_loop.TableLoop())
    assert heard == ["KeyboardInterrupt", "switched off"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


async def test_a_table_in_a_thread_with_a_running_loop_is_an_error(tmp_path: Path) -> None:
    (play := tmp_path / "now.play").write_text("wait 1")
    with pytest.raises(RuntimeError, match="another event loop"):
        play_file(play, seed=1)


async def test_an_accessory_that_fails_when_it_is_stopped_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def resist(game: Game[LairConfig]) -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            raise KeyboardInterrupt

    with installed(QUESTION_BLOCK, Dragon(resist)):
        async with at_a_table(tmp_path, config=DRAGON):
            pass
    assert re.search(rf"dragon failed when it was stopped.*KeyboardInterrupt \({HERE}, line ", caplog.text)


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("time.sleep(3)", "blocked the whole table"),
        ("\n        while True: await asyncio.sleep(0)", "busy without a pause"),
        ("asyncio.get_running_loop().call_later(0.1, lambda: sys.exit())", "failed: SystemExit"),
    ],
)
def test_the_daemon_names_an_accessory_that_blocks_is_busy_or_exits(code: str, said: str, tmp_path: Path) -> None:
    write_package(tmp_path, PLUG_IN.replace("PLAY", f"await asyncio.sleep(0.5); {code}"))
    with running_table(tmp_path, DRAGON) as table:
        assert table.stderr
        lines = iter(table.stderr.readline, "")
        line = next((line for line in lines if said in line), "")
        assert re.match(r"dragon:? .*reboard_dragon\.py, line 1", line), line
        assert table.poll() is None
        asyncio.run(faulty(tmp_path / "table.sock"))
    assert table.returncode == 0


async def faulty(socket: Path) -> None:
    """Wait until the table has a fault of the dragon."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                async with await ControlClient.connect(socket) as client:
                    if "reboard_dragon.py, line" in (await client.request("snapshot"))["faults"].get("dragon", ""):
                        return
            except ReboardError:
                pass
            await asyncio.sleep(0.1)


def check(folder: Path, capsys: pytest.CaptureFixture[str], config: str = DRAGON) -> str:
    """Return what `reboard check` says with the packages in *folder*, and check that the block plays."""
    (file := folder / "table.toml").write_text(config)
    with packages_in(folder):
        main(["check", "-c", str(file)])
        said = capsys.readouterr()
        (play := folder / "press.play").write_text("press block\nexpect event block.outcome\n")
        assert play_file(play, config=file) == 0, capsys.readouterr().err
    return " ".join((said.out + said.err).split())


def test_two_packages_with_one_section_are_both_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, entry in (("a-dragon", "dragon"), ("b-dragon", "dragon"), ("c-dragon", "other")):
        write_package(tmp_path, PLUG_IN.replace("PLAY", "pass"), name=name, entry=entry)
    said = check(tmp_path, capsys)
    for other in ("b-dragon 1.0", "c-dragon 1.0"):
        assert f"Two packages have an accessory dragon: a-dragon 1.0, which is used, and {other}, which is not" in said


@pytest.mark.parametrize("code", [PLUG_IN.replace("PLAY", "pass"), "from reboard.kit import STEPPER"], ids=["ok", "no"])
def test_a_package_for_a_newer_reboard_is_named_with_both_versions(
    code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(tmp_path, code, requires="reboard[sim]>=99.1,<100")
    said = check(tmp_path, capsys)
    assert f"reboard-dragon 1.0 needs reboard[sim]>=99.1,<100, but this is reboard {__version__}" in said


FINE = ["reboard", "reboard>=0.1", "reboard<99", 'reboard>=99; extra == "test"', "gpiozero>=99", "reboard-cards>=99"]


@pytest.mark.parametrize("requires", FINE)
def test_a_package_for_this_reboard_is_fine(requires: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_package(tmp_path, PLUG_IN.replace("PLAY", "pass"), requires=requires)
    assert "WRONG" not in check(tmp_path, capsys)


def test_a_name_that_the_kit_lacks_may_be_of_another_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(tmp_path, "from reboard.kit import STEPPER")
    said = check(tmp_path, capsys)
    assert "cannot import name 'STEPPER'" in said
    assert f"may be made for another version than this reboard, {__version__}" in said


WRONG_WORDS = [
    ('game.speaker.play("cion")', 'there is no sound "cion"; did you mean "coin"?'),
    ("game.speaker.play(3)", "there is no sound 3: `reboard sounds list`"),
    ("game.devices.eyes.on()", "the accessory has no device 'eyes' in `fitted`; did you mean \"eye\"?"),
    ("game.devices.wing.on()", "the accessory has no device 'wing' in `fitted`: the devices are eye"),
]


@pytest.mark.parametrize(("play", "said"), WRONG_WORDS)
async def test_a_wrong_word_in_a_game_is_named_with_its_place(play: str, said: str, tmp_path: Path) -> None:
    write_package(tmp_path, PLUG_IN.replace("PLAY", play))
    with packages_in(tmp_path):
        async with at_a_table(tmp_path, config=DRAGON) as table:
            await do(table, "press block\nwait 1")
            assert said in (fault := table.snapshot()["faults"]["dragon"])
            assert "(reboard_dragon.py, line " in fault
            assert table.snapshot()["block"]["last"]


NO_PULL = "A switch connects its pin to ground"
DECLARED = "@dataclass(frozen=True)\nclass Config:"
LABELS = "from reboard.kit import *\nclass Prizes(Labels): WIN = 'win'\n"
WRONG_PACKAGES = [
    (DECLARED, "from reboard.kit import Record\n@dataclass(frozen=True)\nclass Config(Record):", "remove `@dataclass`"),
    (DECLARED, "from reboard.kit import Record\n@dataclass\nclass Config(Record):", "Config: remove `@dataclass`"),
    (DECLARED, f"from reboard.kit import *\nclass R(Request, do='roar'): pass\n{DECLARED}", "'roar' needs a method"),
    (DECLARED, f"from reboard.kit import *\nWhole(99, 1)\n{DECLARED}", "Whole: 99 is more than 1"),
    (DECLARED, LABELS + DECLARED, "Prizes.WIN is 'win': write `WIN = OutcomeKind(…)`"),
    ("LAMP)", 'LAMP, pull="up")', NO_PULL),
    ("[int | None, pin]", "[int | None, pin(pull_up=True)]", NO_PULL),
    ("LAMP)", '"lamp")', "the kind of dragon.eye must be a device kind such as BUTTON, not 'lamp'"),
    ('"dragon.eye"', '"dragon.eyes"', "'dragon.eyes' of a device must be dragon.KEY"),
    ('"Dragon"', '"Dra\\ud800gon"', "printable characters"),
    ("DRAGON = Dragon()", "raise KeyboardInterrupt", "cannot be loaded: KeyboardInterrupt (reboard_dragon.py, line "),
    (
        "    async def",
        "    def findings(self, *_): yield 3\n    async def",
        "findings() must yield findings such as note",
    ),
    ("    async def", "    def describe(self, _): yield 3, 4\n    async def", "describe() must yield pairs of texts"),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG_PACKAGES)
def test_a_wrong_word_in_a_package_is_named_with_its_remedy(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_package(tmp_path, PLUG_IN.replace(old, new).replace("PLAY", "pass"))
    assert said in check(tmp_path, capsys)


@pytest.mark.parametrize("setting", ['pull = "up"', "pull_up = true", 'button = { pin = 17, pull = "up" }'])
def test_a_pull_resistor_is_no_setting(setting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f"[block]\n{'' if 'button' in setting else 'button = 17'}\n{setting}\n")
    assert main(["check", "-c", str(config)]) == 2
    assert NO_PULL in capsys.readouterr().err


STOPS_SOON = "from reboard.service import daemon; daemon.LONGEST_STOP_S = 0.5; from reboard.cli import main; main()"
NEVER_ENDS = [
    ("await asyncio.to_thread(time.sleep, 600)", "the thread asyncio_0 has"),
    ("await asyncio.to_thread(never_ends)", r"dragon \(reboard_dragon.py, line \d+\) on the thread asyncio_0 has"),
    ("while True: await refuse_to_end()", r"dragon \(reboard_dragon.py, line \d+\) in a task has"),
]
NEVER_END = """
def never_ends():
    while True:
        time.sleep(600)

async def refuse_to_end():
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        pass
"""


@pytest.mark.realtime
@pytest.mark.parametrize(("code", "said"), NEVER_ENDS)
def test_a_stop_names_what_has_not_ended(code: str, said: str, tmp_path: Path) -> None:
    write_package(tmp_path, PLUG_IN.replace("PLAY", code) + NEVER_END)
    with running_table(tmp_path, DRAGON, "-c", STOPS_SOON) as table:
        table.terminate()
        assert table.stderr
        assert re.search(f"has not stopped within 0.5 s, because {said} not ended", table.stderr.read())
    assert table.returncode == 0


@pytest.mark.realtime
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux counts the waits of a thread")
def test_only_a_table_with_a_plug_in_is_watched_because_each_look_is_a_wake_up(tmp_path: Path) -> None:
    write_package(tmp_path, PLUG_IN.replace("PLAY", "pass"))
    (others := tmp_path / "without").mkdir()
    silent = '[speaker]\nlibrary = "silent"\n'
    with (
        running_table(others, f"[block]\nbutton = 4\n{silent}") as without,
        running_table(tmp_path, f"{DRAGON}{silent}") as watched,
    ):
        time.sleep(2)
        before = {table.pid: waits_of(table.pid) for table in (without, watched)}
        time.sleep(5)
        waits = {pid: waits_of(pid) - had for pid, had in before.items()}
    assert waits[without.pid] <= 1
    assert waits[watched.pid] <= 8


@contextmanager
def running_table(folder: Path, config: str, *python: str) -> Iterator[Popen[str]]:
    """Run a table with *config* and the packages in *folder* until the end of the ``with``."""
    (file := folder / "table.toml").write_text(f'{config}[state]\ndirectory = "{folder}"\n')
    path = os.pathsep.join([str(folder), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path, "GPIOZERO_PIN_FACTORY": "mock"}
    command = [sys.executable, *(python or ("-m", "reboard")), "run", "-c", str(file)]
    with Popen(command, env=environment, stderr=PIPE, text=True) as table:
        try:
            assert table.stderr
            assert any("is ready" in line for line in iter(table.stderr.readline, ""))
            yield table
        finally:
            table.terminate()
            table.communicate(timeout=PATIENCE_S)


def waits_of(process: int) -> int:
    """Return how often the threads of *process* have waited."""
    statuses = Path(f"/proc/{process}/task").glob("*/status")
    return sum(int(re.findall(r"^voluntary_ctxt_switches:\s*(\d+)", each.read_text(), re.M)[0]) for each in statuses)
