"""The simulated figures: what each is, how it is measured, and in which documents it is quoted.

``hardware/spice/figures.toml`` keeps them, so that the documents can be compared without ngspice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hardware.making import made
from hardware.making.spice import experiments as try_
from hardware.making.spice.netlist import FOLDER
from hardware.making.spice.ngspice import Experiment, Waves
from reboard.netlist.hardware_data import pin_limits

FILE = FOLDER / "figures.toml"
HIGH_FROM_V = pin_limits().high_from_v
LOW_TO_V = 0.8
"""The highest voltage that every Pi reads as low (the lowest that any model's documentation has)."""

GATE, PLUS, MINUS = "apple.motor: gate", "apple.motor: motor +", "apple.motor: motor -"
READER_LINE = "bank.left: line RX"
WIRING, HARDWARE = "docs/wiring.md", "docs/decisions/hardware.md"
SCALES = {"m": 1e3, "µ": 1e6, "n": 1e9, "%": 100.0}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: *what* it is in which *unit*, and how *measure* reads it, in V, A, W or s, from an experiment.

    *quoted* are the documents that have it, rounded to two digits.
    """

    what: str
    unit: str
    experiment: Experiment
    measure: Callable[[Waves], float]
    quoted: tuple[str, ...] = ()

    def simulate(self) -> float:
        """Return the value in the figure's unit. Raises `SimulationError`."""
        scale = SCALES.get(self.unit[:1], 1.0) if len(self.unit) > 1 or self.unit == "%" else 1.0
        return float(self.measure(self.experiment.waves())) * scale

    def text(self, value: float) -> str:
        """Return *value* as documents have it: two digits and the unit."""
        return f"{float(f'{value:.2g}'):g} {self.unit}".strip()


def highest(net: str) -> Callable[[Waves], float]:
    """Return a measure of the highest voltage of a net."""
    return lambda waves: waves.volts(net).max()


def last(net: str) -> Callable[[Waves], float]:
    """Return a measure of the voltage of a net at the end."""
    return lambda waves: waves.volts(net)[-1]


def current(name: str) -> Callable[[Waves], float]:
    """Return a measure of the current through a part, or of a pin, at the end."""
    return lambda waves: abs(waves.amperes(name)[-1])


def peak(name: str, *, after_s: float = 0) -> Callable[[Waves], float]:
    """Return a measure of the highest current through a part, or of a pin, from *after_s* on."""
    return lambda waves: abs(waves.between(after_s, waves.time[-1]).amperes(name)).max()


def lowest_after_start(net: str) -> Callable[[Waves], float]:
    """Return a measure of the lowest voltage of a net after the motor is switched on."""
    return lambda waves: waves.between(try_.STARTS_S, waves.time[-1]).volts(net).min()


def start_s(waves: Waves) -> float:
    """Return the time from the pin's edge to nine tenths of the motor's speed."""
    speed = waves.inside("motor", "w")
    return waves.first(speed > 0.9 * speed[-1]) - try_.STARTS_S


def trip_s(waves: Waves) -> float:
    """Return the time until the fuse trips, or infinity."""
    return waves.first(waves.inside("fuse", "h") > 0.98)


def above_supply(waves: Waves) -> float:
    """Return by how much the transistor's drain exceeds the motor's + after it is switched off."""
    off = waves.between(try_.STARTS_S + 4.9e-3, waves.time[-1])
    return (off.volts(MINUS) - off.volts(PLUS)).max()


def low_level(pin: str) -> Callable[[Waves], float]:
    """Return a measure of the voltage at a pin while its switch is closed."""
    return lambda waves: waves.between(try_.OPENS_S - 5e-4, try_.OPENS_S).volts(pin).max()


def release_s(pin: str) -> Callable[[Waves], float]:
    """Return a measure of the time from the opening of a switch to a high level at its pin."""

    def measure(waves: Waves) -> float:
        after = waves.between(try_.OPENS_S, waves.time[-1])
        return after.first(after.volts(pin) > HIGH_FROM_V) - try_.OPENS_S

    return measure


def wetting(name: str) -> Callable[[Waves], float]:
    """Return a measure of the current through a closed switch."""
    return lambda waves: waves.between(try_.OPENS_S - 5e-4, try_.OPENS_S - 1e-5).amperes(name)[-1]


def crossings(waves: Waves) -> float:
    """Return how often the pin crosses the middle between its levels."""
    return float(np.count_nonzero(np.diff(waves.volts("GPIO17") > (LOW_TO_V + HIGH_FROM_V) / 2)))


def rise_s(net: str, volts: float) -> Callable[[Waves], float]:
    """Return a measure of the time in which a net rises from 0.3 to 0.7 of *volts*, at its second edge or later."""

    def measure(waves: Waves) -> float:
        level = waves.volts(net)
        low = np.flatnonzero((level[:-1] < 0.3 * volts) & (level[1:] >= 0.3 * volts))[-1]
        rest = waves.between(waves.time[low], waves.time[-1])
        return rest.first(rest.volts(net) >= 0.7 * volts) - rest.time[0]

    return measure


def display_low(net: str) -> Callable[[Waves], float]:
    """Return a measure of the voltage of a net while the display answers."""
    return lambda waves: waves.between(33e-6, 34.5e-6).volts(net).max()


START = {supply: try_.start(supply) for supply in ("batteries", "second", "5V")}
STALL = {supply: try_.start(supply, stalled=True, stop_s=120) for supply in START}
PRESS = try_.press(try_.BUTTON, "button", "GPIO17")
CARD = try_.press(try_.CARD_SWITCHES, "left switch 1", "GPIO7")
LEAKING, PULLED = f"leak={try_.LEAK_A:g}", f"up={try_.STRONGEST_PULL_OHM:g}"

FIGURES = {
    "gate_at_boot": Figure("gate, when the batteries are connected and the Pi holds the pin low with 50 kΩ", "V", try_.gate("down=50k"), highest(GATE)),
    "gate_undriven": Figure("gate, pin not driven, 10 µA of leakage", "V", try_.gate(LEAKING), last(GATE), (HARDWARE,)),
    "gate_pulled_up": Figure("gate, pin pulled up with 33 kΩ, as 0 to 8 at boot", "V", try_.gate(PULLED), last(GATE), (HARDWARE,)),
    "gate_alone": Figure("motor, pin not driven, no resistor from gate to ground", "A", try_.gate(LEAKING, gate_pull_down_ohm=0), peak("motor"), (HARDWARE,)),
    "gate_on": Figure("gate, pin high", "V", START["batteries"], last(GATE)),
    "start_cells": Figure("motor's start, three cells", "A", START["batteries"], peak("motor"), (HARDWARE,)),
    "start_second": Figure("motor's start, second supply", "A", START["second"], peak("motor")),
    "start_5v": Figure("motor's start, 5 V of the Pi", "A", START["5V"], peak("motor"), (HARDWARE,)),
    "start_lasts": Figure("motor's start, to 0.9 of its speed, three cells", "s", START["batteries"], start_s, (HARDWARE,)),
    "start_sag": Figure("motor's +, lowest at the start, three cells", "V", START["batteries"], lowest_after_start(PLUS), (HARDWARE,)),
    "start_sag_5v": Figure("5 V of the Pi at the motor's start, Pi at its peak of 0.7 A", "V", try_.start("5V", pi="amperes=0.7"), lowest_after_start("5V"), (HARDWARE,)),
    "start_drop": Figure("transistor's loss at the start", "mV", try_.start(stalled=True, stop_s=0.05), last(MINUS)),
    "start_fuse": Figure("fuse's heat after the start, of what trips it", "%", START["5V"], lambda waves: waves.inside("fuse", "h").max()),
    "stall_cells": Figure("stalled motor, three cells", "A", STALL["batteries"], current("motor"), (HARDWARE,)),
    "stall_5v": Figure("stalled motor, 5 V of the Pi", "A", STALL["5V"], current("motor"), (HARDWARE,)),
    "stall_second": Figure("stalled motor, second supply", "A", STALL["second"], current("motor")),
    "stall_fuse": Figure("fuse's heat after 120 s of a stalled motor on three cells, of what trips it", "%", STALL["batteries"], lambda waves: waves.inside("fuse", "h")[-1], (HARDWARE,)),
    "stall_fuse_5v": Figure("fuse's heat after 120 s of a stalled motor on 5 V, of what trips it", "%", STALL["5V"], lambda waves: waves.inside("fuse", "h")[-1], (HARDWARE,)),
    "stall_watts": Figure("heat of a motor that is stalled on three cells", "W", STALL["batteries"], lambda waves: float(waves.amperes("motor")[-1] ** 2 * 4), (HARDWARE,)),
    "short_trips": Figure("fuse trips after a short circuit of three cells", "s", try_.short(), trip_s, (HARDWARE,)),
    "short_after": Figure("short circuit of three cells behind a tripped fuse", "A", try_.short(), current("fuse"), (HARDWARE,)),
    "flyback": Figure("drain above the motor's +, stalled motor switched off", "V", try_.stop(), above_supply, (HARDWARE,)),
    "flyback_peak": Figure("flyback diode, stalled motor switched off", "A", try_.stop(), peak("flyback diode")),
    "flyback_none": Figure("drain, no flyback diode", "V", try_.stop(flyback_diode=False), highest(MINUS), (HARDWARE,)),
    "line_low": Figure("pin of a pressed button", "V", PRESS, low_level("GPIO17"), (WIRING,)),
    "line_high": Figure("pin of a released button", "V", PRESS, last("GPIO17")),
    "line_current": Figure("through a pressed button", "mA", PRESS, wetting("button"), (WIRING,)),
    "line_release": Figure("button's pin is high after its release", "ms", PRESS, release_s("GPIO17"), (WIRING,)),
    "line_contact": Figure("through a button as it closes, from its capacitor", "A", PRESS, peak("button"), (WIRING,)),
    "line_crossings": Figure("edges at the pin of a button that bounces ten times", "", try_.bounce(), crossings),
    "card_current": Figure("through a closed card switch", "mA", CARD, wetting("left switch 1"), (WIRING, "docs/readers.md")),
    "card_release": Figure("card switch's pin is high after it opens", "ms", CARD, release_s("GPIO7"), (WIRING,)),
    "bare_current": Figure("through a pressed button with only the Pi's pull-up", "mA", try_.press(try_.UNPROTECTED, "button", "GPIO17"), wetting("button"), (WIRING,)),
    "swapped": Figure("lamp's pin on the line of a pressed button", "mA", try_.swapped(try_.BUTTON), current("GPIO17"), (WIRING,)),
    "swapped_bare": Figure("lamp's pin on a pressed button", "mA", try_.swapped(try_.UNPROTECTED), current("GPIO17"), (WIRING,)),
    "static": Figure("pin's diode, 8 kV into the line, after 0.1 µs", "mA", try_.static(try_.BUTTON), peak("GPIO17", after_s=1.1e-6), (WIRING,)),
    "static_bare": Figure("pin's diode, 8 kV into the pin", "A", try_.static(try_.UNPROTECTED), peak("GPIO17"), (WIRING,)),
    "display_low": Figure("SDA of the Pi while the display answers", "V", try_.display(), display_low("GPIO2")),
    "display_rise": Figure("SDA's rise", "µs", try_.display(), rise_s("GPIO2", 3.3)),
    "shifted_low": Figure("SDA of the Pi while a display on 5 V answers, behind a level shifter", "V", try_.display("5V", level_shifter=True), display_low("GPIO2"), (HARDWARE,)),
    "shifted_high": Figure("SDA of the Pi behind a level shifter", "V", try_.display("5V", level_shifter=True), highest("GPIO2")),
    "shifted_rise": Figure("SDA's rise behind a level shifter", "µs", try_.display("5V", level_shifter=True), rise_s("GPIO2", 3.3)),
    "unshifted_high": Figure("SDA of the Pi, display on 5 V without a level shifter", "V", try_.display("5V"), highest("GPIO2"), (HARDWARE,)),
    "divider_high": Figure("RX of an adapter behind the divider of an RDM6300 on 5 V", "V", try_.reader("rdm6300"), highest(READER_LINE), ("docs/readers.md",)),
    "divider_rise": Figure("edge behind the divider at 115200 baud (PN532); a bit lasts 8.7 µs", "µs", try_.reader("pn532"), rise_s(READER_LINE, 3.2), (HARDWARE,)),
    "undivided": Figure("into the pin's diode, RDM6300 with 5 V on GPIO15 without a divider", "mA", try_.reader("rdm6300", "/dev/serial0", divider=False), peak("GPIO15"), (HARDWARE,)),
    "lamp": Figure("red LED on a pin, 330 Ω", "mA", try_.lamp(), current("lamp"), (WIRING,)),
    "lamp_at_boot": Figure("red LED on a pin that is pulled up with 50 kΩ", "mA", try_.lamp(pin="up=50k", lamp_pin=5), current("lamp"), (WIRING,)),
    "lamp_white_pin": Figure("white LED of 3.2 V on a pin, 330 Ω", "mA", try_.lamp(led="vf=3.2 at_ma=20"), current("lamp"), (WIRING,)),
    "lamp_red": Figure("red LED behind a transistor, 150 Ω", "mA", try_.lamp("transistor", 150), current("lamp"), (WIRING,)),
    "lamp_white": Figure("white LED of 2.8 V behind a transistor, 110 Ω", "mA", try_.lamp("transistor", 110, "vf=2.8 at_ma=20"), current("lamp"), (WIRING,)),
}  # fmt: skip

HEAD = """\
# Simulated by ngspice with models.toml, written by `python -m hardware.making spice`. `make spice` simulates them again.
"""


def decks() -> Iterator[bytes]:
    """Yield all that ngspice reads for the figures."""
    for figure in FIGURES.values():
        yield figure.experiment.deck().encode()


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
    made.keep(FOLDER, decks())
    return [FILE]
