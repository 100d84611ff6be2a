"""The motor, driven with PWM (pulse-width modulation) through a transistor, for a limited time.

The motor stops at the end of ``async with motor.running(…)`` and at its time limit. Its guard (another process or
systemd) stops it if this process hangs or exits.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Annotated

from reboard.board import REPORT_EVERY_S, Board, ReportMotor, unguarded
from reboard.config.kinds import RESISTOR, Choice, Number, Section, Whole, flag
from reboard.config.pins_and_ports import LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.config.reading import KeyPath, Reading
from reboard.devices.device import Absent, FittedDevice, PinKind, never
from reboard.devices.examination import TryOut
from reboard.devices.gpio.gpio_pin import named_pin_errors
from reboard.errors import DeviceError
from reboard.events import DeviceEvent, Emit, ignore_event
from reboard.record import Record
from reboard.vocabulary.limits import Between

if TYPE_CHECKING:
    from gpiozero import Factory

log = logging.getLogger(__name__)

LONGEST_S = 130.0
"""The largest time limit of a motor, in seconds."""

SHORTEST_STEP_S = 0.02

PWM_HZ = 100
RAMP_S = 0.4
"""The duration of the ramp from off to full power, or back, in seconds. It prevents dips of the supply voltage."""
RAMP_STEP_S = SHORTEST_STEP_S
RAMP_STEP = RAMP_STEP_S / RAMP_S

USUAL_RUNNING_MA, USUAL_STALLED_MA = 160, 1500
"""The currents of the motor in the drawing, in mA: while it turns, and when it starts or stalls."""

USUAL_FUSE_MA = 500
"""The hold current of the fuse in the drawing, in mA. The fuse trips at twice this current."""

PULL_UP_S = 0.005
"""The time for which setup pulls the motor's line up, in seconds. A gate of 2 nF takes 0.1 ms."""

TRY_S = 0.8
LONGEST_TRY_S = 1.0
"""The time limit of a motor that setup tries, in seconds."""


class Step(Record):
    """A step of a pattern: a *level* from 0 to 1 of full power, for 0.02 to 130 *seconds* including the ramp.

    Raises ``ValueError`` for other values.
    """

    level: float
    seconds: float

    def __post_init__(self) -> None:
        if not 0 <= self.level <= 1:
            raise ValueError(f"a motor's level must be from 0 to 1, not {self.level}")
        if not SHORTEST_STEP_S <= self.seconds <= LONGEST_S:
            raise ValueError(f"a motor's step must last {SHORTEST_STEP_S} to {LONGEST_S:g} s, not {self.seconds} s")


Pattern = tuple[Step, ...]
"""The steps of a motor, which are repeated while it runs."""


LEVEL = Number(0.2, 1.0, "of full power")
"""The level of a step in the config. A motor does not turn below it."""

STEP_S = Number(0.1, 10.0, "seconds")


def step(reading: Reading, path: KeyPath, value: object, /) -> Step:
    """Return a step of a pattern from ``[level, seconds]`` in the config."""
    if not isinstance(value, list) or len(value) != 2:
        raise reading.must_be(path, "[level, seconds]", value)
    return Step(LEVEL(reading, (*path, 0), value[0]), STEP_S(reading, (*path, 1), value[1]))


class MotorWiring(Record):
    """The table ``[wiring.motor]``: how the motor is driven, supplied and protected. Currents are in milliamperes."""

    driver: Annotated[str, Choice("mosfet", "pin"), 'what drives it; `"pin"` is always wrong'] = "mosfet"
    transistor: Annotated[
        str,
        Choice("IRLZ44N", "IRLB8721", "IRF520"),
        '`"IRLZ44N"` is for it and all that are on at 3 V; the others are not',
    ] = "IRLZ44N"
    gate_pull_down_ohm: Annotated[int, RESISTOR, "resistor from gate to ground; `0`: none"] = 10_000
    flyback_diode: Annotated[bool, flag, "whether there is one"] = True
    suppression_capacitor: Annotated[bool, flag, "100 nF across its terminals"] = True
    bulk_capacitor: Annotated[bool, flag, "470 µF or more across its supply"] = True
    supply: Annotated[
        str,
        Choice("batteries", "second", "5V"),
        'what feeds it; few supplies of a Pi bear a motor on its `"5V"`',
    ] = "batteries"
    supply_v: Annotated[
        float | None, Number(1.0, 24.0, "volts"), "of batteries or second supply. Left out: `4.5`, second `5.0`"
    ] = None
    common_ground: Annotated[bool, flag, "the minus of batteries or second supply is connected to the Pi's ground"] = (
        True
    )
    fuse_ma: Annotated[int, Whole(0, 10_000), "what the resettable fuse in its positive wire holds; `0`: none"] = (
        USUAL_FUSE_MA
    )
    running_ma: Annotated[int, Whole(1, 5000), "current while it turns"] = USUAL_RUNNING_MA
    stalled_ma: Annotated[int, Whole(1, 20_000), "current when blocked and at each start; at least `running_ma`"] = (
        USUAL_STALLED_MA
    )
    transistor_ma: Annotated[
        int | None,
        Whole(1, 100_000),
        "what its transistor can carry with 3 V at the gate. Left out: `2000`, an IRLZ44N's",
    ] = None
    diode_ma: Annotated[int | None, Whole(1, 100_000), "average current of its diode. Left out: `1000`, a 1N5819's"] = (
        None
    )


