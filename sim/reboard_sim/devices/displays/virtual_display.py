"""The base class of the virtual text displays on the I²C bus, and the virtual display of each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from reboard.errors import ReboardError
from reboard.languages import DISPLAY_COLUMNS, DISPLAY_ROWS
from reboard_sim.board.i2c import I2cDevice, VirtualI2cBus
from reboard_sim.devices.device import VirtualDevice, simulated
from reboard_sim.devices.displays.display_bytes import DisplayDecoder

ENTRY_POINTS = "reboard_sim.displays"


class VirtualDisplay(VirtualDevice, ABC):
    """A display whose *chip* is at *address* of the I²C bus that *bus* returns. `power_on` calls *bus*."""

    look: ClassVar[str] = "lcd"
    """The look on the bench: dark dots on a backlight (``lcd``), or dots that shine (``oled``)."""

    def __init__(self, chip: I2cDevice, address: int, bus: Callable[[], VirtualI2cBus]) -> None:
        self.address = address
        self._chip = chip
        self._find_bus = bus
        self._bus: VirtualI2cBus | None = None

    @property
    @abstractmethod
    def is_on(self) -> bool:
        """Whether the controller shows its picture."""

    @property
    @abstractmethod
    def is_lit(self) -> bool:
        """Whether the user sees light."""

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

    @abstractmethod
    def spark(self) -> None:
        """Let the controller take wrong bits, as after a spark."""

    @abstractmethod
    def dip(self) -> None:
        """Cut the power of the controller for a moment."""

    @abstractmethod
    def blank(self, on: bool) -> None:
        """Begin or end a picture that cannot be seen, although the display answers."""

    def decoder(self) -> DisplayDecoder:
        """Return a decoder of the bytes that the display receives."""
        return DisplayDecoder()

    def power_on(self) -> None:
        self._bus = self._find_bus()
        self._bus.attach(self.address, self._chip)

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
            "blank": self.blank,
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
    return simulated(__package__ or "", kind, "DISPLAY", ENTRY_POINTS)
