"""The worm apple as an accessory: its config, devices and events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from reboard.accessories.accessory import Accessory, TableContext
from reboard.accessories.worm_apple.apple import USUAL_S, WORM_DANCE, WormApple
from reboard.config.kinds import Number, Section, Several
from reboard.config.pins_and_ports import motor_pin, pin
from reboard.devices.contact import LEVER
from reboard.devices.device import FittedDevice
from reboard.devices.motor import LEVEL, MOTOR, STEP_S, Pattern, step
from reboard.record import Record
from reboard.vocabulary.vocabulary import Vocabulary


class AppleConfig(Record):
    """The section ``[apple]``. A *pattern* of ``None`` selects `WORM_DANCE`."""

    lever: Annotated[int, pin, "the switch that closes to ground when the lever is all the way back"]
    motor: Annotated[
        int | None, motor_pin, "the gate of the motor's transistor (pins 0 to 8 are high while a Pi starts)"
    ] = None
    seconds: Annotated[float, Number(5, 120, "seconds"), "how long the worms dance"] = USUAL_S
    pattern: Annotated[
        Pattern | None,
        Several(step, 1, 32),
        f"steps of `[level, seconds]`, repeated: level {LEVEL.low:g} to {LEVEL.high:g}, "
        f"seconds {STEP_S.low:g} to {STEP_S.high:g}. Left out: the usual dance",
    ] = None


class WormAppleAccessory(Accessory[AppleConfig]):
    """The worm apple of Wiggly Worms."""

    name = "apple"
    title = "Worm apple"
    order = 20
    section = Section(AppleConfig)
    fitted: Sequence[FittedDevice[Any, Any]] = (
        FittedDevice(
            "apple.lever",
            "apple's lever",
            LEVER,
            gesture="Pull the lever all the way back and let go",
            usual=22,
            is_required=True,
        ),
        FittedDevice("apple.motor", "apple's motor", MOTOR, question="Does the apple have a motor?", usual=13),
    )
    vocabulary = Vocabulary("reboard.accessories.worm_apple.vocabulary")

    def describe(self, config: AppleConfig) -> Iterator[tuple[str, str]]:
        motor = "no motor" if config.motor is None else f"motor on GPIO{config.motor}"
        steps = len(config.pattern or ())
        pattern = f"a pattern of {steps} step{'s' * (steps > 1)}" if steps else "the built-in pattern"
        yield self.title.lower(), f"lever on GPIO{config.lever}, {motor}, {config.seconds:g} s, {pattern}"

    def running(self, config: AppleConfig, devices: Mapping[str, Any], context: TableContext) -> WormApple:
        return WormApple(
            devices["lever"],
            devices["motor"],
            context.speaker,
            seconds=config.seconds,
            pattern=config.pattern or WORM_DANCE,
            now=context.now,
            emit=context.emit,
        )


WORM_APPLE = WormAppleAccessory()
