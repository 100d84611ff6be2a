"""The motor stops, whatever happens to the table. As on a Pi, a line keeps its level when its program dies."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest

from reboard.devices.gpio.motor_guard import LONGEST_SILENCE_S
from tests.vm.machine.machine import BOOT_WITHIN_S, Machine
from tests.vm.machine.table import CONFIG, REBOARD, Events, Table
from tests.vm.report import report

STOPPED_S = 1.0
KILLED_S = 2.0
HUNG_S = 8.0
SILENT_S = 4.0
"""The motor's line is low within these times when the table is stopped, is killed, hangs and the watchdog kills it, or
is silent in a terminal and its guard kills it: docs/motor.md promises them."""

HANG_MAIN_THREAD = """
import ctypes, os, sys
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
libc, main = ctypes.CDLL(None), int(sys.argv[1])
assert libc.ptrace(PTRACE_SEIZE, main, None, None) == 0
assert libc.ptrace(PTRACE_INTERRUPT, main, None, None) == 0
print("hangs", flush=True)
while os.WIFSTOPPED(os.waitpid(main, WALL)[1]):
    pass
"""
"""Stops only the thread of Python's event loop: another makes the motor's pulses. When the thread is killed, its
tracer must wait for it, or the process would never end."""

STEADY = "[[1.0, 10]]"
"""At full power the line is always high, and must be set low."""

PULSES = "[[0.6, 10]]"
"""A thread of ours makes them, also while the event loop hangs."""


def _hang(table: Table, main: str) -> None:
    table.inside.follow("python3", "-c", HANG_MAIN_THREAD, main).next()


def _signal(table: Table, main: str, *, name: str) -> None:
    table.inside.must("kill", f"-{name}", main)


def _stop(table: Table, main: str) -> None:
    table.inside.follow("systemctl", "stop", "reboard.service")


def _use_up_all_memory(table: Table, main: str) -> float:
    """The kernel kills the table first, because its score is the highest. Return when."""
    table.inside.sh(f"echo 1000 > /proc/{main}/oom_score_adj")
    table.inside.must("systemd-run", "--quiet", "tail", "/dev/zero")
    table.inside.sh(f"while [ -e /proc/{main} ]; do sleep 0.05; done")
    return {entry.values["pid"]: entry.t for entry in table.machine.trace.entries("mark_victim")}[main]


@pytest.mark.parametrize(
    ("name", "befall", "pattern", "within_s"),
    [
        ("stopped", _stop, PULSES, STOPPED_S),
        ("SIGTERM", partial(_signal, name="TERM"), STEADY, STOPPED_S),
        ("SIGKILL", partial(_signal, name="KILL"), STEADY, KILLED_S),
        ("out of memory", _use_up_all_memory, STEADY, KILLED_S),
        ("frozen", partial(_signal, name="STOP"), STEADY, HUNG_S),
        ("hung", _hang, STEADY, HUNG_S),
    ],
)
def test_the_motor_stops_when_the_table_is(
    table: Table, name: str, befall: Callable[[Table, str], float | None], pattern: str, within_s: float
) -> None:
    table.play_with(seconds="120", pattern=pattern)
    table.start_apple(Events(table.inside))
    main, began = table.status["MainPID"], table.inside.now()
    began = befall(table, main) or began
    _check_off(table, name, began, within_s)


def _check_off(table: Table, name: str, began: float, within_s: float) -> None:
    off_s = table.motor_off(quiet_s=within_s).t - began
    report(f"{name}: the motor's line low after", f"{off_s:.2f} s of {within_s:g} s")
    assert 0 < off_s < within_s


def test_after_a_config_change_the_old_pin_is_set_low_and_no_other(table: Table) -> None:
    other = 20
    table.play_with(seconds="120", pattern=STEADY)
    table.header.trace_only(table.motor, other)
    table.start_apple(Events(table.inside))
    table.configure(motor=str(other))
    _signal(table, table.status["MainPID"], name="KILL")
    off = table.motor_off(quiet_s=KILLED_S)
    # seconds later systemd starts a table with the new pin
    assert not [edge for edge in table.header.edges(other) if edge.t < off.t + 1]


def test_a_line_keeps_its_level_when_its_program_is_killed(table: Table) -> None:
    """The tests above depend on it: without the unit's stop hook, the motor would run on."""
    inside = table.inside
    table.stop()
    inside.must("gpioset", "--daemonize", "--chip", "gpiochip0", f"{table.motor}=1")
    inside.sh("pkill -KILL gpioset && while pgrep gpioset; do sleep 0.01; done")
    assert table.header.level(table.motor)


