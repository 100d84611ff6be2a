"""The choice of the sound library: the one in the config, the best installed one, or silence."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import NamedTuple

from reboard.board import Pull, Report, Sink
from reboard.devices.audio.streaming import StreamingSink
from reboard.errors import ConfigError
from reboard.languages import translatable


class SoundLibrary(NamedTuple):
    """A sound library: the *class_name* in the *module* of this package that opens its devices.

    The class raises ``ImportError`` or ``OSError`` if the library cannot be used.
    """

    module: str
    class_name: str
    package: str = ""
    """Its package in Debian, ``""`` if there is none."""
    is_tried: bool = True
    """Whether it is tried if the config names no library."""
    opens_each_sound: bool = False
    """Whether the class is a sink of its own, which opens the device for each sound and cannot keep it awake."""


LIBRARIES: Mapping[str, SoundLibrary] = {
    "alsa": SoundLibrary("alsa", "Alsa", "python3-alsaaudio"),
    "aplay": SoundLibrary("aplay", "Aplay", "alsa-utils"),
    "sounddevice": SoundLibrary("portaudio", "PortAudio"),
    "simpleaudio": SoundLibrary("simpleaudio", "OneShotSink", is_tried=False, opens_each_sound=True),
}
"""The sound libraries, the best first. See docs/decisions/sound.md."""

SILENT = "silent"
SOUND_LIBRARIES = (*LIBRARIES, SILENT)
"""The names of the sound libraries in the config."""

LIBRARY_UNUSABLE = translatable("the sound library")
"""The first words of the fault that reports an unusable library. Doctor recognizes the fault by these words."""


class SilentSink:
    """A sink that plays nothing. `start` reports *missing*, the reason why there is no sound, unless it is ``None``."""

    def __init__(self, missing: str | None = None) -> None:
        self._missing = missing

    @property
    def description(self) -> str:
        return "no sound device"

    def start(self, pull: Pull, report: Report) -> None:
        report(self._missing)

    def wake(self) -> None:
        pass

    def close(self) -> None:
        pass


def open_sink(library: str | None, device: str | None, *, keep_awake: bool = False) -> Sink:
    """Return the sink for *library*, one of `SOUND_LIBRARIES`, on *device*.

    If *library* is ``None``, the first usable one of `LIBRARIES` is used. If *device* is ``None``, it is the library's
    default device. With *keep_awake*, the device plays silence between sounds, if the library can. For an unusable
    library the sink is silent and reports the reason. A missing device is a fault
    that the sink reports. Raises `ConfigError` for an unknown library.
    """
    if library is None:
        return _best(device, keep_awake)
    if library not in SOUND_LIBRARIES:
        nearest = get_close_matches(library, SOUND_LIBRARIES, n=1, cutoff=0.0)[0]
        names = ", ".join(SOUND_LIBRARIES)
        raise ConfigError(f"there is no sound library {library!r}: choose one of {names} (nearest: {nearest})")
    try:
        return _sink(library, device, keep_awake)
    except (ImportError, OSError) as error:
        return SilentSink(translatable(f"{LIBRARY_UNUSABLE} {library} cannot be used here: {error}"))


def library_problem(library: str, device: str | None) -> Exception | None:
    """Return why *library* cannot play on *device*: a `DeviceError` if it can nowhere, another error if not here."""
    try:
        _sink(library, device, keep_awake=False)
    except (ImportError, OSError) as error:
        return error
    return None


def _best(device: str | None, keep_awake: bool) -> Sink:
    tried = {name: library for name, library in LIBRARIES.items() if library.is_tried}
    for name in tried:
        try:
            return _sink(name, device, keep_awake)
        except (ImportError, OSError):  # OSError: sounddevice is installed, the library PortAudio is not
            continue
    packages = " ".join(library.package for library in tried.values() if library.package)
    return SilentSink(f"no program or library for sound is installed: run `sudo apt install {packages}`")


def _sink(name: str, device: str | None, keep_awake: bool) -> Sink:
    if name == SILENT:
        return SilentSink()
    library = LIBRARIES[name]
    # imported when it is used: each needs a package or a program that only some machines have
    made = getattr(import_module(f"{__package__}.{library.module}"), library.class_name)(device)
    sink: Sink = made if library.opens_each_sound else StreamingSink(made, keep_awake=keep_awake)
    return sink
