from __future__ import annotations

import time

import pytest
from RPLCD.i2c import CharLCD

from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.decoders.display_bytes import DisplayDecoder, DisplayRow, command_meaning
from reboard_sim.devices.display import Hd44780, Pcf8574

ADDRESS = 0x27


class Driver(CharLCD):  # type: ignore[misc]
    """The driver that everybody uses, on a bus of ours."""

    def __init__(self, bus: VirtualI2cBus) -> None:
        self._ours = bus
        super().__init__("PCF8574", ADDRESS, cols=16, rows=2)

    def _init_connection(self) -> None:
        self.bus = self._ours


class Wired:
    """A display on a bus, and a decoder that listens."""

    def __init__(self) -> None:
        self.bus = VirtualI2cBus(time.monotonic)
        self.bus.attach(ADDRESS, Pcf8574(Hd44780()))
        self._decoder = DisplayDecoder()
        self._place = 0

    def rows(self) -> list[DisplayRow]:
        """What was told since the last time."""
        written, self._place = self.bus.news(self._place)
        return list(self._decoder.feed(written))


@pytest.fixture
def wired() -> Wired:
    return Wired()


@pytest.fixture
def lcd(wired: Wired) -> CharLCD:
    lcd = Driver(wired.bus)
    wired.rows()
    return lcd


def test_every_byte_on_the_bus_appears_once(wired: Wired, lcd: CharLCD) -> None:
    lcd.clear()
    wired.rows()
    before = wired.bus.writes
    lcd.write_string("WORLD")
    lcd.backlight_enabled = False
    lcd.clear()
    rows = wired.rows()
    assert [row.means for row in rows] == ["write “WORLD” at line 1, column 1", "backlight off", "clear"]
    assert sum(len(row.bus) for row in rows) == wired.bus.writes - before


def test_a_missing_answer_is_reported(wired: Wired, lcd: CharLCD) -> None:
    wired.bus.unplug(ADDRESS)
    with pytest.raises(OSError, match="Remote"):
        lcd.clear()
    (row,) = wired.rows()
    assert (row.means, row.is_bad) == ("no answer from 0x27", True)


@pytest.mark.parametrize(
    ("byte", "means"),
    [
        (0x00, "nothing"),
        (0x01, "clear"),
        (0x02, "home"),
        (0x06, "write to the right, screen stays"),
        (0x0F, "display on, cursor on, blink on"),
        (0x1C, "move the screen right"),
        (0x10, "move the cursor left"),
        (0x28, "function: 4 wires, 2 lines"),
        (0x7F, "set CGRAM 0x3F: own character 7, row 8"),
        (0x80, "set DDRAM 0x00: line 1, column 1"),
        (0xC0, "set DDRAM 0x40: line 2, column 1"),
        (0xB0, "set DDRAM 0x30: nowhere"),
    ],
)
def test_the_highest_bit_names_a_command(byte: int, means: str) -> None:
    assert command_meaning(byte) == means
