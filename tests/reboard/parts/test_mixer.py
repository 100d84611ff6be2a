from __future__ import annotations

import array
import threading

import pytest

from reboard.parts.mixer import MOST_VOICES, RAMP_FRAMES, Mixer
from reboard.volume import GAINS


def steady(value: int, frames: int = 1000) -> bytes:
    return array.array("h", [value] * frames).tobytes()


def values(samples: bytes | None) -> list[int]:
    assert samples is not None
    return array.array("h", samples).tolist()


def test_nothing_to_play_is_none() -> None:
    assert Mixer(4).pull(100) is None


def test_a_sound_comes_out_as_it_went_in_at_full_volume() -> None:
    mixer = Mixer(4)
    sound = array.array("h", range(-500, 500)).tobytes()
    mixer.add(sound)
    assert b"".join([mixer.pull(240) or b"" for _ in range(5)])[: len(sound)] == sound
    assert mixer.pull(240) is None


def test_every_pull_is_as_long_as_asked_for_and_ends_in_silence() -> None:
    mixer = Mixer(4)
    mixer.add(steady(7, 100))
    assert values(mixer.pull(240)) == [7] * 100 + [0] * 140


def test_sounds_at_once_are_added_wherever_each_has_got_to() -> None:
    mixer = Mixer(4)
    mixer.add(steady(1000, 300))
    assert values(mixer.pull(100)) == [1000] * 100
    mixer.add(steady(-300, 300))
    assert values(mixer.pull(400)) == [700] * 200 + [-300] * 100 + [0] * 100
    assert mixer.pull(100) is None


def test_too_loud_together_is_held_at_the_loudest_there_is() -> None:
    mixer = Mixer(4)
    for _ in range(3):
        mixer.add(steady(20_000))
    assert set(values(mixer.pull(10))) == {32_767}


@pytest.mark.parametrize(("volume", "heard"), [(0, 0), (1, 1000), (2, 2200), (3, 4700), (4, 10_000)])
def test_each_step_of_the_volume_is_heard_as_equally_far_from_the_next(volume: int, heard: int) -> None:
    mixer = Mixer(volume)
    mixer.add(steady(10_000))
    assert set(values(mixer.pull(10))) == {heard}


def test_a_change_of_volume_applies_to_what_plays_and_does_not_click() -> None:
    mixer = Mixer(4)
    mixer.add(steady(10_000, 4000))
    mixer.pull(240)
    mixer.set_volume(0)
    heard = [value for _ in range(4) for value in values(mixer.pull(240))]
    steps = [a - b for a, b in zip([10_000, *heard], heard, strict=False)]
    assert max(map(abs, steps)) <= 10_000 / RAMP_FRAMES + 2
    assert set(heard[RAMP_FRAMES + 1 :]) == {0}
    mixer.set_volume(2)
    heard = [value for _ in range(4) for value in values(mixer.pull(240))]
    assert heard == sorted(heard)
    assert heard[-1] == GAINS[2] * 10_000


def test_a_volume_set_in_silence_is_there_from_the_first_sample_on() -> None:
    mixer = Mixer(4)
    mixer.set_volume(1)
    assert mixer.pull(10) is None
    mixer.add(steady(10_000))
    assert set(values(mixer.pull(10))) == {1000}


def test_beyond_sixteen_sounds_the_oldest_is_dropped() -> None:
    mixer = Mixer(4)
    mixer.add(steady(5000))
    for _ in range(MOST_VOICES):
        mixer.add(steady(1))
    assert set(values(mixer.pull(10))) == {MOST_VOICES}


def test_two_sounds_of_ours_at_once_are_not_cut_off() -> None:
    mixer = Mixer(4)
    mixer.add(steady(16_383))
    mixer.add(steady(16_383))
    assert set(values(mixer.pull(10))) == {32_766}


def test_sounds_may_be_added_while_another_thread_pulls() -> None:
    mixer, all_added, heard = Mixer(4), threading.Event(), []

    def pull() -> None:
        while True:
            is_over = all_added.is_set()
            block = mixer.pull(7)
            if block is not None:
                heard.append(sum(values(block)))
            elif is_over:
                return

    thread = threading.Thread(target=pull)
    thread.start()
    for _ in range(MOST_VOICES):
        mixer.add(steady(3, 100))
    all_added.set()
    thread.join(10)
    assert sum(heard) == MOST_VOICES * 300
