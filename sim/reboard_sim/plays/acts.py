"""The acts of a play, with their times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from math import ceil, floor, inf
from typing import Any

from reboard.aiotools import first_of
from reboard.errors import ReboardError
from reboard_sim.plays.checks import CheckError
from reboard_sim.plays.play_language import Line
from reboard_sim.recording import Act
from reboard_sim.virtual_pi import VirtualPi
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

BEAT_S = 0.001
"""The unit of time: acts begin at a multiple of it, so that the time of a recorded act has few digits."""

SAME_BEAT = 1e-6
"""The tolerance, in beats, for an instant on a beat."""

DIGITS = 9
"""The number of decimals of an instant. Rounding makes equal instants equal numbers."""


async def let_pass(seconds: float, *, act: float = inf) -> None:
    """Wait some virtual *seconds*, in the middle of the act with the number *act* if it is given."""
    await _reach(_loop().time() + seconds, act)


async def on_the_beat() -> None:
    """Wait until the next beat, at which an act can begin. That may be now."""
    await _reach(ceil(_loop().time() / BEAT_S - SAME_BEAT) * BEAT_S)


async def next_beat() -> None:
    """Wait until the next beat after now."""
    await _reach((floor(_loop().time() / BEAT_S + SAME_BEAT) + 1) * BEAT_S)


async def _reach(instant: float, act: float = inf) -> None:
    loop = _loop()
    instant = round(instant, DIGITS)
    if instant > loop.time():
        reached: asyncio.Future[None] = loop.create_future()
        timer = loop.call_at(instant, _set, reached)
        try:
            await reached
        finally:
            timer.cancel()
    await loop.come_last(act)


def _set(reached: asyncio.Future[None]) -> None:
    if not reached.done():
        reached.set_result(None)


def _loop() -> VirtualTimeLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    return loop


INSTANT_S = 0.001
"""The duration of the immediate effects of an act."""

WAITS = ("wait", "wait_until")
"""The acts that are waits. They begin at once, and end when the time is over or the event comes."""

WHOLE = ("edition", "config", "without", "seed", "fault", "mend", "power")
"""The acts that a cancelled play finishes."""

UNTIL_S = 60.0


class Acts:
    """A user who acts at *table*, a `reboard_sim.accessories.accessory.User`.

    `since` is the place in the table's log where the last act began. A ``wait until`` sees the events from there on.
    """

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._held: dict[tuple[str, str], tuple[Callable[[], None], str]] = {}
        self._act = Act(0, "", 0.0)
        self.since = 0

    @property
    def pi(self) -> VirtualPi:
        """The Pi of the table."""
        return self._table.pi

    @property
    def holds(self) -> set[tuple[str, str]]:
        """The devices and keys that this user holds, in the form of `VirtualPi.held`."""
        return set(self._held)

    async def do(self, line: Line) -> None:
        """Carry out one line. Raises a `ReboardError` if this table cannot carry it out."""
        name = line.form.name
        act: Callable[..., Coroutine[Any, Any, None]]
        act = partial(line.form.do, self) if line.form.do else getattr(self, name)
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
        await self.let_pass(INSTANT_S)
        self._table.done.end(self._act)

    def release_all(self) -> None:
        """Release everything that this user holds."""
        while self._held:
            _, (release, line) = self._held.popitem()
            release()
            self._act = self._table.done.begin(line)
            self.did(line)

    def hold(self, device: str, *what: str, line: str, release: str) -> None:
        """Press a device or a key of it. In a play, the line *line* does this, and the line *release* ends it."""
        acts = self.pi[device].acts()
        acts["press"](*what)
        self._held[(device, "".join(what))] = partial(acts["release"], *what), release
        self.did(line)

    def release(self, device: str, *what: str, line: str) -> None:
        """Release a device or a key that this user or another one holds."""
        self.pi[device].acts()["release"](*what)
        self._held.pop((device, "".join(what)), None)
        self.did(line)

    def did(self, line: str) -> None:
        """Record that the effect of the line *line* has happened."""
        self._table.done.touched(self._act, line)
        for listener in tuple(self._table.on_input):
            listener()

    async def let_pass(self, seconds: float) -> None:
        """Wait some virtual *seconds* in the middle of an act."""
        await let_pass(seconds, act=self._act.number)

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
        """Use another seed."""
        await self._table.reseed(n)

    async def wait(self, seconds: float) -> None:
        """Wait some virtual *seconds*."""
        await let_pass(seconds)

    async def wait_until(self, event: str, seconds: float = UNTIL_S) -> None:
        """Wait until *event* has happened since the beginning of the last act before this wait.

        Raises `CheckError` if it does not happen within *seconds*.
        """
        if await first_of(self._happened(event), let_pass(seconds)):
            raise CheckError(f"{event} within {seconds:g} s", "none")

    async def _happened(self, event: str) -> None:
        news = asyncio.Event()
        stop = self._table.log.listen(lambda _: news.set())
        try:
            while True:
                for place, logged in self._table.log.since(self.since):
                    self.since = place + 1
                    if logged["event"] == event:
                        return
                news.clear()
                await news.wait()
        finally:
            stop()

    async def fault(self, fault: str) -> None:
        """Begin a fault."""
        self._table.misbehave(fault, True)

    async def mend(self, fault: str) -> None:
        """End a fault."""
        self._table.misbehave(fault, False)

    async def power(self, power: str) -> None:
        """Switch the power on or off."""
        if power == "on":
            await self._table.power_on()
        else:
            await self._table.power_off()
