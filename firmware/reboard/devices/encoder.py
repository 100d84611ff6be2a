"""The rotary encoder: a knob without stops, whose two contacts tell the direction of each step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated

from reboard.board import Board
from reboard.config.kinds import Section
from reboard.config.pins_and_ports import pin
from reboard.devices.device import Absent, DeviceKind, FittedDevice, never
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.events import Emit
from reboard.record import Record

if TYPE_CHECKING:
    from gpiozero import Factory


class EncoderConfig(Record):
    """The setting of a rotary encoder: the pins of its contacts *a* and *b*, often marked CLK and DT."""

    a: Annotated[int, pin, "its contact A, often marked CLK"]
    b: Annotated[int, pin, "its contact B, often marked DT"]


ENCODER_SETTING = Section(EncoderConfig)
"""The reader of the setting of a rotary encoder."""


class Encoder:
    """A rotary encoder. Raises `DeviceError` if a pin cannot be used."""

    def __init__(self, config: EncoderConfig, *, pins: Factory, name: str = "encoder") -> None:
        self._loop = asyncio.get_running_loop()
        self._steps = 0
        self._has_turned = asyncio.Event()
        with named_pin_errors(name, config.a, config.b):
            from gpiozero import RotaryEncoder

            self._encoder = RotaryEncoder(config.a, config.b, max_steps=0, pin_factory=pins)
        # gpiozero calls from a thread of its own
        self._encoder.when_rotated_clockwise = lambda: self._call(1)
        self._encoder.when_rotated_counter_clockwise = lambda: self._call(-1)

    async def turned(self) -> None:
        """Wait until the knob has been turned. Return at once while `steps` has steps to return."""
        while not self._steps:  # to and fro is no turn
            await self._has_turned.wait()

    def steps(self) -> int:
        """Return the steps since the last call. Clockwise ones are positive."""
        self._has_turned.clear()
        steps, self._steps = self._steps, 0
        return steps

    def close(self) -> None:
        self._encoder.close()

    def _call(self, step: int) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._add, step)

    def _add(self, step: int) -> None:
        self._steps += step
        if self._steps:
            self._has_turned.set()
        else:
            self._has_turned.clear()


class AbsentEncoder(Absent):
    """The stand-in for a rotary encoder that the config leaves out. It is never turned."""

    turned = never

    def steps(self) -> int:
        return 0


Fitted = FittedDevice[EncoderConfig, Encoder | AbsentEncoder]


class EncoderKind(DeviceKind[EncoderConfig, Encoder | AbsentEncoder]):
    """The device kind of rotary encoders."""

    name = "encoder"
    absent = AbsentEncoder

    def pins(self, config: EncoderConfig) -> Mapping[str, int]:
        return {"a": config.a, "b": config.b}

    def open_driver(self, config: EncoderConfig, name: str, board: Board, emit: Emit) -> Encoder:
        return Encoder(config, pins=board.pins, name=name)

    async def try_out(self, device: Fitted, work: TryOut) -> dict[str, object]:
        usual = device.config or device.usual or EncoderConfig(16, 20)
        title = device.title
        while True:
            questions = {"a": f"contact A (CLK) of the {title}", "b": f"contact B (DT) of the {title}"}
            a, b = (await work.ask_pins(device.label, questions, self.pins(usual))).values()
            with closing(Encoder(EncoderConfig(a, b), pins=work.board.pins, name=title)) as knob:
                instruction = "Turn the knob clockwise. Press Enter if nothing happens."
                steps = await work.prompts.until(instruction, _first_steps(knob))
            if steps:
                return {"a": a, "b": b} if steps > 0 else {"a": b, "b": a}
            work.prompts.say("The knob made no step: check its wires to the two pins and to ground.")
            if await work.prompts.yes("Use these pins anyway?", default=False):
                return {"a": a, "b": b}


async def _first_steps(knob: Encoder) -> int:
    await knob.turned()
    return knob.steps()


ENCODER = EncoderKind()
