"""The queue of the unit's input: keys, cards, and requests from the control socket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit.timers import Timer
from reboard.accessories.banker_unit.unit_state import Effects, Side, UnitState
from reboard.errors import ReboardError, Rejection, RequestError

if TYPE_CHECKING:
    from reboard.devices.keypad import AbsentKeypad, Keypad
    from reboard.devices.readers.reader import Slot

HOLDS_S: Mapping[str, float] = {"C": 3.0, "GO": 1.5, ".": 1.0}
"""The time after which each key counts as held, in seconds. Only these keys have another meaning when held."""

TYPES = "0123456789."
"""The keys that type an amount."""

ON_RELEASE = ("C", "GO")
"""The keys that also act when the user releases them before they count as held."""

HELD_ON_S = 1.5
"""The time after which a held key is reported again, in seconds."""

SLEEP_S = 60.0
"""The time without a key, card or gavel after which the unit falls asleep, in seconds, as in the original."""

MOST_WAITING = 64
"""The maximum number of inputs in the queue. Further input is rejected until the unit has handled all of them."""

STOPPED = "the banker unit has stopped: `reboard doctor` shows the cause"
"""The error for requests that the unit can no longer answer."""

Answer = dict[str, object] | None

Work = Callable[[UnitState], Awaitable[tuple[Answer, Effects]]]


@dataclass(frozen=True, slots=True)
class Key:
    """A press of a key. *at* is the time on the event loop's clock."""

    name: str
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Held:
    """A key that was held for its time in `HOLDS_S`, without other input meanwhile.

    The event is repeated every `HELD_ON_S` seconds. *times* counts the events, from 1.
    """

    name: str
    times: int


@dataclass(frozen=True, slots=True)
class Released:
    """The release of a key in `HOLDS_S` after *times* `Held` events, without other input meanwhile.

    A key in `ON_RELEASE` that was not held long enough counts as released when the next key is pressed.
    """

    name: str
    times: int


@dataclass(frozen=True, slots=True)
class CardIn:
    """An inserted card. *at* is the time on the event loop's clock."""

    side: Side
    tag: str
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class CardOut:
    """A removed card."""

    side: Side


@dataclass(frozen=True, slots=True)
class Request:
    """A request from the control socket or another accessory, which the unit handles in the order of the queue."""

    work: Work
    answer: asyncio.Future[Answer]

    async def carry_out(self, state: UnitState) -> Effects | None:
        """Carry out the request, answer its caller, and return its effects.

        Return ``None`` if the caller was cancelled or the request was rejected. The caller gets the rejection.
        Any other error is also raised here, and stops the unit.
        """
        if self.answer.done():
            return None
        try:
            answer, effects = await self.work(state)
        except (Rejection, RequestError) as rejection:
            self.fail(rejection)
            return None
        except BaseException:
            self.fail(ReboardError(STOPPED))
            raise
        if not self.answer.done():
            self.answer.set_result(answer)
        return effects

    def fail(self, error: ReboardError) -> None:
        """Answer the request with an error."""
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(frozen=True, slots=True)
class Overrun:
    """A loss of input because the queue was full. The unit must read the slots again."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A press of several keys at the same time, which the keypad cannot distinguish."""


@dataclass(frozen=True, slots=True)
class Woken:
    """A press of ``GO``, a digit or a decimal point that woke the unit. *at* is the time on the event loop's clock."""

    name: str
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Minute:
    """The end of a minute of the game clock."""


@dataclass(frozen=True, slots=True)
class Expired:
    """The end of the time in which a payment can be confirmed. The unit determines which payment."""


Touch = Key | Held | Released | CardIn | CardOut | Request | Overrun | Unclear | Woken | Minute | Expired


