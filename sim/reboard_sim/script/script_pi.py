"""The virtual Pi of a program: the devices that it opens, and those of ``bench.toml``."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from reboard.devices.device import FittedDevice
from reboard.errors import RequestError
from reboard.record import replace
from reboard_sim.devices.analog_input import AnalogConfig
from reboard_sim.devices.console import VirtualConsole
from reboard_sim.devices.device import VirtualDevice
from reboard_sim.devices.displays.hd44780 import Hd44780
from reboard_sim.devices.opened import Opening, opened_device
from reboard_sim.script.program import Program
from reboard_sim.script.script_pins import ScriptPins
from reboard_sim.virtual_pi import VirtualPi

CONSOLE = "console"
"""The kind and the label of the console."""

KEPT_LINES = 1000
"""The number of printed lines that plays see."""


class ScriptPi(VirtualPi):
    """A virtual Pi for a program. *placed* has the devices of ``bench.toml``, keyed by label."""

    pins: ScriptPins
    pins_class = ScriptPins

    def __init__(self, placed: Mapping[str, FittedDevice[Any, Any]], **of_table: Any) -> None:
        super().__init__(**of_table)
        self.program: Program | None = None
        self.printed: deque[str] = deque(maxlen=KEPT_LINES)
        """The latest lines that the program has printed in this run."""
        self.console = VirtualConsole()
        self.devices[CONSOLE], self.opened[CONSOLE] = self.console, opened_device(CONSOLE, CONSOLE)
        self.console.on_line.append(self._answer)
        self._placed = {label: device for label, device in placed.items() if device.kind.name}
        self._names = {pin: label for label, device in placed.items() for pin in device.pins().values()}
        for device in self._placed.values():
            self.open_device(device)

    def forget_devices(self) -> None:
        """Remove the devices that the program has opened, because it starts again."""
        for label in self.opened.keys() - self._placed.keys() - {CONSOLE}:
            self._remove(label)

    def is_taken(self, device: FittedDevice[Any, Any]) -> bool:
        """Return whether another device has the label of *device*."""
        return self.opened.get(device.label, device) != device

    def open_for_program(self, device: FittedDevice[Any, Any]) -> None:
        """Connect a *device* that the program has opened, unless ``bench.toml`` has one at its pin."""
        # channels of a chip share its pins
        pins = set() if isinstance(device.config, AnalogConfig) else {*device.pins().values()}
        if name := next((self._names[pin] for pin in sorted(pins) if pin in self._names), ""):
            device = replace(device, label=name, title=name)
        if device.label in self._placed or self.opened.get(device.label) == device:
            return
        for label, other in tuple(self.opened.items()):
            is_at_its_pins = isinstance(other.config, Opening) and pins & {*other.pins().values()}
            if label == device.label or is_at_its_pins:
                self._remove(label)
        self.open_device(device)

    def open_device(self, device: FittedDevice[Any, Any]) -> VirtualDevice:
        made = super().open_device(device)
        if isinstance(lcd := getattr(made, "lcd", None), Hd44780):
            lcd.can_grow = True
        return made

    def has_printed(self, text: str) -> bool:
        """Return whether the program has printed a line with *text* in this run."""
        return any(text in line for line in self.printed)

    @property
    def latest_line(self) -> str:
        """The latest line that the program has printed, in words."""
        return f"last {self.printed[-1]!r}" if self.printed else "nothing printed"

    def _answer(self, line: str) -> None:
        if not self.program:
            raise RequestError("the program is not running, so it reads no input: switch it on with `power on`")
        self.program.type_line(line)

    def _remove(self, label: str) -> None:
        device: VirtualDevice = self.devices.pop(label)
        device.close()
        del self.opened[label]
