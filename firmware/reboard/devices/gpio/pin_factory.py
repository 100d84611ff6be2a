"""A gpiozero pin factory that uses lgpio for levels and `reboard.devices.gpio.edges` for edges.

lgpio itself polls 2000 times per second as soon as one pin has edge detection (docs/decisions/pins.md). Call
`reboard.devices.gpio.chip.load_lgpio` before you import this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from reboard.errors import DeviceError

if TYPE_CHECKING:
    from reboard.devices.gpio.edges import EdgeLine, EdgeWatch

PULLS = {"up": lgpio.SET_PULL_UP, "down": lgpio.SET_PULL_DOWN, "floating": lgpio.SET_PULL_NONE}


class LgpioPins(LGPIOFactory):  # type: ignore[misc]  # gpiozero has no type information
    """A gpiozero pin factory for GPIO chip number *chip*. Raises ``lgpio.error`` if the chip cannot be opened."""

    def __init__(self, chip: int) -> None:
        super().__init__(chip)
        self.pin_class = LgpioPin

    @cached_property
    def edge_watch(self) -> EdgeWatch:
        """The thread that waits for edges, created on first use. Raises ``ImportError`` if libgpiod is missing."""
        from reboard.devices.gpio.edges import EdgeWatch

        return EdgeWatch()

    def close(self) -> None:
        """Release all pins. Can be called more than once."""
        try:
            super().close()
        finally:
            if watch := self.__dict__.pop("edge_watch", None):
                watch.close()


class LgpioPin(LGPIOPin):  # type: ignore[misc]
    """A pin that lgpio drives. While it has edge detection, it is requested through libgpiod instead."""

    def __init__(self, factory: LgpioPins, info: object) -> None:
        self._line: EdgeLine | None = None
        super().__init__(factory, info)
        self._is_claimed = True

    def close(self) -> None:
        """Make the pin an input and release it, so that other programs can use it. Can be called more than once."""
        self.when_changed = None
        if self._is_claimed and self.factory._handle is not None:
            super().close()
            # gpiozero keeps it until the factory is closed; `reboard setup` would report that another program uses it
            lgpio.gpio_free(self.factory._handle, self._number)
            self._is_claimed = False

    def _get_state(self) -> float:
        if line := self._line:
            return float(line.is_high)
        return float(super()._get_state())

    def _set_function(self, value: str) -> None:
        self.when_changed = None
        super()._set_function(value)
        self._is_claimed = True

    def _set_pull(self, value: str) -> None:
        with self._claimed_by_lgpio():
            super()._set_pull(value)

    def _set_bounce(self, value: float | None) -> None:
        with self._claimed_by_lgpio():
            super()._set_bounce(value)

    def _enable_event_detect(self) -> None:
        """Request the GPIO line with edge detection.

        Raises `DeviceError` if libgpiod is missing, and ``OSError`` if the kernel rejects the request.
        """
        try:
            from reboard.devices.gpio.edges import EdgeLine
        except ImportError as error:
            self._when_changed = None
            raise DeviceError(
                f"the library gpiod, 2.1 or newer, is missing ({error}), so edges of pins cannot be detected: run "
                "`sudo make install` in reboard's folder, or `pip install 'gpiod>=2.1'`"
            ) from error
        pull = self.pull
        lgpio.gpio_free(self.factory._handle, self._number)
        try:
            self._line = line = EdgeLine(
                self.factory.chip, self._number, pull=pull, edges=self.edges, bounce_s=self.bounce or 0.0
            )
            self.factory.edge_watch.watch(line, partial(self._report, line))
        except BaseException:
            self._when_changed = None
            self._disable_event_detect()
            raise

    def _disable_event_detect(self) -> None:
        pull = self.pull
        if line := self._line:
            self._line = None
            self.factory.edge_watch.forget(line)
            line.release()
        lgpio.gpio_claim_input(self.factory._handle, self._number, PULLS[pull])

    @contextmanager
    def _claimed_by_lgpio(self) -> Iterator[None]:
        line = self._line
        if line:
            self._disable_event_detect()
        try:
            yield
        finally:
            if line:
                self._enable_event_detect()

    def _report(self, line: EdgeLine, t: float, is_high: bool) -> None:
        # gpiozero keeps a weak reference; and since the edge was read, the pin may have been closed and opened again
        reference = self._when_changed
        if line is self._line and reference and (callback := reference()):
            callback(t, int(is_high))
