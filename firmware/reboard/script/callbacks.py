"""The callbacks of a script, and how one of them, or a signal, ends the script."""

from __future__ import annotations

import inspect
import logging
import os
import queue
import signal
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from reboard.events import EmittedEvent

log = logging.getLogger(__name__)

Fields = Mapping[str, Any]
"""An event as on the control socket, such as ``{"t": 4.2, "event": "apple.started", "seconds": 13.0}``."""

Callback = Callable[..., object] | None
"""A function to call when an event happens, or ``None``. A function with a required argument gets the `Fields`."""

MOST_WAITING = 100


class Callbacks:
    """The callbacks of events. A separate thread calls them one after the other."""

    def __init__(self) -> None:
        self._of_event: dict[str, tuple[Callable[..., object], bool]] = {}
        self._waiting: queue.Queue[Callable[[], object] | None] = queue.Queue(MOST_WAITING)
        self._closed = False
        self._process = os.getpid()
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
        if event.name not in self._of_event:
            return
        callback, takes_fields = self._of_event[event.name]
        try:
            self._waiting.put_nowait(partial(callback, event.as_json()) if takes_fields else callback)
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

    def _call(self) -> None:
        # a callback may fork: the child is a copy of this thread, and leaves the others to its parent
        while os.getpid() == self._process and (call := self._waiting.get()) and not self._closed:
            try:
                call()
            except SystemExit as error:
                _exit_from_callback(error)
            except BaseException:  # the other callbacks continue
                with suppress(Exception):  # a script may have closed what the log writes to
                    log.exception("a callback of this script failed")


class When:
    """A descriptor for the callback of *event*, as an attribute of an object with ``callbacks``."""

    def __init__(self, event: str, doc: str | None = None) -> None:
        self.event = event
        self.__doc__ = doc

    def __get__(self, accessory: Any, owner: type) -> When | Callback:
        return self if accessory is None else accessory.callbacks.get(self.event)

    def __set__(self, accessory: Any, callback: Callback) -> None:
        if callback is None and accessory.callbacks.get(self.event) is None:
            warnings.warn("this callback is None: write `= pressed`, not `= pressed()`", stacklevel=3)
        accessory.callbacks.set(self.event, callback)


def _takes_fields(callback: Callable[..., object]) -> bool:
    """Return whether *callback* has a required argument. As in gpiozero, a builtin without a signature has none.

    Raises ``TypeError`` as `Callbacks.set` does.
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
    for takes_fields in (False, True):
        with suppress(TypeError):
            signature.bind(*[{}] * takes_fields)
            return takes_fields
    raise TypeError(f"{callback!r} needs too many arguments: a callback gets only the event's fields")


_exits: list[SystemExit] = []
"""The ``SystemExit`` of a callback."""


ENDING = (signal.SIGTERM, signal.SIGHUP)

_forking = threading.local()


def _block_signals() -> None:
    """Block the signals during a fork. Python forgets a signal that reaches a child before its hooks have run."""
    _forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


def _unblock_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _forking.mask)


def _leave_to_parent() -> None:
    """Let the signals end a child process, which has nothing to close, at once.

    Python calls no handler for a signal that arrives just before a wait for a lock of ``multiprocessing`` begins.
    """
    for number in ENDING:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.SIG_DFL)
    _unblock_signals()


os.register_at_fork(before=_block_signals, after_in_parent=_unblock_signals, after_in_child=_leave_to_parent)


def exit_on_signals() -> None:
    """Make SIGTERM and SIGHUP stop this script with ``sys.exit()``, unless the script handles or ignores them."""
    if threading.current_thread() is threading.main_thread():  # no other thread can set signal handlers
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)


def _end(number: int, _: object) -> None:
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
