"""The table's speaker: sounds by name, several at once."""

from __future__ import annotations

import asyncio
import contextlib

from reboard.board import Sink
from reboard.events import Emit, to_nobody
from reboard.parts.mixer import Mixer
from reboard.sounds import SoundSet
from reboard.volume import LOUDEST, USUAL_VOLUME


class Speaker:
    """Plays the sounds of a set into a sink. Made on a running loop.

    A speaker that has no sound device is a ``fault`` event and a silent table: everything takes as long as if it
    were heard. *volume* is 0 (mute) to 4.
    """

    def __init__(self, sounds: SoundSet, sink: Sink, *, emit: Emit = to_nobody, volume: int = USUAL_VOLUME) -> None:
        self._loop = asyncio.get_running_loop()
        self._sounds = sounds
        self._sink = sink
        self._emit = emit
        self._volume = _checked(volume)
        self._mixer = Mixer(volume)
        self._closed = False
        sink.start(self._mixer.pull, self._report)

    @property
    def volume(self) -> int:
        """0 (mute) to 4. A change is heard in what plays already. Raises ``ValueError`` for anything else."""
        return self._volume

    @volume.setter
    def volume(self, volume: int) -> None:
        self._volume = _checked(volume)
        self._mixer.set_volume(volume)
        self._emit("volume", level=volume)

    def play(self, name: str) -> float:
        """Start a sound at once, over what plays, and return its length in seconds. ``KeyError``: there is no such."""
        sound = self._sounds[name]
        self._mixer.add(sound.samples)
        self._sink.wake()
        self._emit("sound", name=name)
        return sound.seconds

    async def played(self, name: str) -> None:
        """Play a sound to its end."""
        await asyncio.sleep(self.play(name))

    def close(self) -> None:
        """Fall silent and give the sound device back."""
        self._closed = True
        self._sink.close()

    def __repr__(self) -> str:
        return f"<Speaker on {self._sink.description}, volume {self._volume} of {LOUDEST}>"

    def _report(self, cause: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            self._loop.call_soon_threadsafe(self._tell, cause)

    def _tell(self, cause: str | None) -> None:
        if self._closed:
            return
        if cause is None:
            self._emit("recovered", part="speaker")
        else:
            self._emit("fault", part="speaker", cause=cause)


def _checked(volume: int) -> int:
    if volume not in range(LOUDEST + 1):
        raise ValueError(f"volume is 0 (mute) to {LOUDEST}, not {volume}")
    return volume
