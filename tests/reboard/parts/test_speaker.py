from __future__ import annotations

import asyncio
import threading

import pytest

from reboard.board import Pull, Report
from reboard.parts.speaker import Speaker
from reboard.sounds import SoundSet
from reboard_sim.virtual_time import run

SOUNDS = SoundSet.built_in()


class HandWorkedSink:
    """Pulls when the test does; reports what the test says."""

    description = "a sink worked by hand"

    def __init__(self) -> None:
        self.woken = 0
        self.closed = 0

    def start(self, pull: Pull, report: Report) -> None:
        self.pull, self.report = pull, report

    def wake(self) -> None:
        self.woken += 1

    def close(self) -> None:
        self.closed += 1


class Told:
    """An `Emit` that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, dict[str, object]]] = []

    def __call__(self, name: str, /, **fields: object) -> None:
        self.events.append((name, fields))


def test_a_sound_starts_at_once_and_is_told_with_its_length() -> None:
    async def main() -> None:
        sink, told = HandWorkedSink(), Told()
        speaker = Speaker(SOUNDS, sink, emit=told, volume=4)
        assert sink.pull(10) is None
        assert speaker.play("coin") == SOUNDS["coin"].seconds
        assert sink.woken == 1
        assert sink.pull(1000) == SOUNDS["coin"].samples[:2000]
        assert told.events == [("sound", {"name": "coin"})]

    run(main)


def test_a_sound_that_is_waited_for_takes_its_length_whether_heard_or_not() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        speaker = Speaker(SOUNDS, HandWorkedSink())
        before = loop.time()
        await speaker.played("laugh")
        assert loop.time() - before == pytest.approx(SOUNDS["laugh"].seconds)

    run(main)


def test_a_sound_that_there_is_not_is_an_error_of_the_caller() -> None:
    async def main() -> None:
        told = Told()
        speaker = Speaker(SOUNDS, HandWorkedSink(), emit=told)
        with pytest.raises(KeyError):
            speaker.play("bleep")
        assert told.events == []

    run(main)


def test_the_volume_is_heard_told_and_kept_in_its_bounds() -> None:
    async def main() -> None:
        sink, told = HandWorkedSink(), Told()
        speaker = Speaker(SOUNDS, sink, emit=told)
        assert speaker.volume == 3
        speaker.volume = 0
        assert told.events == [("volume", {"level": 0})]
        sink.pull(1)
        speaker.play("coin")
        assert sink.pull(500) == bytes(1000)
        for wrong in (-1, 5):
            with pytest.raises(ValueError, match="volume is 0"):
                speaker.volume = wrong
        assert speaker.volume == 0
        with pytest.raises(ValueError, match="volume is 0"):
            Speaker(SOUNDS, HandWorkedSink(), volume=7)

    run(main)


def test_a_device_lost_and_found_is_told_on_the_loop_whatever_thread_saw_it() -> None:
    async def main() -> None:
        sink, told = HandWorkedSink(), Told()
        threads: list[int] = []

        def emit(name: str, /, **fields: object) -> None:
            threads.append(threading.get_ident())
            told(name, **fields)

        Speaker(SOUNDS, sink, emit=emit)
        for cause in ("the card is gone", None):
            await asyncio.to_thread(sink.report, cause)
        await asyncio.sleep(0)
        assert told.events == [
            ("fault", {"part": "speaker", "cause": "the card is gone"}),
            ("recovered", {"part": "speaker"}),
        ]
        assert set(threads) == {threading.get_ident()}

    run(main)


def test_a_report_that_comes_too_late_disturbs_nobody() -> None:
    sink, told = HandWorkedSink(), Told()

    async def main() -> None:
        speaker = Speaker(SOUNDS, sink, emit=told)
        speaker.close()
        speaker.close()
        sink.report("closing")
        await asyncio.sleep(0)

    run(main)
    sink.report("after the loop")
    assert told.events == []
    assert sink.closed >= 1


def test_its_repr_tells_where_it_plays_and_how_loud() -> None:
    async def main() -> None:
        assert repr(Speaker(SOUNDS, HandWorkedSink())) == "<Speaker on a sink worked by hand, volume 3 of 4>"

    run(main)
