"""A pytest plugin that puts one of our pin factories in the place of gpiozero's mock pins.

``GPIOZERO_SUITE_PINS`` names it: ``virtual``, or ``gpiod`` on a made-up libgpiod. ``GPIOZERO_SUITE_RELEASE`` is the
release of gpiozero that the tests are of.
"""

from __future__ import annotations

import importlib.metadata
import math
import os
import sys
import tempfile
import threading
import time
import unittest.mock
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest
from gpiozero import devices
from gpiozero.pins import mock
from gpiozero.pins.local import LocalPiFactory

from reboard_sim.board.line import Line
from tests.fake_gpiod import EdgeType, FakeGpiod, FakeRequest, Settings, Value
from tests.gpiozero_suite.known import known_failures

PINS = os.environ["GPIOZERO_SUITE_PINS"]
RELEASE = os.environ["GPIOZERO_SUITE_RELEASE"]
PI_3B = 0xA02082
"""The revision code of the Pi that gpiozero's mock pins have, for which its tests are written."""

GPIOZERO_TOLERANCE_S = 0.05
TOLERANCE_S = 2.0
"""The tolerance for times. gpiozero's own is too short for a busy machine; what counts is the order of the states."""

PATIENCE_S = 10.0

gpiozero_isclose = math.isclose


def isclose(a: float, b: float, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> bool:
    abs_tol = TOLERANCE_S if abs_tol == GPIOZERO_TOLERANCE_S else abs_tol
    return gpiozero_isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)


math.isclose = isclose  # type: ignore[assignment]
# what these tests import, and Python 3.12 has no more
sys.modules["mock"] = unittest.mock
os.environ["GPIOZERO_TEST_LOCK"] = f"{tempfile.mkdtemp()}/lock"  # other tests of pins do not have to wait


class State(NamedTuple):
    """A state that a pin had, and the seconds since the one before."""

    timestamp: float
    state: float


class TestedPin:
    """What gpiozero's tests do with a mock pin, for a pin of ours on the line *wire*."""

    wire: Line
    function: str
    state: float

    def __init__(self, factory: Any, info: Any, **_: object) -> None:
        super().__init__(factory, info)  # type: ignore[call-arg]
        self.wire.on_change.append(self._wire_changed)
        self.clear_states()

    def _drive(self, level: bool | None) -> None:
        self.wire.drive(level, by="the test")

    def drive_high(self) -> None:
        assert self.function == "input"
        self._drive(True)

    def drive_low(self) -> None:
        assert self.function == "input"
        self._drive(False)

    def clear_states(self) -> None:
        self._changed_at = time.monotonic()
        self.states = [State(0.0, self.wire.level)]

    def assert_states(self, expected_states: list[float]) -> None:
        for actual, expected in zip(self.states, expected_states, strict=False):
            assert actual.state == expected

    def assert_states_and_times(self, expected_states: list[tuple[float, float]]) -> None:
        for actual, (after_s, state) in zip(self.states, expected_states, strict=False):
            assert math.isclose(actual.timestamp, after_s, abs_tol=TOLERANCE_S)
            assert math.isclose(actual.state, state)

    def _note(self, state: float) -> None:
        if self.states[-1].state != state:
            now = time.monotonic()
            self.states.append(State(now - self._changed_at, state))
            self._changed_at = now

    def _wire_changed(self, _: float, duty: float) -> None:
        if self.function == "input":
            self._note(duty > 0)

    def _set_function(self, value: str) -> None:
        self._drive(None)
        super()._set_function(value)  # type: ignore[misc]

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)  # type: ignore[misc]
        self._drive(None)

    def output_with_state(self, state: float) -> None:
        self._drive(None)
        super().output_with_state(state)  # type: ignore[misc]
        self._note(self.state)

    def _set_state(self, value: float) -> None:
        super()._set_state(value)  # type: ignore[misc]
        self._note(self.state)

    def _set_frequency(self, value: float | None) -> None:
        super()._set_frequency(value)  # type: ignore[misc]
        if self.function == "output":
            self._note(self.state)


