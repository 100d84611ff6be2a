"""The base class of virtual devices on the SPI bus."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from reboard.devices.spi_bus import SpiConfig
from reboard_sim.devices.device import VirtualBoard, VirtualDevice

C = TypeVar("C", bound=SpiConfig)

FAULTS = {"unplugged": "Its plug is out: it is dark, and the firmware cannot notice."}


class VirtualSpiChip(ABC, VirtualDevice, Generic[C]):
    """A device on the SPI bus that is dark without power and while its plug is out."""

    event: ClassVar[str]
    """The name of the event that has what the real device shows."""

    def __init__(self, config: C, board: VirtualBoard) -> None:
        self.config = config
        self._spi = board.add_spi_device(config.bus, config.chip_select, self._take)
        self._is_unplugged = False
        self.reset()

    @abstractmethod
    def reset(self) -> None:
        """Switch everything off, as power-up does. The constructor calls this."""

    @abstractmethod
    def receive(self, values: bytes) -> None:
        """Take the bytes of one selection of the chip."""

    @abstractmethod
    def show(self, event: Mapping[str, Any]) -> None:
        """Show the content of an *event* of the real device."""

    def power_on(self) -> None:
        self._spi.has_power = True
        self.reset()

    def power_off(self) -> None:
        self._spi.has_power = False
        self.reset()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {"unplugged": self._unplug}

    def follow(self, kind: str, *values: Any) -> None:
        if kind == "event" and values[0]["event"] == self.event:
            self.show(values[0])

    def _take(self, values: bytes) -> None:
        if not self._is_unplugged:
            self.receive(values)

    def _unplug(self, unplugged: bool) -> None:
        self._is_unplugged = unplugged
        self.reset()
