"""Figures, read from simulated voltages and currents: in V, A and s."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hardware.making.spice.experiments import OPENS_S, STARTS_S
from hardware.making.spice.ngspice import Waves
from reboard.netlist.hardware_data import pin_limits

GATE, PLUS, MINUS = "apple.motor: gate", "apple.motor: motor +", "apple.motor: motor -"
HIGH_FROM_V = pin_limits().high_from_v

Measure = Callable[[Waves], float]


def highest(net: str) -> Measure:
    """Return a measure of the highest voltage of a net."""
    return lambda waves: waves.volts(net).max()


def last(net: str) -> Measure:
    """Return a measure of the voltage of a net at the end."""
    return lambda waves: waves.volts(net)[-1]


def current(name: str) -> Measure:
    """Return a measure of the current through a part, or of a pin, at the end."""
    return lambda waves: abs(waves.amperes(name)[-1])


def peak(name: str, *, after_s: float = 0) -> Measure:
    """Return a measure of the highest current through a part, or of a pin, from *after_s* on."""
    return lambda waves: abs(waves.between(after_s, waves.time[-1]).amperes(name)).max()


def lowest_after_start(net: str) -> Measure:
    """Return a measure of the lowest voltage of a net after the motor is switched on."""
    return lambda waves: waves.between(STARTS_S, waves.time[-1]).volts(net).min()


def start_s(waves: Waves) -> float:
    """Return the time from the pin's edge to nine tenths of the motor's speed."""
    speed = waves.inside("motor", "w")
    return waves.first(speed > 0.9 * speed[-1]) - STARTS_S


def trip_s(waves: Waves) -> float:
    """Return the time until the fuse trips, or infinity."""
    return waves.first(waves.inside("fuse", "h") > 0.98)


def fuse_heat(waves: Waves) -> float:
    """Return the fuse's heat at the end, as a part of that with which it trips."""
    return float(waves.inside("fuse", "h")[-1])


def motor_watts(waves: Waves) -> float:
    """Return the heat of a stalled motor at the end, in watts."""
    return float((waves.volts(PLUS) - waves.volts(MINUS))[-1] * waves.amperes("motor")[-1])


def above_supply(waves: Waves) -> float:
    """Return by how much the transistor's drain exceeds the motor's + after it is switched off."""
    off = waves.between(STARTS_S + 4.9e-3, waves.time[-1])
    return float((off.volts(MINUS) - off.volts(PLUS)).max())


def low_level(pin: str) -> Measure:
    """Return a measure of the voltage at a pin while its switch is closed."""
    return lambda waves: waves.between(OPENS_S - 5e-4, OPENS_S).volts(pin).max()


def release_s(pin: str) -> Measure:
    """Return a measure of the time from the opening of a switch to a high level at its pin."""

    def measure(waves: Waves) -> float:
        after = waves.between(OPENS_S, waves.time[-1])
        return after.first(after.volts(pin) > HIGH_FROM_V) - OPENS_S

    return measure


def wetting(name: str) -> Measure:
    """Return a measure of the current through a closed switch."""
    return lambda waves: waves.between(OPENS_S - 5e-4, OPENS_S - 1e-5).amperes(name)[-1]


def rise_s(net: str, volts: float) -> Measure:
    """Return a measure of the time in which a net rises from 0.3 to 0.7 of *volts*, at its second edge or later."""

    def measure(waves: Waves) -> float:
        level = waves.volts(net)
        low = np.flatnonzero((level[:-1] < 0.3 * volts) & (level[1:] >= 0.3 * volts))[-1]
        rest = waves.between(waves.time[low], waves.time[-1])
        return rest.first(rest.volts(net) >= 0.7 * volts) - float(rest.time[0])

    return measure


def display_low(net: str) -> Measure:
    """Return a measure of the voltage of a net while the display answers."""
    return lambda waves: waves.between(33e-6, 34.5e-6).volts(net).max()
