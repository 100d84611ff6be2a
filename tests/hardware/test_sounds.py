from __future__ import annotations

import array
import audioop
import itertools
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from hardware.making import sounds
from hardware.making.sounds import LOUDNESS, PEAK
from hardware.making.synthesiser import note
from reboard.devices.audio.mixer import Mixer
from reboard.sounds import SoundSet
from tests.listening import count_onsets

FOLDERS = [*sounds.COMPOSITIONS]
SOUNDS = SoundSet.built_in(FOLDERS)


SIGNATURES = {
    "a coin of a video game": (5,),
    "its extra life": (3, 9, -4, 2, 5),
    "its first bars": (0, 0, -4, 4, 3),
    "a secret of another": (-1, -3, -6, -1, 8),
    "a maker of processors": (5, -5, 7),
    "chimes of a broadcaster": (9, -4),
    "a telephone company": (0, 0, 4, -4),
    "a maker of telephones": (-2, -8, 2),
    "visitors from space": (2, -4, -12, 7),
    "a bell tower, first quarter": (-2, -2, -5),
    "second quarter": (4, -2, -7),
    "third quarter": (-4, 2, -7),
}
"""The steps of well-known tunes in semitones."""


def tune(piece: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The notes that *piece* plays, in order, in semitones."""
    heard: list[int] = []

    def heard_note(name: str) -> float:
        heard.append(round(12 * math.log2(hz := note(name))))
        return hz

    monkeypatch.setattr(sounds, "note", heard_note)
    piece()
    return heard


@pytest.mark.parametrize("piece", [*itertools.chain(*sounds.COMPOSITIONS.values())])
def test_no_sound_has_a_well_known_tune(piece: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    notes = tune(piece, monkeypatch)
    for whose, signature in SIGNATURES.items():
        known = [*itertools.accumulate(signature, initial=0)]
        if len(known) <= 3:
            found = len(notes) == len(known) and [each - notes[0] for each in notes] == known
        else:
            found = any(follows([each - notes[i] for each in notes[i:]], known) for i in range(len(notes)))
        assert not found, f"{piece.__name__} sounds like {whose}: {notes}"


def follows(notes: list[int], known: list[int]) -> bool:
    """Whether *notes* begin with the *known* ones, in any octave, with at most one other before each of these."""
    if not known:
        return True
    return any(note % 12 == known[0] % 12 and follows(notes[i + 1 :], known[1:]) for i, note in enumerate(notes[:2]))


def loudest(samples: bytes) -> float:
    """The loudest twentieth of a second, as a part of full scale."""
    samples += bytes(4800)
    return max(audioop.rms(samples[i : i + 4800], 2) for i in range(0, len(samples) - 4800 + 1, 2400)) / 32768


def test_the_tool_writes_exactly_the_shipped_files(tmp_path: Path) -> None:
    written = sounds.write(tmp_path)
    shipped_files = {path.name: path for folder in FOLDERS for path in folder.glob("*.wav")}
    assert {path.name for path in written} == shipped_files.keys()
    for path in written:
        made, shipped = path.read_bytes(), shipped_files[path.name].read_bytes()
        assert (made[:44], len(made)) == (shipped[:44], len(shipped)), path.name
        # another C library's sine may round the last bit the other way
        pairs = zip(array.array("h", made[44:]), array.array("h", shipped[44:]), strict=True)
        assert max(abs(a - b) for a, b in pairs) <= 2, path.name


@pytest.mark.parametrize("name", SOUNDS.names)
def test_a_sound_keeps_the_limits_of_length_and_level(name: str) -> None:
    samples = SOUNDS[name].samples
    assert 0.03 < SOUNDS[name].seconds <= 4.0
    assert samples[:2] == samples[-2:] == b"\0\0", "a click"
    assert audioop.max(samples, 2) / 32768 <= PEAK + 0.001, "two sounds at once must fit"
    assert LOUDNESS / 2 < loudest(samples) < LOUDNESS * 1.05, "all sounds are about equally loud"


@pytest.mark.parametrize("volume", [1, 2, 3, 4])
def test_six_coins_can_be_counted_at_every_volume(volume: int) -> None:
    mixer = Mixer(volume)
    recording = b""
    for _ in range(6):
        mixer.add(SOUNDS["coin"].samples)
        recording += mixer.pull(19_200) or b""
    while block := mixer.pull(19_200):
        recording += block
    assert count_onsets(recording) == 6
