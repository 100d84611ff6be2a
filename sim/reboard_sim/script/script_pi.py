"""The virtual Pi of a program: the devices that it opens, and those of ``bench.toml``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.errors import RequestError
from reboard.table_config import TableConfig
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.device import VirtualDevice, openable_kinds, virtual_device
from reboard_sim.devices.opened import opened_device
from reboard_sim.script.opened_devices import OpenedDevice
from reboard_sim.script.program import Program
from reboard_sim.script.script_pins import ScriptPins
from reboard_sim.virtual_pi import VirtualPi

KEPT_LINES = 1000
"""The number of printed lines that plays see."""


class ScriptPi(VirtualPi):
    """A virtual Pi for a program. *placed* has the devices of ``bench.toml``, keyed by label."""

    pins: ScriptPins
    pins_class = ScriptPins

    def __init__(
        self,
        config: TableConfig,
        clock: Callable[[], float],
        *,
        rng: Random,
        sound_card: VirtualSoundCard,
        calendar: float,
        placed: Mapping[str, FittedDevice[Any, Any]],
    ) -> None:
        super().__init__(config, clock, rng=rng, sound_card=sound_card, calendar=calendar)
        self.program: Program | None = None
        self.printed: deque[tuple[str, bool]] = deque(maxlen=KEPT_LINES)
        """The latest lines that the program has printed in this run, each with whether it is an error."""
        self._placed = {label: device for label, device in placed.items() if device.kind.name}
        self._names = {pin: label for label, device in placed.items() for pin in device.pins().values()}
        for label, device in self._placed.items():
            self._connect(label, device)

    def forget_devices(self) -> None:
        """Remove the devices that the program has opened, because it starts again."""
        for label in self.opened.keys() - self._placed.keys():
            self._remove(label)

    def open_for_program(self, found: OpenedDevice) -> None:
        """Connect a device that the program has opened, unless ``bench.toml`` has one at its pin."""
        pins = set(found.pins.values())
        label = next((self._names[pin] for pin in sorted(pins) if pin in self._names), found.label)
        if label in self._placed:
            return
        device = _device(label, found)
        if label in self.opened and self.opened[label] != device:
            label = f"gpio{min(pins)}"
            device = _device(label, found)
        for other in [name for name, each in self.opened.items() if each != device and pins & {*each.pins().values()}]:
            self._remove(other)
        if label not in self.opened:
            self._connect(label, device)

    def has_printed(self, text: str) -> bool:
        """Return whether the program has printed a line with *text* in this run."""
        return any(text in line for line, _ in self.printed)

    @property
    def latest_line(self) -> str:
        """The latest line that the program has printed, in words."""
        return f"last {self.printed[-1][0]!r}" if self.printed else "nothing printed"

    def answer(self, text: str) -> None:
        """Give the program a line of input. Raises `RequestError` if it does not run."""
        if not self.program:
            raise RequestError("the program is not running, so it reads no input: switch it on with `power on`")
        self.program.type_line(text)

    def _connect(self, label: str, device: FittedDevice[Any, Any]) -> None:
        if device.kind.name in openable_kinds() and hasattr(device.config, "active_high"):
            self.open_device(device)
        else:
            self.devices[label], self.opened[label] = virtual_device(device, self), device
        if self.is_on:
            self.devices[label].power_on()

    def _remove(self, label: str) -> None:
        device: VirtualDevice = self.devices.pop(label)
        device.close()
        del self.opened[label]


def _device(label: str, found: OpenedDevice) -> FittedDevice[Any, Any]:
    return opened_device(label, found.kind, found.pins, active_high=found.active_high, **found.settings)
