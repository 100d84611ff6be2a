"""A virtual table that a user works with, and whose plug can be pulled at any moment.

Each act of the user is a line of a play, so that a failed evening can be played again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.errors import ReboardError
from reboard_sim.devices.readers.virtual_reader import NoSuchCardError
from reboard_sim.plays.acts import Acts
from reboard_sim.plays.play_language import parse_play
from reboard_sim.scene import Scene
from reboard_sim.virtual_pi import NotWiredError
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop
from tests.soak.apple_model import Lever

T = TypeVar("T")

SLOTS = ("left", "right")
MOMENT_S = 0.001


class Fuse:
    """Calls *blow* on *loop* at one moment of the ledger thread's work, which goes on a moment later."""

    def __init__(self, loop: VirtualTimeLoop, blow: Callable[[], None]) -> None:
        self._loop = loop
        self._blow = blow
        self._armed: tuple[str, int] | None = None

    def arm(self, moment: str, calls: int) -> None:
        """Blow ``before`` or ``after`` the next call but *calls*; after it, the event loop does not know of it yet."""
        self._armed = moment, calls

    def disarm(self) -> None:
        self._armed = None

    def patched(self) -> Any:
        """A patch of the ledger thread, which it reaches at each call."""
        run = LedgerThread._run

        def fused(thread: LedgerThread, work: Callable[[Ledger], T]) -> T:
            self._reached("before")
            try:
                return run(thread, work)
            finally:
                self._reached("after")

        return patch.object(LedgerThread, "_run", fused)

    def _reached(self, moment: str) -> None:
        match self._armed:
            case (armed, 0) if armed == moment:
                self._armed = None
                self._loop.call_soon(self._blow)
                self._loop.jobs.stall(MOMENT_S, may_begin_again=moment == "before")
            case (armed, calls) if armed == moment:
                self._armed = armed, calls - 1


class TracebackLog(logging.Handler):
    """Keeps the log records that have a traceback: defects of reboard."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.found.append(self.format(record))


class PluggedTable:
    """The table, its user and its plug."""

    def __init__(self, folder: Path, *, seed: int, settings: Iterable[tuple[str, str]]) -> None:
        self.loop = VirtualTimeLoop()
        self.tracebacks = TracebackLog()
        self.loop.set_exception_handler(lambda _, context: self.tracebacks.found.append(repr(context)))
        logging.getLogger().addHandler(self.tracebacks)
        self.script: list[str] = [f"seed {seed}", *(f"config {key} '{value}'" for key, value in settings)]
        self.ledger = folder / LEDGER_FILE
        self.fuse = Fuse(self.loop, self._blow)
        self._patched = self.fuse.patched()
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
        self.lever = Lever(self.section("apple").seconds)

    def section(self, name: str) -> Any:
        """The config of an accessory."""
        return self.table.config.section(name)

    def wait_for(self, what: Awaitable[T]) -> T:
        """Let virtual time pass until *what* is done."""
        return self.loop.run_until_complete(what)

    @property
    def now(self) -> float:
        return self.loop.time()

    @property
    def is_playing(self) -> bool:
        """Whether it has power and the plug is not being pulled."""
        return self.table.is_on and not self._cutting

    def do(self, *texts: str) -> None:
        """Carry out lines of a play, and expect nothing of them."""
        self.wait_for(self._do(*texts))

    async def _do(self, *texts: str) -> None:
        for text, line in zip(texts, parse_play("\n".join(texts)), strict=True):
            self.script.append(text)
            self.acts += 1
            with suppress(NoSuchCardError):
                await self.hands.do(line)

    def cut_in(self, seconds: float) -> None:
        """Pull the plug in this many *seconds*, whatever goes on then."""
        self.script.append(f"# in {seconds:g} s the plug is pulled")
        self._cuts_to_come.append(self.loop.call_later(seconds, self._blow))

    def cut_at(self, moment: str, calls: int) -> None:
        """Pull the plug while the disk works."""
        self.script.append(f"# the plug is pulled {moment} the disk has done call {calls + 1} from here")
        self.fuse.arm(moment, calls)

    def _blow(self) -> None:
        """Pull the plug: the Pi is off before anything else happens."""
        if not self.is_playing:
            self.fuse.disarm()
            return
        self.cuts += 1
        self.script.append("power off")
        self.lever.power(False, self.now)
        self._cutting = self.loop.create_task(self.table.power_off())

    def fault(self, fault: str) -> None:
        with suppress(NotWiredError):  # no reader has every fault
            self.do(f"fault {fault}")
        if fault == "stuck lever":
            self.lever.move(self.now, stuck=True)

    def mend(self, *faults: str) -> None:
        for fault in faults or sorted(self.table.faults):
            self.do(f"mend {fault}")
            if fault == "stuck lever":
                self.lever.move(self.now, stuck=False)

    def take_out(self, *slots: str) -> None:
        """Take cards out. A reader that speaks once must read the card once more."""
        for slot in slots:
            there = self.table.pi[f"bank.{slot}"].card
            if there and self.table.pi[f"bank.{slot}"].reports_once:
                self.do("wait 1")
                self.table.pi[f"bank.{slot}"].put(there)
            self.do(f"remove {slot}")

    def pull_lever(self) -> None:
        self._move_lever("pull")
        self.do("wait 0.15")

    def release_lever(self) -> None:
        self._move_lever("release")

    def _move_lever(self, act: str) -> None:
        self.script.append(f"{act} lever")
        contact = self.table.pi["apple.lever"]
        (contact.press if act == "pull" else contact.release)()
        self.lever.move(self.now, held=act == "pull")

    def release_everything(self) -> None:
        for key in self.table.pi["bank.keypad"].held:
            self.do(f"release {key}")
        self.table.pi["block.button"].release()
        self.release_lever()
        self.take_out(*SLOTS)

    def latest(self) -> str:
        """The latest events."""
        told = [one for _, one in self.table.log.since(self.table.log.end - 60)]
        return "\n".join(str(one) for one in told if one["event"] not in ("motor", "lamp", "deal.tick"))

    def close(self) -> float:
        """Release everything, and return the length of the evening in seconds."""
        self.fuse.disarm()
        if self._cutting:
            self.wait_for(self._cutting)
        with suppress(ReboardError):
            self.wait_for(self.table.close())
        self._patched.stop()
        logging.getLogger().removeHandler(self.tracebacks)
        seconds = self.now
        self.loop.close()
        return seconds
