"""Two slots, their virtual readers on two serial lines, and what was told."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Literal, TypeVar, cast

from reboard.board import Board, SerialLine
from reboard.parts.slots.slot import Slot
from reboard_sim.readers.virtual_reader import VirtualReader
from reboard_sim.serial_line import VirtualSerialLine
from reboard_sim.virtual_time import run

R = TypeVar("R", bound=VirtualReader)
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class Bench(Generic[R]):
    """A board with two serial lines, a reader on each, and a slot for each."""

    def __init__(self, slot: Callable[..., Slot], reader: Callable[..., R]) -> None:
        self.lines = {"left": VirtualSerialLine(), "right": VirtualSerialLine()}
        self.readers = {name: reader(line, rng=random.Random(f"seed 1 {name}")) for name, line in self.lines.items()}
        self.told: list[tuple[float, str, str]] = []
        self.slots: dict[str, Slot] = {}
        self.baud_rates: set[int] = set()
        self._slot = slot
        self._loop = asyncio.get_running_loop()

    def open_serial(self, port: str, baud_rate: int) -> SerialLine:
        self.baud_rates.add(baud_rate)
        return self.lines[port.removeprefix("/dev/")].open(baud_rate)

    def start(self) -> None:
        for name in SIDES:
            self.slots[name] = slot = self._slot(f"/dev/{name}", board=cast(Board, self), emit=self.emit, name=name)
            slot.start(self._teller(f"{name} in"), self._teller(f"{name} out"))

    def _teller(self, what: str) -> Callable[[str], None]:
        return lambda tag: self.tell(what, tag)

    def emit(self, name: str, /, **fields: object) -> None:
        self.tell(f"{name} {fields['part']}", str(fields.get("cause", "")))

    def tell(self, what: str, detail: str) -> None:
        self.told.append((round(self._loop.time(), 3), what, detail))

    @property
    def words(self) -> list[str]:
        return [what for _, what, _ in self.told]

    @property
    def stray_bytes(self) -> int:
        """How much garbage the left slot heard."""
        _, _, stray, *_ = self.slots["left"].health.split()
        return int(stray)

    def close(self) -> None:
        closers = [thing.close for things in (self.slots, self.readers, self.lines) for thing in things.values()]
        for close in closers:
            close()


def at_the_bench(
    slot: Callable[..., Slot], reader: Callable[..., R], story: Callable[[Bench[R]], Awaitable[None]], *, start: bool
) -> Bench[R]:
    """Play *story* in virtual time, the slots started or not, and return what is left."""

    failed: list[dict[str, Any]] = []

    async def main() -> Bench[R]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
        bench = Bench(slot, reader)
        if start:
            bench.start()
        try:
            await story(bench)
        finally:
            bench.close()
        return bench

    done: Any = run(main)
    assert not failed, "a callback raised"
    return cast(Bench[R], done)
