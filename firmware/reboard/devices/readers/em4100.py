"""EM4100 cards (125 kHz), as serial readers send them: ten hex digits and a checksum, in ASCII."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor

STX = b"\x02"


class TagFrames:
    """Finds the tags in the bytes of a reader, and ignores noise.

    A frame is ``02``, the tag's ten capital hex digits, two more that are the exclusive or of the tag's five bytes, and
    *end*. An incomplete frame is kept for the next call.
    """

    def __init__(self, end: bytes) -> None:
        self._frame = re.compile(rb"\x02([0-9A-F]{10})([0-9A-F]{2})" + re.escape(end))
        self._frame_bytes = 13 + len(end)
        self._pending = b""
        self.frames = 0
        self.stray_bytes = 0

    @property
    def statistics(self) -> str:
        return f"{self.frames} frames, {self.stray_bytes} stray bytes"

    def feed(self, data: bytes) -> list[str]:
        """Return the tags (ten capital hex digits each) whose frame ends in *data*, in order."""
        stream = self._pending + data
        tags = []
        end = 0
        for frame in self._frame.finditer(stream):
            end = frame.end()
            if reduce(xor, bytes.fromhex(frame[1].decode())) == int(frame[2], 16):
                tags.append(frame[1].decode())
        # only the last STX can begin an incomplete frame: a frame has no STX inside
        begin = stream.rfind(STX, max(end, len(stream) - self._frame_bytes + 1))
        self._pending = stream[begin:] if begin >= 0 else b""
        self.frames += len(tags)
        self.stray_bytes += len(stream) - len(self._pending) - self._frame_bytes * len(tags)
        return tags
