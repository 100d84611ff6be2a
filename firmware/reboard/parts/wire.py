"""Where gpiozero ends and the loop begins: an input pin's level, and its edges on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gpiozero import Factory, InputDevice

from reboard.errors import PartError


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
    *is_active* is what the edge said, and may be over by then. Active is low with ``pull_up`` and high without.
    Raises `PartError` when the pin cannot be had.
    """

    def __init__(
        self, pin: int, *, pins: Factory, part: str, edge: Callable[[bool], None], pull_up: bool = True
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._edge = edge
        self._active = not pull_up
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
        with suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self._tell, bool(state) == self._active)

    def _tell(self, is_active: bool) -> None:
        if not self._device.closed:
            self._edge(is_active)
