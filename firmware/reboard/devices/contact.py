"""Contacts: buttons and levers, each a switch between a pin and ground.

A switch bounces, and its wire picks up sparks of motors and the hum of the mains. So a contact changes its state only
after its pin has had the other level for some milliseconds.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, cast

from reboard.config.kinds import Section, flag
from reboard.devices.device import Absent, FittedDevice, PinKind, never
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import InputPin
from reboard.events import Emit, FaultState, ignore_event
from reboard.languages import translatable
from reboard.record import Record

if TYPE_CHECKING:
    from gpiozero import Factory

RESOLUTION_S = 1e-6
"""The difference between times that counts as none, in seconds."""

COUNTED_BACK = 3.0
"""The factor with which time at the level of the present state counts back. A burst of sparks adds up to nothing, and
neither does hum that closes a contact for up to three quarters of its time."""

COUNTED_BACK_CLOSED = 0.4
"""The same factor while the state is closed. A held contact that slips for 20 ms every 70 ms stays closed, but hum does
not keep a released one closed."""

NOISY_S = 0.044
"""The debounce time of a contact that closes in noise, in seconds. Sparks and hum together close for 40 ms."""

FALSE_START_S = 0.008
"""The time for which noise closes a contact in vain, in seconds. A switch that bounces is not closed for so long."""

RESTLESS_S = 5.0
"""The time after which a contact that never comes to rest is a fault, in seconds."""

CALM_S = 1.0
"""The time at rest after which it is none any more, in seconds."""


class Contact:
    """A debounced switch between a pin and ground.

    The state changes after the pin has had the other level for `STEADY_S`, not counting what is made up for by
    `COUNTED_BACK` or `COUNTED_BACK_CLOSED`. A switch that is closed at the start counts as closed. A contact that is
    closed for `STUCK_S`, or that opens and closes all the time, causes a ``fault`` event for *name*. Raises
    `DeviceError` if the pin cannot be used.
    """

    STEADY_S: ClassVar[float] = 0.022
    """The debounce time, in seconds. Sparks, hum and bounce last up to 20 ms. The fastest presses are about 60 ms
    apart."""

    STUCK_S: ClassVar[float] = 30.0
    """The time after which a closed contact is a fault, in seconds: no user presses a button for so long."""

    def __init__(self, pin: int, *, pins: Factory, name: str = "contact", emit: Emit = ignore_event) -> None:
        self.name = name
        self._pin = pin
        self._fault = FaultState(name, emit)
        self._waiting: dict[str, set[asyncio.Future[None]]] = {"closed": set(), "opened": set(), "touched": set()}
        self._loop = asyncio.get_running_loop()
        self._input = InputPin(pin, pins=pins, device=name, edge=self._edge)
        self._is_closed = self._level = self._input.is_active
        """The state, and the level of the pin after its last edge: true if it is low."""
        self._other_s = 0.0
        """The time for which the pin has had the other level than that of the state, in seconds."""
        self._changed_at = self._edge_at = self._counted_to = self._loop.time()
        self._restless_since: float | None = None
        self._is_noisy = False
        """Whether the contact has closed in vain since it was last at rest."""
        self._timer: asyncio.TimerHandle | None = None
        self._rest()

    @property
    def is_closed(self) -> bool:
        """Whether the contact is closed, after debouncing."""
        return self._is_closed

    async def closed(self) -> None:
        """Wait until the contact is closed. Return at once if it already is."""
        if not self._is_closed:
            await self._next("closed")

    async def opened(self) -> None:
        """Wait until the contact is open. Return at once if it already is."""
        if self._is_closed:
            await self._next("opened")

    async def closes(self) -> None:
        """Wait until the contact next closes. A closed contact must open first."""
        await self._next("closed")

    async def touched(self) -> None:
        """Wait for any sign of a closed contact, which can also be a spark. Return at once if the pin is low."""
        if not self._level:
            await self._next("touched")

    def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._input.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object on pin GPIO{self._pin}, is_closed={self._is_closed}>"

    async def _next(self, change: str) -> None:
        waiting: asyncio.Future[None] = self._loop.create_future()
        self._waiting[change].add(waiting)
        try:
            await waiting
        finally:
            self._waiting[change].discard(waiting)

    def _report(self, change: str) -> None:
        for waiting in self._waiting[change]:
            if not waiting.done():
                waiting.set_result(None)

    def _edge(self, low: bool) -> None:
        self._moved(low, self._loop.time() - self._input.age_s)

    def _moved(self, low: bool, at: float) -> None:
        self._count(at)
        if not low and not self._is_closed and at >= self._edge_at + FALSE_START_S:
            self._is_noisy = True
        self._edge_at = max(self._edge_at, at)
        if self._restless_since is None:
            self._restless_since = at
        self._level = low
        if low:
            self._report("touched")
        self._rest()

    def _count(self, at: float) -> None:
        """Count the time until *at* at the present level, and change the state if it is enough."""
        passed_s, self._counted_to = max(0.0, at - self._counted_to), max(at, self._counted_to)
        if self._level == self._is_closed:
            factor = COUNTED_BACK_CLOSED if self._is_closed else COUNTED_BACK
            self._other_s = max(0.0, self._other_s - factor * passed_s)
            return
        self._other_s += passed_s
        if self._other_s >= self._steady_s - RESOLUTION_S:
            self._is_closed, self._other_s, self._changed_at = self._level, 0.0, self._counted_to
            self._report("closed" if self._is_closed else "opened")

    @property
    def _steady_s(self) -> float:
        """The debounce time now, in seconds."""
        return max(self.STEADY_S, 0.0 if self._is_closed or not self._is_noisy else NOISY_S)

    def _rest(self) -> None:
        """Report a fault or its end, and set the timer for the next look."""
        # a press is no rest, so that hum stays a fault while players press
        now, rest_s = self._loop.time(), CALM_S if self._fault.cause or self._level else self.STEADY_S
        moved_at = max(self._edge_at, self._changed_at)
        if now - moved_at >= rest_s - RESOLUTION_S:
            self._restless_since = None
            self._is_noisy = False
        self._fault.set(self._cause(now))
        due = []
        if self._level != self._is_closed:
            due.append(now + self._steady_s - self._other_s)
        elif self._restless_since is not None:
            is_fresh = now < moved_at + self.STEADY_S - RESOLUTION_S  # a look then notices a lost edge
            due.append(moved_at + (self.STEADY_S if is_fresh else rest_s))
        if self._is_closed and now < self._changed_at + self.STUCK_S < inf:
            due.append(self._changed_at + self.STUCK_S)
        if self._timer and (not due or self._timer.when() > min(due)):
            self._timer.cancel()
            self._timer = None
        if due and not self._timer:
            self._timer = self._loop.call_at(min(due), self._look)

    def _look(self) -> None:
        self._timer, now = None, self._loop.time()
        if self._input.is_active == self._level:
            self._count(now)
            self._rest()
        else:  # an edge was lost, at a time that is not known
            self._counted_to = now
            self._moved(not self._level, now)

    def _cause(self, now: float) -> str | None:
        if self._is_closed and now >= self._changed_at + self.STUCK_S:
            return translatable(
                f"it has been closed for {self.STUCK_S:.0f} s: take away what presses it, or check the wiring for a "
                f"short to ground (GPIO{self._pin})"
            )
        if self._restless_since is not None and now >= self._restless_since + RESTLESS_S:
            return translatable(
                f"it opens and closes all the time, too fast for a finger, so a press may be missed: check its wires "
                f"to GPIO{self._pin} and to ground, and keep them away from motors and mains"
            )
        return None


class Button(Contact):
    """A push button."""

    pressed = Contact.closes


class Lever(Contact):
    """A lever that closes its contact when it is pulled all the way back."""

    STEADY_S = 0.05
    """It filters out more of a motor's sparks than a button's. A player holds a lever for at least 0.15 s."""

    STUCK_S = inf
    """A player may hold a lever until the others are ready, and a switch can stay closed."""

    pulled_back, released = Contact.closed, Contact.opened


class AbsentContact(Absent):
    """The stand-in for a button or lever that the config leaves out: always open."""

    is_closed = False

    async def opened(self) -> None:
        pass

    closes = closed = pressed = pulled_back = touched = never
    released = opened


D = TypeVar("D", bound=Contact)


class ContactWiring(Record):
    """The table ``[wiring.button]`` or ``[wiring.lever]``."""

    protected: Annotated[bool, flag, "its line has 1 kΩ to the pin, 4.7 kΩ to 3.3 V and 100 nF to ground"] = True


class ContactKind(PinKind[D]):
    """The device kind of contacts: one switch between a pin and ground."""

    name = "contact"
    absent = cast(Any, AbsentContact)
    wiring = Section(ContactWiring)
    verb: str

    async def try_out(self, device: FittedDevice[int, D], work: TryOut) -> int:
        what = f"its {device.noun}" if device.title.endswith(device.noun) else f"the {device.title}"
        gesture = device.gesture or f"{self.verb} the {device.noun}"
        return await work.ask_input_pin(device.label, what, gesture, device.usual)


class ButtonKind(ContactKind[Button]):
    """The device kind of push buttons. One that stays closed for 30 s has a fault."""

    wiring_name = "button"
    driver = Button
    verb = "Press"


class LeverKind(ContactKind[Lever]):
    """The device kind of levers: switches that may stay closed."""

    wiring_name = "lever"
    driver = Lever
    verb = "Pull"


BUTTON, LEVER = ButtonKind(), LeverKind()
