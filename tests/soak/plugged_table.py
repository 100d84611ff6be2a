"""A virtual table that hands work and whose plug can be pulled at any moment.

What hands do is a line of a play, so that what went wrong can be played again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.devices.readers.card_slot import Id12Config, KeyboardConfig
from reboard.errors import ReboardError
from reboard_sim.devices.readers.virtual_reader import NoSuchCardError
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import Line, parse_line
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop
from tests.soak.apple import Lever
from tests.soak.complaints import Complaints
from tests.soak.plug import Fuse, Moment, ledger_thread_with

T = TypeVar("T")


@cache
def line(text: str) -> Line:
    """A line of a play."""
    parsed = parse_line(text)
    assert parsed
    return parsed


class PluggedTable:
    """The table, its hands and its plug."""

    def __init__(self, folder: Path, *, seed: int, settings: Iterable[tuple[str, str]]) -> None:
        self.loop = VirtualTimeLoop()
        self.loop.set_exception_handler(self._complain)
        self.script: list[str] = [f"seed {seed}", *(f"config {key} '{value}'" for key, value in settings)]
        self.complaints = Complaints()
        logging.getLogger().addHandler(self.complaints)
        self.ledger = folder / LEDGER_FILE
        self.fuse = Fuse(self.loop, self._blow)
        self._patched = patch("reboard.accessories.banker_unit.accessory.LedgerThread", ledger_thread_with(self.fuse))
        self._patched.start()
        scene = Scene.load(None, folder)
        for key, value in settings:
            scene = scene.changed(key, value)
        self.cuts = 0
        self._cuts_to_come: list[asyncio.TimerHandle] = []
        self.acts = 0
        self._cutting: asyncio.Task[None] | None = None
        self.wait_for(self._begin(scene, seed))

    async def _begin(self, scene: Scene, seed: int) -> None:
        self.table = VirtualTable(scene, seed=seed)
        self.hands = Acts(self.table)
        assert self.table.config.section("apple")
        self.lever = Lever(self.table.config.section("apple").seconds)

    def wait_for(self, what: Awaitable[T]) -> T:
        """Let the table's time go on until it is done."""
        return self.loop.run_until_complete(what)

    @property
    def now(self) -> float:
        """The table's time."""
        return self.loop.time()

    @property
    def is_on(self) -> bool:
        """Whether the table has power."""
        return self.table.is_on

    def do(self, *texts: str) -> None:
        """Carry out lines of a play, with no idea of what will come of them."""
        self.wait_for(self._do(*texts))

    async def _do(self, *texts: str) -> None:
        for text in texts:
            self.script.append(text)
            self.acts += 1
            with suppress(NoSuchCardError):
                await self.hands.do(line(text))

    def cut_in(self, seconds: float) -> None:
        """Pull the plug in so many *seconds*, whatever is going on then."""
        self.script.append(f"# in {seconds:g} s the plug is pulled")
        self._cuts_to_come.append(self.loop.call_later(seconds, self._blow))

    def cut_at(self, moment: Moment, calls: int) -> None:
        """Pull the plug while the disk is at work."""
        self.script.append(f"# the plug is pulled {moment} the disk has done call {calls + 1} from here")
        self.fuse.arm(moment, calls)

    def _blow(self) -> None:
        """The plug is pulled: the Pi is dead before anything else happens."""
        if not self.is_on or self._cutting:
            self.fuse.let_go()
            return
        self.cuts += 1
        self.script.append("power off")
        self.lever.power(False, self.now)
        self._cutting = self.loop.create_task(self.table.power_off())
        self.loop.call_soon(self.fuse.let_go)

    def mend(self, fault: str) -> None:
        """Something misbehaves no more."""
        self.do(f"mend {fault}")
        if fault == "stuck lever":
            self.lever.stick(False, self.now)

    def take_out(self, slot: str) -> None:
        """Take a card out; readers that speak once want to hear it once more."""
        bank = self.table.config.section("bank")
        assert bank
        there = self.table.pi[f"bank.{slot}"].card
        if isinstance(bank.left if slot == "left" else bank.right, Id12Config | KeyboardConfig) and there:
            self.do("wait 1")
            self.table.pi[f"bank.{slot}"].put(there)
        self.do(f"remove {slot}")

    def pull_lever(self) -> None:
        """Pull it back and hold it."""
        self.script.append("pull lever")
        self.table.pi["apple.lever"].close()
        self.lever.hold(True, self.now)
        self.do("wait 0.15")

    def release_lever(self) -> None:
        """Let it go."""
        self.script.append("release lever")
        self.table.pi["apple.lever"].open()
        self.lever.hold(False, self.now)

    def let_go_of_everything(self) -> None:
        """No hand is at the table any more."""
        for key in self.table.pi["bank.keypad"].held:
            self.do(f"release {key}")
        self.table.pi["block.button"].open()
        self.release_lever()
        for slot in ("left", "right"):
            self.take_out(slot)

    def verify(self) -> list[str]:
        """What `reboard ledger verify` finds."""
        ledger = LedgerFile(self.ledger)
        try:
            return ledger.verify()
        finally:
            ledger.close()

    def latest(self) -> str:
        """The latest of what was told."""
        told = [one for _, one in self.table.log.since(self.table.log.end - 60)]
        return "\n".join(str(one) for one in told if one["event"] not in ("motor", "lamp", "deal.tick"))

    def close(self) -> float:
        """Put everything away; returns for how many seconds the evening lasted at the table."""
        self.fuse.disarm()
        if self._cutting:
            self.wait_for(self._cutting)
        with suppress(ReboardError):
            self.wait_for(self.table.close())
        self._patched.stop()
        logging.getLogger().removeHandler(self.complaints)
        seconds = self.now
        self.loop.close()
        return seconds

    def _complain(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.complaints.heard.append(repr(context))
