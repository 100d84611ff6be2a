"""A virtual program for speech. Its voice is a tone for each letter, so that the sound depends on the words only."""

from __future__ import annotations

import asyncio
import io
import math
import struct
import wave
from collections.abc import Callable, Mapping
from functools import cache, partial

RATE_HZ = 22_050
"""The rate of espeak-ng's voices, in samples per second."""

SYNTHESIS_S = 0.05
"""The time that the program takes for a sentence, in seconds: a little more than espeak-ng on a Pi 4."""

LETTER_S = 0.06
LEVEL = 8_000
LOWEST_HZ = 200.0

FAULTS = {
    "missing": "The program for speech is not installed.",
    "hangs": "The program for speech does not answer.",
}


class VirtualSpeechProgram:
    """A virtual program for speech, of which `reboard.board.Devices.synthesize` is the firmware's side."""

    def __init__(self) -> None:
        self._faults: set[str] = set()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return the functions that begin and end the faults of `FAULTS`, keyed by name."""
        return {name: partial(self._misbehave, name) for name in FAULTS}

    async def synthesize(self, words: str, language: str) -> bytes:
        """Return *words* as a WAV file: a tone for each letter and digit, and a pause for all else."""
        if "missing" in self._faults:
            raise FileNotFoundError("espeak-ng")
        if "hangs" in self._faults:
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(SYNTHESIS_S)
        file = io.BytesIO()
        with wave.open(file, "wb") as wav:
            wav.setnchannels(1)
            wav.setsampwidth(2)
            wav.setframerate(RATE_HZ)
            wav.writeframes(b"".join(map(_tone, words)))
        return file.getvalue()

    def _misbehave(self, fault: str, on: bool) -> None:
        (self._faults.add if on else self._faults.discard)(fault)


@cache
def _tone(letter: str) -> bytes:
    count = int(LETTER_S * RATE_HZ)
    if not letter.isalnum():
        return bytes(2 * count)
    # whole periods, so that no letter begins with a click
    periods = round(LETTER_S * (LOWEST_HZ + 10 * (ord(letter) % 64)))
    return struct.pack(f"<{count}h", *(round(LEVEL * math.sin(math.tau * periods * i / count)) for i in range(count)))
