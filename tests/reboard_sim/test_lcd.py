from __future__ import annotations

import itertools
import threading
import time

import pytest
from RPLCD.i2c import CharLCD

from reboard_sim.i2c import VirtualI2cBus
from reboard_sim.lcd import Hd44780, Pcf8574
from reboard_sim.lcd_font import BLANK, BOX, DRAWINGS, FILLED, LAST_BAND, character_of, dots_of

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


def test_rplcd_needs_136_bus_writes_for_a_line(rplcd: CharLCD) -> None:
    rplcd.cursor_pos = (1, 0)
    before = rplcd.bus.writes
    rplcd.write_string("0123456789ABCDEF")
    assert rplcd.bus.writes - before == 136


def test_characters_that_rplcd_defines_are_drawn(rplcd: CharLCD) -> None:
    coin = (0b00100, 0b01110, 0b11011, 0b11011, 0b11011, 0b11011, 0b01110, 0b00100)
    rplcd.create_char(3, coin)
    rplcd.write_string("\x03A")
    lcd = controller(rplcd)
    assert lcd.lines()[0].rstrip() == "□A"
    assert lcd.dots()[0][:3] == [coin, dots_of(ord("A")), BLANK]


def test_rplcd_shifts_the_display(rplcd: CharLCD) -> None:
    rplcd.write_string("coins")
    rplcd.shift_display(2)
    assert controller(rplcd).lines()[0] == "  coins         "
    rplcd.shift_display(-3)
    assert controller(rplcd).lines()[0] == "oins            "
    rplcd.home()
    assert controller(rplcd).lines()[0] == "coins           "


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


def test_without_power_it_shows_nothing(wires: Wires) -> None:
    wires.write("A")
    wires.lcd.power(False)
    assert wires.text == ["", ""]
    assert wires.lcd.dots() == [[BLANK] * 16] * 2


def test_after_a_power_cut_it_has_forgotten_everything(wires: Wires) -> None:
    wires.write("A")
    wires.lcd.power(False)
    wires.lcd.power(True)
    wires.set_up()
    assert wires.text == ["", ""]


def test_half_a_byte_from_before_a_power_cut_is_forgotten(wires: Wires) -> None:
    wires.lcd.latch(0x4, is_data=True)
    wires.lcd.power(False)
    wires.lcd.power(True)
    wires.set_up()
    wires.write("fine")
    assert wires.text == ["fine", ""]


def test_the_four_data_wires_that_lead_nowhere_are_high() -> None:
    wires = Wires()
    wires.lcd.latch(0x0, is_data=False)
    assert wires.lcd.is_on, "all of 0x0F was obeyed"


def test_characters_without_initialisation_do_not_appear() -> None:
    wires = Wires()
    wires.write("hello")
    assert wires.text == ["", ""]


def test_a_lost_half_byte_makes_garbage(wires: Wires) -> None:
    wires.lcd.latch(0x4, is_data=True)
    wires.write("ABC")
    assert wires.text[0][:3] != "ABC"


def test_off_is_blank_and_on_again_is_as_before(wires: Wires) -> None:
    wires.write("A")
    wires.obey(0x08)
    assert not wires.lcd.is_on
    assert wires.text == ["", ""]
    assert wires.lcd.dots() == [[BLANK] * 16] * 2
    wires.obey(0x0C)
    assert wires.text == ["A", ""]


def test_the_cursor_goes_from_the_end_of_a_line_of_forty_to_the_other_line(wires: Wires) -> None:
    wires.obey(0x80 | 0x27)
    wires.write("ab")
    assert wires.text == ["", "b"]
    wires.obey(0x80 | 0x67)
    wires.write("cd")
    assert wires.text == ["d", "b"]


def test_the_cursor_moves_left_when_it_is_told_to(wires: Wires) -> None:
    wires.obey(0x04, 0x80 | 0x41)
    wires.write("ab")
    assert wires.text == ["", "ba"]
    wires.write("c")
    wires.obey(0x80 | 0x27 - 24)
    assert wires.lcd.lines()[0] == " " * 16, "c went to the end of the upper line, which is not seen"


def test_the_cursor_can_be_moved_without_writing(wires: Wires) -> None:
    wires.write("abc")
    wires.obey(0x10, 0x10)
    wires.write("X")
    wires.obey(0x14)
    wires.write("Y")
    assert wires.text == ["aXcY", ""]


