import asyncio
import logging
from collections.abc import Callable
from contextlib import nullcontext, suppress
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory, MockPWMPin

from reboard.board import REPORT_EVERY_S, unguarded
from reboard.devices import motor
from reboard.devices.device import FittedDevice
from reboard.devices.motor import LONGEST_S, MOTOR, RAMP_S, AbsentMotor, Motor, MotorSet, Step
from reboard.errors import DeviceError
from reboard.events import ignore_event
from reboard.vocabulary.declared import Event
from reboard_sim.board.line import Line
from reboard_sim.board.pins import VirtualPin, VirtualPins
from reboard_sim.devices.motor import VirtualMotor
from tests.virtual import now

PIN = 18
FULL = (Step(1.0, 10.0),)
UNEVEN = (Step(1.0, 0.9), Step(0.6, 0.5), Step(0.85, 0.7))


class Bench:
    """A motor on a virtual Pi, with its events and its reports."""

    def __init__(self) -> None:
        self.pins = VirtualPins(asyncio.get_running_loop().time)
        self.line: Line = self.pins.line(PIN)
        self.line.pull_outside = "down"
        self.virtual = VirtualMotor(self.line)
        self.levels: list[tuple[float, object]] = []
        self.reports: list[tuple[float, bool]] = []
        self.motor = Motor(PIN, pins=self.pins, emit=self.emit, report=self.report)

    def emit(self, event: Event) -> None:
        assert isinstance(event, MotorSet)
        self.levels.append((now(), event.level))

    def report(self, is_on: bool) -> None:
        assert is_on or not self.line.duty
        self.reports.append((now(), is_on))

    @property
    def on_s(self) -> list[tuple[float, float | None]]:
        """The times between which the motor was on."""
        return [(round(a, 6), b and round(b, 6)) for a, b in self.virtual.on_intervals]


def patterns_running() -> int:
    return sum(task.get_name() == "motor" for task in asyncio.all_tasks())


async def test_a_motor_is_on_only_inside_running() -> None:
    bench = Bench()
    async with bench.motor.running(FULL):
        pass
    await asyncio.sleep(100)
    assert bench.line.is_output
    assert (bench.on_s, bench.levels) == ([], [])
    for seconds in (5, 15, 15):  # the limit of one run does not end the next
        async with bench.motor.running(FULL):
            await asyncio.sleep(seconds)
            assert bench.motor.level == bench.line.duty == 1
        assert bench.motor.level == bench.line.duty == 0
    assert bench.on_s == [(100, 105), (105, 120), (120, 135)]
    assert bench.levels[:2] == [(100, 1.0), (105, 0.0)]


async def test_levels_are_reached_by_a_ramp_without_a_stop_and_each_is_one_event() -> None:
    bench = Bench()
    async with bench.motor.running(UNEVEN):
        await asyncio.sleep(RAMP_S / 2)
        assert 0.4 <= bench.line.duty <= 0.6
        await asyncio.sleep(RAMP_S / 2)
        assert bench.line.duty == 1
        await asyncio.sleep(13 - RAMP_S)
    assert bench.on_s == [(0, 13)]
    duties = [duty for _, duty in bench.line.timeline]
    assert max(abs(b - a) for a, b in pairwise(duties[:-1])) <= 0.05 + 1e-9
    assert min(duty for t, duty in bench.line.timeline if RAMP_S <= t < 13) >= 0.6 - 1e-9
    assert bench.levels[:4] == [(0, 1.0), (0.9, 0.6), (1.4, 0.85), (2.1, 1.0)]
    assert bench.levels[-1] == (13, 0.0)


@pytest.mark.parametrize("ending", ["an exception", "a cancellation"])
async def test_the_motor_is_off_at_once_after(ending: str) -> None:
    bench = Bench()

    async def turn() -> None:
        async with bench.motor.running(FULL):
            await asyncio.sleep(2)
            if ending == "an exception":
                raise ZeroDivisionError
            await asyncio.sleep(1000)

    task = asyncio.ensure_future(turn())
    await asyncio.sleep(2)
    task.cancel()
    with suppress(ZeroDivisionError, asyncio.CancelledError):
        await task
    await asyncio.sleep(100)
    assert bench.on_s == [(0, 2)]


async def test_the_limit_stops_a_run_that_never_ends(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    async with bench.motor.running(UNEVEN, longest_s=20):
        await bench.motor.stopped()
        assert now() == 20
        await asyncio.sleep(100)
        assert not patterns_running()
    assert bench.on_s == [(0, 20)]
    assert bench.levels[-1] == (20, 0.0)
    assert "its time limit of 20 s" in caplog.text


async def test_the_motor_of_any_accessory_has_a_limit() -> None:
    pins = VirtualPins(asyncio.get_running_loop().time)
    board: Any = SimpleNamespace(pins=pins, guard_motor=lambda _: nullcontext(unguarded))
    device = FittedDevice("windmill.motor", "windmill's motor", MOTOR, PIN)
    async with device.open(board, ignore_event) as motor, motor.running(FULL):
        await motor.stopped()
        assert (now(), pins.line(PIN).duty) == (LONGEST_S, 0)


async def test_the_limit_stops_a_pattern_that_cannot_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()

    async def endless(_pattern: object) -> None:
        while now() < 50:
            bench.motor._write(1)
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.5)

    monkeypatch.setattr(bench.motor, "_follow", endless)
    async with bench.motor.running(FULL, longest_s=3):
        await asyncio.sleep(60)
    assert bench.on_s == [(0, 3)]


