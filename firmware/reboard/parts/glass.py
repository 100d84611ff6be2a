"""The display as a worker thread sees it: two lines of glass behind an I²C bus that may fail at any byte."""

from __future__ import annotations

from dataclasses import dataclass

from RPLCD.i2c import PCF8574_BACKLIGHT, PCF8574_E, PCF8574_NOBACKLIGHT, CharLCD

from reboard.board import Devices, I2cBus
from reboard.display_size import COLUMNS, ROWS
from reboard.parts.lcd_characters import rom_codes


@dataclass(frozen=True, slots=True)
class Picture:
    """What is to be seen: two lines of at most 16 characters, lit or dark."""

    lines: tuple[str, str] = ("", "")
    lit: bool = True


class BoardLcd(CharLCD):  # type: ignore[misc]  # RPLCD has no type information
    """RPLCD's display on a bus that is open already, so that any board's bus will do."""

    def __init__(self, bus: I2cBus, address: int, lit: bool) -> None:
        self.bus = bus
        super().__init__(
            "PCF8574", address, cols=COLUMNS, rows=ROWS, charmap="A00", auto_linebreaks=False, backlight_enabled=lit
        )

    def _init_connection(self) -> None:
        pass

    def _pulse_data(self, value: int) -> None:
        # RPLCD puts the value on the wires, then calls this, which puts it there once more and sleeps in between.
        # A byte takes at least 45 µs on any bus a PCF8574 can follow, an instruction 37 µs: the bus is pause enough.
        self.bus.write_byte(self._address, value | PCF8574_E | self._backlight)
        self.bus.write_byte(self._address, value | self._backlight)


class Glass:
    """Puts pictures on the glass and remembers what is there. Blocking; for one thread only.

    Every method may raise ``OSError``; then the display must be found again before the next picture.
    """

    def __init__(self, board: Devices, bus: int, address: int) -> None:
        self._board = board
        self._bus_number = bus
        self._address = address
        self._bus: I2cBus | None = None
        self._lcd: BoardLcd | None = None
        self._codes: list[bytearray] = []

    def find(self, lit: bool) -> None:
        """Open the bus and see that somebody answers. The controller behind may still be starting."""
        self._forget()
        self._bus = self._board.open_i2c(self._bus_number)
        self._bus.write_byte(self._address, PCF8574_BACKLIGHT if lit else PCF8574_NOBACKLIGHT)

    def put(self, picture: Picture) -> None:
        """Write what differs from what is there."""
        lcd = self._lcd
        if lcd is None or (picture.lit and not lcd.backlight_enabled):
            # Waking, too, starts from nothing: it mends what noise on the wires did to the controller meanwhile.
            lcd = self._initialise(picture.lit)
        self._write(lcd, picture.lines)
        if lcd.display_enabled != picture.lit:
            lcd.display_enabled = picture.lit
        if lcd.backlight_enabled != picture.lit:
            lcd.backlight_enabled = picture.lit

    def turn_off(self) -> None:
        """Empty and dark, and the bus given back."""
        try:
            if self._lcd is not None:
                self.put(Picture(lit=False))
        finally:
            self._forget()

    def _forget(self) -> None:
        bus, self._bus, self._lcd = self._bus, None, None
        if bus is not None:
            bus.close()

    def _initialise(self, lit: bool) -> BoardLcd:
        assert self._bus is not None, "find() comes first"
        self._lcd = BoardLcd(self._bus, self._address, lit)
        self._codes = [bytearray(b" " * COLUMNS) for _ in range(ROWS)]
        return self._lcd

    def _write(self, lcd: BoardLcd, lines: tuple[str, str]) -> None:
        for row, line in enumerate(lines):
            there = self._codes[row]
            for column, code in enumerate(rom_codes(line.ljust(COLUMNS))):
                if code == there[column]:
                    continue
                if lcd.cursor_pos != (row, column):
                    lcd.cursor_pos = (row, column)
                lcd.write(code)
                there[column] = code
