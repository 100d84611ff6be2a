"""A table that is taken away and set anew, while everybody who looks stays."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reboard.errors import ConfigError
from reboard_sim.bench.hands_on_table import AtNewTableError, SetAnewError
from reboard_sim.bench.pace import AT_ONCE, Pacing
from reboard_sim.bench.scene_wish import GIVEN, NONE, READERS, SceneWish
from reboard_sim.bench.stage import Stage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.play_command import HELD, play_file
from reboard_sim.play_language import PlayError
from reboard_sim.scene import Scene
from reboard_sim.virtual_time import VirtualTimeLoop, run

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
    set_anew(table, SceneWish(), "insert left 1", "wait 600", "key C", "type 1.5M", "wait 1")
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
        (SceneWish(wiring="mine.toml", text=BLOCK_ONLY, readers={"left": "id12"}), r"mine\.toml has no banker unit"),
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
    with pytest.raises(PlayError, match="the lines up to this one take longer than 21600 s") as caught:
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
    with pytest.raises(SetAnewError):
        doing.result(PATIENCE_S)
    assert table.hardware()["keys"] == []


# what leads to a scene

LEADING = ["insert left 1", "wait 100", "press block", "wait 100", "remove left"]
"""After 50 s these are in their midst."""


def on_a_stage(state: Path, scenario: Callable[[Stage, Pacing], Awaitable[None]]) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        pacing = Pacing(loop, lambda: False)
        stage = Stage(Scene.load(None, state), seed=1, pacing=pacing, door=None)
        await stage.begin()
        try:
            await scenario(stage, pacing)
        finally:
            await stage.put_away()

    run(main)


def done_at(stage: Stage) -> list[str]:
    """What was done since the table was switched on."""
    acts = [act.text for act in stage.table.done.acts]
    return acts[acts.index("power on") + 1 :]


def test_lines_that_lead_to_a_scene_are_left_when_another_one_is_set(tmp_path: Path) -> None:
    async def scenario(stage: Stage, pacing: Pacing) -> None:
        first = asyncio.create_task(stage.set_anew(SceneWish("classic-de"), 1, LEADING))
        await asyncio.sleep(50)
        assert done_at(stage) == ["insert left 1"]
        await stage.set_anew(SceneWish("nintendo"), 1, [])
        with pytest.raises(SetAnewError):
            await first
        assert (stage.table.config.edition, done_at(stage)) == ("nintendo", [])

    on_a_stage(tmp_path, scenario)


def test_lines_that_lead_to_a_scene_are_left_when_nobody_waits_for_them(tmp_path: Path) -> None:
    async def scenario(stage: Stage, pacing: Pacing) -> None:
        leading = asyncio.create_task(stage.set_anew(SceneWish("classic-de"), 1, LEADING))
        await asyncio.sleep(50)
        leading.cancel()
        await asyncio.gather(leading, return_exceptions=True)
        await stage.do(["key C"], "")
        assert (stage.table.config.edition, done_at(stage)) == ("classic-de", ["insert left 1", "key C"])

    on_a_stage(tmp_path, scenario)


def test_hands_come_to_a_new_table_after_the_lines_that_lead_to_it(tmp_path: Path) -> None:
    async def scenario(stage: Stage, pacing: Pacing) -> None:
        leading = asyncio.create_task(stage.set_anew(SceneWish(), 1, LEADING))
        await asyncio.sleep(50)
        assert await stage.do(["key C"], "")
        assert leading.done()
        assert done_at(stage) == ["insert left 1", "press block", "remove left", "key C"]

    on_a_stage(tmp_path, scenario)


def test_whatever_pace_is_chosen_meanwhile_is_for_afterwards(tmp_path: Path) -> None:
    async def scenario(stage: Stage, pacing: Pacing) -> None:
        leading = asyncio.create_task(stage.set_anew(SceneWish(), 1, LEADING))
        await asyncio.sleep(50)
        pacing.choose(10)
        assert (pacing.is_at_once, pacing.rate) == (True, AT_ONCE)
        await leading
        assert (pacing.is_at_once, pacing.rate) == (False, 10)

    on_a_stage(tmp_path, scenario)


def test_a_bench_that_is_put_away_in_the_midst_of_a_scene_leaves_the_rest_of_its_lines(tmp_path: Path) -> None:
    leading: asyncio.Task[None]

    async def scenario(stage: Stage, pacing: Pacing) -> None:
        nonlocal leading
        leading = asyncio.create_task(stage.set_anew(SceneWish(), 1, LEADING))
        await asyncio.sleep(50)

    on_a_stage(tmp_path, scenario)
    assert isinstance(leading.exception(), SetAnewError)


def test_lines_that_take_too_long_are_left_at_the_one_that_was_being_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(stage: Stage, pacing: Pacing) -> None:
        monkeypatch.setattr("reboard_sim.bench.stage.LONGEST_SCENE_S", 0.5)
        with pytest.raises(AtNewTableError, match="up to this one take longer than") as caught:
            await stage.set_anew(SceneWish(), 1, ["key 1", "key 2", "key 3", "key 4", "key 5"])
        assert caught.value.line == 4
        monkeypatch.setattr("reboard_sim.bench.stage.LONGEST_DO_S", 0.5)
        with pytest.raises(PlayError, match="up to this one take longer than") as late:
            await stage.do(["key 1", "key 2", "key 3", "key 4", "key 5"], "")
        assert late.value.line == 4

    on_a_stage(tmp_path, scenario)


@pytest.mark.parametrize("act", ["edition world", "config block.quiet true", "seed 3", "power off", "without apple"])
def test_an_act_that_nobody_can_leave_off_is_over_before_the_table_is_put_away(table: TableThread, act: str) -> None:
    doing = table.do([act, "press block", "wait 100"])
    for _ in range(3):
        set_anew(table, SceneWish("nintendo"))
        table.do([act])
    with pytest.raises(SetAnewError):
        doing.result(PATIENCE_S)
    set_anew(table, SceneWish("nintendo"), "insert left 1")
    assert table.table()["edition"] == "nintendo"
    assert table.hardware()["slots"]["left"] == 1


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
