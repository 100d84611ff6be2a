"""The models agree with the points of the data sheets that their sources name."""

from __future__ import annotations

import pytest

from hardware.making.spice.experiments import start
from hardware.making.spice.netlist import subcircuit
from hardware.making.spice.ngspice import control, simulated


def measured(kind: str, lines: str, stop_s: float = 1e-3) -> dict[str, float]:
    """Return the voltages and currents at the end of a deck with one part."""
    waves = simulated(f"* {kind}\n.global p3v3 p5v\n{lines}\n{subcircuit(kind)}\n{control(stop_s, stop_s / 1000)}")
    return {name: float(values[-1]) for name, values in waves.items()}


def test_irlz44n() -> None:
    on = measured("mosfet", "Vg g 0 5\nId 0 d 25\nX1 g d 0 mosfet")
    assert 0.012 < on["v(d)"] / 25 < 0.025
    at_threshold = measured("mosfet", "Vg g 0 1.5\nVd d 0 1.5\nX1 g d 0 mosfet")
    assert 0.05e-3 < at_threshold["i(v.x1.vi)"] < 1.5e-3
    breaks = measured("mosfet", "Vg g 0 0\nId 0 d 1m\nX1 g d 0 mosfet")
    assert 54 < breaks["v(d)"] < 60


@pytest.mark.parametrize(("ampere", "least_v", "most_v"), [(1, 0.4, 0.6), (3, 0.5, 0.9)])
def test_1n5819(ampere: float, least_v: float, most_v: float) -> None:
    forward = measured("diode", f"I1 0 a {ampere}\nX1 a 0 diode")
    assert least_v < forward["v(a)"] < most_v


@pytest.mark.parametrize(("milliampere", "volts"), [(2, 1.9), (20, 2.0)])
def test_red_led(milliampere: float, volts: float) -> None:
    assert measured("led", f"I1 0 a {milliampere}m\nX1 a 0 led")["v(a)"] == pytest.approx(volts, abs=0.06)


def test_bss138() -> None:
    pulled = measured("level-shifter", "Vh hv 0 5\nVl lv 0 4.5\nI1 0 h1 200m\nX1 lv hv 0 0 l2 h1 h2 level_shifter")
    assert 1 < pulled["v(h1)"] / 0.2 < 6


FUSE = "I1 0 a PULSE(0 {ampere} 0 1u 1u 1e5)\nX1 a 0 fuse cold={cold}"


@pytest.mark.parametrize("cold", [0.59, 0.77])
def test_mf_r050_holds_and_trips(cold: float) -> None:
    held = measured("fuse", FUSE.format(ampere=0.5, cold=cold), 1800)
    assert held["v(a)"] / 0.5 == pytest.approx(cold, rel=0.01)
    # 4.0 s at most; of that time the last tenth is what the model's resistance takes to rise
    fast = measured("fuse", FUSE.format(ampere=2.5, cold=cold), 4.4)
    assert fast["v(a)"] / 2.5 > 5 * cold


def test_mf_r050_trips_at_1_a_if_its_resistance_is_the_highest() -> None:
    assert measured("fuse", FUSE.format(ampere=1.0, cold=0.77), 300)["v(a)"] > 5


def test_a_tripped_fuse_takes_three_quarters_of_a_watt() -> None:
    tripped = measured("fuse", "V1 a 0 PULSE(0 4.5 0 1u 1u 1e5)\nX1 a 0 fuse", 60)
    assert 4.5 * -tripped["i(v1)"] == pytest.approx(0.75, rel=0.05)


def test_motor() -> None:
    cells, fuse = "gives_v=6 ohm=1m", "cold=1m"
    running = start(stop_s=1, battery_box=cells, fuse=fuse).waves().amperes("motor")[-1]
    assert running == pytest.approx(0.16, rel=0.02)
    stalled = start(stalled=True, battery_box=cells, fuse=fuse).waves().amperes("motor")[-1]
    assert stalled == pytest.approx(1.5, rel=0.02)
