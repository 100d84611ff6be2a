"""On a made-up libgpiod; tests/vm has the same on a real kernel."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest

from tests import fake_gpiod
from tests.fake_gpiod import EdgeType, FakeRequest, Value

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not hasattr(os, "eventfd"), reason="only Linux has lines and what to wait for them with"),
]

PIN = 17
PATIENCE_S = 30.0


@pytest.fixture
def edges(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    fake_gpiod.install(monkeypatch, FakeRequest)
    monkeypatch.delitem(sys.modules, "reboard.kernel_edges", raising=False)
    yield importlib.import_module("reboard.kernel_edges")
    del sys.modules["reboard.kernel_edges"]


class Ear:
    """Hears edges in the thread, and is waited for in the test."""

    def __init__(self) -> None:
        self.heard: list[tuple[float, bool]] = []
        self._was_told = threading.Semaphore(0)

    def tell(self, t: float, is_high: bool) -> None:
        self.heard.append((t, is_high))
        self._was_told.release()

    def await_edge(self) -> None:
        assert self._was_told.acquire(timeout=PATIENCE_S)


def line_of(edges: ModuleType, number: int = PIN) -> tuple[Any, FakeRequest]:
    line = edges.EdgeLine(0, number, pull="up", edges="both", bounce_s=0.0)
    return line, line._request


def test_a_line_is_had_as_it_was_asked_for_under_our_name(edges: ModuleType) -> None:
    request = edges.EdgeLine(4, PIN, pull="down", edges="rising", bounce_s=0.02)._request
    assert (request.chip, request.pin, request.consumer) == ("/dev/gpiochip4", PIN, "reboard")
    assert vars(request.settings) == {
        "direction": "in",
        "bias": "down",
        "edge_detection": "rising",
        "debounce_period": timedelta(milliseconds=20),
    }
    request.release()


def test_edges_are_told_with_the_kernels_time(edges: ModuleType) -> None:
    ear = Ear()
    with closing(edges.EdgeWatch()) as watch:
        line, request = line_of(edges)
        watch.watch(line, ear.tell)
        request.move(EdgeType.FALLING_EDGE, EdgeType.RISING_EDGE)
        ear.await_edge()
        ear.await_edge()
        assert ear.heard == [(1.5, False), (1.5, True)]
        watch.forget(line)
        line.release()


def test_its_level_is_the_kernels(edges: ModuleType) -> None:
    line, request = line_of(edges)
    assert not line.is_high
    request.value = Value.ACTIVE
    assert line.is_high
    line.release()


def test_one_thread_hears_all_lines_and_one_that_is_told_in_vain_silences_no_other(
    edges: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(t: float, is_high: bool) -> None:
        raise ZeroDivisionError

    ear = Ear()
    with closing(edges.EdgeWatch()) as watch:
        (bad, bads), (good, goods) = line_of(edges, 4), line_of(edges)
        watch.watch(bad, fail)
        watch.watch(good, ear.tell)
        bads.move(EdgeType.FALLING_EDGE)
        goods.move(EdgeType.FALLING_EDGE)
        ear.await_edge()
        bads.move(EdgeType.FALLING_EDGE)
        goods.move(EdgeType.FALLING_EDGE)
        ear.await_edge()
        for line in (bad, good):
            watch.forget(line)
            line.release()
    assert "an edge could not be told" in caplog.text


def test_a_line_that_cannot_be_read_is_told_once_and_silences_no_other(
    edges: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    ear = Ear()
    with closing(edges.EdgeWatch()) as watch:
        (bad, bads), (good, goods) = line_of(edges, 4), line_of(edges)
        watch.watch(bad, ear.tell)
        watch.watch(good, ear.tell)
        bads.break_down()
        goods.move(EdgeType.FALLING_EDGE)
        ear.await_edge()
        goods.move(EdgeType.FALLING_EDGE)
        ear.await_edge()
        for line in (bad, good):
            watch.forget(line)
            line.release()
    assert caplog.text.count("cannot be heard any more: [Errno 19] No such device") == 1


def test_a_line_that_is_forgotten_tells_nothing(edges: ModuleType) -> None:
    ear = Ear()
    with closing(edges.EdgeWatch()) as watch:
        line, request = line_of(edges)
        watch.watch(line, ear.tell)
        watch.forget(line)
        request.move(EdgeType.FALLING_EDGE)
        watch._tell_edges_of(line.fd)
        line.release()
    assert ear.heard == []


def test_python_may_tidy_up_a_line_while_another_begins_to_be_watched(
    edges: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cycle:
        """Something that gives its line back when Python finds it."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            watch.forget(left)

    with closing(edges.EdgeWatch()) as watch:
        left, _ = line_of(edges, 4)
        watch.watch(left, Ear().tell)
        line, _ = line_of(edges)
        Cycle()

        class Tidying(dict[int, Any]):
            def __setitem__(self, fd: int, value: object) -> None:
                gc.collect()
                super().__setitem__(fd, value)

        watch._watched = Tidying(watch._watched)
        worker = threading.Thread(target=watch.watch, args=(line, Ear().tell), daemon=True)
        worker.start()
        worker.join(PATIENCE_S)
        assert not worker.is_alive()
        assert left.fd not in watch._watched
        watch.forget(line)


def test_it_ends_with_its_thread(edges: ModuleType) -> None:
    watch = edges.EdgeWatch()
    line, _ = line_of(edges)
    watch.watch(line, Ear().tell)
    thread = watch._thread
    watch.forget(line)
    watch.close()
    assert not thread.is_alive()
