"""The base class of the virtual readers of EM4100 cards."""

from __future__ import annotations

import asyncio
import random
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import cache
from math import inf
from typing import ClassVar

from reboard.devices.readers.em4100 import FRAME, FrameFormat
from reboard_sim.board.serial_line import Transmission, VirtualSerialLine
from reboard_sim.devices.readers.frame_decoders import Piece, TagFrameDecoder
from reboard_sim.devices.readers.virtual_reader import NoSuchCardError, VirtualSerialReader

LONGEST_GAP_S = 0.26
"""The longest time between two frames of a reader that repeats a card and flickers, in seconds."""


@cache
def frame_of(card: str, end: bytes, format: FrameFormat = FRAME) -> bytes:
    """Return the frame of *card*, which ends with *end*. Raises `NoSuchCardError` unless *card* is ten hex digits."""
    if not re.fullmatch("[0-9A-Fa-f]{10}", card):
        raise NoSuchCardError(f"{card!r} is not an EM4100 card: use ten hex digits")
    return format.start + f"{card.upper()}{format.checksum(bytes.fromhex(card)):02X}".encode() + end


def disturbance(end: bytes, rng: random.Random, format: FrameFormat = FRAME) -> bytes:
    """Return bytes that the firmware must ignore: noise, or a damaged frame of a random card."""
    frame = frame_of(rng.randbytes(5).hex(), end, format)
    position = rng.randrange(1, format.size - 1)  # without its end, a frame is still valid
    match rng.randrange(4):
        case 0:
            return rng.randbytes(position)
        case 1:
            return frame[:position]
        case 2:
            return frame[:position] + frame[position + 1 :]
        case _:
            digit = len(format.start)
            wrong_digit = b"0" if frame[digit : digit + 1] != b"0" else b"1"
            return frame[:digit] + wrong_digit + frame[digit + 1 :]


class VirtualEm4100Reader(VirtualSerialReader):
    """A reader that sends frames of EM4100 cards on a serial *line*. It polls its card every `period_s` seconds."""

    period_s: float
    format: ClassVar[FrameFormat] = FRAME
    frame_end: bytes

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        super().__init__(line, rng=rng)
        self._timer: asyncio.TimerHandle | None = None

    def noise(self, on: bool) -> None:
        super().noise(on)
        self._poll()

    def decoder(self) -> Callable[[Transmission], Iterable[Piece]]:
        decoder = TagFrameDecoder(self.format)
        return lambda sent: decoder.feed(sent.data)

    def close(self) -> None:
        self._line.close()
        self.take()
        self.is_noisy = False
        self._stop_timer()

    def _send(self, card: str) -> None:
        frame = frame_of(card, self.frame_end, self.format)
        self._line.send(self._rng.randbytes(len(frame)) if self.is_garbled else frame)

    @abstractmethod
    def _send_again(self, card: str) -> bool:
        """Send the frame of *card* if it is due. Return whether the reader must poll the card again."""

    def _poll(self) -> None:
        self._stop_timer()
        if self.is_noisy:
            self._line.send(disturbance(self.frame_end, self._rng, self.format))
        is_polled = self.card is not None and self._send_again(self.card)
        if self.is_noisy or is_polled:
            self._timer = self._loop.call_later(self.period_s, self._poll)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class VirtualRepeatingReader(VirtualEm4100Reader):
    """A reader that repeats the frame of a card every `period_s` seconds, at most `_most` times.

    A flickering one omits up to `_most_missed` frames in a row.
    """

    _missed = 0
    _sent = 0
    _most = inf

    @property
    def _most_missed(self) -> int:
        return round(LONGEST_GAP_S / self.period_s) - 1

    def put(self, card: str) -> None:
        frame_of(card, self.frame_end, self.format)  # rejects a card that this reader cannot read
        self.card = card.upper()
        self._missed = self._most_missed
        self._sent = 0
        self._poll()

    def _send_again(self, card: str) -> bool:
        misses = self.flickers and self._missed < self._most_missed and self._rng.random() < 0.5
        self._missed = self._missed + 1 if misses else 0
        if not misses and self._sent < self._most:
            self._sent += 1
            self._send(card)
        return True
