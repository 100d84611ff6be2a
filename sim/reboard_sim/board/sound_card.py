"""A virtual sound card. While sound plays, it pulls and keeps a block of 20 ms every 20 ms of the loop's clock."""

from __future__ import annotations

import asyncio
import wave
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import BinaryIO

from reboard.aiotools import Backoff
from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.devices.audio.streaming import HANGING_S, HangingError

BLOCK_S = 0.02
BLOCK_SAMPLES = round(BLOCK_S * RATE_HZ)

KEEP_S = 60.0
"""The default length of the kept sound, in seconds. A minute takes 6 MB."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
"""The longest backoff between two searches for a missing card, in seconds, as in `reboard.board.Sink`."""

LATE_S = 3.0
"""The time that the card takes to open with the fault ``late``, in seconds."""

SWALLOWED_S = 1.0
"""The length of the silence with which the fault ``swallows`` begins whenever the card wakes, in seconds."""

FAULTS = {
    "unplugged": "The sound card is unplugged.",
    "hangs": "The sound card does not answer.",
    "late": f"The sound card takes {LATE_S:g} s to open.",
    "swallows": "The sound card swallows the first second after each silence.",
}

MISSING = "there is no sound card: plug one in, or set another `device` in [speaker]"


@dataclass(frozen=True)
class SoundRecording:
    """A recording of the sound from *begin* to *until*, in seconds. Gaps between its *blocks* are silence."""

    begin: float
    until: float
    blocks: Sequence[tuple[float, bytes]]

    def write_wav(self, file: BinaryIO) -> None:
        """Write the recording as a mono WAV file."""
        with wave.open(file, "wb") as wav:
            wav.setnchannels(1)
            wav.setsampwidth(SAMPLE_BYTES)
            wav.setframerate(RATE_HZ)
            for samples in self._samples():
                wav.writeframesraw(samples)

    def _samples(self) -> Iterator[bytes]:
        end = self._place_of(self.until)
        written = 0
        for t, samples in (*self.blocks, (self.until, b"")):
            place = self._place_of(t)
            while (silence := min(place, end) - written) > 0:
                yield bytes(min(silence, RATE_HZ) * SAMPLE_BYTES)
                written += min(silence, RATE_HZ)
            heard = samples[max(0, -place) * SAMPLE_BYTES :][: (end - written) * SAMPLE_BYTES]
            yield heard
            written += len(heard) // SAMPLE_BYTES

    def _place_of(self, t: float) -> int:
        return round((t - self.begin) * RATE_HZ)


class VirtualSoundCard:
    """A virtual `reboard.board.Sink` that keeps the audible blocks of the last *keep_s* seconds with their times.

    While the card is open, the listeners in `on_block` get the time and the samples of every block, even if it is
    silent.
    """

    def __init__(self, *, keep_s: float = KEEP_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._made_at = self._loop.time()
        self.keep_s = keep_s
        self._blocks: deque[tuple[float, bytes]] = deque()
        self._pull: Pull | None = None
        self._report: Report | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_awake = False
        self.keep_awake = False
        """Whether the firmware plays silence between sounds."""
        self._faults: set[str] = set()
        self._is_open = False
        self._answer: asyncio.TimerHandle | None = None
        """The timer while the firmware waits for the card to open or, if the card hangs, to take samples."""
        self._cause: str | None = ""
        """The reported fault, ``None`` if the card works, and ``""`` before the first report."""
        self._woken_at = -inf
        self._look_at = 0.0
        self._pauses = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self.on_block: list[Callable[[float, bytes], None]] = []

    @property
    def description(self) -> str:
        return "the virtual sound card"

    def start(self, pull: Pull, report: Report) -> None:
        self._pull, self._report = pull, report
        self._cause, self._is_open = "", False
        self._look_at = self._loop.time()
        self._open()

    def wake(self) -> None:
        if self._pull is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        self._pull = None
        self._is_awake = False
        for timer in (self._timer, self._answer):
            if timer is not None:
                timer.cancel()
        self._answer = None

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        """Return the functions that begin and end the faults of `FAULTS`, keyed by name.

        The firmware notices a fault at the next block, and its end at its next attempt while sound is playing.
        """
        return {name: partial(self._misbehave, name) for name in FAULTS}

    def heard_between(self, begin: float, end: float) -> bool:
        """Return whether a kept sample from *begin* to *end* (seconds of the loop's clock) is nonzero."""
        for t, samples in self._blocks:
            first = max(0, round((begin - t) * RATE_HZ))
            last = max(0, round((end - t) * RATE_HZ))
            if any(samples[first * SAMPLE_BYTES : last * SAMPLE_BYTES]):
                return True
        return False

    def blocks_after(self, t: float) -> list[tuple[float, bytes]]:
        """Return the kept audible blocks that began after *t*, oldest first."""
        latest = []
        for block in reversed(self._blocks):
            if block[0] <= t:
                break
            latest.append(block)
        return latest[::-1]

    def recording(self, begin: float | None = None, until: float | None = None) -> SoundRecording:
        """Return the sound from *begin* (by default the creation of the card) to *until* (by default now)."""
        begin = self._made_at if begin is None else max(begin, self._made_at)
        return SoundRecording(begin, self._loop.time() if until is None else until, tuple(self._blocks))

    def write_wav(self, file: Path | str, until: float | None = None) -> None:
        """Write the sound from the creation of the card to *until* (by default now) as a WAV file."""
        with Path(file).open("wb") as raw:
            self.recording(until=until).write_wav(raw)

    def _misbehave(self, fault: str, on: bool) -> None:
        (self._faults.add if on else self._faults.discard)(fault)
        if fault == "hangs" and not on and self._answer is not None:
            self._answer.cancel()
            self._answered()

    def _wake(self) -> None:
        if self._pull is None or self._is_awake:
            return
        self._is_awake = True
        now = self._loop.time()
        self._look_at = now
        if not self.keep_awake:
            self._woken_at = now
        self._take_block(now)

    def _take_block(self, t: float) -> None:
        self._look(t)
        samples = self._pull(BLOCK_SAMPLES) if self._pull is not None else None
        if samples is None:
            self._is_awake = False
            return
        if self._is_open and self._answer is None:
            is_swallowed = "swallows" in self._faults and t < self._woken_at + SWALLOWED_S
            self._keep(t, bytes(len(samples)) if is_swallowed else samples)
        self._timer = self._loop.call_at(t + BLOCK_S, self._take_block, t + BLOCK_S)

    def _look(self, now: float) -> None:
        # at once if the card was there, with backoff if it was missing
        if self._answer is not None:
            return
        if not self._is_open:
            if now >= self._look_at:
                self._open()
        elif "unplugged" in self._faults:
            self._lose(MISSING)
        elif "hangs" in self._faults:
            self._answer = self._loop.call_later(HANGING_S, self._answered)

    def _open(self) -> None:
        delay_s = HANGING_S if "hangs" in self._faults else LATE_S if "late" in self._faults else 0.0
        if delay_s:
            self._answer = self._loop.call_later(delay_s, self._answered)
        else:
            self._answered()

    def _answered(self) -> None:
        self._answer = None
        if "hangs" in self._faults:
            self._lose(str(HangingError(self.description)))
        elif "unplugged" in self._faults:
            self._lose(MISSING)
        else:
            if not self._is_open:
                self._is_open = True
                self._woken_at = self._loop.time()
            self._report_once(None)

    def _lose(self, cause: str) -> None:
        if self._is_open:
            self._is_open = False
            self._pauses.reset()
            self._look_at = self._loop.time()
        self._look_at += self._pauses.next()
        self._report_once(cause)

    def _report_once(self, cause: str | None) -> None:
        assert self._report is not None
        if self._cause == "" or (cause is None) != (self._cause is None):
            self._cause = cause
            self._report(cause)

    def _keep(self, t: float, samples: bytes) -> None:
        if any(samples):
            self._blocks.append((t, samples))
        while self._blocks and self._blocks[0][0] < t - self.keep_s:
            self._blocks.popleft()
        for listener in tuple(self.on_block):
            listener(t, samples)
