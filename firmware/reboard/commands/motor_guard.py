"""Stands behind a program that turns the motor: ``python -m reboard.commands.motor_guard PIN SECONDS``.

It is a process of its own, since one that was killed or frozen can stop nothing. On standard input it hears from that
program, its parent: a byte when the motor is off again, or the end of it all.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Sequence

from reboard.commands.motor_off import drive_low
from reboard.errors import PartError

STDIN = 0
READY = b"ready\n"
LETTING_GO_S = 2.0
"""How long the kernel may take over a program that was killed, until the pin can be had."""


def main(arguments: Sequence[str]) -> int:
    """Wait until the motor is off again. If the parent ends before, drive the pin low; if it hangs, end it first."""
    pin, longest_s = int(arguments[0]), float(arguments[1])
    parent = os.pidfd_open(os.getppid())
    sys.stdout.buffer.write(READY)
    sys.stdout.flush()
    has_spoken, _, _ = select.select([STDIN], [], [], longest_s)
    if has_spoken and os.read(STDIN, 1):
        return 0
    if not has_spoken:
        signal.pidfd_send_signal(parent, signal.SIGKILL)
    select.select([parent], [], [], LETTING_GO_S)
    try:
        drive_low([pin])
    except PartError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
