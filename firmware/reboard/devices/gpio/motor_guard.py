"""A process that turns a motor off if the process that runs the motor exits or hangs."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from reboard.board import ReportMotor
from reboard.devices.gpio.chip import drive_low
from reboard.errors import DeviceError
from reboard.languages import translatable

PROGRAM = "reboard.devices.gpio.motor_guard"
LONGEST_SILENCE_S = 2.0
"""The longest time between two reports while the motor is on, in seconds. After it, the guard kills the process."""
READY_S = 30.0
"""The longest wait for the start of the guard, in seconds. A Pi Zero is slow to start Python."""
ENDING_S = 10.0


@asynccontextmanager
async def guarded(pin: int) -> AsyncIterator[ReportMotor]:
    """Start a guard for the motor on *pin*, and yield the function that reports to the guard whether the motor is on.

    While the motor is off, the guard does nothing. While it is on, the guard drives the pin low if this process exits.
    If this process does not report for `LONGEST_SILENCE_S`, the guard first kills it. Raises `DeviceError` if the guard
    does not start. The yielded function raises `DeviceError` if the guard has exited and the motor is on.
    """
    # -P: root must not import modules from the current directory
    command = (sys.executable, "-P", "-m", PROGRAM, str(pin), str(LONGEST_SILENCE_S), str(os.getpid()))
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # so that the terminal's signals do not reach it
        )
    except OSError as error:
        raise DeviceError(translatable(f"the motor's guard, {PROGRAM}, did not start: {error}")) from error
    assert process.stdin
    assert process.stdout
    to_guard = process.stdin

    def report(is_on: bool) -> None:
        if not to_guard.is_closing():
            to_guard.write(b"1" if is_on else b"0")
        elif is_on:
            raise DeviceError(
                translatable(f"the motor was turned off, because its guard, {PROGRAM}, has exited: restart reboard")
            )

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
    raise DeviceError(translatable(f"the motor stays off, because its guard, {PROGRAM}, did not start"))


STDIN = 0
READY = b"ready\n"
MOST_BYTES = 4096
RELEASE_S = 2.0
"""The longest wait for a killed process to exit and for the kernel to release its pins, in seconds."""


def main(arguments: Sequence[str]) -> None:
    """Drive the pin low if the parent process exits or hangs while the motor is on; kill a parent that hangs.

    *arguments* are the pin, the longest time between two reports in seconds, and the process ID of the parent.
    """
    pin, longest_silence_s, parent_pid = int(arguments[0]), float(arguments[1]), int(arguments[2])
    # `killall python` or the end of a login session must not end the guard before its parent
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    parent = os.pidfd_open(parent_pid)
    if os.getppid() != parent_pid:
        return  # it has ended already, without turning the motor on
    os.write(sys.stdout.fileno(), READY)
    is_on = False
    while True:
        ready, _, _ = select.select([STDIN, parent], [], [], longest_silence_s if is_on else None)
        if STDIN in ready and (reports := os.read(STDIN, MOST_BYTES)):
            is_on = reports.endswith(b"1")
        elif not is_on:
            return
        else:
            break
    if not ready:
        signal.pidfd_send_signal(parent, signal.SIGKILL)
    select.select([parent], [], [], RELEASE_S)
    try:
        drive_low([pin])
    except DeviceError as problem:
        _print(problem)
    else:
        if not ready:
            _print("the program was suspended or hung while the motor was on, so it was killed; the motor is off")


def _print(what: object) -> None:
    with suppress(OSError):  # the terminal may be closed
        print(f"reboard: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
