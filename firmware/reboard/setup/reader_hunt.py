"""Finding the reader that a card is held to: every line is listened to, in the way of each kind of reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from reboard.board import Devices
from reboard.build import SlotName, slot_on_a_line
from reboard.config import KeyboardConfig, LineSlotConfig, Pn532Config
from reboard.parts.slots import id12, rdm6300
from reboard.parts.slots.em4100 import TagFrames
from reboard.parts.slots.serial_reader import SerialReader
from reboard.parts.slots.slot import Slot

ASK_S = 0.5
"""How long each line is asked whether a PN532 is there; one answers within 0.1 s, unless noise swallows a question."""

SPEAKERS = {"rdm6300": rdm6300.FRAME_END, "id12": id12.FRAME_END}
"""The readers that speak by themselves, 9600 baud each, and how their frames end."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A card that was read: by what kind of *reader*, on which line or device, and its tag."""

    reader: str
    place: str
    tag: str


class Hunt:
    """Listens to serial lines and to readers that type until one of them reads a card. To be closed.

    *silent* tells why those that cannot be listened to are silent.
    """

    def __init__(self, devices: Devices) -> None:
        self.silent: dict[str, str] = {}
        self._devices = devices
        self._heard: asyncio.Future[Heard] = asyncio.get_running_loop().create_future()
        self._listening = ExitStack()

    async def begin(self, ports: Iterable[str], typing: Iterable[str]) -> None:
        """Take up the serial *ports* and the *typing* input devices. A card counts from then on."""
        for device in typing:
            self._slot(KeyboardConfig("keyboard", device), device)
        slots = {port: self._slot(Pn532Config("pn532", port), port) for port in ports}
        await asyncio.sleep(ASK_S)
        for port, slot in slots.items():
            if slot.health.startswith("0 frames"):
                slot.close()
                self._listen(port)

    async def first(self) -> Heard:
        """The first card that is read."""
        return await asyncio.shield(self._heard)

    def close(self) -> None:
        """Give all lines back."""
        self._heard.cancel()
        self._listening.close()

    def _slot(self, config: LineSlotConfig, place: str) -> Slot:
        side: SlotName = "left"  # which one it is nobody knows yet
        slot = slot_on_a_line(config, side, self._devices, partial(self._told, place))
        self._listening.enter_context(closing(slot))
        slot.start(partial(self._read, config.reader, place), lambda _: None)
        return slot

    def _listen(self, port: str) -> None:
        frames = {reader: TagFrames(end) for reader, end in SPEAKERS.items()}

        def receive(data: bytes) -> None:
            for reader, found in frames.items():
                for tag in found.feed(data):
                    self._read(reader, port, tag)

        def lose(cause: str) -> None:
            self.silent[port] = cause

        opened: Callable[[], object] = partial(self.silent.pop, port, None)
        line = SerialReader(port, rdm6300.BAUD_RATE, board=self._devices, received=receive, opened=opened, lost=lose)
        self._listening.enter_context(closing(line))
        line.start()

    def _read(self, reader: str, place: str, tag: str) -> None:
        if not self._heard.done():
            self._heard.set_result(Heard(reader, place, tag))

    def _told(self, place: str, event: str, /, **fields: object) -> None:
        if event == "fault":
            self.silent[place] = str(fields["cause"])
        elif event == "recovered":
            self.silent.pop(place, None)
