"""On a made-up lgpio and libgpiod; tests/vm has the same pins on a real kernel."""

from __future__ import annotations

import enum
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpiozero import InputDevice, OutputDevice

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has lines and what to wait for them with"),
]

PIN = 17
PATIENCE_S = 30.0
UP, DOWN, NONE = 32, 64, 128


class Edge(enum.Enum):
    RISING_EDGE = 1
    FALLING_EDGE = 2


class Level(enum.Enum):
    INACTIVE = 0
    ACTIVE = 1


class FakeLgpio(ModuleType):
    """lgpio with one chip, and who has which of its pins."""

    SET_PULL_UP, SET_PULL_DOWN, SET_PULL_NONE = UP, DOWN, NONE
    RISING_EDGE, FALLING_EDGE, BOTH_EDGES = 1, 2, 3

    class error(Exception):  # noqa: N801, N818 - lgpio's own name
        pass

    def __init__(self) -> None:
        super().__init__("lgpio")
        self.claimed: dict[int, int] = {}
        self.modes: dict[int, int] = {}
        self.debounce_us: dict[int, int] = {}

    def gpiochip_open(self, number: int) -> int:
        return number

    def gpiochip_close(self, handle: int) -> None:
        self.claimed.clear()

    def gpio_claim_input(self, handle: int, pin: int, flags: int = 0) -> None:
        self.claimed[pin] = self.modes[pin] = flags

    def gpio_claim_output(self, handle: int, pin: int) -> None:
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


class FakeLine:
    """A line that was had of the kernel."""

    def __init__(self, chip: str, config: dict[int, SimpleNamespace], consumer: str) -> None:
        self.chip = chip
        [(self.pin, self.settings)] = config.items()
        self.fd = os.eventfd(0, os.EFD_NONBLOCK)
        self.level = Level.INACTIVE
        self.waiting: list[Any] = []
        self.is_released = False

    def move(self, *edges: Edge) -> None:
        """The wire moves."""
        self.waiting += [SimpleNamespace(event_type=edge, timestamp_ns=1_500_000_000) for edge in edges]
        os.eventfd_write(self.fd, 1)

    def get_value(self, pin: int) -> Level:
        assert pin == self.pin
        return self.level

    def wait_edge_events(self, timeout: timedelta) -> bool:
        assert not timeout
        return bool(self.waiting)

    def read_edge_events(self) -> list[Any]:
        os.eventfd_read(self.fd)
        told, self.waiting = self.waiting, []
        return told

    def release(self) -> None:
        self.is_released = True
        os.close(self.fd)


class Bench:
    """The pins, and both libraries below them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lgpio = FakeLgpio()
        self.lines: list[FakeLine] = []
        names = ("lgpio", "gpiod", "gpiod.line", "gpiozero.pins.lgpio", "reboard.lgpio_pins")
        for name in names:
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.setitem(sys.modules, "lgpio", self.lgpio)
        gpiod, line = ModuleType("gpiod"), ModuleType("gpiod.line")
        gpiod.__dict__.update(
            EdgeEvent=SimpleNamespace(Type=Edge), LineSettings=SimpleNamespace, LineRequest=FakeLine, line=line
        )
        gpiod.__dict__["request_lines"] = self.request
        line.__dict__.update(
            Bias=SimpleNamespace(PULL_UP="up", PULL_DOWN="down", DISABLED="none"),
            Direction=SimpleNamespace(INPUT="in"),
            Edge=SimpleNamespace(BOTH="both", RISING="rising", FALLING="falling"),
            Value=Level,
        )
        monkeypatch.setitem(sys.modules, "gpiod", gpiod)
        monkeypatch.setitem(sys.modules, "gpiod.line", line)
        module = importlib.import_module("reboard.lgpio_pins")
        monkeypatch.setattr(module.LgpioPins, "_get_revision", lambda self: 0xA02082)
        self.pins = module.LgpioPins(0)
        self.heard: list[tuple[float, float]] = []
        self.was_told = threading.Event()

    def request(self, chip: str, config: dict[int, SimpleNamespace], consumer: str) -> FakeLine:
        [pin] = config
        assert pin not in self.lgpio.claimed, "busy"
        self.lines.append(FakeLine(chip, config, consumer))
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
    for name in ("gpiozero.pins.lgpio", "reboard.lgpio_pins"):
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
        assert (line.chip, line.pin) == ("/dev/gpiochip0", PIN)
        assert vars(line.settings) == {
            "direction": "in",
            "bias": "up",
            "edge_detection": "both",
            "debounce_period": timedelta(0),
        }
        line.move(Edge.FALLING_EDGE)
        bench.await_edge()
        assert bench.heard == [(1.5, 0)]
        line.move(Edge.RISING_EDGE)
        bench.await_edge()
        assert bench.heard[1:] == [(1.5, 1)]


def test_the_level_of_a_pin_with_edges_is_the_kernels(bench: Bench) -> None:
    with button(bench) as device:
        assert device.is_active
        bench.lines[0].level = Level.ACTIVE
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
        bench.lines[1].move(Edge.FALLING_EDGE)
        bench.await_edge()


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
        assert settings.debounce_period == timedelta(milliseconds=20)


def test_one_thread_hears_all_pins_and_one_that_fails_silences_no_other(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(ticks: float, state: float) -> None:
        raise ZeroDivisionError

    with button(bench), InputDevice(4, pull_up=True, pin_factory=bench.pins) as other:
        other.pin.when_changed = fail
        bench.lines[1].move(Edge.FALLING_EDGE)
        bench.lines[0].move(Edge.FALLING_EDGE)
        bench.await_edge()
        bench.lines[0].move(Edge.RISING_EDGE)
        bench.await_edge()
    assert len(bench.heard) == 2
    assert "an edge could not be told" in caplog.text


def test_an_edge_that_comes_too_late_is_told_to_nobody(bench: Bench) -> None:
    with button(bench) as device:
        [line] = bench.lines
        device.pin._tell(SimpleNamespace(event_type=Edge.RISING_EDGE, timestamp_ns=0))
        device.pin.when_changed = None
        device.pin._tell(SimpleNamespace(event_type=Edge.RISING_EDGE, timestamp_ns=0))
        assert len(bench.heard) == 1
        assert bench.pins.edge_watch._edges(line.fd) == []


def test_a_board_that_is_put_away_leaves_no_thread_and_may_be_put_away_twice(bench: Bench) -> None:
    with button(bench):
        assert "edges" in [thread.name for thread in threading.enumerate()]
    bench.pins.close()
    assert "edges" not in [thread.name for thread in threading.enumerate()]
    bench.pins.close()


def test_an_output_is_lgpios(bench: Bench) -> None:
    with OutputDevice(PIN, pin_factory=bench.pins):
        assert bench.lgpio.claimed == {PIN: 2}
