"""A made-up libgpiod, on a machine with the GPIO chips that a test chooses. A line changes when the test says so."""

from __future__ import annotations

import enum
import errno
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pytest
    from gpiod import LineRequest


class EdgeType(enum.Enum):
    RISING_EDGE = 1
    FALLING_EDGE = 2


class Value(enum.Enum):
    INACTIVE = 0
    ACTIVE = 1


@dataclass
class Settings:
    """The settings of a line, with libgpiod's defaults."""

    direction: str = "as is"
    bias: str = "as is"
    edge_detection: str = "none"
    debounce_period: timedelta = timedelta(0)
    output_value: Value = Value.INACTIVE


class FakeRequest:
    """A requested line: its settings, its level, and all that was done with it."""

    def __init__(self, pin: int, settings: Settings | None = None) -> None:
        self.pin, self.offsets = pin, [pin]
        self.fd = os.eventfd(0, os.EFD_NONBLOCK)
        self.waiting: list[Any] = []
        self.is_released = False
        self.error: OSError | None = None
        self.can_be_an_input = False
        """Whether `error` is only about its level."""
        self.is_high = False
        self.driven: list[bool | None] = []
        """The levels to which the line was driven; ``None`` each time that it became an input."""
        self._set(settings or Settings())

    @property
    def line(self) -> LineRequest:
        return cast("LineRequest", self)

    def _set(self, settings: Settings) -> None:
        self.settings = settings
        if settings.direction == "out":
            self._drive(settings.output_value)
        else:
            self.driven.append(None)

    def _drive(self, value: Value) -> None:
        self.is_high = value is Value.ACTIVE
        self.driven.append(self.is_high)

    def move(self, *edges: EdgeType) -> None:
        """Change the level, with these edges."""
        self.waiting += [SimpleNamespace(event_type=edge, timestamp_ns=1_500_000_000) for edge in edges]
        os.eventfd_write(self.fd, 1)

    def break_down(self) -> None:
        """Using it fails from now on."""
        self.error = OSError(19, "No such device")
        os.eventfd_write(self.fd, 1)

    def _check(self) -> None:
        assert not self.is_released
        if self.error:
            raise self.error

    def reconfigure_lines(self, config: Mapping[int, Settings]) -> None:
        if not self.can_be_an_input:
            self._check()
        [(pin, settings)] = config.items()
        assert pin == self.pin
        self._set(settings)

    def get_value(self, pin: int) -> Value:
        self._check()
        assert pin == self.pin
        return Value(self.is_high)

    def set_value(self, pin: int, value: Value) -> None:
        self._check()
        assert (pin, self.settings.direction) == (self.pin, "out")
        self._drive(value)

    def wait_edge_events(self, timeout: timedelta) -> bool:
        assert not timeout
        self._check()
        return bool(self.waiting)

    def read_edge_events(self) -> list[Any]:
        self._check()
        os.eventfd_read(self.fd)
        edges, self.waiting = self.waiting, []
        return edges

    def release(self) -> None:
        assert not self.is_released
        self.is_released = True
        os.close(self.fd)


class FakeGpiod:
    """libgpiod on a machine with the GPIO chips *labels*; ``None`` is one that may not be opened."""

    request = FakeRequest

    def __init__(self, labels: Mapping[int, str | None]) -> None:
        self.labels = {f"gpiochip{number}": label for number, label in labels.items()}
        self.requests: list[FakeRequest] = []
        self.users: dict[int, str] = {}
        """The pins that other programs or drivers use, and the names of these."""
        self.opened = 0

    @property
    def claimed(self) -> dict[int, FakeRequest]:
        """The requested lines, by pin."""
        return {request.pin: request for request in self.requests if not request.is_released}

    def chip(self, path: str) -> FakeChip:
        return FakeChip(self, self.labels[Path(path).name])

    def modules(self) -> Iterable[ModuleType]:
        """The Python modules of this libgpiod."""
        gpiod, line = ModuleType("gpiod"), ModuleType("gpiod.line")
        gpiod.__dict__.update(
            Chip=self.chip,
            EdgeEvent=SimpleNamespace(Type=EdgeType),
            LineSettings=Settings,
            LineRequest=FakeRequest,
            line=line,
        )
        line.__dict__.update(
            Bias=SimpleNamespace(PULL_UP="up", PULL_DOWN="down", DISABLED="none"),
            Direction=SimpleNamespace(INPUT="in", OUTPUT="out"),
            Edge=SimpleNamespace(NONE="none", BOTH="both", RISING="rising", FALLING="falling"),
            Value=Value,
        )
        return gpiod, line

    def install(self, monkeypatch: pytest.MonkeyPatch, devices: Path) -> None:
        """Replace gpiod by this one, with the device files of its chips in the directory *devices*."""
        for module in self.modules():
            monkeypatch.setitem(sys.modules, module.__name__, module)
        for name in self.labels:
            (devices / name).touch()
        monkeypatch.setattr("reboard.devices.gpio.chip.DEVICES", devices)


class FakeChip:
    """An opened chip."""

    def __init__(self, gpiod: FakeGpiod, label: str | None) -> None:
        if label is None:
            raise PermissionError(errno.EACCES, "Permission denied")
        self._gpiod, self._label = gpiod, label

    def __enter__(self) -> FakeChip:
        self._gpiod.opened += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._gpiod.opened -= 1

    def get_info(self) -> SimpleNamespace:
        return SimpleNamespace(label=self._label)

    def get_line_info(self, pin: int) -> SimpleNamespace:
        users = dict.fromkeys(self._gpiod.claimed, "reboard") | self._gpiod.users
        return SimpleNamespace(offset=pin, used=pin in users, consumer=users.get(pin, ""))

    def request_lines(self, config: Mapping[int, Settings], consumer: str) -> FakeRequest:
        [(pin, settings)] = config.items()
        if self.get_line_info(pin).used:
            raise OSError(errno.EBUSY, "Device or resource busy")
        assert consumer == "reboard"
        self._gpiod.requests.append(self._gpiod.request(pin, settings))
        return self._gpiod.requests[-1]
