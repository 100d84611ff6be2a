"""The RDM6300: a 125 kHz reader that repeats a card's tag on a serial line while the card is there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Literal

from reboard.board import Devices
from reboard.events import Emit, to_nobody
from reboard.parts.slots.em4100 import TagFrames
from reboard.parts.slots.line_slot import LineSlot
from reboard.parts.slots.presence import Presence
from reboard.parts.slots.serial_reader import SerialReader

BAUD_RATE = 9600
FRAME_END = b"\x03"

HOLD_S = 0.5
"""A frame comes every 65 ms; the worst flicker that was seen is a quarter of a second."""

ALIKE_WITHIN_S = 0.5
"""Two frames that are farther apart do not confirm each other."""


class Rdm6300(LineSlot[SerialReader]):
    """A slot read by an RDM6300 on serial line *port*.

    A card is in after two frames alike: a disturbed frame can have the right checksum. It is out when it was not heard
    for *hold_s* seconds.
    """

    def __init__(
        self,
        port: str,
        *,
        board: Devices,
        emit: Emit = to_nobody,
        name: Literal["left", "right"],
        hold_s: float = HOLD_S,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames = TagFrames(FRAME_END)
        self._heard: tuple[str, float] | None = None
        super().__init__(
            "RDM6300",
            port,
            partial(SerialReader, port, BAUD_RATE, board=board),
            tags_in=self._confirmed_tags_in,
            counts=self._frames,
            stay=Presence(hold_s),
            emit=emit,
            name=name,
        )

    def _confirmed_tags_in(self, data: bytes) -> Iterator[str]:
        now = self._loop.time()
        for tag in self._frames.feed(data):
            before, self._heard = self._heard, (tag, now)
            is_repeated = before is not None and before[0] == tag and now - before[1] <= ALIKE_WITHIN_S
            if is_repeated or tag == self.tag:
                yield tag
