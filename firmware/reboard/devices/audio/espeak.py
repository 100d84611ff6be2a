"""Speech through espeak-ng, a program that reads words and writes them as a WAV file."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import suppress

PROGRAM = "espeak-ng"
NICENESS = 10
"""Lower than the table's priority, because a Pi Zero has one core."""

WORDS_A_MINUTE = 150
"""A little slower than espeak-ng's own 175, for children."""

MOST_BYTES = 1_000_000
"""The maximum size of a WAV file, in bytes: 22 s. Then the program is stopped."""


async def synthesize(words: str, language: str) -> bytes:
    """Return *words* as a WAV file that may be cut off at its end. If the call is cancelled, the program is stopped.

    A process for each sentence takes 10 to 40 ms and 8 MB on a laptop, and no memory between the sentences. Raises
    ``OSError``: ``FileNotFoundError`` if espeak-ng is not installed.
    """
    # the words are no argument: a player's name may begin with a hyphen
    process = await asyncio.create_subprocess_exec(
        *(PROGRAM, "-v", language, "-s", str(WORDS_A_MINUTE), "--stdin", "--stdout"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    try:
        with suppress(OSError):  # it has ended, or may not be changed
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        process.stdin.write(words.encode())
        process.stdin.close()
        try:
            return await process.stdout.readexactly(MOST_BYTES)
        except asyncio.IncompleteReadError as read:
            return read.partial
    finally:
        with suppress(ProcessLookupError):
            process.kill()
