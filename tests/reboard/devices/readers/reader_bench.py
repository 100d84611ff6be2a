"""Two slots with a virtual reader each, on two virtual ports."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, cast

from reboard.board import InputLine, Program, SerialLine
from reboard.devices.readers.reader import Slot
from reboard.devices.readers.reader_kind import READER_KINDS, InputReader, SerialReader
from reboard.vocabulary.declared import Event
from reboard_sim.board.input_device import VirtualInputDevice
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers.virtual_reader import virtual_reader
from tests.virtual import now

SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")

KINDS = [name for name, kind in READER_KINDS.items() if isinstance(kind, SerialReader | InputReader)]


class Bench:
    """A board with two ports, a reader on each, and a slot for each; *calls* has all callbacks and events."""

    def __init__(self, kind: str) -> None:
        self._kind = READER_KINDS[kind]
        reader: Any = virtual_reader(kind)
        port = VirtualSerialLine if isinstance(self._kind, SerialReader) else VirtualInputDevice
        self.ports: dict[str, Any] = {side: port() for side in SIDES}
        self.readers = {side: reader(self.ports[side], rng=random.Random(f"seed 1 {side}")) for side in SIDES}
        self.left, self.right = (self.readers[side] for side in SIDES)
        self.calls: list[tuple[float, str, str]] = []
        self.slots: dict[str, Slot] = {}
        self.programs: list[Program] = []

    def open_serial(self, path: str, baud_rate: int) -> SerialLine:
        return cast(SerialLine, self.ports[path.removeprefix("/dev/")].open(baud_rate))

    def open_keyboard(self, path: str) -> InputLine:
        return cast(InputLine, self.ports[path.removeprefix("/dev/")].open())

    def holders(self, path: str) -> list[Program]:
        return self.programs

    def start(self) -> None:
        for side in SIDES:
            slot = self._kind.open(self._kind.config(self._kind.name, f"/dev/{side}"), f"{side} slot", self, self._emit)
            self.slots[side] = slot
            slot.start(self._callback(f"{side} in"), self._callback(f"{side} out"))

    def _callback(self, name: str) -> Callable[[str], None]:
        return lambda tag: self._call(name, tag)

    def _emit(self, event: Event) -> None:
        fields = event.as_json()
        self._call(f"{event.event} {fields['part']}", str(fields.get("cause", "")))

    def _call(self, name: str, detail: str) -> None:
        self.calls.append((round(now(), 3), name, detail))

    @property
    def names(self) -> list[str]:
        return [name for _, name, _ in self.calls]

    @property
    def tag(self) -> str | None:
        """The card in the left slot."""
        return self.slots["left"].tag

    def close(self) -> None:
        for things in (self.slots, self.readers):
            for thing in cast(dict[str, Any], things).values():
                thing.close()
        for port in self.ports.values():
            if isinstance(port, VirtualSerialLine):
                port.close()


@asynccontextmanager
async def reader_bench(kind: str, *, start: bool = True) -> AsyncIterator[Bench]:
    bench = Bench(kind)
    if start:
        bench.start()
    try:
        yield bench
    finally:
        bench.close()
