"""The base classes of the virtual text displays on the I²C bus, the decoder of their bytes, and each kind's display."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn, Protocol

from reboard.errors import ReboardError
from reboard.languages import DISPLAY_COLUMNS, DISPLAY_ROWS
from reboard_sim.board.i2c import I2cDevice, VirtualI2cBus, Written
from reboard_sim.devices.device import VirtualDevice, simulated

ENTRY_POINTS = "reboard_sim.displays"


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


class DisplayChip(ABC):
    """The controller of a display and its screen, without power at first. Thread-safe.

    The thread that writes calls the listeners in `on_change` when the screen may have changed.
    """

    has_power: bool
    is_on: bool

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.on_change: list[Callable[[], None]] = []
        self._is_readable = True
        self.power(False)

    @abstractmethod
    def power(self, on: bool) -> None:
        """Switch the power on or off. The display is off then."""

    def dip(self) -> None:
        """Cut the power for a moment."""
        if self.has_power:
            self.power(False)
            self.power(True)

    def blank(self, on: bool) -> None:
        """Make the screen empty for the user, or readable again."""
        self._is_readable = not on
        self.changed()

    def changed(self) -> None:
        """Call the listeners in `on_change`."""
        for listener in tuple(self.on_change):
            listener()


class OnBus(I2cDevice, Protocol):
    """The chip of a display that is on the bus: its controller, or the one in front of that."""

    @property
    def is_lit(self) -> bool:
        """Whether the user sees light."""

    def spark(self) -> None:
        """Let the controller take wrong bits, as after a spark."""


class VirtualDisplay(VirtualDevice, ABC):
    """A display with the controller *chip*, which is *on_bus* at *address* of the bus that *bus* returns."""

    look: ClassVar[str] = "lcd"
    """The look on the bench: dark dots on a backlight (``lcd``), or dots that shine (``oled``)."""

    def __init__(self, chip: DisplayChip, on_bus: OnBus, address: int, bus: Callable[[], VirtualI2cBus]) -> None:
        self.address = address
        self.spark, self.dip = on_bus.spark, chip.dip
        self._chip, self._on_bus = chip, on_bus
        self._find_bus = bus
        self._bus: VirtualI2cBus | None = None

    @property
    def is_on(self) -> bool:
        """Whether the controller shows its picture."""
        return self._chip.is_on

    @property
    def is_lit(self) -> bool:
        return self._on_bus.is_lit

    @abstractmethod
    def lines(self) -> list[str]:
        """Return the text of the two lines, 16 characters each, blank if the user sees none."""

    @abstractmethod
    def dots(self) -> list[str]:
        """Return the rows of dots from the top: ``1`` for a set dot, ``0`` for another, and a space between dots."""

    @abstractmethod
    def legible(self, line: str) -> str:
        """Return *line* as this display shows it, with substitutes for missing characters."""

    @abstractmethod
    def show(self, lines: Sequence[str], *, lit: bool) -> None:
        """Show two *lines* of 16 characters without the bus."""

    def decoder(self) -> DisplayDecoder:
        """Return a decoder of the bytes that the display receives."""
        return DisplayDecoder()

    def power_on(self) -> None:
        self._bus = self._find_bus()
        self._bus.attach(self.address, self._on_bus)

    def follow(self, kind: str, *values: Any) -> None:
        # the bytes before the first signal are unknown, and later ones may be lost: the event has the whole text
        if kind != "event" or values[0]["event"] != "display":
            return
        lines = [line.ljust(DISPLAY_COLUMNS) for line in values[0]["lines"] or [""] * DISPLAY_ROWS]
        if self.lines() != [self.legible(line) for line in lines]:
            self.show(lines, lit=not values[0].get("asleep"))

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            "unplugged": self._unplug,
            "garbled": lambda on: self.spark() if on else None,
            "reset": lambda on: self.dip() if on else None,
            "blank": self._chip.blank,
        }

    def state(self) -> object:
        return {
            "on": self.is_on,
            "lit": self.is_lit,
            "lines": self.lines(),
            "dots": self.dots(),
            "look": self.look,
        }

    def shows(self) -> Collection[str]:
        return [line.strip() for line in self.lines()]

    def _unplug(self, unplugged: bool) -> None:
        if self._bus:
            (self._bus.unplug if unplugged else self._bus.plug)(self.address)


class NoVirtualDisplay(VirtualDevice):
    """The stand-in for a display of a *kind* without a virtual device. It does not answer, and says what is missing."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def lines(self) -> NoReturn:
        """Raise `ReboardError`."""
        raise ReboardError(
            f"The display {self._kind} cannot be simulated: it has no virtual device. Its package needs one, which the "
            f"entry point {self._kind} in the group {ENTRY_POINTS} names."
        )


def virtual_display(kind: str) -> Any:
    """Return the class of the virtual displays of a *kind*, or ``None`` if it cannot be simulated.

    It is the ``DISPLAY`` of the module in this package that is named after the kind, or an entry point of a plug-in in
    the group `ENTRY_POINTS`.
    """
    return simulated(__package__ or "", kind, ENTRY_POINTS, "DISPLAY")
