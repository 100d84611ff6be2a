"""The buzzer: a piezo disc without electronics of its own, which a pin makes sound."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from reboard.devices.device import Absent, FittedDevice, PinKind
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.events import DeviceEvent, Emit, ignore_event

if TYPE_CHECKING:
    from gpiozero import Factory

LOWEST_HZ, HIGHEST_HZ = 110, 1760
"""The tones of a buzzer: two octaves on each side of 440 Hz."""


class Buzzed(DeviceEvent, name="buzzer"):
    """The frequency of a buzzer has changed."""

    hz: Annotated[float, "0 is silent"]


class Buzzer:
    """A silent buzzer. It emits ``buzzer {hz}`` at each change. Raises `DeviceError`."""

    def __init__(self, pin: int, *, pins: Factory, emit: Emit = ignore_event, name: str = "buzzer") -> None:
        self._emit = emit
        with named_pin_errors(name, pin):
            from gpiozero import TonalBuzzer

            self._buzzer = TonalBuzzer(pin, octaves=2, pin_factory=pins)

    async def buzz(self, hz: float, seconds: float) -> None:
        """Sound with *hz*, 110 to 1760, for *seconds*. Raises ``ValueError`` if the tone is out of range."""
        if not LOWEST_HZ <= hz <= HIGHEST_HZ:
            raise ValueError(f"a buzzer sounds from {LOWEST_HZ} to {HIGHEST_HZ} Hz, not at {hz:g} Hz")
        from gpiozero.tones import Tone

        self._buzzer.play(Tone.from_frequency(hz))
        self._emit(Buzzed(hz))
        try:
            await asyncio.sleep(seconds)
        finally:
            self._buzzer.stop()
            self._emit(Buzzed(0))

    def close(self) -> None:
        self._buzzer.close()


class AbsentBuzzer(Absent):
    """The stand-in for a buzzer that the config leaves out: silent for the length of each tone."""

    async def buzz(self, hz: float, seconds: float) -> None:
        await asyncio.sleep(seconds)


class BuzzerKind(PinKind[Buzzer | AbsentBuzzer]):
    """The device kind of buzzers."""

    name = "buzzer"
    event = Buzzed
    absent = AbsentBuzzer
    driver = Buzzer
    is_output = True

    async def try_out(self, device: FittedDevice[int, Buzzer | AbsentBuzzer], work: TryOut) -> int | None:
        pin = await work.ask_output_pin(device.label, f"the {device.noun}", device.usual)
        with closing(Buzzer(pin, pins=work.board.pins, name=device.title)) as buzzer:
            await buzzer.buzz(440, 1)
        return pin if await work.prompts.yes("Did the buzzer sound?") else None


BUZZER = BuzzerKind()
