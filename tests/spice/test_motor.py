"""The motor's circuit: off while its pin is not driven, on without overload, and what its fuse and diode are for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware.making.spice.experiments import (
    LEAK_A,
    STRONGEST_PULL_OHM,
    WEAKEST_THRESHOLD_V,
    gate,
    short,
    start,
    stop,
    swapped_cells,
)
from hardware.making.spice.measures import (
    GATE,
    MINUS,
    PLUS,
    above_supply,
    current,
    fuse_heat,
    highest,
    last,
    lowest_after_start,
    peak,
    start_s,
    trip_s,
)
from reboard.netlist.hardware_data import kinds

LEAKING, PULLED_UP, PULLED_DOWN = f"leak={LEAK_A:g}", f"up={STRONGEST_PULL_OHM:g}", "down=50k"
SUPPLIES = ("batteries", "second", "5V")


@pytest.mark.parametrize("pin", [LEAKING, PULLED_UP, PULLED_DOWN])
def test_the_motor_stays_off_while_its_pin_is_not_driven(pin: str) -> None:
    waves = gate(pin).waves()
    assert highest(GATE)(waves) < WEAKEST_THRESHOLD_V
    assert peak("motor")(waves) < 0.02


@pytest.mark.parametrize(("pin", "ohm"), [(LEAKING, 0), (PULLED_UP, 0), (PULLED_UP, 100_000)])
def test_it_would_run_without_its_gate_resistor_or_with_a_high_one(pin: str, ohm: int) -> None:
    assert peak("motor")(gate(pin, gate_pull_down_ohm=ohm).waves()) > 0.5


@pytest.mark.parametrize("supply", SUPPLIES)
def test_the_motor_starts(supply: str) -> None:
    waves = start(supply).waves()
    assert last(GATE)(waves) > (kinds()["mosfet"].terminals["G"].needs_v or 0)
    assert start_s(waves) < 0.3
    assert current("motor")(waves) == pytest.approx(0.16, rel=0.1)
    assert fuse_heat(waves) < 0.1
    assert lowest_after_start("5V")(waves) > 4.63, "the Pi warns of too low a voltage"


def test_it_does_not_start_without_a_common_ground_or_with_an_irf520() -> None:
    apart = start()
    for table in (f"{apart.table}\ncommon_ground = false", f'{apart.table}\ntransistor = "IRF520"'):
        assert current("motor")(replace(apart, table=table).waves()) < 0.1


@pytest.mark.parametrize("supply", SUPPLIES)
def test_a_stalled_motor_overloads_neither_transistor_nor_diode(supply: str) -> None:
    waves = start(supply, stalled=True, stop_s=0.1).waves()
    assert peak("motor")(waves) < (kinds()["mosfet"].terminals["D"].stands_ma or 0) / 1000
    assert peak("transistor")(waves) * last(MINUS)(waves) < 0.1


def test_a_usual_fuse_does_not_trip_on_a_stalled_motor_and_one_of_high_resistance_does_on_5_v() -> None:
    assert trip_s(start(stalled=True, stop_s=120).waves()) == float("inf")
    assert 10 < trip_s(start("5V", stalled=True, stop_s=120, fuse="cold=0.77").waves()) < 120


def test_a_short_circuit_trips_the_fuse() -> None:
    waves = short().waves()
    assert trip_s(waves) < 4
    assert current("fuse")(waves) < 0.5
    assert peak("battery box", after_s=50)(short(fuse_ma=0).waves()) > 5


def test_swapped_wires_of_the_cells_trip_the_fuse_and_leave_the_capacitor_whole() -> None:
    waves = swapped_cells().waves()
    assert lowest_after_start(PLUS)(waves) > -1.5, "diode and transistor conduct"
    assert peak("flyback diode")(waves) < 3
    assert trip_s(waves) < 5
    assert current("fuse")(waves) < 0.3


def test_the_diode_holds_the_drain() -> None:
    assert above_supply(stop().waves()) < 0.7
    assert highest(MINUS)(stop(flyback_diode=False).waves()) > 50
