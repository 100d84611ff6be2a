"""What hands do at the banker unit, one thing after the other: keys, cards, and requests through the table's door."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from reboard.banker.needs import Keypad, Side
from reboard.errors import ReboardError, RequestError
from reboard.parts.slots.slot import Slot
from reboard.refusal import Refusal

HOLDS_S: Mapping[str, float] = {"C": 3.0, "GO": 1.5, ".": 1.0}
"""The keys that mean something else when they are held, and how long that takes."""

TYPES = "0123456789."
"""The keys that are part of an amount."""

ON_RELEASE = ("C", "GO")
"""The keys that do something when they are let go before they are held."""

HELD_ON_S = 1.5
"""How often it is told that a key is held on."""

SLEEP_S = 60.0
"""After so long without a touch the unit sleeps, as the original does."""

MOST_WAITING = 64
"""How many touches can wait while the disk is slow. Beyond it the unit is deaf until all of them are done."""

STOPPED = "the banker unit has stopped"
"""What a request is told that the unit can answer no more."""

Answer = dict[str, object]


@dataclass(frozen=True, slots=True)
class Key:
    """A key went down. *at*: the loop's clock."""

    name: str
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Held:
    """A key has been down as long as `HOLDS_S` says, and nothing else was touched meanwhile.

    Told again every `HELD_ON_S` for as long as that is so; *times* counts.
    """

    name: str
    times: int


@dataclass(frozen=True, slots=True)
class Released:
    """One of the keys in `HOLDS_S` was let go after it was `Held` so many *times*, and nothing else touched.

    One that acts `ON_RELEASE` counts as let go when the next key goes down.
    """

    name: str
    times: int


@dataclass(frozen=True, slots=True)
class CardIn:
    """A card was put in. *at*: the loop's clock."""

    side: Side
    tag: str
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class CardOut:
    """A card was taken out."""

    side: Side


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody asks through the door for *work* to be done between two touches."""

    work: Callable[[], Awaitable[Answer]]
    answer: asyncio.Future[Answer]

    async def carry_out(self) -> None:
        """Do the work, unless nobody waits for it any more. What is refused is the asker's matter, not the unit's."""
        if self.answer.done():
            return
        try:
            result = await self.work()
        except (Refusal, RequestError) as refusal:
            self.refuse(refusal)
        except BaseException:
            self.refuse(ReboardError(STOPPED))
            raise
        else:
            if not self.answer.done():
                self.answer.set_result(result)

    def refuse(self, error: ReboardError) -> None:
        """Answer with an error."""
        if not self.answer.done():
            self.answer.set_exception(error)


@dataclass(frozen=True, slots=True)
class Overrun:
    """Touches were lost; what is true now of each slot has to be looked up."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Keys went down that cannot be told from one another."""


@dataclass(frozen=True, slots=True)
class Woken:
    """``GO``, a digit or a point woke the unit; the last two may begin an amount. *at*: the loop's clock."""

    key: str
    at: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Minute:
    """A minute of the game clock is over."""


Touch = Key | Held | Released | CardIn | CardOut | Request | Overrun | Unclear | Woken | Minute