KEYS = "/run/test-terminal-keys"
SHELL = """
import os, pty, sys, threading
os.mkfifo(sys.argv[1])
keys = os.open(sys.argv[1], os.O_RDWR)
pid, terminal = pty.fork()
if not pid:
    os.execvp("bash", ["bash", "--norc", "-i"])
def type_keys():
    while True:
        os.write(terminal, os.read(keys, 1024))
threading.Thread(target=type_keys, daemon=True).start()
print("opened", flush=True)
while True:
    os.write(1, os.read(terminal, 4096))
"""

RUN = f"exec {REBOARD} run --json -c {CONFIG}"
SCRIPT = "PYTHONPATH=/usr/lib/reboard exec python3 /root/apple.py"
APPLE = """
from signal import pause
from reboard import WormApple
with WormApple(lever={lever}, motor={motor}, seconds=120) as apple:
    apple.when_wound = lambda: print("apple.wound", flush=True)
    apple.when_started = lambda: print("motor", flush=True)
    print("the table is ready", flush=True)
    pause()
"""


class Terminal:
    """A terminal with an interactive shell in the machine, in which *program* runs."""

    def __init__(self, table: Table, program: str) -> None:
        table.stop()
        table.configure(seconds="120", pattern=STEADY)
        table.inside.must("tee", "/root/apple.py", stdin=APPLE.format(lever=table.apple.lever, motor=table.motor))
        self._inside = table.inside
        self._shell = table.inside.follow("python3", "-c", SHELL, KEYS)
        self.until("opened")
        self.type(f"sh -c 'echo pid $$; {program}'\n")
        self.pid = self.until(r"^pid (\d+)$")[1]
        self.until("the table is ready")

    def type(self, keys: str) -> None:
        self._inside.perform([(KEYS, keys)])

    def until(self, pattern: str) -> re.Match[str]:
        """Wait for a line with *pattern* in it. Raises `InsideError` when none comes."""
        while True:
            if found := re.search(pattern, self._shell.next().rstrip("\r")):
                return found

    def befall(self, what: str) -> None:
        match what:
            case "Ctrl-Z":
                self.type("\x1a")
            case "terminal closed":
                self._shell.end()
            case signal:
                self._inside.must("kill", f"-{signal.removeprefix('SIG')}", self.pid)


@pytest.mark.parametrize("program", [pytest.param(RUN, id="run"), pytest.param(SCRIPT, id="script")])
@pytest.mark.parametrize(
    ("what", "within_s"),
    [
        ("Ctrl-Z", SILENT_S),
        ("SIGSTOP", SILENT_S),
        ("SIGTERM", STOPPED_S),
        ("terminal closed", STOPPED_S),
        ("SIGKILL", KILLED_S),
    ],
)
def test_in_a_terminal_the_motor_stops_as_well(table: Table, what: str, program: str, within_s: float) -> None:
    terminal = Terminal(table, program)
    table.start_apple(terminal)
    began = table.inside.now()
    terminal.befall(what)
    _check_off(table, f"in a terminal, {what}", began, within_s)
    assert table.inside.run("test", "-e", f"/proc/{terminal.pid}").status


def test_ctrl_z_while_the_motor_is_off_only_stops_the_table(table: Table) -> None:
    terminal = Terminal(table, RUN)
    terminal.type("\x1a")
    terminal.until("Stopped")
    table.pass_time(2 * LONGEST_SILENCE_S)
    terminal.type("fg\n")
    table.start_apple(terminal)


def test_the_watchdog_resets_a_machine_that_hangs(machine: Machine) -> None:
    """As when the kernel hangs: systemd, which feeds the watchdog, is stopped."""
    inside, boot_id = machine.inside, ("cat", "/proc/sys/kernel/random/boot_id")
    boot = inside.must(*boot_id)
    inside.follow("python3", "-c", HANG_MAIN_THREAD, "1").next()
    inside.await_hello(BOOT_WITHIN_S)
    assert inside.must(*boot_id) != boot
