"""The bench reads what is on the lines of readers and display, and tells right from wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from RPLCD.i2c import CharLCD

from reboard.devices.displays.display_controller import Picture
from reboard.devices.displays.kinds.ssd1306 import Ssd1306
from reboard.devices.displays.pixel_font import cell
from reboard.devices.readers.em4100 import FRAME, RDM6300_END, FrameFormat, TagFrames
from reboard.devices.readers.input_device import EV_KEY, EV_SYN, KEY_ENTER
from reboard.devices.readers.kinds.keyboard import SYN_DROPPED
from reboard.devices.readers.kinds.pn532 import ACK, ChipFrames
from reboard_sim.board.i2c import VirtualI2cBus
from reboard_sim.board.input_device import Change
from reboard_sim.devices.displays.hd44780 import Hd44780, Pcf8574
from reboard_sim.devices.displays.hd44780_i2c import Hd44780Decoder, command_meaning
from reboard_sim.devices.displays.ssd1306 import VirtualSsd1306
from reboard_sim.devices.displays.virtual_display import DisplayDecoder, DisplayRow
from reboard_sim.devices.readers import em4100, pn532
from reboard_sim.devices.readers.frame_decoders import ChipFrameDecoder, Piece, TagFrameDecoder, TypedKeyDecoder
from reboard_sim.devices.readers.keyboard import HELD, KEY_Z, line_of, stroke
from reboard_sim.devices.readers.virtual_reader import DECK

END = RDM6300_END
CARD = DECK[0]
TAG_FRAME = em4100.frame_of(CARD, END)
CHIP_FRAME = pn532.frame_of(bytes.fromhex("4B 01 01 00 04 08 04 3E 30 86 CE"))

# readers on serial lines

CUTS = st.lists(st.integers(0, 40))
SEEDS = st.integers(0, 2**32)


def split(stream: bytes, cuts: Iterable[int]) -> list[bytes]:
    parts = []
    for cut in cuts:
        parts.append(stream[:cut])
        stream = stream[cut:]
    return [*parts, stream]


def decoded(feed: Callable[[bytes], Iterable[Piece]], parts: Sequence[bytes]) -> list[Piece]:
    """Return the pieces of *parts*. Every byte must be in one of them."""
    pieces = [piece for data in parts for piece in feed(data)]
    assert bytes.fromhex("".join(piece.written for piece in pieces)) == b"".join(parts)
    return pieces


@given(SEEDS, CUTS, st.sampled_from([FRAME, FrameFormat(b"\x02K", lambda tag: sum(tag) % 256)]))
def test_the_tags_are_those_that_the_firmware_finds(seed: int, cuts: list[int], frame: FrameFormat) -> None:
    rng = random.Random(seed)
    card = em4100.frame_of("0102030405", END, frame)
    parts = split(b"".join(rng.choice([card, em4100.disturbance(END, rng, frame)]) for _ in range(12)), cuts)
    firmware = TagFrames(frame)
    pieces = decoded(TagFrameDecoder(frame).feed, parts)
    tags = [tag for data in parts for tag in firmware.feed(data)]
    assert [piece.means.split()[1].rstrip(",") for piece in pieces if piece.means.endswith("correct")] == tags


@given(SEEDS, CUTS)
def test_the_uids_are_those_that_the_firmware_finds(seed: int, cuts: list[int]) -> None:
    rng = random.Random(seed)
    choices = (CHIP_FRAME, ACK, CHIP_FRAME[:7], rng.randbytes(6), b"\x00\xff" * 3, bytes(4))
    parts = split(b"".join(rng.choice(choices) for _ in range(12)), cuts)
    firmware = ChipFrames()
    pieces = decoded(ChipFrameDecoder().from_chip, parts)
    cards = [answer for data in parts for answer in firmware.feed(data) if answer]
    assert sum("card" in piece.means for piece in pieces) == len(cards)


def test_the_answer_of_a_chip_names_its_firmware() -> None:
    [piece] = decoded(ChipFrameDecoder().from_chip, [pn532.frame_of(b"\x03" + pn532.FIRMWARE)])
    assert piece.means.endswith("PN532, firmware 1.6")


def test_broken_frames_are_bad() -> None:
    wrong = TAG_FRAME[:1] + b"0" + TAG_FRAME[2:]
    [piece] = decoded(TagFrameDecoder().feed, [wrong])
    assert (piece.means, piece.is_bad) == (f"card 0{CARD[1:]}, checksum wrong", True)
    half, rest = decoded(TagFrameDecoder().feed, [TAG_FRAME[:5], TAG_FRAME[5:]])
    assert (half.is_bad, rest.is_bad, rest.means) == (True, False, f"card {CARD}, checksum correct")


# readers that type


def typed(*reports: tuple[Change, ...]) -> list[Piece]:
    decoder = TypedKeyDecoder()
    return [piece for place, changes in enumerate(reports) for piece in decoder.feed(place / 100, changes)]


def test_keys_of_a_card_are_good_and_others_are_bad() -> None:
    pieces = typed(*line_of("0012852999"))
    assert [piece.means for piece in pieces] == [*"0012852999", "end: card 0012852999"]
    assert not any(piece.is_bad for piece in pieces)
    for report in (stroke(KEY_ENTER), stroke(KEY_Z), ((EV_KEY, 2, HELD),), ((EV_SYN, SYN_DROPPED, 0), (EV_SYN, 0, 0))):
        assert typed(report)[0].is_bad, report


# the display


class Driver(CharLCD):  # type: ignore[misc]
    """The most used driver, on the virtual bus."""

    def __init__(self, bus: VirtualI2cBus) -> None:
        self._virtual_bus = bus
        super().__init__("PCF8574", 0x27, cols=16, rows=2)

    def _init_connection(self) -> None:
        self.bus = self._virtual_bus


def test_every_byte_to_the_display_is_in_one_row_and_a_missing_answer_is_bad() -> None:
    bus = VirtualI2cBus(time.monotonic)
    bus.attach(0x27, Pcf8574(Hd44780()))
    decoder, place = Hd44780Decoder(), 0

    def rows() -> list[DisplayRow]:
        nonlocal place
        written, place = bus.news(place)
        return list(decoder.feed(written))

    lcd = Driver(bus)
    lcd.clear()
    rows()
    before = place
    lcd.write_string("WORLD")
    lcd.backlight_enabled = False
    lcd.clear()
    told = rows()
    assert [row.means for row in told] == ["write “WORLD” at line 1, column 1", "backlight off", "clear"]
    assert sum(len(row.bus) for row in told) == len(bus.news(before)[0])
    bus.unplug(0x27)
    with pytest.raises(OSError, match="Remote"):
        lcd.clear()
    (row,) = rows()
    assert (row.means, row.is_bad) == ("no answer from 0x27", True)


def test_every_byte_to_an_oled_is_in_a_row_with_its_meaning() -> None:
    bus = VirtualI2cBus(time.monotonic)
    VirtualSsd1306(0x3C, lambda: bus).power_on()
    for transfer in Ssd1306.everything(Picture(("€", ""))):
        bus.write_i2c_block_data(0x3C, transfer[0], transfer[1:])
    written, _ = bus.news(0)
    rows = list(DisplayDecoder().feed(written))
    assert [row.means for row in rows[1:3]] == [f"24 bytes from page 0, column {x} on" for x in (0, 24)]
    assert rows[0].means == "first row 0, charge pump on, brightness 127"
    assert rows[-1].means == "display on"
    assert sum(len(row.bus) for row in rows) == len(written)
    assert rows[1].taken[-24:-16] == [*cell("€")[:8]]


COMMANDS = {
    0x01: "clear",
    0x06: "entry mode: cursor right, screen stays",
    0x0F: "display on, cursor on, blink on",
    0x1C: "move the screen right",
    0x28: "function: 4-bit bus, 2 lines",
    0x7F: "set CGRAM 0x3F: custom character 7, row 8",
    0xC0: "set DDRAM 0x40: line 2, column 1",
    0xB0: "set DDRAM 0x30: invalid address",
}


def test_the_highest_bit_names_a_command() -> None:
    assert {byte: command_meaning(byte) for byte in COMMANDS} == COMMANDS
