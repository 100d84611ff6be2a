"""The table's speaker, which plays several sounds at the same time.

The speaker mixes its sounds into one stream of samples. A sink plays the stream through one of the sound libraries in
`reboard.devices.audio`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from reboard.board import DEFAULT_VOLUME, LARGEST_VOLUME, RATE_HZ, SAMPLE_BYTES, Board, Sink
from reboard.config.kinds import Choice, Whole, file_path, flag, text
from reboard.devices.audio.libraries import SILENT, SOUND_LIBRARIES
from reboard.devices.audio.mixer import Mixer
from reboard.devices.audio.streaming import HangingError
from reboard.devices.device import DeviceKind, FittedDevice
from reboard.events import Emit, Fault, Recovered, ignore_event
from reboard.languages import languages
from reboard.record import Record
from reboard.sounds import SoundSet
from reboard.vocabulary.declared import Event
from reboard.vocabulary.limits import Between

if TYPE_CHECKING:  # a table without a voice does not load it
    from reboard.devices.voice import Voice

SPEAKER = "speaker"
"""The name of the speaker's section in ``table.toml``, of its device kind, and of the speaker in faults."""


class SpeakerConfig(Record):
    """The section ``[speaker]``."""

    library: Annotated[
        str | None,
        Choice(*SOUND_LIBRARIES),
        'what plays; `"simpleaudio"` plays on the default device only. Left out: the best installed',
    ] = None
    device: Annotated[str | None, text, "ALSA device, as `aplay -L` lists them. Left out: the default device"] = None
    volume: Annotated[int, Whole(0, LARGEST_VOLUME), "0 is mute, at power-on; the key `.` changes it"] = DEFAULT_VOLUME
    folder: Annotated[
        Path | None,
        file_path,
        "folder with [sounds of your own](sounds.md#your-own-sounds); a missing one is only a warning. "
        "Left out: our sounds",
    ] = None
    keep_awake: Annotated[bool, flag, "`true`: silence is played [between sounds](sounds.md#keep-awake)"] = False
    voice: Annotated[
        str | None,
        Choice(*languages()),
        "language in which the table [says what happens](sounds.md#spoken-balances). Left out: it does not speak",
    ] = None

    @property
    def is_silent(self) -> bool:
        """Whether the config turns sound off with ``library = "silent"``."""
        return self.library == SILENT

    def describe(self) -> str:
        """Return a description of the speaker for ``reboard check``."""
        library = self.library or "the best installed library"
        folder = f", own sounds from {self.folder}" if self.folder else ""
        missing = " (this folder does not exist)" if self.folder and not self.folder.is_dir() else ""
        device = self.device or "the default device"
        awake = ", kept awake" if self.keep_awake else ""
        voice = f", speaks {self.voice}" if self.voice else ""
        return f"{library} on {device}, volume {self.volume} of {LARGEST_VOLUME}{awake}{voice}{folder}{missing}"


class SpeakerWiring(Record):
    """How the speaker is wired: its *connection*, such as ``usb``, and its impedance *ohm* behind an amplifier."""

    connection: str = "usb"
    ohm: float = 4.0


NO_SPEAKER = SpeakerConfig(library="silent")
"""The config for a table without a speaker. The table still waits for the length of each sound."""

LONGEST_TRY_S = 8.0
"""The longest time in seconds until a sound device has opened or has failed, and again until it has taken a sound."""

TAIL_S = 0.3
"""The time after a sound, in seconds, in which the sound device plays its buffer to the end."""


class SoundStarted(Event, name="sound", is_passing=True):
    """A sound began."""

    name: str


class Said(Event, name="said", is_passing=True):
    """The table begins to say something."""

    words: Annotated[str, "in the language of the voice"]


class VolumeSet(Event, name="volume"):
    """The volume of the speaker was set."""

    level: Annotated[int, Between(0, LARGEST_VOLUME), "0 is mute"]


