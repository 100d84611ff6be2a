from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard.board import Board
from reboard.errors import PartError
from reboard.raspberry_pi import RaspberryPi, open_pins
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run


@pytest.fixture
def mock_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")


def test_a_raspberry_pi_is_a_board(mock_pins: None) -> None:
    board: Board = RaspberryPi()
    assert board.wall_time() > 1_700_000_000
    board.close()
    board.close()


def test_mock_pins_can_dim_so_that_a_table_starts_anywhere(mock_pins: None) -> None:
    board = RaspberryPi()
    assert isinstance(board.pins, MockFactory)
    motor = gpiozero.PWMOutputDevice(13, pin_factory=board.pins)
    assert isinstance(motor.pin, MockPWMPin)
    motor.value = 0.5
    board.close()


def test_a_pin_factory_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(PartError, match="'arduino'; it can be lgpio, mock, rpigpio, pigpio, native"):
        open_pins("arduino")


def test_a_back_end_that_fails_is_told_and_no_other_is_taken_silently(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "RPi", None)
    with pytest.raises(PartError, match="the Pi's pins cannot be used through rpigpio"):
        open_pins("rpigpio")


@pytest.mark.parametrize(
    ("factory", "module", "why"),
    [
        ("pigpio", "pigpio", "failed to connect to localhost:8888"),
        ("rpigpio", "RPi", "can only be run on a Raspberry Pi"),
        ("native", "gpiozero", "unable to locate Pi revision"),
    ],
)
def test_each_other_library_says_why_it_cannot_be_had_on_a_machine_that_is_no_pi(
    factory: str, module: str, why: str
) -> None:
    if not find_spec(module) or Path("/proc/device-tree/model").exists():
        pytest.skip(f"{module} is not installed, or this is a Pi")
    with pytest.raises(PartError, match=f"cannot be used through {factory}: .*{why}"):
        open_pins(factory)


def test_without_lgpio_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(PartError, match="python3-lgpio"):
        open_pins("lgpio")


@pytest.mark.realtime
def test_a_serial_line_can_be_read_without_waiting_and_belongs_to_one_reader(mock_pins: None) -> None:
    async def main() -> None:
        board = RaspberryPi()
        reader = VirtualSerialLine()
        line = board.open_serial(reader.path, 9600)
        assert line.read(1) == b""
        with pytest.raises(OSError, match="exclusively lock"):
            board.open_serial(reader.path, 9600)
        line.close()
        reader.close()
        board.close()

    run(main)


def test_what_is_not_there_is_an_os_error(mock_pins: None, tmp_path: Path) -> None:
    board = RaspberryPi()
    with pytest.raises(OSError, match="No such file"):
        board.open_serial(str(tmp_path / "ttyUSB7"), 9600)
    with pytest.raises(OSError, match="No such file"):
        board.open_i2c(99)
    board.close()


def test_what_is_no_reader_that_types_is_an_os_error(mock_pins: None) -> None:
    board = RaspberryPi()
    with pytest.raises(OSError, match="Inappropriate ioctl"):
        board.open_keyboard("/dev/null")
    board.close()


def test_a_sink_is_what_the_config_names(mock_pins: None) -> None:
    board = RaspberryPi()
    sink = board.open_sink("silent", None)
    assert sink.description == "no sound device"
    sink.close()
    board.close()
