"""The example scripts, run as they stand, on a virtual Pi that lives fifty times faster."""

import asyncio
import runpy
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from reboard.board import Board
from reboard.loop_thread import LoopThread
from reboard.script import stage as script_stage
from reboard_sim.deck import DECK
from reboard_sim.scene import Scene
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_time import VirtualTimeLoop

EXAMPLES = Path(__file__).parents[2] / "examples"
PACE = 50.0
PATIENCE_S = 10.0

pytestmark = pytest.mark.realtime


class Stage:
    """A virtual Pi wired like the drawings, and hands that work it while an example pauses."""

    def __init__(self, state: Path) -> None:
        self._config = Scene.load(None, state).config()
        self.pi: VirtualPi | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def board(self) -> Board:
        self._loop = asyncio.get_running_loop()
        self.pi = VirtualPi(self._config, self._loop.time, rng=Random(1), sound_card=VirtualSoundCard())
        self.pi.power_on()
        return self.pi

    def hand(self, act: Callable[[VirtualPi], None]) -> None:
        """Let a hand do something, on the board's own loop."""
        assert self._loop is not None
        assert self.pi is not None
        self._loop.call_soon_threadsafe(act, self.pi)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(script_stage, "make_board", stage.board)
    monkeypatch.setattr(script_stage, "make_thread", partial(LoopThread, partial(VirtualTimeLoop, PACE)))
    return stage


def run_while(name: str, hands: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example; where it would pause for ever, *hands* do something, and then it ends."""
    monkeypatch.setattr(signal, "pause", hands)
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


def wait_for(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Wait until the example has printed *text*; all that it printed since."""
    printed = ""
    deadline = time.monotonic() + PATIENCE_S
    while text not in printed:
        assert time.monotonic() < deadline, f"{text!r} was not printed, only {printed!r}"
        printed += capsys.readouterr().out
        time.sleep(0.01)
    return printed


def test_the_question_block_prints_what_a_press_brings(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def hands() -> None:
        wait_for("Press the block", capsys)
        stage.hand(lambda pi: pi.button.close())
        printed = wait_for("\n", capsys)
        assert printed.split()[0] in ("coins", "power_up", "laugh", "game_over")

    run_while("question_block.py", hands, monkeypatch)


def test_the_worm_apple_runs_its_seven_seconds_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def hands() -> None:
        stage.hand(lambda pi: pi.lever.close())
        time.sleep(10 / PACE)
        stage.hand(lambda pi: pi.lever.open())
        wait_for("Off they go!", capsys)
        wait_for("Next player.", capsys)

    run_while("worm_apple.py", hands, monkeypatch)
    assert stage.pi is not None
    [(on, off)] = stage.pi.motor.on_intervals
    assert off is not None
    assert 6.9 <= off - on <= 7.0 + 0.1 * PACE


def test_the_banker_unit_reads_out_a_transfer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def hands() -> None:
        stage.hand(lambda pi: pi.reader("left").put(DECK[0]))
        wait_for("0 pays 1 15,000,000 (start)", capsys)
        stage.hand(lambda pi: pi.keypad.press("GO"))
        time.sleep(1 / PACE)
        stage.hand(lambda pi: pi.keypad.release("GO"))
        wait_for("0 pays 1 2,000,000 (salary)", capsys)

    run_while("banker_unit.py", hands, monkeypatch)
