"""The simulated figures: what each is, how it is measured, and in which documents it is quoted.

``hardware/spice/figures.toml`` keeps them, so that the documents can be compared without ngspice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hardware.making import made
from hardware.making.spice import experiments as try_
from hardware.making.spice.measures import (
    GATE,
    MINUS,
    PLUS,
    Measure,
    above_supply,
    current,
    display_low,
    fuse_heat,
    highest,
    last,
    low_level,
    lowest_after_start,
    motor_watts,
    peak,
    release_s,
    rise_s,
    start_s,
    trip_s,
    wetting,
)
from hardware.making.spice.netlist import FOLDER
from hardware.making.spice.ngspice import Experiment

FILE = FOLDER / "figures.toml"
READER_LINE = "bank.left: line RX"
WIRING, HARDWARE, APPLE = "docs/wiring.md", "docs/decisions/hardware.md", "hardware/guides/worm-apple.md"
SCALES = {"m": 1e3, "µ": 1e6, "n": 1e9, "%": 100.0}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: *what* it is in which *unit*, and how *measure* reads it, in V, A, W or s, from an experiment.

    *quoted* are the documents that have it, rounded to two digits.
    """

    what: str
    unit: str
    experiment: Experiment
    measure: Measure
    quoted: tuple[str, ...] = ()

    def simulate(self) -> float:
        """Return the value in the figure's unit. Raises `SimulationError`."""
        return float(self.measure(self.experiment.waves())) * SCALES.get(self.unit[0], 1.0)

    def text(self, value: float) -> str:
        """Return *value* as documents have it: two digits and the unit."""
        return f"{float(f'{value:.2g}'):g} {self.unit}"


START = {supply: try_.start(supply) for supply in ("batteries", "second", "5V")}
STALL = {supply: try_.start(supply, stalled=True, stop_s=120) for supply in START}
PRESS = try_.press(try_.BUTTON, "button", "GPIO17")
CARD = try_.press(try_.CARD_SWITCHES, "left switch 1", "GPIO7", pull="")
LEAKING, PULLED = f"leak={try_.LEAK_A:g}", f"up={try_.STRONGEST_PULL_OHM:g}"

