"""USB readers that act as a keyboard: they type the tag of a card and press Enter."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from math import inf
from typing import Annotated

from reboard.board import Devices, InputLine
from reboard.config.pins_and_ports import input_device
from reboard.devices.readers.input_device import EV_KEY, EV_SYN, EVENT, NAMELESS
from reboard.devices.readers.presence import Tap
from reboard.devices.readers.reader import CardType, PortSlot
from reboard.devices.readers.reader_kind import InputReader, SlotConfig
from reboard.devices.readers.reader_port import ReaderPort
from reboard.events import Emit
from reboard.languages import translatable

SYN_DROPPED = 3
"""The code of the event with which the kernel reports that it dropped events, because they were not read in time."""
PRESSED = 1
"""The value of the event for a pressed key. It is 0 for a released key, and 2 for the repetition of a held key."""

TOP_ROW = dict(zip(range(2, 12), "1234567890", strict=True))
KEYPAD = dict(zip((79, 80, 81, 75, 76, 77, 71, 72, 73, 82), "1234567890", strict=True))
LETTERS = dict(zip((30, 48, 46, 32, 18, 33), "ABCDEF", strict=True))
DIGITS = TOP_ROW | KEYPAD | LETTERS
SHIFTS = (42, 54, 58, 69, 70)
"""The codes of the Shift keys, Caps Lock, Num Lock and Scroll Lock. Readers press them to type digits and capitals."""
ENTERS = (28, 96, 15)
"""The codes of the keys that end a tag: Enter, Enter on the keypad, and Tab."""
OTHERS = {12: "-", 51: ",", 52: ".", 53: "/", 57: " ", 39: ";"}
"""Other keys that readers type, for messages."""

CARDS = CardType(
    "electronic cards", re.compile("[0-9A-F]{4,20}"), "what the reader types: 4 to 20 digits", depends_on_maker=True
)

SHORTEST, LONGEST = 4, 20
"""The smallest and the largest number of digits in a tag."""

PAUSE_US = 500_000
"""The pause in µs that ends a tag, because some readers type no Enter. Readers type a key every few milliseconds."""

WHOLE = 8
"""The smallest number of digits of a reader's first tag that ends with a pause. Readers type at least 8."""

CAUSES = {
    errno.ENOENT: translatable("does not exist: plug the reader in, or correct `device` in the config"),
    errno.EACCES: translatable(
        "cannot be opened, because permission is denied: `sudo reboard doctor` says which group or file is wrong"
    ),
    errno.EBUSY: translatable("is in use by another program, which gets everything that is typed: stop that program"),
    errno.ENOTTY: translatable("is not an input device: use a file in /dev/input/by-id whose name ends in -event-kbd"),
}
"""The cause and the remedy when an input device cannot be opened, keyed by error number."""

PARTIAL_LINE_S = 0.1
"""The time in seconds after opening during which keys can belong to a tag whose first keys were missed."""


