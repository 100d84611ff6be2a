"""A virtual row of LEDs, such as a bar graph, or traffic lights."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.lamp import VirtualLamp
from reboard_sim.devices.opened import Opening

TERMINALS = ()


class VirtualLeds(VirtualDevice):
    """LEDs in a row. *lamps* has a lamp for each, keyed by name."""

    def __init__(self, lamps: Mapping[str, VirtualLamp]) -> None:
        self._lamps = lamps

    def state(self) -> object:
        return {"levels": {name: round(lamp.level, 3) for name, lamp in self._lamps.items()}}

    def shows(self) -> Collection[str]:
        """Return ``on`` or ``off``, how many LEDs are lit, and their names: ``red`` and ``red amber``."""
        lit = [name for name, lamp in self._lamps.items() if lamp.is_on]
        names = [] if any(name.isdecimal() for name in self._lamps) else dict.fromkeys([*lit, " ".join(lit)])
        return ["on" if lit else "off", str(len(lit)), *filter(None, names)]


def opened(opening: Opening, board: VirtualBoard) -> VirtualLeds:
    """Return a row with an LED on each pin, named by its terminal."""
    lines = {name: board.pins.line(pin) for name, pin in opening.pins.items()}
    return VirtualLeds({name: VirtualLamp(line, active_high=opening.active_high) for name, line in lines.items()})
