"""simpleaudio: opens the device for each sound. Kept for whoever has it: Python 3.11, and a device that mixes."""

from __future__ import annotations

import queue
import sys
import threading

if sys.version_info >= (3, 12):
    raise ImportError("simpleaudio crashes Python 3.12 and newer at the end of each sound")

import simpleaudio

from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.parts.sinks.streaming import CLOSING_S, gone

BLOCK_FRAMES = RATE_HZ // 10
LONGEST_BLOCKS = 50
"""5 s: no sound is longer, so what is pulled then is a sound that was started meanwhile."""


class OneShotSink:
    """A `Sink` that pulls a sound to its end and hands it over in one piece.

    So a change of volume is heard from the next sound on, sounds at once need a device that can be opened more than
    once, and a device that is pulled out is noticed at the next sound, which also looks for it again.
    """

    def __init__(self) -> None:
        self._wanted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._cause: str | None = None

    @property
    def description(self) -> str:
        """The library; it knows the default device only."""
        return "simpleaudio's default device"

    def start(self, pull: Pull, report: Report) -> None:
        """Begin to wait for a sound."""
        self._pull, self._report = pull, report
        self._thread = threading.Thread(target=self._run, name="sound", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There is something to play."""
        self._wanted.put(True)

    def close(self) -> None:
        """Stop what plays."""
        self._wanted.put(False)
        if self._thread:
            self._thread.join(CLOSING_S)
            self._thread = None
            simpleaudio.stop_all()

    def _run(self) -> None:
        while self._wanted.get():
            blocks: list[bytes] = []
            while len(blocks) < LONGEST_BLOCKS and (block := self._pull(BLOCK_FRAMES)) is not None:
                blocks.append(block)
            if blocks:
                self._play(b"".join(blocks))

    def _play(self, samples: bytes) -> None:
        try:
            simpleaudio.play_buffer(samples, 1, SAMPLE_BYTES, RATE_HZ)
        except Exception as error:  # its errors have no common class of their own
            if self._cause is None:
                self._cause = str(gone(self.description, error))
                self._report(self._cause)
            return
        if self._cause is not None:
            self._cause = None
            self._report(None)
