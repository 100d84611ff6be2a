"""The GPIO chip and its edges, on a made-up libgpiod; tests/vm uses a real kernel."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from reboard.devices.gpio import chip
from reboard.errors import DeviceError
from tests.fake_gpiod import EdgeType, FakeGpiod, FakeRequest
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has GPIO chips")

PIN = 17


@pytest.fixture
def edges(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    FakeGpiod({}).install(monkeypatch, tmp_path)
    monkeypatch.delitem(sys.modules, "reboard.devices.gpio.edges", raising=False)
    return importlib.import_module("reboard.devices.gpio.edges")


class Listener:
    """Receives edges on the thread."""

    def __init__(self) -> None:
        self.edges: list[tuple[float, bool]] = []
        self._received = threading.Semaphore(0)

    def __call__(self, t: float, is_high: bool) -> None:
        self.edges.append((t, is_high))
        self._received.release()

    def wait(self) -> None:
        assert self._received.acquire(timeout=PATIENCE_S)


@pytest.mark.parametrize("broken", [ZeroDivisionError, SystemExit, None])
def test_a_line_or_a_callback_that_fails_does_not_stop_the_others(
    edges: ModuleType, broken: type[BaseException] | None, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(t: float, is_high: bool) -> None:
        assert broken
        raise broken

    listener = Listener()
    with closing(edges.EdgeWatch()) as watch:
        bad, good = FakeRequest(4), FakeRequest(PIN)
        watch.watch(bad.line, fail if broken else listener)
        watch.watch(good.line, listener)
        for _ in range(2):
            bad.move(EdgeType.FALLING_EDGE) if broken else bad.break_down()
            good.move(EdgeType.FALLING_EDGE)
            listener.wait()
        for request in (bad, good):
            watch.forget(request.line)
            request.release()
    logged = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(logged) == (2 if broken else 1)


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({0: "pinctrl-bcm2835"}, "gpiochip0"),
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, "gpiochip0"),
        ({10: "gpio-brcmstb@107d508500", 11: None, 13: "pinctrl-rp1"}, "gpiochip13"),
    ],
)
def test_the_chip_of_the_header_is_found_by_its_label(
    labels: dict[int, str | None], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpiod = FakeGpiod(labels)
    gpiod.install(monkeypatch, tmp_path)
    assert chip.header_chip() == tmp_path / found
    assert not gpiod.opened


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ({}, "GPIOZERO_PIN_FACTORY=mock"),
        ({0: None}, "group gpio"),
        ({0: "INT34C5:00"}, r"gpiochip0 \(INT34C5:00\)"),
    ],
)
def test_a_machine_without_a_header_is_an_error_that_says_why(
    labels: dict[int, str | None], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeGpiod(labels).install(monkeypatch, tmp_path)
    with pytest.raises(DeviceError, match=why):
        chip.header_chip()


def test_debians_old_libgpiod_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    # version 1 is a single module
    monkeypatch.setitem(sys.modules, "gpiod", ModuleType("gpiod"))
    monkeypatch.delitem(sys.modules, "gpiod.line", raising=False)
    with pytest.raises(DeviceError, match=r"gpiod.*`pip install"):
        chip.header_chip()
