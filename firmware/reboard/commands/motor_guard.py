"""Guards a program's motor: ``python -m reboard.commands.motor_guard PIN SECONDS PARENT``.

It is a process of its own, because a program that was killed, stopped or hangs cannot turn its motor off. The program,
its parent, reports on standard input: ``1`` when the motor goes on, again at least every half second while it is on,
and ``0`` when it is off.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from reboard.commands.motor_off import drive_low
from reboard.errors import PartError

STDIN = 0
READY = b"ready\n"
MOST_BYTES = 4096
LETTING_GO_S = 2.0
"""How long the kernel may take over a program that was killed, until the pin can be had."""


def main(arguments: Sequence[str]) -> None:
    """Wait for the parent's end. If the motor is on then, drive the pin low. If the parent is silent, kill it first."""
    pin, longest_silence_s, parent_pid = int(arguments[0]), float(arguments[1]), int(arguments[2])
    # a `killall python` or the end of a login session must not take the guard before its parent
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    parent = os.pidfd_open(parent_pid)
    if os.getppid() != parent_pid:
        return  # it has ended already, and never turned the motor on
    os.write(sys.stdout.fileno(), READY)
    is_on = False
    while True:
        heard, _, _ = select.select([STDIN, parent], [], [], longest_silence_s if is_on else None)
        if STDIN in heard and (reports := os.read(STDIN, MOST_BYTES)):
            is_on = reports.endswith(b"1")
        elif not is_on:
            return
        else:
            break
    if not heard:
        signal.pidfd_send_signal(parent, signal.SIGKILL)
    select.select([parent], [], [], LETTING_GO_S)
    try:
        drive_low([pin])
    except PartError as problem:
        _say(problem)
    else:
        if not heard:
            _say("it was stopped or hung with the motor on, so it was killed; the motor is off")


def _say(what: object) -> None:
    with suppress(OSError):  # the terminal may be closed
        print(f"reboard: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
