"""On a made-up lgpio and libgpiod; tests/vm has the same pins on a real kernel."""

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

from reboard.errors import PartError
from tests import fake_gpiod
from tests.fake_gpiod import EdgeType, FakeRequest, Value

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has lines and what to wait for them with"),
]

PIN = 17
PATIENCE_S = 30.0
UP, DOWN, NONE = 32, 64, 128
MADE_ANEW = ("gpiozero.pins.lgpio", "reboard.lgpio_pins", "reboard.kernel_edges")


class FakeLgpio(ModuleType):
    """lgpio with one chip, and who has which of its pins."""

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
        assert pin in self.claimed, "somebody else has it"
        return 0

    def gpio_write(self, handle: int, pin: int, level: bool) -> None:
        assert self.claimed[pin] == 2

    def gpio_set_debounce_micros(self, handle: int, pin: int, micros: int) -> None:
        assert pin in self.claimed, "somebody else has it"
        self.debounce_us[pin] = micros


class Bench:
    """The pins, and both libraries below them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[FakeRequest] = []
        self.lgpio = FakeLgpio(self.lines)
        self.refuses = False
        for name in MADE_ANEW:
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setitem(sys.modules, "lgpio", self.lgpio)
        fake_gpiod.install(monkeypatch, self.request)
        module = importlib.import_module("reboard.lgpio_pins")
        monkeypatch.setattr(module.LgpioPins, "_get_revision", lambda self: 0xA02082)
        self.pins = module.LgpioPins(0)
        self.heard: list[tuple[float, float]] = []
        self.was_told = threading.Event()

    def request(self, chip: str, config: dict[int, SimpleNamespace], consumer: str) -> FakeRequest:
        [pin] = config
        if self.refuses or pin in self.lgpio.claimed:
            raise OSError(16, "Device or resource busy")
        self.lines.append(FakeRequest(chip, config, consumer))
        return self.lines[-1]

    def hear(self, ticks: float, state: float) -> None:
        self.heard.append((ticks, state))
        self.was_told.set()

    def await_edge(self) -> None:
        assert self.was_told.wait(PATIENCE_S)
        self.was_told.clear()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    bench = Bench(monkeypatch)
    with closing(bench.pins):
        yield bench
    # what was imported on top of the made-up libraries is nobody else's
    for name in MADE_ANEW:
        sys.modules.pop(name, None)


def button(bench: Bench) -> InputDevice:
    device = InputDevice(PIN, pull_up=True, pin_factory=bench.pins)
    device.pin.bounce = None
    device.pin.edges = "both"
    device.pin.when_changed = bench.hear
    return device


def test_a_pin_whose_edges_nobody_wants_is_lgpios(bench: Bench) -> None:
    with InputDevice(PIN, pull_up=True, pin_factory=bench.pins) as device:
        assert device.is_active
        assert bench.lgpio.claimed == {PIN: UP}
    assert bench.lines == []


def test_edges_come_from_the_kernel_with_its_own_time(bench: Bench) -> None:
    with button(bench):
        [line] = bench.lines
        line.move(EdgeType.FALLING_EDGE)
        bench.await_edge()
        line.move(EdgeType.RISING_EDGE)
        bench.await_edge()
        assert bench.heard == [(1.5, 0), (1.5, 1)]


def test_the_level_of_a_pin_with_edges_is_the_kernels(bench: Bench) -> None:
    with button(bench) as device:
        assert device.is_active
        bench.lines[0].value = Value.ACTIVE
        assert not device.is_active


def test_who_hears_no_more_gives_the_pin_back_to_lgpio_as_it_was(bench: Bench) -> None:
    with button(bench) as device:
        device.pin.when_changed = None
        assert bench.lines[0].is_released
        assert bench.lgpio.claimed == {PIN: UP}
        assert device.is_active


def test_a_pin_that_was_closed_can_be_had_again_and_heard(bench: Bench) -> None:
    button(bench).close()
    assert bench.lines[0].is_released
    with button(bench):
        bench.lines[1].move(EdgeType.FALLING_EDGE)
        bench.await_edge()


def test_a_pin_that_was_had_again_can_be_closed_again(bench: Bench) -> None:
    for _ in range(3):
        button(bench).close()
        assert bench.lgpio.claimed == {}


def test_a_pin_that_was_closed_is_nobodys_and_somebody_else_may_have_it(bench: Bench) -> None:
    button(bench).close()
    OutputDevice(4, pin_factory=bench.pins).close()
    assert bench.lgpio.claimed == {}
    bench.lines.append(FakeRequest("/dev/gpiochip0", {PIN: SimpleNamespace()}, "somebody"))
    bench.pins.close()


def test_a_pin_with_edges_can_become_an_output(bench: Bench) -> None:
    with button(bench) as device:
        device.pin.function = "output"
        assert bench.lines[0].is_released
        assert bench.lgpio.claimed == {PIN: 2}


def test_what_is_changed_of_a_pin_with_edges_goes_on_with_edges(bench: Bench) -> None:
    with button(bench) as device:
        device.pin.bounce = 0.02
        device.pin.pull = "down"
        device.pin.edges = "rising"
        assert [line.is_released for line in bench.lines] == [True, True, True, False]
        settings = bench.lines[-1].settings
        assert (settings.bias, settings.edge_detection) == ("down", "rising")
        assert settings.debounce_period.total_seconds() == 0.02


def test_an_edge_of_before_is_told_to_nobody_who_has_the_pin_now(bench: Bench) -> None:
    with button(bench) as device:
        before = device.pin._line
    with button(bench) as device:
        device.pin._tell(before, 1.0, False)
        assert bench.heard == []
        device.pin._tell(device.pin._line, 1.0, False)
        assert len(bench.heard) == 1


def test_a_pin_that_the_kernel_refuses_can_be_tried_again(bench: Bench) -> None:
    bench.refuses = True
    with InputDevice(PIN, pull_up=True, pin_factory=bench.pins) as device:
        with pytest.raises(OSError, match="busy"):
            device.pin.when_changed = bench.hear
        assert bench.lgpio.claimed == {PIN: UP}
        bench.refuses = False
        device.pin.when_changed = bench.hear
        bench.lines[0].move(EdgeType.FALLING_EDGE)
        bench.await_edge()


def test_without_libgpiod_outputs_work_and_edges_say_what_is_missing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with OutputDevice(4, pin_factory=bench.pins), InputDevice(PIN, pull_up=True, pin_factory=bench.pins) as device:
        with pytest.raises(PartError, match=r"the library gpiod, 2\.1 or newer, is missing"):
            device.pin.when_changed = bench.hear
        assert bench.lgpio.claimed == {4: 2, PIN: UP}


def test_a_board_that_is_put_away_leaves_no_thread_and_may_be_put_away_twice(bench: Bench) -> None:
    with button(bench):
        assert "edges" in [thread.name for thread in threading.enumerate()]
    bench.pins.close()
    assert "edges" not in [thread.name for thread in threading.enumerate()]
    bench.pins.close()


def test_an_output_is_lgpios(bench: Bench) -> None:
    with OutputDevice(PIN, pin_factory=bench.pins):
        assert bench.lgpio.claimed == {PIN: 2}