class Hands:
    """A bounded queue of touches, in the order of life.

    A key that wakes the unit does only that, except ``DEAL``, and a ``GO`` that is held on for the menu.

    *asleep* is called with ``True`` after `SLEEP_S` without a touch and with ``False`` by the next one. Cards that were
    only tapped leave then.
    """

    def __init__(self, slots: Mapping[Side, Slot], keypad: Keypad, *, asleep: Callable[[bool], None]) -> None:
        self._slots = slots
        self._keypad = keypad
        self._tell_asleep = asleep
        self._queue: asyncio.Queue[Touch] = asyncio.Queue(MOST_WAITING)
        self._deaf = False
        self._open = False
        self._sleep: asyncio.TimerHandle | None = None
        self._hold: asyncio.TimerHandle | None = None
        self._down = ""
        self._held_times = 0
        self._woke = False
        self.asleep = False

    def start(self) -> None:
        """Begin to listen to slots and keys."""
        self._open = True
        self.stay_awake()
        self._keypad.start(self._pressed, self._released, self._let_go, self._unclear)
        for side, slot in self._slots.items():
            self._watch(side, slot)

    def close(self) -> None:
        """Listen no more. Requests that still wait are told so."""
        self._open = False
        for timer in (self._sleep, self._hold):
            if timer is not None:
                timer.cancel()
        while not self._queue.empty():
            touch = self._queue.get_nowait()
            if isinstance(touch, Request):
                touch.refuse(ReboardError(STOPPED))

    async def next(self) -> Touch:
        """The next touch."""
        if self._deaf and self._queue.empty():
            self._deaf = False
            return Overrun()
        return await self._queue.get()

    async def ask(self, work: Callable[[], Awaitable[Answer]]) -> Answer:
        """Have *work* done in its turn; raises what it raises, and `ReboardError` when nobody is there to do it."""
        if not self._open:
            raise ReboardError("the banker unit is not running")
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if not self._put(Request(work, answer)):
            raise Refusal("too fast")
        return await answer

    def _watch(self, side: Side, slot: Slot) -> None:
        def inserted(tag: str) -> None:
            self._touched()
            self._put(CardIn(side, tag, asyncio.get_running_loop().time()))

        def removed(_: str) -> None:
            self._touched()
            self._put(CardOut(side))

        slot.start(inserted, removed)

    def _pressed(self, key: str) -> None:
        now = asyncio.get_running_loop().time()
        if self._down in ON_RELEASE and not self._held_times:
            self._released(self._down)
        woken = self._touched() and key != "DEAL"
        if woken and key not in (*TYPES, "GO"):
            return
        is_hold = key == "GO" if woken else key in HOLDS_S
        if self._put(Woken(key, now) if woken else Key(key, now)) and is_hold:
            self._down = key
            self._woke = woken
            self._hold = asyncio.get_running_loop().call_later(HOLDS_S[key], self._held)

    def _unclear(self) -> None:
        if not self._touched():
            self._put(Unclear())

    def _held(self) -> None:
        self._held_times += 1
        if self._put(Held(self._down, self._held_times)):
            self._hold = asyncio.get_running_loop().call_later(HELD_ON_S, self._held)

    def _released(self, key: str) -> None:
        if key == self._down:
            times = self._held_times
            is_felt = times or not self._woke
            self._let_go()
            if is_felt:
                self._put(Released(key, times))

    def _let_go(self) -> None:
        """No key is being held, or none that counts."""
        self._down = ""
        self._held_times = 0
        if self._hold is not None:
            self._hold.cancel()

    def minute_passed(self) -> None:
        """A minute of the game clock is over, which is no touch."""
        self._put(Minute())

    def _touched(self) -> bool:
        """End a hold, because something else was touched, and stay awake. Return whether the unit woke up."""
        self._let_go()
        return self.stay_awake()

    def stay_awake(self) -> bool:
        """Stay awake for another `SLEEP_S`, or wake up, which is what is returned."""
        if self._sleep is not None:
            self._sleep.cancel()
        self._sleep = asyncio.get_running_loop().call_later(SLEEP_S, self._fall_asleep)
        woken, self.asleep = self.asleep, False
        if woken:
            self._tell_asleep(False)
        return woken

    def _fall_asleep(self) -> None:
        self._let_go()
        self.asleep = True
        self._tell_asleep(True)
        for side, slot in self._slots.items():
            # a card that was only tapped is long back in somebody's hand
            if slot.tag and slot.let_go(slot.tag):
                self._put(CardOut(side))

    def _put(self, touch: Touch) -> bool:
        if not self._deaf and not self._queue.full():
            self._queue.put_nowait(touch)
            return True
        self._deaf = True
        # what begins with a touch that is lost is none either
        self._let_go()
        return False