class Speaker:
    """A speaker that plays the sounds of a set through a sink. Create it on a running event loop.

    A missing sound device causes a ``fault`` event. Sounds are then silent, but `played` still waits for their length.
    *volume* is 0 (mute) to 4. `fault` is the cause of the present fault, or ``None``. `voice` is that of the table, or
    ``None``.
    """

    def __init__(
        self, sounds: SoundSet, sink: Sink, *, emit: Emit = ignore_event, volume: int = DEFAULT_VOLUME
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._sounds = sounds
        self._sink = sink
        self._emit = emit
        self._volume = _checked(volume)
        self._mixer = Mixer(volume)
        self._closed = False
        self._is_known = asyncio.Event()
        self.fault: str | None = None
        self.voice: Voice | None = None
        self.busy_until = 0.0
        """The time of the event loop at which the last sound ends."""
        sink.start(self._mixer.pull, self._report)

    @property
    def volume(self) -> int:
        """The volume, 0 (mute) to 4. A change also applies to playing sounds. Raises ``ValueError`` if out of range."""
        return self._volume

    @volume.setter
    def volume(self, volume: int) -> None:
        self._volume = _checked(volume)
        self._mixer.set_volume(self._volume)
        self._emit(VolumeSet(self._volume))

    def play(self, name: str) -> float:
        """Start the sound *name* and return its length in seconds. Raises ``LookupError`` for an unknown sound."""
        sound = self._sounds[name]
        self._start(sound.samples)
        self._emit(SoundStarted(name))
        return sound.seconds

    def speak(self, words: str, samples: bytes) -> None:
        """Start to play the s16le *samples* of *words*."""
        self._start(samples)
        self._emit(Said(words))

    async def played(self, name: str) -> None:
        """Play the sound *name* and wait for its length."""
        await asyncio.sleep(self.play(name))

    async def tried(self, name: str) -> str | None:
        """Play the sound *name* to its end, and return the reason if the sound device did not play it.

        A device that hangs is a reason too, after `LONGEST_TRY_S` at most.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_TRY_S):
                await self._is_known.wait()
        if not self._is_known.is_set():
            return str(HangingError(self._sink.description))
        if self.fault is None:
            await self.played(name)
            for _ in range(int(LONGEST_TRY_S / TAIL_S)):
                await asyncio.sleep(TAIL_S)
                if self.fault is not None or not self._mixer.is_playing:
                    break
        return self.fault

    def close(self) -> None:
        self._closed = True
        if self.voice:
            self.voice.close()
        self._sink.close()

    def __repr__(self) -> str:
        return f"<Speaker on {self._sink.description}, volume {self._volume} of {LARGEST_VOLUME}>"

    def _start(self, samples: bytes) -> None:
        self._mixer.add(samples)
        self._sink.wake()
        self.busy_until = max(self.busy_until, self._loop.time() + len(samples) / SAMPLE_BYTES / RATE_HZ)

    def _report(self, cause: str | None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._set_fault, cause)

    def _set_fault(self, cause: str | None) -> None:
        if self._closed:
            return
        self._is_known.set()
        before, self.fault = self.fault, cause
        if cause is not None:
            self._emit(Fault(SPEAKER, cause))
        elif before is not None:
            self._emit(Recovered(SPEAKER))


def _checked(volume: int) -> int:
    level = int.__int__(volume) if isinstance(volume, int) else -1  # a plug-in may set anything
    if level not in range(LARGEST_VOLUME + 1):
        raise ValueError(f"the volume must be a whole number from 0 (mute) to {LARGEST_VOLUME}, not {volume!r:.100}")
    return level


class SpeakerKind(DeviceKind[SpeakerConfig, Speaker]):
    """The device kind of the speaker, which belongs to the table. *folders* have the sounds of the accessories."""

    name = SPEAKER

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = folders

    @asynccontextmanager
    async def open(
        self, device: FittedDevice[SpeakerConfig, Speaker], board: Board, emit: Emit
    ) -> AsyncIterator[Speaker]:
        config = device.config or NO_SPEAKER
        sounds = SoundSet.with_folder(config.folder, self._folders)
        sink = board.open_sink(config.library, config.device, keep_awake=config.keep_awake)
        with closing(Speaker(sounds, sink, emit=emit, volume=config.volume)) as speaker:
            if config.voice:
                from reboard.devices.voice import Voice
                from reboard.sounds.recorded_words import RecordedWords

                speaker.voice = Voice(board, config.voice, speaker, RecordedWords(config.folder), emit)
            yield speaker


def speaker_device(config: SpeakerConfig | None, folders: Sequence[Path] = ()) -> FittedDevice[SpeakerConfig, Speaker]:
    """Return the speaker of a table as a device with *config*. *folders* have the sounds of the accessories."""
    return FittedDevice(SPEAKER, SPEAKER, SpeakerKind(folders), config)
