"""The lamp: an LED on a pin."""

from __future__ import annotations

from gpiozero import LED, Factory

from reboard.events import Emit, to_nobody
from reboard.parts.wire import naming


class Lamp:
    """A lamp, dark at first. It tells ``lamp {on}`` when it changes.

    Raises `PartError` when the pin cannot be had or written.
    """

    def __init__(self, pin: int, *, pins: Factory, emit: Emit = to_nobody, name: str = "lamp") -> None:
        self.name = name
        self._pin = pin
        self._emit = emit
        self._is_on = False
        with naming(name, pin):
            self._led = LED(pin, initial_value=False, pin_factory=pins)

    @property
    def is_on(self) -> bool:
        """Whether it is lit."""
        return self._is_on

    def on(self) -> None:
        """Light it."""
        self._switch(True)

    def off(self) -> None:
        """Put it out."""
        self._switch(False)

    def close(self) -> None:
        """Put it out and give the pin back. May be called twice."""
        try:
            self.off()
        finally:
            self._led.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object on pin GPIO{self._pin}, is_on={self._is_on}>"

    def _switch(self, on: bool) -> None:
        if on == self._is_on:
            return
        with naming(self.name, self._pin):
            self._led.value = on
        self._is_on = on
        self._emit("lamp", on=on)
