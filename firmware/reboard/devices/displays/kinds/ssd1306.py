"""The driver of an OLED with the controller SSD1306: 128×64 dots, which are two lines of large letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from reboard.devices.displays.display_controller import (
    DisplayController,
    DisplayControllerKind,
    Picture,
)
from reboard.devices.displays.pixel_font import CELL_HEIGHT, CELL_WIDTH, PAGE, cell
from reboard.languages import DISPLAY_COLUMNS

COMMANDS, ONE_COMMAND, DATA = 0x00, 0x80, 0x40
"""The control bytes: commands follow, one command and a control byte follow, data for the memory follow."""

DISPLAY_ON, DISPLAY_OFF, NOTHING = 0xAF, 0xAE, 0xE3
PAGE_COMMAND, LOW_COLUMN, HIGH_COLUMN = 0xB0, 0x00, 0x10

PAGES = CELL_HEIGHT // PAGE
"""The number of pages of a line."""

MOST_CELLS = 3
"""The largest number of cells in a transfer. It takes 2.9 ms at 100 kHz."""


class Ssd1306(DisplayController):
    """An SSD1306, and a copy of the lines in its memory.

    Each transfer names its place in the memory, so that a damaged one spoils no other. Refreshing takes 130 ms of the
    bus at 100 kHz, a character 8 ms.
    """

    settings: ClassVar[Sequence[int]] = (
        *(0xD5, 0x80),  # clock
        *(0xA8, 0x3F),  # 64 rows
        *(0xD3, 0x00),  # no offset
        0x40,  # the first row of the memory is at the top
        *(0x8D, 0x14),  # charge pump on
        *(0x20, 0x02),  # pages
        *(0xA1, 0xC8, 0xDA, 0x12),  # the wiring of the glass: upright with the pins at the top
        *(0x81, 0x7F),  # brightness
        *(0xD9, 0xF1, 0xDB, 0x40),  # times and voltages for a charge pump (application note of the data sheet)
        *(0xA4, 0xA6, 0x2E),  # the memory is shown, not inverted, at rest
    )
    first_column: ClassVar[int] = 0
    """The column of the memory that is at the left edge of the glass."""

    _lines: Sequence[str] = ()

    def _greeting(self, lit: bool) -> bytes:
        return bytes((COMMANDS, NOTHING))

    def refresh(self, picture: Picture, is_wanted: Callable[[], bool] = lambda: False) -> None:
        self._lines = _padded(picture)
        self._send(self.everything(picture), is_wanted)

    @classmethod
    def everything(cls, picture: Picture) -> Iterator[bytes]:
        """Yield the transfers that initialise the controller, and write *picture* unless it is dark."""
        yield bytes((COMMANDS, *cls.settings))
        if picture.lit:
            for row, line in enumerate(_padded(picture)):
                yield from cls._cells(row, 0, line)
        yield bytes((COMMANDS, DISPLAY_ON if picture.lit else DISPLAY_OFF))

    def write(self, picture: Picture) -> None:
        before, self._lines = self._lines, _padded(picture)
        self._send(
            transfer
            for row, (line, shown) in enumerate(zip(self._lines, before, strict=True))
            for column in range(DISPLAY_COLUMNS)
            if line[column] != shown[column]
            for transfer in self._cells(row, column, line[column])
        )

    @classmethod
    def _cells(cls, row: int, column: int, text: str) -> Iterator[bytes]:
        """Yield the transfers for the cells of *text*, which begins at *column* of *row*."""
        for page in range(PAGES):
            for begin in range(0, len(text), MOST_CELLS):
                x = cls.first_column + (column + begin) * CELL_WIDTH
                place = (PAGE_COMMAND | row * PAGES + page, LOW_COLUMN | x & 0x0F, HIGH_COLUMN | x >> 4)
                cells = text[begin : begin + MOST_CELLS]
                dots = b"".join(cell(each)[page * CELL_WIDTH : (page + 1) * CELL_WIDTH] for each in cells)
                yield bytes((*(byte for command in place for byte in (ONE_COMMAND, command)), DATA)) + dots


def _padded(picture: Picture) -> Sequence[str]:
    return [line.ljust(DISPLAY_COLUMNS) for line in picture.lines]


class Ssd1306Kind(DisplayControllerKind):
    """The kind of OLEDs with an SSD1306."""

    name = "ssd1306"
    title = "SSD1306"
    order = 30
    addresses: ClassVar = {range(0x3C, 0x3E): ""}
    usual_addresses = (0x3C, 0x3D)
    mistakes: ClassVar = {
        "dark": ("nothing", "Check its VCC and GND: on some modules they are swapped."),
        "cut": (
            "a picture that is cut off at the side, or snow",
            "Its controller is another one, which setup cannot drive: use an OLED with an SSD1306 or an SH1106.",
        ),
    }
    remedy = "check its VCC and GND, and try the other OLED as `driver`"
    controller = Ssd1306


KIND = Ssd1306Kind()
