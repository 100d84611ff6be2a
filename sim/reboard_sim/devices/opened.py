"""The devices that a program opens, such as ``LED(17)`` of gpiozero. The firmware has no driver for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

from reboard.devices.device import DeviceKind, FittedDevice
from reboard.record import Record


class Opening(Record):
    """How a program uses a device: its BCM *pins*, keyed by terminal as in `DeviceKind.pins`.

    If *active_high* is false, the device is on while its pin is low. A button then connects its pin to ground.
    *settings* has what the program assumes about the device, such as the ``max_angle`` of a servo.
    """

    pins: Mapping[str, int] = field(default_factory=dict)
    active_high: bool = True
    settings: Mapping[str, float] = field(default_factory=dict)

    @property
    def pin(self) -> int:
        """The pin of a device on one pin."""
        return self.pins[""]


class OpenedKind(DeviceKind[Opening, Any]):
    """The kind of an opened device. Its *name* is that of a module in this package."""

    def __init__(self, name: str) -> None:
        self.name = name

    def pins(self, config: Opening) -> Mapping[str, int]:
        return config.pins


_kind = cache(OpenedKind)


def opened_device(
    label: str, kind: str, pins: Mapping[str, int] | None = None, *, active_high: bool = True, **settings: float
) -> FittedDevice[Opening, Any]:
    """Return a device for `VirtualBoard.open_device`. *label* is its name on the bench and in plays."""
    return FittedDevice(label, label, _kind(kind), Opening(pins or {}, active_high, settings))
