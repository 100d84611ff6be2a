"""The queue of the unit's inputs: keys, cards, timers, and requests from the control socket."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from reboard.accessories.banker_unit.inputs import (
    HELD_ON_S,
    HOLDS_S,
    Asked,
    CardIn,
    CardOut,
    Held,
    Input,
    Key,
    Overrun,
    Released,
    Unclear,
)
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.vocabulary import Side
from reboard.accessories.table_vocabulary import TableWhy
from reboard.devices.keypad import AbsentKeypad, Keypad
from reboard.devices.readers.reader import Slot
from reboard.errors import ReboardError, Rejection
from reboard.vocabulary.declared import Request

MOST_WAITING = 64
"""The maximum number of inputs in the queue. Further keys, cards and requests are rejected until it is empty."""

STOPPED = "the banker unit has stopped: `reboard doctor` shows the cause"
"""The error for requests that the unit can no longer answer."""


class InputQueue:
    """A queue of inputs in the order of arrival, bounded for all but the unit's own timers."""

    def __init__(self, slots: Mapping[Side, Slot], keypad: Keypad | AbsentKeypad) -> None:
        self._slots = slots
        self._keypad = keypad
        self._waiting: deque[Input] = deque()
        self._news = asyncio.Event()
        self._answers: set[asyncio.Future[Any]] = set()
        self._error: ReboardError | None = None
        self._is_overrun = False
        self._is_open = False
        self._hold: asyncio.TimerHandle | None = None
        self._down = ""
        self._held_times = 0
        self._now = asyncio.get_running_loop().time

    def start(self) -> None:
        self._is_open = True
        self._keypad.start(self._pressed, self._released, self._unclear, self._unclear)
        for side, slot in self._slots.items():
            self._watch(side, slot)

    def close(self) -> None:
        """Reject new requests, and empty the queue. Requests without an answer get an error."""
        self._is_open = False
        self._end_hold()
        self._waiting.clear()
        for answer in self._answers:
            if not answer.done():
                answer.set_exception(ReboardError(STOPPED))

    async def next(self) -> Input:
        """Wait for the next input and return it. After an overflow, return `Overrun` when the queue is empty.

        Raises the error that was given to `fail`.
        """
        while not self._waiting:
            if self._error:
                raise self._error
            if self._is_overrun:
                self._is_overrun = False
                return Overrun({side: slot.tag for side, slot in self._slots.items()}, self._now())
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()

    async def ask(self, request: Request) -> Any:
        """Add a *request* to the queue, and return its answer.

        Raises the error in the answer, and `Rejection` if the unit is not running or the queue is full.
        """
        if not self._is_open:
            raise Rejection(TableWhy.NOT_RUNNING, "the banker unit is not running: `reboard doctor` shows the fault")
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if not self._put(Asked(request, answer, self._now())):
            raise Rejection(BankWhy.TOO_FAST)
        self._answers.add(answer)
        try:
            return await answer
        finally:
            self._answers.discard(answer)

    def post(self, given: Input) -> None:
        """Add an input of the unit itself, such as the end of a timer, which is never lost."""
        self._waiting.append(given)
        self._news.set()

    def fail(self, error: ReboardError) -> None:
        """Let `next` raise *error* when the queue is empty, so that the unit stops."""
        self._error = error
        self._news.set()

    def _watch(self, side: Side, slot: Slot) -> None:
        (other,) = (other for other in self._slots if other != side)

        def inserted(tag: str) -> None:
            self._slots[other].touched()
            if self._slots[other].forget(tag):
                # moved from the other slot, which cannot notice that
                self._put(CardOut(other, self._now()))
            self._put(CardIn(side, tag, self._now()))

        def removed(_: str) -> None:
            self._put(CardOut(side, self._now()))

        slot.start(inserted, removed)

    def _pressed(self, key: str) -> None:
        self._end_hold()
        for slot in self._slots.values():
            slot.touched()
        if self._put(Key(key, self._now())) and key in HOLDS_S:
            self._down = key
            self._hold_for(HOLDS_S[key])

    def _hold_for(self, seconds: float) -> None:
        self._hold = asyncio.get_running_loop().call_later(seconds, self._held)

    def _held(self) -> None:
        self._held_times += 1
        if self._put(Held(self._down, self._held_times, self._now())):
            self._hold_for(HELD_ON_S)

    def _released(self, key: str) -> None:
        if key == self._down:
            self._end_hold()
            self._put(Released(key, self._now()))

    def _unclear(self) -> None:
        self._end_hold()
        self._put(Unclear(self._now()))

    def _end_hold(self) -> None:
        self._down = ""
        self._held_times = 0
        if self._hold:
            self._hold.cancel()

    def _put(self, given: Input) -> bool:
        if not self._is_overrun and len(self._waiting) < MOST_WAITING:
            self.post(given)
            return True
        self._is_overrun = True
        # a key whose press was lost cannot be held
        self._end_hold()
        return False
