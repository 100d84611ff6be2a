"""A table on a virtual Pi, with its plug, its settings and everything that it ever told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from reboard.banker.book import LEDGER_FILE
from reboard.banker.no_ledger import NoLedgerError
from reboard.config import BankConfig, TableConfig
from reboard.door.server import TableDoor
from reboard.either import either
from reboard.events import Event
from reboard.sounds import SoundSet
from reboard.table import Table
from reboard_sim.event_log import EventLog
from reboard_sim.readers.virtual_reader import NoSuchCardError
from reboard_sim.recording import Recording
from reboard_sim.scene import Scene
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi

SETTLE_S = 0.2
"""What a display needs to come up: a hand that puts the plug in waits for that before it does anything else."""


class VirtualTable:
    """A virtual Pi, the shipping firmware on it, and a person's freedom to pull the plug. Without power at first.

    *seed* decides every outcome, deal, bounce and disturbance: the same seed and the same acts give the same run.
    *door* is where the table has its door while it is on; without it there is none. A table that *needs_ledger* raises
    `NoLedgerError` when it is switched on and cannot open its ledger, unless a fault of the virtual disk is the reason.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        seed: int,
        keep_sound_s: float = 600.0,
        door: Path | None = None,
        needs_ledger: bool = False,
    ) -> None:
        self.log = EventLog()
        self.sound_card = VirtualSoundCard(keep_s=keep_sound_s)
        self.faults: set[str] = set()
        self.table: Table | None = None
        self.plug_was_touched = False
        """Whether somebody has put the plug in, or pulled it."""
        self.switched_on_at = 0.0
        self.on_wire: list[Callable[[], None]] = []
        """Called whenever the level of a wire changes."""
        self.on_hands: list[Callable[[], None]] = []
        """Called whenever hands have moved something: taken hold of it, put it down, or let it go."""
        self._loop = asyncio.get_running_loop()
        self.made_at = self._loop.time()
        self.done = Recording(self._loop.time)
        """What hands did here."""
        self._seed = seed
        self._draws = 0
        self.scene = scene
        self._running: asyncio.Task[None] | None = None
        self._is_away = False
        self._undisturbed: set[asyncio.Task[None]] = set()
        self._needs_ledger = needs_ledger
        self._door_at = door
        self._door: TableDoor | None = None
        self._numbers: dict[str | None, int] = {}
        self.config = scene.config()
        self.began_with_a_ledger = (self.config.state.directory / LEDGER_FILE).exists()
        self.sounds = _sounds(self.config)
        self.pi = self._wired()

    async def power_on(self) -> None:
        """Put the plug in and wait until the table plays. Nothing happens when it is in already, or after `close`."""
        self.plug_was_touched = True
        if self._running or self._is_away:
            return
        self.pi.power_on()
        for fault in self.faults:
            self.pi.misbehave(fault, True)
        self.table = Table(self.config, self.pi, randomness=self._randomness)
        self.switched_on_at = self._loop.time()
        self._stop_telling = self.table.events.listen(self._tell)
        running = self._running = asyncio.create_task(self.table.run(), name="table")
        # somebody else may pull the plug meanwhile
        if await either(self.table.ready.wait(), asyncio.wait({running})) and self._running is running:
            running.result()
        self.check_ledger()
        await self._open_door()
        await asyncio.sleep(SETTLE_S)

    def check_ledger(self) -> None:
        """Raise `NoLedgerError` if this table needs its ledger, is on and has none."""
        is_disk_bad = any(fault.startswith("disk ") for fault in self.faults)
        if not self._needs_ledger or is_disk_bad or self.table is None or self.table.snapshot()["game"] is not None:
            return
        if cause := self.table.faults.get("ledger"):
            raise NoLedgerError(f"this table has no ledger: {cause}. Name another directory with --state")

    async def power_off(self) -> None:
        """Pull the plug: the Pi is dead, and its disk as it is at this instant, before the firmware can do anything."""
        self.plug_was_touched = True
        if not self._running:
            return
        self._stop_telling()
        self.pi.power_off()
        running, self._running, self.table = self._running, None, None
        door, self._door = self._door, None
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        if "disk damaged" in self.faults:
            with suppress(NoLedgerError):  # another process has this ledger, not this table
                self.pi.disk.damage(self.config.state.directory / LEDGER_FILE)
        if door:
            await door.close()

    async def close(self) -> None:
        """Pull the plug and put everything away."""
        self._is_away = True
        await self.power_off()
        await asyncio.gather(*self._undisturbed, return_exceptions=True)
        self.pi.close()

    def undisturbed(self, doing: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Do this to its end, even if nobody waits for it any more; `close` does."""
        task = asyncio.create_task(doing)
        self._undisturbed.add(task)
        task.add_done_callback(self._undisturbed.discard)
        return asyncio.shield(task)

    async def configure(self, setting: str, value: str | None) -> None:
        """Change one setting, or (``None``) leave it out. A table that is on is switched off and on again.

        Raises `ConfigError`.
        """
        scene = self.scene.changed(setting, value)
        was_on = self.is_on
        if was_on:
            await self.power_off()
        before, self.scene, self.config = self.config, scene, scene.config()
        self.sounds = _sounds(self.config)
        if _wiring(before) == _wiring(self.config):
            self.pi.config = self.config
        else:
            self._rewire()
        if was_on:
            await self.power_on()

    async def reseed(self, seed: int) -> None:
        """Draw by another number from here on. A table that is on is switched off and on again."""
        self._seed, self._draws = seed, 0
        self._wire_rng.seed(f"{seed} wires")
        if self._running:
            await self.power_off()
            await self.power_on()

    def misbehave(self, fault: str, on: bool) -> None:
        """Let one of `reboard_sim.faults.FAULTS` begin, or end. Raises `NotWiredError` when there is no such part."""
        self.pi.misbehave(fault, on)
        (self.faults.add if on else self.faults.discard)(fault)

    @property
    def is_on(self) -> bool:
        """Whether it has power."""
        return self._running is not None

    def snapshot(self) -> dict[str, Any]:
        """What the table says of itself; while it has no power, what one says that has not begun to play."""
        return (self.table or Table(self.config, self.pi)).snapshot()

    @property
    def cards_seen(self) -> list[str]:
        """The cards that have been in a slot and are known by a number, in their order."""
        return sorted(filter(None, self._numbers), key=lambda card: self._numbers[card])

    def shown_balance(self, card: str) -> str | None:
        """What the *card* holds, written the edition's way; ``None`` when it holds nothing in this game yet."""
        number = self._numbers.get(card)
        cards = self.snapshot()["cards"]
        return next((str(card["shown"]) for card in cards if card["number"] == number), None)

    async def _open_door(self) -> None:
        if self._door_at and self.table:
            self._door = TableDoor(self.table, self._door_at)
            self._door.claim()
            await self._door.open()

    def _randomness(self, use: str) -> Random:
        # counted, so that a table that was off and on again does not repeat itself
        self._draws += 1
        return Random(f"{self._seed} {use} {self._draws}")

    def _tell(self, event: Event) -> None:
        self.log.tell({**event.as_json(), "t": round(self._loop.time(), 6)})
        if event.name == "card.inserted" and isinstance(number := event.fields["number"], int):
            self._numbers[self.pi.reader(str(event.fields["slot"])).card] = number

    def _wired(self) -> VirtualPi:
        self._wire_rng = Random(f"{self._seed} wires")
        pi = VirtualPi(self.config, self._loop.time, rng=self._wire_rng, sound_card=self.sound_card)
        for line in pi.pins.lines.values():
            line.on_change.append(self._wire_changed)
        return pi

    def _wire_changed(self, _t: float, _duty: float) -> None:
        for listener in tuple(self.on_wire):
            listener()

    def _rewire(self) -> None:
        cards = {slot: self.pi.reader(slot).card for slot in self.pi.slots}
        self.pi.close()
        self.pi = self._wired()
        for slot, card in cards.items():
            if card and slot in self.pi.slots:
                with suppress(NoSuchCardError):
                    self.pi.reader(slot).put(card)


def _wiring(config: TableConfig) -> tuple[object, ...]:
    """What of a config is copper."""
    bank = config.bank or BankConfig()
    block = config.block and (config.block.button, config.block.lamp)
    apple = config.apple and (config.apple.lever, config.apple.motor)
    return block, apple, bank.left, bank.right, bank.keypad, bank.display


def _sounds(config: TableConfig) -> SoundSet:
    """What the speaker plays, for ears that know it."""
    folder = config.speaker and config.speaker.folder
    return SoundSet.with_folder(folder) if folder else SoundSet.built_in()
