"""The MFRC522, a chip that reads NFC cards, on the SPI bus (NXP MFRC522, revision 3.9).

`Mfrc522.send` sends a frame, and `Mfrc522.receive` fetches its answer later, so that no caller waits for a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from reboard.board import SPI_HZ, SpiDevice
from reboard.devices.readers.iso14443 import DamagedError, NoAnswerError
from reboard.languages import translatable

COMMAND, COM_IRQ, ERROR, FIFO_DATA, FIFO_LEVEL, BIT_FRAMING = 0x01, 0x04, 0x06, 0x09, 0x0A, 0x0D
MODE, TX_CONTROL, TX_ASK, RF_CFG = 0x11, 0x14, 0x15, 0x26
T_MODE, T_PRESCALER, T_RELOAD_LOW, VERSION = 0x2A, 0x2B, 0x2D, 0x37

IDLE, TRANSCEIVE, SOFT_RESET = 0x00, 0x0C, 0x0F
FIELD_OFF, FIELD_ON = 0x80, 0x83
RECEIVED, TIMER_ENDED = 0x20, 0x01
ANY_ERROR = 0x1F

SET_UP = (
    (T_MODE, 0x80),  # the timer starts at the end of each frame
    (T_PRESCALER, 0xA9),  # its unit is 25 µs
    (T_RELOAD_LOW, 24),  # 0.6 ms: a card answers after 0.09 ms
    (TX_ASK, 0x40),  # 100 % modulation, as cards of type A need it
    (MODE, 0x3D),
    (RF_CFG, 0x50),  # 38 dB: of 18 to 48 dB, the step above the default
)
"""The registers for a look at the field, and their values. A reset gives each of them another value."""

CHECKED = {T_PRESCALER: 0xA9, T_RELOAD_LOW: 24, TX_CONTROL: FIELD_ON}
"""Registers that show whether the chip still has its settings, and their values during a look."""

NAMES = {0x88: "FM17522", 0x91: "MFRC522 1.0", 0x92: "MFRC522 2.0"}
"""The chips by the value of their version register. Copies have other values, and work."""

NOTHING = (0x00, 0xFF)
"""What the bus reads if no chip answers."""

LONGEST_ANSWER = 5
"""The size of the longest answer to our frames, in bytes: a part of a UID, and its check byte."""

ANSWER_S = 0.0007
"""The time from the end of a frame until its answer begins, or the timer has ended, in seconds."""
BYTE_S = 9 * 128 / 13.56e6
"""The time of a byte and its parity bit, in seconds."""


class ChipError(Exception):
    """The chip does not answer, or does not do what it should. The text has the cause and a remedy."""


class Mfrc522:
    """The chip behind *spi*, with its field off.

    A look is `begin`, at least 5 ms until each card has started, `check`, frames, and `end`. `set_up` comes before the
    first look, and now and then before another: some chips hear nothing after hours, until a reset.
    """

    def __init__(self, spi: SpiDevice) -> None:
        self._spi = spi

    def set_up(self) -> None:
        """Reset the chip, and write its settings."""
        self._write(COMMAND, SOFT_RESET)
        for register, value in SET_UP:
            self._write(register, value)

    def begin(self) -> None:
        """Switch the field on."""
        self._write(TX_CONTROL, FIELD_ON)

    def check(self) -> str:
        """Return the name of the chip. Raises `ChipError` if its registers do not have what was written."""
        version, *kept = self._read(VERSION, *CHECKED)
        if kept == [*CHECKED.values()]:
            return NAMES.get(version, f"version {version:02X}")
        if version in NOTHING:
            raise ChipError(
                translatable(
                    "does not answer: check SDA, SCK, MOSI, MISO, ground, and 3.3 V to 3.3V and RST. If it "
                    "answers while the other reader's MISO is unplugged, that reader holds the line: see MISO in "
                    "docs/readers.md"
                )
            )
        raise ChipError(translatable("loses its settings: check its wires to 3.3 V and ground, and keep them short"))

    def end(self) -> None:
        """Switch the field off. The cards forget everything."""
        self._write(TX_CONTROL, FIELD_OFF)

    def send(self, frame: bytes, *, bits: int = 0) -> float:
        """Send *frame*, and return the time until `receive`, in seconds.

        If *bits* is not 0, only that many of the last byte are sent.
        """
        self._write(COMMAND, IDLE)
        self._write(COM_IRQ, 0x7F)
        self._write(FIFO_LEVEL, 0x80)
        self._write(FIFO_DATA, *frame)
        self._write(COMMAND, TRANSCEIVE)
        self._write(BIT_FRAMING, 0x80 | bits)
        return ANSWER_S + (len(frame) + LONGEST_ANSWER) * BYTE_S

    def receive(self) -> bytes:
        """Return the answer to the latest frame. Raises `NoAnswerError`, `DamagedError` or `ChipError`."""
        irq, error, level, *data = self._read(COM_IRQ, ERROR, FIFO_LEVEL, *[FIFO_DATA] * LONGEST_ANSWER)
        if not irq & (RECEIVED | TIMER_ENDED):
            raise ChipError(translatable("hangs: check its wires to 3.3 V and ground, or try another module"))
        if not irq & RECEIVED:
            raise NoAnswerError
        if error & ANY_ERROR or level > LONGEST_ANSWER:
            raise DamagedError
        return bytes(data[:level])

    def wait(self, seconds: float) -> None:
        """Let *seconds* pass with one long transfer. The caller is blocked, but no timer has to wake it."""
        self._read(*[VERSION] * ceil(seconds * SPI_HZ / 8))

    def _write(self, register: int, *values: int) -> None:
        self._spi.xfer2(bytes([register << 1, *values]))

    def _read(self, *registers: int) -> Sequence[int]:
        addresses = (0x80 | register << 1 for register in registers)
        return self._spi.xfer2(bytes([*addresses, 0]))[1:]
