"""The thread of a sink, on a made-up device. Its pauses are real, but short."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from reboard.devices.audio import streaming
from reboard.devices.audio.mixer import Mixer
from reboard.devices.audio.streaming import BLOCK_FRAMES, BUFFERED_FRAMES, StreamingSink
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

BLOCK = b"\1\2" * BLOCK_FRAMES
SILENCE = bytes(2 * BLOCK_FRAMES)


class Device:
    """A device that can be unplugged; *calls* has all that is done to it."""

    description = "a made-up device"
    buffered_frames = BUFFERED_FRAMES

    def __init__(self) -> None:
        self.is_plugged = True
        self.error: Exception = OSError("there is no device")
        self.fails_to = {"open", "write", "rest"}
        self.hangs_at = ""
        self.goes_on = threading.Event()
        self.calls: queue.Queue[str | bytes] = queue.Queue()
        self.tries: queue.Queue[float] = queue.Queue()

    def open(self) -> Device:
        self.tries.put(time.monotonic())
        self._call("open")
        return self

    def write(self, samples: bytes) -> None:
        self._call("write", samples)

    def rest(self) -> None:
        self._call("rest")

    def close(self) -> None:
        self.calls.put("close")
        if self.hangs_at == "close":
            self.goes_on.wait(PATIENCE_S)
        if not isinstance(self.error, OSError):
            raise self.error

    def _call(self, name: str, samples: bytes = b"") -> None:
        if name == self.hangs_at:
            self.goes_on.wait(PATIENCE_S)
        if not self.is_plugged and name in self.fails_to:
            raise self.error
        self.calls.put(samples or name)

    def until(self, last: str | bytes) -> list[str | bytes]:
        calls = [self.calls.get(timeout=PATIENCE_S)]
        while calls[-1] != last:
            calls.append(self.calls.get(timeout=PATIENCE_S))
        return calls


class Bench:
    def __init__(self) -> None:
        self.device = Device()
        self.mixer = Mixer(4)
        self.reports: queue.Queue[str | None] = queue.Queue()
        self.pulls: queue.Queue[float] = queue.Queue()
        self.sink = StreamingSink(self.device)

    def start(self, *, plugged: bool = True) -> None:
        self.device.is_plugged = plugged
        self.sink.start(self._pull, self.reports.put)
        if self.device.hangs_at != "open" and (plugged or "open" not in self.device.fails_to):
            assert self.report() is None, "the device was opened"

    def play(self, samples: bytes) -> None:
        self.mixer.add(samples)
        self.sink.wake()

    def report(self) -> str | None:
        return self.reports.get(timeout=PATIENCE_S)

    def _pull(self, frames: int) -> bytes | None:
        self.pulls.put(time.monotonic())
        return self.mixer.pull(frames)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(streaming, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(streaming, "LONGEST_PAUSE_S", 0.08)
    monkeypatch.setattr(streaming, "LATE_S", 0.03)
    monkeypatch.setattr(streaming, "HANGING_S", 0.1)
    bench = Bench()
    yield bench
    bench.device.goes_on.set()
    bench.sink.close()
    assert not any(thread.name == "sound" for thread in threading.enumerate())


@pytest.mark.parametrize(("buffer_frames", "blocks_of_silence"), [(1440, 6), (6144, 26), (100, 1)])
def test_a_sound_is_written_with_silence_for_the_buffer_and_then_nothing_is_done(
    bench: Bench, buffer_frames: int, blocks_of_silence: int
) -> None:
    bench.device.buffered_frames = buffer_frames
    bench.start()
    assert bench.device.until("open") == ["open"], "before the first sound"
    for _ in range(3):
        bench.play(BLOCK * 3)
        assert bench.device.until("rest") == [*[BLOCK] * 3, *[SILENCE] * blocks_of_silence, "rest"]
    pulls = bench.pulls.qsize()
    with pytest.raises(queue.Empty):
        bench.device.calls.get(timeout=0.1)
    assert bench.pulls.qsize() == pulls


def test_a_missing_device_is_one_report_and_is_tried_with_growing_pauses_while_something_plays(bench: Bench) -> None:
    bench.start(plugged=False)
    assert bench.report() == "there is no device"
    tries = [bench.device.tries.get(timeout=PATIENCE_S)]
    with pytest.raises(queue.Empty):
        bench.device.tries.get(timeout=0.1)
    bench.play(BLOCK * 2000)
    tries += [bench.device.tries.get(timeout=PATIENCE_S) for _ in range(5)]
    for pause, least in zip([b - a for a, b in pairwise(tries)], (0.1, 0.04, 0.08, 0.08, 0.08), strict=True):
        assert pause >= least
    assert bench.reports.empty()
    bench.device.is_plugged = True
    assert bench.report() is None
    assert bench.device.until("open") == ["open"]
    assert bench.device.calls.get(timeout=PATIENCE_S) == BLOCK


def test_a_sound_takes_as_long_without_a_device(bench: Bench) -> None:
    bench.start(plugged=False)
    bench.report()
    bench.play(BLOCK * 40)
    pulls = [bench.pulls.get(timeout=PATIENCE_S) for _ in range(41)]
    assert pulls[-1] - pulls[0] >= 39 * streaming.BLOCK_S


@pytest.mark.parametrize("during_a_sound", [True, False])
def test_an_unplugged_device_is_reported_and_opened_again(bench: Bench, during_a_sound: bool) -> None:
    bench.start()
    bench.play(BLOCK * (100_000 if during_a_sound else 1))
    if not during_a_sound:
        bench.device.until("rest")
    else:
        for _ in range(10):
            bench.device.calls.get(timeout=PATIENCE_S)
    bench.device.is_plugged = False
    bench.play(BLOCK * 1000)
    assert bench.report() == "there is no device"
    bench.device.until("close")
    bench.device.is_plugged = True
    assert bench.report() is None
    assert bench.device.until("open") == ["open"]


@pytest.mark.parametrize("what", ["open", "write", "rest"])
def test_any_error_of_a_library_counts_as_a_lost_device(
    bench: Bench, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench.device.error = RuntimeError("the library is confused")
    bench.device.fails_to = {what}
    bench.start(plugged=False)
    bench.play(BLOCK)
    assert "a made-up device (the library is confused)" in str(bench.report())
    assert "RuntimeError" in caplog.text
    bench.device.is_plugged = True
    bench.play(BLOCK * 2000)
    assert bench.report() is None


def test_close_ends_a_sound_at_once_and_closes_the_device(bench: Bench) -> None:
    Bench().sink.close()
    bench.sink.wake()
    bench.start()
    bench.play(BLOCK * 100_000)
    bench.device.until("open")
    bench.sink.close()
    bench.sink.close()
    assert bench.device.until("close")[-1] == "close"
    assert bench.device.calls.empty()


@pytest.mark.parametrize("what", ["open", "write", "rest"])
def test_a_call_that_hangs_is_one_fault_and_the_device_is_opened_again(bench: Bench, what: str) -> None:
    bench.device.hangs_at = what
    bench.start()
    bench.play(BLOCK)
    assert "does not answer" in str(bench.report())
    bench.device.hangs_at = ""
    bench.play(BLOCK * 2000)
    assert bench.report() is None, "a second thread plays while the first one hangs"
    bench.device.goes_on.set()
    if what != "open":
        bench.device.until("close")
    assert bench.reports.empty()


@pytest.mark.parametrize("what", ["open", "close"])
def test_a_device_that_never_answers_leaves_a_few_threads_behind_at_most(bench: Bench, what: str) -> None:
    bench.device.hangs_at = what
    bench.device.fails_to = {"write"}
    bench.start()
    bench.device.is_plugged = False
    bench.play(BLOCK * 10_000)
    for _ in range(streaming.MOST_HANGING):
        bench.device.tries.get(timeout=PATIENCE_S)
    with pytest.raises(queue.Empty):
        bench.device.tries.get(timeout=0.5)
    assert bench.reports.qsize() == 1
    bench.device.hangs_at = ""
    bench.device.is_plugged = True
    bench.device.goes_on.set()
    bench.report()
    assert bench.report() is None


def test_a_lost_device_that_is_still_being_closed_is_waited_for(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.device.hangs_at = "close"
    bench.device.fails_to = {"write"}
    bench.start()
    bench.device.is_plugged = False
    bench.play(BLOCK)
    assert bench.report() == "there is no device"
    threading.Timer(0.1, bench.device.goes_on.set).start()
    bench.sink.close()
    assert caplog.messages == []


def test_no_memory_for_a_thread_is_a_fault_that_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(streaming, "DeviceThread", no_memory)
        bench.sink.start(bench.mixer.pull, bench.reports.put)
        assert "can't start new thread" in str(bench.report())
    bench.play(BLOCK * 2000)
    assert bench.report() is None


def test_a_sound_that_comes_too_late_is_dropped(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "HANGING_S", PATIENCE_S)
    bench.device.hangs_at = "open"
    bench.start()
    bench.play(BLOCK * 10)
    time.sleep(10 * streaming.BLOCK_S + streaming.LATE_S)
    bench.device.hangs_at = ""
    bench.device.goes_on.set()
    assert bench.report() is None
    bench.play(b"\3\4" * BLOCK_FRAMES)
    assert BLOCK not in bench.device.until(b"\3\4" * BLOCK_FRAMES)


@pytest.mark.parametrize("keep_awake", [False, True])
def test_a_device_that_is_kept_awake_plays_silence_between_sounds(bench: Bench, keep_awake: bool) -> None:
    bench.sink = StreamingSink(bench.device, keep_awake=keep_awake)
    bench.start()
    assert bench.device.until("open") == ["open"]
    if not keep_awake:
        with pytest.raises(queue.Empty):
            bench.device.calls.get(timeout=0.1)
        return
    assert [bench.device.calls.get(timeout=PATIENCE_S) for _ in range(20)] == [SILENCE] * 20
    bench.play(BLOCK)
    bench.device.until(BLOCK)
    assert bench.device.calls.get(timeout=PATIENCE_S) == SILENCE
    bench.device.is_plugged = False
    assert bench.report() == "there is no device"
    bench.device.is_plugged = True
    bench.play(BLOCK * 100)
    assert bench.report() is None
