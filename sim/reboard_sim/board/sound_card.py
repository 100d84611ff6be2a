"""A virtual sound card. While sound plays, it pulls and keeps a block of 20 ms every 20 ms of the loop's clock."""

from __future__ import annotations

import asyncio
import wave
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from reboard.aiotools import Backoff
from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report

BLOCK_S = 0.02
BLOCK_SAMPLES = round(BLOCK_S * RATE_HZ)

KEEP_S = 60.0
"""The default length of the kept sound, in seconds. A minute takes 6 MB."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
"""The longest backoff between two searches for a missing card, in seconds, as in `reboard.board.Sink`."""

MISSING = "there is no sound card: plug one in, or set another `device` in [speaker]"


@dataclass(frozen=True)
class Recording:
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
        self._is_plugged = True
        self._is_open = False
        self._look_at = 0.0
        self._pauses = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self.on_block: list[Callable[[float, bytes], None]] = []

    @property
    def description(self) -> str:
        """The name of the sound card for users."""
        return "the virtual sound card"

    def start(self, pull: Pull, report: Report) -> None:
        """Open the card and wait for `wake`. *report* gets a fault, or ``None`` when the fault ends."""
        self._pull, self._report = pull, report
        self._is_open = True
        self._look()

    def wake(self) -> None:
        """Pull sound until there is none left. Safe to call from any thread."""
        if self._pull is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """Stop pulling sound. Can be called more than once."""
        self._pull = None
        self._is_awake = False
        if self._timer is not None:
            self._timer.cancel()

    def unplug(self) -> None:
        """Unplug the card. The firmware gets a report at the next block."""
        self._is_plugged = False

    def plug(self) -> None:
        """Plug the card in. The firmware finds the card at its next attempt while sound is playing."""
        self._is_plugged = True

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

    def recording(self, begin: float | None = None, until: float | None = None) -> Recording:
        """Return the sound from *begin* (by default the creation of the card) to *until* (by default now)."""
        begin = self._made_at if begin is None else max(begin, self._made_at)
        return Recording(begin, self._loop.time() if until is None else until, tuple(self._blocks))

    def write_wav(self, file: Path | str, until: float | None = None) -> None:
        """Write the sound from the creation of the card to *until* (by default now) as a WAV file."""
        with Path(file).open("wb") as raw:
            self.recording(until=until).write_wav(raw)

    def _wake(self) -> None:
        if self._pull is None or self._is_awake:
            return
        self._is_awake = True
        self._look_at = self._loop.time()
        self._take_block(self._loop.time())

    def _take_block(self, t: float) -> None:
        self._look()
        samples = self._pull(BLOCK_SAMPLES) if self._pull is not None else None
        if samples is None:
            self._is_awake = False
            return
        if self._is_open:
            self._keep(t, samples)
        self._timer = self._loop.call_at(t + BLOCK_S, self._take_block, t + BLOCK_S)

    def _look(self) -> None:
        # at once if the card was there, with backoff if it was missing
        now = self._loop.time()
        assert self._report is not None
        if self._is_open and not self._is_plugged:
            self._is_open = False
            self._pauses.reset()
            self._look_at = now + self._pauses.next()
            self._report(MISSING)
        elif not self._is_open and now >= self._look_at:
            self._is_open = self._is_plugged
            if self._is_open:
                self._report(None)
            else:
                self._look_at += self._pauses.next()

    def _keep(self, t: float, samples: bytes) -> None:
        if any(samples):
            self._blocks.append((t, samples))
        while self._blocks and self._blocks[0][0] < t - self.keep_s:
            self._blocks.popleft()
        for listener in tuple(self.on_block):
            listener(t, samples)
