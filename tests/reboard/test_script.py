"""Accessories for scripts: gpiozero's manner, without gpiozero's hold on the game."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest
from gpiozero import InputDevice

import reboard
from reboard import BankerUnit, QuestionBlock, WormApple, script
from reboard.board import Board
from reboard.errors import ConfigError, PartError
from reboard.loop_thread import LoopThread
from reboard_sim.deck import DECK
from reboard_sim.scene import Scene
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_time import VirtualTimeLoop

PACE = 50.0
PATIENCE_S = 10.0
LEFT, RIGHT = "/dev/reboard-left", "/dev/reboard-right"

pytestmark = pytest.mark.realtime


class Stage:
    """The virtual Pi of the accessory made last, and hands that work it on its own loop."""

    def __init__(self, state: Path) -> None:
        self._config = Scene.load(None, state).config()

    def board(self) -> Board:
        self._loop = asyncio.get_running_loop()
        self.pi = VirtualPi(self._config, self._loop.time, rng=Random(1), sound_card=VirtualSoundCard())
        self.pi.power_on()
        return self.pi

    def hand(self, act: Callable[[VirtualPi], None], *, after_s: float = 0.0) -> None:
        self._loop.call_soon_threadsafe(self._loop.call_later, after_s, act, self.pi)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    monkeypatch.setattr(script, "make_board", stage.board)
    monkeypatch.setattr(script, "LoopThread", partial(LoopThread, partial(VirtualTimeLoop, PACE)))
    yield stage
    assert not [thread for thread in threading.enumerate() if thread.name == "reboard"], "a loop was left running"


def called() -> tuple[Callable[[], None], threading.Event]:
    happened = threading.Event()
    return happened.set, happened


def test_a_callback_without_arguments_and_one_with_the_fields_are_both_called(stage: Stage) -> None:
    with QuestionBlock(17, 27) as block:
        told: list[script.Fields] = []
        drawn = threading.Event()
        block.when_pressed, pressed = called()

        def tell(fields: script.Fields) -> None:
            told.append(fields)
            drawn.set()

        block.when_outcome = tell
        stage.hand(lambda pi: pi.button.close())
        assert pressed.wait(PATIENCE_S)
        assert drawn.wait(PATIENCE_S)
        assert told == [block.last]


def test_waiting_for_an_outcome_returns_it_or_nothing_when_none_comes(stage: Stage) -> None:
    with QuestionBlock(17, odds={"coins": [0, 1], "laugh": 0, "power_up": 0, "game_over": 0}) as block:
        assert block.wait_for_outcome(timeout=0.01) is None
        stage.hand(lambda pi: pi.button.close(), after_s=5)
        assert block.wait_for_outcome(timeout=PATIENCE_S) == {"outcome": "coins", "coins": 2}


def test_a_slow_callback_does_not_keep_the_motor_running(stage: Stage) -> None:
    release = threading.Event()
    with WormApple(22, 13, seconds=5) as apple:
        apple.when_started = lambda: release.wait(PATIENCE_S)
        stage.hand(lambda pi: pi.lever.close())
        stage.hand(lambda pi: pi.lever.open(), after_s=1)
        assert apple.wait_for_stop(timeout=PATIENCE_S)
        assert not apple.is_running
        assert not stage.pi.motor.is_on
        release.set()


def test_a_callback_that_fails_is_logged_and_the_next_one_is_called(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    with WormApple(22, 13) as apple:
        apple.when_wound = lambda: 1 / 0
        apple.when_started, started = called()
        stage.hand(lambda pi: pi.lever.close())
        stage.hand(lambda pi: pi.lever.open(), after_s=1)
        assert started.wait(PATIENCE_S)
    assert "a callback of this script failed" in caplog.text


def test_a_callback_may_ask_the_accessory(stage: Stage) -> None:
    answers: list[bool] = []
    asked = threading.Event()
    with WormApple(22, 13) as apple:

        def ask() -> None:
            answers.append(apple.is_wound)
            asked.set()

        apple.when_wound = ask
        stage.hand(lambda pi: pi.lever.close())
        assert asked.wait(PATIENCE_S)
    assert answers == [True]


def test_closing_in_the_middle_of_a_dance_stops_the_motor(stage: Stage) -> None:
    with WormApple(22, 13, seconds=120) as apple:
        apple.when_started, started = called()
        stage.hand(lambda pi: pi.lever.close())
        stage.hand(lambda pi: pi.lever.open(), after_s=1)
        assert started.wait(PATIENCE_S)
    assert not stage.pi.motor.is_on
    assert apple.closed
    apple.close()


def test_the_repr_shows_the_state(stage: Stage) -> None:
    with WormApple(22, 13) as apple:
        assert repr(apple) == "<reboard.WormApple object running=False, wound=False>"
    assert repr(apple) == "<reboard.WormApple object closed>"


def test_a_pin_that_cannot_be_had_is_an_error_at_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[InputDevice] = []

    def taken() -> Board:
        board = stage.board()
        others.append(InputDevice(17, pin_factory=board.pins))
        return board

    monkeypatch.setattr(script, "make_board", taken)
    with pytest.raises(PartError, match="GPIO17"):
        QuestionBlock(17)
    assert len(others) == 1


def test_arguments_that_make_no_sense_are_told_like_a_configs() -> None:
    with pytest.raises(ConfigError, match=r"this script: apple\.seconds must be .*5 to 120"):
        WormApple(22, 13, seconds=500)
    with pytest.raises(ConfigError, match="pin 17"):
        QuestionBlock(17, lamp=17)


def test_the_banker_unit_knows_its_balances_and_takes_back_a_transfer(stage: Stage) -> None:
    keypad = {"rows": [23, 24, 25, 12], "columns": [5, 6, 16, 26]}
    with BankerUnit(LEFT, RIGHT, keypad=keypad, display=0x27) as unit:
        joined, has_joined = called()
        unit.when_card_inserted = joined
        stage.hand(lambda pi: pi.reader("left").put(DECK[0]))
        assert has_joined.wait(PATIENCE_S)
        unit.when_transfer, paid = called()
        stage.hand(lambda pi: pi.keypad.press("GO"))
        assert paid.wait(PATIENCE_S)
        assert unit.balances == {1: 17_000_000}
        unit.undo()
        assert unit.balances == {1: 15_000_000}
        assert "edition='world', game=1" in repr(unit)


def test_a_ledger_that_has_a_place_is_there_the_next_time(stage: Stage, tmp_path: Path) -> None:
    for expected in ({1: 15_000_000}, {1: 15_000_000}):
        with BankerUnit(LEFT, state=tmp_path / "kept") as unit:
            unit.when_card_inserted, inserted = called()
            stage.hand(lambda pi: pi.reader("left").put(DECK[0]))
            assert inserted.wait(PATIENCE_S)
            assert unit.balances == expected
    assert (tmp_path / "kept" / "ledger.db").exists()


def test_importing_reboard_imports_none_of_it_until_it_is_asked_for() -> None:
    assert reboard.QuestionBlock is QuestionBlock
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = reboard.Nonsense


ENDS_IN_MID_DANCE = """
import asyncio, atexit, sys, threading, time
from pathlib import Path
from random import Random
from reboard import WormApple, script
from reboard_sim.scene import Scene
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi

stage = {}

def board():
    loop = asyncio.get_running_loop()
    config = Scene.load(None, Path(sys.argv[1])).config()
    pi = VirtualPi(config, loop.time, rng=Random(1), sound_card=VirtualSoundCard())
    pi.power_on()
    stage.update(pi=pi, loop=loop)
    return pi

script.make_board = board
atexit.register(lambda: print("at the end:", stage["pi"].motor.level))
apple = WormApple(22, 13)
started = threading.Event()
apple.when_started = started.set
stage["loop"].call_soon_threadsafe(stage["pi"].lever.close)
stage["loop"].call_soon_threadsafe(stage["loop"].call_later, 0.1, stage["pi"].lever.open)
assert started.wait(10)
while not stage["pi"].motor.is_on:
    time.sleep(0.01)
if sys.argv[2] == "raise":
    raise ValueError("the script has a mistake")
"""


@pytest.mark.parametrize("ending", ["return", "raise"])
def test_a_script_that_ends_in_the_middle_of_a_dance_stops_the_motor(tmp_path: Path, ending: str) -> None:
    command = [sys.executable, "-c", ENDS_IN_MID_DANCE, str(tmp_path), ending]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.stdout.splitlines() == ["at the end: 0.0"], ended.stderr
