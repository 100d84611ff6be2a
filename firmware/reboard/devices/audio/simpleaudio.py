"""Sound through simpleaudio, which opens the device for each sound. It crashes Python 3.12 and newer."""

from __future__ import annotations

import queue
import sys
import threading

if sys.version_info >= (3, 12):
    raise ImportError("simpleaudio crashes Python 3.12 and newer at the end of each sound")

import simpleaudio

from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.devices.audio.streaming import CLOSING_S, no_sound

BLOCK_FRAMES = RATE_HZ // 10
LONGEST_BLOCKS = 50
"""The maximum number of blocks that are played in one piece (5 s). No single sound is that long."""


class OneShotSink:
    """A `Sink` that pulls each sound to its end and plays it in one piece.

    A change of volume therefore applies from the next sound on. Several sounds can play at the same time only if the
    device can be opened more than once. The sink detects a lost or returned device only when it plays the next sound.
    """

    def __init__(self) -> None:
        self._requests: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._cause: str | None = None

    @property
    def description(self) -> str:
        return "simpleaudio's default device"

    def start(self, pull: Pull, report: Report) -> None:
        self._pull, self._report = pull, report
        self._thread = threading.Thread(target=self._run, name="sound", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        self._requests.put(True)

    def close(self) -> None:
        self._requests.put(False)
        if self._thread:
            self._thread.join(CLOSING_S)
            self._thread = None
            simpleaudio.stop_all()

    def _run(self) -> None:
        while self._requests.get():
            blocks: list[bytes] = []
            while len(blocks) < LONGEST_BLOCKS and (block := self._pull(BLOCK_FRAMES)) is not None:
                blocks.append(block)
            if blocks:
                self._play(b"".join(blocks))

    def _play(self, samples: bytes) -> None:
        try:
            simpleaudio.play_buffer(samples, 1, SAMPLE_BYTES, RATE_HZ)
        except Exception as error:  # its errors have no common class
            if self._cause is None:
                self._cause = str(no_sound(self.description, error))
                self._report(self._cause)
            return
        if self._cause is not None:
            self._cause = None
            self._report(None)
