"""The lamp: an LED on a pin."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from reboard.board import Board
from reboard.config.kinds import RESISTOR, Choice, Number, Section
from reboard.devices.device import Absent, FittedDevice, PinKind, nothing
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.errors import DeviceError
from reboard.events import DeviceEvent, Emit, ignore_event
from reboard.record import Record

if TYPE_CHECKING:
    from gpiozero import Factory

BLINKS = 3
BLINK_S = 0.4


class LampWiring(Record):
    """The table ``[wiring.lamp]``: an LED with a resistor, driven by its pin or by a transistor."""

    driver: Annotated[str, Choice("pin", "transistor"), "what drives it: its pin, or a transistor with 5 V"] = "pin"
    resistor_ohm: Annotated[int, RESISTOR, "its resistor; `0`: none"] = 330
    led_v: Annotated[
        float, Number(1.0, 4.0, "volts"), "of the LED: 2 for red and yellow, 3 for white, blue and most green ones"
    ] = 2.0


class LampSwitched(DeviceEvent, name="lamp"):
    """A lamp was switched."""

    on: bool


class Lamp:
    """An LED on a pin, off at first. It emits ``lamp {on}`` at each change.

    *name* is the device's name in error messages. Raises `DeviceError` if the pin cannot be used.
    """

    def __init__(self, pin: int, *, pins: Factory, emit: Emit = ignore_event, name: str = "lamp") -> None:
        self.name = name
        self._pin = pin
        self._emit = emit
        self._is_on = False
        with named_pin_errors(name, pin):
            from gpiozero import LED

            self._led = LED(pin, initial_value=False, pin_factory=pins)

    @property
    def is_on(self) -> bool:
        return self._is_on

    def on(self) -> None:
        self._switch(True)

    def off(self) -> None:
        self._switch(False)

    def close(self) -> None:
        try:
            self.off()
        finally:
            self._led.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object on pin GPIO{self._pin}, is_on={self._is_on}>"

    def _switch(self, on: bool) -> None:
        if on == self._is_on:
            return
        with named_pin_errors(self.name, self._pin):
            self._led.value = on
        self._is_on = on
        self._emit(LampSwitched(on))


class AbsentLamp(Absent):
    """The stand-in for a lamp that the config leaves out: always off."""

    is_on = False
    on = off = nothing


class LampKind(PinKind[Lamp | AbsentLamp]):
    """The device kind of lamps: one LED on a pin."""

    name = "lamp"
    event = LampSwitched
    absent = AbsentLamp
    driver = Lamp
    is_output = True
    wiring = Section(LampWiring)

    async def try_out(self, device: FittedDevice[int, Lamp | AbsentLamp], work: TryOut) -> int:
        while True:
            pin = await work.ask_output_pin(device.label, f"the {device.noun}", device.usual)
            try:
                await _blink(pin, work.board)
            except DeviceError as problem:
                work.prompts.say(f"{problem}")
                continue
            if await work.prompts.yes(f"Did the lamp blink {BLINKS} times?"):
                return pin
            work.prompts.say("Then the lamp is on another pin, or the LED is the wrong way round: its longer leg is +.")


async def _blink(pin: int, board: Board) -> None:
    with closing(Lamp(pin, pins=board.pins)) as lamp:
        for _ in range(BLINKS):
            lamp.on()
            await asyncio.sleep(BLINK_S)
            lamp.off()
            await asyncio.sleep(BLINK_S)


LAMP = LampKind()
