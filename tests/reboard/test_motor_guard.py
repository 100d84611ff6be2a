"""The motor's guard turns it off when a setup, a table in a terminal or a script cannot; with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from reboard.motor_guard import LONGEST_SILENCE_S

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
from reboard.motor_guard import guarded
async def turn():
    async with guarded(18) as report:
        report(True)
        print("turning", flush=True)
        await asyncio.sleep(SECONDS)
        report(False)
    print("off", flush=True)
asyncio.run(turn())
"""

PINS = """
import os, sys
from gpiozero.pins.mock import MockFactory, MockPWMPin
from pathlib import Path
from reboard import cli, motor_pins, raspberry_pi
class Pin(MockPWMPin):
    def _set_state(self, value):
        super()._set_state(value)
        os.write(1, f"LEVEL {float(value)}\\n".encode())  # whole, whatever another thread prints
pins = MockFactory(pin_class=Pin)
raspberry_pi.open_pins = lambda _: pins
motor_pins.RUNNING = Path(sys.argv[1]).parent / "motor-pin"
"""

SETUP = PINS + 'sys.exit(cli.main(["setup", "-c", sys.argv[1]]))'
MOTOR_OFF = PINS + 'sys.exit(cli.main(["motor-off", "-c", sys.argv[1]]))'

LEVER = (
    PINS
    + """
import threading
def work_the_lever():
    for word in sys.stdin:
        pin = pins.pin(22)
        pin.drive_low() if word == "pull\\n" else pin.drive_high()
threading.Thread(target=work_the_lever, daemon=True).start()
"""
)

RUN = LEVER + 'sys.exit(cli.main(["run", "--json", "-c", sys.argv[1]]))'

SCRIPT = (
    LEVER
    + """
from signal import pause
from reboard import WormApple
with WormApple(lever=22, motor=18, seconds=100) as apple:
    apple.when_wound = lambda: print('"apple.wound"', flush=True)
    print("the table is ready", flush=True)
    pause()
"""
)

CONFIG = """
[apple]
lever = 22
motor = 18
seconds = 100
[speaker]
library = "silent"
[state]
directory = "state"
"""

HUNG = """
import asyncio, time
from reboard.service import daemon
async def hang(_):
    print("hangs", flush=True)
    while True:
        time.sleep(60)
asyncio.run(daemon(hang))
"""

TO_THE_MOTOR = ["", "n", "y", "", "", "y", "y", "", "y"]
"""No block, an apple; its lever is on its pin although nothing was heard; a motor, and all fingers are away."""


@pytest.fixture
def claimed(tmp_path: Path) -> Path:
    """Where a made-up lgpio writes which pins were claimed, and how."""
    (tmp_path / "gpiochip0").touch()
    (tmp_path / "lgpio.py").write_text(LGPIO)
    return tmp_path / "claimed"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The config of an apple."""
    path = tmp_path / "table.toml"
    path.write_text(CONFIG)
    return path


@contextmanager
def running(code: str, *arguments: str, beside: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": ":".join([str(beside), *filter(None, sys.path)]), **variables}
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


def says(words: str, program: subprocess.Popen[str]) -> None:
    assert program.stdin
    program.stdin.write(f"{words}\n")
    program.stdin.flush()


def comes_to_dance(program: subprocess.Popen[str]) -> None:
    read_until("the table is ready", program)
    winds_and_lets_go(program)


def winds_and_lets_go(program: subprocess.Popen[str]) -> None:
    says("pull", program)
    read_until("apple.wound", program)
    says("let go", program)
    read_until("LEVEL 0.3", program)


def children(program: subprocess.Popen[str]) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


programs = pytest.mark.parametrize("code", [pytest.param(RUN, id="run"), pytest.param(SCRIPT, id="script")])


@programs
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_table_or_script_that_is_asked_to_end_turns_the_motor_off_first(
    claimed: Path, config: Path, code: str, number: signal.Signals
) -> None:
    with running(code, str(config), beside=claimed.parent) as program:
        comes_to_dance(program)
        program.send_signal(number)
        said = rest_of(program)
        program.wait(15)
    assert [line for line in said if "LEVEL" in line][-1] == "LEVEL 0.0"
    assert not claimed.exists()


@programs
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_table_or_script_that_is_killed_or_stopped_while_the_motor_is_on_leaves_the_pin_low(
    claimed: Path, config: Path, code: str, number: signal.Signals
) -> None:
    with running(code, str(config), beside=claimed.parent) as program:
        comes_to_dance(program)
        program.send_signal(number)
        eventually(lambda: claimed.exists() and claimed.read_text() == "18 0\n")
        assert program.wait(15) == -signal.SIGKILL


@programs
def test_a_table_or_script_that_is_stopped_while_the_motor_is_off_goes_on_afterwards(
    claimed: Path, config: Path, code: str
) -> None:
    with running(code, str(config), beside=claimed.parent) as program:
        read_until("the table is ready", program)
        program.send_signal(signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(2 * LONGEST_SILENCE_S)
        program.send_signal(signal.SIGCONT)
        winds_and_lets_go(program)


def test_a_guard_that_is_killed_stops_the_motor_and_is_replaced(claimed: Path, config: Path) -> None:
    with running(RUN, str(config), beside=claimed.parent) as program:
        comes_to_dance(program)
        [guard] = children(program)
        os.kill(guard, signal.SIGKILL)
        read_until("LEVEL 0.0", program)
        read_until("recovered", program)
        winds_and_lets_go(program)


def test_motor_off_takes_the_pin_that_the_service_ran_with_however_its_config_was_edited(
    claimed: Path, config: Path
) -> None:
    service = {"RUNTIME_DIRECTORY": str(config.parent), "WATCHDOG_USEC": "5000000"}
    with running(RUN, str(config), beside=claimed.parent, **service) as program:
        comes_to_dance(program)
        assert children(program) == []
        config.write_text(CONFIG.replace("18", "19"))
        program.kill()
    with running(MOTOR_OFF, str(config), beside=claimed.parent) as program:
        assert program.wait(15) == 0
    assert claimed.read_text() == "18 0\n"


def test_a_second_signal_ends_a_table_whose_loop_hung_before_the_first(tmp_path: Path) -> None:
    with running(HUNG, beside=tmp_path) as program:
        read_until("hangs", program)
        for _ in range(20):  # two that come at once are one to the kernel
            program.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                program.wait(0.5)
                break
        assert program.returncode == -signal.SIGTERM
