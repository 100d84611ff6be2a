from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard.errors import DeviceError, MissingExtraError
from reboard.raspberry_pi import RaspberryPi, open_pins


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[RaspberryPi]:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    with closing(RaspberryPi()) as board:
        yield board
    board.close()


def test_mock_pins_have_pwm_so_that_a_table_starts_anywhere(board: RaspberryPi) -> None:
    assert isinstance(board.pins, MockFactory)
    motor = gpiozero.PWMOutputDevice(13, pin_factory=board.pins)
    assert isinstance(motor.pin, MockPWMPin)
    motor.value = 0.5
    assert board.wall_time() > 1_700_000_000


def test_a_missing_library_for_the_spi_bus_is_named(board: RaspberryPi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(MissingExtraError, match="spidev"):
        board.open_spi(0, 0)


@pytest.mark.parametrize(
    ("factory", "missing", "cause"),
    [
        ("arduino", None, "'arduino'.*gpiod, mock, lgpio, rpigpio, pigpio$"),
        ("rpigpio", "RPi", "cannot be used through rpigpio"),
        ("lgpio", "lgpio", "cannot be used through lgpio"),
        ("gpiod", "gpiod", "`pip install"),
    ],
)
def test_a_pin_library_that_cannot_be_used_is_an_error_and_is_not_replaced(
    factory: str, missing: str | None, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing:
        monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(DeviceError, match=cause):
        open_pins(factory)


def test_missing_devices_are_os_errors_and_a_sink_is_silent_if_the_config_says_so(
    board: RaspberryPi, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="No such file"):
        board.open_serial(str(tmp_path / "ttyUSB7"), 9600)
    with pytest.raises(OSError, match="No such file"):
        board.open_i2c(99)
    with pytest.raises(OSError, match="Inappropriate ioctl"):
        board.open_keyboard("/dev/null")
    with closing(board.open_sink("silent", None)) as sink:
        assert sink.description == "no sound device"
