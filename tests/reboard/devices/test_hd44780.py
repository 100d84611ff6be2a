from __future__ import annotations

import string
import time
from typing import cast

import pytest

from reboard.board import Board
from reboard.devices.hd44780 import Hd44780Controller, Picture, rom_codes
from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.devices.display import Hd44780, Pcf8574

ADDRESS = 0x27
A_BYTE = 6
"""The bus writes for one byte: two halves, each as data, E high, E low."""


class Module:
    """A display module on the only bus of a board."""

    def __init__(self) -> None:
        self.lcd = Hd44780()
        self.chip = Pcf8574(self.lcd)
        self.bus = VirtualI2cBus(time.monotonic)
        self.bus.attach(ADDRESS, self.chip)
        self.controller = Hd44780Controller(cast(Board, self), 1, ADDRESS)

    def open_i2c(self, bus: int) -> VirtualI2cBus:
        assert bus == 1
        return self.bus

    def show(self, line1: str, line2: str, *, lit: bool = True) -> int:
        """Write a picture and return the number of bus writes."""
        before = self.bus.writes
        self.controller.write(Picture((line1, line2), lit))
        return self.bus.writes - before

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.lcd.lines()]


@pytest.fixture
def module() -> Module:
    module = Module()
    module.controller.open(lit=True)
    module.show("", "")
    return module


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("äöü", "E1 EF F5"),
        ("¥→←", "5C 7E 7F"),
        ("£¢°", "ED EC DF"),
        ("ÄÖÜ", "E1 EF F5"),
        ("ß", "E2"),
        ("éàç", b"eac".hex()),
        ("C:\\~", b"C:/-".hex()),
        ("„“’", b'""\''.hex()),
        ("\n\x00\x07😀龍Ł", b"??????".hex()),
    ],
)
def test_a_character_becomes_the_nearest_of_the_rom(text: str, codes: str) -> None:
    assert rom_codes(text) == bytes.fromhex(codes)


def test_most_ascii_characters_have_their_ascii_code() -> None:
    text = "".join(c for c in string.printable if c.isprintable() and c not in "\\~")
    assert rom_codes(text) == text.encode("ascii")


def test_only_changes_are_written(module: Module) -> None:
    module.show("+1 16.5M", "-2 15M")
    assert module.show("+1 16.5M", "-2 15M") == 0
    assert module.show("+1 17.5M", "-2 15M") == 2 * A_BYTE, "a move and a character"
    assert module.show("+1 17.5M", "-2 15K99") == 4 * A_BYTE, "a move and three neighbours"
    assert module.lines == ["+1 17.5M", "-2 15K99"]
    before = module.bus.wire_s
    module.show("+1 17.5M", "0123456789ABCDEF")
    assert module.bus.wire_s - before == pytest.approx(0.0204, abs=0.002), "about 20 ms for a line"


def test_a_dark_display_keeps_its_lines_and_takes_new_ones(module: Module) -> None:
    module.show("one", "two")
    for line in ("one", "three"):
        module.show(line, "two", lit=False)
        assert not module.chip.backlight
        assert not module.lcd.is_on
    module.lcd.latch(0x5, is_data=False)  # noise puts the controller into a wrong state
    module.show("three", "two")
    assert module.chip.backlight
    assert module.lines == ["three", "two"]
