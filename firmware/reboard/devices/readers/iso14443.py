"""Cards of ISO/IEC 14443-3 type A (13.56 MHz, NFC): their UIDs, and the frames that ask for one."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from reboard.devices.readers.reader import CardType

CARDS = CardType(
    "13.56 MHz cards (NFC)", re.compile("[0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20}"), "8, 14 or 20 hex digits, as 5CBBE5D5"
)

UID_BYTES = (4, 7, 10)
CASCADE_TAG = 0x88
"""The byte before a part of a UID of 7 or 10 bytes that more parts follow."""

NO_UID = (0x08, CASCADE_TAG)
"""The first bytes that no 4-byte UID of a card has. A random UID begins with 08: a phone, for example, reports a
different UID each time."""

WAKE_UP = b"\x52"
"""The frame of seven bits that wakes every card in the field (WUPA)."""
WAKE_UP_BITS = 7

SELECT = (0x93, 0x95, 0x97)
"""The code that asks for each part of a UID."""
ANY, WHOLE = 0x20, 0x70
"""The second byte of a frame that asks for a part of any card, and of one that has the whole part."""
IS_INCOMPLETE = 0x04
"""The bit of the answer (SAK) of a card whose UID has more parts."""

TRIES = 3
"""The number of times that a card with damaged answers is asked."""

Ask = Callable[[bytes, int], Awaitable[bytes]]
"""A function that sends a frame and returns the answer. Of the frame's last byte only some bits are sent, if not 0.

Raises `NoAnswerError` or `DamagedError`."""


class NoAnswerError(Exception):
    """No card answered."""


class DamagedError(Exception):
    """A card answered, but its answer is damaged. The card is there."""


async def find_uid(ask: Ask) -> bytes:
    """Return the UID of the card in the field. Raises `NoAnswerError`, or `DamagedError` after `TRIES`."""
    is_damaged = False
    for _ in range(TRIES):
        try:
            return await _uid(ask)
        except DamagedError:
            is_damaged = True
        except NoAnswerError:  # a card that was disturbed ignores the next question
            if not is_damaged:
                raise
    raise DamagedError


async def _uid(ask: Ask) -> bytes:
    await ask(WAKE_UP, WAKE_UP_BITS)
    uid = b""
    try:
        for level in SELECT:
            part = await ask(bytes([level, ANY]), 0)
            if len(part) != 5 or part[0] ^ part[1] ^ part[2] ^ part[3] ^ part[4]:
                raise DamagedError
            # only the card that has all these bytes answers, so nothing damaged becomes another card
            sak = await ask(with_crc(bytes([level, WHOLE]) + part), 0)
            if len(sak) != 3 or with_crc(sak[:1]) != sak:
                raise DamagedError
            if not sak[0] & IS_INCOMPLETE:
                return uid + part[:4]
            if part[0] != CASCADE_TAG:
                raise DamagedError
            uid += part[1:4]
    except NoAnswerError:  # it was there a millisecond ago
        raise DamagedError from None
    raise DamagedError


def tag_of(uid: bytes) -> str | None:
    """Return the tag of the card with *uid*, or ``None`` if no card has it: if it is random, or has only zeros."""
    if len(uid) not in UID_BYTES or not any(uid) or (len(uid) == 4 and uid[0] in NO_UID):
        return None
    return uid.hex().upper()


def with_crc(frame: bytes) -> bytes:
    """Return *frame* with its checksum (CRC_A)."""
    crc = 0x6363
    for byte in frame:
        mixed = (byte ^ crc) & 0xFF
        mixed = (mixed ^ mixed << 4) & 0xFF
        crc = crc >> 8 ^ mixed << 8 ^ mixed << 3 ^ mixed >> 4
    return frame + crc.to_bytes(2, "little")
