"""Serial readers of EM4100 cards (125 kHz): the RDM6300, which repeats a tag, and the ID-12LA, which sends it once.

Both readers send a tag as ten hex digits and a checksum, in ASCII.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from functools import partial, reduce
from operator import xor

from reboard.board import Devices
from reboard.devices.readers.presence import HOLD_S, RepeatedTag, Tap
from reboard.devices.readers.reader import PortSlot
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit, ignore_event

BAUD_RATE = 9600
STX = b"\x02"
RDM6300_END = b"\x03"
ID12_END = b"\r\n\x03"

CONFIRM_S = 0.5
"""The longest time between two equal frames that confirm each other, in seconds."""


class TagFrames:
    """A decoder that finds the tags in the bytes of a reader and ignores noise.

    A frame is the byte 02, ten capital hex digits (the tag), two hex digits (the checksum), and *end*. The checksum is
    the exclusive or of the tag's five bytes. An incomplete frame is kept for the next call of `feed`.
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


class Rdm6300(PortSlot[SerialPort]):
    """A slot with an RDM6300 on serial port *port*.

    A card counts as inserted after two equal frames, because a corrupted frame can have a correct checksum.
    """

    def __init__(
        self,
        port: str,
        *,
        board: Devices,
        emit: Emit = ignore_event,
        name: str,
        hold_s: float = HOLD_S,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames = TagFrames(RDM6300_END)
        self._latest: tuple[str, float] | None = None
        super().__init__(
            "RDM6300",
            port,
            partial(SerialPort, port, BAUD_RATE, board=board),
            decoder=self._frames,
            presence=RepeatedTag(hold_s),
            emit=emit,
            name=name,
        )

    def _tags_in(self, data: bytes) -> Iterable[str]:
        now = self._loop.time()
        for tag in self._frames.feed(data):
            before, self._latest = self._latest, (tag, now)
            is_confirmed = before is not None and before[0] == tag and now - before[1] <= CONFIRM_S
            if is_confirmed or tag == self.tag:
                yield tag


class Id12(PortSlot[SerialPort]):
    """A slot with an ID-12LA or ID-20LA on serial port *port*.

    `reboard.devices.readers.presence.Tap` detects removals.
    """

    def __init__(self, port: str, *, board: Devices, emit: Emit = ignore_event, name: str) -> None:
        self._frames = TagFrames(ID12_END)
        super().__init__(
            "ID-12LA",
            port,
            partial(SerialPort, port, BAUD_RATE, board=board),
            decoder=self._frames,
            presence=Tap(),
            emit=emit,
            name=name,
        )

    def _tags_in(self, data: bytes) -> Iterable[str]:
        return self._frames.feed(data)
