"""A banker unit in virtual time, with fake slots, keypad, display and speaker."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from reboard.accessories.accessory import Json
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.unit import BankerUnit
from reboard.accessories.banker_unit.unit_state import Side
from reboard.devices.display import AbsentDisplay
from reboard.devices.keypad import AbsentKeypad
from reboard.devices.readers.presence import Tap
from reboard.devices.speaker import Speaker
from reboard.editions.edition import load_edition
from reboard.events import Event, Events

DECK = tuple(f"D{number}" for number in range(1, 7))
A_MOMENT_S = 0.01

T = TypeVar("T")


class HandSlot:
    description = "a slot in a test"
    statistics = "well"

    def __init__(self) -> None:
        self._tag: str | None = None
        self._inserted: Callable[[str], None] = lambda _: None
        self._removed: Callable[[str], None] = lambda _: None

    @property
    def tag(self) -> str | None:
        return self._tag

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        self._inserted, self._removed = inserted, removed

    def put(self, tag: str) -> None:
        self._tag = tag
        self._inserted(tag)

    def take(self) -> None:
        assert self._tag is not None
        tag, self._tag = self._tag, None
        self._removed(tag)

    def done(self) -> None: ...

    def in_use(self, on: bool) -> None: ...

    def forget(self, tag: str) -> bool:
        return False

    def close(self) -> None: ...


class TapSlot(HandSlot):
    """A slot whose reader speaks once: a card is put, and nobody says that it went."""

    def __init__(self) -> None:
        super().__init__()
        self._tap = Tap()

    @property
    def tag(self) -> str | None:
        return self._tap.tag

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        self._tap.start(inserted, removed)

    def put(self, tag: str) -> None:
        self._tap.seen(tag)

    def done(self) -> None:
        self._tap.done()

    def in_use(self, on: bool) -> None:
        self._tap.in_use(on)

    def forget(self, tag: str) -> bool:
        return self._tap.forget(tag)

    def close(self) -> None:
        self._tap.close()


class HandKeypad(AbsentKeypad):
    def start(
        self,
        pressed: Callable[[str], None],
        released: Callable[[str], None],
        called_off: Callable[[], None],
        unclear: Callable[[], None],
    ) -> None:
        self.press, self.release, self.call_off, self.blur = pressed, released, called_off, unclear


class HandDisplay(AbsentDisplay):
    def __init__(self) -> None:
        self.lines = ("", "")
        self.dark = False
        self.shown: list[tuple[float, tuple[str, str]]] = []

    def show(self, line1: str, line2: str) -> None:
        assert len(line1) <= 16
        assert len(line2) <= 16
        self.lines = (line1, line2)
        self.shown.append((asyncio.get_running_loop().time(), self.lines))

    def sleep(self) -> None:
        self.dark = True

    def wake(self) -> None:
        self.dark = False


class HandSpeaker(Speaker):
    def __init__(self) -> None:
        self._volume = 3
        self.heard: list[tuple[float, str]] = []

    @property
    def volume(self) -> int:
        return self._volume

    @volume.setter
    def volume(self, volume: int) -> None:
        self._volume = volume

    def play(self, name: str) -> float:
        self.heard.append((asyncio.get_running_loop().time(), name))
        return 0.3


class StallingLedgerThread(LedgerThread):
    """A memory card that takes so many seconds for what the till's methods ask of it."""

    stalls_s: ClassVar[Mapping[str, float]] = {"pay": 5.0}

    async def ask(self, call: Callable[[Ledger], T]) -> T:
        _, method, *_ = call.__qualname__.split(".")
        await asyncio.sleep(self.stalls_s.get(method, 0))
        return await super().ask(call)


