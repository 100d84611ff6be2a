"""``[wiring]``: what a maker has built otherwise than our drawings have it, and what it is wired to.

The table plays without it. `reboard wiring` draws by it, and ``reboard check --electrical`` judges by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from reboard.settings.kinds import Choice, Number, Section, Whole, flag
from reboard.settings.reading import Reading
from reboard.settings.toml_lines import KeyPath

USUAL_RUNNING_MA, USUAL_STALLED_MA = 160, 1500
"""What the drawings' motor takes."""

POWERS = ("3.3V", "5V")
RESISTOR = Whole(0, 10_000_000)
"""Ohms; 0 is a wire, or nothing at all where the resistor would join two wires."""


@dataclass(frozen=True, slots=True)
class LampWiring:
    """The block's lamp: an LED of *led_v* volts behind a resistor, on its pin or behind a transistor."""

    driver: Annotated[str, Choice("pin", "transistor")] = "pin"
    resistor_ohm: Annotated[int, RESISTOR] = 330
    led_v: Annotated[float, Number(1.0, 4.0, "volts")] = 2.0


@dataclass(frozen=True, slots=True)
class MotorWiring:
    """The apple's motor: behind a MOSFET, from the Pi's 5 V or from batteries of its own.

    *transistor_ma* and *diode_ma* ``None``: they stand what those of the drawing do.
    """

    driver: Annotated[str, Choice("mosfet", "pin")] = "mosfet"
    gate_pull_down_ohm: Annotated[int, RESISTOR] = 10_000
    flyback_diode: Annotated[bool, flag] = True
    suppression_capacitor: Annotated[bool, flag] = True
    bulk_capacitor: Annotated[bool, flag] = True
    supply: Annotated[str, Choice("5V", "batteries")] = "5V"
    common_ground: Annotated[bool, flag] = True
    running_ma: Annotated[int, Whole(1, 5000)] = USUAL_RUNNING_MA
    stalled_ma: Annotated[int, Whole(1, 20_000)] = USUAL_STALLED_MA
    transistor_ma: Annotated[int | None, Whole(1, 100_000)] = None
    diode_ma: Annotated[int | None, Whole(1, 100_000)] = None


def _takes_most_when_held_fast(reading: Reading, path: KeyPath, motor: MotorWiring) -> None:
    """Whoever has the two figures the wrong way round would be told that a supply is enough, which is not."""
    if motor.stalled_ma >= motor.running_ma:
        return
    why = ": a motor takes most when it starts and when it is held fast"
    if motor.stalled_ma == USUAL_STALLED_MA:
        allowed = f"no more than stalled_ma, which is {USUAL_STALLED_MA} when it is left out"
        reading.must_be((*path, "running_ma"), allowed, motor.running_ma, why)
    else:
        left_out = " when it is left out" if motor.running_ma == USUAL_RUNNING_MA else ""
        allowed = f"at least running_ma, which is {motor.running_ma}{left_out}"
        reading.must_be((*path, "stalled_ma"), allowed, motor.stalled_ma, why)


MOTOR = Section(MotorWiring, then=_takes_most_when_held_fast)


@dataclass(frozen=True, slots=True)
class SlotWiring:
    """A reader on a serial line; ``None`` is what the drawing has for a reader of its kind.

    *tx_v* is what was measured on its TX at rest; ``None``: nobody has.
    """

    power: Annotated[str | None, Choice(*POWERS)] = None
    tx_v: Annotated[float | None, Number(0.5, 6.0, "volts")] = None
    divider: Annotated[bool | None, flag] = None


@dataclass(frozen=True, slots=True)
class DisplayWiring:
    """The display's backpack, which pulls the bus up to its own power."""

    power: Annotated[str, Choice(*POWERS)] = "3.3V"
    level_shifter: Annotated[bool, flag] = False


@dataclass(frozen=True, slots=True)
class Wiring:
    """The whole section; *supply_a* ``None`` is what is recommended for that Pi."""

    pi: Annotated[str, Choice("zero-2-w", "3", "4", "5")] = "zero-2-w"
    supply_a: Annotated[float | None, Number(0.5, 10.0, "amperes")] = None
    speaker: Annotated[str, Choice("usb", "max98357a", "hdmi", "jack")] = "usb"
    lamp: Annotated[LampWiring, Section(LampWiring)] = field(default_factory=LampWiring)
    motor: Annotated[MotorWiring, MOTOR] = field(default_factory=MotorWiring)
    left: Annotated[SlotWiring, Section(SlotWiring)] = field(default_factory=SlotWiring)
    right: Annotated[SlotWiring, Section(SlotWiring)] = field(default_factory=SlotWiring)
    display: Annotated[DisplayWiring, Section(DisplayWiring)] = field(default_factory=DisplayWiring)
