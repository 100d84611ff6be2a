"""A channel of ``RPi.GPIO``, its edges and its pulses, on a virtual pin. Errors are those of RPi.GPIO 0.7.1."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

EDGES = {31: "rising", 32: "falling", 33: "both"}
"""gpiozero's name of the edges for each constant of RPi.GPIO: ``RISING``, ``FALLING`` and ``BOTH``."""


class Channel:
    """A pin that a program has set up: its *number* in the program, its BCM number *gpio* and its *pin*.

    *pull* is ``up``, ``down`` or ``floating``.
    """

    def __init__(self, number: int, gpio: int, pin: Any, *, is_output: bool, pull: str) -> None:
        self.number, self.gpio, self.pin = number, gpio, pin
        self.is_output, self.pull = is_output, pull
        self.has_pwm = False
        self.edge: int | None = None
        self.callbacks: list[Callable[[int], object]] = []
        self.was_detected = False
        self.detected = threading.Event()

    def __repr__(self) -> str:
        return f"<RPi.GPIO channel {self.number}>"

    def _conflicts_with(self, other: object) -> bool:
        return True  # gpiozero asks this before a pin gets a second user

    def watch(self, edge: int, bounce_ms: int) -> None:
        """Detect each *edge* from now on, but none within *bounce_ms* of the latest one."""
        self.edge, self.was_detected = edge, False
        self.pin.bounce = bounce_ms / 1000 if bounce_ms > 0 else None
        self.pin.edges = EDGES[edge]
        self.pin.when_changed = self._changed

    def ignore(self) -> None:
        """Detect no more edges."""
        self.edge = self.pin.when_changed = None
        self.callbacks.clear()

    def _changed(self, _ticks: float, _state: int) -> None:
        self.was_detected = True
        self.detected.set()
        for callback in tuple(self.callbacks):
            callback(self.number)


class PWM:
    """Pulses on a *channel*, of *frequency* hertz. They stop when the program drops the object."""

    gpio: ClassVar[Any]
    _channel: Channel | None = None
    _is_on = False

    def __init__(self, channel: int, frequency: float) -> None:
        gpio = self.gpio
        used = gpio.used.get(gpio.bcm_number(channel))
        if not used or not used.is_output:
            raise RuntimeError("You must setup() the GPIO channel as an output first")
        if used.has_pwm:
            raise RuntimeError("A PWM object already exists for this GPIO channel")
        self._hz, self._duty = _checked_hz(frequency), 0.0
        self._channel = used
        used.has_pwm = True

    def start(self, dutycycle: float) -> None:
        self._duty, self._is_on = _checked_duty(dutycycle), True
        self._pulse()

    def ChangeDutyCycle(self, dutycycle: float) -> None:  # noqa: N802 - as RPi.GPIO writes it
        self._duty = _checked_duty(dutycycle)
        self._pulse()

    def ChangeFrequency(self, frequency: float) -> None:  # noqa: N802
        self._hz = _checked_hz(frequency)
        self._pulse()

    def stop(self) -> None:
        if self._is_on and self._channel and self._channel.has_pwm:
            self._is_on = False
            self._channel.pin.frequency = None

    def _pulse(self) -> None:
        self.gpio.machine.here()
        if self._is_on and self._channel and self._channel.has_pwm:
            self._channel.pin.frequency = self._hz
            self._channel.pin.state = self._duty / 100

    def __del__(self) -> None:
        with suppress(BaseException):  # the power may be cut
            self.stop()
        if self._channel:
            self._channel.has_pwm = False


def _checked_hz(frequency: float) -> float:
    if frequency <= 0:
        raise ValueError("frequency must be greater than 0.0")
    return float(frequency)


def _checked_duty(duty: float) -> float:
    if not 0 <= duty <= 100:
        raise ValueError("dutycycle must have a value from 0.0 to 100.0")
    return float(duty)
