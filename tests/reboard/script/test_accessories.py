"""Accessories for scripts: gpiozero's manner, without gpiozero's hold on the game."""

import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gpiozero import InputDevice

import reboard
from reboard import BankerUnit, QuestionBlock, WormApple, build
from reboard.board import Board
from reboard.errors import ConfigError, PartError, ReboardError
from reboard.loop_thread import ANSWER_WITHIN_S, LoopThread
from reboard.parts.speaker import Speaker
from reboard.script import stage as script_stage
from reboard.script.callbacks import Fields
from reboard_sim.deck import DECK
from tests.reboard.script.conftest import PATIENCE_S, Stage

LEFT, RIGHT = "/dev/reboard-left", "/dev/reboard-right"

pytestmark = pytest.mark.realtime


def called() -> tuple[Callable[[], None], threading.Event]:
    happened = threading.Event()
    return happened.set, happened


def test_a_callback_without_arguments_and_one_with_the_fields_are_both_called(stage: Stage) -> None:
    with QuestionBlock(17, 27) as block:
        told: list[Fields] = []
        drawn = threading.Event()
        block.when_pressed, pressed = called()

        def tell(fields: Fields) -> None:
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


def test_a_script_keeps_its_own_handler_of_a_signal(stage: Stage) -> None:
    def own(*_: object) -> None:
        pass

    before = signal.signal(signal.SIGTERM, own)
    try:
        with QuestionBlock(17):
            assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)


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


def test_closing_in_the_middle_of_a_dance_stops_the_motor(stage: Stage) -> None:
    with WormApple(22, 13, seconds=120) as apple:
        apple.when_started, started = called()
        stage.hand(lambda pi: pi.lever.close())
        stage.hand(lambda pi: pi.lever.open(), after_s=1)
        assert started.wait(PATIENCE_S)
    assert not stage.pi.motor.is_on
    assert apple.closed
    apple.close()


def test_two_accessories_of_a_script_share_its_pi_and_its_sound_device(stage: Stage) -> None:
    with WormApple(22, 13, seconds=5) as apple:
        with QuestionBlock(17) as block:
            assert stage.boards == 1
            with pytest.raises(PartError, match="GPIO17"):
                QuestionBlock(17)
            with pytest.raises(PartError, match="GPIO22"):
                QuestionBlock(22)
            block.when_outcome, drawn = called()
            stage.hand(lambda pi: pi.button.close())
            assert drawn.wait(PATIENCE_S)
            stage.until_heard(since=0)
        alone_since = stage.now()
        apple.when_stopped, stopped = called()
        stage.hand(lambda pi: pi.lever.close())
        stage.hand(lambda pi: pi.lever.open(), after_s=1)
        assert stopped.wait(PATIENCE_S)
        stage.until_heard(alone_since)
    with QuestionBlock(17):
        assert stage.boards == 2


def test_a_closed_accessory_says_so_though_another_plays_on(stage: Stage) -> None:
    with WormApple(22, 13), BankerUnit() as unit:
        unit.close()
        with pytest.raises(PartError, match="this BankerUnit has been closed"):
            unit.new_game()


def test_two_threads_that_close_one_accessory_leave_the_others_their_stage(stage: Stage) -> None:
    with QuestionBlock(17), WormApple(22, 13) as apple:
        for _ in range(10):
            block = QuestionBlock(27)
            both = threading.Barrier(2)

            def close(block: QuestionBlock = block, both: threading.Barrier = both) -> None:
                both.wait(PATIENCE_S)
                block.close()

            threads = [threading.Thread(target=close) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE_S)
            assert not apple.is_running
    assert stage.boards == 1


def test_who_waits_at_an_accessory_that_is_closed_is_told_so(stage: Stage) -> None:
    with QuestionBlock(17) as block:
        errors: queue.SimpleQueue[Exception] = queue.SimpleQueue()

        def wait() -> None:
            try:
                block.wait_for_outcome()
            except PartError as error:
                errors.put(error)

        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        deadline = time.monotonic() + PATIENCE_S
        while not block._waiting:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    assert "this QuestionBlock has been closed" in str(errors.get(timeout=PATIENCE_S))
    with pytest.raises(PartError, match="this QuestionBlock has been closed"):
        block.wait_for_outcome()


def test_a_table_that_cannot_even_start_is_an_error_at_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Speaker:
        raise OSError("the sound files cannot be read")

    monkeypatch.setattr(build, "speaker", broken)
    before = time.monotonic()
    with pytest.raises(OSError, match="the sound files cannot be read"):
        QuestionBlock(17)
    assert time.monotonic() - before < ANSWER_WITHIN_S / 2


def test_a_part_that_fails_is_told(stage: Stage) -> None:
    with BankerUnit(LEFT, display=0x27) as unit:
        assert unit.faults == {}
        told: queue.SimpleQueue[Fields] = queue.SimpleQueue()
        unit.when_fault = lambda fields: told.put(fields)
        stage.hand(lambda pi: pi.misbehave("display", True))
        stage.hand(lambda pi: pi.reader("left").put(DECK[0]))
        fault = told.get(timeout=PATIENCE_S)
        assert fault["part"] == "display"
        assert unit.faults == {"display": fault["cause"]}


