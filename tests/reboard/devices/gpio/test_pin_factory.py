"""gpiozero's pins on a made-up lgpio and libgpiod; tests/vm uses a real kernel."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from types import ModuleType, SimpleNamespace

import pytest
from gpiozero import InputDevice, OutputDevice

from reboard.errors import DeviceError
from tests import fake_gpiod
from tests.fake_gpiod import EdgeType, FakeRequest, Value

pytestmark = pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has GPIO chips")

PIN = 17
PATIENCE_S = 30.0
UP, DOWN, NONE = 32, 64, 128
MODULES = ("gpiozero.pins.lgpio", "reboard.devices.gpio.pin_factory", "reboard.devices.gpio.edges")


class FakeLgpio(ModuleType):
    """lgpio with one chip, and its claimed pins."""

    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = UP, DOWN, NONE
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3

    class error(Exception):  # noqa: N801, N818 - lgpio's own name
        pass

    def __init__(self, others: list[FakeRequest]) -> None:
        super().__init__("lgpio")
        self.others = others
        self.claimed: dict[int, int] = {}
        self.modes: dict[int, int] = {}
        self.debounce_us: dict[int, int] = {}

    def gpiochip_open(self, number: int) -> int:
        return number

    def gpiochip_close(self, handle: int) -> None:
        self.claimed.clear()

    def _must_be_free(self, pin: int) -> None:
        if [line for line in self.others if line.pin == pin and not line.is_released]:
            raise self.error("GPIO busy")

    def gpio_claim_input(self, handle: int, pin: int, flags: int = 0) -> None:
        self._must_be_free(pin)
        self.claimed[pin] = self.modes[pin] = flags

    def gpio_claim_output(self, handle: int, pin: int) -> None:
        self._must_be_free(pin)
        self.claimed[pin] = self.modes[pin] = 2

    def gpio_free(self, handle: int, pin: int) -> None:
        del self.claimed[pin]

    def gpio_get_mode(self, handle: int, pin: int) -> int:
        return self.modes[pin]

    def gpio_read(self, handle: int, pin: int) -> int:
        assert pin in self.claimed, "another program uses it"
        return 0

    def gpio_write(self, handle: int, pin: int, level: bool) -> None:
        assert self.claimed[pin] == 2

    def gpio_set_debounce_micros(self, handle: int, pin: int, micros: int) -> None:
        assert pin in self.claimed, "another program uses it"
        self.debounce_us[pin] = micros


class Bench:
    """The pins, and the libraries below them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[FakeRequest] = []
        self.lgpio = FakeLgpio(self.lines)
        self.is_busy = False
        for name in MODULES:
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setitem(sys.modules, "lgpio", self.lgpio)
        fake_gpiod.install(monkeypatch, self.request)
        module = importlib.import_module("reboard.devices.gpio.pin_factory")
        monkeypatch.setattr(module.LgpioPins, "_get_revision", lambda self: 0xA02082)
        self.pins = module.LgpioPins(0)
        self.edges: list[tuple[float, float]] = []
        self._received = threading.Event()

    def request(self, chip: str, config: dict[int, SimpleNamespace], consumer: str) -> FakeRequest:
        [pin] = config
        if self.is_busy or pin in self.lgpio.claimed:
            raise OSError(16, "Device or resource busy")
        self.lines.append(FakeRequest(chip, config, consumer))
        return self.lines[-1]

    def receive(self, ticks: float, state: float) -> None:
        self.edges.append((ticks, state))
        self._received.set()

    def wait(self) -> None:
        assert self._received.wait(PATIENCE_S)
        self._received.clear()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    bench = Bench(monkeypatch)
    with closing(bench.pins):
        yield bench
    # other tests must not use modules that were imported with these libraries
    for name in MODULES:
        sys.modules.pop(name, None)


def button(bench: Bench) -> InputDevice:
    device = InputDevice(PIN, pull_up=True, pin_factory=bench.pins)
    device.pin.bounce = None
    device.pin.edges = "both"
    device.pin.when_changed = bench.receive
    return device


def test_pins_without_edges_are_lgpios(bench: Bench) -> None:
    with InputDevice(PIN, pull_up=True, pin_factory=bench.pins) as device, OutputDevice(4, pin_factory=bench.pins):
        assert device.is_active
        assert bench.lgpio.claimed == {PIN: UP, 4: 2}
    assert bench.lgpio.claimed == {}
    assert bench.lines == []


def test_a_pin_with_edges_is_the_kernels_with_its_time_and_level(bench: Bench) -> None:
    with button(bench) as device:
        [line] = bench.lines
        for edge in (EdgeType.FALLING_EDGE, EdgeType.RISING_EDGE):
            line.move(edge)
            bench.wait()
        assert bench.edges == [(1.5, 0), (1.5, 1)]
        assert device.is_active
        line.value = Value.ACTIVE
        assert not device.is_active
        device.pin.when_changed = None
        assert line.is_released
        assert bench.lgpio.claimed == {PIN: UP}
        assert device.is_active


def test_a_closed_pin_is_free_and_can_be_opened_again(bench: Bench) -> None:
    for number in range(3):
        with button(bench):
            bench.lines[number].move(EdgeType.FALLING_EDGE)
            bench.wait()
        assert bench.lines[number].is_released
        assert bench.lgpio.claimed == {}
    bench.lines.append(FakeRequest("/dev/gpiochip0", {PIN: SimpleNamespace()}, "another program"))
    assert "edges" in [thread.name for thread in threading.enumerate()]
    for _ in range(2):
        bench.pins.close()
        assert "edges" not in [thread.name for thread in threading.enumerate()]


def test_settings_can_change_while_a_pin_has_edges(bench: Bench) -> None:
    with button(bench) as device:
        device.pin.bounce = 0.02
        device.pin.pull = "down"
        device.pin.edges = "rising"
        assert [line.is_released for line in bench.lines] == [True, True, True, False]
        settings = bench.lines[-1].settings
        assert (settings.bias, settings.edge_detection) == ("down", "rising")
        assert settings.debounce_period.total_seconds() == 0.02
        device.pin.function = "output"
        assert bench.lines[-1].is_released
        assert bench.lgpio.claimed == {PIN: 2}


def test_without_libgpiod_only_edges_fail(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with OutputDevice(4, pin_factory=bench.pins), InputDevice(PIN, pull_up=True, pin_factory=bench.pins) as device:
        with pytest.raises(DeviceError, match=r"gpiod.*`pip install"):
            device.pin.when_changed = bench.receive
        assert bench.lgpio.claimed == {4: 2, PIN: UP}
