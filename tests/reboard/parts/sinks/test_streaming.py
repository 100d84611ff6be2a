"""The sink's thread, against a device made of Python. Real threads, but nothing waits longer than it must."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from reboard.parts.mixer import Mixer
from reboard.parts.sinks import streaming
from reboard.parts.sinks.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, StreamingSink

pytestmark = pytest.mark.realtime

PATIENCE_S = 10.0
BLOCK = b"\1\2" * BLOCK_FRAMES
SILENCE = bytes(2 * BLOCK_FRAMES)


class Device:
    """A device that can be pulled out, and tells all that is done to it, in order."""

    description = "a device of Python"
    buffered_frames = BUFFERED_FRAMES

    def __init__(self) -> None:
        self.is_there = True
        self.error: Exception = OSError("there is no device")
        self.fails_to = {"open", "write", "rest"}
        self.told: queue.Queue[str | bytes] = queue.Queue()
        self.opened_at: list[float] = []

    def open(self) -> Device:
        self.opened_at.append(time.monotonic())
        self._must_be_there("open")
        return self

    def write(self, samples: bytes) -> None:
        self._must_be_there("write")
        self.told.put(samples)

    def rest(self) -> None:
        self._must_be_there("rest")

    def close(self) -> None:
        self.told.put("close")
        if not isinstance(self.error, OSError):
            raise self.error

    def _must_be_there(self, what: str) -> None:
        if not self.is_there and what in self.fails_to:
            raise self.error
        if what != "write":
            self.told.put(what)

    def next(self) -> str | bytes:
        return self.told.get(timeout=PATIENCE_S)

    def until(self, what: str) -> list[str | bytes]:
        told = [self.next()]
        while told[-1] != what:
            told.append(self.next())
        return told


class Bench:
    """A sink on a `Device`, a mixer above it, and what it reported."""

    def __init__(self) -> None:
        self.device = Device()
        self.mixer = Mixer(4)
        self.reports: queue.Queue[str | None] = queue.Queue()
        self.pulls = 0
        self.sink = StreamingSink(self.device)

    def start(self) -> None:
        self.sink.start(self._pull, self.reports.put)

    def play(self, samples: bytes) -> None:
        self.mixer.add(samples)
        self.sink.wake()

    def report(self) -> str | None:
        return self.reports.get(timeout=PATIENCE_S)

    def _pull(self, frames: int) -> bytes | None:
        self.pulls += 1
        return self.mixer.pull(frames)


def wait_until(so: Callable[[], bool]) -> None:
    given_up_at = time.monotonic() + PATIENCE_S
    while not so():
        assert time.monotonic() < given_up_at
        time.sleep(0.001)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(streaming, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(streaming, "LONGEST_PAUSE_S", 0.08)
    bench = Bench()
    yield bench
    bench.sink.close()
    assert not any(thread.name == "sound" for thread in threading.enumerate())


def test_the_device_is_opened_before_the_first_sound(bench: Bench) -> None:
    bench.start()
    assert bench.device.next() == "open"


@pytest.mark.parametrize(("holds_frames", "blocks_of_silence"), [(1440, 6), (6144, 26), (100, 1)])
def test_a_sound_is_written_whole_followed_by_as_much_silence_as_the_device_holds(
    bench: Bench, holds_frames: int, blocks_of_silence: int
) -> None:
    bench.device.buffered_frames = holds_frames
    bench.start()
    bench.play(BLOCK * 3)
    assert bench.device.until("rest") == ["open", *[BLOCK] * 3, *[SILENCE] * blocks_of_silence, "rest"]


def test_while_nothing_plays_nothing_is_done(bench: Bench) -> None:
    bench.start()
    bench.play(BLOCK)
    bench.device.until("rest")
    pulls, before = bench.pulls, time.process_time()
    time.sleep(0.2)
    assert bench.pulls == pulls
    assert time.process_time() - before < 0.02
    assert bench.device.told.empty()


def test_the_next_sound_goes_to_the_same_open_device(bench: Bench) -> None:
    bench.start()
    for _ in range(3):
        bench.play(BLOCK)
        bench.device.until("rest")
    assert len(bench.device.opened_at) == 1


def test_a_missing_device_is_reported_once_and_found_again_while_something_plays(bench: Bench) -> None:
    bench.device.is_there = False
    bench.start()
    assert bench.report() == "there is no device"
    bench.play(BLOCK * 2000)
    wait_until(lambda: len(bench.device.opened_at) >= 4)
    assert bench.reports.empty()
    bench.device.is_there = True
    assert bench.report() is None
    assert bench.device.until("open") == ["open"]
    assert bench.device.next() == BLOCK
    assert bench.reports.empty()


def test_the_pauses_between_two_looks_grow_and_stop_growing(bench: Bench) -> None:
    bench.device.is_there = False
    bench.start()
    bench.play(BLOCK * 200)
    wait_until(lambda: len(bench.device.opened_at) >= 6)
    looks = bench.device.opened_at
    pauses = [b - a for a, b in pairwise(looks)]
    for pause, least in zip(pauses, (0.02, 0.04, 0.08, 0.08, 0.08), strict=False):
        assert pause >= least
    assert bench.reports.qsize() == 1


def test_without_a_device_a_sound_takes_as_long_as_with_one(bench: Bench) -> None:
    bench.device.is_there = False
    bench.start()
    bench.report()
    begun = time.monotonic()
    bench.play(BLOCK * 40)
    wait_until(lambda: bench.pulls > 40)
    assert time.monotonic() - begun >= 40 * streaming.BLOCK_S


def test_no_device_is_looked_for_while_nothing_plays(bench: Bench) -> None:
    bench.device.is_there = False
    bench.start()
    bench.report()
    time.sleep(0.1)
    assert len(bench.device.opened_at) == 1


def test_a_device_pulled_out_in_the_middle_of_a_sound_is_closed_reported_and_opened_anew(bench: Bench) -> None:
    bench.start()
    bench.play(BLOCK * 100_000)
    for _ in range(10):
        bench.device.next()
    bench.device.is_there = False
    assert bench.report() == "there is no device"
    bench.device.until("close")
    bench.device.is_there = True
    assert bench.report() is None
    assert bench.device.until("open") == ["open"]


def test_a_device_pulled_out_at_rest_is_noticed_at_the_next_sound(bench: Bench) -> None:
    bench.start()
    bench.play(BLOCK)
    bench.device.until("rest")
    bench.device.is_there = False
    bench.play(BLOCK)
    assert bench.report() == "there is no device"
    assert bench.device.next() == "close"


@pytest.mark.parametrize("what", ["open", "write", "rest"])
def test_a_library_that_fails_in_its_own_way_has_lost_its_device(
    bench: Bench, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench.device.error = RuntimeError("the library is confused")
    bench.device.fails_to = {what}
    bench.device.is_there = False
    bench.start()
    bench.play(BLOCK)
    assert "a device of Python (the library is confused)" in str(bench.report())
    assert "RuntimeError" in caplog.text
    bench.device.is_there = True
    bench.play(BLOCK * 2000)
    assert bench.report() is None


def test_a_sink_that_never_started_can_be_closed_and_woken(bench: Bench) -> None:
    bench.sink.wake()
    bench.sink.close()
    bench.sink.close()


def test_closing_ends_a_sound_at_once_and_gives_the_device_back(bench: Bench) -> None:
    bench.start()
    bench.play(BLOCK * 100_000)
    bench.device.until("open")
    bench.sink.close()
    bench.sink.close()
    assert bench.device.until("close")[-1] == "close"
    assert bench.device.told.empty()
