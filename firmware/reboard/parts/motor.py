"""The motor: it dances in a pattern, and never on its own."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from gpiozero import Factory, PWMOutputDevice

from reboard.board import REPORT_EVERY_S, ReportMotor, unguarded
from reboard.dance import LONGEST_S, SHORTEST_STEP_S, Pattern
from reboard.errors import PartError
from reboard.events import Emit, to_nobody
from reboard.parts.wire import naming

log = logging.getLogger(__name__)

PWM_HZ = 100
RAMP_S = 0.4
"""From standing to full, and back: what the supply of a Pi bears without a dip."""
RAMP_STEP_S = SHORTEST_STEP_S
RAMP_STEP = RAMP_STEP_S / RAMP_S


class Motor:
    """A motor behind a transistor, by pulse width. It tells ``motor {level}`` for every level it heads for, and 0.

    It is off from the start and can only be on inside `dancing`, and there for *longest_s* seconds (above 0, at
    most 130) at the most, whatever happens to the dance or to who asked for it. Raises `PartError` when the pin
    cannot be had or written.

    It *reports* to its guard before it goes on, while it is on, and when it is off.
    """

    def __init__(
        self, pin: int, *, pins: Factory, longest_s: float, emit: Emit = to_nobody, report: ReportMotor = unguarded
    ) -> None:
        if not 0 < longest_s <= LONGEST_S:
            raise ValueError(f"motor: longest_s is {longest_s}, it must be above 0 and at most {LONGEST_S:g} s")
        self.longest_s = longest_s
        self._pin = pin
        self._emit = emit
        self._report = report
        self._level = 0.0
        self._heading = 0.0
        self._may_run = False
        self._dance: asyncio.Task[None] | None = None
        with naming("motor", pin):
            # a pin that knows no pulses says so now, and not at the first dance
            self._device = PWMOutputDevice(pin, frequency=PWM_HZ, initial_value=0, pin_factory=pins)
        self._write(0)

    @property
    def level(self) -> float:
        """The part of full power it is given now, 0 to 1."""
        return self._level

    @asynccontextmanager
    async def dancing(self, pattern: Pattern) -> AsyncIterator[None]:
        """Dance *pattern* while the body runs; the motor is off again on every way out.

        Raises ``RuntimeError`` when it dances already, ``ValueError`` for an empty pattern, and `PartError` at the
        end of the body when the pin could not be written meanwhile.
        """
        if self._dance:
            raise RuntimeError("the motor dances already")
        if not pattern:
            raise ValueError("a motor's pattern needs at least one step")
        loop = asyncio.get_running_loop()
        self._may_run = True
        limit = loop.call_later(self.longest_s, self._reach_limit)
        dance = self._dance = loop.create_task(self._follow(pattern), name="motor")
        try:
            yield
        finally:
            limit.cancel()
            self._dance = None
            dance.cancel()
            failure = dance.exception() if dance.done() and not dance.cancelled() else None
            self._off()
        if failure:
            raise failure

    async def stopped(self) -> None:
        """Wait until the dance that is on ends of itself: its pin cannot be written, or the limit is reached."""
        if self._dance:
            await asyncio.wait({self._dance})

    def close(self) -> None:
        """Stop, and give the pin back. May be called twice."""
        if self._dance:
            self._dance.cancel()
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
                self._head_for(step.level)
                self._report(True)
                while self._level != step.level:
                    self._write(min(max(step.level, self._level - RAMP_STEP), self._level + RAMP_STEP))
                    await asyncio.sleep(RAMP_STEP_S)
                while (left_s := until - loop.time()) > 0:
                    self._report(True)
                    await asyncio.sleep(min(left_s, REPORT_EVERY_S))
        except Exception:
            self._off()
            raise

    def _reach_limit(self) -> None:
        log.error("the motor ran for %g s, its limit, and was turned off", self.longest_s)
        if self._dance:
            self._dance.cancel()
        self._off()

    def _off(self) -> None:
        self._may_run = False
        if self._device.closed:
            return
        try:
            self._write(0)
        except PartError:
            log.warning("the motor could not be turned off; trying once more")
            try:
                self._write(0)
            except PartError as problem:
                log.error("the motor could not be turned off, its pin is let go: %s", problem)
                # an input pin drives nothing: the pull-down resistor of the drawing stops the motor
                with suppress(Exception):
                    self._device.pin.close()
                raise
        self._report(False)
        if self._heading:
            self._head_for(0.0)

    def _head_for(self, level: float) -> None:
        self._heading = level
        self._emit("motor", level=level)

    def _write(self, level: float) -> None:
        if level and not self._may_run:
            return
        with naming("motor", self._pin):
            # a motor at rest has no pulses, for which somebody would have to wake up a hundred times a second
            pulses_hz = PWM_HZ if level else None
            if self._device.frequency != pulses_hz:
                self._device.frequency = pulses_hz
            self._device.value = level
        self._level = level
