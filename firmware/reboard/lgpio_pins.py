"""gpiozero's pins through lgpio, but for edges, which come from `reboard.kernel_edges`.

lgpio looks for edges two thousand times a second, from the first pin on that wants any (docs/decisions/pins.md). Call
`reboard.header.load_lgpio` before you import this.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING

import lgpio
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from reboard.errors import PartError

if TYPE_CHECKING:
    from reboard.kernel_edges import EdgeLine, EdgeWatch

PULLS = {"up": lgpio.SET_PULL_UP, "down": lgpio.SET_PULL_DOWN, "floating": lgpio.SET_PULL_NONE}


class LgpioPins(LGPIOFactory):  # type: ignore[misc]  # gpiozero has no type information
    """gpiozero's pins on GPIO chip number *chip*. Raises ``lgpio.error``."""

    def __init__(self, chip: int) -> None:
        super().__init__(chip)
        self.pin_class = LgpioPin

    @cached_property
    def edge_watch(self) -> EdgeWatch:
        """Who waits for edges. Nobody, and without libgpiod, until a pin wants some."""
        from reboard.kernel_edges import EdgeWatch

        return EdgeWatch()

    def close(self) -> None:
        """Give all pins back. May be called twice."""
        try:
            super().close()
        finally:
            if watch := self.__dict__.pop("edge_watch", None):
                watch.close()


class LgpioPin(LGPIOPin):  # type: ignore[misc]
    """A pin that is lgpio's until somebody wants its edges; then the kernel gives it to us ourselves."""

    def __init__(self, factory: LgpioPins, info: object) -> None:
        self._line: EdgeLine | None = None
        super().__init__(factory, info)
        self._is_had = True

    def close(self) -> None:
        """Give the pin back: it is an input, and whoever wants it may have it."""
        self.when_changed = None
        if self._is_had and self.factory._handle is not None:
            super().close()
            # gpiozero keeps it until the factory is closed, which to `reboard setup` looks like another program at work
            lgpio.gpio_free(self.factory._handle, self._number)
            self._is_had = False

    def _get_state(self) -> float:
        if line := self._line:
            return float(line.is_high)
        return float(super()._get_state())

    def _set_function(self, value: str) -> None:
        self.when_changed = None
        super()._set_function(value)
        self._is_had = True

    def _set_pull(self, value: str) -> None:
        with self._as_lgpios():
            super()._set_pull(value)

    def _set_bounce(self, value: float | None) -> None:
        with self._as_lgpios():
            super()._set_bounce(value)

    def _enable_event_detect(self) -> None:
        """Have the line for its edges. Raises `PartError` without libgpiod, ``OSError`` when the kernel refuses."""
        try:
            from reboard.kernel_edges import EdgeLine
        except ImportError as error:
            self._when_changed = None
            raise PartError(
                f"the library gpiod, 2.1 or newer, is missing ({error}), so no edge of a pin is heard: "
                "`sudo make install`, in reboard's folder, or pip install 'gpiod>=2.1'"
            ) from error
        pull = self.pull
        lgpio.gpio_free(self.factory._handle, self._number)
        try:
            self._line = line = EdgeLine(
                self.factory.chip, self._number, pull=pull, edges=self.edges, bounce_s=self.bounce or 0.0
            )
            self.factory.edge_watch.watch(line, partial(self._tell, line))
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
    def _as_lgpios(self) -> Iterator[None]:
        """Let lgpio have the pin for a moment."""
        had = self._line
        if had:
            self._disable_event_detect()
        try:
            yield
        finally:
            if had:
                self._enable_event_detect()

    def _tell(self, line: EdgeLine, t: float, is_high: bool) -> None:
        # gpiozero's reference, which is weak; and the pin may be somebody else's since the edge was read
        reference = self._when_changed
        if line is self._line and reference and (told := reference()):
            told(t, int(is_high))
