"""What is left to stop the motor when the setup is killed while it turns; with real processes and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells of a process that has ended"),
]

PATIENCE_S = 60.0

LGPIO = """
from pathlib import Path
from reboard import header
header.DEVICES = Path(__file__).parent
class error(Exception): pass
def gpiochip_open(number): return number
def gpiochip_close(chip): pass
def gpio_get_chip_info(chip): return [0, 54, "gpiochip0", "pinctrl-bcm2711"]
def gpio_get_line_info(chip, pin): return [0, pin, 0, "", ""]
def gpio_claim_output(chip, pin, level): (header.DEVICES / "claimed").open("a").write(f"{pin} {level}\\n")
"""

TURNING = """
import asyncio
from reboard.setup.motor_guard import guarded
async def turn():
    async with guarded(18):
        print("turning", flush=True)
        await asyncio.sleep(SECONDS)
    print("off", flush=True)
asyncio.run(turn())
"""

SETUP = """
import asyncio, sys
from contextlib import closing
from gpiozero.pins.mock import MockFactory, MockPWMPin
from pathlib import Path
from reboard import cli, raspberry_pi
class Pin(MockPWMPin):
    def _set_state(self, value):
        super()._set_state(value)
        print("LEVEL", float(value), flush=True)
raspberry_pi.open_pins = lambda _: MockFactory(pin_class=Pin)
sys.exit(cli.main(["setup", "-c", sys.argv[1]]))
"""
TO_THE_MOTOR = ["", "n", "y", "", "", "y", "y", "", "y"]
"""No block, an apple; its lever is on its pin although nothing was heard; a motor, and all fingers are away."""


@pytest.fixture
def claimed(tmp_path: Path) -> Path:
    """Where a made-up lgpio writes which pins were claimed, and how."""
    (tmp_path / "gpiochip0").touch()
    (tmp_path / "lgpio.py").write_text(LGPIO)
    return tmp_path / "claimed"


@contextmanager
def running(code: str, *arguments: str, beside: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": ":".join([str(beside), *filter(None, sys.path)])}
    environment.pop("GPIOZERO_PIN_FACTORY", None)
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def eventually(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < deadline, "it has not come true in 15 s"
        time.sleep(0.02)


def read_until(words: str, program: subprocess.Popen[str]) -> None:
    assert program.stdout
    patience = threading.Timer(PATIENCE_S, program.kill)
    patience.start()
    said = []
    for line in program.stdout:
        said.append(line)
        if words in line:
            patience.cancel()
            return
    raise AssertionError(f"{words!r} was never said, but {''.join(said)}")


def rest_of(program: subprocess.Popen[str]) -> list[str]:
    """All that it still says when nobody answers any more. ``communicate()`` would forget what was read ahead."""
    assert program.stdin
    assert program.stdout
    program.stdin.close()
    patience = threading.Timer(PATIENCE_S, program.kill)
    patience.start()
    said = program.stdout.read().splitlines()
    patience.cancel()
    return said


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_program_that_is_killed_or_frozen_while_the_motor_turns_leaves_the_pin_low(
    claimed: Path, number: signal.Signals
) -> None:
    with running(TURNING.replace("SECONDS", "60"), beside=claimed.parent) as program:
        read_until("turning", program)
        program.send_signal(number)
        eventually(lambda: claimed.exists() and claimed.read_text() == "18 0\n")
        assert program.wait(15) == -signal.SIGKILL


def test_a_motor_that_was_turned_off_is_left_alone(claimed: Path) -> None:
    with running(TURNING.replace("SECONDS", "0.1"), beside=claimed.parent) as program:
        read_until("off", program)
        assert program.wait(15) == 0
    assert not claimed.exists()


def comes_to_the_motor(program: subprocess.Popen[str]) -> None:
    assert program.stdin
    program.stdin.write("".join(f"{answer}\n" for answer in TO_THE_MOTOR))
    program.stdin.flush()
    read_until("LEVEL 0.3", program)  # it turns for a second only, and comes to 1.0 in time where nothing else is done


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_setup_that_is_told_to_end_turns_the_motor_off_first(
    claimed: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with running(SETUP, str(tmp_path / "table.toml"), beside=claimed.parent) as program:
        comes_to_the_motor(program)
        program.send_signal(number)
        said = rest_of(program)
        assert program.wait(15) == 1
    assert [line for line in said if "LEVEL" in line][-1] == "LEVEL 0.0"
    assert said[-1] == "reboard: the setup was stopped"


def test_ctrl_z_does_not_freeze_a_setup_whose_motor_turns(claimed: Path, tmp_path: Path) -> None:
    with running(SETUP, str(tmp_path / "table.toml"), beside=claimed.parent) as program:
        comes_to_the_motor(program)
        program.send_signal(signal.SIGTSTP)
        read_until("LEVEL 0.0", program)
        said = rest_of(program)
        assert program.wait(15) == 1
    assert said[-1].endswith("Nothing was written.")
    assert not claimed.exists()
