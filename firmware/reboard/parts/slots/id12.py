"""The ID-12LA and its larger sister ID-20LA: 125 kHz readers that tell a card once, when it comes."""

from __future__ import annotations

from functools import partial
from typing import Literal

from reboard.board import Devices
from reboard.events import Emit, to_nobody
from reboard.parts.slots.em4100 import TagFrames
from reboard.parts.slots.line_slot import LineSlot
from reboard.parts.slots.serial_reader import SerialReader
from reboard.parts.slots.tap import Tap

BAUD_RATE = 9600
FRAME_END = b"\r\n\x03"


class Id12(LineSlot[SerialReader]):
    """A slot read by an ID-12LA or ID-20LA on serial line *port*.

    A card is in from one tap to the next, or until it is done; a reader that goes away takes its card along.
    """

    def __init__(self, port: str, *, board: Devices, emit: Emit = to_nobody, name: Literal["left", "right"]) -> None:
        frames = TagFrames(FRAME_END)
        super().__init__(
            "ID-12LA",
            port,
            partial(SerialReader, port, BAUD_RATE, board=board),
            tags_in=frames.feed,
            counts=frames,
            stay=Tap(),
            emit=emit,
            name=name,
        )
