"""What the accessories of a script have in common."""

from __future__ import annotations

import asyncio
import atexit
import queue
import signal
import sys
import threading
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar, TypeVar

from reboard.config import TableConfig, parse_config
from reboard.either import either
from reboard.errors import PartError
from reboard.script.callbacks import Callbacks, Fields, When
from reboard.script.stage import Stage
from reboard.table import Table

Self = TypeVar("Self", bound="ScriptedAccessory")
T = TypeVar("T")

HERE = Path("script")
"""Relative paths of a script begin where it was started."""


class ScriptedAccessory:
    """What the three share: they play from their making until `close`, or to the end of a ``with`` block.

    Callbacks run one after the other in a thread of their own: a slow one delays neither the game nor the motor. A
    script that ends, also by an exception, SIGTERM or SIGHUP, closes what it left open. When it is killed or stopped
    while the motor is on, the motor's guard turns that off. Raises `ConfigError` for arguments that make no sense, and
    `PartError` for a pin that cannot be had.

    - ``when_fault``: a part does not work, with ``part`` and ``cause``
    """

    when_fault = When("fault")

    PART: ClassVar[str]
    """What the table calls it."""

    SHOWN: ClassVar[Sequence[str]]
    """What the repr shows of its state."""

    def __init__(self, settings: Mapping[str, object]) -> None:
        config = parse_config(_without_none(settings), path=HERE, where=type(self).__name__)
        self._closed = False
        # one thread at a time: nobody asks a loop that is gone; one that is interrupted by a signal may still close it
        self._in_turn = threading.RLock()
        self._waiting: set[queue.SimpleQueue[Fields | None]] = set()
        self._stage = Stage.entered()
        self.callbacks = Callbacks()
        try:
            self._table = self._stage.thread.call(self._switched_on(config))
        except BaseException:
            self._leave()
            raise
        # a script that ends without closing would leave its motor running: the kernel keeps a pin's level
        atexit.register(self.close)
        _end_orderly_on_signals()

    @property
    def closed(self) -> bool:
        """Whether it has been put away."""
        return self._closed

    @property
    def faults(self) -> dict[str, str]:
        """What does not work now: each part with its cause."""
        faults: dict[str, str] = self._snapshot()["faults"]
        return faults

    def close(self) -> None:
        """Put it away: the motor off, the pins given back. May be called twice, and from two threads at once."""
        with self._in_turn:
            if self._closed:
                return
            self._closed = True
            atexit.unregister(self.close)
            try:
                self._stage.thread.call(self._switched_off())
            finally:
                self._leave()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object {'closed' if self._closed else self._shown()}>"

    def _leave(self) -> None:
        for waiting in self._waiting:
            waiting.put(None)
        self.callbacks.close()
        self._stage.leave()

    def _ask(self, job: Coroutine[Any, Any, T]) -> T:
        with self._in_turn:
            if self._closed:
                job.close()
                raise self._closed_error()
            return self._stage.thread.call(job)

    def _closed_error(self) -> PartError:
        return PartError(f"this {type(self).__name__} has been closed")

    def _shown(self) -> str:
        state = self._state()
        return ", ".join(f"{name}={state[name]!r}" for name in self.SHOWN)

    def _state(self) -> Fields:
        """The accessory's part of the table's snapshot."""
        state: Fields = self._snapshot()[self.PART]
        return state

    def _snapshot(self) -> dict[str, Any]:
        async def look() -> dict[str, Any]:
            return self._table.snapshot()

        return self._ask(look())

    def _wait_for(self, event_name: str, timeout: float | None) -> Fields | None:
        happened: queue.SimpleQueue[Fields | None] = queue.SimpleQueue()
        with self._in_turn:
            if self._closed:
                raise self._closed_error()
            stop = self._table.events.listen(
                lambda event: happened.put(event.fields) if event.name == event_name else None
            )
            self._waiting.add(happened)
        try:
            fields = happened.get(timeout=timeout)
        except queue.Empty:
            return None
        finally:
            stop()
            with self._in_turn:
                self._waiting.remove(happened)
        if fields is None:
            raise self._closed_error()
        return fields

    async def _switched_on(self, config: TableConfig) -> Table:
        table = Table(config, self._stage.board)
        table.events.listen(self.callbacks.hear)
        self._playing = asyncio.create_task(table.run())
        try:
            if await either(table.ready.wait(), asyncio.wait({self._playing})):
                self._playing.result()
            if self.PART in table.faults:
                raise PartError(table.faults[self.PART])
        except BaseException:
            await self._switched_off()
            raise
        return table

    async def _switched_off(self) -> None:
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)


def _end_orderly_on_signals() -> None:
    """Let SIGTERM and SIGHUP end this script as ``sys.exit()`` does, unless the script handles or ignores them."""
    if threading.current_thread() is not threading.main_thread():
        return  # Python lets no other thread handle signals
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one ends a script that hangs
    sys.exit(128 + number)


def _without_none(settings: Mapping[str, object]) -> dict[str, object]:
    """The *settings* as a config has them: what is not there is not said."""
    return {
        key: _without_none(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if value is not None
    }
