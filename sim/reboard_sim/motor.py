"""A motor with inertia on a wire, and what it turns."""

from __future__ import annotations

from collections import deque
from math import exp

from reboard_sim.line import Line

INERTIA_S = 0.25
"""After so long it has made 63 % of the way to its new speed."""

TURNS_PER_S = 2.0
"""At full speed, behind its gears."""

REMEMBERED = 1000


class VirtualMotor:
    """A motor driven by *line*'s duty. Nothing polls: its speed and place are worked out when they are asked for."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._duty = line.duty
        self._since = line.clock()
        self._speed = 0.0
        self._turns = 0.0
        self.on_intervals: deque[tuple[float, float | None]] = deque(maxlen=REMEMBERED)
        """From when to when it was given any power; ``None`` for the end of one that lasts."""
        if self.is_on:
            self.on_intervals.append((self._since, None))
        line.on_change.append(self._changed)

    @property
    def level(self) -> float:
        """The power it is given, 0 to 1."""
        return self._duty

    @property
    def is_on(self) -> bool:
        """Whether it is given any power."""
        return self._duty > 0

    @property
    def speed(self) -> float:
        """How fast it turns now, 0 to 1."""
        return self._at(self._line.clock())[0]

    @property
    def turns(self) -> float:
        """How often it has turned since it was made."""
        return self._at(self._line.clock())[1]

    def __repr__(self) -> str:
        return f"<VirtualMotor on {self._line.name}, level={self.level:.2f}, speed={self.speed:.2f}>"

    def _at(self, t: float) -> tuple[float, float]:
        """Speed and turns at *t*: the speed nears the duty exponentially, and the turns are its integral."""
        passed = t - self._since
        left = exp(-passed / INERTIA_S)
        lag = self._speed - self._duty
        speed = self._duty + lag * left
        return speed, self._turns + TURNS_PER_S * (self._duty * passed + lag * INERTIA_S * (1 - left))

    def _changed(self, t: float, duty: float) -> None:
        self._speed, self._turns = self._at(t)
        was_on = self.is_on
        self._since, self._duty = t, duty
        if self.is_on and not was_on:
            self.on_intervals.append((t, None))
        elif was_on and not self.is_on:
            self.on_intervals[-1] = (self.on_intervals[-1][0], t)
