"""Contacts: buttons and levers, each a switch between a pin and ground.

A switch bounces: it opens and closes several times within a few milliseconds. A contact acts on the first edge,
ignores its pin for `SETTLE_S`, and then reads the level again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from reboard.aiotools import first_of
from reboard.board import Board
from reboard.config.kinds import Section, flag
from reboard.devices.device import Absent, DeviceKind, FittedDevice, TryOut
from reboard.devices.gpio.gpio_pin import InputPin
from reboard.events import Emit

if TYPE_CHECKING:
    from gpiozero import Factory

SETTLE_S = 0.03
"""The debounce time, in seconds. Good switches bounce for a few milliseconds. The fastest presses are about 60 ms
apart."""

STEADY_S = 0.05
"""The time for which a lever's level must be steady, in seconds. It filters out interference from a motor's brushes. A
player holds a lever for at least 0.15 s."""

Wait = Callable[[], Coroutine[Any, Any, None]]


class Contact:
    """A debounced switch between a pin and ground.

    The first edge changes the state at once. After `SETTLE_S` the level is read again, so that neither bounce nor a
    lost edge leaves the wrong state. A switch that is closed at the start counts as closed. *name* is the device's name
    in messages. Raises `DeviceError` if the pin cannot be used.
    """

    def __init__(self, pin: int, *, pins: Factory, name: str = "contact") -> None:
        self.name = name
        self._pin = pin
        self._settling: asyncio.TimerHandle | None = None
        self._waiting: dict[bool, set[asyncio.Future[None]]] = {True: set(), False: set()}
        self._loop = asyncio.get_running_loop()
        self._input = InputPin(pin, pins=pins, device=name, edge=self._edge)
        self._is_closed = self._input.is_active
        if self._is_closed:  # it may have closed just now, and still bounce
            self._settle()

    @property
    def is_closed(self) -> bool:
        """Whether the contact is closed, after debouncing."""
        return self._is_closed

    async def closed(self) -> None:
        """Wait until the contact is closed. Return at once if it already is."""
        if not self._is_closed:
            await self._change_to(True)

    async def opened(self) -> None:
        """Wait until the contact is open. Return at once if it already is."""
        if self._is_closed:
            await self._change_to(False)

    async def closes(self) -> None:
        """Wait until the contact next closes. A closed contact must open first."""
        await self._change_to(True)

    def close(self) -> None:
        """Release the pin. Can be called more than once."""
        if self._settling:
            self._settling.cancel()
        self._input.close()

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
        self._settling = self._loop.call_later(SETTLE_S, self._settled)

    def _settled(self) -> None:
        self._settling = None
        self._edge(self._input.is_active)


class Button(Contact):
    """A push button."""

    async def pressed(self) -> None:
        """Wait for the next press. A button that is held has to be released first."""
        await self.closes()


class Lever(Contact):
    """A lever that closes its contact when it is pulled all the way back.

    `pulled_back` and `released` ignore a level that lasts less than `STEADY_S`, such as interference. `closed` and
    `opened` return at the first edge.
    """

    async def pulled_back(self) -> None:
        """Wait until the lever has been all the way back for `STEADY_S`."""
        await self._steady(self.closed, until=self.opened)

    async def released(self) -> None:
        """Wait until the lever has been released for `STEADY_S`."""
        await self._steady(self.opened, until=self.closed)

    async def _steady(self, reached: Wait, *, until: Wait) -> None:
        while True:
            await reached()
            if await first_of(until(), asyncio.sleep(STEADY_S)) == 1:
                return


class AbsentContact(Absent):
    """The stand-in for a button or lever that the config leaves out: always open."""

    is_closed = False

    async def opened(self) -> None:
        pass

    async def closes(self) -> None:
        await asyncio.get_running_loop().create_future()

    closed = pressed = pulled_back = closes
    released = opened


D = TypeVar("D", bound=Contact)


@dataclass(frozen=True, slots=True)
class ContactWiring:
    """The table ``[wiring.button]`` or ``[wiring.lever]``.

    *protected* is whether the contact's line has its series resistor, pull-up resistor and capacitor.
    """

    protected: Annotated[bool, flag] = True


class ContactKind(DeviceKind[int, D]):
    """The device kind of contacts: one switch between a pin and ground."""

    name = "contact"
    absent = cast(Any, AbsentContact)
    wiring = Section(ContactWiring)
    driver: type[D]
    verb: str

    def pins(self, config: int) -> Mapping[str, int]:
        return {"": config}

    def open_driver(self, config: int, name: str, board: Board, emit: Emit) -> D:
        return self.driver(config, pins=board.pins, name=name)

    async def try_out(self, device: FittedDevice[int, D], work: TryOut) -> int:
        what = f"its {device.noun}" if device.title.endswith(device.noun) else f"the {device.title}"
        gesture = device.gesture or f"{self.verb} the {device.noun}"
        return await work.ask_input_pin(device.label, what, gesture, device.usual)


class ButtonKind(ContactKind[Button]):
    """The device kind of push buttons."""

    wiring_name = "button"
    driver = Button
    verb = "Press"


class LeverKind(ContactKind[Lever]):
    """The device kind of levers."""

    wiring_name = "lever"
    driver = Lever
    verb = "Pull"


BUTTON, LEVER = ButtonKind(), LeverKind()
