"""EM4100 cards (125 kHz), and the frames in which serial readers send their tags: ten hex digits and a checksum."""

from __future__ import annotations

import asyncio
import re
from functools import reduce
from operator import xor

from reboard.devices.device import Prompts
from reboard.devices.readers.reader import CardType, Slot

STX = b"\x02"
RDM6300_END = b"\x03"
ID12_END = b"\r\n\x03"
ENDS = b"\r\n\x03"
"""The bytes that can follow the checksum. Any one of them ends a frame, because clones differ."""

FRAME = re.compile(rb"\x02([0-9A-Fa-f]{10})([0-9A-Fa-f]{2})[\r\n\x03]")
FRAME_BYTES = 14

SILENT_S = 1.0
"""The silence of a reader that does not repeat its card, in seconds."""

WATCH_S = 3.0
"""The time for which setup watches whether a reader repeats the card that it read, in seconds."""


def ending_of(written: str) -> str:
    """Return the hex digits at the end of the tag that has another spelling *written*, or ``""``.

    Cards show the last four bytes (8H10D) or three bytes (6H8D) as a decimal number, or all five (10H13D). Other
    software writes the frame's checksum after the tag, or only the last four bytes.
    """
    if re.fullmatch("[0-9A-F]{12}", written):
        return written[:10] if _checksum(written[:10]) == int(written[10:], 16) else ""
    if re.fullmatch("[0-9]+", written):
        digits = {8: 6, 10: 8, 13: 10}.get(len(written), 0)
        number = f"{int(written):0{digits}X}"
        return number if digits and len(number) == digits else ""
    return written if re.fullmatch("[0-9A-F]{8}", written) else ""


def _checksum(tag: str) -> int:
    return reduce(xor, bytes.fromhex(tag))


CARDS = CardType("125 kHz cards (EM4100)", re.compile("[0-9A-F]{10}"), "ten hex digits, such as 62E3086CED", ending_of)


class TagFrames:
    """A decoder that finds the tags in the bytes of a reader and ignores noise.

    A frame is the byte 02, ten hex digits (the tag), two hex digits (the checksum), and one to three of `ENDS`. The
    checksum is the exclusive or of the tag's five bytes. *ends_line* is whether the latest frame ended with a line
    end, as an ID-12LA's does. An incomplete frame is kept for the next call of `feed`.
    """

    def __init__(self) -> None:
        self._pending = b""
        self.frames = 0
        self.stray_bytes = 0
        self.ends_line = False

    @property
    def dropped(self) -> int:
        """The stray bytes, in frames."""
        return -(-self.stray_bytes // FRAME_BYTES)

    def feed(self, data: bytes) -> list[str]:
        """Return the tags (ten capital hex digits each) whose frame ends in *data*, in order."""
        stream = self._pending + data
        tags = []
        stray = b""
        place = 0
        for frame in FRAME.finditer(stream):
            stray += stream[place : frame.start()]
            place = frame.end()
            tag = frame[1].decode().upper()
            if _checksum(tag) == int(frame[2], 16):
                tags.append(tag)
                self.ends_line = not frame[0].endswith(RDM6300_END)
            else:
                stray += frame[0]
        # only the last STX can begin an incomplete frame: a frame has no STX inside
        begin = stream.rfind(STX, max(place, len(stream) - FRAME_BYTES + 1))
        self._pending = stream[begin:] if begin >= 0 else b""
        stray += stream[place : len(stream) - len(self._pending)]
        self.frames += len(tags)
        self.stray_bytes += len(stray.translate(None, ENDS))
        return tags


async def is_repeated(slot: Slot, prompts: Prompts) -> bool:
    """Ask the user to leave the card on the reader of *slot*, and return whether the reader repeats it."""
    prompts.say(f"Leave the card there for {WATCH_S:g} s.")
    await asyncio.sleep(WATCH_S)
    return slot.heard.silence_s < SILENT_S
