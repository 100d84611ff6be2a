"""gpiozero's devices on a made-up libgpiod; tests/vm uses a real kernel."""

from __future__ import annotations

import importlib
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest
from gpiozero import (
    GPIODevice,
    GPIOZeroError,
    InputDevice,
    OutputDevice,
    PinFixedPull,
    PinInvalidFunction,
    PinPWMFixedValue,
    PinSetInput,
    PWMOutputDevice,
)

from reboard.errors import DeviceError
from tests.fake_gpiod import EdgeType, FakeGpiod, FakeRequest
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has GPIO chips")

PIN = 17
MOTOR = 13
OPEN_FILES = Path("/proc/self/fd")
MODULES = ("reboard.devices.gpio.pin_factory", "reboard.devices.gpio.edges", "reboard.devices.gpio.pulses")


@dataclass
class Sleep:
    """A thread of the pulses that sleeps until the test wakes it."""

    seconds: float
    woken: threading.Event = field(default_factory=threading.Event)
    late_s: float = 0.0

    def wake(self, late_s: float = 0.0) -> None:
        self.late_s = late_s
        self.woken.set()


class Bench:
    """The pins, and libgpiod below them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, devices: Path) -> None:
        self.gpiod = FakeGpiod({0: "raspberrypi-exp-gpio", 1: "pinctrl-bcm2711"})
        self.gpiod.install(monkeypatch, devices)
        for name in MODULES:
            monkeypatch.delitem(sys.modules, name, raising=False)
        module = importlib.import_module("reboard.devices.gpio.pin_factory")
        self.now = 0.0
        clock = SimpleNamespace(sleep=self._sleep, monotonic=lambda: self.now)
        monkeypatch.setattr(sys.modules["reboard.devices.gpio.pulses"], "time", clock)
        monkeypatch.setattr(module.GpiodFactory, "_get_revision", lambda self: 0xA02082)
        [entry] = entry_points(group="gpiozero_pin_factories", name="gpiod")
        assert entry.load() is module.GpiodFactory
        self.pins = module.GpiodFactory()
        self.edges: list[tuple[float, float]] = []
        self._received = threading.Event()
        self.sleeps: queue.Queue[Sleep] = queue.Queue()

    def line(self, pin: int = PIN) -> FakeRequest:
        return self.gpiod.claimed[pin]

    def receive(self, ticks: float, state: float) -> None:
        self.edges.append((ticks, state))
        self._received.set()

    def wait(self) -> None:
        assert self._received.wait(PATIENCE_S)
        self._received.clear()

    def _sleep(self, seconds: float) -> None:
        sleep = Sleep(seconds)
        self.sleeps.put(sleep)
        assert sleep.woken.wait(PATIENCE_S)
        self.now += seconds + sleep.late_s

    def asleep(self) -> Sleep:
        """Wait until the thread of the pulses sleeps."""
        return self.sleeps.get(timeout=PATIENCE_S)

    def threads(self, name: str) -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == name]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(monkeypatch, tmp_path)
    with closing(bench.pins):
        yield bench
    # the next test counts threads
    for thread in bench.threads("pulses"):
        thread.join(PATIENCE_S)
    # other tests must not use modules that were imported with this library
    for name in MODULES:
        sys.modules.pop(name, None)


def button(bench: Bench) -> InputDevice:
    device = InputDevice(PIN, pull_up=True, pin_factory=bench.pins)
    device.pin.bounce = None
    device.pin.edges = "both"
    device.pin.when_changed = bench.receive
    return device


def test_an_input_is_pulled_and_its_level_is_read(bench: Bench) -> None:
    with InputDevice(PIN, pull_up=True, pin_factory=bench.pins) as device:
        assert (bench.line().settings.direction, bench.line().settings.bias) == ("in", "up")
        assert bench.line().settings.edge_detection == "none"
        assert device.is_active
        bench.line().is_high = True
        assert not device.is_active
        with pytest.raises(PinSetInput):
            device.pin.state = 1
    assert bench.gpiod.claimed == {}


def test_a_pin_without_a_function_is_read_as_an_input(bench: Bench) -> None:
    with GPIODevice(PIN, pin_factory=bench.pins) as device:
        assert isinstance(device.value, int)
        assert bench.line().settings.direction == "in"
        assert device.pin.state ^ 1, "a level is a whole number, for gpiozero's software SPI"
    assert bench.gpiod.claimed == {}


def test_the_callback_of_a_pin_is_called_again_when_the_pin_has_been_an_output(bench: Bench) -> None:
    with button(bench) as device:
        device.pin.output_with_state(0)
        bench.line().move(EdgeType.RISING_EDGE)
        device.pin.function = "input"
        assert bench.line().settings.edge_detection == "both"
        assert bench.edges == []
        bench.line().move(EdgeType.FALLING_EDGE)
        bench.wait()


def test_an_output_has_its_first_level_at_once_and_is_an_input_before_it_is_released(bench: Bench) -> None:
    with OutputDevice(PIN, initial_value=True, pin_factory=bench.pins) as device:
        line = bench.line()
        assert device.value == 1
        device.off()
        assert not line.is_high
        with pytest.raises(PinFixedPull):
            device.pin.pull = "up"
        with pytest.raises(PinInvalidFunction):
            device.pin.when_changed = bench.receive
    assert line.driven == [True, False, None]
    assert line.is_released
    with pytest.raises(PinFixedPull), InputDevice(2, pull_up=False, pin_factory=bench.pins):
        pass


def test_a_pin_that_changes_its_direction_is_not_released(bench: Bench) -> None:
    with OutputDevice(PIN, pin_factory=bench.pins) as row:
        row.pin.function = "input"
        row.pin.output_with_state(1)
        assert [request.driven for request in bench.gpiod.requests] == [[False, None, True]]


def test_a_pin_that_another_program_uses_is_an_error_with_its_name(bench: Bench) -> None:
    bench.gpiod.users[PIN] = "lg"
    with pytest.raises(DeviceError, match=r"\blg\b"):
        OutputDevice(PIN, pin_factory=bench.pins)
    del bench.gpiod.users[PIN]
    with OutputDevice(PIN, pin_factory=bench.pins):
        pass


def test_a_pin_with_edges_reports_the_kernels_time_and_level(bench: Bench) -> None:
    with button(bench) as device:
        assert bench.line().settings.edge_detection == "both"
        for edge in (EdgeType.FALLING_EDGE, EdgeType.RISING_EDGE):
            bench.line().move(edge)
            bench.wait()
        assert bench.edges == [(1.5, 0), (1.5, 1)]
        device.pin.when_changed = None
        bench.line().move(EdgeType.FALLING_EDGE)
        assert (bench.line().settings.edge_detection, bench.line().settings.bias) == ("none", "up")
        device.pin.when_changed = bench.receive
        bench.line().move(EdgeType.RISING_EDGE)
        bench.wait()
        assert bench.edges[2:] == [(1.5, 1)], "an edge from before is not reported"


def test_a_closed_pin_is_free_and_can_be_opened_again(bench: Bench) -> None:
    for _ in range(3):
        with button(bench):
            bench.line().move(EdgeType.FALLING_EDGE)
            bench.wait()
        assert bench.gpiod.claimed == {}
    assert bench.threads("edges")
    for _ in range(2):
        bench.pins.close()
        assert not bench.threads("edges")


def test_settings_can_change_while_a_pin_has_edges(bench: Bench) -> None:
    with button(bench) as device:
        device.pin.bounce = 0.02
        device.pin.pull = "down"
        device.pin.edges = "rising"
        [line] = bench.gpiod.requests
        assert (line.settings.bias, line.settings.edge_detection) == ("down", "rising")
        assert line.settings.debounce_period.total_seconds() == 0.02
        device.pin.function = "output"
        assert line.settings.edge_detection == "none"
        assert device.pin.when_changed == bench.receive


def motor(bench: Bench) -> PWMOutputDevice:
    return PWMOutputDevice(MOTOR, frequency=100, pin_factory=bench.pins)


@pytest.mark.parametrize("duty", [0.05, 0.2, 0.6, 0.9])
@pytest.mark.parametrize(
    ("late_high_s", "late_low_s"), [(0.004, 0), (0, 0.002), (0.004, 0.002), (0.0002, 0.0002), (0.005, 0.005)]
)
def test_the_duty_cycle_is_true_also_when_the_thread_wakes_late(
    bench: Bench, duty: float, late_high_s: float, late_low_s: float
) -> None:
    high_s = 0.0
    with motor(bench) as device:
        device.value = duty
        for _ in range(50):
            before = bench.asleep()
            rise = bench.now
            assert bench.line(MOTOR).is_high
            before.wake(late_high_s)
            sleep = bench.asleep()
            assert not bench.line(MOTOR).is_high
            high_s += bench.now - rise
            sleep.wake(late_low_s)
        sleep = bench.asleep()
        assert high_s / bench.now == pytest.approx(duty, rel=0.03)
        device.value = 0
        sleep.wake()


def test_a_pulse_that_lasts_a_second_does_not_stop_the_pulses_for_many(bench: Bench) -> None:
    with motor(bench) as device:
        device.value = 0.05
        bench.asleep().wake(1.0)
        sleep = bench.asleep()
        assert sleep.seconds < 0.2
        device.value = 0
        sleep.wake()


def test_the_pulses_of_a_servo_become_no_longer_after_a_late_one(bench: Bench) -> None:
    with motor(bench) as device:
        device.value = 0.15
        bench.asleep().wake()
        bench.asleep().wake(0.04)
        sleep = bench.asleep()
        assert sleep.seconds == pytest.approx(0.0015)
        device.value = 0
        sleep.wake()


def test_slow_pulses_have_their_duty_cycle(bench: Bench) -> None:
    with motor(bench) as device:
        device.frequency = 0.5
        device.value = 0.25
        sleep = bench.asleep()
        assert sleep.seconds == pytest.approx(0.5)
        sleep.wake()
        sleep = bench.asleep()
        assert sleep.seconds == pytest.approx(1.5)
        device.value = 0
        sleep.wake()


@pytest.mark.parametrize(
    ("end", "level"),
    [
        (lambda device: setattr(device, "value", 0), False),
        (lambda device: setattr(device, "value", 1), True),
        (lambda device: setattr(device, "frequency", None), False),
        (lambda device: device.pin.output_with_state(1), True),
        (PWMOutputDevice.close, None),
    ],
)
def test_a_steady_level_is_set_at_once_and_the_thread_of_the_pulses_ends_without_another(
    bench: Bench, end: object, level: bool | None
) -> None:
    device = motor(bench)
    assert not bench.threads("pulses")
    line = bench.line(MOTOR)
    device.value = 0.6
    sleep = bench.asleep()
    [thread] = bench.threads("pulses")
    assert callable(end)
    end(device)
    assert line.driven[-1] is level
    done = len(line.driven)
    sleep.wake()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert len(line.driven) == done
    assert bench.sleeps.empty()
    device.close()


def test_a_level_of_1_that_is_set_as_a_pulse_begins_ends_the_thread(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    levels: list[bool] = []

    def write(level: bool) -> None:
        levels.append(level)
        if levels == [False, True]:
            pulses.set_duty(1)

    pulses = sys.modules["reboard.devices.gpio.pulses"].Pulses("GPIO13", write, lambda: None, 100)
    pulses.set_duty(0.6)
    [thread] = bench.threads("pulses")
    bench.asleep().wake()
    thread.join(PATIENCE_S)
    assert levels == [False, True, True]
    assert failures == []


def test_pulses_that_start_again_while_the_old_thread_sleeps_are_those_of_one_thread(bench: Bench) -> None:
    with motor(bench) as device:
        device.value = 0.6
        old = bench.asleep()
        [thread] = bench.threads("pulses")
        device.value = 0
        device.value = 0.25
        new = bench.asleep()
        assert new.seconds == pytest.approx(0.0025)
        assert device.value == 0.25
        old.wake()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert bench.line(MOTOR).is_high
        device.value = 0
        new.wake()


@pytest.mark.parametrize("is_gone", [False, True])
def test_pulses_that_fail_leave_an_input_and_the_next_level_is_an_error(
    bench: Bench, is_gone: bool, caplog: pytest.LogCaptureFixture
) -> None:
    device = motor(bench)
    device.value = 0.6
    sleep = bench.asleep()
    [thread] = bench.threads("pulses")
    line = bench.line(MOTOR)
    line.error = OSError(19, "No such device")
    line.can_be_an_input = not is_gone
    sleep.wake()
    thread.join(PATIENCE_S)
    assert line.is_released
    assert is_gone or line.driven[-1] is None
    assert {record.levelname for record in caplog.records} == {"ERROR"}
    assert "No such device" in caplog.text
    with pytest.raises((GPIOZeroError, OSError)):
        device.value = 0.6
    device.close()


def test_a_pin_that_cannot_be_closed_does_not_keep_the_other_pins(bench: Bench) -> None:
    with OutputDevice(PIN, pin_factory=bench.pins), motor(bench) as device:
        device.value = 1
        broken, line = bench.line(), bench.line(MOTOR)
        broken.error = OSError(19, "No such device")
        with pytest.raises(OSError, match="No such device"):
            bench.pins.close()
        assert bench.gpiod.claimed == {}
        assert line.driven[-1] is None
        bench.pins.close()


def test_a_callback_may_close_the_pins(bench: Bench) -> None:
    def close(ticks: float, state: float) -> None:
        bench.pins.close()
        bench.receive(ticks, state)

    opened = len(list(OPEN_FILES.iterdir()))
    device = button(bench)
    device.pin.when_changed = close
    bench.line().move(EdgeType.FALLING_EDGE, EdgeType.RISING_EDGE)
    threads = bench.threads("edges")
    bench.wait()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not bench.threads("edges")
    assert bench.edges == [(1.5, 0)]
    assert len(list(OPEN_FILES.iterdir())) == opened


def test_an_input_has_no_pulses(bench: Bench) -> None:
    with InputDevice(PIN, pin_factory=bench.pins) as device, pytest.raises(PinPWMFixedValue):
        device.pin.frequency = 100
