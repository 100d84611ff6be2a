from __future__ import annotations

import array
import audioop
import re
from functools import cache

import pytest

from reboard.parts.mixer import Mixer
from reboard.sounds import NAMES, SoundSet
from reboard.sounds.compositions import COMPOSITIONS, LOUDNESS, PEAK, composed
from reboard.sounds.sound_set import OWN_FOLDER
from reboard.sounds.synthesiser import note
from tests.listening import count_onsets

SOUNDS = SoundSet.built_in()
WORDS = """
    coin power_up laugh game_over
    key card received paid salary refused undone new_game winner volume deal_tick gavel
    wound time_up
    ready
"""


@cache
def built_in(name: str) -> bytes:
    return SOUNDS[name].samples


def loudest(samples: bytes) -> float:
    """The loudest twentieth of a second, as a part of full scale."""
    samples += bytes(4800)
    return max(audioop.rms(samples[i : i + 4800], 2) for i in range(0, len(samples) - 4800 + 1, 2400)) / 32768


def test_there_is_a_piece_and_a_file_for_every_sound_the_table_plays() -> None:
    assert sorted(COMPOSITIONS) == sorted(NAMES) == sorted(WORDS.split())


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_the_composer_makes(name: str) -> None:
    # another C library's sine may round the last bit the other way
    made, kept = array.array("h", composed(name)), array.array("h", built_in(name))
    assert len(made) == len(kept)
    assert max(abs(a - b) for a, b in zip(made, kept, strict=True)) <= 2


@pytest.mark.parametrize("name", NAMES)
def test_no_sound_is_longer_than_four_seconds(name: str) -> None:
    assert 0.03 < SOUNDS[name].seconds <= 4.0


@pytest.mark.parametrize("name", NAMES)
def test_a_sound_starts_and_ends_in_silence_around_zero(name: str) -> None:
    samples = built_in(name)
    assert samples[:2] == samples[-2:] == b"\0\0"
    assert audioop.max(samples[:8], 2) < 0.05 * audioop.max(samples, 2)
    assert audioop.max(samples[-200:], 2) < 0.01 * 32768
    assert abs(audioop.avg(samples, 2)) <= 2


@pytest.mark.parametrize("name", NAMES)
def test_all_sounds_are_about_as_loud_and_leave_room_for_a_second_one(name: str) -> None:
    assert audioop.max(built_in(name), 2) / 32768 <= PEAK + 0.001
    assert LOUDNESS / 2 < loudest(built_in(name)) < LOUDNESS * 1.05


def test_all_files_together_are_small() -> None:
    assert sum(path.stat().st_size for path in OWN_FOLDER.glob("*.wav")) < 1_600_000


@pytest.mark.parametrize("volume", [1, 2, 3, 4])
@pytest.mark.parametrize("count", range(1, 7))
def test_coins_two_fifths_of_a_second_apart_can_be_counted_at_every_volume(count: int, volume: int) -> None:
    mixer = Mixer(volume)
    recording = b""
    for _ in range(count):
        mixer.add(built_in("coin"))
        recording += mixer.pull(19_200) or b""
    while block := mixer.pull(19_200):
        recording += block
    assert count_onsets(recording) == count


def test_a_coin_rings_at_one_pitch_only() -> None:
    """It is no leap from a short note to a longer, higher one."""
    coin = built_in("coin")
    crossings = [len(re.findall(b"\1\0", signs(coin[i : i + 4800]))) for i in range(1200, 19_200, 4800)]
    assert crossings == [pytest.approx(note("F#6") / 20, abs=3)] * len(crossings)


def signs(samples: bytes) -> bytes:
    return bytes(value > 0 for value in array.array("h", samples))


def test_notes_are_those_of_a_tuning_fork() -> None:
    assert note("A4") == 440
    assert note("C4") == pytest.approx(261.63, abs=0.01)
    assert note("F#6") == pytest.approx(1479.98, abs=0.01)
