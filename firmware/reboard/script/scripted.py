"""The base class of the accessories for scripts, and the callbacks of events."""

from __future__ import annotations

import asyncio
import atexit
import inspect
import logging
import os
import queue
import shutil
import signal
import threading
import warnings
import weakref
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar, Protocol, TypeVar, overload

from reboard.aiotools import first_of
from reboard.config.reading import did_you_mean
from reboard.errors import DeviceError
from reboard.events import EmittedEvent
from reboard.script.shared_board import SharedThread
from reboard.table import Table
from reboard.table_config import TableConfig, parse_config

log = logging.getLogger(__name__)

Fields = Mapping[str, Any]
"""The fields of an event, such as ``{"outcome": "coins", "coins": 3}``."""

Callback = Callable[..., object] | None
"""A function to call when an event happens, or ``None``. A function with a required argument gets the `Fields`."""

MOST_WAITING = 100


class Callbacks:
    """The callbacks of events. A separate thread calls them one after the other."""

    def __init__(self) -> None:
        self._of_event: dict[str, tuple[Callable[..., object], bool]] = {}
        self._waiting: queue.Queue[Callable[[], object] | None] = queue.Queue(MOST_WAITING)
        self._closed = False
        threading.Thread(target=self._call, name="reboard callbacks", daemon=True).start()

    def get(self, event: str) -> Callback:
        """Return the callback of *event*, or ``None`` if there is none."""
        callback, _ = self._of_event.get(event, (None, False))
        return callback

    def set(self, event: str, callback: Callback) -> None:
        """Set the callback of *event*; ``None`` removes it.

        Raises ``TypeError`` if *callback* is no function, or one that would not run, or needs more than one argument.
        """
        if callback is None:
            self._of_event.pop(event, None)
        else:
            self._of_event[event] = (callback, _takes_fields(callback))

    def hear(self, event: EmittedEvent) -> None:
        """Queue the callback of *event* without waiting. Skip the callback if the queue is full."""
        found = self._of_event.get(event.name)
        if found is None:
            return
        callback, takes_fields = found
        try:
            self._waiting.put_nowait(partial(callback, event.fields) if takes_fields else callback)
        except queue.Full:
            log.warning(
                "the callback of %s was skipped, because %d are waiting: make your callbacks faster",
                event.name,
                MOST_WAITING,
            )

    def close(self) -> None:
        """Stop the thread after the callback that is running."""
        self._closed = True
        with suppress(queue.Full):  # then the thread is not waiting and sees the flag
            self._waiting.put_nowait(None)

    def leave_to_parent(self) -> None:
        """End the callbacks in a child process, which may be a copy of their thread."""
        self._waiting = queue.Queue()
        self.close()

    def _call(self) -> None:
        while (call := self._waiting.get()) and not self._closed:
            try:
                call()
            except SystemExit as error:
                _exit_from_callback(error)
            except BaseException:  # the other callbacks continue
                with suppress(Exception):  # a script may have closed what the log writes to
                    log.exception("a callback of this script failed")


class HasCallbacks(Protocol):
    """An object that has `Callbacks`."""

    callbacks: Callbacks


class When:
    """A descriptor for the callback of *event*, as an attribute of an accessory."""

    def __init__(self, event: str) -> None:
        self._event = event

    @overload
    def __get__(self, accessory: None, owner: type) -> When: ...

    @overload
    def __get__(self, accessory: HasCallbacks, owner: type) -> Callback: ...

    def __get__(self, accessory: HasCallbacks | None, owner: type) -> When | Callback:
        return self if accessory is None else accessory.callbacks.get(self._event)

    def __set__(self, accessory: HasCallbacks, callback: Callback) -> None:
        if callback is None and accessory.callbacks.get(self._event) is None:
            warnings.warn("this callback is None: write `= pressed`, not `= pressed()`", stacklevel=3)
        accessory.callbacks.set(self._event, callback)


