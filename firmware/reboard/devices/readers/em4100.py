"""EM4100 cards (125 kHz), and the frames in which serial readers send their tags: ten hex digits and a checksum."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import xor

from reboard.devices.examination import Prompts
from reboard.devices.readers.reader import CardType, Slot

STX = b"\x02"
RDM6300_END = b"\x03"
ID12_END = b"\r\n\x03"
ENDS = b"\r\n\x03"
"""The bytes that can follow the checksum. Any one of them ends a frame, because clones differ."""

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
        *tag, checksum = bytes.fromhex(written)
        return written[:10] if exclusive_or(tag) == checksum else ""
    if re.fullmatch("[0-9]+", written):
        digits = {8: 6, 10: 8, 13: 10}.get(len(written), 0)
        number = f"{int(written):0{digits}X}"
        return number if digits and len(number) == digits else ""
    return written if re.fullmatch("[0-9A-F]{8}", written) else ""


def exclusive_or(tag: Iterable[int]) -> int:
    """Return the exclusive or of the bytes of a *tag*."""
    return reduce(xor, tag)


class FrameFormat:
    """A format of frames: *start*, ten hex digits (the tag), two hex digits (its *checksum*), and some of *ends*.

    The first byte of *start* comes nowhere else in a frame. *checksum* takes the five bytes of the tag. *size* is the
    number of bytes up to the first of the *ends*. *pattern* has the digits of tag and checksum as its groups.
    """

    def __init__(self, start: bytes = STX, checksum: Callable[[bytes], int] = exclusive_or, ends: bytes = ENDS) -> None:
        self.start = start
        self.checksum = checksum
        self.ends = ends
        self.size = len(start) + 13
        begin, end = re.escape(start), re.escape(ends)
        self.pattern = re.compile(begin + b"([0-9A-Fa-f]{10})([0-9A-Fa-f]{2})[" + end + b"]")

    def is_intact(self, frame: re.Match[bytes]) -> bool:
        """Return whether the checksum of a *frame*, a match of `pattern`, is right."""
        return self.checksum(bytes.fromhex(frame[1].decode())) == int(frame[2], 16)

    def pieces(self, stream: bytes) -> Iterator[tuple[int, int, re.Match[bytes] | None]]:
        """Yield begin and end of each frame in *stream* and of all that is no frame, up to one that is incomplete."""
        place = 0
        for frame in self.pattern.finditer(stream):
            if place < frame.start():
                yield place, frame.start(), None
            place = frame.end()
            yield frame.start(), place, frame
        # a frame has its first byte only once: of several, the last one can begin it
        begin = stream.rfind(self.start[:1], max(place, len(stream) - self.size + 1))
        end = begin if begin >= 0 else len(stream)
        if place < end:
            yield place, end, None


FRAME = FrameFormat()
"""The frames of an RDM6300 and an ID-12LA."""

CARDS = CardType("125 kHz cards (EM4100)", re.compile("[0-9A-F]{10}"), "ten hex digits, such as 62E3086CED", ending_of)


class TagFrames:
    """A decoder that finds the tags in the bytes of a reader with frames of *format*, and ignores noise.

    *ends_line* is whether the latest frame ended with a line end, as an ID-12LA's does. An incomplete frame is kept for
    the next call of `feed`.
    """

    def __init__(self, format: FrameFormat = FRAME) -> None:
        self._format = format
        self._pending = b""
        self.frames = 0
        self.stray_bytes = 0
        self.ends_line = False

    @property
    def dropped(self) -> int:
        """The stray bytes, in frames."""
        return -(-self.stray_bytes // self._format.size)

    def feed(self, data: bytes) -> list[str]:
        """Return the tags (ten capital hex digits each) whose frame ends in *data*, in order."""
        stream, end = self._pending + data, 0
        tags, stray = [], b""
        for begin, end, frame in self._format.pieces(stream):
            if frame and self._format.is_intact(frame):
                tags.append(frame[1].decode().upper())
                self.ends_line = not frame[0].endswith(RDM6300_END)
            else:
                stray += stream[begin:end]
        self._pending = stream[end:]
        self.frames += len(tags)
        self.stray_bytes += len(stray.translate(None, self._format.ends))
        return tags


async def is_repeated(slot: Slot, prompts: Prompts) -> bool:
    """Ask the user to leave the card on the reader of *slot*, and return whether the reader repeats it."""
    prompts.say(f"Leave the card there for {WATCH_S:g} s.")
    await asyncio.sleep(WATCH_S)
    return slot.heard.silence_s < SILENT_S
