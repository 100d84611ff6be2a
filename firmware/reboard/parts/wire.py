"""Where gpiozero ends and the loop begins: an input pin's level, and its edges on the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gpiozero import Factory, InputDevice

from reboard.errors import PartError

MOST_EDGES = 64
"""So many edges of one wire wait for the loop at the most: a loose one makes thousands a second."""


@contextmanager
def naming(part: str, *pins: int) -> Iterator[None]:
    """Turn whatever a pin library raises inside into a `PartError` that names *part* and its *pins*."""
    try:
        yield
    except Exception as problem:
        where = ", ".join(f"GPIO{pin}" for pin in pins)
        raise PartError(
            f"the {part} on {where} cannot be used: {problem}. Check the number, and that nothing else uses it."
        ) from problem


class InputWire:
    """One input pin, seen from the loop.

    ``edge(is_active)`` is called on the loop for every edge, from whichever thread the pin library tells it;
    *is_active* is what the edge said, and may be over by then. Of more than `MOST_EDGES` that the loop had no time for,
    the last are told. Active is low with ``pull_up`` and high without. Raises `PartError` when the pin cannot be had.
    """

    def __init__(
        self, pin: int, *, pins: Factory, part: str, edge: Callable[[bool], None], pull_up: bool = True
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._edge = edge
        self._active = not pull_up
        self._edges: deque[bool] = deque(maxlen=MOST_EDGES)
        self._is_loop_called = False
        with naming(part, pin):
            self._device = InputDevice(pin, pull_up=pull_up, pin_factory=pins)
            # The pin's own callback, not DigitalInputDevice's: that one drops an edge which agrees with the last
            # it heard of, so after one lost edge it swallows the next real one.
            try:
                self._device.pin.bounce = None
                self._device.pin.edges = "both"
                self._device.pin.when_changed = self._changed
            except BaseException:
                self._device.close()
                raise

    @property
    def is_active(self) -> bool:
        """The level now. Raises gpiozero's ``DeviceClosed`` after `close`."""
        return bool(self._device.is_active)

    def close(self) -> None:
        """Hear no more edges and give the pin back. May be called twice."""
        self._device.close()

    def _changed(self, _ticks: float, state: float) -> None:
        self._edges.append(bool(state) == self._active)
        if self._is_loop_called:  # it takes this edge as well
            return
        self._is_loop_called = True
        with suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._is_loop_called = False  # before the edges are taken: one that comes meanwhile calls again
        while self._edges and not self._device.closed:
            self._edge(self._edges.popleft())
