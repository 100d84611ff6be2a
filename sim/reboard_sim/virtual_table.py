"""A virtual table, which runs the firmware on a virtual Pi: its power, settings and events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from reboard.accessories.installed import sound_folders
from reboard.aiotools import first_of
from reboard.control.socket_server import ControlSocket
from reboard.devices.device import never
from reboard.errors import ReboardError
from reboard.events import EmittedEvent
from reboard.sounds import SoundSet
from reboard.table import Table
from reboard.table_config import TableConfig
from reboard_sim.accessories.installed import databases, fault_named, simulated_accessories
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.devices.readers.virtual_reader import DECK, NoSuchCardError, VirtualReader
from reboard_sim.recording import EventLog, Recording
from reboard_sim.scene import Scene
from reboard_sim.virtual_pi import MONDAY_MORNING, VirtualPi

SETTLE_S = 0.2
"""The wait at the end of power-up, in seconds. The display needs this time before the first act."""


class VirtualTable:
    """A table that runs the firmware on a virtual Pi. Its power is off at first.

    *seed* determines every random result: the same seed and acts give the same run. *socket* is the path of the control
    socket (``None``: no socket). *keep_sound_s* is the duration of the sound that the sound card keeps, in seconds.
    If *needs_ledger* is true, `power_on` raises `ReboardError` when the ledger cannot be opened, unless the virtual
    disk has a fault. If *has_copies* is false, each card exists once, so it cannot be in two slots. *calendar* is the
    calendar time at 0 on the loop's clock, in seconds since 1970.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        seed: int,
        keep_sound_s: float = 600.0,
        socket: Path | None = None,
        needs_ledger: bool = False,
        has_copies: bool = True,
        calendar: float = MONDAY_MORNING,
    ) -> None:
        self.log = EventLog()
        self.sound_card = VirtualSoundCard(keep_s=keep_sound_s)
        self.faults: set[str] = set()
        self.table: Table | None = None
        self.plug_was_touched = False
        """Whether `power_on` or `power_off` has been called."""
        self.switched_on_at = 0.0
        self.changes = 0
        """The number of times that a setting was changed."""
        self.on_wire: list[Callable[[], None]] = []
        """The functions to call when the level of a line changes."""
        self.on_input: list[Callable[[], None]] = []
        """The functions to call after each effect of a user's act, such as the press or release of a device."""
        self._loop = asyncio.get_running_loop()
        self.made_at = self._loop.time()
        self.done = Recording(self._loop.time)
        """The recording of the user's acts."""
        self._seed = seed
        self._draws = 0
        self.has_copies = has_copies
        """Whether two slots can have copies of the same card."""
        self.scene = scene
        self._running: asyncio.Task[None] | None = None
        self._is_closed = False
        self._calendar = calendar
        self._undisturbed: set[asyncio.Task[None]] = set()
        self._needs_ledger = needs_ledger
        self._socket_path = socket
        self._socket: ControlSocket | None = None
        self._numbers: dict[str | None, int] = {}
        self.config = scene.config()
        self.began_with_a_ledger = any(each.exists() for each in databases(self.config.state.directory))
        self.first_balances: dict[int, str] = {}
        """The shown balance of each card in the game of the ledger with which the table began, keyed by number."""
        self.sounds = _sounds(self.config)
        self.pi = self._wired()

    async def power_on(self) -> None:
        """Switch the power on, and wait until the firmware is ready and the displays show it.

        A call has no effect if the power is on, or after `close`. Raises `ReboardError` as `check_ledger` does.
        """
        is_first = not self.plug_was_touched
        self.plug_was_touched = True
        if self._running or self._is_closed:
            return
        self.pi.power_on()
        self.restore_faults()
        self.table = Table(self.config, self.pi, randomness=self._randomness, began=self.made_at)
        self.switched_on_at = self._loop.time()
        self._stop_listening = self.table.events.listen(self._record)
        running = self._running = asyncio.create_task(self.table.run(), name="table")
        # another act may switch the power off meanwhile
        if await first_of(self.table.ready.wait(), asyncio.wait({running})) and self._running is running:
            running.result()
        self.check_ledger()
        if self.began_with_a_ledger and is_first:
            self.first_balances = {card["number"]: card["shown"] for card in self.snapshot().get("cards", ())}
        if self._socket_path and self.table:
            self._socket = ControlSocket(self.table, self._socket_path)
            self._socket.claim()
            await self._socket.open()
        await asyncio.sleep(SETTLE_S)

    def restore_faults(self) -> None:
        """Begin the active faults again, after the power of the Pi was switched on."""
        for fault in self.faults:
            self.pi.misbehave(fault_named(fault), True)

    async def failed(self) -> None:
        """Wait until no play can go on at this table, and raise the `ReboardError` that says why."""
        await never()

    def check_end(self) -> None:
        """Raise a `ReboardError` if a play that ends now has not passed, although every check held."""
        self.check_ledger()

    def check_ledger(self) -> None:
        """Raise `ReboardError` if the table is on and lacks a ledger that it needs, unless its disk has a fault."""
        if not self._needs_ledger or self.pi.disk.has_fault or self.table is None:
            return
        for each in simulated_accessories().values():
            if why := each.lacks(self.table.snapshot(), self.table.faults):
                raise ReboardError(why)

    async def power_off(self) -> None:
        """Cut the power and cancel the firmware. The firmware can no longer write to the disk.

        While the fault ``disk damaged`` is active, also damage the ledger file.
        """
        self.plug_was_touched = True
        if not self._running:
            return
        self._stop_listening()
        self.pi.power_off()
        running, self._running, self.table = self._running, None, None
        socket, self._socket = self._socket, None
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        if self.pi.disk.damaged:
            for database in databases(self.config.state.directory):
                with suppress(ReboardError):  # another process has this ledger open, not this table
                    self.pi.disk.damage(database)
        if socket:
            await socket.close()

    async def close(self) -> None:
        """Cut the power permanently, wait for the tasks of `undisturbed`, and close the virtual Pi."""
        self._is_closed = True
        await self.power_off()
        await asyncio.gather(*self._undisturbed, return_exceptions=True)
        self.pi.close()

    def undisturbed(self, doing: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Run *doing* to completion, even if the caller is cancelled, and return its future. `close` waits for it."""
        task = asyncio.create_task(doing)
        self._undisturbed.add(task)
        task.add_done_callback(self._undisturbed.discard)
        return asyncio.shield(task)

    async def configure(self, setting: str, value: str | None) -> None:
        """Change *setting* to the TOML *value*, or remove it (``None``). Restart the table if it is on.

        Raises `ConfigError` for an invalid change.
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
        self.changes += 1

    async def reseed(self, seed: int) -> None:
        """Use *seed* for all random results from now on. Restart the table if it is on."""
        self._seed, self._draws = seed, 0
        self._wire_rng.seed(f"{seed} wires")
        if self.is_on:
            await self.power_off()
            await self.power_on()

    def misbehave(self, fault: str, on: bool) -> None:
        """Begin the fault named *fault*, or end it if *on* is false. An active fault persists across restarts.

        Raises `NotWiredError` if the fault's device is not in the config.
        """
        self.pi.misbehave(fault_named(fault), on)
        (self.faults.add if on else self.faults.discard)(fault)

    @property
    def is_on(self) -> bool:
        return self._running is not None

    def snapshot(self) -> dict[str, Any]:
        """Return the firmware's snapshot. Without power, return the snapshot of firmware that has not started."""
        return (self.table or Table(self.config, self.pi, began=self.made_at)).snapshot()

    @property
    def cards_in_game(self) -> list[str]:
        """The cards that have an account in this game, in the order of their numbers.

        A number that no slot has read, such as that of a card that joined from a phone, is that card of the deck.
        """
        read = {number: card for card, number in self._numbers.items() if card}
        return [read.get(each["number"]) or DECK[each["number"] - 1] for each in self.snapshot()["cards"]]

    def shown_balance(self, card: str) -> str | None:
        number = self._numbers.get(card)
        if number is None and card in self.cards_in_game:
            number = DECK.index(card) + 1
        cards = self.snapshot()["cards"]
        return next((str(each["shown"]) for each in cards if each["number"] == number), None)

    def _randomness(self, use: str) -> Random:
        # counted, so that a restarted table does not repeat itself
        self._draws += 1
        return Random(f"{self._seed} {use} {self._draws}")

    def _record(self, event: EmittedEvent) -> None:
        self.log.append({**event.as_json(), "t": round(self._loop.time(), 6)})
        if event.name == "card.inserted" and isinstance(number := event.fields["number"], int):
            self._numbers[self.pi[f"bank.{event.fields['slot']}"].card] = number

    def _wired(self) -> VirtualPi:
        self._wire_rng = Random(f"{self._seed} wires")
        pi = self._make_pi(
            config=self.config,
            clock=self._loop.time,
            rng=self._wire_rng,
            sound_card=self.sound_card,
            calendar=self._calendar,
        )
        for line in pi.pins.lines.values():
            line.on_change.append(self._wire_changed)
        return pi

    def _make_pi(self, **of_table: Any) -> VirtualPi:
        return VirtualPi(**of_table)

    def _wire_changed(self, _t: float, _duty: float) -> None:
        for listener in tuple(self.on_wire):
            listener()

    def _rewire(self) -> None:
        before = self.pi.devices
        cards = {label: reader.card for label, reader in before.items() if isinstance(reader, VirtualReader)}
        self.pi.close()
        self.pi = self._wired()
        for label, card in cards.items():
            if card and isinstance(reader := self.pi.devices.get(label), VirtualReader):
                with suppress(NoSuchCardError):
                    reader.put(card)


def _wiring(config: TableConfig) -> dict[str, object]:
    return {device.label: device.config for device in config.devices()}


def _sounds(config: TableConfig) -> SoundSet:
    folder = config.speaker.folder if config.speaker else None
    return SoundSet.with_folder(folder, sound_folders())
