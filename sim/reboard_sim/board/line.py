"""The electrical lines of a virtual board, their history, and its export as a VCD file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, Literal, TextIO, TypeVar

if TYPE_CHECKING:
    from vcd.writer import Variable

T = TypeVar("T")


class Tape(Generic[T]):
    """A list that keeps only its latest *length* items. `end` is the number of items ever added.

    The place of an item is the number of items that were added before it.
    """

    def __init__(self, length: int) -> None:
        self._kept: deque[T] = deque(maxlen=length)
        self.end = 0

    def append(self, one: T) -> None:
        """Add an item, and drop the oldest one if the tape is full."""
        self._kept.append(one)
        self.end += 1

    def since(self, place: int) -> list[T]:
        """Return the kept items from *place* on, oldest first."""
        latest = list(islice(reversed(self._kept), max(0, self.end - place)))
        latest.reverse()
        return latest

    def news(self, place: int) -> tuple[list[T], int]:
        """Return the kept items from *place* on, and the place for the next call."""
        return self.since(place), self.end

    def __iter__(self) -> Iterator[T]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> T:
        return self._kept[index]


Pull = Literal["up", "down"]

REMEMBERED = 20_000
"""The maximum number of changes that a line keeps. They take 2 MB, and cover two hours of play without a pause."""

PI: object = "the Pi"


@dataclass(frozen=True, slots=True)
class Short:
    """A short circuit at *t* seconds: two drivers set the connected *lines* (their names) to different levels."""

    t: float
    lines: tuple[str, ...]


class Line:
    """An electrical line. Drivers set its level, resistors pull it up or down, and it can be connected to other lines.

    A driver is stronger than every pull resistor, and an external resistor is stronger than the Pi's. A floating line
    keeps its level. The level is a duty cycle: 0, 1, or a value between them for pulse width modulation. Listeners in
    ``on_change`` get the time and the new duty cycle. If two drivers differ, the lower level wins, and the function
    *shorted* gets a `Short`.
    """

    def __init__(self, name: str, clock: Callable[[], float], shorted: Callable[[Short], None], pull: Pull) -> None:
        self.name = name
        self.clock = clock
        self.duty = 1.0 if pull == "up" else 0.0
        self.hz = 0.0
        """The frequency of the Pi's pulses."""
        self.timeline: Tape[tuple[float, float]] = Tape(REMEMBERED)
        self.timeline.append((clock(), self.duty))
        self.on_change: list[Callable[[float, float], None]] = []
        self.on_output: list[Callable[[float | None], None]] = []
        """The functions that get the new output of the Pi's pin, or ``None`` for an input."""
        self._report_short = shorted
        self._is_short = False
        self._drivers: dict[object, float] = {}
        self._pull: Pull | None = pull
        self._pull_outside: Pull | None = None
        self._is_powered = True
        self._touching: set[Line] = set()

    @property
    def level(self) -> bool:
        """Whether the duty cycle of the line is above 0."""
        return self.duty > 0

    @property
    def is_output(self) -> bool:
        """Whether the Pi drives the line."""
        return PI in self._drivers

    @property
    def pull_outside(self) -> Pull | None:
        """The direction of the external pull resistor on this line, or ``None`` if there is none."""
        return self._pull_outside

    @pull_outside.setter
    def pull_outside(self, pull: Pull | None) -> None:
        self._pull_outside = pull
        self._settle()

    def drive(self, level: bool | None, by: object = "a user") -> None:
        """Drive the line high or low as the driver *by*, or release it if *level* is ``None``."""
        self.drive_duty(None if level is None else float(level), by)

    def drive_duty(self, duty: float | None, by: object = "a user") -> None:
        """Drive the line with a duty cycle, as `drive` does with a level."""
        self._hold(by, duty)

    def set_pin(self, output: float | None, pull: Pull | None) -> None:
        """Set the output of the Pi's pin (a duty cycle, or ``None`` for an input) and its pull resistor."""
        before = self._drivers.get(PI)
        if (output, pull) != (before, self._pull):
            self._pull = pull
            self._hold(PI, output)
        if output != before:
            for listener in tuple(self.on_output):
                listener(output)

    def power(self, pull: Pull | None) -> None:
        """Switch the Pi on, which pulls its pin, now an input, by *pull*. With ``None`` switch it off.

        Without its 3.3 V, no resistor holds the line up.
        """
        self._is_powered = pull is not None
        self._pull = pull or "down"
        self._hold(PI, None)

    def join(self, other: Line) -> None:
        """Connect this line to *other*, so that both have the same level."""
        self._touching.add(other)
        other._touching.add(self)
        self._settle()

    def part(self, other: Line) -> None:
        """Disconnect this line from *other*."""
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
        if self._touching or len(self._drivers) > 1:
            self._settle_joined()
            return
        self._is_short = False
        duty = next(iter(self._drivers.values())) if self._drivers else self._pulled([self])
        if duty != self.duty:
            now = self.clock()
            self.duty = duty
            self.timeline.append((now, duty))
            for listener in tuple(self.on_change):
                listener(now, duty)

    def _settle_joined(self) -> None:
        joined = self._joined()
        drives = [duty for line in joined for duty in line._drivers.values()]
        is_short = len(set(drives)) > 1
        if is_short and not all(line._is_short for line in joined):
            self._report_short(Short(self.clock(), tuple(sorted(line.name for line in joined))))
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
        for line in joined:  # grows during the loop
            joined += [other for other in line._touching if other not in joined]
        return joined

    @staticmethod
    def _pulled(joined: list[Line]) -> float:
        outside = {line._pull_outside for line in joined if line._is_powered or line._pull_outside == "down"} - {None}
        pulls = outside or {line._pull for line in joined} - {None}
        if pulls:
            return 0.0 if "down" in pulls else 1.0
        return min(line.duty for line in joined)


TICKS_PER_S = 1_000_000


Timeline = Sequence[tuple[float, float]]
"""The history of a line: each item is a time in seconds and the duty cycle from this time on."""


def write_vcd(file: TextIO, timelines: Mapping[str, Timeline], until: float) -> None:
    """Write the history of lines from 0 to *until* seconds as a VCD file with a resolution of 1 µs.

    *timelines* has the histories, keyed by line name. Each line is a variable of the type ``wire``, which is 1 while
    the duty cycle is above 0. A pulsed line also has the variable ``NAME_duty`` with its duty cycle as a real number. A
    line is ``x`` before its oldest kept change.
    """
    # imported here because a play without a recording does not need the library
    from vcd import VCDWriter

    with VCDWriter(file, timescale="1 us", date="", version="reboard-sim") as writer:
        changes: list[tuple[float, Variable[Any], float]] = []
        for name, timeline in timelines.items():
            name = name.replace(" ", "_")
            wire = writer.register_var("table", name, "wire", size=1)
            changes += [(t, wire, duty > 0) for t, duty in timeline]
            if any(0 < duty < 1 for _, duty in timeline):
                real = writer.register_var("table", f"{name}_duty", "real")
                changes += [(t, real, duty) for t, duty in timeline]
        for t, variable, value in sorted(changes, key=itemgetter(0)):
            if t <= until:
                writer.change(variable, round(t * TICKS_PER_S), value)
        writer.close(round(until * TICKS_PER_S))
