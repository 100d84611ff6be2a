"""A virtual sound card: takes 20 ms of sound every 20 ms of the loop's clock, and keeps what it was given."""

from __future__ import annotations

import asyncio
import wave
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.pauses import Pauses

BLOCK_S = 0.02
BLOCK_SAMPLES = round(BLOCK_S * RATE_HZ)

KEEP_S = 60.0
"""A minute of sound is 6 MB."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0
"""A card that is missing is looked for after 1, 2, 4 … 10 s, as a `reboard.board.Sink` does."""

MISSING = "there is no sound card: plug it in, or name another one in the config"


@dataclass(frozen=True)
class Recording:
    """Blocks of sound, each at its time, between two times; silence between them."""

    begin: float
    until: float
    blocks: Sequence[tuple[float, bytes]]

    def write_wav(self, file: BinaryIO) -> None:
        """Write it as a WAV file."""
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
    """A `reboard.board.Sink` that keeps each block it was given with its time in seconds of the loop's clock.

    It keeps the last *keep_s* seconds, and of them only what can be heard. *on_block* listeners get every block,
    ``(t, samples)``, silent ones too. Nothing is given to them while the card is unplugged.
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
        self._pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self.on_block: list[Callable[[float, bytes], None]] = []

    @property
    def description(self) -> str:
        """What this is."""
        return "the virtual sound card"

    def start(self, pull: Pull, report: Report) -> None:
        """Be ready."""
        self._pull, self._report = pull, report
        self._is_open = True
        self._look()

    def wake(self) -> None:
        """There is something to play. From any thread."""
        if self._pull is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def close(self) -> None:
        """Stop. May be called twice."""
        self._pull = None
        self._is_awake = False
        if self._timer is not None:
            self._timer.cancel()

    def unplug(self) -> None:
        """Pull the card out. It is missed at the next block that it should have played."""
        self._is_plugged = False

    def plug(self) -> None:
        """Put the card back. It is found when it is looked for next."""
        self._is_plugged = True

    def heard_between(self, begin: float, end: float) -> bool:
        """Whether any sample of *begin* ≤ t < *end* (seconds of the loop's clock) was not zero."""
        for t, samples in self._blocks:
            first = max(0, round((begin - t) * RATE_HZ))
            last = max(0, round((end - t) * RATE_HZ))
            if any(samples[first * SAMPLE_BYTES : last * SAMPLE_BYTES]):
                return True
        return False

    def blocks_after(self, t: float) -> list[tuple[float, bytes]]:
        """The blocks that are kept and began after *t*, the oldest first: only what can be heard."""
        latest = []
        for block in reversed(self._blocks):
            if block[0] <= t:
                break
            latest.append(block)
        return latest[::-1]

    def recording(self, begin: float | None = None, until: float | None = None) -> Recording:
        """What was heard from *begin* (the card's making) to *until* (now)."""
        begin = self._made_at if begin is None else max(begin, self._made_at)
        return Recording(begin, self._loop.time() if until is None else until, tuple(self._blocks))

    def write_wav(self, file: Path | str, until: float | None = None) -> None:
        """Write what was heard from the card's making to *until* (now) as a WAV file."""
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
        """See whether the card is there: at once when it was, with growing pauses when it was not."""
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
