"""A table that is taken away and set anew, while everybody who looks stays."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from reboard.errors import ConfigError
from reboard_sim.bench.bench_acts import GIVEN, NONE, Listener, Setup
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.plays.play_command import PASSED, play_file
from reboard_sim.plays.play_language import PlayError
from reboard_sim.scene import Scene
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

BLOCK_ONLY = "[block]\nbutton = 17\nlamp = 27\n"
STATE = "begun"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    table = TableThread(Scene.load(None, tmp_path / STATE), seed=1)
    yield table
    table.close()


def set_anew(table: TableThread, wish: Setup, *lines: str, seed: int = 1) -> None:
    table.set_scene(wish, seed, list(lines)).result(PATIENCE_S)


def do(table: TableThread, *lines: str) -> None:
    table.choose_pace("fast").result(PATIENCE_S)
    table.do(list(lines)).result(PATIENCE_S)


def session(table: TableThread) -> str:
    file = io.BytesIO()
    table.export("session.play", file)
    return file.getvalue().decode()


def test_a_new_setup_has_an_empty_ledger_and_runs_in_real_time(table: TableThread) -> None:
    do(table, "insert left 1", "type 1M", "fault bounce", "wait 500")
    set_anew(table, Setup("classic-de"))
    assert table.table()["edition"] == "classic-de"
    assert table.table()["cards"] == []
    looks = table.hardware()
    assert (looks["pace"], looks["powered"], looks["scene"]) == (1, True, 2)
    assert (looks["faults"], looks["slots"]) == ([], {"left": None, "right": None})
    heard: list[float] = []
    table.listeners.append(Listener(sound=lambda t, _: heard.append(t)))
    table.do(["press block"]).result(PATIENCE_S)
    eventually(lambda: heard, "the sound is heard")
    assert 0 < heard[0] < 500, "the time begins again"


def test_a_reader_can_be_chosen_for_either_slot(table: TableThread) -> None:
    set_anew(table, Setup("world", readers={"left": NONE, "right": "pn532"}), "insert right 2", "wait 2")
    assert [card["number"] for card in table.table()["cards"]] == [2]
    with pytest.raises(PlayError, match=r"no bank\.left"):
        do(table, "insert left 1")


@pytest.mark.parametrize(
    ("wish", "problem"),
    [
        (Setup(wiring="mine.toml", text="[block]\nbutten = 17\n"), r"mine\.toml:2: .*butten"),
        (Setup(wiring="mine.toml", text="[block"), r"mine\.toml:1: this is not TOML"),
        (Setup(wiring="mine.toml", text=BLOCK_ONLY, readers={"left": "bumps", "right": "bumps"}, edition="x"), "x"),
        (Setup("monopoly"), "edition"),
        (Setup(wiring="mine.toml", text=BLOCK_ONLY, readers={"left": "id12"}), r"mine\.toml has no \[bank\]"),
        (Setup(wiring=GIVEN), "no wiring"),
    ],
)
def test_an_impossible_setup_leaves_the_table_as_it_was(table: TableThread, wish: Setup, problem: str) -> None:
    do(table, "insert left 1")
    with pytest.raises(ConfigError, match=problem):
        set_anew(table, wish)
    assert table.hardware()["slots"]["left"] == 1
    assert table.scene()["number"] == 1


@pytest.mark.parametrize("line", ["config page.power true", "without page.listen"])
def test_a_setting_of_the_table_page_is_rejected_because_it_would_have_no_effect(table: TableThread, line: str) -> None:
    with pytest.raises(PlayError, match="start the bench with -c"):
        do(table, line)


def test_the_recorded_session_of_a_setup_is_a_valid_play(table: TableThread, tmp_path: Path) -> None:
    do(table, "press block")
    wish = Setup("classic-de", readers={"left": "id12", "right": NONE})
    set_anew(table, wish, "insert left 1", "type 200M", "wait 1", seed=9)
    play = tmp_path / "session.play"
    play.write_text(session(table))
    assert play.read_text().splitlines()[2:6] == [
        "edition classic-de",
        'config bank.left \'{ reader = "id12", port = "/dev/reboard-left" }\'',
        "without bank.right",
        "seed 9",
    ]
    assert play_file(play) == PASSED
