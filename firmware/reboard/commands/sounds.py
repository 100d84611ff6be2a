"""``reboard sounds``: hear the table's sounds, and have them as files to begin one's own with."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

from reboard.config import SpeakerConfig
from reboard.errors import PartError
from reboard.parts.sinks.choose import open_sink
from reboard.parts.speaker import Speaker
from reboard.sounds import SoundSet
from reboard.sounds.wav_file import write_wav

TAIL_S = 0.3
"""What is still on its way through the sound device when the last sample has been handed over."""


def show() -> None:
    """Print every sound's name and length."""
    sounds = SoundSet.built_in()
    for name in sounds.names:
        print(f"{name:<12} {sounds[name].seconds:4.1f} s")


async def play(name: str, config: SpeakerConfig) -> None:
    """Play the sound called *name* as the table would. Raises `PartError` when nothing comes out."""
    sounds = SoundSet.with_folder(config.folder) if config.folder else SoundSet.built_in()
    faults: list[object] = []

    def hear(event: str, /, **fields: object) -> None:
        if event == "fault":
            faults.append(fields["cause"])

    sink = open_sink(config.library, config.device)
    with closing(Speaker(sounds, sink, emit=hear, volume=config.volume)) as speaker:
        await speaker.played(name)
        await asyncio.sleep(TAIL_S)
        if faults:
            raise PartError(f"no sound comes out of {sink.description}: {faults[-1]}")


def write(folder: Path) -> None:
    """Write every built-in sound as a WAV file into *folder*. What is there already is somebody's own, and kept."""
    folder.mkdir(parents=True, exist_ok=True)
    sounds = SoundSet.built_in()
    for name in sounds.names:
        path = folder / f"{name}.wav"
        if path.exists():
            print(f"{path} is there already and was kept")
        else:
            write_wav(path, sounds[name].samples)
            print(path)
