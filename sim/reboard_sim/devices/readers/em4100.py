"""A virtual RDM6300 and a virtual ID-12LA: readers of EM4100 cards. Their frames differ only in the end bytes.

The RDM6300 repeats the frame of a card while the card is in the slot. The ID-12LA sends the frame once, when the user
inserts the card.
"""

from __future__ import annotations

import asyncio
import random
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, reduce
from math import inf
from operator import xor
from typing import TYPE_CHECKING

from reboard.devices.readers.em4100 import FRAME_BYTES, ID12_END, RDM6300_END
from reboard_sim.devices.readers.virtual_reader import NoSuchCardError, VirtualReader

if TYPE_CHECKING:
    from reboard_sim.board.serial_line import VirtualSerialLine

RDM6300_PERIOD_S = 0.065
"""The time between two frames while a card is in the slot, in seconds."""

STOPS_AFTER = 28
"""The number of frames after which a reader that stops repeating is silent, although its card stays in the slot."""

MOST_MISSED = 3
"""The maximum number of frames in a row that a flickering reader omits. It is silent for up to 0.26 s."""

ID12_PERIOD_S = 0.1
"""The time between two polls for a card, in seconds."""

LONGEST_FLICKER_S = 0.5
"""The maximum time between two frames of a card while the reader flickers, in seconds."""


@cache
def frame_of(card: str, end: bytes) -> bytes:
    """Return the frame of *card*, which ends with *end*. Raises `NoSuchCardError` unless *card* is ten hex digits."""
    if not re.fullmatch("[0-9A-Fa-f]{10}", card):
        raise NoSuchCardError(f"{card!r} is not an EM4100 card: use ten hex digits")
    checksum = reduce(xor, bytes.fromhex(card))
    return f"\x02{card.upper()}{checksum:02X}".encode() + end


def disturbance(end: bytes, rng: random.Random) -> bytes:
    """Return bytes that the firmware must ignore: noise, or a damaged frame of a random card."""
    frame = frame_of(rng.randbytes(5).hex(), end)
    position = rng.randrange(1, FRAME_BYTES - 1)  # without its end, a frame is still valid
    match rng.randrange(4):
        case 0:
            return rng.randbytes(position)
        case 1:
            return frame[:position]
        case 2:
            return frame[:position] + frame[position + 1 :]
        case _:
            wrong_digit = b"0" if frame[1:2] != b"0" else b"1"
            return frame[:1] + wrong_digit + frame[2:]


class VirtualEm4100Reader(VirtualReader):
    """A reader that sends EM4100 frames on a serial *line*. It polls its card every `period_s` seconds."""

    period_s: float
    frame_end: bytes

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._rng = rng
        self._noise = False
        self._flicker = False
        self._timer: asyncio.TimerHandle | None = None

    def take(self) -> None:
        self.card = None

    def noise(self, on: bool) -> None:
        self._noise = on
        self._poll()

    def flicker(self, on: bool) -> None:
        self._flicker = on

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {**super().faults(), "garbled": self.garble, "shared": self._line.share}

    def plug(self) -> None:
        self._line.plug()

    def unplug(self) -> None:
        self._line.unplug()

    def close(self) -> None:
        self._line.close()
        self.take()
        self._noise = False
        self._stop_timer()

    def _send(self, card: str) -> None:
        frame = frame_of(card, self.frame_end)
        self._line.send(self._rng.randbytes(len(frame)) if self.is_garbled else frame)

    @abstractmethod
    def _send_again(self, card: str) -> bool:
        """Send the frame of *card* if it is due. Return whether the reader must poll the card again."""

    def _poll(self) -> None:
        self._stop_timer()
        if self._noise:
            self._line.send(disturbance(self.frame_end, self._rng))
        is_polled = self.card is not None and self._send_again(self.card)
        if self._noise or is_polled:
            self._timer = self._loop.call_later(self.period_s, self._poll)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class VirtualRdm6300(VirtualEm4100Reader):
    """An RDM6300 on a serial line, or a clone that *sends_once*."""

    period_s = RDM6300_PERIOD_S
    frame_end = RDM6300_END

    def __init__(self, line: VirtualSerialLine, *, rng: random.Random, sends_once: bool = False) -> None:
        super().__init__(line, rng=rng)
        self.reports_once = sends_once
        self._missed = 0
        self._sent = 0
        self._most = self._usual = 1 if sends_once else inf

    def put(self, card: str) -> None:
        frame_of(card, RDM6300_END)  # rejects a card that this reader cannot read
        self.card = card.upper()
        self._missed = MOST_MISSED
        self._sent = 0
        self._poll()

    def faults(self) -> Mapping[str, Callable[[bool], None]]:
        return {
            **super().faults(),
            "once": lambda on: self._stop_after(1 if on else self._usual),
            "stops": lambda on: self._stop_after(STOPS_AFTER if on else self._usual),
        }

    def _stop_after(self, frames: float) -> None:
        self._most = frames

    def _send_again(self, card: str) -> bool:
        misses = self._flicker and self._missed < MOST_MISSED and self._rng.random() < 0.5
        self._missed = self._missed + 1 if misses else 0
        if not misses and self._sent < self._most:
            self._sent += 1
            self._send(card)
        return True


class VirtualId12(VirtualEm4100Reader):
    """An ID-12LA on a serial line.

    It does not send the frame of a card that is in the slot at power-up. A real reader sends this frame before the
    firmware listens.
    """

    period_s = ID12_PERIOD_S
    frame_end = ID12_END
    reports_once = True
    _sent_at = 0.0

    def put(self, card: str) -> None:
        self._send(card)
        self.card = card.upper()
        self._poll()

    def flicker(self, on: bool) -> None:
        super().flicker(on)
        self._poll()

    def _send_again(self, card: str) -> bool:
        if self._flicker:
            is_due = self._loop.time() - self._sent_at > LONGEST_FLICKER_S - ID12_PERIOD_S
            if is_due or self._rng.random() < 0.25:
                self._send(card)
        return self._flicker

    def _send(self, card: str) -> None:
        super()._send(card)
        self._sent_at = self._loop.time()
