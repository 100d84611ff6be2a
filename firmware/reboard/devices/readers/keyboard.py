"""USB readers that act as a keyboard: they type the tag of a card and press Enter."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterable
from functools import partial
from math import inf

from reboard.board import Devices, InputLine
from reboard.devices.readers.input_device import EV_KEY, EV_SYN, EVENT, NAMELESS
from reboard.devices.readers.presence import Tap
from reboard.devices.readers.reader import PortSlot
from reboard.devices.readers.reader_port import ReaderPort
from reboard.events import Emit, ignore_event

SYN_DROPPED = 3
"""The code of the event with which the kernel reports that it dropped events, because they were not read in time."""
PRESSED = 1
"""The value of the event for a pressed key. It is 0 for a released key, and 2 for the repetition of a held key."""

TOP_ROW = dict(zip(range(2, 12), "1234567890", strict=True))
KEYPAD = dict(zip((79, 80, 81, 75, 76, 77, 71, 72, 73, 82), "1234567890", strict=True))
LETTERS = dict(zip((30, 48, 46, 32, 18, 33), "ABCDEF", strict=True))
DIGITS = TOP_ROW | KEYPAD | LETTERS
SHIFTS = (42, 54)
"""The codes of the Shift keys, which readers press to type capital letters."""
ENTERS = (28, 96)

SHORTEST, LONGEST = 4, 20
"""The smallest and the largest number of digits in a tag."""

PAUSE_US = 500_000
"""The pause in µs after which input without Enter is dropped. Readers type a key every few milliseconds."""

CAUSES = {
    errno.ENOENT: "does not exist: plug the reader in, or correct `device` in the config",
    errno.EACCES: "cannot be opened, because permission is denied: add the user who runs reboard to the group "
    "input, then restart reboard",
    errno.EBUSY: "is in use by another program, which gets everything that is typed: stop that program",
    errno.ENOTTY: "is not an input device: use a file in /dev/input/by-id whose name ends in -event-kbd",
}
"""The cause and the remedy when an input device cannot be opened, keyed by error number."""

PARTIAL_LINE_S = 0.1
"""The time in seconds after opening during which keys can belong to a tag whose first keys were missed."""


class TypedTags:
    """A decoder that finds the tags in the kernel's input events: 4 to 20 hex digits and Enter, without a pause.

    Input with another key or with lost events is dropped, up to the next Enter or pause. Shift keys are ignored.
    """

    def __init__(self) -> None:
        self._line: str | None = ""  # None: to be dropped
        self._last_us: int | None = 0
        self.tags = 0
        self.lines_dropped = 0
        self.stray_bytes = 0

    @property
    def statistics(self) -> str:
        return f"{self.tags} tags, {self.lines_dropped} invalid lines"

    def feed(self, events: bytes) -> list[str]:
        """Return the tags (4 to 20 capital hex digits each) whose Enter is in *events*, in order."""
        whole = len(events) - len(events) % EVENT.size
        self.stray_bytes += len(events) - whole
        tags = []
        for seconds, microseconds, kind, code, value in EVENT.iter_unpack(events[:whole]):
            if kind == EV_SYN and code == SYN_DROPPED:
                self._check_pause(seconds, microseconds)
                self._line = None  # even if it was empty: its first keys may be among the lost events
            elif kind == EV_KEY and value == PRESSED:
                self._check_pause(seconds, microseconds)
                if tag := self._press(code):
                    tags.append(tag)
        self.tags += len(tags)
        return tags

    def events_lost(self) -> None:
        """Drop the input up to the next Enter or pause, because its first keys may have been lost."""
        self._line = self._last_us = None

    def _check_pause(self, seconds: int, microseconds: int) -> None:
        now_us = seconds * 1_000_000 + microseconds
        if self._last_us is not None and not 0 <= now_us - self._last_us < PAUSE_US:
            self._drop()
        self._last_us = now_us

    def _press(self, code: int) -> str | None:
        """Process a pressed key, and return the tag that it completes, or ``None`` if it completes no tag."""
        if code in ENTERS:
            line = self._line
            if line is not None and len(line) >= SHORTEST:
                self._line = ""
                return line
            self._drop()
        elif code in DIGITS:
            if self._line is not None:
                self._line = self._line + DIGITS[code] if len(self._line) < LONGEST else None
        elif code not in SHIFTS:
            self._line = None
        return None

    def _drop(self) -> None:
        self.lines_dropped += self._line != ""
        self._line = ""


class Keyboard(PortSlot[ReaderPort[InputLine]]):
    """A slot with a USB reader that types, on the input device *device*.

    `reboard.devices.readers.presence.Tap` detects removals. Once the device is open, the description includes the name
    that the kernel reports.
    """

    def __init__(self, device: str, *, board: Devices, emit: Emit = ignore_event, name: str) -> None:
        self._board = board
        self._loop = asyncio.get_running_loop()
        self._opened_at = -inf
        self._typed = TypedTags()
        super().__init__(
            NAMELESS,
            device,
            partial(ReaderPort, device, self._open, causes=CAUSES),
            decoder=self._typed,
            presence=Tap(),
            emit=emit,
            name=name,
        )

    def _open(self) -> InputLine:
        device = self._board.open_keyboard(self._path)
        self._model = device.name
        return device

    def _opened(self) -> None:
        self._opened_at = self._loop.time()
        super()._opened()

    def _tags_in(self, data: bytes) -> Iterable[str]:
        if self._loop.time() < self._opened_at + PARTIAL_LINE_S:
            self._typed.events_lost()
        return self._typed.feed(data)