class TestedFactory:
    """What gpiozero's tests do with its mock factory, for a factory of ours."""

    pin_class: Any
    close: Any
    _reservations: Any

    def _get_revision(self) -> int:
        return PI_3B

    def reset(self) -> None:
        self.close()
        self._reservations.clear()

    def pin(self, name: Any, pin_class: type | None = None, **how: Any) -> Any:
        usual = self.pin_class
        if pin_class:
            self.pin_class = lambda factory, info: pin_class(factory, info, **how)
        try:
            return super().pin(name)  # type: ignore[misc]
        finally:
            self.pin_class = usual


def make_virtual() -> tuple[type, type]:
    from reboard_sim.board.pins import VirtualPin, VirtualPins

    class Pin(TestedPin, VirtualPin):
        @property
        def wire(self) -> Line:  # type: ignore[override]
            return self._line

    class Factory(TestedFactory, VirtualPins):
        def __init__(self) -> None:
            super().__init__(time.monotonic)
            self.pin_class = Pin
            # the mock pins are low at first
            for number in set(self.lines) - {2, 3}:
                self.lines[number].set_pin(None, "down")

        # the tests of hardware SPI replace or remove gpiozero's spidev, which the virtual pins do not use
        _get_spi_class = LocalPiFactory._get_spi_class

    return Pin, Factory


class Wired(FakeRequest):
    """A requested line of the made-up libgpiod, at an electrical line."""

    lines: dict[int, Line] = {}  # noqa: RUF012

    def _set(self, settings: Settings) -> None:
        self.wire = self.lines[self.pin]
        self.settings = Settings()  # no edge is the firmware's own doing
        if self._changed not in self.wire.on_change:
            self.wire.on_change.append(self._changed)
        if settings.direction == "out":
            self.wire.set_pin(float(settings.output_value is Value.ACTIVE), None)
        else:
            pull: Any = settings.bias if settings.bias in ("up", "down") else None
            self.wire.set_pin(None, pull)
        self.settings = settings

    def _changed(self, _: float, duty: float) -> None:
        if self.settings.edge_detection in ("both", "rising" if duty else "falling") and not self.is_released:
            self.waiting.append(
                SimpleNamespace(
                    event_type=EdgeType.RISING_EDGE if duty else EdgeType.FALLING_EDGE,
                    timestamp_ns=time.monotonic_ns(),
                )
            )
            os.eventfd_write(self.fd, 1)

    def get_value(self, pin: int) -> Value:
        self._check()
        return Value(int(self.wire.level))

    def set_value(self, pin: int, value: Value) -> None:
        self._check()
        self.wire.set_pin(float(value is Value.ACTIVE), None)

    def release(self) -> None:
        self.wire.on_change.remove(self._changed)
        self.wire.set_pin(None, None)
        super().release()


def make_gpiod() -> tuple[type, type]:
    gpiod = FakeGpiod({0: "pinctrl-bcm2711"})
    gpiod.request = Wired
    for module in gpiod.modules():
        sys.modules[module.__name__] = module
    from reboard.devices.gpio import chip
    from reboard.devices.gpio.pin_factory import GpiodFactory, GpiodPin

    chip.DEVICES = Path(tempfile.mkdtemp())
    (chip.DEVICES / "gpiochip0").touch()

    class Pin(TestedPin, GpiodPin):
        def __init__(self, factory: Any, info: Any, **how: object) -> None:
            self._reported = threading.Event()
            super().__init__(factory, info, **how)

        @property
        def wire(self) -> Line:  # type: ignore[override]
            return Wired.lines[self._number]

        def _drive(self, level: bool | None) -> None:
            self._reported.clear()
            super()._drive(level)
            # the mock pins call in this thread; these call in another
            if (
                self._watch
                and self._request
                and cast(Any, self._request).waiting
                and threading.current_thread().name != "edges"
            ):
                self._reported.wait(1)

        def _report(self, *edge: Any) -> None:
            super()._report(*edge)
            self._reported.set()

    class Factory(TestedFactory, GpiodFactory):
        def __init__(self) -> None:
            Wired.lines = {
                pin: Line(f"GPIO{pin}", time.monotonic, lambda _: None, "up" if pin in (2, 3) else "down")
                for pin in range(54)
            }
            for pin in (2, 3):
                Wired.lines[pin].pull_outside = "up"
            super().__init__()
            self.pin_class = Pin

    return Pin, Factory


