"""The bench's clock: it stands, steps, and goes on at any pace, and what happens stays the same."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from reboard_sim.bench.hands_on_table import TooManyWaitingError
from reboard_sim.bench.pace import LONGEST_STEP_S, LULL_S, Pace
from reboard_sim.bench.stage import MOST_DOING
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.play_language import PlayError
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.conftest import eventually

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
A_WHILE_S = 0.3
Events = list[dict[str, Any]]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    table = TableThread(Scene.load(None, tmp_path), seed=1)
    yield table
    table.close()


@pytest.fixture
def events(table: TableThread) -> Events:
    told: Events = []
    table.subscribe_events(told.append)
    return told


def choose(table: TableThread, pace: Pace) -> None:
    table.choose_pace(pace).result(PATIENCE_S)


def step(table: TableThread) -> float:
    """Let the clock take a step, and say how far it went, in s."""
    before = now(table)
    table.step().result(PATIENCE_S)
    return now(table) - before


def now(table: TableThread) -> float:
    t: float = table.hardware()["t"]
    return t


def named(events: Events, name: str) -> bool:
    return any(event["event"] == name for event in events)


# standing


def test_while_the_clock_stands_what_hands_are_asked_waits_and_is_answered(table: TableThread, events: Events) -> None:
    choose(table, 0)
    stood_at = now(table)
    assert table.do(["press block"]).result(PATIENCE_S) is False
    time.sleep(A_WHILE_S)
    assert not table.hardware()["button"]
    assert now(table) == stood_at
    assert events == []
    choose(table, 1)
    eventually(lambda: named(events, "block.pressed"))


def test_what_was_being_done_when_the_clock_was_stopped_is_answered_too_and_goes_on_with_it(table: TableThread) -> None:
    doing = table.do(["hold 5 2", "hold 6"])
    eventually(lambda: table.hardware()["keys"] == ["5"])
    choose(table, 0)
    assert doing.result(PATIENCE_S) is False
    time.sleep(A_WHILE_S)
    assert table.hardware()["keys"] == ["5"]
    choose(table, 10)
    eventually(lambda: table.hardware()["keys"] == ["6"])


def test_one_hand_does_in_turn_what_it_was_given_while_the_clock_stood(table: TableThread, events: Events) -> None:
    choose(table, 0)
    for line in ("insert left 1", "remove left", "insert left 2"):
        assert table.do([line], "the same hand").result(PATIENCE_S) is False
    choose(table, 10)
    eventually(lambda: table.hardware()["slots"]["left"] == 2)
    eventually(lambda: [event["event"] for event in events].count("card.inserted") == 2)
    table.do(["wait 0"], "the same hand").result(PATIENCE_S)
    file = io.BytesIO()
    table.export("session.play", file)
    assert b"remove left" in file.getvalue()
    assert b"meanwhile" not in file.getvalue()


def test_what_could_not_be_done_after_the_clock_went_on_is_logged(
    table: TableThread, caplog: pytest.LogCaptureFixture
) -> None:
    choose(table, 0)
    assert table.do(["expect motor on"]).result(PATIENCE_S) is False
    choose(table, 10)
    eventually(lambda: "could not be done: play:1: expected motor on; found motor off" in caplog.text)


def test_no_more_is_taken_than_can_be_kept_while_the_clock_stands(table: TableThread) -> None:
    choose(table, 0)
    for _ in range(MOST_DOING):
        assert table.do(["wait 0"], "the same hand").result(PATIENCE_S) is False
    with pytest.raises(TooManyWaitingError, match="500 requests wait"):
        table.do(["wait 0"]).result(PATIENCE_S)
    choose(table, 10)

    def is_taken() -> bool:
        with suppress(TooManyWaitingError):
            return table.do(["wait 0"], "the same hand").result(PATIENCE_S)
        return False

    eventually(is_taken)


def test_lines_that_say_themselves_that_they_take_too_long_are_refused_at_once(table: TableThread) -> None:
    with pytest.raises(PlayError, match="the lines up to this one take longer than 600 s") as caught:
        table.do(["press block", "wait 500", "hold C 101"]).result(PATIENCE_S)
    assert caught.value.line == 3
    assert table.table()["block"]["last"] is None


def test_a_line_that_is_no_act_is_refused_though_the_clock_stands(table: TableThread) -> None:
    choose(table, 0)
    with pytest.raises(ValueError, match="'dance' is no act"):
        table.do(["dance"]).result(PATIENCE_S)


# steps


def test_a_step_goes_to_the_next_thing_that_happens_and_stands_there(table: TableThread, events: Events) -> None:
    choose(table, 0)
    table.do(["press block"])
    assert step(table) <= 0.002
    assert table.hardware()["button"]
    assert [event["event"] for event in events] == ["block.pressed", "block.outcome", "lamp", "sound"]
    stepped = 0
    while events[-1] != {"t": events[-1]["t"], "event": "lamp", "on": False}:
        assert 0 < step(table) < LONGEST_STEP_S
        stepped += 1
    assert 5 < stepped < 100
    assert table.hardware()["pace"] == 0
    stood_at = now(table)
    time.sleep(A_WHILE_S)
    assert now(table) == stood_at


def test_a_step_of_a_table_at_which_nothing_happens_ends(table: TableThread, events: Events) -> None:
    choose(table, 0)
    # the display falls asleep once
    while (went := step(table)) < LONGEST_STEP_S:
        assert events.pop()["event"] == "display"
    assert went == pytest.approx(LONGEST_STEP_S)
    assert events == []


def test_a_step_ends_when_another_pace_is_chosen(table: TableThread) -> None:
    stepping = table.step()
    choose(table, 1)
    stepping.result(PATIENCE_S)
    assert table.hardware()["pace"] == 1


# hurrying


def test_at_ten_times_the_pace_of_life_time_passes_ten_times_as_fast(table: TableThread) -> None:
    choose(table, 10)
    real, began = time.monotonic(), now(table)
    table.do(["wait 10"]).result(PATIENCE_S)
    assert time.monotonic() - real >= 0.9
    assert now(table) - began >= 10


def test_as_fast_as_it_goes_nobody_waits_for_what_is_being_done(table: TableThread, events: Events) -> None:
    choose(table, "fast")
    real = time.monotonic()
    table.do(["key DEAL", "wait until deal.ended", "pull lever", "release lever", "wait 500"]).result(PATIENCE_S)
    assert time.monotonic() - real < 8
    assert named(events, "apple.stopped")


@pytest.mark.parametrize("reader", ["rdm6300", "pn532"])
def test_as_fast_as_it_goes_a_table_at_which_nothing_happens_is_in_no_hurry(table: TableThread, reader: str) -> None:
    table.do([f'config bank.left \'{{ reader = "{reader}", port = "/dev/left" }}\'']).result(PATIENCE_S)
    choose(table, "fast")
    table.do(["press block"]).result(PATIENCE_S)
    eventually(lambda: table.hardware()["rate"] == 1)
    began = now(table)
    time.sleep(A_WHILE_S)
    assert now(table) - began < LULL_S


def test_as_fast_as_it_goes_an_amount_can_be_typed_before_the_display_sleeps(table: TableThread) -> None:
    choose(table, "fast")
    table.do(["insert left 1"]).result(PATIENCE_S)
    for key in "25M":
        table.do([f"key {key}"]).result(PATIENCE_S)
        eventually(lambda: table.hardware()["rate"] == 1)
    eventually(lambda: any(card["shown"] == "40M" for card in table.table()["cards"]))


@pytest.mark.parametrize("pace", [10, "fast"])
def test_what_a_person_holds_is_held_at_the_pace_of_life(table: TableThread, pace: Pace) -> None:
    choose(table, pace)
    table.do(["insert left 1"]).result(PATIENCE_S)
    for line in ("hold C", "hold block", "pull lever"):
        table.do([line]).result(PATIENCE_S)
        assert table.hardware()["rate"] == 1
        table.do([line.replace("hold", "release").replace("pull", "release")]).result(PATIENCE_S)
        assert table.hardware()["rate"] > 1


@pytest.mark.parametrize("pace", [10, "fast"])
def test_what_a_person_holds_is_so_whatever_others_do_meanwhile(table: TableThread, pace: Pace) -> None:
    choose(table, pace)
    table.do(["hold 5"]).result(PATIENCE_S)
    others = table.do(["hold 6", "wait 1", "release 6", "pull lever", "wait 1", "release lever", "wait 30"])
    eventually(lambda: table.hardware()["lever"] == "back")
    assert table.hardware()["rate"] == 1
    table.do(["release 5"]).result(PATIENCE_S)
    assert table.hardware()["rate"] > 1
    others.result(PATIENCE_S)


def test_what_lines_hold_that_somebody_waits_for_is_not(table: TableThread) -> None:
    choose(table, "fast")
    real = time.monotonic()
    table.do(["hold C 60", "press block 60"]).result(PATIENCE_S)
    assert time.monotonic() - real < 10


def test_after_hurrying_the_clock_can_stand_and_go_on(table: TableThread) -> None:
    choose(table, "fast")
    doing = table.do(["wait 600"])
    choose(table, 0)
    assert doing.result(PATIENCE_S) is False
    stood_at = now(table)
    time.sleep(A_WHILE_S)
    assert now(table) == stood_at
    assert table.hardware()["rate"] == 0


# whatever the pace

EVENING = [
    "insert left 1",
    "fault disk slow",
    "type 1M",
    "wait 12",
    "mend disk slow",
    "fault noise left",
    "insert right 2",
    "type 500K",
    "fault bounce",
    "press block",
    "wait 5",
    "pull lever",
    "release lever",
    "wait 3",
    "power off",
    "power on",
    "key DEAL",
    "wait until deal.ended",
]


def told_of_an_evening(state: Path, pace: Pace) -> Events:
    table = TableThread(Scene.load(None, state), seed=4, pace=0)
    told: Events = []
    table.subscribe_events(told.append)
    try:
        table.do(EVENING).result(PATIENCE_S)
        choose(table, pace)
        eventually(lambda: named(told, "deal.ended"))
        return told[: [event["event"] for event in told].index("deal.ended")]
    finally:
        table.close()


def test_the_same_happens_at_the_same_times_at_every_pace(tmp_path: Path) -> None:
    ten, fast = (told_of_an_evening(tmp_path / str(pace), pace) for pace in (10, "fast"))
    assert len(ten) > 60
    assert ten == fast


def test_only_what_is_played_at_the_pace_of_life_is_heard(table: TableThread) -> None:
    heard: list[float] = []
    table.subscribe_sound(lambda t, _: heard.append(t))
    choose(table, 10)
    table.do(["press block", "wait 5"]).result(PATIENCE_S)
    assert heard == []
    choose(table, 1)
    table.do(["press block"]).result(PATIENCE_S)
    eventually(lambda: heard)


@pytest.mark.parametrize("pace", [0, 10, "fast"])
def test_a_bench_is_put_away_at_every_pace(tmp_path: Path, pace: Pace) -> None:
    table = TableThread(Scene.load(None, tmp_path), seed=1, pace=pace)
    table.do(["hold C", "wait 500"])
    table.close()


def test_a_bench_can_begin_with_its_clock_standing(tmp_path: Path) -> None:
    table = TableThread(Scene.load(None, tmp_path), seed=1, pace=0)
    try:
        assert table.hardware()["powered"]
        with pytest.raises(NotYet):
            table.do(["wait 1"]).result(0) or table.step().result(0)
    finally:
        table.close()
