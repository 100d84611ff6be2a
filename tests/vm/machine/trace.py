"""The kernel's trace: what programs wrote to a line and to the display, by the kernel's clock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from reboard_sim.devices.displays.hd44780 import Hd44780, Pcf8574
from tests.vm.machine.inside import Inside

TRACING = "/sys/kernel/tracing"

ENTRY = re.compile(r"\s*.+-\d+\s+\[\d+\] \S+\s+(?P<t>\d+\.\d+): (?P<event>\w+): (?P<text>.*)")

EVENTS = {
    "gpio_value": ("gpio", re.compile(r"(?P<gpio>\d+) set (?P<value>[01])")),
    "mark_victim": ("oom", re.compile(r"pid=(?P<pid>\d+)")),
    # the kernel shows the length of a block as its first byte
    "smbus_write": (
        "smbus",
        re.compile(
            r"i2c-(?P<bus>\d+) a=(?P<address>\w+) f=\w+ c=(?P<first>\w+) I2C_BLOCK_DATA l=\d+ "
            r"\[\w\w-(?P<others>[\w-]+)\]"
        ),
    ),
}
"""The kernel's folder of each traced event, and the values in its text."""

KERNEL_OPTIONS = (
    f"trace_event={','.join(f'{folder}:{event}' for event, (folder, _) in EVENTS.items())}"
    " trace_clock=mono trace_buf_size=16M trace_options=nooverwrite"
)


class Entry(NamedTuple):
    """An event at *t*, in seconds of the machine's clock."""

    t: float
    values: dict[str, str]


class Trace:
    """The trace since the kernel's start."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    def watch_function(self, name: str, place: str) -> None:
        """Trace every call of a function in a program or a library. *place* is ``file:offset``."""
        self._inside.sh(f"echo 'p:{name} {place}' >> {TRACING}/uprobe_events")
        self._inside.perform([(f"{TRACING}/events/uprobes/{name}/enable", "1")])

    def filter(self, event: str, condition: str) -> None:
        """Trace an event only where a condition of the kernel's language holds."""
        self._inside.perform([(f"{TRACING}/events/{EVENTS[event][0]}/{event}/filter", condition)])

    def entries(self, event: str) -> Sequence[Entry]:
        """All entries of this event, oldest first."""
        _, pattern = EVENTS.get(event, ("", re.compile("")))
        found = []
        for line in self._inside.must("cat", f"{TRACING}/trace").splitlines():
            entry = ENTRY.match(line)
            if entry and entry["event"] == event and (values := pattern.match(entry["text"])):
                found.append(Entry(float(entry["t"]), values.groupdict()))
        return sorted(found, key=lambda entry: entry.t)

    def display_lines(self, *, bus: int, address: int, dip_at: float = inf) -> list[str]:
        """The two lines of the display: the traced bytes, shown by the simulator's display.

        At *dip_at*, that display loses power for a moment, and gets a spark.
        """
        backpack = Pcf8574(Hd44780())
        backpack.power(True)
        for entry in self.entries("smbus_write"):
            if entry.t > dip_at:
                dip_at = inf
                backpack.lcd.dip()
                backpack.spark()
            if (int(entry.values["bus"]), int(entry.values["address"], 16)) == (bus, address):
                sent = (entry.values["first"], *entry.values["others"].split("-"))
                backpack.receive(bytes(int(byte, 16) for byte in sent))
        return [line.rstrip() for line in backpack.lcd.lines()]