def test_the_display_can_shift_with_every_character(wires: Wires) -> None:
    wires.obey(0x80 | 0x10, 0x07)
    wires.write("ab")
    assert wires.lcd.lines()[0] == " " * 14 + "ab"


def test_the_shift_goes_round_after_forty(wires: Wires) -> None:
    wires.write("abc")
    wires.obey(*[0x18] * 38)
    assert wires.lcd.lines()[0] == "  abc           "


def test_clear_empties_both_lines_and_goes_home(wires: Wires) -> None:
    wires.obey(0x04, 0x80 | 0x40)
    wires.write("abc")
    wires.obey(0x18, 0x01)
    wires.write("xy")
    assert wires.text == ["xy", ""]


def test_one_line_is_eighty_characters_long(wires: Wires) -> None:
    wires.obey(0x20, 0x80 | 0x4F)
    wires.write("ab")
    assert wires.text == ["b", ""]


def test_listeners_are_told_of_every_change_with_the_new_state_to_be_seen(wires: Wires) -> None:
    seen: list[str] = []
    wires.lcd.on_change.append(lambda: seen.append(wires.text[0]))
    wires.write("ab")
    assert seen == ["a", "ab"]


# --- the chip in between ---


def test_reads_and_steady_wires_latch_nothing() -> None:
    lcd = Hd44780()
    chip = Pcf8574(lcd)
    chip.power(True)
    changes: list[None] = []
    lcd.on_change.append(lambda: changes.append(None))
    for value in (0x08, 0x38, 0x0C, 0x0C):  # E falls from the power-up state, which is a read; then only rises
        chip.receive(value)
    assert changes == []
    chip.receive(0x08)
    assert changes == [None]


def test_what_counts_is_on_the_wires_before_enable_falls() -> None:
    lcd = Hd44780()
    chip = Pcf8574(lcd)
    chip.power(True)
    chip.receive(0xF8)
    chip.receive(0x0C)
    chip.receive(0xF9)
    assert lcd.is_on, "0x0, an instruction, and not 0xF, a character"


def test_the_backlight_is_lit_at_power_up_and_follows_its_pin() -> None:
    chip = Pcf8574(Hd44780())
    assert not chip.backlight
    chip.power(True)
    assert chip.backlight
    changes: list[bool] = []
    chip.lcd.on_change.append(lambda: changes.append(chip.backlight))
    for value in (0x00, 0x00, 0x08):
        chip.receive(value)
    assert changes == [False, True]
    chip.power(False)
    assert not chip.backlight


def test_one_thread_may_look_while_another_writes(wires: Wires) -> None:
    def write() -> None:
        for n in range(300):
            wires.obey(0x01)
            wires.write(f"{n:03}" * 5)
        done.set()

    done = threading.Event()
    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        line = wires.lcd.lines()[0].rstrip()
        assert line == (line[:3] * 5)[: len(line)]
    thread.join()


# --- the letters ---


def test_every_character_of_ascii_has_its_own_drawing() -> None:
    drawings = {dots_of(code) for code in range(0x20, 0x80)} | {dots_of(code) for code in LAST_BAND}
    assert len(drawings) == 96 + len(LAST_BAND)
    assert all(len(dots) == 8 and max(dots) < 32 for dots in drawings)
    assert dots_of(ord(" ")) == BLANK


def test_the_codes_read_as_the_rom_has_them() -> None:
    read = "".join(map(character_of, range(0x20, 0x80)))
    ascii_ = "".join(map(chr, range(0x20, 0x80)))
    assert read == ascii_.replace("\\", "¥").replace("~", "→").replace("\x7f", "←")
    assert [character_of(code) for code in (0xE1, 0xE2, 0xEF, 0xF5, 0xB1, 0xDF, 0xFF)] == list("äβöüｱ°█")
    assert character_of(0x00) == character_of(0x90) == "□"
    assert dots_of(0x90) == dots_of(0xB1) == BOX


def test_the_drawings_stand_under_their_characters() -> None:
    for band in DRAWINGS.strip("\n").split("\n\n"):
        head, *rows = band.splitlines()
        assert len(rows) == 8
        assert [head[column] for column in range(2, len(head), 6)] == head.split()