async def test_a_second_run_at_the_same_time_is_rejected_and_does_not_stop_the_first() -> None:
    bench = Bench()
    async with bench.motor.running(FULL):
        await asyncio.sleep(1)
        with pytest.raises(RuntimeError, match="already running"):
            async with bench.motor.running(FULL):
                pass
        await asyncio.sleep(1)
        assert bench.motor.level == 1
    assert bench.on_s == [(0, 2)]


async def test_close_stops_a_run_and_frees_the_pin() -> None:
    bench = Bench()
    async with bench.motor.running(UNEVEN):
        await asyncio.sleep(1)
        bench.motor.close()
        bench.motor.close()
        assert bench.line.duty == 0
        await asyncio.sleep(5)
        assert not patterns_running()
    assert bench.on_s == [(0, 1)]
    assert bench.levels[-1] == (1, 0.0)
    assert not bench.line.is_output
    LED(PIN, pin_factory=bench.pins).close()


def break_writes(monkeypatch: pytest.MonkeyPatch, is_broken: Callable[[float], bool]) -> None:
    write = VirtualPin._set_state

    def fail(pin: VirtualPin, value: float) -> None:
        if is_broken(value):
            raise OSError("write error")
        write(pin, value)

    monkeypatch.setattr(VirtualPin, "_set_state", fail)


async def test_turning_off_is_tried_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    bench, errors = Bench(), iter([True])
    break_writes(monkeypatch, lambda level: level == 0 and next(errors, False))
    async with bench.motor.running(FULL):
        await asyncio.sleep(1)
    assert bench.on_s == [(0, 1)]


async def test_a_pin_that_cannot_be_written_low_becomes_an_input(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    break_writes(monkeypatch, lambda level: level == 0)
    with pytest.raises(DeviceError, match=r"motor on GPIO18 .* write error"):
        async with bench.motor.running(FULL):
            await asyncio.sleep(1)
    assert not bench.line.is_output
    assert bench.on_s == [(0, 1)]
    [error] = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert "GPIO18" in error


async def test_a_write_error_during_a_run_stops_the_motor_and_is_raised_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench()
    break_writes(monkeypatch, lambda level: level > 0.5)
    with pytest.raises(DeviceError, match=r"motor on GPIO18 .* write error"):
        async with bench.motor.running(FULL):
            await bench.motor.stopped()
    assert (now(), bench.motor.level) == (0.2, 0)
    assert bench.on_s == [(0, 0.2)]
    assert bench.levels == [(0, 1.0), (0.2, 0.0)]


async def test_a_pin_that_fails_during_a_step_stops_the_motor_within_half_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench()
    break_writes(monkeypatch, lambda level: now() >= 3 and level > 0)
    with pytest.raises(DeviceError, match=r"motor on GPIO18 .* write error"):
        async with bench.motor.running((Step(0.6, 10.0),)):
            await bench.motor.stopped()
    assert now() <= 3.5
    assert bench.on_s == [(0, now())]


@pytest.mark.parametrize("late_s", [0.0, 0.3])
async def test_the_guard_gets_a_report_before_the_motor_goes_on_and_every_half_second_also_on_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch, late_s: float
) -> None:
    monkeypatch.setattr(motor, "RAMP_STEP_S", motor.RAMP_STEP_S + late_s)
    bench = Bench()
    bench.line.on_change.append(lambda _, duty: None if bench.reports[-1][1] else pytest.fail("not reported"))
    async with bench.motor.running((Step(0.7, 3.3), Step(1.0, 0.02))):
        await asyncio.sleep(10)
    assert max(b - a for (a, _), (b, _) in pairwise(bench.reports)) <= REPORT_EVERY_S + 1e-6
    assert bench.reports[-1] == (10, False)
    assert {is_on for _, is_on in bench.reports[:-1]} == {True}


async def test_values_out_of_range_are_rejected() -> None:
    bench = Bench()
    for longest_s in (0, -1, LONGEST_S + 1, float("nan")):
        with pytest.raises(ValueError, match="longest_s"):
            async with bench.motor.running(FULL, longest_s=longest_s):
                pass
    for level, seconds in ((1.1, 1), (-0.1, 1), (float("nan"), 1), (1, 0), (1, 1000)):
        with pytest.raises(ValueError, match=r"level|step"):
            Step(level, seconds)
    with pytest.raises(ValueError, match="at least one step"):
        async with bench.motor.running(()):
            pass
    with pytest.raises(DeviceError, match=r"GPIO18 .* in use"):
        Motor(PIN, pins=bench.pins)


async def test_a_motor_that_is_off_has_no_pwm() -> None:
    pins = MockFactory(pin_class=MockPWMPin)
    pin = pins.pin(PIN)
    motor = Motor(PIN, pins=pins)
    assert (pin.state, pin.frequency) == (0, None)
    async with motor.running(FULL):
        await asyncio.sleep(1)
        assert pin.state == 1
        assert pin.frequency
    assert (pin.state, pin.frequency) == (0, None)
    motor.close()


async def test_a_turn_with_an_absent_motor_takes_its_time() -> None:
    async with AbsentMotor().running(FULL):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(AbsentMotor().stopped(), 13)
