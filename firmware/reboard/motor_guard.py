"""A process that turns the motor off when this one is killed, stopped or hangs while the motor is on."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from reboard.board import ReportMotor
from reboard.errors import PartError

PROGRAM = "reboard.commands.motor_guard"
LONGEST_SILENCE_S = 2.0
"""With the motor on, a process that reports nothing for so long is stopped or hangs, and the guard kills it."""
READY_S = 30.0
"""A Pi Zero takes its time over a first Python."""
ENDING_S = 10.0


@asynccontextmanager
async def guarded(pin: int) -> AsyncIterator[ReportMotor]:
    """Start a guard for the motor on *pin*, and yield the function that reports to it whether the motor is on.

    The guard does nothing while the motor is off. While it is on, the guard drives the pin low when this process ends,
    and kills this process first when it is silent. Raises `PartError` when the guard does not start.
    """
    # -P: root must not import from the directory where the user calls us
    command = (sys.executable, "-P", "-m", PROGRAM, str(pin), str(LONGEST_SILENCE_S), str(os.getpid()))
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # so that the terminal's signals do not reach it
        )
    except OSError as error:
        raise PartError(f"the motor's guard, {PROGRAM}, did not start: {error}") from error
    assert process.stdin
    assert process.stdout
    to_guard = process.stdin

    def report(is_on: bool) -> None:
        if not to_guard.is_closing():
            to_guard.write(b"1" if is_on else b"0")
        elif is_on:
            raise PartError(f"the motor was turned off: its guard, {PROGRAM}, has ended")

    try:
        await _ready(process.stdout)
        yield report
    finally:
        to_guard.close()
        try:
            async with asyncio.timeout(ENDING_S):
                await process.wait()
        except TimeoutError:
            process.kill()


async def _ready(output: asyncio.StreamReader) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(READY_S):
            if await output.readline():
                return
    raise PartError(f"the motor is not turned: its guard, {PROGRAM}, did not start")