def special_pins(pin: Any) -> dict[str, type]:
    """gpiozero's mock pins with a circuit of their own, and those at which a made-up SPI device listens."""

    class ConnectedPin(pin):  # type: ignore[misc]
        def __init__(self, factory: Any, info: Any, input_pin: Any = None) -> None:
            super().__init__(factory, info)
            if input_pin:
                self.wire.join(input_pin.wire)

    class ChargingPin(pin):  # type: ignore[misc]
        def __init__(self, factory: Any, info: Any, charge_time: float = 0.01) -> None:
            self.charge_time = charge_time
            self._charging: threading.Timer | None = None
            super().__init__(factory, info)

        def _set_function(self, value: str) -> None:
            if self._charging:
                self._charging.cancel()
                self._charging.join()
            super()._set_function(value)
            if value == "input":
                self._charging = threading.Timer(self.charge_time, self._drive, [True])
                self._charging.start()

        def close(self) -> None:
            super().close()
            if self._charging:
                self._charging.cancel()

    class TriggerPin(pin):  # type: ignore[misc]
        def __init__(self, factory: Any, info: Any, echo_pin: Any = None, echo_time: float = 0.04) -> None:
            super().__init__(factory, info)
            self.echo_pin, self.echo_time = echo_pin, echo_time

        def _set_state(self, value: float) -> None:
            super()._set_state(value)
            if value:
                threading.Thread(target=self._echo).start()

        def _echo(self) -> None:
            time.sleep(0.001)
            self.echo_pin.drive_high()
            time.sleep(self.echo_time)
            self.echo_pin.drive_low()

    class SPIClockPin(pin):  # type: ignore[misc]
        def __init__(self, factory: Any, info: Any) -> None:
            self.spi_devices: list[Any] = []
            super().__init__(factory, info)

        def _set_state(self, value: float) -> None:
            super()._set_state(value)
            for device in self.spi_devices:
                device.on_clock()

    class SPISelectPin(pin):  # type: ignore[misc]
        def __init__(self, factory: Any, info: Any) -> None:
            self.spi_device: Any = None
            super().__init__(factory, info)

        def _set_state(self, value: float) -> None:
            super()._set_state(value)
            if self.spi_device:
                self.spi_device.on_select()

    return {f"Mock{each.__name__}": each for each in (ConnectedPin, ChargingPin, TriggerPin, SPIClockPin, SPISelectPin)}


our_pin, our_factory = make_virtual() if PINS == "virtual" else make_gpiod()
replaced = {"MockPin": our_pin, "MockPWMPin": our_pin, "MockFactory": our_factory, **special_pins(our_pin)}
for replaced_name, ours in replaced.items():
    setattr(mock, replaced_name, ours)

# the real pins that are tested
packages = sys.modules["pkg_resources"] = ModuleType("pkg_resources")
packages.get_distribution = lambda _: SimpleNamespace(get_entry_map=lambda _: {PINS: None})  # type: ignore[attr-defined]
packages.load_entry_point = lambda *_: mock.MockFactory  # type: ignore[attr-defined]
packages.iter_entry_points = lambda *_: []  # type: ignore[attr-defined]
entry_point = SimpleNamespace(name=PINS, load=lambda: our_factory)
importlib.metadata.entry_points = lambda **_: [entry_point]  # type: ignore[assignment]
if RELEASE != "1.6.2":
    devices.entry_points = importlib.metadata.entry_points
    os.environ["GPIOZERO_PIN_FACTORY"] = PINS


def patient_result(thread: Any) -> Any:
    """Return the result of a thread of gpiozero's tests, which wait for some only as long as these run: a second."""
    thread.join(PATIENCE_S)
    return thread._result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sys.modules["conftest"].ThreadedTest.result = property(patient_result)
    known = known_failures(PINS, RELEASE)
    for item in items:
        if reason := known.get(item.name.partition("[")[0]):
            item.add_marker(pytest.mark.xfail(strict=True, reason=reason))
