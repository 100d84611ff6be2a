from __future__ import annotations

import array

import pytest

from reboard.board import GAINS
from reboard.devices.audio.mixer import MOST_VOICES, RAMP_FRAMES, Mixer


def steady(value: int, frames: int = 1000) -> bytes:
    return array.array("h", [value] * frames).tobytes()


def values(samples: bytes | None) -> list[int]:
    assert samples is not None
    return array.array("h", samples).tolist()


def test_sounds_are_added_from_where_each_is_and_end_in_silence() -> None:
    mixer = Mixer(4)
    assert mixer.pull(100) is None
    mixer.add(steady(1000, 300))
    assert values(mixer.pull(100)) == [1000] * 100
    mixer.add(steady(-300, 300))
    assert values(mixer.pull(400)) == [700] * 200 + [-300] * 100 + [0] * 100
    assert mixer.pull(100) is None
    sound = array.array("h", range(-500, 500)).tobytes()
    mixer.add(sound)
    assert b"".join([mixer.pull(240) or b"" for _ in range(5)])[: len(sound)] == sound


@pytest.mark.parametrize(("value", "count", "sum_of_them"), [(16_383, 2, 32_766), (20_000, 3, 32_767)])
def test_a_sum_that_is_too_loud_is_clipped(value: int, count: int, sum_of_them: int) -> None:
    mixer = Mixer(4)
    for _ in range(count):
        mixer.add(steady(value))
    assert set(values(mixer.pull(10))) == {sum_of_them}


@pytest.mark.parametrize(("volume", "heard"), [(0, 0), (1, 1000), (2, 2200), (3, 4700), (4, 10_000)])
def test_each_volume_is_a_factor_from_the_first_sample(volume: int, heard: int) -> None:
    mixer = Mixer(4)
    mixer.set_volume(volume)
    assert mixer.pull(10) is None
    mixer.add(steady(10_000))
    assert set(values(mixer.pull(10))) == {heard}


def test_a_change_of_volume_applies_to_playing_sounds_without_a_click() -> None:
    mixer = Mixer(4)
    mixer.add(steady(10_000, 4000))
    mixer.pull(240)
    mixer.set_volume(0)
    heard = [value for _ in range(4) for value in values(mixer.pull(240))]
    assert max(abs(a - b) for a, b in zip([10_000, *heard], heard, strict=False)) <= 10_000 / RAMP_FRAMES + 2
    assert set(heard[RAMP_FRAMES + 1 :]) == {0}
    mixer.set_volume(2)
    heard = [value for _ in range(4) for value in values(mixer.pull(240))]
    assert heard == sorted(heard)
    assert heard[-1] == GAINS[2] * 10_000


def test_the_oldest_of_too_many_sounds_ends() -> None:
    mixer = Mixer(4)
    mixer.add(steady(5000))
    for _ in range(MOST_VOICES):
        mixer.add(steady(1))
    assert set(values(mixer.pull(10))) == {MOST_VOICES}
