"""The rows of the bytes that displays on the I²C bus receive, and the decoder of displays that say what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from reboard_sim.board.i2c import Written


@dataclass(slots=True)
class DisplayRow:
    """A row of decoded bytes. *bus* has the bytes on the bus, of which the first was written at *t* seconds.

    *taken* has the bytes that the controller received. *means* is their meaning.
    """

    t: float
    address: int
    bus: list[int]
    means: str
    taken: list[int] = field(default_factory=list)
    is_data: bool = False
    is_bad: bool = False


def row_of(bus: list[Written], means: str, *, taken: list[int], is_data: bool) -> DisplayRow:
    """Return the row of the bytes in *bus*."""
    return DisplayRow(bus[0].t, bus[0].address, [one.value for one in bus], means, taken, is_data)


class DisplayDecoder:
    """A decoder that combines bytes on the bus up to each that the display understands, whose meaning is a text."""

    def __init__(self) -> None:
        self._bus: list[Written] = []

    def feed(self, written: Iterable[Written]) -> Iterator[DisplayRow]:
        """Yield the rows for the *written* bytes in order. Keep an incomplete row for the next call."""
        for one in written:
            yield from self._answered(one) if one.was_answered else self._lost(one)

    def _lost(self, one: Written) -> Iterator[DisplayRow]:
        self._bus = []
        yield DisplayRow(one.t, one.address, [one.value], f"no answer from 0x{one.address:02X}", is_bad=True)

    def _answered(self, one: Written) -> Iterator[DisplayRow]:
        self._bus.append(one)
        if one.understood is not None:
            bus, self._bus = self._bus, []
            is_data = bool(bus[0].value & 0x40)
            yield row_of(bus, str(one.understood), taken=[byte.value for byte in bus[1:]], is_data=is_data)
