"""USB readers that type: to a computer they are keyboards, which type a card's number and press Enter."""

from __future__ import annotations

import asyncio
import errno
from functools import partial
from math import inf
from typing import Literal

from reboard.board import Devices, InputLine
from reboard.events import Emit, to_nobody
from reboard.parts.slots.input_device import EV_KEY, EV_SYN, EVENT, NAMELESS
from reboard.parts.slots.line_slot import LineSlot
from reboard.parts.slots.tap import Tap
from reboard.parts.slots.watched_line import WatchedLine

SYN_DROPPED = 3
"""The kernel has thrown events away, because nobody fetched them in time."""
PRESSED = 1
"""An event's value; 0 is a key that goes up, and 2 one that is held and repeats."""

TOP_ROW = dict(zip(range(2, 12), "1234567890", strict=True))
KEYPAD = dict(zip((79, 80, 81, 75, 76, 77, 71, 72, 73, 82), "1234567890", strict=True))
LETTERS = dict(zip((30, 48, 46, 32, 18, 33), "ABCDEF", strict=True))
DIGITS = TOP_ROW | KEYPAD | LETTERS
SHIFTS = (42, 54)
"""Pressed by readers that type capital letters, and told by no digit."""
ENTERS = (28, 96)

SHORTEST, LONGEST = 4, 20
"""Digits of a tag: what a slot may tell."""

PAUSE_US = 500_000
"""So many microseconds between two keys are a pause: readers type a key every few milliseconds."""

CAUSES = {
    errno.ENOENT: "is not there: plug the reader in, or correct its device in the config",
    errno.EACCES: "may not be opened: add the user that runs reboard to the group input",
    errno.EBUSY: "is taken by another program, which hears all that is typed: end that one",
    errno.ENOTTY: "is no input device: name one of those in /dev/input/by-id that end in -event-kbd",
}
"""What is said of a device that cannot be opened."""

MIDDLE_S = 0.1
"""A first key that comes sooner after a reader was opened may stand in the middle of a line: readers type faster."""


class TypedTags:
    """Finds the tags in what a reader types, and nothing in anything else: 4 to 20 hex digits and Enter, in one go.

    What it is fed are the kernel's input events. A line with another key in it, or with events that the kernel lost,
    is dropped up to its Enter or the next pause. Holds one line; the counters tell a person what was typed in vain.
    """

    def __init__(self) -> None:
        self._line: str | None = ""  # None: spoilt
        self._last_us: int | None = 0
        self.tags = 0
        self.lines_dropped = 0
        self.stray_bytes = 0

    @property
    def health(self) -> str:
        """The counters, in words."""
        return f"{self.tags} tags, {self.lines_dropped} lines that were none"

    def feed(self, events: bytes) -> list[str]:
        """The tags (4 to 20 capital hex digits each) whose Enter is in *events*, in order."""
        whole = len(events) - len(events) % EVENT.size
        self.stray_bytes += len(events) - whole
        tags = []
        for seconds, microseconds, kind, code, value in EVENT.iter_unpack(events[:whole]):
            if kind == EV_SYN and code == SYN_DROPPED:
                self._after_a_pause(seconds, microseconds)
                self._line = None  # also when none was begun: its first keys may be among those that are lost
            elif kind == EV_KEY and value == PRESSED:
                self._after_a_pause(seconds, microseconds)
                if tag := self._press(code):
                    tags.append(tag)
        self.tags += len(tags)
        return tags

    def missed_some(self) -> None:
        """Keys may have been typed that were not told: what comes next may be the rest of a line, and is dropped."""
        self._line = self._last_us = None

    def _after_a_pause(self, seconds: int, microseconds: int) -> None:
        """Begin anew when the last key was long ago, or is said to be still to come."""
        now_us = seconds * 1_000_000 + microseconds
        if self._last_us is not None and not 0 <= now_us - self._last_us < PAUSE_US:
            self._drop()
        self._last_us = now_us

    def _press(self, code: int) -> str | None:
        """One key; what is returned is the tag that it ends."""
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


class Keyboard(LineSlot[WatchedLine[InputLine]]):
    """A slot read by a reader that types, the input device *device*.

    A card is in from one tap to the next, or until it is done; a reader that goes away takes its card along. Its
    description has its maker's name for it, once it was opened.
    """

    def __init__(self, device: str, *, board: Devices, emit: Emit = to_nobody, name: Literal["left", "right"]) -> None:
        self._board = board
        self._loop = asyncio.get_running_loop()
        self._opened_at = -inf
        self._typed = TypedTags()
        super().__init__(
            NAMELESS,
            device,
            partial(WatchedLine, device, self._open, causes=CAUSES),
            tags_in=self._tags_typed_in,
            counts=self._typed,
            stay=Tap(),
            emit=emit,
            name=name,
        )

    def _open(self) -> InputLine:
        line = self._board.open_keyboard(self._place)
        self._model = line.name
        return line

    def _opened(self) -> None:
        self._opened_at = self._loop.time()
        super()._opened()

    def _tags_typed_in(self, events: bytes) -> list[str]:
        if self._loop.time() < self._opened_at + MIDDLE_S:
            self._typed.missed_some()
        return self._typed.feed(events)