def _takes_fields(callback: Callable[..., object]) -> bool:
    """Return whether *callback* has a required argument. As in gpiozero, a builtin without a signature has none.

    Raises ``TypeError`` if *callback* is no function, or one that would not run, or needs more than one argument.
    """
    if not callable(callback):
        raise TypeError(f"a callback must be a function or None, not {callback!r}")
    makers = inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction
    if any(is_one(each) for is_one in makers for each in (callback, type(callback).__call__)):
        raise TypeError(f"{callback!r} would not run: write a callback without `async` and `yield`")
    try:
        signature = inspect.signature(callback)
    except ValueError:
        return False
    try:
        signature.bind()
    except TypeError:
        try:
            signature.bind({})
        except TypeError:
            raise TypeError(f"{callback!r} needs too many arguments: a callback gets only the event's fields") from None
        return True
    return False


Self = TypeVar("Self", bound="ScriptedAccessory")
T = TypeVar("T")

HERE = Path("script")
"""A placeholder for the config file. Paths in settings are relative to the folder where the script was started."""


class FixedAttributes(type):
    """The metaclass of objects that take no new attributes after ``__init__``, as gpiozero's devices."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made._attributes = frozenset(dir(made))
        return made


_made: weakref.WeakSet[ScriptedAccessory] = weakref.WeakSet()


class ScriptedAccessory(metaclass=FixedAttributes):
    """The base class of the accessories for scripts. Each accessory runs until `close` or the end of a ``with`` block.

    A separate thread runs the callbacks one after the other. A slow callback delays neither the game nor a motor.
    ``sys.exit()`` in a callback ends the script. An unknown attribute, such as a misspelt callback, raises
    ``AttributeError``.

    When a script exits, even because of an exception, SIGTERM or SIGHUP, it closes its accessories. If the script is
    killed while a motor is on, the motor guard switches the motor off.

    Raises `ConfigError` for invalid arguments, and `DeviceError` if a pin cannot be used or is in use.

    - ``when_fault``: with ``part`` (a device, an accessory or a component such as ``ledger``) and ``cause``
    """

    when_fault = When("fault")

    SECTION: ClassVar[str]
    """The name of the accessory's section in the config. By default, `_state` uses it as the key in the snapshot."""

    SHOWN: ClassVar[Sequence[str]]
    """The keys of the accessory's state that ``repr`` shows."""

    _attributes: frozenset[str] | None = None

    def __init__(self, settings: Mapping[str, object], *, temporary: str | None = None) -> None:
        self._temporary = temporary
        """A directory that `close` deletes."""
        config = parse_config(_without_none(settings), path=HERE, where=type(self).__name__)
        self._closed = False
        self._process = os.getpid()
        # one thread at a time, so that none calls a loop that has ended; reentrant, because a signal handler may close
        self._in_turn = threading.RLock()
        self._waiting: set[queue.SimpleQueue[Fields | None]] = set()
        self._shared = SharedThread.acquire()
        self.callbacks = Callbacks()
        try:
            self._table = self._shared.thread.call(self._start(config))
        except BaseException:
            self._release()
            raise
        # without it, a motor would keep running after the script: the kernel keeps the level of a pin
        atexit.register(self.close)
        _made.add(self)
        _exit_on_signals()

    @property
    def closed(self) -> bool:
        """Whether the accessory is closed."""
        return self._closed

    @property
    def faults(self) -> dict[str, str]:
        """The cause of each fault, keyed by ``part``: a device, an accessory or a component such as ``ledger``."""
        faults: dict[str, str] = self._snapshot()["faults"]
        return faults

    def close(self) -> None:
        """Stop the accessory, and switch off any lamp or motor. Can be called more than once and from any thread."""
        with self._in_turn:
            if self._closed:
                return
            self._closed = True
            atexit.unregister(self.close)
            try:
                self._shared.thread.call(self._stop())
            finally:
                self._release()

    def __setattr__(self, name: str, value: object) -> None:
        """Set the attribute *name*. Raises ``AttributeError`` if there is none after ``__init__``."""
        if self._attributes is not None and name not in self._attributes:
            callbacks = ", ".join(each for each in sorted(self._attributes) if each.startswith("when_"))
            hint = f": its callbacks are {callbacks}" if name.startswith("when_") else ""
            hint = hint or did_you_mean(name, self._attributes)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")
        super().__setattr__(name, value)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object {'closed' if self._closed else self._shown()}>"

    def _release(self) -> None:
        for waiting in self._waiting:
            waiting.put(None)
        self.callbacks.close()
        try:
            self._shared.release()
        finally:
            if self._temporary:
                shutil.rmtree(self._temporary, ignore_errors=True)

    def _call(self, job: Coroutine[Any, Any, T]) -> T:
        with self._in_turn:
            if self._closed:
                job.close()
                raise self._closed_error()
            return self._shared.thread.call(job)

    def _leave_to_parent(self) -> None:
        """Close the accessory for a child process only, which has none of its threads."""
        self._closed = True
        self._in_turn = threading.RLock()
        atexit.unregister(self.close)
        self.callbacks.leave_to_parent()

    def _closed_error(self) -> DeviceError:
        if self._process != os.getpid():
            return DeviceError(f"this {type(self).__name__} belongs to the process that created it: use it there")
        return DeviceError(f"this {type(self).__name__} is closed: create a new one")

    def _shown(self) -> str:
        state = self._state()
        return ", ".join(f"{name}={state.get(name)!r}" for name in self.SHOWN)

    def _state(self) -> Fields:
        """Return the accessory's section of the table's snapshot. It is empty if the accessory failed."""
        state: Fields | None = self._snapshot()[self.SECTION]
        return state or {}

    def _snapshot(self) -> dict[str, Any]:
        async def look() -> dict[str, Any]:
            return self._table.snapshot()

        return self._call(look())

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

    async def _start(self, config: TableConfig) -> Table:
        table = Table(config, self._shared.board)
        table.events.listen(self.callbacks.hear)
        self._playing = asyncio.create_task(table.run())
        try:
            if await first_of(table.ready.wait(), asyncio.wait({self._playing})):
                self._playing.result()
            if self.SECTION in table.faults:
                raise DeviceError(table.faults[self.SECTION])
        except BaseException:
            await self._stop()
            raise
        return table

    async def _stop(self) -> None:
        self._playing.cancel()
        await asyncio.gather(self._playing, return_exceptions=True)


