"""A virtual card of ISO/IEC 14443-3 type A, on the level of bits, up to its selection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from reboard.devices.readers.iso14443 import ANY, CASCADE_TAG, SELECT, WAKE_UP, WHOLE, with_crc
from reboard_sim.devices.readers.virtual_reader import NoSuchCardError

Bits = tuple[int, ...]
"""Bits in the order in which they are sent: the lowest of each byte first."""

REQUEST = b"\x26"
"""The frame of seven bits that wakes the cards which were not halted (REQA)."""
HALT = with_crc(b"\x50\x00")

START_S = 0.005
"""The longest time that a card may take to start in a field, in seconds."""

ATQA = {4: b"\x04\x00", 7: b"\x44\x00", 10: b"\x84\x00"}
"""The answer to `REQUEST`, by the length of the UID in bytes."""
SAK = {4: 0x08, 7: 0x00, 10: 0x20}
"""The answer to a selection with the last part, by the length of the UID. Bit 2 says that another part follows."""


def uid_of(card: str) -> str:
    """Return the UID of *card* as hex digits: its last four bytes if it has ten digits, or else all of them.

    Raises `NoSuchCardError` if it has neither 10 nor 14 nor 20 digits.
    """
    if not re.fullmatch("([0-9A-Fa-f]{10}|[0-9A-Fa-f]{14}|[0-9A-Fa-f]{20})", card):
        raise NoSuchCardError(f"{card!r} is not an NFC card: use 10, 14 or 20 hex digits")
    return (card[-8:] if len(card) == 10 else card).upper()


def bits_of(data: bytes) -> Bits:
    """Return the bits of *data*."""
    return tuple(byte >> bit & 1 for byte in data for bit in range(8))


def bytes_of(bits: Sequence[int]) -> bytes:
    """Return *bits* as bytes. Missing bits of the last one are 0."""
    return bytes(sum(bit << place for place, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))


def parts_of(uid: bytes) -> list[bytes]:
    """Return the parts of *uid*, each of four bytes, with their check bytes."""
    fours = [bytes([CASCADE_TAG]) + uid[at : at + 3] for at in range(0, len(uid) - 4, 3)] + [uid[-4:]]
    return [four + bytes([four[0] ^ four[1] ^ four[2] ^ four[3]]) for four in fours]


class NfcCard:
    """A card with a *uid* of 4, 7 or 10 bytes, which answers *start_s* seconds after it came into a field."""

    def __init__(self, uid: bytes, start_s: float = START_S) -> None:
        self.uid = uid
        self._parts = parts_of(uid)
        self._start_s = start_s
        self._ready_at: float | None = None
        self.leave()

    def leave(self) -> None:
        """Lose the field, and with it everything that was said."""
        self._ready_at = None
        self._state: Literal["idle", "ready", "active", "halted"] = "idle"
        self._before: Literal["idle", "halted"] = "idle"
        self._known = 0

    def answer(self, frame: Bits, now: float) -> Bits:
        """Return the answer to *frame* at *now* seconds, or no bits."""
        if self._ready_at is None or now < self._ready_at:
            return ()
        answer = self._answered(frame)
        if not answer and self._state in ("ready", "active"):
            self._state = self._before
        return bits_of(answer) if isinstance(answer, bytes) else answer

    def enter(self, now: float) -> None:
        """Come into a field at *now* seconds, unless the card is in one."""
        if self._ready_at is None:
            self._ready_at = now + self._start_s

    def _answered(self, frame: Bits) -> bytes | Bits:
        data = bytes_of(frame)
        if len(frame) == 7:
            if self._state == "idle" or (self._state == "halted" and data == WAKE_UP):
                self._before, self._state, self._known = self._state, "ready", 0
                return ATQA[len(self.uid)]
            return b""
        if self._state == "active" and data == HALT:
            self._state = self._before = "halted"
            return b""
        if self._state != "ready" or len(data) < 2 or data[0] != SELECT[self._known]:
            return b""
        if data[1] == WHOLE:
            return self._selected(data)
        # the second byte counts the bytes and bits of the frame, which ends with the known bits of the part
        known = (data[1] >> 4) * 8 + (data[1] & 7) - 16
        part = bits_of(self._parts[self._known])
        is_mine = data[1] >= ANY and len(frame) == 16 + known and frame[16:] == part[:known]
        return part[known:] if is_mine else b""

    def _selected(self, data: bytes) -> bytes:
        if data != with_crc(data[:2] + self._parts[self._known]):
            return b""
        self._known += 1
        if self._known < len(self._parts):
            return with_crc(b"\x04")
        self._state = "active"
        return with_crc(bytes([SAK[len(self.uid)]]))
