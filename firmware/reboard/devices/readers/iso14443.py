"""Cards of ISO/IEC 14443-3 type A (13.56 MHz, NFC): their UIDs, and the frames that ask for one."""

from __future__ import annotations

import re

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
