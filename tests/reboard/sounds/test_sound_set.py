from __future__ import annotations

import array
import math
import os
import random
import wave
from itertools import pairwise
from pathlib import Path

import pytest

from reboard.sounds import NAMES, SoundSet
from reboard.sounds.wav_file import read_wav

BUILT_IN = SoundSet.built_in()


def write_tone(
    path: Path, *, seconds: float = 0.5, rate: int = 48_000, width: int = 2, channels: int = 1, hz: float = 1000
) -> None:
    full = 2 ** (8 * width - 1) - 1
    frames = bytearray()
    for i in range(round(seconds * rate)):
        value = round(0.5 * full * math.sin(2 * math.pi * hz * i / rate))
        sample = bytes([value + 128]) if width == 1 else value.to_bytes(width, "little", signed=True)
        frames += sample * channels
    with wave.open(str(path), "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(frames)


def rising_zeros(samples: bytes) -> int:
    values = array.array("h", samples)
    return sum(a < 0 <= b for a, b in pairwise(values))


def test_our_own_sounds_are_there_by_name() -> None:
    assert BUILT_IN.names == NAMES
    assert BUILT_IN["coin"].name == "coin"
    assert BUILT_IN["coin"].seconds == len(BUILT_IN["coin"].samples) / 96_000
    with pytest.raises(KeyError):
        BUILT_IN["bleep"]


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [8_000, 44_100, 48_000, 96_000])
def test_an_owners_file_of_any_kind_sounds_the_same(tmp_path: Path, width: int, channels: int, rate: int) -> None:
    write_tone(tmp_path / "coin.wav", rate=rate, width=width, channels=channels)
    sounds = SoundSet.with_folder(tmp_path)
    samples = sounds["coin"].samples
    assert sounds.warnings == ()
    assert sounds["coin"].seconds == pytest.approx(0.5, abs=0.001)
    assert rising_zeros(samples) == pytest.approx(500, abs=2)
    assert max(array.array("h", samples)) == pytest.approx(0.5 * 32767, rel=0.1)
    assert sounds["laugh"].samples == BUILT_IN["laugh"].samples


def test_capital_letters_in_a_files_name_do_not_matter(tmp_path: Path) -> None:
    write_tone(tmp_path / "Coin.WAV")
    assert SoundSet.with_folder(tmp_path)["coin"].samples != BUILT_IN["coin"].samples


def test_a_sound_that_is_too_long_fades_out_after_four_seconds_with_a_warning(tmp_path: Path) -> None:
    write_tone(tmp_path / "laugh.wav", seconds=4.2)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds["laugh"].seconds == 4.0
    assert max(map(abs, array.array("h", sounds["laugh"].samples[-20:]))) < 100
    assert sounds.warnings == (f"{tmp_path / 'laugh.wav'}: is longer than 4 s; only its beginning is played",)


def test_a_ping_that_is_too_long_for_six_of_them_is_cut_to_two_seconds_with_a_warning(tmp_path: Path) -> None:
    write_tone(tmp_path / "coin.wav", seconds=4.0)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds["coin"].seconds == 2.0
    assert max(map(abs, array.array("h", sounds["coin"].samples[-20:]))) < 100
    assert sounds.warnings == (f"{tmp_path / 'coin.wav'}: is longer than 2 s; only its beginning is played",)


def test_a_sound_of_just_four_seconds_is_played_whole(tmp_path: Path) -> None:
    write_tone(tmp_path / "laugh.wav", seconds=4.0, rate=44_100, channels=2)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds.warnings == ()
    assert sounds["laugh"].seconds == pytest.approx(4.0, abs=0.001)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is not a plain WAV file"),
        (b"RIFF", "is not a plain WAV file"),
        (b"ID3\3 some music", "is not a plain WAV file"),
    ],
)
def test_a_file_that_is_no_wav_leaves_the_built_in_sound(
    tmp_path: Path, content: bytes, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "coin.wav").write_bytes(content)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds["coin"].samples == BUILT_IN["coin"].samples
    [warning] = sounds.warnings
    assert warning.startswith(f"{tmp_path / 'coin.wav'}: {why}")
    assert warning in caplog.text


def test_a_wav_without_a_sample_leaves_the_built_in_sound(tmp_path: Path) -> None:
    write_tone(tmp_path / "coin.wav", seconds=0)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds["coin"].samples == BUILT_IN["coin"].samples
    assert sounds.warnings == (f"{tmp_path / 'coin.wav'}: holds no sound; the built-in coin is played",)


@pytest.mark.parametrize(("rate", "channels", "why"), [(100, 1, "100 samples a second"), (48_000, 6, "6 channels")])
def test_a_kind_that_cannot_be_played_is_named(tmp_path: Path, rate: int, channels: int, why: str) -> None:
    write_tone(tmp_path / "coin.wav", rate=rate, channels=channels)
    assert why in SoundSet.with_folder(tmp_path).warnings[0]


def test_a_name_that_is_none_is_answered_with_the_nearest(tmp_path: Path) -> None:
    write_tone(tmp_path / "coins.wav")
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds.warnings == (f"{tmp_path / 'coins.wav'}: no sound is called 'coins'; the nearest is 'coin'",)


def test_music_in_another_format_is_told_to_be_saved_as_wav(tmp_path: Path) -> None:
    (tmp_path / "coin.mp3").write_bytes(b"ID3")
    (tmp_path / "notes.txt").write_text("about my sounds")
    assert SoundSet.with_folder(tmp_path).warnings == (
        f"{tmp_path / 'coin.mp3'}: is not a WAV file; save it as coin.wav",
    )


def test_a_file_that_may_not_be_read_leaves_the_built_in_sound(tmp_path: Path) -> None:
    (tmp_path / "coin.wav").mkdir()
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds["coin"].samples == BUILT_IN["coin"].samples
    assert "cannot be read (Is a directory)" in sounds.warnings[0]


def test_a_folder_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    sounds = SoundSet.with_folder(tmp_path / "gone")
    assert sounds.names == NAMES
    assert sounds.warnings == (
        f"{tmp_path / 'gone'}: cannot be read (No such file or directory); the built-in sounds are played",
    )


def test_a_folder_with_countless_files_is_not_looked_through_to_its_end(tmp_path: Path) -> None:
    for i in range(300):
        (tmp_path / f"{i:03}.wav").touch()
    assert len(SoundSet.with_folder(tmp_path).warnings) == 201


def test_no_damage_to_a_file_raises_anything_but_the_two_errors(tmp_path: Path) -> None:
    seed = int(os.environ.get("SEED", "1"))
    print("seed", seed)
    chance = random.Random(seed)
    path = tmp_path / "coin.wav"
    write_tone(path, seconds=0.01, channels=2)
    whole = path.read_bytes()
    for _ in range(500):
        damaged = bytearray(whole[: chance.choice([len(whole), chance.randrange(len(whole))])])
        for _ in range(chance.randrange(4)):
            if damaged:
                damaged[chance.randrange(min(48, len(damaged)))] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            samples, _ = read_wav(path)
        except (ValueError, OSError):
            continue
        assert samples
        assert len(samples) % 2 == 0
