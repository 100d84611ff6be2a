from __future__ import annotations

import array
import math
import os
import random
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from reboard.sounds import NAMES, SoundSet
from reboard.sounds.sound_set import MOST_FILES
from reboard.sounds.wav_file import EXTENSIBLE, FLOAT, PCM, read_wav

BUILT_IN = SoundSet.built_in()


def write_tone(
    path: Path,
    *,
    seconds: float = 0.5,
    rate: int = 48_000,
    width: int = 2,
    channels: int = 1,
    hz: float = 1000,
    tag: int = PCM,
    is_extensible: bool = False,
    size: int | None = None,
) -> None:
    full = 2 ** (8 * width - 1) - 1
    frames = bytearray()
    for i in range(round(seconds * rate)):
        value = 0.5 * math.sin(2 * math.pi * hz * i / rate)
        if tag == FLOAT:
            sample = struct.pack("<f" if width == 4 else "<d", value)
        else:
            number = round(full * value)
            sample = bytes([number + 128]) if width == 1 else number.to_bytes(width, "little", signed=True)
        frames += sample * channels
    frame = width * channels
    kind = struct.pack("<HHIIHH", EXTENSIBLE if is_extensible else tag, channels, rate, rate * frame, frame, 8 * width)
    if is_extensible:
        kind += struct.pack("<HHIH14s", 22, 8 * width, 0, tag, b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71")
    # an odd chunk has a byte of padding behind it
    chunks = b"LIST" + struct.pack("<I", 5) + b"INFO.\0" + b"fmt " + struct.pack("<I", len(kind)) + kind
    chunks += b"data" + struct.pack("<I", len(frames) if size is None else size) + frames
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)


@pytest.mark.parametrize(
    ("width", "channels", "rate", "how"),
    [
        (1, 1, 8_000, {}),
        (1, 2, 48_000, {}),
        (2, 1, 44_100, {}),
        (2, 2, 48_000, {"size": 0xFFFFFFFF}),
        (3, 1, 96_000, {"is_extensible": True}),
        (3, 2, 8_000, {}),
        (4, 2, 44_100, {"is_extensible": True}),
        (4, 1, 48_000, {"tag": FLOAT}),
        (8, 2, 44_100, {"tag": FLOAT, "is_extensible": True}),
    ],
)
def test_a_file_of_any_usual_format_sounds_the_same(
    tmp_path: Path, width: int, channels: int, rate: int, how: dict[str, Any]
) -> None:
    write_tone(tmp_path / "Coin.WAV", rate=rate, width=width, channels=channels, **how)
    sounds = SoundSet.with_folder(tmp_path)
    samples = array.array("h", sounds["coin"].samples)
    assert sounds.warnings == ()
    assert sounds["coin"].seconds == pytest.approx(0.5, abs=0.001)
    assert sum(a < 0 <= b for a, b in pairwise(samples)) == pytest.approx(500, abs=2)
    assert max(samples) == pytest.approx(0.5 * 32767, rel=0.1)
    assert sounds["laugh"].samples == BUILT_IN["laugh"].samples


@pytest.mark.parametrize(("name", "seconds", "kept"), [("laugh", 4.2, 4.0), ("coin", 4.0, 2.0), ("laugh", 4.0, None)])
def test_a_sound_that_is_too_long_is_cut_with_a_fade(
    tmp_path: Path, name: str, seconds: float, kept: float | None
) -> None:
    write_tone(tmp_path / f"{name}.wav", seconds=seconds, rate=44_100, channels=2)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds[name].seconds == pytest.approx(kept or seconds, abs=0.001)
    assert len(sounds.warnings) == (kept is not None)
    if kept:
        assert f"longer than {kept:g} s" in sounds.warnings[0]
        assert max(map(abs, array.array("h", sounds[name].samples[-20:]))) < 100


@pytest.mark.parametrize(
    ("file", "content", "cause"),
    [
        ("coin.wav", b"", "not a plain WAV file"),
        ("coin.wav", b"RIFF", "not a plain WAV file"),
        ("coin.wav", b"ID3\3 some music", "not a plain WAV file"),
        ("coin.wav", {"seconds": 0}, "no sound"),
        ("coin.wav", {"rate": 100}, "100 samples per second"),
        ("coin.wav", {"channels": 6}, "6 channels"),
        ("coin.wav", {"tag": 17}, "its format is 17"),
        ("coin.wav", {"width": 5}, "40 bits per sample"),
        ("coin.wav", None, "cannot be read (Is a directory)"),
        ("coins.wav", {}, "for example to coin.wav"),
        ("coin.mp3", b"ID3", "Save the sound as coin.wav"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_warning_and_the_built_in_sound_stays(
    tmp_path: Path, file: str, content: bytes | dict[str, Any] | None, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / file
    (tmp_path / "notes.txt").write_text("about my sounds")
    match content:
        case None:
            path.mkdir()
        case bytes():
            path.write_bytes(content)
        case _:
            write_tone(path, **content)
    sounds = SoundSet.with_folder(tmp_path)
    assert sounds["coin"].samples == BUILT_IN["coin"].samples
    [warning] = sounds.warnings
    assert warning.startswith(f"{path} ")
    assert cause in warning
    assert warning in caplog.text


def test_a_missing_folder_is_one_warning_and_a_huge_one_is_read_in_part(tmp_path: Path) -> None:
    sounds = SoundSet.with_folder(tmp_path / "gone")
    assert sounds.names == NAMES
    assert len(sounds.warnings) == 1
    for i in range(MOST_FILES + 100):
        (tmp_path / f"{i:03}.wav").touch()
    assert len(SoundSet.with_folder(tmp_path).warnings) == MOST_FILES + 1


def test_a_damaged_file_raises_only_the_two_documented_errors(tmp_path: Path) -> None:
    seed = int(os.environ.get("SEED", "1"))
    print("seed", seed)
    rng = random.Random(seed)
    path = tmp_path / "coin.wav"
    for i in range(150):
        write_tone(path, seconds=0.01, width=4, channels=2, tag=FLOAT if i % 2 else PCM, is_extensible=i % 3 == 0)
        whole = path.read_bytes()
        damaged = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
        for _ in range(rng.randrange(4)):
            if damaged:
                damaged[rng.randrange(min(80, len(damaged)))] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            samples, _ = read_wav(path)
        except (ValueError, OSError):
            continue
        assert samples
        assert len(samples) % 2 == 0


def test_an_accessory_adds_sounds_which_the_user_can_replace(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    theirs, own = tmp_path / "sounds", tmp_path / "own"
    theirs.mkdir()
    own.mkdir()
    write_tone(theirs / "quack.wav", seconds=0.3)
    write_tone(theirs / "coin.wav", seconds=0.4)
    (theirs / "broken.wav").write_bytes(b"RIFF")
    sounds = SoundSet.built_in([theirs])
    assert {*sounds.names} == {*NAMES, "quack"}
    assert sounds["coin"].samples == BUILT_IN["coin"].samples
    assert "broken.wav" in caplog.text
    write_tone(own / "quack.wav", seconds=0.2)
    assert SoundSet.with_folder(own, [theirs])["quack"].seconds == pytest.approx(0.2, abs=0.001)
