"""Two slots with a virtual reader each, on two virtual ports."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, cast

from reboard.board import Board, InputLine, Program, SerialLine
from reboard.devices.readers.em4100 import Id12, Rdm6300
from reboard.devices.readers.kinds.keyboard import Keyboard
from reboard.devices.readers.kinds.pn532 import Pn532
from reboard.devices.readers.reader import Slot
from reboard.vocabulary.declared import Event
from reboard_sim.board.input_device import VirtualInputDevice
from reboard_sim.board.serial_line import VirtualSerialLine
from reboard_sim.devices.readers.em4100 import VirtualId12, VirtualRdm6300
from reboard_sim.devices.readers.keyboard import VirtualKeyboard
from reboard_sim.devices.readers.pn532 import VirtualPn532
from tests.virtual import now

SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")

KINDS: dict[str, tuple[Callable[..., Slot], Callable[..., Any], Callable[[], Any]]] = {
    "rdm6300": (Rdm6300, VirtualRdm6300, VirtualSerialLine),
    "id12": (Id12, VirtualId12, VirtualSerialLine),
    "pn532": (Pn532, VirtualPn532, VirtualSerialLine),
    "keyboard": (Keyboard, VirtualKeyboard, VirtualInputDevice),
}


class Bench:
    """A board with two ports, a reader on each, and a slot for each; *calls* has all callbacks and events."""

    def __init__(self, kind: str) -> None:
        self._slot, reader, port = KINDS[kind]
        self.ports: dict[str, Any] = {side: port() for side in SIDES}
        self.readers = {side: reader(self.ports[side], rng=random.Random(f"seed 1 {side}")) for side in SIDES}
        self.left, self.right = (self.readers[side] for side in SIDES)
        self.calls: list[tuple[float, str, str]] = []
        self.slots: dict[str, Slot] = {}
        self.baud_rates: set[int] = set()
        self.programs: list[Program] = []

    def open_serial(self, path: str, baud_rate: int) -> SerialLine:
        self.baud_rates.add(baud_rate)
        return cast(SerialLine, self.ports[path.removeprefix("/dev/")].open(baud_rate))

    def open_keyboard(self, path: str) -> InputLine:
        return cast(InputLine, self.ports[path.removeprefix("/dev/")].open())

    def holders(self, path: str) -> list[Program]:
        return self.programs

    def start(self) -> None:
        for side in SIDES:
            slot = self._slot(f"/dev/{side}", board=cast(Board, self), emit=self._emit, name=f"{side} slot")
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
