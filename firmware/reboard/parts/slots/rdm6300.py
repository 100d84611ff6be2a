"""The RDM6300: a 125 kHz reader that repeats a card's tag on a serial line while the card is there."""

from __future__ import annotations

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


class Rdm6300(LineSlot[SerialReader]):
    """A slot read by an RDM6300 on serial line *port*. A card is out when it was not heard for *hold_s* seconds."""

    def __init__(
        self,
        port: str,
        *,
        board: Devices,
        emit: Emit = to_nobody,
        name: Literal["left", "right"],
        hold_s: float = HOLD_S,
    ) -> None:
        frames = TagFrames(FRAME_END)
        super().__init__(
            "RDM6300",
            port,
            partial(SerialReader, port, BAUD_RATE, board=board),
            tags_in=frames.feed,
            counts=frames,
            stay=Presence(hold_s),
            emit=emit,
            name=name,
        )
