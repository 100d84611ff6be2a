"""The LED matrix: a row of modules with 8×8 LEDs, each behind a MAX7219 on the SPI bus.

``matrix.bus``: whether the SPI bus of the LED modules is on. Nothing answers on it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from typing import Annotated

from reboard.board import SPI_HZ, Board, Devices, SpiDevice
from reboard.config.kinds import Choice, Section, Whole, flag
from reboard.devices.device import Absent, FittedDevice, nothing
from reboard.devices.examination import CheckContext, TryOut
from reboard.devices.glyphs import DARK, SIDE, Glyph, glyph
from reboard.devices.spi_bus import SWITCH_ON, BufferWiring, SpiConfig, SpiKind, SpiLink, claim_spi_pins
from reboard.events import DeviceEvent, Emit, ignore_event
from reboard.finding import Finding
from reboard.record import replace

MOST_MODULES = 8

INTENSITY = 0x0A
SET_UP = ((0x0B, 7), (0x09, 0), (0x0F, 0), (0x0C, 1))
"""Registers of the MAX7219 and their values: all eight rows, no decoding, no test, switched on (Maxim 19-4452)."""


class MatrixConfig(SpiConfig):
    """The setting of an LED matrix."""

    driver: Annotated[str, Choice("max7219"), "the chip of its modules"] = "max7219"
    modules: Annotated[int, Whole(1, MOST_MODULES), "modules of 8 × 8 LEDs in a row"] = 1
    quarter_turns: Annotated[int, Whole(0, 3), "how far each module is turned clockwise"] = 0
    is_reversed: Annotated[bool, flag, "`true`: the first module, to which the Pi's wires lead, is on the right"] = (
        False
    )
    brightness: Annotated[int, Whole(0, 15), "0 is the darkest"] = 2


MATRIX_SETTING = Section(MatrixConfig, then=claim_spi_pins)
"""The reader of the setting of an LED matrix."""


class GlyphsShown(DeviceEvent, name="matrix"):
    """The picture of LED modules has changed."""

    glyphs: Annotated[Sequence[Sequence[int]], "eight rows a module"]


class LedMatrix:
    """A row of modules with 8×8 LEDs, dark at first. It emits ``matrix {glyphs}`` at each change.

    A bus that cannot be opened is a fault, and is tried again at the next `show`. Nothing answers on the bus, so a
    loose wire is no fault. *name* is the matrix's name in faults.
    """

    def __init__(
        self, board: Devices, config: MatrixConfig, *, emit: Emit = ignore_event, name: str = "matrix"
    ) -> None:
        self._config = config
        self._emit = emit
        self._link = SpiLink(board, config, SPI_HZ, emit=emit, name=name)
        self._shown: Sequence[Glyph] = ()
        self.show()

    @property
    def is_working(self) -> bool:
        """Whether the bus can be used: it could be at the latest `show`."""
        return self._link.is_open

    def show(self, *glyphs: Glyph) -> None:
        """Show *glyphs* on the modules from the left. The other modules are dark.

        Raises ``ValueError`` if there are more glyphs than modules, or if one is not eight rows from 0 to 255.
        """
        if len(glyphs) > self._config.modules:
            raise ValueError(f"the matrix has {self._config.modules} modules, but {len(glyphs)} glyphs are to be shown")
        if any(len(rows) != SIDE or not all(0 <= row <= 0xFF for row in rows) for rows in glyphs):
            raise ValueError(f"a glyph has {SIDE} rows from 0 to 255: {glyphs}")
        whole = [*map(tuple, glyphs), *[DARK] * (self._config.modules - len(glyphs))]
        if self._link.send(lambda spi: self._write(spi, whole)) and whole != self._shown:
            self._shown = whole
            self._emit(GlyphsShown([list(rows) for rows in whole]))

    def clear(self) -> None:
        """Make all modules dark."""
        self.show()

    def close(self) -> None:
        if self._link.is_open:
            self.show()
        self._link.close()

    def _write(self, spi: SpiDevice, glyphs: Sequence[Glyph]) -> None:
        config = self._config
        # the words for the last module on the wire go first, because each module passes on the words before its own
        on_wire = glyphs if config.is_reversed else glyphs[::-1]
        columns = [_columns(_turned(rows, config.quarter_turns)) for rows in on_wire]
        # a module that lost its power, or heard noise on its wires, works again at the next glyph
        for register, value in (*SET_UP, (INTENSITY, config.brightness)):
            spi.writebytes2(bytes([register, value] * config.modules))
        for column in range(SIDE):
            spi.writebytes2(bytes(byte for each in columns for byte in (column + 1, each[column])))


def _turned(rows: Glyph, quarter_turns: int) -> Glyph:
    """Return a glyph turned counterclockwise, as a module needs it that is turned clockwise."""
    for _ in range(quarter_turns):
        rows = [sum((row >> bit & 1) << 7 - y for y, row in enumerate(rows)) for bit in range(SIDE)]
    return rows


def _columns(rows: Glyph) -> Sequence[int]:
    """Return the columns from the left, which are the registers 1 to 8. Bit 0 of a column is its LED at the top."""
    return [sum((row >> 7 - x & 1) << y for y, row in enumerate(rows)) for x in range(SIDE)]


class AbsentMatrix(Absent):
    """The stand-in for a matrix that the config leaves out."""

    is_working = False
    show = clear = nothing


Fitted = FittedDevice[MatrixConfig, LedMatrix | AbsentMatrix]


class MatrixKind(SpiKind[MatrixConfig, LedMatrix | AbsentMatrix]):
    """The device kind of LED matrices (MAX7219) on the SPI bus. They show glyphs such as ``glyph("7")``."""

    name = "matrix"
    event = GlyphsShown
    absent = AbsentMatrix
    area = "matrix"
    has_heading = True
    wiring = Section(BufferWiring)

    def describe(self, config: MatrixConfig | None) -> str:
        return f"{config.modules} × {config.driver} at {config.file}" if config else "none"

    def open_driver(self, config: MatrixConfig, name: str, board: Board, emit: Emit) -> LedMatrix:
        return LedMatrix(board, config, emit=emit, name=name)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object] | None:
        config = device.config or device.usual or MatrixConfig()
        modules = int(
            await work.prompts.choose("How many modules?", {f"{n}": "" for n in range(1, 9)}, f"{config.modules}")
        )
        for is_reversed in (False, True):
            for quarter_turns in range(4):
                tried = replace(config, modules=modules, quarter_turns=quarter_turns, is_reversed=is_reversed)
                with closing(LedMatrix(work.board, tried, name=device.title)) as matrix:
                    if not matrix.is_working:
                        work.prompts.say(f"{tried.file} cannot be used: {SWITCH_ON}.")
                        return None
                    matrix.show(*(glyph(f"{number}") for number in range(1, modules + 1)))
                    if await work.prompts.yes(f"Can you read {' '.join(map(str, range(1, modules + 1)))}?", False):
                        return {
                            "driver": tried.driver,
                            "modules": modules,
                            "quarter_turns": quarter_turns,
                            "is_reversed": is_reversed,
                            "brightness": tried.brightness,
                        }
        work.prompts.say("Check the matrix's supply, DIN (GPIO10), CLK (GPIO11) and CS, and begin at the module's DIN.")
        return None

    async def check(self, device: Fitted, context: CheckContext) -> AsyncIterator[Finding]:
        yield self.finding(device, context, "matrix.bus")


MATRIX = MatrixKind()
