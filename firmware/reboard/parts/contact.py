"""Contacts: buttons, levers and switches that close a wire to ground."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from gpiozero import Factory

from reboard.either import either
from reboard.parts.wire import InputWire

SETTLE_S = 0.03
"""Longer than good switches bounce (a few milliseconds), shorter than a finger can press twice (some 60)."""

LONGEST_SETTLE_S = 1.0

STEADY_S = 0.05
"""A hand keeps a lever back for 0.15 s at the least, and notices no delay so short; what a motor's brushes or a bad
joint do to a wire is over sooner."""

Wait = Callable[[], Coroutine[Any, Any, None]]


class Contact:
    """A switch between a pin and ground (or 3.3 V with ``pull_up=False``).

    The first edge acts at once. Then the contact is left alone for *settle_s* seconds (above 0, at most 1) and its
    level looked at again, so that neither bounce nor an edge that was never told can leave it wrong. One held at
    the start is closed from the start. Raises `PartError` when the pin cannot be had.
    """

    def __init__(
        self,
        pin: int,
        *,
        pins: Factory,
        name: str = "contact",
        pull_up: bool = True,
        settle_s: float = SETTLE_S,
    ) -> None:
        if not 0 < settle_s <= LONGEST_SETTLE_S:
            raise ValueError(f"{name}: settle_s is {settle_s}, it must be above 0 and at most {LONGEST_SETTLE_S:g} s")
        self.name = name
        self._pin = pin
        self._settle_s = settle_s
        self._settling: asyncio.TimerHandle | None = None
        self._waiting: dict[bool, set[asyncio.Future[None]]] = {True: set(), False: set()}
        self._loop = asyncio.get_running_loop()
        self._wire = InputWire(pin, pins=pins, part=name, edge=self._edge, pull_up=pull_up)
        self._is_closed = self._wire.is_active
        if self._is_closed:  # perhaps only since a moment, and it bounces still
            self._settle()

    @property
    def is_closed(self) -> bool:
        """Whether the contact is closed, its bounce left out."""
        return self._is_closed

    async def closed(self) -> None:
        """Wait until it is closed; return at once if it is."""
        if not self._is_closed:
            await self._change_to(True)

    async def opened(self) -> None:
        """Wait until it is open; return at once if it is."""
        if self._is_closed:
            await self._change_to(False)

    async def closes(self) -> None:
        """Wait for the next closing from now on. One that is closed now has to open first."""
        await self._change_to(True)

    def close(self) -> None:
        """Give the pin back; nothing changes any more. May be called twice."""
        if self._settling:
            self._settling.cancel()
        self._wire.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object on pin GPIO{self._pin}, is_closed={self._is_closed}>"

    async def _change_to(self, closed: bool) -> None:
        change: asyncio.Future[None] = self._loop.create_future()
        self._waiting[closed].add(change)
        try:
            await change
        finally:
            self._waiting[closed].discard(change)

    def _edge(self, closed: bool) -> None:
        if self._settling or closed == self._is_closed:
            return
        self._is_closed = closed
        self._settle()
        for change in self._waiting[closed]:
            if not change.done():
                change.set_result(None)

    def _settle(self) -> None:
        self._settling = self._loop.call_later(self._settle_s, self._settled)

    def _settled(self) -> None:
        self._settling = None
        self._edge(self._wire.is_active)


class Button(Contact):
    """A push button."""

    async def pressed(self) -> None:
        """Wait for the next press from now on; one that is held has to be let go first."""
        await self.closes()


class Lever(Contact):
    """A lever that closes its contact when it is pulled all the way back.

    What is begun by a hand is begun by a hand alone: a glitch on the wire is neither a pull nor a letting go. What a
    pull ends can end with `closed`, at the first edge.
    """

    async def pulled_back(self) -> None:
        """Wait until it is all the way back and has stayed there for `STEADY_S`."""
        await self._steady(self.closed, until=self.opened)

    async def let_go(self) -> None:
        """Wait until it is not (any more) all the way back, and has not been for `STEADY_S`."""
        await self._steady(self.opened, until=self.closed)

    async def _steady(self, so: Wait, *, until: Wait) -> None:
        while True:
            await so()
            if await either(until(), asyncio.sleep(STEADY_S)) == 1:
                return
