"""The ears themselves: what they count right, and where they cannot."""

from __future__ import annotations

import audioop

import pytest

from reboard.sounds import NAMES, SoundSet
from tests.listening import count_onsets, heard

SOUNDS = SoundSet.built_in()


def pings(count: int, apart_s: float, gain: float = 1.0) -> bytes:
    coin = audioop.mul(SOUNDS["coin"].samples, 2, gain)
    gap = round(apart_s * 48_000) * 2
    recording = bytes(gap * (count - 1) + len(coin))
    for i in range(count):
        recording = audioop.add(recording, bytes(i * gap) + coin + bytes(len(recording) - i * gap - len(coin)), 2)
    return recording


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize("gain", [0.05, 0.3, 1.0])
def test_pings_that_a_child_can_count_are_counted(count: int, gain: float) -> None:
    assert count_onsets(pings(count, 0.3, gain)) == count


@pytest.mark.parametrize("apart_s", [0.0, 0.01, 0.05, 0.1])
def test_pings_that_run_together_are_not_counted_as_so_many(apart_s: float) -> None:
    assert count_onsets(pings(6, apart_s)) < 6


def test_every_sound_is_heard_where_it_is_and_nowhere_else() -> None:
    pause = bytes(9_600)
    for name in ("coin", "received", "card", "volume"):
        others = [other for other in NAMES if other != name][::4]
        recording = b"".join(audioop.mul(SOUNDS[other].samples, 2, 0.22) + pause for other in (*others, name))
        begins_s = (len(recording) - len(SOUNDS[name].samples) - len(pause)) / 96_000
        assert heard(SOUNDS[name].samples, recording) == [pytest.approx(begins_s, abs=0.003)]


def test_a_sound_that_is_not_there_is_not_heard() -> None:
    assert heard(SOUNDS["laugh"].samples, pings(3, 0.4)) == []
