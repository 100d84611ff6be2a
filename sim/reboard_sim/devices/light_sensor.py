"""A virtual light sensor: a photoresistor that charges a capacitor, which the program discharges."""

from __future__ import annotations

import asyncio
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices import slider
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.opened import Opening

FORMS = slider.FORMS

DARK_S = 0.01
"""The time in which the capacitor is charged in the dark, in seconds. gpiozero waits for this time by default."""


class VirtualLight(slider.VirtualSlider):
    """A light sensor. The lighter it is (1 is bright), the sooner its *line* rises after the Pi has pulled it low."""

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line
        self._loop = asyncio.get_running_loop()
        self._charging: asyncio.TimerHandle | None = None
        line.on_output.append(self._output_changed)

    def close(self) -> None:
        if self._charging:
            self._charging.cancel()

    def _output_changed(self, output: float | None) -> None:
        self.close()
        if output is None:
            self._charging = self._loop.call_later((1 - self.value) * DARK_S, self._charge, "up")
        else:
            self._charge("up" if output else "down")

    def _charge(self, pull: Any) -> None:
        self._line.pull_outside = pull


def widget(_: FittedDevice[Opening, Any]) -> str:
    """Return the name of the control."""
    return "slider"


def opened(opening: Opening, board: VirtualBoard) -> VirtualLight:
    """Return a light sensor on its pin."""
    return VirtualLight(board.pins.line(opening.pin))
