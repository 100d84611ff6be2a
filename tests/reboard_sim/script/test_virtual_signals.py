"""Signals that a program sends to itself. The bench, which runs in the same process, never gets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reboard_sim.script.test_programs import play

SEND = "import _thread, os, signal, threading, time\n"
ITSELF = "signal.signal(signal.SIGTERM, lambda number, _: print('got', number))\n"

PLAYS = {
    "an interrupt": (
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    print('never')\n"
        "except KeyboardInterrupt:\n    print('stopped')",
        "expect printed stopped\nexpect not printed never",
    ),
    "an interrupt from a thread": (
        "threading.Timer(2, _thread.interrupt_main).start()\n"
        "try:\n    time.sleep(9)\nexcept KeyboardInterrupt:\n    print('after', time.monotonic())",
        "wait 3\nexpect printed 'after 2.0'\nexpect program ended",
    ),
    "an interrupt at its end": (
        "def work():\n    time.sleep(1)\n    _thread.interrupt_main()\n    time.sleep(9)\n"
        "threading.Thread(target=work).start()",
        "wait 2\nexpect program failed",
    ),
    "a handler of its own": (
        f"before = {ITSELF}signal.raise_signal(signal.SIGTERM)\nprint(before == signal.SIG_DFL)\n"
        "print(callable(signal.getsignal(signal.SIGTERM)))",
        "expect printed 'got 15'\nexpect printed True\nexpect not printed False",
    ),
    "signals without a name": (
        "number = getattr(signal, 'SIGRTMIN', signal.SIGUSR1) + 1\nsignal.signal(number, lambda *_: print('heard'))\n"
        "signal.pthread_kill(threading.get_ident(), 0)\nos.kill(os.getpid(), number)",
        "expect printed heard\nexpect program ended",
    ),
    "a sleep goes on after a handler": (
        f"{ITSELF}threading.Timer(1, signal.raise_signal, [signal.SIGTERM]).start()\ntime.sleep(3)\n"
        "print('slept', time.monotonic())",
        "wait 2\nexpect printed 'got 15'\nexpect not printed slept\nwait 2\nexpect printed 'slept 3.0'",
    ),
    "alarms in virtual time": (
        "signal.signal(signal.SIGALRM, lambda *_: print('rings', time.monotonic()))\n"
        "signal.setitimer(signal.ITIMER_REAL, 1, 2)\nsignal.pause()\nsignal.pause()\nprint(signal.alarm(0), 'left')\n"
        "time.sleep(5)",
        "wait 9\nexpect printed 'rings 1.0'\nexpect printed 'rings 3.0'\nexpect printed '2 left'\n"
        "expect not printed 'rings 5.0'",
    ),
    "a loop of asyncio": (
        "import asyncio\nasync def main():\n    over = asyncio.Event()\n"
        "    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, over.set)\n"
        "    threading.Timer(2, os.kill, [os.getpid(), signal.SIGUSR1]).start()\n    await over.wait()\n"
        "    print('after', time.monotonic())\nasyncio.run(main())",
        "wait 3\nexpect printed 'after 2.0'\nexpect program ended",
    ),
    "only the main thread sets handlers": (
        "def work():\n    try:\n        signal.signal(15, print)\n"
        "    except ValueError as error:\n        print(error)\n"
        "threading.Thread(target=work).start()\nprint(threading.current_thread() is threading.main_thread())",
        "expect printed 'signal only works in main thread'\nexpect printed True",
    ),
    "an exit in a callback of an accessory": (
        "import sys\nfrom reboard import WormApple\nwith WormApple(lever=22, motor=13) as apple:\n"
        "    apple.when_wound = lambda: sys.exit('wound')\n    signal.pause()",
        "wait 1\nhold gpio22\nwait 1\nexpect printed wound\nexpect program failed",
    ),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of coroutines without power
@pytest.mark.parametrize(("program", "lines"), PLAYS.values(), ids=PLAYS)
def test_a_program_gets_the_signals_that_it_sends(program: str, lines: str, tmp_path: Path) -> None:
    assert play(tmp_path, SEND + program, lines) == 0


def test_an_alarm_without_a_handler_ends_the_program(tmp_path: Path) -> None:
    assert play(tmp_path, f"{SEND}signal.alarm(1)\ntime.sleep(3)", "wait 2\nexpect program failed") == 0
