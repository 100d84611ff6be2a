"""The table's voice, which says sentences through the speaker.

A program turns the words into samples. The voice is loaded only if ``[speaker]`` has ``voice``.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from reboard.board import RATE_HZ, SAMPLE_BYTES, Board
from reboard.events import Emit, FaultState
from reboard.languages import translatable
from reboard.sounds.recorded_words import RecordedWords
from reboard.sounds.wav_file import audioop, read_format

VOICE = "voice"
"""The name of the voice in faults."""

JOIN_S = 0.1
"""The time in which several sentences become one utterance, in seconds. The sound of their act begins first."""

PAUSE_S = 0.1
"""The silence between a sound, or an utterance, and the next utterance, in seconds."""

MOST_SENTENCES = 4
"""The maximum number of sentences in an utterance. Only the latest ones are said."""

MOST_CHARACTERS = 300
LONGEST_S = 15.0
"""The maximum length of an utterance, in characters and in seconds."""

LONGEST_SYNTHESIS_S = 4.0
"""The time in seconds after which the program counts as hanging."""

PIECE_BYTES = 8192
"""The samples that are converted at once: 0.2 s. A whole utterance at once would delay a press by up to 100 ms."""

Sentence = Callable[[], str]
"""A function that returns a sentence, or ``""``, when it is about to be said."""


class Output(Protocol):
    """The part of the speaker that the voice uses."""

    @property
    def busy_until(self) -> float:
        """The time of the event loop at which the last sound ends."""

    def speak(self, words: str, samples: bytes) -> None:
        """Start to play the s16le *samples* of *words*."""


class Voice:
    """A voice that speaks *language* with a *board*, through *output*.

    `say` returns at once. One utterance is spoken and at most one waits: a newer one replaces it. An utterance waits
    for the sounds that are playing, and nothing waits for an utterance. If a sentence cannot be spoken, there is a
    fault until the next one that can.
    """

    def __init__(self, board: Board, language: str, output: Output, recorded: RecordedWords, emit: Emit) -> None:
        self.language = language
        self._board = board
        self._output = output
        self._recorded = recorded
        self._fault = FaultState(VOICE, emit)
        self._waiting: list[Sentence] = []
        self._began = 0.0
        self._is_needed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._run(), name=VOICE)

    def say(self, sentence: Sentence) -> None:
        """Say *sentence*, together with those of the last `JOIN_S` seconds, and instead of an older one that waits."""
        now = self._loop.time()
        if not self._waiting or now > self._began + JOIN_S:
            self._waiting, self._began = [], now
        self._waiting = [*self._waiting, sentence][-MOST_SENTENCES:]
        self._is_needed.set()

    def close(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        await self._synthesized("")  # to report a missing program at once, and to have it in memory
        while True:
            await self._is_needed.wait()
            await asyncio.sleep(max(0.0, self._began + JOIN_S - self._loop.time()))
            sentences, self._waiting = self._waiting, []
            self._is_needed.clear()
            words = " ".join(filter(None, (sentence() for sentence in sentences)))[:MOST_CHARACTERS]
            samples = await self._spoken(words)
            if samples and await self._is_still_new():
                self._output.speak(words, samples)
                await asyncio.sleep(len(samples) / SAMPLE_BYTES / RATE_HZ + PAUSE_S)

    async def _is_still_new(self) -> bool:
        """Wait until no sound is playing, and return whether no newer sentence came meanwhile."""
        while not self._waiting:
            rest_s = self._output.busy_until - self._loop.time()
            if rest_s <= 0:
                return True
            await asyncio.sleep(rest_s + PAUSE_S)
        return False

    async def _spoken(self, words: str) -> bytes:
        """Return the samples of *words*, or nothing if they cannot be spoken."""
        spoken = bytearray()
        for piece in self._recorded.pieces(words):
            samples = piece if isinstance(piece, bytes) else await self._synthesized(piece)
            if samples is None:
                return b""
            spoken += samples
        return bytes(spoken[: int(LONGEST_S * RATE_HZ) * SAMPLE_BYTES])

    async def _synthesized(self, words: str) -> bytes | None:
        """Return the samples of *words*, or ``None`` if there is a fault."""
        try:
            async with asyncio.timeout(LONGEST_SYNTHESIS_S):
                wav = await self._board.synthesize(words, self.language)
            samples = b"".join([piece async for piece in _converted(wav)]) if words else b""
        except FileNotFoundError:
            self._fault.set(
                translatable(
                    "the table cannot speak, because espeak-ng is not installed: run `sudo apt install espeak-ng`, or "
                    "remove `voice` from [speaker]"
                )
            )
        except TimeoutError:
            self._fault.set(
                translatable(
                    "the table cannot speak, because espeak-ng does not answer: restart the machine, or remove `voice` "
                    "from [speaker]"
                )
            )
        except (OSError, ValueError) as error:
            self._fault.set(
                translatable(
                    f"the table cannot speak, because espeak-ng fails ({error}): run `sudo apt install --reinstall "
                    "espeak-ng espeak-ng-data`, or remove `voice` from [speaker]"
                )
            )
        else:
            self._fault.set(None)
            return samples
        return None


async def _converted(wav: bytes) -> AsyncIterator[bytes]:
    """Yield the samples of the speech program's file in the format of the mixer, and let the loop run in between."""
    file = io.BytesIO(wav)
    kind, _ = read_format(file)
    if kind.channels != 1 or kind.width != SAMPLE_BYTES:
        raise ValueError("it has written a WAV file in another format")
    state = None
    while piece := file.read(PIECE_BYTES):
        samples, state = audioop.ratecv(
            piece[: len(piece) // SAMPLE_BYTES * SAMPLE_BYTES], SAMPLE_BYTES, 1, kind.rate_hz, RATE_HZ, state
        )
        yield samples
        await asyncio.sleep(0)
