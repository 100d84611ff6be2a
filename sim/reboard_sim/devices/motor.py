"""A virtual motor with inertia."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from math import exp
from typing import Any

from reboard.devices.device import FittedDevice
from reboard_sim.board.line import Line
from reboard_sim.devices.device import VirtualBoard, VirtualDevice
from reboard_sim.devices.opened import Opening

INERTIA_S = 0.25
"""The time constant of the motor: the time in which it makes 63 % of a speed change, in seconds."""

TURNS_PER_S = 2.0
"""The speed of the output shaft of the gearbox at full power, in turns per second."""

REMEMBERED = 1000


class VirtualMotor(VirtualDevice):
    """A motor whose power is the duty cycle of *line*. Its speed and turns are computed when they are read.

    With an H-bridge, it has power in two directions: *power* returns it, from -1 to 1, for the duty cycles of *lines*.
    """

    def __init__(self, *lines: Line, power: Callable[..., float] = lambda duty: duty) -> None:
        self._lines, self._power = lines, power
        self._clock = lines[0].clock
        self._duty = self._power_now()
        self._since = self._clock()
        self._speed = 0.0
        self._turns = 0.0
        self.on_intervals: deque[tuple[float, float | None]] = deque(maxlen=REMEMBERED)
        """The intervals with power: start and end in seconds. The last end is ``None`` while the motor has power."""
        if self.is_on:
            self.on_intervals.append((self._since, None))
        for line in lines:
            line.on_change.append(self._changed)

    @property
    def level(self) -> float:
        """The power of the motor, from 0 to 1, and from -1 for one that turns backward, too."""
        return self._duty

    @property
    def is_on(self) -> bool:
        """Whether the motor has any power."""
        return self._duty != 0

    @property
    def speed(self) -> float:
        """The current speed, as a fraction of the speed at full power."""
        return self._at(self._clock())[0]

    @property
    def turns(self) -> float:
        """The number of turns of the output shaft so far."""
        return self._at(self._clock())[1]

    def state(self) -> object:
        return {"level": round(self.level, 3), "speed": round(self.speed, 3), "turns": round(self.turns, 3)}

    def shows(self) -> Collection[str]:
        """Return ``on`` or ``off``, and for a motor with an H-bridge the direction and the power, such as ``-0.5``."""
        if len(self._lines) == 1 or not self.is_on:
            return ["on" if self.is_on else "off"]
        return ["on", "forward" if self.level > 0 else "backward", f"{self.level:.3g}"]

    def __repr__(self) -> str:
        return f"<VirtualMotor on {self._lines[0].name}, level={self.level:.2f}, speed={self.speed:.2f}>"

    def _at(self, t: float) -> tuple[float, float]:
        # the speed nears the duty exponentially, and the turns are its integral
        passed = t - self._since
        left = exp(-passed / INERTIA_S)
        lag = self._speed - self._duty
        speed = self._duty + lag * left
        return speed, self._turns + TURNS_PER_S * (self._duty * passed + lag * INERTIA_S * (1 - left))

    def _power_now(self) -> float:
        return self._power(*(line.duty for line in self._lines))

    def _changed(self, t: float, _: float) -> None:
        self._speed, self._turns = self._at(t)
        was_on = self.is_on
        self._since, self._duty = t, self._power_now()
        if self.is_on and not was_on:
            self.on_intervals.append((t, None))
        elif was_on and not self.is_on:
            self.on_intervals[-1] = (self.on_intervals[-1][0], t)


def wired(device: FittedDevice[int, Any], board: VirtualBoard) -> VirtualMotor:
    """Return a motor on the pin of *device*, with the pull-down resistor from ``[wiring]``, if there is one."""
    assert device.config is not None
    line = board.pins.line(device.config)
    if board.wiring_of(device).gate_pull_down_ohm:
        line.pull_outside = "down"
    return VirtualMotor(line)


def opened(opening: Opening, board: VirtualBoard) -> VirtualMotor:
    """Return a motor on its pin."""
    return VirtualMotor(board.pins.line(opening.pin))
