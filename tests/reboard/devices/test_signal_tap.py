"""The tap of a board's signals: bounded, honest about what it dropped, and off while nothing watches."""

from __future__ import annotations

import asyncio
import gc
import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from gpiozero import InputDevice
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard.devices import signal_tap
from reboard.devices.motor import Motor, Step
from reboard.devices.readers.input_device import EV_KEY, EVENT, KEY_1
from reboard.devices.signal_tap import MOST_WATCHES, ObservedBoard, SignalTap, Watch
from reboard.errors import DeviceError, RequestError
from reboard.raspberry_pi import LinuxDevices


class MockBoard(LinuxDevices):
    def __init__(self) -> None:
        self.pins = MockFactory(pin_class=MockPWMPin)
        self.guard_motor = None

    def close(self) -> None:
        self.pins.close()


def test_a_watch_keeps_the_latest_signals_and_counts_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal_tap, "MOST_KEPT", 4)
    tap = SignalTap(lambda: 1.5)
    tap.put("pin", 17, 1.0, False)  # nothing watches
    watch = tap.watch()
    for number in range(6):
        tap.put("pin", number, 1.0, False)
    assert watch.take(3) == ([("pin", 1.5, number, 1.0, False) for number in (2, 3, 4)], 2)
    tap.put("pin", 6, 0.0, True)
    assert watch.take(3) == ([("pin", 1.5, 5, 1.0, False), ("pin", 1.5, 6, 0.0, True)], 0)
    assert watch.take(3) == ([], 0)
    tap.end(watch)
    assert not tap.is_watched


def test_few_programs_watch_at_a_time() -> None:
    tap = SignalTap(lambda: 0.0)
    watches = [tap.watch() for _ in range(MOST_WATCHES)]
    with pytest.raises(RequestError):
        tap.watch()
    tap.end(watches[0])
    assert isinstance(tap.watch(), Watch)


def test_the_edges_of_an_input_reach_the_driver_and_the_watch() -> None:
    tap = SignalTap(lambda: 2.0)
    board = MockBoard()
    pins = ObservedBoard(board, tap).pins  # type: ignore[arg-type]
    seen: list[float] = []

    class Driver:
        def __init__(self) -> None:
            self.device = InputDevice(17, pull_up=True, pin_factory=pins)
            self.device.pin.when_changed = self.changed

        def changed(self, _: float, state: float) -> None:
            seen.append(state)

    driver = Driver()
    watch = tap.watch()
    board.pins.pin(17).drive_low()
    assert seen == [0]
    [signal], _ = watch.take(10)
    assert (signal[0], signal[2:]) == ("pin", (17, 0.0, False))
    assert signal[1] == pytest.approx(2.0, abs=1.0)
    assert tap.pins[17].now() == (0.0, False)
    driver.device.pin.when_changed = None
    assert driver.device.pin.when_changed is None
    driver.device.pin.when_changed = driver.changed
    # the tap does not keep an unused driver alive
    gone = weakref.ref(driver)
    del driver
    gc.collect()
    assert gone() is None
    board.close()


def test_the_keys_of_a_reader_that_types_reach_the_watch() -> None:
    line = SimpleNamespace(name="reader", read=lambda _: EVENT.pack(1, 2, EV_KEY, KEY_1, 1) + b"half an event")
    tap = SignalTap(lambda: 2.0)
    board = MockBoard()
    board.open_keyboard = lambda _: line  # type: ignore[assignment,method-assign]
    watch = tap.watch()
    ObservedBoard(board, tap).open_keyboard("/dev/input/left").read(64)  # type: ignore[arg-type]
    assert watch.take(2) == ([("keys", 2.0, "/dev/input/left", [[EV_KEY, KEY_1, 1]])], 0)
    board.close()


@pytest.mark.parametrize("is_stuck", [False, True])
async def test_a_closed_motor_frees_the_real_pin_also_if_it_cannot_be_written_low(
    monkeypatch: pytest.MonkeyPatch, is_stuck: bool
) -> None:
    board, write = MockBoard(), MockPWMPin._set_state
    tap = SignalTap(lambda: 0.0)
    motor = Motor(17, pins=ObservedBoard(board, tap).pins)  # type: ignore[arg-type]
    pin = board.pins.pin(17)

    def fail_at_0(pin: MockPWMPin, value: float) -> None:
        if not value:
            raise OSError("write error")
        write(pin, value)

    with pytest.raises(DeviceError) if is_stuck else nullcontext():
        async with motor.running((Step(1.0, 5.0),)):
            await asyncio.sleep(1)
            assert (pin.function, pin.state) == ("output", 1)
            if is_stuck:
                monkeypatch.setattr(MockPWMPin, "_set_state", fail_at_0)
        assert pin.function == "output"
        motor.close()
    assert (pin.function, tap.pins) == ("input", {})
    board.close()
