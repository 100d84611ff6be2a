"""The virtual display module understands the most used driver, and starts as its data sheet says."""

from __future__ import annotations

import itertools
import time

import pytest
from RPLCD.i2c import CharLCD

from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.devices.displays.hd44780 import Hd44780, Pcf8574
from reboard_sim.devices.displays.lcd_font import BLANK, BOX, FILLED, character_of, dots_of
from reboard_sim.devices.displays.ssd1306 import HIGH, PAGES, WIDE, Ssd1306Chip


@pytest.fixture
def lcd() -> Hd44780:
    lcd = Hd44780()
    lcd.power(True)
    return lcd


def test_what_rplcd_writes_and_defines_is_shown(lcd: Hd44780) -> None:
    class Driver(CharLCD):  # type: ignore[misc]
        def _init_connection(self) -> None:
            self.bus = VirtualI2cBus(time.monotonic)
            self.bus.attach(0x27, Pcf8574(lcd))

    coin = (0b00100, 0b01110, 0b11011, 0b11011, 0b11011, 0b11011, 0b01110, 0b00100)
    rplcd = Driver("PCF8574", 0x27, cols=16, rows=2, charmap="A00")
    rplcd.create_char(3, coin)
    rplcd.write_string("\x03Hällo Wörld\r\n→ 12.75M ←")
    assert lcd.lines() == ["□Hällo Wörld    ", "→ 12.75M ←      "]
    assert lcd.dots()[0][:2] == [coin, dots_of(ord("H"))]


def test_rplcd_initialises_a_controller_in_any_state(lcd: Hd44780) -> None:
    for nibbles in itertools.product((0x0, 0x5, 0xF), (None, 0x0, 0x5, 0xF)):
        for nibble in (*nibbles, 0, 3, 0, 3, 0, 3, 0, 2):  # RPLCD sends each of its first four as a whole byte
            if nibble is not None:
                lcd.latch(nibble, is_data=False)
        sent = [(value, False) for value in (0x28, 0x0C, 0x01, 0x06)] + [(value, True) for value in b"fine"]
        for value, is_data in sent:
            lcd.latch(value >> 4, is_data)
            lcd.latch(value & 0x0F, is_data)
        assert [line.rstrip() for line in lcd.lines()] == ["fine", ""], nibbles


def test_rows_that_are_set_without_the_bus_are_shown(lcd: Hd44780) -> None:
    Pcf8574(lcd).show([b"+1 15M", b"-2 13M"], lit=True)
    assert [line.rstrip() for line in lcd.lines()] == ["+1 15M", "-2 13M"]


def test_before_it_is_initialised_it_shows_dark_boxes_in_the_upper_line(lcd: Hd44780) -> None:
    assert lcd.lines() == [" " * 16, " " * 16]
    assert lcd.dots() == [[FILLED] * 16, [BLANK] * 16]


def test_the_codes_read_as_the_rom_has_them() -> None:
    read = "".join(map(character_of, range(0x20, 0x80)))
    ascii_ = "".join(map(chr, range(0x20, 0x80)))
    assert read == ascii_.replace("\\", "¥").replace("~", "→").replace("\x7f", "←")
    assert [character_of(code) for code in (0xE1, 0xE2, 0xEF, 0xF5, 0xB1, 0xDF, 0xFF)] == list("äβöüｱ°█")
    assert character_of(0x00) == character_of(0x90) == "□"
    assert dots_of(0x90) == dots_of(0xB1) == BOX


@pytest.mark.parametrize(
    ("commands", "place"),
    [
        ((0xA1, 0xC8), (0, 0)),
        ((0xA0, 0xC8), (WIDE - 1, 0)),
        ((0xA1, 0xC0), (0, HIGH - 1)),
        ((0xA1, 0xC8, 0x40 | 5), (0, HIGH - 5)),
        ((0xA1, 0xC8, 0xD3, 7), (0, HIGH - 7)),
    ],
    ids=["upright", "columns mirrored", "rows mirrored", "start line", "offset"],
)
def test_an_oled_shows_its_memory_as_it_is_mapped(commands: tuple[int, ...], place: tuple[int, int]) -> None:
    chip = Ssd1306Chip()
    chip.power(True)
    chip.receive(bytes([0x00, 0x8D, 0x14, 0xAF, 0x20, 0x00, *commands]))
    chip.receive(bytes([0x40, 0x01, *bytes(WIDE * PAGES - 1)]))
    assert [(x, y) for y, row in enumerate(chip.rows()) for x, dot in enumerate(row) if dot] == [place]
