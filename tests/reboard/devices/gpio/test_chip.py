"""The GPIO chip, on made-up libraries; tests/vm uses a real kernel."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reboard.devices.gpio import chip
from reboard.errors import DeviceError
from tests import fake_gpiod
from tests.fake_gpiod import EdgeType, FakeRequest
from tests.fake_lgpio import FakeLgpio

pytestmark = pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has GPIO chips")

PIN = 17
PATIENCE_S = 30.0


@pytest.fixture
def edges(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    fake_gpiod.install(monkeypatch, FakeRequest)
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


def line_of(edges: ModuleType, number: int = PIN) -> tuple[Any, FakeRequest]:
    line = edges.EdgeLine(0, number, pull="up", edges="both", bounce_s=0.0)
    return line, line._request


@pytest.mark.parametrize("broken", ["callback", "line"])
def test_a_line_that_fails_does_not_stop_the_others(
    edges: ModuleType, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(t: float, is_high: bool) -> None:
        raise ZeroDivisionError

    listener = Listener()
    with closing(edges.EdgeWatch()) as watch:
        (bad, bads), (good, goods) = line_of(edges, 4), line_of(edges)
        watch.watch(bad, fail if broken == "callback" else listener)
        watch.watch(good, listener)
        for _ in range(2):
            bads.move(EdgeType.FALLING_EDGE) if broken == "callback" else bads.break_down()
            goods.move(EdgeType.FALLING_EDGE)
            listener.wait()
        for line in (bad, good):
            watch.forget(line)
            line.release()
    logged = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(logged) == (2 if broken == "callback" else 1)


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({0: "pinctrl-bcm2835"}, 0),
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),
        ({10: "gpio-brcmstb@107d508500", 11: None, 13: "pinctrl-rp1"}, 13),
        ({}, "GPIOZERO_PIN_FACTORY=mock"),
        ({0: None}, "group gpio"),
        ({0: "INT34C5:00"}, r"gpiochip0 \(INT34C5:00\)"),
    ],
)
def test_the_chip_of_the_header_is_found_by_its_label(
    labels: dict[int, str | None], found: int | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chip, "DEVICES", tmp_path)
    for number in labels:
        (tmp_path / f"gpiochip{number}").touch()
    lgpio = FakeLgpio(labels)
    if isinstance(found, int):
        assert chip.header_chip(lgpio) == found
    else:
        with pytest.raises(DeviceError, match=found):
            chip.header_chip(lgpio)
    assert not lgpio.opened


@pytest.mark.parametrize("place", ["runtime directory", "memory", "temporary directory"])
def test_lgpio_makes_its_pipe_in_memory_if_possible_and_nothing_is_left_of_it(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {name: tmp_path / name for name in ("runtime directory", "memory", "temporary directory")}
    places[place].mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(chip, "MEMORY", places["memory"])
    monkeypatch.setattr(tempfile, "tempdir", str(places["temporary directory"]))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(places[place]) if place == "runtime directory" else "")
    with chip._lgpio_working_directory():
        # what lgpio does on import
        os.chdir(os.environ["LG_WD"])
        os.mkfifo(".lgd-nfy0")
        assert Path.cwd().parent == places[place]
    assert Path.cwd() == tmp_path
    assert list(places[place].iterdir()) == []
    assert "LG_WD" not in os.environ
