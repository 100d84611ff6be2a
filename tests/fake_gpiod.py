"""A made-up libgpiod, whose lines change when the test says so."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


class EdgeType(enum.Enum):
    RISING_EDGE = 1
    FALLING_EDGE = 2


class Value(enum.Enum):
    INACTIVE = 0
    ACTIVE = 1


class FakeRequest:
    """A requested line, with its settings."""

    def __init__(self, chip: str, config: dict[int, SimpleNamespace], consumer: str) -> None:
        self.chip, self.consumer = chip, consumer
        [(self.pin, self.settings)] = config.items()
        self.fd = os.eventfd(0, os.EFD_NONBLOCK)
        self.value = Value.INACTIVE
        self.waiting: list[Any] = []
        self.is_released = False
        self.error: OSError | None = None

    def move(self, *edges: EdgeType) -> None:
        """Change the level, with these edges."""
        self.waiting += [SimpleNamespace(event_type=edge, timestamp_ns=1_500_000_000) for edge in edges]
        os.eventfd_write(self.fd, 1)

    def break_down(self) -> None:
        """Reading it fails from now on."""
        self.error = OSError(19, "No such device")
        os.eventfd_write(self.fd, 1)

    def get_value(self, pin: int) -> Value:
        assert pin == self.pin
        return self.value

    def wait_edge_events(self, timeout: timedelta) -> bool:
        assert not timeout
        if self.error:
            raise self.error
        return bool(self.waiting)

    def read_edge_events(self) -> list[Any]:
        os.eventfd_read(self.fd)
        edges, self.waiting = self.waiting, []
        return edges

    def release(self) -> None:
        assert not self.is_released
        self.is_released = True
        os.close(self.fd)


def install(monkeypatch: pytest.MonkeyPatch, request: Callable[..., FakeRequest]) -> None:
    """Replace gpiod by this one, whose lines *request* makes."""
    gpiod, line = ModuleType("gpiod"), ModuleType("gpiod.line")
    gpiod.__dict__.update(
        EdgeEvent=SimpleNamespace(Type=EdgeType),
        LineSettings=SimpleNamespace,
        LineRequest=FakeRequest,
        request_lines=request,
        line=line,
    )
    line.__dict__.update(
        Bias=SimpleNamespace(PULL_UP="up", PULL_DOWN="down", DISABLED="none"),
        Direction=SimpleNamespace(INPUT="in"),
        Edge=SimpleNamespace(BOTH="both", RISING="rising", FALLING="falling"),
        Value=Value,
    )
    monkeypatch.setitem(sys.modules, "gpiod", gpiod)
    monkeypatch.setitem(sys.modules, "gpiod.line", line)
