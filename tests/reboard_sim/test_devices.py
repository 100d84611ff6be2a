"""The virtual contact and motor move as real ones do."""

import asyncio
from random import Random

import pytest
from gpiozero import PWMOutputDevice

from reboard_sim.board.pins import VirtualPins
from reboard_sim.devices.contact import VirtualContact
from reboard_sim.devices.motor import INERTIA_S, VirtualMotor


def wired(seed: int = 1) -> tuple[VirtualPins, VirtualContact]:
    """Return a contact from a pulled-up pin to ground."""
    pins = VirtualPins(asyncio.get_running_loop().time)
    pins.pin(17).input_with_pull("up")
    return pins, VirtualContact(pins.line(17), pins.ground, rng=Random(seed), bounce_s=0.002)


@pytest.mark.parametrize("seed", range(5))
async def test_a_contact_moves_at_once_bounces_and_comes_to_rest(seed: int) -> None:
    pins, contact = wired(seed)
    line = pins.line(17)
    for move, level in ((contact.press, False), (contact.release, True)):
        await asyncio.sleep(1)
        move()
        assert line.level == level
        await asyncio.sleep(1)
        assert line.level == level
    times = [t for t, _ in line.timeline if t > 0]
    assert len(times) >= 2 + 2
    assert all(1 <= t <= 1.002 or 3 <= t <= 3.002 for t in times)


async def test_a_chattering_contact_slips_only_while_it_is_held() -> None:
    pins, contact = wired()
    line = pins.line(17)
    contact.chatter(True)
    await asyncio.sleep(5)
    assert line.level
    contact.press()
    await asyncio.sleep(10)
    slips = sum(duty > 0 for t, duty in line.timeline if t > 5.1)
    assert 15 <= slips <= 200
    contact.chatter(False)
    await asyncio.sleep(1)
    quiet = len(line.timeline)
    await asyncio.sleep(10)
    assert not line.level
    assert len(line.timeline) == quiet
    contact.chatter(True)
    contact.release()
    await asyncio.sleep(10)
    assert line.level
    assert line.timeline[-1][0] < 26.1
    contact.close()
    assert line.level, "the end of a device presses nothing"
    contact.press()
    contact.close()
    quiet = len(line.timeline)
    await asyncio.sleep(10)
    assert len(line.timeline) == quiet, "a device that has ended moves no more"


async def test_a_motor_speeds_up_and_runs_down_with_inertia() -> None:
    pins = VirtualPins(asyncio.get_running_loop().time)
    motor = VirtualMotor(pins.line(18))
    device = PWMOutputDevice(18, pin_factory=pins)
    device.value = 1
    assert (motor.speed, motor.is_on) == (0, True)
    await asyncio.sleep(INERTIA_S)
    assert motor.speed == pytest.approx(0.632, abs=0.001)
    await asyncio.sleep(10)
    device.value = 0
    assert motor.speed == pytest.approx(1)
    assert not motor.is_on
    await asyncio.sleep(5 * INERTIA_S)
    assert motor.speed < 0.01
    device.close()
