"""Runs ngspice on a circuit of a table, and reads the voltages and currents that it simulated."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardware.making.spice.netlist import Conditions, element, netlist, node
from reboard.netlist.circuit import Circuit
from reboard.table_config import parse_config
from reboard.wiring.table_netlist import circuit_of

Values = NDArray[np.float64]
MISSING = "ngspice is missing. Install it: sudo apt install ngspice"
FAILED = re.compile(r"(?i)\berror\b|singular|timestep too small|aborted|unrecognized")
MOST_S = 120


class SimulationError(Exception):
    """ngspice is missing, or did not simulate a circuit."""


class Waves:
    """Simulated voltages and currents, at uneven points of *time* in seconds."""

    def __init__(self, columns: Mapping[str, Values], elements: Mapping[str, str]) -> None:
        self._columns = columns
        self._elements = elements
        self.time = columns["time"]

    def volts(self, net: str) -> Values:
        """Return the voltage of a net, such as ``apple.motor: gate``, against the ground of the Pi."""
        return self._columns[f"v({node(net)})"]

    def amperes(self, name: str) -> Values:
        """Return the current into the first terminal of the part *name*, or into the pin of a GPIO net."""
        return self._columns[f"i(v.{self._elements[name]}.vi)"]

    def inside(self, name: str, at: str) -> Values:
        """Return the voltage of a node inside the model of the part *name*, such as the heat ``h`` of a fuse."""
        return self._columns[f"v({self._elements[name]}.{at})"]

    def between(self, start_s: float, end_s: float) -> Waves:
        """Return the time from *start_s* to *end_s*."""
        kept = (self.time >= start_s) & (self.time <= end_s)
        return Waves({name: values[kept] for name, values in self._columns.items()}, self._elements)

    def first(self, holds: NDArray[np.bool_]) -> float:
        """Return the first time at which *holds* is true, or infinity."""
        return float(self.time[np.argmax(holds)]) if holds.any() else float("inf")


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table (the text of its config), simulated for *stop_s* seconds in steps of *step_s* at most.

    *conditions* are the parameters of its parts and pins, *more* are further lines of SPICE.
    """

    table: str
    conditions: Conditions = field(default_factory=dict)
    stop_s: float = 1e-3
    step_s: float = 1e-6
    more: str = ""

    @property
    def circuit(self) -> Circuit:
        """The circuit of the table."""
        return circuit_of(parse_config(tomllib.loads(self.table), path=Path("table.toml")))

    def deck(self) -> str:
        """Return everything that ngspice reads."""
        return (
            f"* {' '.join(self.table.split())}\n{netlist(self.circuit, self.conditions)}{self.more}\n"
            f"{control(self.stop_s, self.step_s)}"
        )

    def waves(self) -> Waves:
        """Simulate the table. Raises `SimulationError`."""
        circuit = self.circuit
        elements = {part.name: element(part) for part in circuit.parts}
        return Waves(simulated(self.deck()), elements | {net: f"x{node(net)}" for net in circuit.used_pins()})


def control(stop_s: float, step_s: float) -> str:
    """Return the end of a deck: its commands to ngspice."""
    return (
        # the trapezoidal rule lets currents ring when a contact closes
        ".options method=gear\n"
        f".control\nset filetype=binary\ntran {step_s:g} {stop_s:g} 0 {step_s:g}\nwrite out.raw\n"
        # without it a run without .plot ends with an error
        "quit 0\n.endc\n.end\n"
    )


@lru_cache(maxsize=8)
def simulated(deck: str) -> Mapping[str, Values]:
    """Return what ngspice simulates for a *deck*, keyed by its names. Raises `SimulationError`."""
    if not shutil.which("ngspice"):
        raise SimulationError(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "deck.cir").write_text(deck, encoding="utf-8")
        command = ["ngspice", "-b", "-n", "deck.cir"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=MOST_S, check=False)
        output, out = done.stdout + done.stderr, Path(folder, "out.raw")
        # it ends with 0 after most errors too
        if done.returncode or FAILED.search(output) or not out.exists():
            raise SimulationError(f"ngspice did not simulate {deck.partition(chr(10))[0]}:\n{output[-3000:]}")
        head, _, data = out.read_bytes().partition(b"Binary:\n")
        names = re.findall(r"^\t\d+\t(.+)\t\w+$", head.decode(), re.MULTILINE)
        return dict(zip(names, np.frombuffer(data).reshape(-1, len(names)).T, strict=True))