def test_a_banker_unit_that_could_not_be_made_leaves_no_ledger_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ConfigError, match='did you mean "world"'):
        BankerUnit(edition="wrld")
    assert list(tmp_path.iterdir()) == []


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

    monkeypatch.setattr(script_stage, "make_board", taken)
    with pytest.raises(PartError, match="GPIO17"):
        QuestionBlock(17)
    assert len(others) == 1


def test_arguments_that_make_no_sense_are_told_like_a_configs() -> None:
    with pytest.raises(ConfigError, match=r"^WormApple: apple\.seconds must be .*5 to 120"):
        WormApple(22, 13, seconds=500)
    odds = "QuestionBlock: block.odds must be a table with the keys coins, laugh, power_up, game_over, and is 4"
    with pytest.raises(ConfigError, match=f"^{odds}$"):
        QuestionBlock(17, odds=4)  # type: ignore[arg-type]
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
        stage.hand(lambda pi: pi.keypad.release("GO"), after_s=0.1)
        assert paid.wait(PATIENCE_S)
        assert unit.balances == {1: 17_000_000}
        unit.undo()
        assert unit.balances == {1: 15_000_000}
        assert "edition='world', game=1" in repr(unit)


def test_a_banker_unit_can_be_asked_as_soon_as_it_is_there(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_stage, "make_thread", LoopThread)  # the disk takes its own time, however fast the loop
    for _ in range(4):
        with BankerUnit() as unit:
            unit.new_game()
            assert unit._state()["game"] == 2


def test_a_banker_unit_without_its_ledger_is_there_and_tells_why(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file where the ledger's directory would be")
    with BankerUnit(state=tmp_path / "kept") as unit:
        assert "ledger" in unit.faults
        with pytest.raises(ReboardError, match="not running"):
            unit.new_game()


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


STAGE = """
import asyncio, atexit, sys, threading, time
from pathlib import Path
from random import Random

stage = {}
atexit.register(lambda: print(AT_THE_END))  # before reboard registers anything, and so after all of it

from reboard import BankerUnit, WormApple
from reboard.script import stage as script_stage
from reboard_sim.scene import Scene
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi

def board():
    loop = asyncio.get_running_loop()
    config = Scene.load(None, Path(sys.argv[1])).config()
    pi = VirtualPi(config, loop.time, rng=Random(1), sound_card=VirtualSoundCard())
    pi.power_on()
    stage.update(pi=pi, loop=loop)
    return pi

script_stage.make_board = board

def wait_until(it_is_so):
    end = time.monotonic() + 10
    while not it_is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
"""

IN_MID_DANCE = """
apple = WormApple(22, 13)
started = threading.Event()
apple.when_started = started.set
stage["loop"].call_soon_threadsafe(stage["pi"].lever.close)
stage["loop"].call_soon_threadsafe(stage["loop"].call_later, 0.1, stage["pi"].lever.open)
assert started.wait(10)
wait_until(lambda: stage["pi"].motor.is_on)
"""

WITH_A_DISPLAY = """
unit = BankerUnit(display=0x27, state=Path(sys.argv[1], "kept"))
wait_until(lambda: stage["pi"].lcd.is_on)
"""


def at_the_end(expression: str, script: str, tmp_path: Path, *, may_fail: bool = False) -> str:
    """What *expression* is when a *script* that plays on a virtual Pi has ended, without a word on its way out."""
    command = [sys.executable, "-c", STAGE.replace("AT_THE_END", expression) + script, str(tmp_path)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "RuntimeError" not in process.stderr, process.stderr
    assert "Future" not in process.stderr, process.stderr
    assert may_fail or "Traceback" not in process.stderr, process.stderr
    return process.stdout.strip()


@pytest.mark.parametrize("ending", ["", "raise ValueError('the script has a mistake')"])
def test_a_script_that_ends_in_the_middle_of_a_dance_stops_the_motor(tmp_path: Path, ending: str) -> None:
    assert at_the_end("stage['pi'].motor.level", IN_MID_DANCE + ending, tmp_path, may_fail=bool(ending)) == "0.0"


@pytest.mark.parametrize("state", ["", "state='/proc/nope'"])
@pytest.mark.parametrize("ending", ["", "unit.close()", "time.sleep(0.5); unit.close()"])
def test_a_script_whose_banker_unit_has_just_begun_ends_without_complaint(
    tmp_path: Path, state: str, ending: str
) -> None:
    assert at_the_end("'over'", f"unit = BankerUnit({state})\n{ending}", tmp_path) == "over"


def test_a_script_that_ends_without_closing_its_banker_unit_puts_display_and_ledger_away(tmp_path: Path) -> None:
    assert at_the_end("stage['pi'].backpack.backlight", WITH_A_DISPLAY, tmp_path) == "False"
    kept = [file.name for file in (tmp_path / "kept").iterdir()]
    assert "ledger.db" in kept
    assert "ledger.db-wal" not in kept
