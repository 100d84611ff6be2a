"""The machine's 40-pin header, seen from the other side: who presses, and what the lines did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reboard.devices.keypad import LEGEND, KeypadConfig
from tests.vm.machine.inside import Inside, Step
from tests.vm.machine.trace import Trace

CHIP = "/sys/bus/gpio/devices/gpiochip0"
SWITCHES = "/sys/kernel/switches"
LINES = 54

TAP_S = 0.08
PRESS_S = 0.1
PULL_S = 0.15
"""How long hands take, as `reboard_sim.plays.acts` has it."""


class Edge(NamedTuple):
    """At *t*, in seconds of the machine's clock, *thread* wrote this *level* to a line."""

    t: float
    level: bool
    thread: int


class Header:
    """The lines, by their BCM numbers. Contacts close to ground; a keypad's keys join a row to a column."""

    def __init__(self, inside: Inside, trace: Trace) -> None:
        self._inside = inside
        self._trace = trace
        self._first = int(inside.must("sh", "-c", "cat /sys/class/gpio/gpiochip*/base"))

    def note_only(self, *lines: int) -> None:
        """Have the trace note no lines but these from now on: a keypad that is read moves eight all the time."""
        those = " || ".join(f"gpio == {self._first + line}" for line in lines)
        self._trace.filter("gpio_value", f"get == 0 && ({those})")

    def close_contact(self, line: int) -> float:
        """Press a button, or pull a lever back. When, in seconds of the machine's clock."""
        return self._inside.perform([self._contact(line, closed=True)])[0]

    def open_contact(self, line: int) -> float:
        """Let it go. When, in seconds of the machine's clock."""
        return self._inside.perform([self._contact(line, closed=False)])[0]

    def press(self, line: int, seconds: float = PRESS_S) -> float:
        """Press a button for so long. When it was pressed, in seconds of the machine's clock."""
        steps: list[Step] = [self._contact(line, closed=True), seconds, self._contact(line, closed=False)]
        return self._inside.perform(steps)[0]

    def type_keys(self, keypad: KeypadConfig, keys: Iterable[str]) -> None:
        """Tap these keys, one after the other."""
        steps: list[Step] = []
        for key in keys:
            steps += [*self._key(keypad, key, closed=True), TAP_S, *self._key(keypad, key, closed=False), TAP_S]
        self._inside.perform(steps)

    def level(self, line: int) -> bool:
        """Whether a line is high now."""
        return self._inside.must("cat", self.value_file(line)) == "1"

    @staticmethod
    def value_file(line: int) -> str:
        """The file inside the machine that says 1 while a line is high."""
        return f"{CHIP}/sim_gpio{line}/value"

    def edges(self, line: int, *, since: float = 0.0) -> Sequence[Edge]:
        """What programs wrote to a line from *since* on, by the machine's clock, where it was not so before."""
        edges: list[Edge] = []
        for entry in self._trace.entries("gpio_value"):
            number, level = int(entry.values["gpio"]), entry.values["value"] == "1"
            if number == self._first + line and (not edges or edges[-1].level != level):
                edges.append(Edge(entry.t, level, entry.thread))
        return [edge for edge in edges if edge.t >= since]

    @staticmethod
    def _contact(line: int, *, closed: bool) -> Step:
        return _switch(closed=closed), str(line)

    @staticmethod
    def _key(keypad: KeypadConfig, key: str, *, closed: bool) -> list[Step]:
        [(row, column)] = [(row, keys.index(key)) for row, keys in enumerate(LEGEND) if key in keys]
        joined = f"{keypad.rows[row]} {keypad.columns[column]}"
        return [(_switch(closed=closed), joined)]


def _switch(*, closed: bool) -> str:
    return f"{SWITCHES}/{'close' if closed else 'open'}"
