"""The RGB LED: three LEDs in one, each on a pin with pulse width modulation."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from reboard.config.kinds import Section
from reboard.config.pins_and_ports import pin
from reboard.devices.device import Absent, DeviceKind, FittedDevice, nothing
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.devices.ring import DARK, whole
from reboard.events import DeviceEvent, Emit, ignore_event
from reboard.record import Record

if TYPE_CHECKING:
    from gpiozero import Factory


class RgbLedConfig(Record):
    """The setting of an RGB LED with a common cathode: the pins of its colours."""

    red: Annotated[int, pin, "the red LED"]
    green: Annotated[int, pin, "the green LED"]
    blue: Annotated[int, pin, "the blue LED"]

    @property
    def pins(self) -> Mapping[str, int]:
        """The pins of the colours."""
        return {"red": self.red, "green": self.green, "blue": self.blue}


TRIED: Mapping[str, Sequence[int]] = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
TRY_S = 0.8

RGB_LED_SETTING = Section(RgbLedConfig)
"""The reader of the setting of an RGB LED."""


class ColourShown(DeviceEvent, name="rgb_led"):
    """The colour of an RGB LED has changed."""

    colour: Annotated[str, "such as #ff0000"]


class RgbLed:
    """An RGB LED, dark at first. It emits ``rgb_led {colour}`` at each change. Raises `DeviceError`."""

    def __init__(
        self, config: RgbLedConfig, *, pins: Factory, emit: Emit = ignore_event, name: str = "RGB LED"
    ) -> None:
        self._emit = emit
        self._colour = DARK
        with named_pin_errors(name, *config.pins.values()):
            from gpiozero import RGBLED

            self._led = RGBLED(config.red, config.green, config.blue, pin_factory=pins)

    def show(self, colour: Sequence[float] = DARK) -> None:
        """Show *colour*: red, green and blue from 0 to 255, dark by default. Raises ``ValueError``."""
        colour = whole(colour)
        self._led.value = tuple(part / 255 for part in colour)
        if colour != self._colour:
            self._colour = colour
            self._emit(ColourShown("#{:02x}{:02x}{:02x}".format(*colour)))

    def close(self) -> None:
        self._led.close()


class AbsentRgbLed(Absent):
    """The stand-in for an RGB LED that the config leaves out: always dark."""

    show = nothing


Fitted = FittedDevice[RgbLedConfig, RgbLed | AbsentRgbLed]


class RgbLedKind(DeviceKind[RgbLedConfig, RgbLed | AbsentRgbLed]):
    """The device kind of RGB LEDs, with colours such as ``(255, 128, 0)``."""

    name = "rgb_led"
    event = ColourShown
    absent = AbsentRgbLed
    driver = RgbLed
    is_output = True

    def pins(self, config: RgbLedConfig) -> Mapping[str, int]:
        return config.pins

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, int]:
        usual = (device.config or device.usual or RgbLedConfig(5, 6, 26)).pins
        while True:
            questions = {colour: f"the {colour} of the {device.title}" for colour in usual}
            pins = await work.ask_pins(device.label, questions, usual)
            with closing(RgbLed(RgbLedConfig(**pins), pins=work.board.pins, name=device.title)) as led:
                for shown in TRIED.values():
                    led.show(shown)
                    await asyncio.sleep(TRY_S)
            seen = await work.prompts.ask("Which colours did it show, one after the other?", " ".join(TRIED))
            if sorted(seen.lower().split()) == sorted(TRIED):
                return {colour: pins[tried] for tried, colour in zip(TRIED, seen.lower().split(), strict=True)}
            work.prompts.say(
                f"Type the three colours, such as {' '.join(TRIED)}. If one was missing, check its wires. An LED with "
                "a common anode does not work."
            )


RGB_LED = RgbLedKind()
