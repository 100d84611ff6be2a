import asyncio

import pytest
from gpiozero import PWMOutputDevice

from reboard_sim import virtual_time
from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.motor import INERTIA_S, VirtualMotor


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
