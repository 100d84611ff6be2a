"""A table that is taken away and set anew, while everybody who looks stays."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reboard.errors import ConfigError
from reboard_sim.bench.hands_on_table import AtNewTableError
from reboard_sim.bench.scene_wish import GIVEN, NONE, READERS, SceneWish
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.play_command import HELD, play_file
from reboard_sim.play_language import PlayError
from reboard_sim.scene import Scene

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
BLOCK_ONLY = "[block]\nbutton = 17\nlamp = 27\n"
STATE = "begun"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    table = TableThread(Scene.load(None, tmp_path / STATE), seed=1)
    yield table
    table.close()


def set_anew(table: TableThread, wish: SceneWish, *lines: str, seed: int = 1) -> None:
    table.set_scene(wish, seed, list(lines)).result(PATIENCE_S)


def do(table: TableThread, *lines: str) -> None:
    table.choose_pace("fast").result(PATIENCE_S)
    table.do(list(lines)).result(PATIENCE_S)


def eventually(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def session(table: TableThread) -> str:
    file = io.BytesIO()
    table.export("session.play", file)
    return file.getvalue().decode()


def test_a_new_table_begins_with_an_empty_ledger_and_goes_on_as_in_life(table: TableThread) -> None:
    do(table, "insert left 1", "type 1M", "fault bounce")
    set_anew(table, SceneWish("classic-de"))
    assert table.table()["edition"] == "classic-de"
    assert table.table()["cards"] == []
    looks = table.hardware()
    assert (looks["pace"], looks["powered"], looks["scene"]) == (1, True, 2)
    assert (looks["faults"], looks["slots"]) == ([], {"left": None, "right": None})


def test_the_state_that_the_bench_was_begun_with_is_left_as_it_is(table: TableThread, tmp_path: Path) -> None:
    do(table, "insert left 1", "type 1M", "power off")
    before = (tmp_path / STATE / "ledger.db").read_bytes()
    set_anew(table, SceneWish(), "insert left 2", "type 5M", "wait 1", "power off")
    set_anew(table, SceneWish(), "insert left 3")
    assert (tmp_path / STATE / "ledger.db").read_bytes() == before


def test_what_leads_to_a_scene_is_done_at_once(table: TableThread) -> None:
    table.choose_pace(0).result(PATIENCE_S)
    set_anew(table, SceneWish(), "insert left 1", "wait 3000", "key C", "type 1.5M", "wait 1")
    assert [card["shown"] for card in table.table()["cards"]] == ["16.5M"]
    assert table.hardware()["pace"] == 1


def test_the_same_seed_brings_the_same(table: TableThread) -> None:
    told: list[dict[str, Any]] = []
    table.subscribe_events(told.append)
    outcomes = []
    for seed in (3, 3, 4):
        told.clear()
        set_anew(table, SceneWish(), *["press block", "wait 5"] * 8, seed=seed)
        outcomes.append([event.get("outcome") for event in told if event["event"] == "block.outcome"])
    assert outcomes[0] == outcomes[1] != outcomes[2]


def test_who_listens_is_told_of_the_new_table_too(table: TableThread) -> None:
    events: list[dict[str, Any]] = []
    blocks: list[float] = []
    table.subscribe_events(events.append)
    stop = table.subscribe_sound(lambda t, _: blocks.append(t))
    set_anew(table, SceneWish(), "press block", "wait 5")
    assert "block.pressed" in [event["event"] for event in events]
    assert max(event["t"] for event in events) < 10
    assert blocks == []  # what is done at once is not heard
    table.do(["press block", "wait 0.5"]).result(PATIENCE_S)
    assert blocks
    stop()
    blocks.clear()
    table.do(["wait 5", "press block"])
    table.do(["wait 0.5"]).result(PATIENCE_S)
    assert blocks == []


@pytest.mark.parametrize("kind", READERS)
def test_every_reader_can_be_chosen_for_either_slot(table: TableThread, kind: str) -> None:
    set_anew(table, SceneWish("world", readers={"left": kind, "right": kind}), "insert left 1", "wait 2")
    assert [card["number"] for card in table.table()["cards"]] == [1]
    set_anew(table, SceneWish("world", readers={"left": NONE, "right": kind}), "insert right 2", "wait 2")
    assert [card["number"] for card in table.table()["cards"]] == [2]
    with pytest.raises(PlayError, match="no left slot"):
        do(table, "insert left 1")


def test_another_wiring_is_played_on(table: TableThread) -> None:
    set_anew(table, SceneWish(wiring="mine.toml", text=BLOCK_ONLY))
    assert table.hardware()["accessories"] == ["block"]
    assert table.scene()["wiring"] == {"name": "mine.toml", "text": BLOCK_ONLY}


def test_the_file_that_the_bench_was_begun_with_is_a_wiring(tmp_path: Path) -> None:
    file = tmp_path / "begun.toml"
    file.write_text(BLOCK_ONLY)
    table = TableThread(Scene.load(file, tmp_path), seed=1)
    try:
        assert (table.scene()["wiring"], table.scene()["given"]) == (GIVEN, "begun.toml")
        set_anew(table, SceneWish())
        assert table.hardware()["accessories"] == ["block", "bank", "apple"]
        set_anew(table, SceneWish(wiring=GIVEN))
        assert table.hardware()["accessories"] == ["block"]
    finally:
        table.close()


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        (SceneWish(wiring="mine.toml", text="[block]\nbutten = 17\n"), r"mine\.toml:2: .*butten"),
        (SceneWish(wiring="mine.toml", text="[block"), r"mine\.toml:1: this is not TOML"),
        (SceneWish(wiring="mine.toml", text=BLOCK_ONLY, readers={"left": "bumps", "right": "bumps"}, edition="x"), "x"),
        (SceneWish("monopoly"), "edition"),
        (SceneWish(wiring=GIVEN), "no wiring 'config' here"),
    ],
)
def test_of_a_scene_that_cannot_be_had_the_table_knows_nothing(
    table: TableThread, wish: SceneWish, problem: str
) -> None:
    do(table, "insert left 1")
    with pytest.raises(ConfigError, match=problem):
        set_anew(table, wish)
    assert table.hardware()["slots"]["left"] == 1
    assert table.scene()["number"] == 1


def test_of_a_line_that_means_nothing_the_table_knows_nothing(table: TableThread) -> None:
    with pytest.raises(PlayError, match="'dance' is no act"):
        set_anew(table, SceneWish(), "press block", "dance")
    assert table.scene()["number"] == 1


def test_lines_that_say_themselves_that_they_take_too_long_lead_nowhere(table: TableThread) -> None:
    half = ["wait 10000", "hold C 400", "press block 400.1"]
    with pytest.raises(PlayError, match=r"take 6\.0 h at the table; 6 h is the most") as caught:
        set_anew(table, SceneWish(), *half, *half)
    assert caught.value.line == 6
    assert not isinstance(caught.value, AtNewTableError)
    assert table.scene()["number"] == 1
    set_anew(table, SceneWish(), "key DEAL", "wait until deal.ended within 80000")


def test_a_line_that_cannot_be_carried_out_is_named(table: TableThread) -> None:
    with pytest.raises(AtNewTableError) as caught:
        set_anew(table, SceneWish(wiring="mine.toml", text=BLOCK_ONLY), "press block", "pull lever")
    assert caught.value.line == 2
    assert table.hardware()["accessories"] == ["block"]
    assert table.hardware()["rate"] == 1


def test_what_was_being_done_at_the_old_table_is_called_off(table: TableThread) -> None:
    doing = table.do(["hold C 500"])
    set_anew(table, SceneWish())
    with pytest.raises(PlayError, match="set anew"):
        doing.result(PATIENCE_S)
    assert table.hardware()["keys"] == []


def test_lines_that_lead_to_a_scene_are_left_when_another_one_is_set(table: TableThread) -> None:
    first = table.set_scene(SceneWish("classic-de"), 1, ["insert left 1", *["key C", "wait 0.1"] * 4_000])
    eventually(lambda: table.hardware()["slots"]["left"] == 1)
    set_anew(table, SceneWish("nintendo"))
    with pytest.raises(AtNewTableError, match="set anew"):
        first.result(PATIENCE_S)
    assert (table.table()["edition"], table.hardware()["slots"]["left"]) == ("nintendo", None)


def test_lines_that_lead_to_a_scene_are_left_when_nobody_waits_for_them(table: TableThread) -> None:
    leading = table.set_scene(SceneWish("classic-de"), 1, ["insert left 1", *["key C", "wait 0.1"] * 4_000])
    eventually(lambda: table.hardware()["slots"]["left"] == 1)
    leading.cancel()
    eventually(lambda: table.hardware()["pace"] == 1)
    assert "wait 300" not in session(table)
    assert table.table()["edition"] == "classic-de"


def test_hands_come_to_a_new_table_after_the_lines_that_lead_to_it(table: TableThread) -> None:
    leading = table.set_scene(SceneWish(), 1, ["insert left 1", *["key C"] * 300])
    eventually(lambda: table.hardware()["slots"]["left"] == 1)
    assert table.hardware()["pace"] == "scene"
    table.do(["remove left"]).result(PATIENCE_S)
    assert leading.done()
    lines = session(table).splitlines()
    assert lines.index("remove left") > max(place for place, line in enumerate(lines) if line == "key C")


def test_whatever_pace_is_chosen_meanwhile_is_for_afterwards(table: TableThread) -> None:
    leading = table.set_scene(SceneWish(), 1, ["insert left 1", *["key C"] * 300])
    eventually(lambda: table.hardware()["slots"]["left"] == 1)
    table.choose_pace(10).result(PATIENCE_S)
    assert table.hardware()["pace"] == "scene"
    leading.result(PATIENCE_S)
    assert (table.hardware()["pace"], table.hardware()["rate"]) == (10, 10)


@pytest.mark.parametrize("act", ["edition world", "config block.quiet true", "seed 3", "power off", "without apple"])
def test_an_act_that_nobody_can_leave_off_is_over_before_the_table_is_put_away(table: TableThread, act: str) -> None:
    doing = table.do([act, "press block", "wait 100"])
    for _ in range(3):
        set_anew(table, SceneWish("nintendo"))
        table.do([act])
    with pytest.raises(PlayError, match="set anew"):
        doing.result(PATIENCE_S)
    set_anew(table, SceneWish("nintendo"), "insert left 1")
    assert table.table()["edition"] == "nintendo"
    assert table.hardware()["slots"]["left"] == 1


def test_a_bench_can_be_put_away_in_the_midst_of_a_scene(tmp_path: Path) -> None:
    table = TableThread(Scene.load(None, tmp_path), seed=1)
    leading = table.set_scene(SceneWish(), 1, ["insert left 1", *["key C", "wait 5"] * 4_000])
    eventually(lambda: table.hardware()["slots"]["left"] == 1)
    table.close()
    assert leading.done()


def test_each_start_of_the_bench_is_told_from_the_one_before(table: TableThread, tmp_path: Path) -> None:
    other = TableThread(Scene.load(None, tmp_path / "other"), seed=1)
    try:
        assert table.hardware()["run"] != other.hardware()["run"]
    finally:
        other.close()
    set_anew(table, SceneWish())
    assert table.hardware()["run"] == table.scene()["run"]


def test_two_who_set_the_table_at_once_get_one_table_each(table: TableThread) -> None:
    wishes = [table.set_scene(SceneWish("classic-de"), 1, []), table.set_scene(SceneWish("nintendo"), 1, [])]
    for wish in wishes:
        wish.result(PATIENCE_S)
    assert table.scene()["number"] == 3
    assert table.table()["edition"] == table.scene()["edition"]


def test_the_session_of_a_scene_plays_on_our_wiring(table: TableThread, tmp_path: Path) -> None:
    do(table, "press block")
    wish = SceneWish("classic-de", readers={"left": "id12", "right": NONE})
    set_anew(table, wish, "insert left 1", "type 200M", "wait 1", seed=9)
    play = tmp_path / "session.play"
    play.write_text(session(table))
    assert play.read_text().splitlines()[2:6] == [
        "edition classic-de",
        'config bank.left \'{ reader = "id12", port = "/dev/reboard-left" }\'',
        "without bank.right",
        "seed 9",
    ]
    assert play_file(play) == HELD
