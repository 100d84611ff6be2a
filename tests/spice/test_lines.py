"""Lines of buttons and switches, display, card readers and lamp: levels, edges, and currents of pins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hardware.making.spice.experiments import (
    BUTTON,
    CARD_SWITCHES,
    CLOSES_S,
    INPUT,
    UNPROTECTED,
    display,
    lamp,
    press,
    reader,
    static,
    swapped,
)
from hardware.making.spice.measures import (
    HIGH_FROM_V,
    current,
    display_low,
    highest,
    last,
    low_level,
    peak,
    release_s,
    rise_s,
    wetting,
)
from hardware.making.spice.ngspice import Experiment
from reboard.devices.readers.reader_kind import READER_KINDS, SerialReader
from reboard.netlist.hardware_data import circuit_of_kind, kinds, pin_limits

LIMITS = pin_limits()
LOW_TO_V = 0.8
"""The highest voltage that every Pi reads as low: from memory, for a BCM2711."""
SERIAL = [kind for kind in READER_KINDS.values() if isinstance(kind, SerialReader)]
ON_5_V = [kind for kind in SERIAL if (circuit_of_kind("readers", kind.name) or {})["power_5v"]]
I2C_LOW_V, I2C_HIGH_V, I2C_RISE_S = 0.3 * 3.3, 0.7 * 3.3, 1e-6
"""The I²C specification, at 100 kHz and 3.3 V."""


@pytest.mark.parametrize(
    ("table", "name", "pin", "least_ma"),
    [(BUTTON, "button", "GPIO17", 0.5), (CARD_SWITCHES, "left switch 1", "GPIO7", 1.0)],
)
def test_a_protected_line_has_clear_levels_and_cleans_its_contact(
    table: str, name: str, pin: str, least_ma: float
) -> None:
    waves = press(table, name, pin).waves()
    assert low_level(pin)(waves) < LOW_TO_V / 4
    assert last(pin)(waves) > HIGH_FROM_V + 1
    assert release_s(pin)(waves) < 1e-3
    assert waves.first((waves.time > CLOSES_S) & (waves.volts(pin) < LOW_TO_V)) - CLOSES_S < 1e-5
    assert wetting(name)(waves) * 1000 > least_ma


def test_an_unprotected_contact_has_too_little_current() -> None:
    assert wetting("button")(press(UNPROTECTED, "button", "GPIO17").waves()) < 1e-4


def test_the_capacitor_does_not_debounce() -> None:
    # closed and open for 0.5 ms each, ten times in 10 ms
    bounces = {"GPIO17": INPUT, "button": f"closes={CLOSES_S} held=5m bounces=1 bouncing=10m"}
    slow = Experiment(BUTTON, bounces, stop_s=0.02, step_s=1e-6)
    assert np.count_nonzero(np.diff(slow.waves().volts("GPIO17") > HIGH_FROM_V)) > 10
    slow = replace(slow, conditions={**slow.conditions, "button capacitor": "farad=4.7u"}, stop_s=0.06)
    assert np.count_nonzero(np.diff(slow.waves().volts("GPIO17") > HIGH_FROM_V)) < 10


def test_swapped_wires_do_not_overload_a_pin() -> None:
    assert current("GPIO17")(swapped(BUTTON).waves()) * 1000 < LIMITS.most_ma
    assert current("GPIO17")(swapped(UNPROTECTED).waves()) * 1000 > LIMITS.most_ma * 4


def test_static_is_taken_by_the_capacitor() -> None:
    protected, bare = (peak("GPIO17")(static(table).waves()) for table in (BUTTON, UNPROTECTED))
    assert protected < bare / 100


@pytest.mark.parametrize("experiment", [display(), display("5V", level_shifter=True)])
@pytest.mark.parametrize("sinks_ohm", [133, 60])
def test_the_pi_understands_the_display(experiment: Experiment, sinks_ohm: int) -> None:
    conditions = {"display": f"answers=20u sinks={sinks_ohm}"}
    waves = replace(experiment, conditions=conditions).waves()
    assert display_low("GPIO2")(waves) < I2C_LOW_V
    assert I2C_HIGH_V < highest("GPIO2")(waves) < LIMITS.highest_v
    assert rise_s("GPIO2", 3.3)(waves) < I2C_RISE_S


@pytest.mark.parametrize("vto", [0.8, 1.5])
def test_the_level_shifter_works_at_both_ends_of_its_threshold(vto: float) -> None:
    shifted = display("5V", level_shifter=True)
    conditions = {**shifted.conditions, "level shifter": f"vto={vto}"}
    waves = replace(shifted, conditions=conditions).waves()
    assert display_low("GPIO2")(waves) < I2C_LOW_V
    assert highest("GPIO2")(waves) < LIMITS.highest_v
    assert highest("bank.display: SDA")(waves) > 0.7 * 5


def test_a_display_on_5_v_without_level_shifter_lifts_the_pin() -> None:
    assert highest("GPIO2")(display("5V").waves()) > LIMITS.highest_v


@pytest.mark.parametrize(("kind", "bit_s"), [(each.name, 1 / each.baud_rate) for each in ON_5_V])
@pytest.mark.parametrize(("port", "net"), [("/dev/ttyUSB0", "bank.left: line RX"), ("/dev/serial0", "GPIO15")])
def test_a_reader_on_5_v_is_understood_behind_its_divider(kind: str, bit_s: float, port: str, net: str) -> None:
    waves = replace(reader(kind, port), stop_s=2.9 * bit_s).waves()
    assert HIGH_FROM_V < highest(net)(waves) < LIMITS.highest_v
    assert waves.between(bit_s, waves.time[-1]).volts(net).min() < LOW_TO_V / 2
    assert rise_s(net, 3.2)(waves) < bit_s / 20


def test_a_reader_on_5_v_without_divider_feeds_the_pin() -> None:
    waves = reader("rdm6300", "/dev/serial0", divider=False).waves()
    assert highest("GPIO15")(waves) > LIMITS.highest_v
    assert peak("GPIO15")(waves) > 5e-3


def test_a_divider_of_high_resistance_would_spoil_the_edges_at_115200_baud() -> None:
    slow = reader("pn532")
    conditions = {"left upper divider": "ohm=180k", "left lower divider": "ohm=330k"}
    assert rise_s("bank.left: line RX", 3.2)(replace(slow, conditions=conditions).waves()) > 1 / 115200 / 20


@pytest.mark.parametrize(
    ("experiment", "most_ma"),
    [
        (lamp(), LIMITS.most_ma),
        (lamp("transistor", 150), 20),
        (lamp("transistor", 110, "vf=2.8 at_ma=20"), 20),
        (lamp("transistor", 110, "vf=3.6 at_ma=20"), 20),
    ],
)
def test_the_lamp_is_bright_enough_and_not_overloaded(experiment: Experiment, most_ma: float) -> None:
    milliampere = current("lamp")(experiment.waves()) * 1000
    assert 1 < milliampere < most_ma <= (kinds()["led"].terminals["+"].stands_ma or 0)


def test_other_resistors_leave_a_lamp_dark_or_overload_it() -> None:
    assert current("lamp")(lamp(led="vf=3.6 at_ma=20").waves()) < 1e-3
    assert current("lamp")(lamp("transistor", 68).waves()) > 30e-3


def test_a_lamp_on_a_pulled_up_pin_glows_only_a_little() -> None:
    assert 1e-5 < current("lamp")(lamp(pin="up=33k", lamp_pin=5).waves()) < 1e-4