class TypedTags:
    """A decoder that finds the tags in the kernel's input events: 4 to 20 hex digits, and Enter or Tab.

    A tag can also end with a pause if it is as long as the tag before, because the last digits of a shorter one may be
    lost. Input with another key or with lost events is dropped, up to the next Enter or pause. Lock keys are ignored.
    """

    def __init__(self) -> None:
        self._line = ""
        self._is_spoiled = False
        self._length = 0
        self._last_us: int | None = 0
        self.frames = 0
        self.dropped = 0
        self.dropped_line = ""
        self.stray_bytes = 0

    def feed(self, events: bytes) -> list[str]:
        """Return the tags (4 to 20 capital hex digits each) whose end is in *events*, in order."""
        whole = len(events) - len(events) % EVENT.size
        self.stray_bytes += len(events) - whole
        tags = []
        for seconds, microseconds, kind, code, value in EVENT.iter_unpack(events[:whole]):
            if kind == EV_SYN and code == SYN_DROPPED:
                tags += self._check_pause(seconds, microseconds)
                self._is_spoiled = True  # even if the line is empty: its first keys may be among the lost events
            elif kind == EV_KEY and value == PRESSED:
                tags += self._check_pause(seconds, microseconds)
                tags += self._press(code)
        return tags

    def pause(self) -> list[str]:
        """End the line because of a pause. Return its tag, if it has one."""
        has_no_length = not self._length and len(self._line) >= WHOLE
        return self._end(is_whole=has_no_length or len(self._line) == self._length)

    def forget(self) -> None:
        """Drop an incomplete line."""
        self._line, self._is_spoiled = "", False

    def events_lost(self) -> None:
        """Drop the input up to the next Enter or pause, because its first keys may have been lost."""
        self._is_spoiled = True
        self._last_us = None

    def _check_pause(self, seconds: int, microseconds: int) -> list[str]:
        before_us, self._last_us = self._last_us, seconds * 1_000_000 + microseconds
        if before_us is None or 0 <= self._last_us - before_us < PAUSE_US:
            return []
        return self.pause()

    def _press(self, code: int) -> list[str]:
        """Process a pressed key, and return the tag that it completes, if it does."""
        if code in ENTERS:
            return self._end(is_whole=True)
        if code not in SHIFTS:
            self._line = (self._line + (DIGITS.get(code) or OTHERS.get(code, "?")))[: LONGEST + 1]
            self._is_spoiled |= code not in DIGITS
        return []

    def _end(self, *, is_whole: bool) -> list[str]:
        line, self._line = self._line, ""
        is_spoiled, self._is_spoiled = self._is_spoiled, False
        if is_whole and not is_spoiled and SHORTEST <= len(line) <= LONGEST:
            self._length = len(line)
            self.frames += 1
            return [line]
        if line.strip("?"):  # not a single other key, such as an arrow after Enter
            self.dropped += 1
            self.dropped_line = line
        return []


class KeyboardConfig(SlotConfig):
    """The config of a USB reader that types."""

    device: Annotated[
        str, input_device, "for `keyboard`: the slot's own input device, best `/dev/input/by-id/…-event-kbd`"
    ]


class Keyboard(PortSlot[ReaderPort[InputLine]]):
    """A slot with a USB reader that types, on an input device.

    Once the device is open, the description includes the name that the kernel reports.
    """

    def __init__(self, config: KeyboardConfig, name: str, board: Devices, emit: Emit) -> None:
        self._opened_at = -inf
        self._typed = TypedTags()

        def open_port() -> InputLine:
            device = board.open_keyboard(config.device)
            self._model = device.name
            return device

        port = ReaderPort(config.device, open_port, board, CAUSES)
        super().__init__(NAMELESS, port, self._typed, Tap(), emit, name)

    def opened(self) -> None:
        self._opened_at = self._loop.time()
        super().opened()

    def lost(self, cause: str) -> None:
        self._typed.forget()
        super().lost(cause)

    def _tags_in(self, data: bytes) -> Iterable[str]:
        if not data:
            return self._typed.pause()
        if self._loop.time() < self._opened_at + PARTIAL_LINE_S:
            self._typed.events_lost()
        self._call_later(PAUSE_US / 1_000_000, self.received, b"")
        return self._typed.feed(data)

    def taken(self) -> None:
        """Do nothing: the device is grabbed, so that no other program gets its events."""

    def _what_it_sends(self) -> str:
        line = self._typed.dropped_line
        return f'but "{line}": set it to type only the digits 0 to 9 and A to F, and Enter'


class KeyboardKind(InputReader[KeyboardConfig]):
    """The kind of USB readers that type."""

    name = "keyboard"
    title = "USB reader that types"
    order = 40
    cards = CARDS
    config = KeyboardConfig

    def open(self, config: KeyboardConfig, name: str, board: Devices, emit: Emit) -> Keyboard:
        return Keyboard(config, name, board, emit)


KIND = KeyboardKind()
