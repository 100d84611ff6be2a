"""What the wires did, as a VCD file: GTKWave, PulseView and other logic analysers open it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, TextIO

from vcd import VCDWriter
from vcd.writer import Variable

TICKS_PER_S = 1_000_000


Timeline = Sequence[tuple[float, float]]
"""What one line did: its duty from each of these seconds on."""


def write_vcd(file: TextIO, timelines: Mapping[str, Timeline], until: float) -> None:
    """Write what lines did, by their names, from the clock's zero to *until* seconds, to the microsecond.

    Every line is a wire; one that was pulsed has its duty cycle (0 to 1) beside it as a real number, ``NAME_duty``,
    and its wire is 1 while it is pulsed at all. What a line no longer remembers is ``x``.
    """
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
