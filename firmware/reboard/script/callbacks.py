"""A script's own functions, called for what happens at its table."""

from __future__ import annotations

import inspect
import logging
import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, overload

from reboard.events import Event

log = logging.getLogger(__name__)

Fields = Mapping[str, Any]
"""What an event tells, by name: ``{"outcome": "coins", "coins": 3}``."""

Callback = Callable[..., object] | None
"""Called without anything, or with the event's `Fields` if it cannot do without an argument."""

MOST_WAITING = 100


class Callbacks:
    """Calls them one after the other, in a thread of its own: a slow one delays neither the game nor the motor."""

    def __init__(self) -> None:
        self._of_event: dict[str, tuple[Callable[..., object], bool]] = {}
        self._waiting: queue.Queue[Callable[[], object] | None] = queue.Queue(MOST_WAITING)
        self._closed = False
        threading.Thread(target=self._call, name="reboard callbacks", daemon=True).start()

    def get(self, event: str) -> Callback:
        """What is called for *event*."""
        callback, _ = self._of_event.get(event, (None, False))
        return callback

    def set(self, event: str, callback: Callback) -> None:
        """Call *callback* for *event* from now on. Raises ``TypeError`` when it cannot be called with one argument."""
        if callback is None:
            self._of_event.pop(event, None)
        else:
            self._of_event[event] = (callback, _takes_fields(callback))

    def hear(self, event: Event) -> None:
        """Something happened. Returns at once."""
        found = self._of_event.get(event.name)
        if found is None:
            return
        callback, takes_fields = found
        try:
            self._waiting.put_nowait(partial(callback, event.fields) if takes_fields else callback)
        except queue.Full:
            log.warning("%s was not called: %d callbacks wait already", event.name, MOST_WAITING)

    def close(self) -> None:
        """Call none any more but the one that is under way."""
        self._closed = True
        with suppress(queue.Full):  # then the thread does not wait, and looks
            self._waiting.put_nowait(None)

    def _call(self) -> None:
        while (call := self._waiting.get()) and not self._closed:
            try:
                call()
            except Exception:
                log.exception("a callback of this script failed")


class HasCallbacks(Protocol):
    """An accessory of a script."""

    callbacks: Callbacks


class When:
    """An attribute of an accessory: what is called for the event called *event*."""

    def __init__(self, event: str) -> None:
        self._event = event

    @overload
    def __get__(self, accessory: None, owner: type) -> When: ...

    @overload
    def __get__(self, accessory: HasCallbacks, owner: type) -> Callback: ...

    def __get__(self, accessory: HasCallbacks | None, owner: type) -> When | Callback:
        return self if accessory is None else accessory.callbacks.get(self._event)

    def __set__(self, accessory: HasCallbacks, callback: Callback) -> None:
        accessory.callbacks.set(self._event, callback)


def _takes_fields(callback: Callable[..., object]) -> bool:
    """As gpiozero judges: what may be left out is left out, and a builtin that does not tell is given nothing."""
    if not callable(callback):
        raise TypeError(f"a callback is a function or None, not {callback!r}")
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
            raise TypeError(f"{callback!r} wants more than one argument; a callback is given none or one") from None
        return True
    return False
