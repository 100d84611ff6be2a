"""What hands do at the table: one method for each act of a play, each as long as a hand takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from reboard.either import either
from reboard.errors import ReboardError
from reboard_sim.deck import called
from reboard_sim.eyes import NotSoError
from reboard_sim.hand_time import let_pass, on_the_beat
from reboard_sim.play_language import Line
from reboard_sim.recording import Act
from reboard_sim.switch import Switch
from reboard_sim.virtual_table import VirtualTable

INSTANT_S = 0.001
"""What an act brings about at once has come about before eyes look."""

WAITS = ("wait", "wait_until")
"""Acts by which hands do nothing: they begin at once, and end when what is waited for is there."""

WHOLE = ("edition", "config", "without", "seed", "fault", "mend", "power")
"""Acts that nobody can leave off in the middle."""

TAP_S = 0.08
"""How long a key or a button is down when it is tapped, and the least time until the next."""
PRESS_S = 0.1
PULL_S = 0.15
CARD_S = 0.3
"""How long a hand is busy with a card that it puts in."""
TAKE_S = 0.7
"""A card is gone for a reader that repeats only after some silence: a hand that takes one out waits for that."""
UNTIL_S = 60.0


class Hands:
    """A pair of hands at *table*. Acts are those of the play language, by the names of their forms.

    `since` is the place in the table's log at which the last act began: a ``wait until`` looks back to there.
    """

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._held: dict[str, Callable[[], None]] = {}
        self._act = Act(0, "", 0.0)
        self.since = 0

    @property
    def holds(self) -> set[str]:
        """What they hold: keys by their name, ``block`` and ``lever``."""
        return set(self._held)

    async def do(self, line: Line) -> None:
        """Carry out one line. Raises a `ReboardError` when it cannot be done at this table."""
        name = line.form.name
        act: Callable[..., Coroutine[Any, Any, None]] = getattr(self, name)
        if name in WAITS:
            if name == "wait":
                self.since = self._table.log.end
            await act(**line.values)
            return
        await on_the_beat()
        self.since = self._table.log.end
        self._act = self._table.done.begin(line.text, is_whole=name in WHOLE)
        try:
            await (self._table.undisturbed(act(**line.values)) if name in WHOLE else act(**line.values))
        except ReboardError:
            self._act.was_refused = True
            raise
        await self._pass(INSTANT_S)
        self._table.done.end(self._act)

    def let_go(self) -> None:
        """Let go of everything that these hands hold."""
        while self._held:
            name, release = self._held.popitem()
            release()
            self._act = self._table.done.begin(f"release {name}")
            self._touched(self._act.text)

    async def _pass(self, seconds: float) -> None:
        await let_pass(seconds, act=self._act.number)

    def _touched(self, text: str) -> None:
        self._table.done.touched(self._act, text)
        for listener in tuple(self._table.on_hands):
            listener()

    async def edition(self, name: str) -> None:
        """Play another boxed game."""
        await self._table.configure("edition", f'"{name}"')

    async def config(self, setting: str, value: str) -> None:
        """Change a setting."""
        await self._table.configure(setting, value)

    async def without(self, setting: str) -> None:
        """Leave a setting out."""
        await self._table.configure(setting, None)

    async def seed(self, n: int) -> None:
        """Draw by another number."""
        await self._table.reseed(n)

    async def insert(self, slot: str, card: str) -> None:
        """Put a card in, after taking out the one that is there."""
        reader = self._table.pi.reader(slot)
        reader.says(card)
        if reader.card is not None:
            await self.remove(slot)
        reader.put(card)
        self._touched(f"insert {slot} {called(card)}")
        await self._pass(CARD_S)

    async def remove(self, slot: str) -> None:
        """Take the card out."""
        self._table.pi.reader(slot).take()
        self._touched(f"remove {slot}")
        await self._pass(TAKE_S)

    async def type_amount(self, amount: str) -> None:
        """Type an amount key by key."""
        for key in amount:
            await self.key(key)

    async def key(self, key: str) -> None:
        """Tap one key."""
        await self.hold_key(key, TAP_S)
        await self._pass(TAP_S)

    async def hold_key(self, key: str, seconds: float | None = None) -> None:
        """Press a key, and let go after *seconds*, if said."""
        keypad = self._table.pi.keypad
        keypad.press(key)
        self._held[key] = partial(keypad.release, key)
        self._touched(f"hold {key}")
        if seconds is not None:
            await self._pass(seconds)
            await self.release_key(key)

    async def release_key(self, key: str) -> None:
        """Let go of a key."""
        self._table.pi.keypad.release(key)
        self._held.pop(key, None)
        self._touched(f"release {key}")

    async def press_block(self, seconds: float = PRESS_S) -> None:
        """Press the question block and let go."""
        await self.hold_block()
        await self._pass(seconds)
        await self.release_block()

    async def hold_block(self) -> None:
        """Press the question block."""
        self._hold("block", self._table.pi.button)

    async def release_block(self) -> None:
        """Let go of the question block."""
        self._release("block", self._table.pi.button)

    async def pull_lever(self) -> None:
        """Pull the lever all the way back."""
        self._hold("lever", self._table.pi.lever)
        await self._pass(PULL_S)

    async def release_lever(self) -> None:
        """Let the lever go: it springs back in no time, so that what follows is timed from here."""
        self._release("lever", self._table.pi.lever)

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await let_pass(seconds)

    async def wait_until(self, event: str, seconds: float = UNTIL_S) -> None:
        """Let time pass until *event* has happened, counted from the beginning of the last act before this wait.

        Raises `NotSoError` when it does not happen within *seconds*.
        """
        if await either(self._happened(event), let_pass(seconds)):
            raise NotSoError(f"{event} within {seconds:g} s", "none")

    def _hold(self, name: str, switch: Switch) -> None:
        switch.close()
        self._held[name] = switch.open
        self._touched("pull lever" if name == "lever" else f"hold {name}")

    def _release(self, name: str, switch: Switch) -> None:
        switch.open()
        self._held.pop(name, None)
        self._touched(f"release {name}")

    async def _happened(self, event: str) -> None:
        news = asyncio.Event()
        stop = self._table.log.listen(lambda _: news.set())
        try:
            while True:
                for place, told in self._table.log.since(self.since):
                    self.since = place + 1
                    if told["event"] == event:
                        return
                news.clear()
                await news.wait()
        finally:
            stop()

    async def fault(self, fault: str) -> None:
        """Make something misbehave."""
        self._table.misbehave(fault, True)

    async def mend(self, fault: str) -> None:
        """Make it behave again."""
        self._table.misbehave(fault, False)

    async def power(self, power: str) -> None:
        """Pull the plug, or put it back."""
        if power == "on":
            await self._table.power_on()
        else:
            await self._table.power_off()
