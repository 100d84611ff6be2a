"""A virtual display with an HD44780 behind a PCF8574, and the decoder of its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from reboard.devices.displays.kinds.hd44780_i2c import rom_codes
from reboard_sim.board.i2c import VirtualI2cBus, Written
from reboard_sim.devices.displays.hd44780 import BACKLIGHT, LINE_CELLS, ROW_BEGINS, Hd44780, Pcf8574, Taken
from reboard_sim.devices.displays.lcd_font import DOT_ROWS, DOTS_WIDE, Dots, character_of
from reboard_sim.devices.displays.virtual_display import DisplayDecoder, DisplayRow, VirtualDisplay, row_of


class Hd44780Decoder(DisplayDecoder):
    """A decoder that combines bytes on the bus into bytes of the controller, and characters into texts."""

    def __init__(self) -> None:
        super().__init__()
        self._was_lit: bool | None = None
        self._letters: list[Taken] = []
        self._letters_bus: list[Written] = []

    def feed(self, written: Iterable[Written]) -> Iterator[DisplayRow]:
        yield from super().feed(written)
        yield from self._word()

    def _lost(self, one: Written) -> Iterator[DisplayRow]:
        yield from self._word()
        yield from super()._lost(one)

    def _answered(self, one: Written) -> Iterator[DisplayRow]:
        is_lit = bool(one.value & BACKLIGHT)
        was_lit, self._was_lit = self._was_lit, is_lit
        if was_lit not in (None, is_lit):
            yield from self._word()
            yield DisplayRow(one.t, one.address, [one.value], f"backlight {'on' if is_lit else 'off'}")
        else:
            self._bus.append(one)
        if isinstance(one.understood, Taken):
            bus, self._bus = self._bus or [one], []
            yield from self._take(one.understood, bus)

    def _take(self, taken: Taken, bus: list[Written]) -> Iterator[DisplayRow]:
        if taken.is_data and not taken.to_font:
            self._letters.append(taken)
            self._letters_bus += bus
            return
        yield from self._word()
        yield _row(bus, [taken], _font_row(taken) if taken.is_data else command_meaning(taken.byte))

    def _word(self) -> Iterator[DisplayRow]:
        if self._letters:
            text = "".join(character_of(taken.byte) for taken in self._letters)
            yield _row(self._letters_bus, self._letters, f"write “{text}” at {_place(self._letters[0].address)}")
            self._letters, self._letters_bus = [], []


def command_meaning(byte: int) -> str:
    """Return the meaning of an HD44780 command. Its highest set bit is the command; the lower bits are options."""
    match byte.bit_length():
        case 8:
            return f"set DDRAM 0x{byte & 0x7F:02X}: {_place(byte & 0x7F)}"
        case 7:
            character, row = divmod(byte & 0x3F, DOT_ROWS)
            return f"set CGRAM 0x{byte & 0x3F:02X}: custom character {character}, row {row + 1}"
        case 6:
            return f"function: {8 if byte & 0x10 else 4}-bit bus, {2 if byte & 0x08 else 1} lines"
        case 5:
            return f"move the {'screen' if byte & 0x08 else 'cursor'} {'right' if byte & 0x04 else 'left'}"
        case 4:
            screen, cursor, blink = ("on" if byte & bit else "off" for bit in (0x04, 0x02, 0x01))
            return f"display {screen}, cursor {cursor}, blink {blink}"
        case 3:
            return f"entry mode: cursor {'right' if byte & 0x02 else 'left'}, screen {'moves' if byte & 1 else 'stays'}"
        case 2:
            return "home"
        case 1:
            return "clear"
        case _:
            return "nothing"


def _font_row(taken: Taken) -> str:
    character, row = divmod(taken.address, DOT_ROWS)
    dots = f"{taken.byte & (1 << DOTS_WIDE) - 1:0{DOTS_WIDE}b}".replace("0", "·").replace("1", "█")
    return f"draw {dots} into custom character {character}, row {row + 1}"


def _place(address: int) -> str:
    line, column = divmod(address, ROW_BEGINS)
    return f"line {line + 1}, column {column + 1}" if column < LINE_CELLS else "invalid address"


def _row(bus: list[Written], taken: list[Taken], means: str) -> DisplayRow:
    return row_of(bus, means, taken=[one.byte for one in taken], is_data=taken[0].is_data)


class VirtualHd44780(VirtualDisplay):
    """An HD44780 behind a backpack."""

    def __init__(self, address: int, bus: Callable[[], VirtualI2cBus]) -> None:
        self.lcd = Hd44780()
        self.backpack = Pcf8574(self.lcd)
        super().__init__(self.lcd, self.backpack, address, bus)

    def lines(self) -> list[str]:
        return self.lcd.lines()

    def dots(self) -> list[str]:
        upper, lower = ([_dot_row(row, y) for y in range(DOT_ROWS)] for row in self.lcd.dots())
        return [*upper, "", "", *lower]

    def legible(self, line: str) -> str:
        return "".join(map(character_of, rom_codes(line)))

    def show(self, lines: Sequence[str], *, lit: bool) -> None:
        self.backpack.show([*map(rom_codes, lines)], lit=lit)

    def decoder(self) -> Hd44780Decoder:
        return Hd44780Decoder()


def _dot_row(row: Sequence[Dots], y: int) -> str:
    return " ".join(f"{cell[y]:0{DOTS_WIDE}b}" for cell in row)


DISPLAY = VirtualHd44780
