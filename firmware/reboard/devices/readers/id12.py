"""The ID-12LA and the larger ID-20LA: 125 kHz readers that send a tag once, when the card comes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from reboard.board import Devices
from reboard.config.kinds import text
from reboard.config.pins_and_ports import serial_port
from reboard.devices.readers.em4100 import TagFrames
from reboard.devices.readers.presence import Tap
from reboard.devices.readers.reader import PortSlot
from reboard.devices.readers.reader_port import SerialPort
from reboard.events import Emit, ignore_event

BAUD_RATE = 9600
FRAME_END = b"\r\n\x03"


@dataclass(frozen=True, slots=True)
class Id12Config:
    """An ID-12LA or ID-20LA on a serial port."""

    reader: Annotated[str, text]
    port: Annotated[str, serial_port]


class Id12(PortSlot[SerialPort]):
    """A slot with an ID-12LA or ID-20LA on serial port *port*; see `reboard.devices.readers.presence.Tap`."""

    def __init__(self, port: str, *, board: Devices, emit: Emit = ignore_event, name: Literal["left", "right"]) -> None:
        self._frames = TagFrames(FRAME_END)
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
