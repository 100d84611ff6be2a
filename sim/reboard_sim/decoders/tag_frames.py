"""The bytes of an RDM6300 or ID-12LA, told in words. Whether a frame counts, the firmware's own decoder says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reboard.parts.slots.em4100 import STX, TagFrames
from reboard_sim.decoders.piece import Piece, as_hex


class TagFrameDecoder:
    """Cuts what a reader sends into frames that end with *end*, and what is none."""

    def __init__(self, end: bytes) -> None:
        self._end = end
        self._frame = re.compile(rb"\x02([0-9A-F]{10})[0-9A-F]{2}" + re.escape(end))
        self._frame_bytes = 13 + len(end)
        self._begun = b""

    def feed(self, data: bytes) -> Iterator[Piece]:
        """The pieces of *data*, in order. Half a frame is remembered: what follows may end it."""
        told = len(self._begun)
        stream = self._begun + data
        place = 0
        for frame in self._frame.finditer(stream):
            yield from _none(stream[max(place, told) : frame.start()])
            place = frame.end()
            yield self._judged(frame, told)
        begin = stream.rfind(STX, max(place, len(stream) - self._frame_bytes + 1))
        self._begun = stream[begin:] if begin >= 0 else b""
        end = len(stream) - len(self._begun)
        yield from _none(stream[max(place, told) : end])
        if half := stream[max(end, told) :]:
            yield Piece(as_hex(half), "half a frame", is_bad=True)

    def _judged(self, frame: re.Match[bytes], told: int) -> Piece:
        written = as_hex(frame.string[max(frame.start(), told) : frame.end()])
        tag = frame[1].decode()
        if TagFrames(self._end).feed(frame[0]) == [tag]:
            return Piece(written, f"card {tag}, checksum right")
        return Piece(written, f"card {tag}, checksum wrong", is_bad=True)


def _none(noise: bytes) -> Iterator[Piece]:
    if noise:
        yield Piece(as_hex(noise), "noise", is_bad=True)
