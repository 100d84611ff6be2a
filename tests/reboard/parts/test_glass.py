from __future__ import annotations

import time
from typing import cast

import pytest

from reboard.board import Board
from reboard.parts.glass import Glass, Picture
from reboard_sim.i2c import VirtualI2cBus
from reboard_sim.lcd import Hd44780, Pcf8574

ADDRESS = 0x27
A_BYTE = 6
"""Bus writes that one byte for the controller takes: two halves, each put on the wires, E up, E down."""


class Module:
    """A display module on a bus that is a board's only one."""

    def __init__(self) -> None:
        self.lcd = Hd44780()
        self.chip = Pcf8574(self.lcd)
        self.bus = VirtualI2cBus(time.monotonic)
        self.bus.attach(ADDRESS, self.chip)
        self.glass = Glass(cast(Board, self), 1, ADDRESS)

    def open_i2c(self, bus: int) -> VirtualI2cBus:
        assert bus == 1
        return self.bus

    def writes_for(self, picture: Picture) -> int:
        before = self.bus.writes
        self.glass.put(picture)
        return self.bus.writes - before


@pytest.fixture
def module() -> Module:
    module = Module()
    module.glass.find(lit=True)
    module.glass.put(Picture())
    return module


def test_two_lines_are_written(module: Module) -> None:
    module.glass.put(Picture(("+1 16.5M", "0123456789ABCDEF")))
    assert module.lcd.lines() == ["+1 16.5M        ", "0123456789ABCDEF"]


def test_only_what_changed_is_written(module: Module) -> None:
    module.glass.put(Picture(("+1 16.5M", "-2 15M")))
    assert module.writes_for(Picture(("+1 16.5M", "-2 15M"))) == 0
    assert module.writes_for(Picture(("+1 17.5M", "-2 15M"))) == 2 * A_BYTE, "one move and one character"
    assert module.writes_for(Picture(("+1 17.5M", "-2 15K99"))) == 4 * A_BYTE, "one move and three neighbours"
    assert module.lcd.lines() == ["+1 17.5M        ", "-2 15K99        "]


def test_a_whole_line_takes_twenty_milliseconds_of_the_wire(module: Module) -> None:
    before = module.bus.wire_s
    module.glass.put(Picture(("", "0123456789ABCDEF")))
    assert module.bus.wire_s - before == pytest.approx(0.0204)


def test_a_dark_display_keeps_its_lines_and_takes_new_ones(module: Module) -> None:
    module.glass.put(Picture(("one", "two")))
    module.glass.put(Picture(("one", "two"), lit=False))
    assert not module.chip.backlight
    assert not module.lcd.is_on
    module.glass.put(Picture(("three", "two"), lit=False))
    assert not module.chip.backlight
    module.glass.put(Picture(("three", "two")))
    assert module.chip.backlight
    assert module.lcd.lines() == ["three           ", "two             "]


def test_waking_mends_a_controller_that_noise_confused(module: Module) -> None:
    module.glass.put(Picture(("one", "two"), lit=False))
    module.lcd.latch(0x5, is_data=False)  # half a byte that nobody sent
    module.glass.put(Picture(("one", "two")))
    assert module.lcd.lines() == ["one             ", "two             "]


def test_a_display_found_dark_is_dark_from_its_first_byte() -> None:
    module = Module()
    lit: list[bool] = []
    module.lcd.on_change.append(lambda: lit.append(module.chip.backlight))
    module.glass.find(lit=False)
    assert not module.chip.backlight
    module.glass.put(Picture(("one", "two"), lit=False))
    assert not any(lit)
    assert not module.lcd.is_on


def test_after_an_error_everything_is_written_anew(module: Module) -> None:
    module.glass.put(Picture(("one", "two")))
    module.bus.unplug(ADDRESS)
    with pytest.raises(OSError, match="121"):
        module.glass.put(Picture(("four", "two")))
    with pytest.raises(OSError, match="121"):
        module.glass.find(lit=True)
    module.bus.plug(ADDRESS)
    module.glass.find(lit=True)
    module.glass.put(Picture(("four", "two")))
    assert module.lcd.lines() == ["four            ", "two             "]


def test_turned_off_it_is_empty_and_dark(module: Module) -> None:
    module.glass.put(Picture(("one", "two")))
    module.glass.turn_off()
    module.glass.turn_off()
    assert not module.chip.backlight
    assert not module.lcd.is_on
    module.lcd.latch(0x0, is_data=False)
    module.lcd.latch(0xC, is_data=False)  # somebody else switches it on
    assert module.lcd.lines() == [" " * 16] * 2
