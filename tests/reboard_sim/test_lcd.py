from __future__ import annotations

import itertools
import time

import pytest
from RPLCD.i2c import CharLCD

from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.devices.display import Hd44780, Pcf8574
from reboard_sim.devices.lcd_font import BLANK, BOX, FILLED, character_of, dots_of

ADDRESS = 0x27


class Wires:
    """The controller, spoken to by hand."""

    def __init__(self) -> None:
        self.lcd = Hd44780()
        self.lcd.power(True)

    def set_up(self) -> None:
        """As the data sheet says for four wires: two lines, on, cursor moves right."""
        for nibble in (3, 3, 3, 2):
            self.lcd.latch(nibble, is_data=False)
        self.obey(0x28, 0x0C, 0x01, 0x06)

    def obey(self, *instructions: int) -> None:
        self._send(instructions, is_data=False)

    def write(self, text: str) -> None:
        self._send(text.encode("ascii"), is_data=True)

    def _send(self, values: bytes | tuple[int, ...], is_data: bool) -> None:
        for value in values:
            self.lcd.latch(value >> 4, is_data)
            self.lcd.latch(value & 0x0F, is_data)

    @property
    def text(self) -> list[str]:
        return [line.rstrip() for line in self.lcd.lines()]


@pytest.fixture
def wires() -> Wires:
    wires = Wires()
    wires.set_up()
    return wires


# --- RPLCD as it is, speaking to the virtual module ---


class BusOfOurs(CharLCD):  # type: ignore[misc]
    bus: VirtualI2cBus

    def _init_connection(self) -> None:
        self.bus = bus_with_module()


def bus_with_module() -> VirtualI2cBus:
    bus = VirtualI2cBus(time.monotonic)
    bus.attach(ADDRESS, Pcf8574(Hd44780()))
    return bus


@pytest.fixture
def rplcd() -> CharLCD:
    return BusOfOurs("PCF8574", ADDRESS, cols=16, rows=2, charmap="A00")


def controller(lcd: CharLCD) -> Hd44780:
    device = lcd.bus._devices[ADDRESS]
    assert isinstance(device, Pcf8574)
    return device.lcd


def test_what_rplcd_writes_can_be_read(rplcd: CharLCD) -> None:
    rplcd.write_string("Hällo Wörld\r\n→ 12.75M ←")
    assert controller(rplcd).lines() == ["Hällo Wörld     ", "→ 12.75M ←      "]


def test_characters_that_rplcd_defines_are_drawn(rplcd: CharLCD) -> None:
    coin = (0b00100, 0b01110, 0b11011, 0b11011, 0b11011, 0b11011, 0b01110, 0b00100)
    rplcd.create_char(3, coin)
    rplcd.write_string("\x03A")
    lcd = controller(rplcd)
    assert lcd.lines()[0].rstrip() == "□A"
    assert lcd.dots()[0][:3] == [coin, dots_of(ord("A")), BLANK]


def test_rplcd_initialises_a_controller_in_any_state() -> None:
    for nibbles in itertools.product((None, 0x0, 0x5, 0xF), repeat=2):
        wires = Wires()
        wires.set_up()
        for nibble in nibbles:
            if nibble is not None:
                wires.lcd.latch(nibble, is_data=False)
        for nibble in (0, 3, 0, 3, 0, 3, 0, 2):  # RPLCD sends each of its first four as a whole byte
            wires.lcd.latch(nibble, is_data=False)
        wires.obey(0x28, 0x0C, 0x01, 0x06)
        wires.write("fine")
        assert wires.text == ["fine", ""], nibbles


# --- the controller by its data sheet ---


def test_before_it_is_initialised_it_shows_dark_boxes_in_the_upper_line() -> None:
    wires = Wires()
    assert wires.text == ["", ""]
    assert wires.lcd.dots() == [[FILLED] * 16, [BLANK] * 16]


# --- the chip in between ---


# --- the letters ---


def test_the_codes_read_as_the_rom_has_them() -> None:
    read = "".join(map(character_of, range(0x20, 0x80)))
    ascii_ = "".join(map(chr, range(0x20, 0x80)))
    assert read == ascii_.replace("\\", "¥").replace("~", "→").replace("\x7f", "←")
    assert [character_of(code) for code in (0xE1, 0xE2, 0xEF, 0xF5, 0xB1, 0xDF, 0xFF)] == list("äβöüｱ°█")
    assert character_of(0x00) == character_of(0x90) == "□"
    assert dots_of(0x90) == dots_of(0xB1) == BOX