ENDING = (signal.SIGTERM, signal.SIGHUP)


def _exit_on_signals() -> None:
    """Make SIGTERM and SIGHUP stop this script with ``sys.exit()``, unless the script handles or ignores them."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread can set signal handlers
    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


_exits: list[SystemExit] = []
"""The ``SystemExit`` of a callback."""


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second signal ends a script that hangs
    raise _exits[0] if _exits else SystemExit(128 + number)


def _exit_from_callback(error: SystemExit) -> None:
    """Raise *error* on the main thread, which may be waiting in ``pause()``: only a signal interrupts that."""
    main = threading.main_thread().ident
    if main is None or not callable(signal.getsignal(signal.SIGTERM)):
        log.error("sys.exit() in a callback cannot end this script: create the accessory on the main thread")
        return
    _exits.append(error)
    signal.pthread_kill(main, signal.SIGTERM)


_forking = threading.local()


def _block_signals() -> None:
    """Keep signals from a child process until it can end: an exception that `_end` raises during a fork is lost."""
    _forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def _unblock_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _forking.mask)


def _leave_to_parent() -> None:
    for number in ENDING:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.SIG_DFL)
    for accessory in tuple(_made):
        accessory._leave_to_parent()
    _unblock_signals()


os.register_at_fork(before=_block_signals, after_in_parent=_unblock_signals, after_in_child=_leave_to_parent)


def _without_none(settings: Mapping[str, object]) -> dict[str, object]:
    """Return *settings*, also nested, with keys as in TOML, and without entries that are ``None``."""
    return {
        str(key): _without_none(value) if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if value is not None
    }
