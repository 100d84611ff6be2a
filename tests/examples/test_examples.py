"""The example scripts, run as they stand, on a virtual Pi that lives fifty times faster."""

import runpy
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard_sim.devices.readers.virtual_reader import DECK
from tests.reboard.script.conftest import PACE, SharedThread, stage
from tests.waiting import PATIENCE_S

EXAMPLES = Path(__file__).parents[2] / "examples"

__all__ = ["stage"]

pytestmark = pytest.mark.realtime


def run_while(name: str, act: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run an example; where it would pause for ever, *act* does something, and then it ends."""
    monkeypatch.setattr(signal, "pause", act)
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
    stage: SharedThread, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act() -> None:
        wait_for("Press the block", capsys)
        stage.hand(lambda pi: pi["block.button"].press())
        printed = wait_for("\n", capsys)
        assert printed.split()[0] in ("coins", "power_up", "laugh", "game_over")

    run_while("question_block.py", act, monkeypatch)


def test_the_worm_apple_runs_for_seven_seconds(
    stage: SharedThread, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act() -> None:
        stage.hand(lambda pi: pi["apple.lever"].press())
        stage.hand(lambda pi: pi["apple.lever"].release(), after_s=10)
        wait_for("Off they go!", capsys)
        wait_for("Next player.", capsys)

    run_while("worm_apple.py", act, monkeypatch)
    [(on, off)] = stage.pi["apple.motor"].on_intervals
    assert off is not None
    assert 6.9 <= off - on <= 7.0 + 0.1 * PACE


def test_the_banker_unit_prints_transfers(
    stage: SharedThread, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def act() -> None:
        stage.hand(lambda pi: pi["bank.left"].put(DECK[0]))
        wait_for("0 pays 1 15,000,000 (start)", capsys)
        stage.hand(lambda pi: pi["bank.keypad"].press("GO"))
        # in the time of the Pi, however busy this machine is: a longer press opens the menu
        stage.hand(lambda pi: pi["bank.keypad"].release("GO"), after_s=0.2)
        wait_for("0 pays 1 2,000,000 (salary)", capsys)

    run_while("banker_unit.py", act, monkeypatch)
