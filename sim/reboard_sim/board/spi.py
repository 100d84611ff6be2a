"""The virtual SPI buses: the places of chips, the programs that open them, and chips on the wires of any pins."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence

from reboard_sim.board.line import Line

Transfer = Callable[[bytes], bytes | None]
"""A function of a chip: it takes the bytes of a selection, and returns those that it sends meanwhile, if any."""

Selected = Callable[[], Callable[[bool], bool]]
"""A function of a chip that selects it. It returns a function from each bit on MOSI to the next bit on MISO.

Before the first bit, MISO is low."""

BYTE_BITS = 8


def _nothing() -> None:
    pass


class VirtualSpiDevice:
    """The place of a chip on an SPI bus, which can be empty. *transfer* is that of the chip.

    *selected* is that of a chip that answers bit by bit. Only such a chip answers on `SpiWires`.
    """

    def __init__(self, transfer: Transfer | None = None, selected: Selected | None = None) -> None:
        self.place(transfer, selected)
        self.has_power = True
        """Whether the Pi has power. Without it, a program from before the power cut reaches no chip."""

    def place(self, transfer: Transfer | None, selected: Selected | None = None) -> None:
        """Replace the chip. The programs that have the place open reach the new one."""
        self._selected = selected
        self._transfer = transfer_of(selected) if selected else transfer

    def open(self, here: Callable[[], object] = _nothing) -> SpiDev:
        """Open the bus for a program. *here* is called before each transfer."""
        return SpiDev(self, here)

    def transfer(self, values: bytes) -> bytes:
        """Send *values* to the chip, and return what arrives meanwhile."""
        return (self._transfer and self.has_power and self._transfer(values)) or bytes(len(values))

    def select(self) -> Callable[[bool], bool] | None:
        """Select a chip that answers bit by bit. Return ``None`` for another, or without power."""
        return self._selected() if self._selected and self.has_power else None


def transfer_of(selected: Selected) -> Transfer:
    """Return the function for whole bytes of a chip that answers bit by bit."""

    def transfer(values: bytes) -> bytes:
        clock, miso, answer = selected(), False, 0
        for place in range(BYTE_BITS * len(values) - 1, -1, -1):
            answer |= miso << place
            miso = clock(bool(int.from_bytes(values) >> place & 1))
        return answer.to_bytes(len(values))

    return transfer


class SpiWires:
    """The wires from four lines to the chip at *place*, for a program that moves the lines itself (modes 0 and 3)."""

    def __init__(
        self, place: VirtualSpiDevice, *, clock: Line, mosi: Line | None, miso: Line | None, select: Line
    ) -> None:
        self._place, self._mosi, self._miso, self._select = place, mosi, miso, select
        self._bits: list[bool] | None = None
        self._next_bit: Callable[[bool], bool] | None = None
        self._listened = {clock: self._clocked, select: self._selected}
        for line, listener in self._listened.items():
            line.on_change.append(listener)

    def close(self) -> None:
        """Remove the wires."""
        for line, listener in self._listened.items():
            line.on_change.remove(listener)
        self._listened.clear()
        self._answer(None)

    def _selected(self, _t: float, duty: float) -> None:
        if not duty and self._bits is None and self._select.is_output:
            self._bits, self._next_bit = [], self._place.select()
            self._answer(False)
        elif duty and self._bits is not None:
            bits, self._bits = self._bits, None
            if self._next_bit is None and len(bits) >= BYTE_BITS:
                self._place.transfer(_bytes_of(bits))
            self._answer(None)

    def _clocked(self, _t: float, duty: float) -> None:
        if self._bits is None:
            return
        if duty:
            self._bits.append(self._mosi is not None and self._mosi.level)
        elif self._bits and self._next_bit:
            self._answer(self._next_bit(self._bits[-1]))

    def _answer(self, level: bool | None) -> None:
        if self._miso is not None and (self._next_bit or level is None):
            self._miso.drive(level, by=self)


def _bytes_of(bits: Sequence[bool]) -> bytes:
    whole = len(bits) // BYTE_BITS
    return bytes(
        sum(bit << 7 - place for place, bit in enumerate(bits[begin : begin + BYTE_BITS]))
        for begin in range(0, whole * BYTE_BITS, BYTE_BITS)
    )


class SpiDev:
    """An open chip: a virtual `reboard.board.SpiDevice`, with the rest of ``spidev.SpiDev`` for programs.

    The settings are those of a Raspberry Pi: it sends bytes of eight bits, the highest one first. They do not change
    what a virtual chip understands. *here* is called before each transfer.
    """

    def __init__(self, place: VirtualSpiDevice | None = None, here: Callable[[], object] = _nothing) -> None:
        self._place, self._here = place, here
        self.max_speed_hz = 125_000_000
        self.mode = 0
        self.cshigh = self.no_cs = self.loop = self.threewire = self.read0 = False

    @property
    def bits_per_word(self) -> int:
        """The size of a word. Setting another size than 8 raises ``OSError``, as on a Raspberry Pi."""
        return BYTE_BITS

    @bits_per_word.setter
    def bits_per_word(self, bits: int) -> None:
        if bits != BYTE_BITS:
            raise OSError(errno.EINVAL, f"A Raspberry Pi has words of {BYTE_BITS} bits")

    @property
    def lsbfirst(self) -> bool:
        """Whether the lowest bit comes first. Setting it raises ``OSError``, as on a Raspberry Pi."""
        return False

    @lsbfirst.setter
    def lsbfirst(self, on: bool) -> None:
        if on:
            raise OSError(errno.EINVAL, "A Raspberry Pi sends the highest bit first: use software SPI")

    def xfer2(
        self, values: Iterable[int], /, speed_hz: int = 0, delay_usec: int = 0, bits_per_word: int = 0
    ) -> list[int]:
        """Send *values* while the chip is selected, and return what arrives meanwhile. Raises ``OSError`` if closed."""
        if self._place is None:  # as spidev does
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        self._here()
        sent = bytes(values)
        return list(sent if self.loop else self._place.transfer(sent))

    def writebytes2(self, values: Iterable[int], /) -> None:
        """Send *values*, and ignore what arrives meanwhile."""
        self.xfer2(values)

    def readbytes(self, count: int, /) -> list[int]:
        """Send *count* zeros, and return what arrives meanwhile."""
        return self.xfer2(bytes(count))

    def fileno(self) -> int:
        """Raise ``OSError``, because a virtual bus has no file."""
        raise OSError(errno.ENOTTY, "a virtual SPI bus has no file descriptor")

    def close(self) -> None:
        """Release the bus. Can be called more than once."""
        self._place = None

    def __enter__(self) -> SpiDev:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