class InputQueue:
    """A bounded queue of input, in the order of arrival.

    ``DEAL`` also acts if it wakes the unit. A digit, a point or ``GO`` becomes `Woken` instead of `Key`, and ``GO`` can
    still be held for the menu. Other keys only wake the unit.

    *slept_or_woke* is called with ``True`` after `SLEEP_S` seconds without a key, card or `stay_awake`, and with
    ``False`` when the unit wakes.
    """

    def __init__(
        self, slots: Mapping[Side, Slot], keypad: Keypad | AbsentKeypad, *, slept_or_woke: Callable[[bool], None]
    ) -> None:
        self._slots = slots
        self._keypad = keypad
        self._slept_or_woke = slept_or_woke
        self._queue: asyncio.Queue[Touch] = asyncio.Queue(MOST_WAITING)
        self._is_overrun = False
        self._is_open = False
        self._sleep = Timer(self._fall_asleep)
        self._hold = Timer(self._held)
        self._down = ""
        self._held_times = 0
        self._has_woken = False
        self.is_asleep = False

    def start(self) -> None:
        """Start accepting keys, cards and requests."""
        self._is_open = True
        self.stay_awake()
        self._keypad.start(self._pressed, self._released, self._end_hold, self._unclear)
        for side, slot in self._slots.items():
            self._watch(side, slot)

    def close(self) -> None:
        """Reject new requests, stop the timers and empty the queue. Waiting requests get an error."""
        self._is_open = False
        self._sleep.stop()
        self._hold.stop()
        while not self._queue.empty():
            touch = self._queue.get_nowait()
            if isinstance(touch, Request):
                touch.fail(ReboardError(STOPPED))

    async def next(self) -> Touch:
        """Wait for the next input and return it. After an overflow, return `Overrun` when the queue is empty."""
        if self._is_overrun and self._queue.empty():
            self._is_overrun = False
            return Overrun()
        return await self._queue.get()

    async def ask(self, work: Work) -> Answer:
        """Add *work* to the queue, and return its answer.

        Raises the error of *work*, and `Rejection` if the unit is not running or the queue is full.
        """
        if not self._is_open:
            raise Rejection("not running", "the banker unit is not running: `reboard doctor` shows the fault")
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if not self._put(Request(work, answer)):
            raise Rejection("too fast")
        return await answer

    def minute_passed(self) -> None:
        """Add the end of a minute of the game clock to the queue, without waking the unit."""
        self._put(Minute())

    def payment_expired(self) -> None:
        """Add the end of a payment's time limit to the queue, without waking the unit."""
        self._put(Expired())

    def stay_awake(self) -> bool:
        """Wake the unit, or keep it awake for another `SLEEP_S` seconds. Return whether it was asleep."""
        self._sleep.start(SLEEP_S)
        was_asleep, self.is_asleep = self.is_asleep, False
        if was_asleep:
            self._slept_or_woke(False)
        return was_asleep

    def _watch(self, side: Side, slot: Slot) -> None:
        def inserted(tag: str) -> None:
            self._touched()
            self._put(CardIn(side, tag, asyncio.get_running_loop().time()))

        def removed(_: str) -> None:
            self._end_hold()
            self.stay_awake()
            self._put(CardOut(side))

        slot.start(inserted, removed)

    def _pressed(self, key: str) -> None:
        now = asyncio.get_running_loop().time()
        if self._down in ON_RELEASE and not self._held_times:
            self._released(self._down)
        wakes = self._touched() and key != "DEAL"
        if wakes and key not in (*TYPES, "GO"):
            return
        can_be_held = key == "GO" if wakes else key in HOLDS_S
        if self._put(Woken(key, now) if wakes else Key(key, now)) and can_be_held:
            self._down = key
            self._has_woken = wakes
            self._hold.start(HOLDS_S[key])

    def _unclear(self) -> None:
        if not self._touched():
            self._put(Unclear())

    def _held(self) -> None:
        self._held_times += 1
        if self._put(Held(self._down, self._held_times)):
            self._hold.start(HELD_ON_S)

    def _released(self, key: str) -> None:
        if key == self._down:
            times = self._held_times
            counts = times or not self._has_woken
            self._end_hold()
            if counts:
                self._put(Released(key, times))

    def _end_hold(self) -> None:
        self._down = ""
        self._held_times = 0
        self._hold.stop()

    def _touched(self) -> bool:
        """Stop timing the held key, and wake the unit or keep it awake. Return whether it was asleep."""
        self._end_hold()
        for slot in self._slots.values():
            slot.touched()
        return self.stay_awake()

    def _fall_asleep(self) -> None:
        self._end_hold()
        self.is_asleep = True
        self._slept_or_woke(True)

    def _put(self, touch: Touch) -> bool:
        if not self._is_overrun and not self._queue.full():
            self._queue.put_nowait(touch)
            return True
        self._is_overrun = True
        # a key whose press was lost cannot be held
        self._end_hold()
        return False
