"""What the machine's kernel has noted: who wrote what to a line and to the display, on the kernel's own clock."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.vm.machine.inside import Inside

TRACING = "/sys/kernel/tracing"

ENTRY = re.compile(r"\s*.+-(?P<thread>\d+)\s+\[\d+\] \S+\s+(?P<t>\d+\.\d+): (?P<event>\w+): (?P<said>.*)")

EVENTS: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "gpio_value": ("gpio", re.compile(r"(?P<gpio>\d+) set (?P<value>[01])")),
    "mark_victim": ("oom", re.compile(r"pid=(?P<pid>\d+)")),
    "smbus_write": ("smbus", re.compile(r"i2c-(?P<bus>\d+) a=(?P<address>\w+) f=\w+ c=(?P<byte>\w+) BYTE ")),
}
"""What is noted of each event: where the kernel keeps it, and what is read out of what it says."""

ANYTHING = re.compile("")
NOTED = (
    f"trace_event={','.join(f'{EVENTS[event][0]}:{event}' for event in EVENTS)}"
    " trace_clock=mono trace_buf_size=16M trace_options=nooverwrite"
)
"""What the kernel is told at its start: to note what is always wanted, on the clock by which hands work."""


class Entry(NamedTuple):
    """At *t*, in seconds of the machine's clock, *thread* did something."""

    t: float
    thread: int
    values: Mapping[str, str]


class Trace:
    """The kernel's notes since it was started."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    def watch_function(self, name: str, place: str) -> None:
        """Note from now on every call of a function in a program or a library: *place* is ``file:offset``."""
        self._inside.must("sh", "-c", f"echo 'p:{name} {place}' >> {TRACING}/uprobe_events")
        self._inside.perform([(f"{TRACING}/events/uprobes/{name}/enable", "1")])

    def filter(self, event: str, condition: str) -> None:
        """Note an event only where a condition holds, which is written as the kernel wants it."""
        self._inside.perform([(f"{TRACING}/events/{EVENTS[event][0]}/{event}/filter", condition)])

    def entries(self, event: str) -> Sequence[Entry]:
        """All that was noted of this event, oldest first, until there was no more room."""
        pattern = EVENTS[event][1] if event in EVENTS else ANYTHING
        found = []
        for line in self._inside.must("cat", f"{TRACING}/trace").splitlines():
            entry = ENTRY.match(line)
            if entry and entry["event"] == event and (values := pattern.match(entry["said"])):
                found.append(Entry(float(entry["t"]), int(entry["thread"]), values.groupdict()))
        return sorted(found, key=lambda entry: entry.t)