def _check_currents(reading: Reading, path: KeyPath, motor: MotorWiring) -> None:
    # with the two figures swapped, the electrical check would accept a supply that is too weak
    if motor.stalled_ma >= motor.running_ma:
        return
    why = ": a motor draws the most current when it starts or stalls"
    if motor.stalled_ma == USUAL_STALLED_MA:
        allowed = f"no more than stalled_ma, which is {USUAL_STALLED_MA} when it is left out"
        reading.must_be((*path, "running_ma"), allowed, motor.running_ma, why)
    else:
        left_out = " when it is left out" if motor.running_ma == USUAL_RUNNING_MA else ""
        allowed = f"at least running_ma, which is {motor.running_ma}{left_out}"
        reading.must_be((*path, "stalled_ma"), allowed, motor.stalled_ma, why)


class MotorSet(DeviceEvent, name="motor"):
    """A motor's power has changed."""

    level: Annotated[float, Between(0, 1)]


class Motor:
    """A motor behind a transistor. It emits ``motor {level}`` for each level of its pattern, and 0 when it stops.

    The motor is off at first. It is on only inside `running`, for at most 130 seconds.
    While it is on, it calls *report* at least every `REPORT_EVERY_S`, so that its guard knows that this process
    still works. Raises `DeviceError` if the pin cannot be used.
    """

    def __init__(self, pin: int, *, pins: Factory, emit: Emit = ignore_event, report: ReportMotor = unguarded) -> None:
        self._pin = pin
        self._emit = emit
        self._report = report
        self._level = 0.0
        self._target = 0.0
        self._may_run = False
        self._run: asyncio.Task[None] | None = None
        with named_pin_errors("motor", pin):
            from gpiozero import PWMOutputDevice

            # with a frequency, a pin without PWM fails here, and not in the first game
            self._device = PWMOutputDevice(pin, frequency=PWM_HZ, initial_value=0, pin_factory=pins)
        self._write(0)

    @property
    def level(self) -> float:
        """The current level, from 0 to 1 of full power."""
        return self._level

    @asynccontextmanager
    async def running(self, pattern: Pattern, *, longest_s: float = LONGEST_S) -> AsyncIterator[None]:
        """Run *pattern* during the ``async with``, for at most *longest_s*, and turn the motor off at the end.

        Raises ``RuntimeError`` if the motor is already running, ``ValueError`` for an empty pattern or a limit that is
        not above 0 and at most 130 s, and `DeviceError` at the end if the pin could not be written or the guard has
        exited.
        """
        if not 0 < longest_s <= LONGEST_S:
            raise ValueError(f"longest_s of a motor must be above 0 and at most {LONGEST_S:g} s, not {longest_s} s")
        if self._run:
            raise RuntimeError("the motor is already running")
        if not pattern:
            raise ValueError("a motor's pattern needs at least one step")
        loop = asyncio.get_running_loop()
        self._may_run = True
        limit = loop.call_later(longest_s, self._reach_limit, longest_s)
        run = self._run = loop.create_task(self._follow(pattern), name="motor")
        try:
            yield
        finally:
            limit.cancel()
            self._run = None
            run.cancel()
            failure = run.exception() if run.done() and not run.cancelled() else None
            self._off()
        if failure:
            raise failure

    async def stopped(self) -> None:
        """Wait until the motor stops inside `running`: at its time limit, or after an error of its pin or guard.

        Return at once if the motor is not running.
        """
        if self._run:
            await asyncio.wait({self._run})

    def close(self) -> None:
        if self._run:
            self._run.cancel()
        try:
            self._off()
        finally:
            self._device.close()

    def __repr__(self) -> str:
        return f"<reboard.{type(self).__name__} object on pin GPIO{self._pin}, level={self._level:.2f}>"

    async def _follow(self, pattern: Pattern) -> None:
        loop = asyncio.get_running_loop()
        try:
            for step in itertools.cycle(pattern):
                until = loop.time() + step.seconds
                self._set_target(step.level)
                while self._level != step.level:
                    self._report(True)  # at each step: on a busy machine a ramp takes seconds
                    self._write(min(max(step.level, self._level - RAMP_STEP), self._level + RAMP_STEP))
                    await asyncio.sleep(RAMP_STEP_S)
                while (left_s := until - loop.time()) > 0:
                    self._report(True)
                    self._write(step.level)  # fails if the thread of the pulses has failed
                    await asyncio.sleep(min(left_s, REPORT_EVERY_S))
        except Exception:
            self._off()
            raise

    def _reach_limit(self, longest_s: float) -> None:
        log.error("the motor reached its time limit of %g s and was turned off", longest_s)
        if self._run:
            self._run.cancel()
        self._off()

    def _off(self) -> None:
        self._may_run = False
        if self._device.closed:
            return
        try:
            self._write(0)
        except DeviceError:
            log.warning("the motor could not be turned off; trying again")
            try:
                self._write(0)
            except DeviceError as problem:
                log.error("the motor could not be turned off, so its pin becomes an input: %s", problem)
                # an input pin drives nothing: the pull-down resistor of the drawing stops the motor
                with suppress(Exception):
                    self._device.pin.close()
                raise
        self._report(False)
        if self._target:
            self._set_target(0.0)

    def _set_target(self, level: float) -> None:
        self._target = level
        self._emit(MotorSet(level))

    def _write(self, level: float) -> None:
        if level and not self._may_run:
            return
        with named_pin_errors("motor", self._pin):
            # no PWM while the motor is off: it would wake the processor a hundred times a second
            frequency_hz = PWM_HZ if level else None
            if self._device.frequency != frequency_hz:
                self._device.frequency = frequency_hz
            self._device.value = level
        self._level = level


