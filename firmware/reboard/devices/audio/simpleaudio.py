"""Sound through simpleaudio, which opens the device for each sound. Only simpleaudio-patched plays on Python 3.12."""

from __future__ import annotations

import queue
import sys
import threading
import time
from importlib.metadata import PackageNotFoundError, version

from reboard.aiotools import Backoff
from reboard.board import RATE_HZ, SAMPLE_BYTES, Pull, Report
from reboard.devices.audio.alsa import hangs
from reboard.devices.audio.streaming import CLOSING_S, FIRST_PAUSE_S, LONGEST_PAUSE_S, HangingError, no_sound
from reboard.errors import DeviceError

PATCHED = "simpleaudio-patched"
INSTALL = (
    f"install the Python package {PATCHED}. It has to be compiled: on a Pi, `sudo apt install gcc python3-dev "
    f"libasound2-dev python3-pip`, then `sudo pip install --break-system-packages {PATCHED}`"
)
try:
    import simpleaudio

    # 1.0.4, the last one with the original name, crashes at the end of each sound: hamiltron/py-simple-audio#72
    if sys.version_info >= (3, 12):
        version(PATCHED)
except PackageNotFoundError:
    raise ImportError(
        f"simpleaudio crashes Python 3.12 and newer at the end of each sound: uninstall it, and {INSTALL}"
    ) from None
except ModuleNotFoundError:
    raise ImportError(f"it is not installed: {INSTALL}") from None

BLOCK_FRAMES = RATE_HZ // 10
LONGEST_BLOCKS = 50
"""The maximum number of blocks that are played in one piece (5 s). No single sound is that long."""

TRY = "import simpleaudio; simpleaudio.play_buffer(bytes(960), 1, 2, 48000).wait_done()"


class OneShotSink:
    """A `Sink` that pulls each sound to its end and plays it in one piece, on the default device.

    A change of volume therefore applies from the next sound on. Several sounds can play at the same time only if the
    device can be opened more than once. The sink detects a lost or returned device only when it plays the next sound.
    Raises `DeviceError` if *device* is another one than the default device.
    """

    def __init__(self, device: str | None) -> None:
        if device not in (None, "default"):
            raise DeviceError(
                "it plays on the default device only. Remove `device` from [speaker], or choose alsa or aplay as "
                "`library`"
            )
        self._requests: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._cause: str | None = ""
        """The reported fault, ``None`` if sound works, and ``""`` before the first report."""
        self._backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        self._retry_at = 0.0

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
        self._play(bytes(960))
        while self._requests.get():
            blocks: list[bytes] = []
            while len(blocks) < LONGEST_BLOCKS and (block := self._pull(BLOCK_FRAMES)) is not None:
                blocks.append(block)
            if blocks and time.monotonic() >= self._retry_at:
                self._play(b"".join(blocks))

    def _play(self, samples: bytes) -> None:
        try:
            # the library keeps the interpreter while it opens the device: a driver that hangs would stop the table
            if self._cause is not None and hangs(TRY):
                raise HangingError(self.description)
            simpleaudio.play_buffer(samples, 1, SAMPLE_BYTES, RATE_HZ)
        except Exception as error:  # its errors have no common class
            self._retry_at = time.monotonic() + self._backoff.next()
            if not self._cause:
                self._cause = str(error if isinstance(error, DeviceError) else no_sound(self.description, error))
                self._report(self._cause)
            return
        if self._cause is not None:
            self._cause = None
            self._backoff.reset()
            self._report(None)
