"""The set of sounds of a table: the built-in sounds and the user's replacements."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from reboard.board import RATE_HZ, SAMPLE_BYTES
from reboard.config.reading import did_you_mean, shown
from reboard.record import Record
from reboard.sounds.wav_file import LONGEST_S, read_wav

log = logging.getLogger(__name__)

OWN_FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in OWN_FOLDER.glob("*.wav")))
"""The names of the built-in sounds."""

LONGEST_COIN_S = 2.0
"""The maximum length of the coin sound, in seconds. Six coins, started 0.4 s apart, take `LONGEST_S` in total."""

MOST_FILES = 200
"""The maximum number of files that are read from the user's folder. Further files are ignored."""


class Sound(Record):
    """A sound: its name and its samples (s16le, one channel, `RATE_HZ`)."""

    name: str
    samples: bytes

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_BYTES / RATE_HZ


class UnknownSoundError(LookupError):
    """The error raised for the name of a sound that the table does not have."""


class SoundSet:
    """The sounds, keyed by name. `warnings` has a text for each problem with the user's folder and its files."""

    def __init__(self, sounds: Mapping[str, Sound], warnings: tuple[str, ...] = ()) -> None:
        self._sounds = dict(sounds)
        self.warnings = warnings

    @classmethod
    def built_in(cls, more: Sequence[Path] = ()) -> SoundSet:
        """Return the built-in sounds, and the sounds in the folders *more* of accessories."""
        return cls({**_sounds_of(*more), **_sounds_of(OWN_FOLDER)})

    @classmethod
    def with_folder(cls, folder: str | Path | None, more: Sequence[Path] = ()) -> SoundSet:
        """Return the sounds of `built_in`. A WAV file in *folder* replaces the sound with the same name.

        If a file cannot be used, log a warning and keep the sound.
        """
        sounds = dict(cls.built_in(more)._sounds)
        warnings: list[str] = []
        if folder is None:
            return cls(sounds)
        try:
            files = sorted(Path(folder).iterdir())
        except OSError as error:
            files = []
            warnings.append(
                f"{folder} cannot be read ({error.strerror}), so all sounds are built-in. Check `folder` in [speaker]"
            )
        if len(files) > MOST_FILES:
            warnings.append(
                f"{folder} has more than {MOST_FILES} files. Only the first {MOST_FILES} are used: remove the rest"
            )
        for path in files[:MOST_FILES]:
            if path.suffix.lower() == ".wav":
                _replace(sounds, path, warnings)
            elif path.stem.lower() in sounds:
                warnings.append(f"{path} is not a WAV file. Save the sound as {path.stem.lower()}.wav")
        for warning in warnings:
            log.warning("%s", warning)
        return cls(sounds, tuple(warnings))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._sounds))

    def __getitem__(self, name: str) -> Sound:
        """Return the sound *name*. Raises `UnknownSoundError`."""
        if isinstance(name, str) and name in self._sounds:
            return self._sounds[name]
        hint = did_you_mean(name, self._sounds) or ": `reboard sounds list` shows the sounds."
        raise UnknownSoundError(f"there is no sound {shown(name)}{hint} An accessory's own are WAV files in `sounds/`")


def _replace(sounds: dict[str, Sound], path: Path, warnings: list[str]) -> None:
    name = path.stem.lower()
    if name not in sounds:
        nearest = get_close_matches(name, sounds, n=1, cutoff=0.0)[0]
        warnings.append(
            f"{path} has no effect: there is no sound {path.stem!r}. Rename the file, for example to {nearest}.wav"
        )
        return
    longest_s = LONGEST_COIN_S if name == "coin" else LONGEST_S
    try:
        samples, was_cut = read_wav(path, longest_s)
    except OSError as error:
        warnings.append(
            f"{path} cannot be read ({error.strerror}). Check its permissions; the built-in sound {name} is played"
        )
    except ValueError as error:
        warnings.append(f"{path} {error}; the built-in sound {name} is played")
    else:
        sounds[name] = Sound(name, samples)
        if was_cut:
            warnings.append(f"{path} is longer than {longest_s:g} s. Only the beginning is played: shorten the sound")


@cache
def _sounds_of(*folders: Path) -> Mapping[str, Sound]:
    sounds: dict[str, Sound] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.wav"))):
        try:
            sounds.setdefault(path.stem, Sound(path.stem, read_wav(path)[0]))
        except (OSError, ValueError) as error:  # one that an accessory brings
            log.warning("%s cannot be used: %s", path, error)
    return sounds
