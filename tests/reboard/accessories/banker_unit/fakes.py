"""A banker unit in virtual time, with fake slots, keypad and display."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

from reboard.accessories.banker_unit.accessory import BANKER_UNIT
from reboard.accessories.banker_unit.database import LedgerFile
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.phone_access import KeptPhoneAccess
from reboard.accessories.banker_unit.unit import BankerUnit
from reboard.accessories.table_vocabulary import PhonePay
from reboard.devices.audio.libraries import SilentSink
from reboard.devices.displays.text_display import AbsentDisplay, Displayed
from reboard.devices.keypad import AbsentKeypad
from reboard.devices.readers.presence import Presence, Tap
from reboard.devices.readers.reader import Slot
from reboard.devices.speaker import Speaker
from reboard.editions.edition import load_edition
from reboard.events import Emit, EmittedEvent, Events, ignore_event
from reboard.sounds import SoundSet
from reboard.strict_json import Json

DECK = tuple(f"D{number}" for number in range(1, 7))
A_MOMENT_S = 0.01

CODES = "4821", "7350"
"""The codes for phones that join, in their order."""

T = TypeVar("T")


class HandSlot(Slot):
    """A slot whose reader reports that a card comes and that it goes."""

    description = "a slot in a test"

    def __init__(self, presence: Presence | None = None) -> None:
        super().__init__(presence or Presence(), ignore_event, "slot")
        self.seen = self._presence.seen

    def take(self) -> None:
        assert self.tag
        self._presence.gone()


class TapSlot(HandSlot):
    """A slot whose reader reports a card once, and never that it goes."""

    def __init__(self) -> None:
        super().__init__(Tap())


class HandKeypad(AbsentKeypad):
    def start(
        self,
        pressed: Callable[[str], None],
        released: Callable[[str], None],
        cancelled: Callable[[], None],
        unclear: Callable[[], None],
    ) -> None:
        self.press, self.release, self.cancel, self.blur = pressed, released, cancelled, unclear


class HandDisplay(AbsentDisplay):
    is_working = True

    def __init__(self, emit: Emit) -> None:
        self._emit = emit

    def show(self, line1: str, line2: str, *, reported: tuple[str, str] | None = None) -> None:
        self.shown = line1.strip(), line2.strip()
        line1, line2 = reported or (line1, line2)
        self._emit(Displayed((line1.strip(), line2.strip())))


def stalling(**stalls_s: float) -> type[LedgerThread]:
    """A ledger thread whose disk needs so many seconds for these methods of the ledger or the game session."""

    class StallingLedgerThread(LedgerThread):
        async def ask(self, call: Callable[[LedgerFile], T]) -> T:
            asked = inspect.getclosurevars(call).nonlocals.get("change", call)
            _, method, *_ = asked.__qualname__.split(".")
            await asyncio.sleep(stalls_s.get(method, 0))
            return await super().ask(call)

    return StallingLedgerThread


SLOW_TO_PAY = stalling(pay_all=5.0)


class AtTheTable:
    """Everything that a user can do and notice at a unit with its ledger in *path*."""

    def __init__(
        self,
        path: Path,
        *,
        edition: str = "world",
        cards: Sequence[str] = DECK,
        names: Sequence[str] = (),
        seed: int = 1,
        books: type[LedgerThread] = LedgerThread,
        slots: type[HandSlot] = HandSlot,
        pot: bool = False,
        pay: PhonePay = "off",
        has_display: bool = True,
    ) -> None:
        loop = asyncio.get_running_loop()
        events = Events(loop.time)
        self.events: list[EmittedEvent] = []
        events.listen(self.events.append)
        self.left, self.right, self.keypad = slots(), slots(), HandKeypad()
        self.display = HandDisplay(events.emit)
        self.ledger_thread = books(partial(LedgerFile, path))
        session = GameSession(
            self.ledger_thread,
            load_edition(edition),
            emit=events.emit,
            wall_time=lambda: 1_700_000_000 + loop.time(),
            cards=cards,
            names=names,
            has_pot=pot,
            pay=pay,
        )
        speaker = Speaker(SoundSet.built_in(), SilentSink(), emit=events.emit)
        self.display.is_working = has_display
        devices = self.left, self.right, self.keypad, self.display, speaker
        self.codes = cycle(CODES)
        access = {"access": KeptPhoneAccess(), "draw_code": partial(next, self.codes)}
        self.unit = BankerUnit(*devices, session, rng=random.Random(seed), emit=events.emit, **access)  # type: ignore[arg-type]

    async def do(self, acts: str) -> None:
        """Do what the lines of a play say; semicolons separate them here."""
        for act in acts.split("; "):
            match act.split():
                case ["wait", seconds]:
                    await asyncio.sleep(float(seconds))
                case ["insert", side, card]:
                    (self.left if side == "left" else self.right).seen(f"D{card}")
                    await asyncio.sleep(A_MOMENT_S)
                case ["remove", side]:
                    (self.left if side == "left" else self.right).take()
                    await asyncio.sleep(A_MOMENT_S)
                case ["key", key]:
                    await self.key(key)
                case ["hold", key, seconds]:
                    await self.key(key, float(seconds))
                case ["type", text]:
                    for key in text:
                        await self.key(key)
                case _:
                    raise ValueError(act)

    async def key(self, key: str, seconds: float = 0.1) -> None:
        self.keypad.press(key)
        await asyncio.sleep(seconds)
        self.keypad.release(key)
        await asyncio.sleep(A_MOMENT_S)

    async def request(self, request: str, /, **args: object) -> dict[str, Any]:
        answer = await self.unit.request(BANKER_UNIT.vocabulary.requests[request].of(args))
        if isinstance(answer, Json):
            answer = json.loads(answer.text)
        assert answer is None or isinstance(answer, dict)
        return answer or {}

    @property
    def lines(self) -> tuple[str, str]:
        line1, line2 = self.told("display")[-1]["lines"]
        return line1, line2

    @property
    def snapshot(self) -> dict[str, Any]:
        return self.unit.snapshot()

    @property
    def refusals(self) -> list[object]:
        return [told["why"] for told in self.told("refused")]

    @property
    def moved(self) -> list[tuple[object, ...]]:
        """From, to, amount and reason of every transfer but the starts."""
        rows = [tuple(told[key] for key in ("from", "to", "amount", "reason")) for told in self.told("transfer")]
        return [row for row in rows if row[3] != "start"]

    @property
    def sounds(self) -> list[object]:
        return [told["name"] for told in self.told("sound")]

    def told(self, name: str) -> list[dict[str, Any]]:
        return [dict(event.fields) for event in self.events if event.name == name]

    def when(self, name: str) -> list[float]:
        return [event.t for event in self.events if event.name == name]

    @property
    def balances(self) -> dict[int, int]:
        return {card["number"]: card["balance"] for card in self.snapshot["cards"]}


@contextlib.asynccontextmanager
async def table(path: Path, **settings: Any) -> AsyncIterator[AtTheTable]:
    """A running unit; see `AtTheTable`. Its power is cut when the block is left."""
    at_table = AtTheTable(path, **settings)
    running = asyncio.create_task(at_table.unit.run(lambda: None))
    await asyncio.sleep(A_MOMENT_S)
    try:
        yield at_table
        assert not running.done(), "the unit stopped by itself"
    finally:
        running.cancel()
        await asyncio.wait([running])
        await at_table.ledger_thread.close()


def at_table(**settings: Any) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., Awaitable[None]]]:
    """Make a test of what a user does at a table; see `AtTheTable` for *settings*."""

    def make(scenario: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(scenario)
        async def test(ledger_file: Path, **fixtures: Any) -> None:
            async with table(ledger_file, **settings) as one:
                await scenario(one, **fixtures)

        signature = inspect.signature(scenario)
        _, *fixtures = signature.parameters.values()
        path = inspect.Parameter("ledger_file", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        test.__signature__ = signature.replace(parameters=[path, *fixtures])  # type: ignore[attr-defined]
        return test

    return make
