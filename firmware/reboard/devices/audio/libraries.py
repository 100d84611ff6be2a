"""The choice of the sound library: the one in the config, the best installed one, or silence."""

from __future__ import annotations

from difflib import get_close_matches

from reboard.board import SOUND_LIBRARIES, Pull, Report, Sink
from reboard.devices.audio.streaming import StreamingSink
from reboard.errors import ConfigError

BEST_FIRST = ("alsa", "aplay", "sounddevice")
"""The libraries that are tried, in this order, if the config names none. See docs/decisions/sound.md."""

CANNOT_KEEP_AWAKE = ("simpleaudio",)

LIBRARY_UNUSABLE = "the sound library"
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

    If *library* is ``None``, the first usable one of `BEST_FIRST` is used. If *device* is ``None``, the library's
    default device is used. With *keep_awake*, the device plays silence between sounds, except with a library of
    `CANNOT_KEEP_AWAKE`. For an unusable library the sink is silent and reports the reason. A missing device is a fault
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
        return SilentSink(f"{LIBRARY_UNUSABLE} {library} cannot be used here: {error}")


def library_problem(library: str, device: str | None) -> Exception | None:
    """Return why *library* cannot play on *device*: a `DeviceError` if it can nowhere, another error if not here."""
    try:
        _sink(library, device, keep_awake=False)
    except (ImportError, OSError) as error:
        return error
    return None


def _best(device: str | None, keep_awake: bool) -> Sink:
    for library in BEST_FIRST:
        try:
            return _sink(library, device, keep_awake)
        except (ImportError, OSError):  # OSError: sounddevice is installed, the library PortAudio is not
            continue
    return SilentSink(
        "no program or library for sound is installed: run `sudo apt install python3-alsaaudio alsa-utils`"
    )


def _sink(library: str, device: str | None, keep_awake: bool) -> Sink:
    # imported one by one: each needs a package or a program that only some machines have
    match library:
        case "alsa":
            from reboard.devices.audio.alsa import Alsa

            return StreamingSink(Alsa(device), keep_awake=keep_awake)
        case "aplay":
            from reboard.devices.audio.aplay import Aplay

            return StreamingSink(Aplay(device), keep_awake=keep_awake)
        case "sounddevice":
            from reboard.devices.audio.portaudio import PortAudio

            return StreamingSink(PortAudio(device), keep_awake=keep_awake)
        case "simpleaudio":
            from reboard.devices.audio.simpleaudio import OneShotSink

            return OneShotSink(device)
        case _:
            return SilentSink()
