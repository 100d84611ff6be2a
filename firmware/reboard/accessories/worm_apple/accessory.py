"""The worm apple as an accessory: releasing the lever starts the motor for the time of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from reboard.accessories.accessory import Announcement
from reboard.accessories.game_accessory import Game, GameAccessory
from reboard.accessories.worm_apple.vocabulary import Apple, Started, Stopped, Wound
from reboard.aiotools import first_of
from reboard.config.kinds import Number, Section, Several
from reboard.config.pins_and_ports import motor_pin, pin
from reboard.devices.contact import LEVER, Lever
from reboard.devices.device import FittedDevice
from reboard.devices.motor import LEVEL, MOTOR, STEP_S, AbsentMotor, Motor, Pattern, Step, step
from reboard.events import FaultState
from reboard.finding import sentence
from reboard.languages import Texts, translatable
from reboard.record import Record
from reboard.vocabulary.vocabulary import Vocabulary

USUAL_S = 13.0
"""The default length of a turn in seconds, measured on an old unit. The rule book does not give it."""

WORM_DANCE: Pattern = (
    Step(1.0, 0.9),
    Step(0.6, 0.5),
    Step(0.85, 0.7),
    Step(0.55, 0.4),
    Step(0.95, 0.8),
    Step(0.7, 0.5),
)
"""The built-in pattern of the motor: the speed rises and falls and is never 0."""

TIME_UP, TOUCHED = 0, 1
MARGIN_S = 0.05
"""The time by which the motor's limit is longer than a turn, in seconds, so that it does not end a normal one."""

PULL_S = 0.1
"""The time after its first edge within which a lever that is pulled is steadily back, in seconds."""

SPARK = translatable(
    "a spark on the lever's wire stopped the worms: keep the wire away from the motor and its wires, and check the "
    "resistor and the capacitor at its pin"
)


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


class WormApple(GameAccessory[AppleConfig]):
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

    def announcements(self) -> Mapping[str, Announcement]:
        return {
            Wound.event: lambda _, __, say: say("Wound up: let go!"),
            Started.event: lambda _, __, say: f"{say('The worms are dancing')}.",
            Stopped.event: lambda _, __, say: sentence(say("the worms stop")),
        }

    def spoken_texts(self, say: Texts) -> Sequence[str]:
        return [say("Wound up: let go!"), say("The worms are dancing"), say("the worms stop")]

    async def play(self, game: Game[AppleConfig]) -> None:
        """Play turns. A lever all the way back winds the apple, and its release starts the motor.

        A pull during a turn stops the motor at the first edge of the contact, and winds the apple. If that edge was
        only a spark, it is a fault until the next turn ends in another way. A complete turn ends with a sound.
        """
        lever: Lever = game.devices.lever
        fault = FaultState("apple", game.emit)
        _set(game, running=False, wound=False, started_at=None)
        while True:
            await lever.pulled_back()
            _set(game, running=False, wound=True, started_at=None)
            game.emit(Wound())
            game.speaker.play("wound")
            await lever.released()
            end = await _turn(game)
            if end == TIME_UP:
                game.speaker.play("time_up")
            is_spark = end == TOUCHED and await first_of(lever.closed(), asyncio.sleep(PULL_S)) == 1
            fault.set(SPARK if is_spark else None)


async def _turn(game: Game[AppleConfig]) -> int:
    """Run the motor for a turn, and return what ended it: `TIME_UP`, `TOUCHED`, or 2 for the motor. It is off then."""
    lever: Lever = game.devices.lever
    motor: Motor | AbsentMotor = game.devices.motor
    seconds = game.config.seconds
    _set(game, running=True, wound=False, started_at=game.context.now())
    try:
        async with motor.running(game.config.pattern or WORM_DANCE, longest_s=seconds + MARGIN_S):
            game.emit(Started(seconds))
            return await first_of(asyncio.sleep(seconds), lever.touched(), motor.stopped())
    finally:
        _set(game, running=False, wound=False, started_at=None)
        game.emit(Stopped())


def _set(game: Game[AppleConfig], *, running: bool, wound: bool, started_at: float | None) -> None:
    state: Apple = {"running": running, "wound": wound, "seconds": game.config.seconds, "started_at": started_at}
    game.state.update(state)


WORM_APPLE = WormApple()
