"""The servo: a small motor that turns its arm to an angle, on a pin with pulses of 1 to 2 ms."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

from reboard.devices.device import Absent, FittedDevice, PinKind, nothing
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.events import DeviceEvent, Emit, ignore_event

if TYPE_CHECKING:
    from gpiozero import Factory

MOST_DEGREES = 45
"""The angle on each side that every servo reaches with pulses of 1 to 2 ms, in degrees."""


TURN_S = 0.6
"""The time in which an arm gets from side to side, in seconds."""


class ServoTurned(DeviceEvent, name="servo"):
    """A servo turns to an angle."""

    degrees: Annotated[float | None, "null if the arm is loose"]


class Servo:
    """A servo without pulses at first, so that its arm is loose. It emits ``servo {degrees}``. Raises `DeviceError`."""

    def __init__(self, pin: int, *, pins: Factory, emit: Emit = ignore_event, name: str = "servo") -> None:
        self._emit = emit
        with named_pin_errors(name, pin):
            from gpiozero import AngularServo

            self._servo = AngularServo(
                pin, initial_angle=None, min_angle=-MOST_DEGREES, max_angle=MOST_DEGREES, pin_factory=pins
            )

    def turn(self, degrees: float | None) -> None:
        """Turn the arm to -45 to 45 *degrees*, or let it loose with ``None``. A loose arm does not hum.

        Raises ``ValueError`` if the angle is out of range.
        """
        if degrees is not None and abs(degrees) > MOST_DEGREES:
            raise ValueError(f"a servo turns from -{MOST_DEGREES} to {MOST_DEGREES} degrees, not to {degrees}")
        self._servo.angle = degrees
        self._emit(ServoTurned(degrees))

    def close(self) -> None:
        self._servo.close()


class AbsentServo(Absent):
    """The stand-in for a servo that the config leaves out."""

    turn = nothing


class ServoKind(PinKind[Servo | AbsentServo]):
    """The device kind of servos, from -45 to 45 degrees."""

    name = "servo"
    event = ServoTurned
    absent = AbsentServo
    driver = Servo
    is_output = True

    async def try_out(self, device: FittedDevice[int, Servo | AbsentServo], work: TryOut) -> int | None:
        pin = await work.ask_output_pin(device.label, f"the {device.noun}", device.usual)
        with closing(Servo(pin, pins=work.board.pins, name=device.title)) as servo:
            for degrees in (-30, 30, 0):
                servo.turn(degrees)
                await asyncio.sleep(TURN_S)
        return pin if await work.prompts.yes("Did the arm turn to both sides?") else None


SERVO = ServoKind()
