"""One wire of the virtual Pi's header, below the pin: what the copper sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from reboard_sim.tape import Tape

Pull = Literal["up", "down"]

REMEMBERED = 20_000
"""How many of the latest changes a line remembers: two hours of play without a pause, and 2 MB."""

PI: object = "the Pi"


@dataclass(frozen=True, slots=True)
class Short:
    """At *t* seconds two things drove the joined *lines* against each other."""

    t: float
    lines: tuple[str, ...]


class Line:
    """A wire that may be driven from several sides, pulled up or down, and joined to other wires.

    Whoever drives wins over the pull-ups and pull-downs, a resistor outside over the Pi's own weak one, and a wire
    that nothing holds keeps the level it had. Its level is a duty cycle: 0 or 1, or between for pulse width.
    ``on_change`` is called with the time and the new duty. Where drivers disagree the lower wins and `Short` is told.
    """

    def __init__(self, name: str, clock: Callable[[], float], shorted: Callable[[Short], None], pull: Pull) -> None:
        self.name = name
        self.clock = clock
        self.duty = 1.0 if pull == "up" else 0.0
        self.timeline: Tape[tuple[float, float]] = Tape(REMEMBERED)
        self.timeline.append((clock(), self.duty))
        self.on_change: list[Callable[[float, float], None]] = []
        self._told_short = shorted
        self._is_short = False
        self._drivers: dict[object, float] = {}
        self._pull: Pull | None = pull
        self._pull_outside: Pull | None = None
        self._touching: set[Line] = set()

    @property
    def level(self) -> bool:
        """Whether the wire is high, or high at all when it is pulsed."""
        return self.duty > 0

    @property
    def is_output(self) -> bool:
        """Whether the Pi drives it."""
        return PI in self._drivers

    @property
    def pull_outside(self) -> Pull | None:
        """The resistor that the drawing puts on this wire."""
        return self._pull_outside

    @pull_outside.setter
    def pull_outside(self, pull: Pull | None) -> None:
        self._pull_outside = pull
        self._settle()

    def drive(self, level: bool | None, by: object = "a hand") -> None:
        """Hold the wire high or low from outside, or (``None``) let go of it. Each *by* holds on its own."""
        self._hold(by, None if level is None else float(level))

    def set_pin(self, output: float | None, pull: Pull | None) -> None:
        """The Pi's side: what its pin drives (a duty; ``None`` for an input) and pulls."""
        if (output, pull) != (self._drivers.get(PI), self._pull):
            self._pull = pull
            self._hold(PI, output)

    def join(self, other: Line) -> None:
        """Let the two wires touch."""
        self._touching.add(other)
        other._touching.add(self)
        self._settle()

    def part(self, other: Line) -> None:
        """Let the two wires touch no longer."""
        self._touching.discard(other)
        other._touching.discard(self)
        self._settle()
        other._settle()

    def __repr__(self) -> str:
        return f"<Line {self.name}, duty={self.duty:g}>"

    def _hold(self, by: object, duty: float | None) -> None:
        self._drivers.pop(by, None)
        if duty is not None:
            self._drivers[by] = duty
        self._settle()

    def _settle(self) -> None:
        joined = self._joined() if self._touching else [self]
        drives = [duty for line in joined for duty in line._drivers.values()]
        is_short = len(set(drives)) > 1
        if is_short and not all(line._is_short for line in joined):
            self._told_short(Short(self.clock(), tuple(sorted(line.name for line in joined))))
        duty = min(drives) if drives else self._pulled(joined)
        changed = [line for line in joined if line.duty != duty]
        now = self.clock()
        for line in joined:
            line._is_short = is_short
        for line in changed:
            line.duty = duty
            line.timeline.append((now, duty))
        for line in changed:
            for listener in tuple(line.on_change):
                listener(now, duty)

    def _joined(self) -> list[Line]:
        joined = [self]
        for line in joined:  # grows while it is walked
            joined += [other for other in line._touching if other not in joined]
        return joined

    @staticmethod
    def _pulled(joined: list[Line]) -> float:
        pulls = {line._pull_outside for line in joined} - {None} or {line._pull for line in joined} - {None}
        if pulls:
            return 0.0 if "down" in pulls else 1.0
        return min(line.duty for line in joined)
