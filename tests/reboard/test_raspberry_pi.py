from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard import raspberry_pi
from reboard.board import Board
from reboard.errors import PartError
from reboard.raspberry_pi import RaspberryPi, open_pins
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run


class FakeLgpio(ModuleType):
    """lgpio as it is on a machine with the GPIO chips *labels*; ``None`` is one that may not be opened."""

    class error(Exception):  # noqa: N801, N818 - lgpio's own name
        pass

    def __init__(self, labels: dict[int, str | None]) -> None:
        super().__init__("lgpio")
        self.labels = labels
        self.opened: list[int] = []

    def gpiochip_open(self, number: int) -> int:
        if self.labels[number] is None:
            raise self.error("can not open gpiochip")
        self.opened.append(number)
        return number

    def gpiochip_close(self, handle: int) -> None:
        self.opened.remove(handle)

    def gpio_get_chip_info(self, handle: int) -> list[object]:
        return [0, 54, f"gpiochip{handle}", self.labels[handle]]


@pytest.fixture
def mock_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")


@pytest.fixture
def chips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of /dev."""
    monkeypatch.setattr(raspberry_pi, "DEVICES", tmp_path)
    return tmp_path


def machine_with(labels: dict[int, str | None], chips: Path) -> FakeLgpio:
    for number in labels:
        (chips / f"gpiochip{number}").touch()
    return FakeLgpio(labels)


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


def test_without_lgpio_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(PartError, match="python3-lgpio"):
        open_pins("lgpio")


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        ({0: "pinctrl-bcm2835"}, 0),
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),
        ({0: "gpio-brcmstb@107d508500", 4: "pinctrl-rp1"}, 4),
        ({10: "gpio-brcmstb@107d508500", 11: None, 13: "pinctrl-rp1"}, 13),
    ],
)
def test_the_headers_chip_is_found_by_its_label_whatever_its_number(
    labels: dict[int, str | None], number: int, chips: Path
) -> None:
    lgpio = machine_with(labels, chips)
    assert raspberry_pi._header_chip(lgpio) == number
    assert not lgpio.opened


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        ({}, "no GPIO chip in .*; elsewhere set GPIOZERO_PIN_FACTORY=mock"),
        ({0: None}, "join the group gpio"),
        ({0: "INT34C5:00"}, r"gpiochip0 \(INT34C5:00\)"),
    ],
)
def test_a_machine_without_a_header_is_told_so(labels: dict[int, str | None], complaint: str, chips: Path) -> None:
    with pytest.raises(PartError, match=complaint):
        raspberry_pi._header_chip(machine_with(labels, chips))


def test_lgpios_pipe_is_made_elsewhere_and_nothing_is_left_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    with raspberry_pi._lgpio_working_directory():
        # what lgpio's C half does when it is loaded
        os.chdir(os.environ["LG_WD"])
        os.mkfifo(".lgd-nfy0")
        assert Path.cwd().parent == tmp_path / "run"
    assert Path.cwd() == tmp_path
    assert list((tmp_path / "run").iterdir()) == []
    assert "LG_WD" not in os.environ


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
