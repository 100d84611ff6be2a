"""An input pin whose edges are reported on the event loop, and errors that name the pin."""

from __future__ import annotations

import asyncio
import errno
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from reboard.config.pins_and_ports import FIRST_PIN, LAST_PIN
from reboard.devices.gpio.chip import NO_PERMISSION
from reboard.errors import DeviceError
from reboard.languages import translatable

if TYPE_CHECKING:
    from gpiozero import Factory

MOST_EDGES = 64
"""The maximum number of a pin's edges that wait for the event loop. A loose wire causes thousands per second."""


@contextmanager
def named_pin_errors(device: str, *pins: int) -> Iterator[None]:
    """Turn an exception in the ``with`` into a `DeviceError` with the *device*, its *pins*, the cause and a remedy."""
    try:
        yield
    except Exception as problem:
        where = ", ".join(f"GPIO{pin}" for pin in pins)
        cause, remedy = str(problem) or type(problem).__name__, _remedy(problem)
        if remedy:
            text = translatable(f"the {device} on {where} cannot be used: {cause}. {remedy}.")
        else:
            text = translatable(f"the {device} on {where} cannot be used: {cause}")
        raise DeviceError(text) from problem


def _remedy(problem: Exception) -> str:
    """Return what to do about *problem* with a pin, or ``""`` if that is not known."""
    from gpiozero import GPIOPinInUse, PinInvalidPin

    if isinstance(problem, DeviceError):  # it has its own
        return ""
    if isinstance(problem, GPIOPinInUse):
        return translatable("Choose another pin for one of the two devices")
    if isinstance(problem, PinInvalidPin):
        return translatable(f"The pins for devices are GPIO{FIRST_PIN} to GPIO{LAST_PIN}: correct the number")
    # other libraries have errors of their own
    if getattr(problem, "errno", None) == errno.EBUSY or "busy" in str(problem).lower():
        return translatable("Stop the program that uses the pin, which `sudo reboard doctor` names")
    return REMEDIES.get(getattr(problem, "errno", None) or 0, "")


REMEDIES = {
    **dict.fromkeys((errno.EACCES, errno.EPERM), NO_PERMISSION),
    **dict.fromkeys(
        (errno.ENOENT, errno.ENODEV, errno.ENXIO),
        translatable("The GPIO chip is gone: restart the machine. `gpiodetect` lists it"),
    ),
    # a kernel that shares no pin between a bus and a program answers so
    errno.EINVAL: translatable(
        "The chip has no such pin, or a bus has it, such as I²C, SPI or I²S: choose another pin, or switch the bus off "
        "in `sudo raspi-config`"
    ),
    **dict.fromkeys(
        (errno.EMFILE, errno.ENFILE), translatable("Too many files are open: restart reboard, and report this")
    ),
}
"""What to do about an error number of the kernel."""


class InputPin:
    """An input pin with a pull-up resistor that calls ``edge(is_active)`` on the event loop for each edge.

    A low level is active. The argument is the level after the edge, and `age_s` is the time since then, in seconds; the
    property `is_active` is the current level. If more than `MOST_EDGES` edges wait for the loop, only the latest are
    reported. *device* is the name in error messages. Raises `DeviceError` if the pin cannot be used.
    """

    def __init__(self, pin: int, *, pins: Factory, device: str, edge: Callable[[bool], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._edge = edge
        self._pins = pins
        self._edges: deque[tuple[float, bool]] = deque(maxlen=MOST_EDGES)
        self.age_s = 0.0
        self._is_loop_called = False
        with named_pin_errors(device, pin):
            # imported by the first pin, because the page, the bridge and the commands use none: it takes 4 MB
            from gpiozero import InputDevice

            self._device = InputDevice(pin, pull_up=True, pin_factory=pins)
            # The pin's own callback, not that of gpiozero's DigitalInputDevice: that one drops an edge to the level it
            # already knows, so after one lost edge it drops the next real one.
            try:
                self._device.pin.bounce = None
                self._device.pin.edges = "both"
                self._device.pin.when_changed = self._changed
            except BaseException:
                self._device.close()
                raise

    @property
    def is_active(self) -> bool:
        """Whether the pin is low now. Raises gpiozero's ``DeviceClosed`` after `close`."""
        return bool(self._device.is_active)

    def close(self) -> None:
        """Release the pin. Can be called more than once."""
        self._device.close()

    def _changed(self, ticks: float, state: float) -> None:
        self._edges.append((ticks, not state))
        if self._is_loop_called:  # that call reports this edge as well
            return
        self._is_loop_called = True
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._report)

    def _report(self) -> None:
        self._is_loop_called = False  # before the edges are taken: an edge that comes meanwhile calls again
        while self._edges and not self._device.closed:
            ticks, is_active = self._edges.popleft()
            self.age_s = max(0.0, self._pins.ticks_diff(self._pins.ticks(), ticks))
            self._edge(is_active)
