"""The sounds of a table, with their names."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from reboard.board import RATE_HZ, SAMPLE_BYTES
from reboard.sounds.wav_file import LONGEST_S, read_wav

log = logging.getLogger(__name__)

OWN_FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in OWN_FOLDER.glob("*.wav")))
"""The names of all sounds."""

LONGEST_COIN_S = 2.0
"""The length of the longest coin sound. Six of them, 0.4 s apart, must not last longer than any other sound."""

MOST_FILES = 200
"""The maximum number of files in a folder. Further files are ignored."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound with one channel of s16le samples at `RATE_HZ`."""

    name: str
    samples: bytes

    @property
    def seconds(self) -> float:
        """The length of the sound."""
        return len(self.samples) / SAMPLE_BYTES / RATE_HZ


class SoundSet:
    """All sounds by name. `warnings` has a sentence for each file of the user that could not be used unchanged."""

    def __init__(self, sounds: Mapping[str, Sound], warnings: tuple[str, ...] = ()) -> None:
        self._sounds = dict(sounds)
        self.warnings = warnings

    @classmethod
    def built_in(cls) -> SoundSet:
        """Return the built-in sounds."""
        return cls(_built_in_sounds())

    @classmethod
    def with_folder(cls, folder: str | Path) -> SoundSet:
        """Return the built-in sounds, each replaced by the WAV file of its name in *folder*.

        A file that cannot be used is a warning, and its built-in sound is played.
        """
        sounds = dict(_built_in_sounds())
        warnings: list[str] = []
        try:
            files = sorted(Path(folder).iterdir())
        except OSError as error:
            files = []
            warnings.append(
                f"{folder}: cannot be read ({error.strerror}). Check [speaker] folder; the built-in sounds are played"
            )
        if len(files) > MOST_FILES:
            warnings.append(
                f"{folder}: has more than {MOST_FILES} files. Only the first {MOST_FILES} are used: remove the rest"
            )
        for path in files[:MOST_FILES]:
            if path.suffix.lower() == ".wav":
                _replace(sounds, path, warnings)
            elif path.stem.lower() in sounds:
                warnings.append(f"{path}: is not a WAV file. Save it as {path.stem.lower()}.wav")
        for warning in warnings:
            log.warning("%s", warning)
        return cls(sounds, tuple(warnings))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all sounds, sorted."""
        return tuple(sorted(self._sounds))

    def __getitem__(self, name: str) -> Sound:
        return self._sounds[name]


def _replace(sounds: dict[str, Sound], path: Path, warnings: list[str]) -> None:
    name = path.stem.lower()
    if name not in sounds:
        nearest = get_close_matches(name, sounds, n=1, cutoff=0.0)[0]
        warnings.append(f"{path}: there is no sound {path.stem!r}. Rename the file: the nearest name is {nearest!r}")
        return
    longest_s = LONGEST_COIN_S if name == "coin" else LONGEST_S
    try:
        samples, was_cut = read_wav(path, longest_s)
    except OSError as error:
        warnings.append(
            f"{path}: cannot be read ({error.strerror}). Check its permissions; the built-in {name} is played"
        )
    except ValueError as error:
        warnings.append(f"{path}: {error}; the built-in {name} is played")
    else:
        sounds[name] = Sound(name, samples)
        if was_cut:
            warnings.append(f"{path}: is longer than {longest_s:g} s. Only its beginning is played: shorten it")


@cache
def _built_in_sounds() -> Mapping[str, Sound]:
    return {name: Sound(name, read_wav(OWN_FOLDER / f"{name}.wav")[0]) for name in NAMES}
