"""Which sink plays the sounds."""

from __future__ import annotations

from difflib import get_close_matches

from reboard.board import SOUND_LIBRARIES, Sink
from reboard.errors import ConfigError
from reboard.parts.sinks.silent import SilentSink
from reboard.parts.sinks.streaming import StreamingSink

BEST_FIRST = ("alsa", "aplay", "sounddevice")
"""What is tried when none is named; the order is measured: docs/decisions/sound-sink.md."""

NAMED_IN_VAIN = "the sound library"
"""How it is told that the library which somebody has named cannot be used."""


def open_sink(library: str | None, device: str | None) -> Sink:
    """The sink for *library*, one of `SOUND_LIBRARIES`, on *device*; ``None``: the best one installed, the default.

    A missing device is the sink's affair, and a library that cannot be used on this machine is a silent sink that
    reports why. Raises `ConfigError` for a name that is none.
    """
    if library is None:
        return _best(device)
    if library not in SOUND_LIBRARIES:
        nearest = get_close_matches(library, SOUND_LIBRARIES, n=1, cutoff=0.0)[0]
        names = ", ".join(SOUND_LIBRARIES)
        raise ConfigError(f"there is no sound library {library!r}: it is one of {names} (nearest: {nearest})")
    try:
        return _made(library, device)
    except (ImportError, OSError) as error:
        return SilentSink(f"{NAMED_IN_VAIN} {library} cannot be used here: {error}")


def _best(device: str | None) -> Sink:
    for library in BEST_FIRST:
        try:
            return _made(library, device)
        except (ImportError, OSError):  # OSError: PortAudio's Python half is there, PortAudio is not
            continue
    return SilentSink("nothing that can play sound is installed: sudo apt install python3-alsaaudio alsa-utils")


def _made(library: str, device: str | None) -> Sink:
    # imported one by one: each needs a package or a program that only some machines have
    match library:
        case "alsa":
            from reboard.parts.sinks.alsa import Alsa

            return StreamingSink(Alsa(device))
        case "aplay":
            from reboard.parts.sinks.aplay import Aplay

            return StreamingSink(Aplay(device))
        case "sounddevice":
            from reboard.parts.sinks.portaudio import PortAudio

            return StreamingSink(PortAudio(device))
        case "simpleaudio":
            from reboard.parts.sinks.one_shot import OneShotSink

            return OneShotSink()
        case _:
            return SilentSink()
