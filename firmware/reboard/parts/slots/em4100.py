"""EM4100 cards (125 kHz) as serial readers spell them: ten hex digits and a checksum, as ASCII characters."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor

STX = b"\x02"


class TagFrames:
    """Finds the tags in what a reader sends, and nothing in anything else.

    A frame is ``02``, the tag's ten capital hex digits, two more that are the exclusive or of the tag's five bytes, and
    *end*. Less than a frame is kept between two calls. The counters tell a person with a loose wire that there is
    noise.
    """

    def __init__(self, end: bytes) -> None:
        self._frame = re.compile(rb"\x02([0-9A-F]{10})([0-9A-F]{2})" + re.escape(end))
        self._frame_bytes = 13 + len(end)
        self._pending = b""
        self.frames = 0
        self.stray_bytes = 0

    @property
    def health(self) -> str:
        """The counters, in words."""
        return f"{self.frames} frames, {self.stray_bytes} stray bytes"

    def feed(self, data: bytes) -> list[str]:
        """The tags (ten capital hex digits each) whose last byte is in *data*, in order."""
        stream = self._pending + data
        tags = []
        end = 0
        for frame in self._frame.finditer(stream):
            end = frame.end()
            if reduce(xor, bytes.fromhex(frame[1].decode())) == int(frame[2], 16):
                tags.append(frame[1].decode())
        # Only the last STX can begin a frame that is still to be finished: inside a frame there is none.
        begin = stream.rfind(STX, max(end, len(stream) - self._frame_bytes + 1))
        self._pending = stream[begin:] if begin >= 0 else b""
        self.frames += len(tags)
        self.stray_bytes += len(stream) - len(self._pending) - self._frame_bytes * len(tags)
        return tags
