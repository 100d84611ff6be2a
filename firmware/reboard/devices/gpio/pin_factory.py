"""A gpiozero pin factory that uses libgpiod, with software PWM. gpiozero finds it under the name ``gpiod``.

While no pin has a duty cycle between 0 and 1, no thread of the factory wakes up without an edge.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path

from gpiod import LineRequest, LineSettings
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero import PinInvalidFunction, PinInvalidState, PinPWMFixedValue, PinSetInput
from gpiozero.pins.local import LocalPiFactory

from reboard.devices.gpio.chip import header_chip, request_pin
from reboard.devices.gpio.edges import EdgeWatch, read_edges
from reboard.devices.gpio.input_settings import InputSettings
from reboard.devices.gpio.pulses import Pulses

BIASES = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
EDGES = {"both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING}
LEVELS = {False: Value.INACTIVE, True: Value.ACTIVE}


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]  # gpiozero has no type information
    """A gpiozero pin factory for the GPIO chip *path*, by default that of the Pi's header.

    Raises `DeviceError` if the chip of the header is not found.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path or header_chip()
        self.pin_class = GpiodPin

    @cached_property
    def edge_watch(self) -> EdgeWatch:
        """The thread that waits for edges, created on first use."""
        return EdgeWatch()

    def close(self) -> None:
        """Release all pins, even if one of them raises an error. Can be called more than once."""
        try:
            with ExitStack() as stack:
                for pin in self.pins.values():
                    stack.callback(pin.close)
                self.pins.clear()
        finally:
            if watch := self.__dict__.pop("edge_watch", None):
                watch.close()


class GpiodPin(InputSettings):
    """A pin that is requested from the kernel when it is first used, and released by `close`.

    Its callback stays when the pin becomes an output, and is called again when the pin is an input again.
    Other changes reconfigure the requested pin, so its level does not change on the way. A request raises
    `DeviceError` if another program uses the pin.
    """

    def __init__(self, factory: GpiodFactory, info: object) -> None:
        super().__init__(factory, info)
        self._request: LineRequest | None = None
        self._watch: object | None = None
        """A new object for each time that edge detection is enabled."""
        self._pulses: Pulses | None = None

    def close(self) -> None:
        """Make the pin an input and release it, so that other programs can use it. Can be called more than once."""
        self.when_changed = None
        if not self._request:
            return
        try:
            self._set_function("input")
        finally:
            self._request.release()
            self._request = None

    def output_with_state(self, state: float) -> None:
        """Make the pin an output that is high if *state* is not 0. It has no other level before."""
        self._stop()
        self._configure(LineSettings(direction=Direction.OUTPUT, output_value=LEVELS[bool(state)]))
        self._function = "output"

    def _set_function(self, value: str) -> None:
        match value:
            case "output":
                self.output_with_state(0)
            case "input":
                self._stop()
                self._function, self._pull = "input", self._fixed_pull
                # in one step, so that no edge is lost between the change of the direction and edge detection
                self._watch = object() if self._get_when_changed() else None
                self._configure_input()
                self._watch_edges()
            case _:
                raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')

    def _stop(self) -> None:
        """Stop edge detection and pulses, without a change of the level."""
        if self._watch:
            self._watch = None
            self.factory.edge_watch.forget(self._line)
        if pulses := self._pulses:
            self._pulses = None
            pulses.end()

    def _configure_input(self) -> None:
        self._configure(
            LineSettings(
                direction=Direction.INPUT,
                bias=BIASES[self._pull],
                edge_detection=EDGES[self._edges] if self._watch else Edge.NONE,
                debounce_period=timedelta(seconds=self._bounce_s or 0),
            )
        )

    _pull_changed = _configure_input

    def _edges_changed(self) -> None:
        if self._watch:
            self._configure_input()

    def _configure(self, settings: LineSettings) -> None:
        if self._request:
            self._request.reconfigure_lines({self._number: settings})
        else:
            self._request = request_pin(self.factory.path, self._number, settings)

    @property
    def _line(self) -> LineRequest:
        if not self._request:
            self._configure_input()
        assert self._request
        return self._request

    def _get_state(self) -> float:
        if self._pulses:
            return self._pulses.duty
        return int(self._line.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self._function != "output":
            raise PinSetInput(f"cannot set state of pin {self!r}")
        if not self._pulses:
            self._write(bool(value))
        elif 0 <= value <= 1:
            self._pulses.set_duty(value)
        else:
            raise PinInvalidState(f'invalid state "{value}" for pin {self!r}')

    def _write(self, is_high: bool) -> None:
        self._line.set_value(self._number, LEVELS[is_high])

    def _get_frequency(self) -> float | None:
        return self._pulses.frequency_hz if self._pulses else None

    def _set_frequency(self, value: float | None) -> None:
        if value is None or value <= 0:
            if pulses := self._pulses:
                pulses.set_duty(0)
                self._pulses = None
        elif self._pulses:
            self._pulses.frequency_hz = value
        elif self._function == "output":
            self._pulses = Pulses(repr(self), self._write, self.close, value)
        else:
            raise PinPWMFixedValue(f"cannot start PWM on pin {self!r}")

    def _enable_event_detect(self) -> None:
        """Make the kernel report edges. Raises ``OSError`` if the kernel rejects that."""
        try:
            if self._function != "input":
                raise PinInvalidFunction(f"cannot detect edges on non-input pin {self!r}")
            read_edges(self._line)  # those from before, which were not reported
            self._watch = object()
            self._configure_input()
            self._watch_edges()
        except BaseException:
            self._when_changed = None
            self._disable_event_detect()
            raise

    def _watch_edges(self) -> None:
        if self._watch:
            self.factory.edge_watch.watch(self._line, partial(self._report, self._watch))

    def _disable_event_detect(self) -> None:
        if self._watch:
            self._watch = None
            self.factory.edge_watch.forget(self._line)
            self._configure_input()

    def _report(self, watch: object, t: float, is_high: bool) -> None:
        # gpiozero keeps a weak reference; and since the edge was read, edge detection may have been disabled
        reference = self._when_changed
        if watch is self._watch and reference and (callback := reference()):
            callback(t, int(is_high))
