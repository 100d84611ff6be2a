"""The machine's 40-pin header from outside: switches are closed, and the levels of lines are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reboard.devices.keypad import LEGEND, KeypadConfig
from reboard.devices.spi_bus import SpiConfig
from tests.vm.machine.inside import Inside, Step
from tests.vm.machine.trace import Trace

TAP_S = 0.08
PRESS_S = 0.1
"""As a user of `reboard_sim` does it."""


class Edge(NamedTuple):
    """A program wrote another *level* to a line at *t*, in seconds of the machine's clock."""

    t: float
    level: bool


def value_file(line: int) -> str:
    """The file in the machine that contains 1 while a line is high."""
    return f"/sys/bus/gpio/devices/gpiochip0/sim_gpio{line}/value"


class Header:
    """The lines, by their BCM numbers. A contact closes to ground; a key joins a row of the keypad to a column."""

    def __init__(self, inside: Inside, trace: Trace) -> None:
        self._inside = inside
        self._trace = trace
        self._first = int(inside.sh("cat /sys/class/gpio/gpiochip*/base"))

    def trace_only(self, *lines: int) -> None:
        """Trace only these lines: a scanned keypad moves eight all the time."""
        those = " || ".join(f"gpio == {self._first + line}" for line in lines)
        self._trace.filter("gpio_value", f"get == 0 && ({those})")

    def contact(self, act: str, line: int) -> float:
        """``close`` or ``open`` a button or a lever's contact; return when, by the machine's clock."""
        return self._inside.perform([_switch(act, line)])[0]

    def press(self, line: int) -> float:
        """Press a button for a moment; return when, by the machine's clock."""
        return self._inside.perform([_switch("close", line), PRESS_S, _switch("open", line)])[0]

    def spike(self, line: int) -> float:
        """Close a contact for as short as possible; return for how long, by the machine's clock."""
        closed_at, opened_at = self._inside.perform([_switch("close", line), _switch("open", line)])
        return opened_at - closed_at

    def type_keys(self, keypad: KeypadConfig, keys: Iterable[str]) -> None:
        steps: list[Step] = []
        for key in keys:
            [(row, column)] = [(row, legend.index(key)) for row, legend in enumerate(LEGEND) if key in legend]
            joined = (keypad.rows[row], keypad.columns[column])
            steps += [_switch("close", *joined), TAP_S, _switch("open", *joined), TAP_S]
        self._inside.perform(steps)

    def level(self, line: int) -> bool:
        return self._inside.must("cat", value_file(line)) == "1"

    def edges(self, line: int, *, since: float = 0.0) -> Sequence[Edge]:
        """The changes of a line by programs, from *since* on, by the machine's clock."""
        edges: list[Edge] = []
        for entry in self._trace.entries("gpio_value"):
            number, level = int(entry.values["gpio"]), entry.values["value"] == "1"
            if number == self._first + line and (not edges or edges[-1].level != level):
                edges.append(Edge(entry.t, level))
        return [edge for edge in edges if edge.t >= since]

    def shifted(self, chip: SpiConfig) -> Sequence[bytes]:
        """The bytes that a chip on the SPI bus was sent, for each time that it was selected."""
        names = {f"{self._first + line}": name for name, line in chip.pins.items()}
        sent: list[bytes] = []
        din = bits = ""
        for entry in self._trace.entries("gpio_value"):
            match names.get(entry.values["gpio"]), entry.values["value"]:
                case "din", level:
                    din = level
                case "clk", "1":
                    bits += din
                case "cs", "0":
                    bits = ""
                case "cs", "1" if bits:
                    sent.append(int(bits, 2).to_bytes(len(bits) // 8))
                    bits = ""
        return sent


def _switch(act: str, *lines: int) -> Step:
    return f"/sys/kernel/switches/{act}", " ".join(map(str, lines))