@dataclass
class AtTheTable:
    """Everything that a hand can do, and an eye or an ear notice. What a hand does is done when the call returns."""

    unit: BankerUnit
    books: LedgerThread
    left: HandSlot
    right: HandSlot
    keypad: HandKeypad
    display: HandDisplay
    speaker: HandSpeaker
    events: list[Event] = field(default_factory=list)

    async def insert(self, side: Side, card: int | str) -> None:
        self._slot(side).put(DECK[card - 1] if isinstance(card, int) else card)
        await self.wait(A_MOMENT_S)

    async def remove(self, side: Side) -> None:
        self._slot(side).take()
        await self.wait(A_MOMENT_S)

    async def key(self, key: str, seconds: float = 0.1) -> None:
        self.keypad.press(key)
        await self.wait(seconds)
        self.keypad.release(key)
        await self.wait(A_MOMENT_S)

    async def choose(self, entry: int) -> None:
        """From the menu, which ``GO`` held opens."""
        await self.key("GO", seconds=1.6)
        await self.key(str(entry))

    async def type(self, text: str) -> None:
        for key in text:
            await self.key(key)

    async def request(self, request: str, /, **args: object) -> dict[str, Any]:
        answer = await self.unit.request(request, args)
        assert answer is None or isinstance(answer, dict)
        return answer or {}

    async def history(self) -> str:
        answer = await self.unit.request("history", {})
        assert isinstance(answer, Json)
        return answer.text

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    @property
    def lines(self) -> tuple[str, str]:
        return self.display.lines[0].strip(), self.display.lines[1].strip()

    @property
    def refusals(self) -> list[object]:
        return [told["why"] for told in self.told("refused")]

    @property
    def moved(self) -> list[tuple[object, ...]]:
        """From, to, amount and reason of every transfer but the starts."""
        rows = [tuple(told[key] for key in ("from", "to", "amount", "reason")) for told in self.told("transfer")]
        return [row for row in rows if row[3] != "start"]

    @property
    def sounds(self) -> list[str]:
        return [name for _, name in self.speaker.heard]

    def told(self, name: str) -> list[dict[str, object]]:
        return [dict(event.fields) for event in self.events if event.name == name]

    def when(self, name: str) -> list[float]:
        return [event.t for event in self.events if event.name == name]

    @property
    def balances(self) -> dict[object, object]:
        cards = self.unit.snapshot()["cards"]
        assert isinstance(cards, list)
        return {card["number"]: card["balance"] for card in cards}

    def _slot(self, side: Side) -> HandSlot:
        return self.left if side == "left" else self.right


@contextlib.asynccontextmanager
async def table(
    path: Path,
    *,
    edition: str = "world",
    cards: Sequence[str] = DECK,
    names: Sequence[str] = (),
    language: str = "en",
    seed: int = 1,
    books: type[LedgerThread] = LedgerThread,
    slots: tuple[type[HandSlot], type[HandSlot]] = (HandSlot, HandSlot),
    pot: bool = False,
) -> AsyncIterator[AtTheTable]:
    """A running unit with its ledger in *path*; switched off, without ceremony, when the block is left."""
    loop = asyncio.get_running_loop()
    left, right = (slot() for slot in slots)
    keypad, display, speaker = HandKeypad(), HandDisplay(), HandSpeaker()
    events = Events(loop.time)
    keeper = books(partial(LedgerFile, path))
    unit = BankerUnit(
        left,
        right,
        keypad,
        display,
        speaker,
        edition=load_edition(edition),
        ledger_thread=keeper,
        rng=random.Random(seed),
        wall_time=lambda: 1_700_000_000 + loop.time(),
        cards=cards,
        names=names,
        language=language,
        emit=events.emit,
        pot=pot,
    )
    at_table = AtTheTable(unit, keeper, left, right, keypad, display, speaker)
    events.listen(at_table.events.append)
    story = asyncio.create_task(unit.run())
    await asyncio.sleep(A_MOMENT_S)
    try:
        yield at_table
        assert not story.done(), "the unit stopped by itself"
    finally:
        story.cancel()
        await asyncio.wait([story])
        await keeper.close()


User = Callable[[AtTheTable], Awaitable[None]]

Play = Callable[..., None]
"""Plays what the user does at a table, in virtual time; see `table` for its settings."""