class AbsentMotor(Absent):
    """The stand-in for a motor that the config leaves out. It never turns, and `stopped` never returns."""

    level = 0.0
    stopped = never

    @asynccontextmanager
    async def running(self, pattern: Pattern, *, longest_s: float = LONGEST_S) -> AsyncIterator[None]:
        yield


class MotorKind(PinKind[Motor | AbsentMotor]):
    """The device kind of motors, each on a pin. A pattern is steps such as ``(Step(0.8, 2.0),)``."""

    name = "motor"
    event = MotorSet
    absent = AbsentMotor
    is_output = True
    wiring = Section(MotorWiring, then=_check_currents)

    @asynccontextmanager
    async def open(
        self, device: FittedDevice[int, Motor | AbsentMotor], board: Board, emit: Emit
    ) -> AsyncIterator[Motor | AbsentMotor]:
        """Open the motor, with a guard that stops it if this process exits or hangs."""
        if device.config is None:
            yield AbsentMotor()
            return
        async with board.guard_motor(device.config) as report:
            motor = Motor(device.config, pins=board.pins, emit=emit, report=report)
            with closing(motor):
                yield motor

    async def try_out(self, device: FittedDevice[int, Motor | AbsentMotor], work: TryOut) -> int:
        """Ask for the pin of the motor, turn the motor for up to a second, and return the pin.

        The motor turns only after the user agrees.
        """
        prompts = work.prompts
        while True:
            pin = await work.ask_output_pin(device.label, f"the {device.noun}", device.usual)
            if pin in PULLED_HIGH_AT_BOOT:
                prompts.say(
                    f"A Pi pulls pins 0 to {PULLED_HIGH_AT_BOOT[-1]} high while it starts, so the motor would turn by "
                    f"itself. Choose a pin from {PULLED_HIGH_AT_BOOT[-1] + 1} to {LAST_PIN}."
                )
                continue
            if not await prompts.yes("The motor will turn for a second. Are all fingers away from it?", default=False):
                prompts.say("The motor was not tried.")
                return pin
            try:
                is_held_low = await _turn(pin, work.board)
            except DeviceError as problem:
                prompts.say(f"{problem}")
                continue
            if not is_held_low:
                prompts.say(
                    f"Unplug the motor: nothing holds GPIO{pin} low, so it may turn by itself while the Pi starts. The "
                    "10 kilo-ohm resistor from the transistor's gate to ground is missing or loose."
                )
            if await prompts.yes("Did it turn and then stop?"):
                return pin
            prompts.say(
                "If the motor did not turn, measure its supply, and the 3.3 V at the transistor's gate while it should "
                "turn. Minus of the supply must be connected to ground. If the motor did not stop, unplug it: the "
                "transistor is the wrong way round, or its gate is on another pin."
            )


async def _turn(pin: int, board: Board) -> bool:
    """Turn the motor on *pin*. Return whether a resistor holds the line low, which keeps the motor off at the start."""
    async with board.guard_motor(pin) as report:
        with _without_ctrl_z():
            is_held_low = await _is_held_low(pin, board)
            motor = Motor(pin, pins=board.pins, report=report)
            with closing(motor):
                async with motor.running((Step(1.0, TRY_S),), longest_s=LONGEST_TRY_S):
                    await asyncio.sleep(TRY_S)
    return is_held_low


async def _is_held_low(pin: int, board: Board) -> bool:
    """Return whether the line on *pin* stays low against the Pi's pull-up, for a moment in which no motor turns far."""
    from gpiozero import InputDevice

    with named_pin_errors("motor", pin), closing(InputDevice(pin, pull_up=True, pin_factory=board.pins)) as line:
        await asyncio.sleep(PULL_UP_S)
        return not line.pin.state


@contextmanager
def _without_ctrl_z() -> Iterator[None]:
    """Ignore Ctrl-Z during the ``with``. The guard would kill a suspended process, and all answers would be lost."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


MOTOR = MotorKind()
