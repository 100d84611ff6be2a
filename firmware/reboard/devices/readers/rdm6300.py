"""The RDM6300: a 125 kHz reader that repeats a tag on a serial port while the card is there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from reboard.board import Devices
from reboard.config.kinds import Number, text
from reboard.config.pins_and_ports import serial_port
from reboard.devices.readers.em4100 import TagFrames
from reboard.devices.readers.presence import RepeatedTag
from reboard.devices.readers.reader import PortSlot
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit, ignore_event

BAUD_RATE = 9600
FRAME_END = b"\x03"

HOLD_S = 0.5
"""A frame comes every 65 ms; the longest gap that was measured is a quarter of a second."""

CONFIRM_S = 0.5
"""The longest time between two frames that confirm each other."""


@dataclass(frozen=True, slots=True)
class Rdm6300Config:
    """An RDM6300 on a serial port. A card is removed after *hold_s* seconds without its tag."""

    reader: Annotated[str, text]
    port: Annotated[str, serial_port]
    hold_s: Annotated[float, Number(0.1, 5.0, "seconds")] = HOLD_S


class Rdm6300(PortSlot[SerialPort]):
    """A slot with an RDM6300 on serial port *port*.

    A card is in after two equal frames, because a disturbed frame can have a correct checksum.
    """

    def __init__(
        self,
        port: str,
        *,
        board: Devices,
        emit: Emit = ignore_event,
        name: Literal["left", "right"],
        hold_s: float = HOLD_S,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._frames = TagFrames(FRAME_END)
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