FIGURES = {
    "gate_at_boot": Figure(
        "gate, when the batteries are connected and the Pi holds the pin low with 50 kΩ",
        "V",
        try_.gate("down=50k"),
        highest(GATE),
    ),
    "gate_undriven": Figure("gate, pin not driven, 10 µA of leakage", "V", try_.gate(LEAKING), last(GATE), (HARDWARE,)),
    "gate_pulled_up": Figure(
        "gate, pin pulled up with 33 kΩ, as 0 to 8 at boot", "V", try_.gate(PULLED), last(GATE), (HARDWARE,)
    ),
    "gate_alone": Figure(
        "motor, pin not driven, no resistor from gate to ground",
        "A",
        try_.gate(LEAKING, gate_pull_down_ohm=0),
        peak("motor"),
        (HARDWARE,),
    ),
    "gate_on": Figure("gate, pin high", "V", START["batteries"], last(GATE)),
    "start_cells": Figure("motor's start, three cells", "A", START["batteries"], peak("motor"), (HARDWARE, APPLE)),
    "start_second": Figure("motor's start, second supply", "A", START["second"], peak("motor")),
    "start_5v": Figure("motor's start, 5 V of the Pi", "A", START["5V"], peak("motor"), (HARDWARE,)),
    "start_lasts": Figure(
        "motor's start, to 0.9 of its speed, three cells", "s", START["batteries"], start_s, (HARDWARE,)
    ),
    "start_sag": Figure(
        "motor's +, lowest at the start, three cells", "V", START["batteries"], lowest_after_start(PLUS), (HARDWARE,)
    ),
    "start_sag_5v": Figure(
        "5 V of the Pi at the motor's start, Pi at its peak of 0.7 A",
        "V",
        try_.start("5V", pi="amperes=0.7"),
        lowest_after_start("5V"),
        (HARDWARE,),
    ),
    "stall_cells": Figure("stalled motor, three cells", "A", STALL["batteries"], current("motor"), (HARDWARE,)),
    "stall_5v": Figure("stalled motor, 5 V of the Pi", "A", STALL["5V"], current("motor"), (HARDWARE,)),
    "stall_second": Figure("stalled motor, second supply", "A", STALL["second"], current("motor")),
    "stall_fuse": Figure(
        "fuse's heat after 120 s of a stalled motor on three cells, of what trips it",
        "%",
        STALL["batteries"],
        fuse_heat,
        (HARDWARE,),
    ),
    "stall_fuse_5v": Figure(
        "fuse's heat after 120 s of a stalled motor on 5 V, of what trips it",
        "%",
        STALL["5V"],
        fuse_heat,
        (HARDWARE,),
    ),
    "stall_watts": Figure(
        "heat of a motor that is stalled on three cells",
        "W",
        STALL["batteries"],
        motor_watts,
        (HARDWARE,),
    ),
    "short_trips": Figure("fuse trips after a short circuit of three cells", "s", try_.short(), trip_s, (HARDWARE,)),
    "short_after": Figure(
        "short circuit of three cells behind a tripped fuse", "A", try_.short(), current("fuse"), (HARDWARE,)
    ),
    "swapped_cells": Figure(
        "flyback diode, wires of the three cells swapped",
        "A",
        try_.swapped_cells(),
        peak("flyback diode"),
        ("hardware/guides/all-three.md",),
    ),
    "flyback": Figure(
        "drain above the motor's +, stalled motor switched off", "V", try_.stop(), above_supply, (HARDWARE,)
    ),
    "flyback_peak": Figure("flyback diode, stalled motor switched off", "A", try_.stop(), peak("flyback diode")),
    "flyback_none": Figure("drain, no flyback diode", "V", try_.stop(flyback_diode=False), highest(MINUS), (HARDWARE,)),
    "line_low": Figure("pin of a pressed button", "V", PRESS, low_level("GPIO17")),
    "line_current": Figure("through a pressed button", "mA", PRESS, wetting("button"), (WIRING,)),
    "line_release": Figure("button's pin is high after its release", "ms", PRESS, release_s("GPIO17")),
    "line_contact": Figure("through a button as it closes, from its capacitor", "A", PRESS, peak("button")),
    "card_current": Figure(
        "through a closed card switch", "mA", CARD, wetting("left switch 1"), (WIRING, "docs/readers.md")
    ),
    "card_release": Figure("card switch's pin is high after it opens", "ms", CARD, release_s("GPIO7")),
    "bare_current": Figure(
        "through a pressed button with only the Pi's pull-up",
        "mA",
        try_.press(try_.UNPROTECTED, "button", "GPIO17"),
        wetting("button"),
        (WIRING,),
    ),
    "swapped": Figure(
        "lamp's pin on the line of a pressed button", "mA", try_.swapped(try_.BUTTON), current("GPIO17"), (WIRING,)
    ),
    "swapped_bare": Figure(
        "lamp's pin on a pressed button", "mA", try_.swapped(try_.UNPROTECTED), current("GPIO17"), (WIRING,)
    ),
    "static": Figure(
        "pin's diode, 8 kV into the line",
        "mA",
        try_.static(try_.BUTTON),
        peak("GPIO17"),
        (WIRING,),
    ),
    "static_bare": Figure(
        "pin's diode, 8 kV into the pin", "A", try_.static(try_.UNPROTECTED), peak("GPIO17"), (WIRING,)
    ),
    "display_low": Figure("SDA of the Pi while the display answers", "V", try_.display(), display_low("GPIO2")),
    "display_rise": Figure("SDA's rise", "µs", try_.display(), rise_s("GPIO2", 3.3)),
    "shifted_low": Figure(
        "SDA of the Pi while a display on 5 V answers, behind a level shifter",
        "V",
        try_.display("5V", level_shifter=True),
        display_low("GPIO2"),
        (HARDWARE,),
    ),
    "shifted_high": Figure(
        "SDA of the Pi behind a level shifter", "V", try_.display("5V", level_shifter=True), highest("GPIO2")
    ),
    "shifted_rise": Figure(
        "SDA's rise behind a level shifter", "µs", try_.display("5V", level_shifter=True), rise_s("GPIO2", 3.3)
    ),
    "unshifted_high": Figure(
        "SDA of the Pi, display on 5 V without a level shifter", "V", try_.display("5V"), highest("GPIO2"), (HARDWARE,)
    ),
    "divider_high": Figure(
        "RX of an adapter behind the divider of an RDM6300 on 5 V",
        "V",
        try_.reader("rdm6300"),
        highest(READER_LINE),
        (HARDWARE,),
    ),
    "divider_rise": Figure(
        "edge behind the divider at 115200 baud (PN532); a bit lasts 8.7 µs",
        "µs",
        try_.reader("pn532"),
        rise_s(READER_LINE, 3.2),
        (HARDWARE,),
    ),
    "undivided": Figure(
        "into the pin's diode, RDM6300 with 5 V on GPIO15 without a divider",
        "mA",
        try_.reader("rdm6300", "/dev/serial0", divider=False),
        peak("GPIO15"),
        (HARDWARE,),
    ),
    "lamp": Figure("red LED on a pin, 330 Ω", "mA", try_.lamp(), current("lamp"), (WIRING,)),
    "lamp_at_boot": Figure(
        "red LED on a pin that is pulled up with 50 kΩ", "mA", try_.lamp(pin="up=50k", lamp_pin=5), current("lamp")
    ),
    "lamp_white_pin": Figure(
        "white LED of 3.2 V on a pin, 330 Ω", "mA", try_.lamp(led="vf=3.2 at_ma=20"), current("lamp"), (WIRING,)
    ),
    "lamp_red": Figure(
        "red LED behind a transistor, 150 Ω", "mA", try_.lamp("transistor", 150), current("lamp"), (WIRING,)
    ),
    "lamp_white": Figure(
        "white LED of 2.8 V behind a transistor, 110 Ω",
        "mA",
        try_.lamp("transistor", 110, "vf=2.8 at_ma=20"),
        current("lamp"),
        (WIRING,),
    ),
}

HEAD = """\
# Simulated by ngspice with models.toml; written by `python -m hardware.making spice`, simulated again by `make spice`.
"""


def made_from() -> Iterator[bytes | Path]:
    """Yield all that ngspice reads for the figures, and our code."""
    for figure in FIGURES.values():
        yield figure.experiment.deck().encode()
    yield from sorted(Path(__file__).parent.glob("*.py"))


def kept() -> dict[str, float]:
    """Return the values of the kept figures, keyed by name."""
    return {name: entry["value"] for name, entry in tomllib.loads(FILE.read_text(encoding="utf-8")).items()}


def write() -> list[Path]:
    """Simulate all figures and keep them. Raises `SimulationError`."""
    lines = [HEAD]
    for name, figure in FIGURES.items():
        value = figure.simulate()
        lines.append(f'[{name}]\nwhat = "{figure.what}"\nvalue = {float(f"{value:.3g}")}\nunit = "{figure.unit}"\n')
    FILE.write_text("\n".join(lines), encoding="utf-8")
    made.keep(FOLDER, made_from())
    return [FILE]
