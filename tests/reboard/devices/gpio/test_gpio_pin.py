import asyncio
import errno
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from gpiozero import GPIOPinInUse, InputDevice, PinInvalidPin
from gpiozero.pins.mock import MockFactory

from reboard.devices.contact import Button
from reboard.devices.gpio.gpio_pin import MOST_EDGES, InputPin, named_pin_errors
from reboard.devices.keypad import Keypad
from reboard.devices.lamp import Lamp
from reboard.devices.motor import Motor
from reboard.devices.readers.kinds.bumps import Bumps
from reboard.errors import DeviceError
from reboard_sim.board.pins import VirtualPins

PIN = 17


def chatter(pins: MockFactory, times: int) -> None:
    """Close and open the switch on another thread, while the event loop is busy."""

    def close_and_open() -> None:
        for _ in range(times):
            pins.pin(PIN).drive_low()
            pins.pin(PIN).drive_high()

    thread = Thread(target=close_and_open)
    thread.start()
    thread.join()


@pytest.mark.realtime
@pytest.mark.parametrize(("times", "reported"), [(5, 5), (10_000, MOST_EDGES // 2)])
async def test_edges_are_reported_in_order_and_a_loose_wire_uses_little_memory(
    times: int, reported: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges: list[bool] = []
    calls: list[object] = []

    loop = asyncio.get_running_loop()
    call = loop.call_soon_threadsafe

    def count(*args: Any) -> asyncio.Handle:
        calls.append(args)
        return call(*args)

    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    pins = MockFactory()
    pin = InputPin(PIN, pins=pins, device="button", edge=edges.append)
    chatter(pins, times)
    await asyncio.sleep(0)
    chatter(pins, 1)
    await asyncio.sleep(0)
    pin.close()
    chatter(pins, 1)
    await asyncio.sleep(0)
    assert edges == [True, False] * (reported + 1)
    assert len(calls) == 2, "the loop is not flooded with calls"


@pytest.mark.parametrize(
    ("name", "open_device"),
    [
        ("left button", lambda pins: Button(PIN, pins=pins, name="left button")),
        ("block's lamp", lambda pins: Lamp(PIN, pins=pins, name="block's lamp")),
        ("motor", lambda pins: Motor(PIN, pins=pins)),
        ("keypad's row", lambda pins: Keypad((7, 8, 9, PIN), (11, 22, 23, 24), pins=pins)),
        ("keypad's column", lambda pins: Keypad((7, 8, 9, 10), (11, 22, 23, PIN), pins=pins)),
        ("left slot", lambda pins: Bumps((9, 10, PIN), pins=pins, name="left slot")),
    ],
)
async def test_a_pin_in_use_is_named_and_the_other_pins_are_released(
    name: str, open_device: Callable[[VirtualPins], Any]
) -> None:
    pins = VirtualPins(asyncio.get_running_loop().time)
    with InputDevice(PIN, pin_factory=pins), pytest.raises(DeviceError, match=rf"{name} on GPIO17 .* in use"):
        open_device(pins)
    open_device(pins).close()


class LgpioError(Exception):
    """One as lgpio raises, which has no number."""


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (
            DeviceError("GPIO5 is used by spi0 CS1. Run `raspi-config`."),
            r"GPIO5 is used by spi0 CS1\. Run `raspi-config`\.$",
        ),
        (GPIOPinInUse("pin GPIO5 is already in use"), "another pin for one of"),
        (PinInvalidPin("99 is not a valid pin name"), "GPIO2 to GPIO27"),
        (OSError(errno.EBUSY, "Device or resource busy"), "`sudo reboard doctor` names"),
        (LgpioError("'GPIO busy'"), "`sudo reboard doctor` names"),
        (PermissionError(errno.EACCES, "Permission denied"), "group gpio"),
        (OSError(errno.ENODEV, "No such device"), "`gpiodetect`"),
        (OSError(errno.EINVAL, "Invalid argument"), "no such pin, or a bus"),
        (OSError(errno.EMFILE, "Too many open files"), "restart reboard"),
        (ValueError(), "ValueError$"),
    ],
)
def test_a_pin_that_cannot_be_used_is_named_with_its_cause_and_the_remedy_for_it(problem: Exception, said: str) -> None:
    with (
        pytest.raises(DeviceError, match=rf"the encoder on GPIO5, GPIO6 cannot be used: .*{said}"),
        named_pin_errors("encoder", 5, 6),
    ):
        raise problem
