"""The RDM6300: a 125 kHz reader that repeats a card's tag on a serial line while the card is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce
from operator import xor
from typing import Literal

from reboard.board import Board
from reboard.events import Emit, to_nobody
from reboard.parts.slots.presence import Presence
from reboard.parts.slots.serial_reader import SerialReader

BAUD_RATE = 9600

HOLD_S = 0.5
"""A frame comes every 65 ms; the worst flicker that was seen is a quarter of a second."""

STX = b"\x02"
FRAME_BYTES = 14
# the tag's ten hex digits, then two that are the exclusive or of the tag's five bytes
FRAME = re.compile(rb"\x02([0-9A-F]{10})([0-9A-F]{2})\x03")


class FrameReader:
    """Finds the tags in what an RDM6300 sends, and nothing in anything else.

    Holds at most 13 bytes between two calls. The counters tell a person with a loose wire that there is noise.
    """

    def __init__(self) -> None:
        self._pending = b""
        self.frames = 0
        self.wrong_checksums = 0
        self.garbage_bytes = 0

    def feed(self, data: bytes) -> list[str]:
        """The tags (ten capital hex digits each) whose last byte is in *data*, in order."""
        stream = self._pending + data
        tags = []
        end = 0
        for frame in FRAME.finditer(stream):
            end = frame.end()
            if reduce(xor, bytes.fromhex(frame[1].decode())) == int(frame[2], 16):
                tags.append(frame[1].decode())
            else:
                self.wrong_checksums += 1
        # Only the last STX can begin a frame that is still to be finished: inside a frame there is none.
        begin = stream.rfind(STX, max(end, len(stream) - FRAME_BYTES + 1))
        self._pending = stream[begin:] if begin >= 0 else b""
        self.frames += len(tags)
        self.garbage_bytes += len(stream) - len(self._pending) - FRAME_BYTES * len(tags)
        return tags


class Rdm6300:
    """A slot read by an RDM6300 on serial line *port*; see `reboard.parts.slots.slot.Slot`.

    A card is out when it was not heard for *hold_s* seconds. The part in ``fault`` and ``recovered`` events is called
    ``left slot`` or ``right slot``, after *name*.
    """

    def __init__(
        self,
        port: str,
        *,
        board: Board,
        emit: Emit = to_nobody,
        name: Literal["left", "right"],
        hold_s: float = HOLD_S,
    ) -> None:
        self._port = port
        self._hold_s = hold_s
        self._reader = SerialReader(port, BAUD_RATE, self._received, board=board, part=f"{name} slot", emit=emit)
        self._presence: Presence | None = None
        self.frames = FrameReader()

    def __repr__(self) -> str:
        return f"<Rdm6300 {self._port} tag={self.tag}, {self.health}>"

    @property
    def description(self) -> str:
        """What reads this slot and where."""
        return f"RDM6300 on {self._port}"

    @property
    def health(self) -> str:
        """What was heard so far."""
        return f"{self.frames.frames} frames, {self.frames.garbage_bytes} stray bytes"

    @property
    def tag(self) -> str | None:
        """The card that is in the slot now."""
        return self._presence.tag if self._presence else None

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Begin to read; a line that is missing is looked for until it is there."""
        self._presence = Presence(self._hold_s, inserted, removed)
        self._reader.start()

    def done(self) -> None:
        """Nothing: this reader hears the card go."""

    def close(self) -> None:
        """Stop reading and give the line back. May be called twice."""
        self._reader.close()
        if self._presence is not None:
            self._presence.close()

    def _received(self, data: bytes) -> None:
        assert self._presence is not None
        for tag in self.frames.feed(data):
            self._presence.seen(tag)
