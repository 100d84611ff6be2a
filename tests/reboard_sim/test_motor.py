import asyncio

import pytest
from gpiozero import PWMOutputDevice

from reboard_sim import virtual_time
from reboard_sim.motor import INERTIA_S, TURNS_PER_S, VirtualMotor
from reboard_sim.pins import VirtualPins


def test_it_speeds_up_and_runs_down_with_inertia() -> None:
    async def main() -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        motor = VirtualMotor(pins.line(18))
        device = PWMOutputDevice(18, pin_factory=pins)
        await asyncio.sleep(1)
        assert (motor.speed, motor.turns, motor.is_on) == (0, 0, False)
        device.value = 1
        assert motor.is_on
        assert motor.speed == 0
        await asyncio.sleep(INERTIA_S)
        assert motor.speed == pytest.approx(0.632, abs=0.001)
        await asyncio.sleep(10)
        assert motor.speed == pytest.approx(1)
        device.value = 0
        assert not motor.is_on
        assert motor.speed == pytest.approx(1)
        await asyncio.sleep(5 * INERTIA_S)
        assert motor.speed < 0.01
        device.close()

    virtual_time.run(main)


def test_its_turns_are_the_integral_of_its_speed() -> None:
    async def main() -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        motor = VirtualMotor(pins.line(18))
        device = PWMOutputDevice(18, pin_factory=pins)
        turns = 0.0
        for level in (0.3, 1.0, 0.6, 0.0):
            device.value = level
            for _ in range(1000):
                before = motor.speed
                await asyncio.sleep(0.001)
                turns += TURNS_PER_S * (before + motor.speed) / 2 * 0.001
        assert motor.turns == pytest.approx(turns, abs=1e-4)
        assert motor.turns > 3
        device.close()

    virtual_time.run(main)


def test_it_remembers_when_it_was_on() -> None:
    async def main() -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        motor = VirtualMotor(pins.line(18))
        device = PWMOutputDevice(18, pin_factory=pins)
        await asyncio.sleep(1)
        device.value = 0.5
        await asyncio.sleep(1)
        device.value = 1.0
        await asyncio.sleep(1)
        device.value = 0
        await asyncio.sleep(1)
        device.value = 0.1
        assert list(motor.on_intervals) == [(1, 3), (4, None)]
        device.close()
        assert list(motor.on_intervals) == [(1, 3), (4, 4)]

    virtual_time.run(main)
