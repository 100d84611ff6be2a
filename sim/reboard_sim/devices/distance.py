"""A virtual distance sensor of the kind HC-SR04, which answers a pulse by an echo."""

from __future__ import annotations

import asyncio
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices import slider
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.opened import Opening

FORMS = slider.FORMS
TERMINALS = (("echo", "trigger"),)

SOUND_CM_S = 34_326.0
"""The speed of sound at 20 °C, in centimetres a second."""

BURST_S = 0.00045
"""The time from the end of the trigger to the rise of the echo, in seconds: the sensor sends eight pulses of 40 kHz."""

NEAREST_CM, FARTHEST_CM = 2, 400
"""The range in the data sheet of the HC-SR04, in centimetres."""


class VirtualDistance(slider.VirtualSlider):
    """A distance sensor. After each pulse on *trigger*, *echo* is high for as long as sound takes there and back."""

    def __init__(self, echo: Line, trigger: Line) -> None:
        super().__init__(50, least=NEAREST_CM, most=FARTHEST_CM, step=1, unit="cm")
        self._echo = echo
        self._loop = asyncio.get_running_loop()
        self._moves: list[asyncio.TimerHandle] = []
        trigger.on_change.append(self._triggered)

    def power_on(self) -> None:
        self._echo.drive(False, by=self)

    def power_off(self) -> None:
        self.close()
        self._echo.drive(None, by=self)

    def close(self) -> None:
        for move in self._moves:
            move.cancel()
        self._moves = []

    def _triggered(self, _: float, duty: float) -> None:
        if duty or any(move.when() > self._loop.time() for move in self._moves):
            return
        later = self._loop.call_later
        self._moves = [
            later(BURST_S, self._echo.drive, True, self),
            later(BURST_S + 2 * self.value / SOUND_CM_S, self._echo.drive, False, self),
        ]


def widget(_: FittedDevice[Opening, Any]) -> str:
    """Return the name of the control."""
    return "slider"


def opened(opening: Opening, board: VirtualBoard) -> VirtualDistance:
    """Return a sensor on its pins ``echo`` and ``trigger``."""
    return VirtualDistance(board.pins.line(opening.pins["echo"]), board.pins.line(opening.pins["trigger"]))
