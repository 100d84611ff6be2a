"""Whatever becomes of the setup while the motor turns, somebody is left who stops it."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from reboard.errors import PartError

PROGRAM = "reboard.commands.motor_guard"
LONGEST_S = 3.0
"""A setup that has not turned the motor off by then hangs or was frozen, and is killed."""
READY_S = 30.0
"""A Pi Zero takes its time over a first Python."""
ENDING_S = 10.0


@asynccontextmanager
async def guarded(pin: int) -> AsyncIterator[None]:
    """While the body turns the motor on *pin*, for less than `LONGEST_S`, a process of its own stands behind it.

    That one drives the pin low when this process ends in the midst of it, and ends it when it hangs. Ctrl-Z does
    nothing meanwhile. Raises `PartError` when the guard does not start.
    """
    # -P: a folder where somebody calls the setup is no place for root to import from
    command = (sys.executable, "-P", "-m", PROGRAM, str(pin), str(LONGEST_S))
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # the terminal's signals are not for it
    )
    assert process.stdin
    assert process.stdout
    try:
        await _ready(process.stdout)
        with _without_ctrl_z():
            yield
        process.stdin.write(b"!")
    finally:
        process.stdin.close()
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
    raise PartError("the motor is not turned: the program that would stop it if this one were killed did not start")


@contextmanager
def _without_ctrl_z() -> Iterator[None]:
    before = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
