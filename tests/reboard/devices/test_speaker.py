from __future__ import annotations

import asyncio
import threading

import pytest

from reboard.board import Pull, Report
from reboard.devices.speaker import Speaker
from reboard.sounds import SoundSet
from reboard.vocabulary.declared import Event
from tests.virtual import Recorder, in_virtual_time

SOUNDS = SoundSet.built_in()


class ManualSink:
    """A sink that pulls and reports when the test does."""

    description = "a manual sink"

    def __init__(self) -> None:
        self.woken = self.closed = 0

    def start(self, pull: Pull, report: Report) -> None:
        self.pull, self.report = pull, report

    def wake(self) -> None:
        self.woken += 1

    def close(self) -> None:
        self.closed += 1


async def test_the_volume_applies_is_an_event_and_has_limits() -> None:
    sink, emit = ManualSink(), Recorder()
    speaker = Speaker(SOUNDS, sink, emit=emit)
    assert speaker.volume == 3
    speaker.volume = 0
    assert emit.events == [("volume", {"level": 0})]
    sink.pull(1)
    speaker.play("coin")
    assert sink.pull(500) == bytes(1000)
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match="volume"):
            speaker.volume = wrong
        with pytest.raises(ValueError, match="volume"):
            Speaker(SOUNDS, ManualSink(), volume=wrong)
    assert speaker.volume == 0


async def test_a_lost_device_is_a_fault_emitted_on_the_loop() -> None:
    sink, emit = ManualSink(), Recorder()
    threads: list[int] = []

    def emit_here(event: Event) -> None:
        threads.append(threading.get_ident())
        emit(event)

    Speaker(SOUNDS, sink, emit=emit_here)
    for cause in ("the card is gone", None):
        await asyncio.to_thread(sink.report, cause)
    await asyncio.sleep(0)
    assert emit.events == [
        ("fault", {"part": "speaker", "cause": "the card is gone"}),
        ("recovered", {"part": "speaker"}),
    ]
    assert set(threads) == {threading.get_ident()}


def test_a_report_after_close_is_ignored() -> None:
    sink, emit = ManualSink(), Recorder()

    @in_virtual_time
    async def close() -> None:
        speaker = Speaker(SOUNDS, sink, emit=emit)
        speaker.close()
        speaker.close()
        sink.report("closing")
        await asyncio.sleep(0)

    close()
    sink.report("after the end of the loop")
    assert emit.events == []
    assert sink.closed
