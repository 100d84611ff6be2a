"""The motor's guard, with real processes: setup, a table in a terminal, and a script."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reboard.devices.gpio.motor_guard import LONGEST_SILENCE_S, guarded
from reboard.errors import DeviceError
from tests.waiting import PATIENCE_S, eventually

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux has pidfds"),
]

GPIOD = """
import sys
from pathlib import Path
from reboard.devices.gpio import chip as header
from tests.fake_gpiod import FakeGpiod, FakeRequest
header.DEVICES = Path(__file__).parent
class Request(FakeRequest):
    def release(self):
        super().release()
        with (header.DEVICES / "driven").open("a") as file:
            print(self.pin, *self.driven, file=file)
class Gpiod(FakeGpiod):
    request = Request
sys.modules.update({module.__name__: module for module in Gpiod({0: "pinctrl-bcm2711"}).modules()})
"""

PINS = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup would let a script ignore it
from gpiozero.pins.mock import MockFactory, MockPWMPin
from pathlib import Path
from reboard import cli, raspberry_pi
from reboard.service import motor_off as motor_pins
class Pin(MockPWMPin):
    def _set_state(self, value):
        super()._set_state(value)
        os.write(1, f"LEVEL {float(value)}\\n".encode())  # whole, whatever another thread prints
pins = MockFactory(pin_class=Pin)
raspberry_pi.open_pins = lambda _: pins
motor_pins.RUNNING = Path(sys.argv[1]).parent / "motor-pin"
"""

PATIENT = "from reboard.devices.gpio import motor_guard; motor_guard.LONGEST_SILENCE_S = 60.0\n"
"""The guard of a program that a signal ends: on a busy machine it must not be the first to end it."""

SETUP = PINS + 'sys.exit(cli.main(["setup", "-c", sys.argv[1]]))'
MOTOR_OFF = PINS + 'sys.exit(cli.main(["motor-off", "-c", sys.argv[1]]))'

LEVER = (
    PINS
    + """
import threading
def move_the_lever():
    for word in sys.stdin:
        pin = pins.pin(22)
        pin.drive_low() if word == "pull\\n" else pin.drive_high()
threading.Thread(target=move_the_lever, daemon=True).start()
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


TO_THE_MOTOR = ["y", "n", "", "n", "y", "", "", "y", "y", "", "y"]
"""The answers up to the motor: no test of the wires, no block, an apple, its lever on the usual pin, its motor."""


@pytest.fixture
def driven(tmp_path: Path) -> Path:
    """The file in which a made-up libgpiod writes the pins that were released, and how they had been driven."""
    (tmp_path / "gpiochip0").touch()
    (tmp_path / "gpiod.py").write_text(GPIOD)
    return tmp_path / "driven"


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
    raise AssertionError(f"{words!r} is not in the output: {''.join(said)}")


def rest_of(program: subprocess.Popen[str]) -> list[str]:
    # communicate() would lose what was read ahead
    assert program.stdin
    assert program.stdout
    program.stdin.close()
    patience = threading.Timer(PATIENCE_S, program.kill)
    patience.start()
    said = program.stdout.read().splitlines()
    patience.cancel()
    return said


def comes_to_the_motor(program: subprocess.Popen[str]) -> None:
    assert program.stdin
    program.stdin.write("".join(f"{answer}\n" for answer in TO_THE_MOTOR))
    program.stdin.flush()
    read_until("LEVEL 0.3", program)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGTSTP])
def test_a_signal_to_setup_turns_the_motor_off_first(driven: Path, tmp_path: Path, number: signal.Signals) -> None:
    with running(PATIENT + SETUP, str(tmp_path / "table.toml"), beside=driven.parent) as program:
        comes_to_the_motor(program)
        program.send_signal(number)
        if number == signal.SIGTSTP:  # Ctrl-Z must not freeze it; the turn ends as usual
            read_until("LEVEL 0.0", program)
        output = rest_of(program)
        assert program.wait(PATIENCE_S) == 1
    assert number == signal.SIGTSTP or [line for line in output if "LEVEL" in line][-1] == "LEVEL 0.0"
    assert not driven.exists()


def types(words: str, program: subprocess.Popen[str]) -> None:
    assert program.stdin
    program.stdin.write(f"{words}\n")
    program.stdin.flush()


def starts_a_turn(program: subprocess.Popen[str]) -> None:
    read_until("the table is ready", program)
    pulls_and_releases(program)


def pulls_and_releases(program: subprocess.Popen[str]) -> None:
    types("pull", program)
    read_until("apple.wound", program)
    types("release", program)
    read_until("LEVEL 0.3", program)


def children(program: subprocess.Popen[str]) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


programs = pytest.mark.parametrize("code", [pytest.param(RUN, id="run"), pytest.param(SCRIPT, id="script")])


@programs
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_to_a_table_or_script_turns_the_motor_off_first(
    driven: Path, config: Path, code: str, number: signal.Signals
) -> None:
    with running(PATIENT + code, str(config), beside=driven.parent) as program:
        starts_a_turn(program)
        program.send_signal(number)
        output = rest_of(program)
        program.wait(PATIENCE_S)
    assert [line for line in output if "LEVEL" in line][-1] == "LEVEL 0.0"
    assert not driven.exists()


@programs
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_guard_turns_the_motor_off_if_its_program_is_killed_or_stopped(
    driven: Path, config: Path, code: str, number: signal.Signals
) -> None:
    with running(code, str(config), beside=driven.parent) as program:
        starts_a_turn(program)
        program.send_signal(number)
        eventually(lambda: driven.exists() and driven.read_text() == "18 False\n")
        assert program.wait(PATIENCE_S) == -signal.SIGKILL


def test_a_program_that_is_stopped_while_the_motor_is_off_can_continue(driven: Path, config: Path) -> None:
    with running(RUN, str(config), beside=driven.parent) as program:
        read_until("the table is ready", program)
        program.send_signal(signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(2 * LONGEST_SILENCE_S)
        program.send_signal(signal.SIGCONT)
        pulls_and_releases(program)


def test_a_killed_guard_stops_the_motor_and_is_replaced(driven: Path, config: Path) -> None:
    with running(PATIENT + RUN, str(config), beside=driven.parent) as program:
        starts_a_turn(program)
        [guard] = children(program)
        os.kill(guard, signal.SIGKILL)
        read_until("LEVEL 0.0", program)
        read_until("recovered", program)
        pulls_and_releases(program)


async def test_a_guard_that_cannot_start_is_an_error_of_the_motor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/missing")
    with pytest.raises(DeviceError):
        await guarded(18).__aenter__()


def test_motor_off_uses_the_pin_of_the_running_service_and_not_that_of_an_edited_config(
    driven: Path, config: Path
) -> None:
    service = {"RUNTIME_DIRECTORY": str(config.parent), "WATCHDOG_USEC": "5000000"}
    with running(RUN, str(config), beside=driven.parent, **service) as program:
        starts_a_turn(program)
        assert children(program) == []
        config.write_text(CONFIG.replace("18", "19"))
        program.kill()
    with running(MOTOR_OFF, str(config), beside=driven.parent) as program:
        assert program.wait(PATIENCE_S) == 0
    assert driven.read_text() == "18 False\n"
