"""The motor stands still, whatever becomes of the table: as on a Pi, a line stays as a dead holder left it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.vm.machine.machine import Machine
from tests.vm.machine.table import Table
from tests.vm.report import Report

STOPPED_S = 1.0
KILLED_S = 2.0
HUNG_S = 8.0
"""Within so long the motor's line is low when the table is put away, is killed, or hangs and the watchdog kills it:
what docs/on-a-pi.md promises."""

UP_TO_SPEED_S = 1.0

HANG_LOOP = """
import ctypes, os, sys
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
libc, main = ctypes.CDLL(None), int(sys.argv[1])
assert libc.ptrace(PTRACE_SEIZE, main, None, None) == 0
assert libc.ptrace(PTRACE_INTERRUPT, main, None, None) == 0
print("hangs", flush=True)
while os.WIFSTOPPED(os.waitpid(main, WALL)[1]):
    pass
"""
"""Stops the thread that Python's loop runs in, and no other: what drives the motor's pulses is not Python's. When that
thread is killed, whoever has stopped it has to hear of that, or the process would never be gone."""


def _put_away(machine: Machine, main: str) -> float:
    began = machine.inside.now()
    machine.inside.follow("systemctl", "stop", "reboard.service")
    return began


def _terminate(machine: Machine, main: str) -> float:
    return _signalled(machine, "TERM", main)


def _kill(machine: Machine, main: str) -> float:
    return _signalled(machine, "KILL", main)


def _freeze(machine: Machine, main: str) -> float:
    return _signalled(machine, "STOP", main)


def _signalled(machine: Machine, signal: str, main: str) -> float:
    began = machine.inside.now()
    machine.inside.must("kill", f"-{signal}", main)
    return began


def _use_up_all_memory(machine: Machine, main: str) -> float:
    """A program takes all that there is, and goes on: the kernel kills the table first, for it was told to."""
    inside = machine.inside
    inside.must("sh", "-c", f"echo 1000 > /proc/{main}/oom_score_adj")
    inside.must("systemd-run", "--quiet", "tail", "/dev/zero")
    inside.must("sh", "-c", f"while [ -e /proc/{main} ]; do sleep 0.05; done")
    victims = {entry.values["pid"]: entry.t for entry in machine.trace.entries("mark_victim")}
    return victims[main]


def _hang_the_loop(machine: Machine, main: str) -> float:
    began = machine.inside.now()
    machine.inside.follow("python3", "-c", HANG_LOOP, main).next()
    return began


STEADY = "[[1.0, 10]]"
"""At full power the line is high all the time. Whatever stops the motor has to take it down."""

PULSES = "[[0.6, 10]]"
"""A thread of the pin library makes them, whatever becomes of Python."""


@pytest.mark.parametrize(
    ("befall", "pattern", "within_s"),
    [
        pytest.param(_put_away, PULSES, STOPPED_S, id="put away"),
        pytest.param(_terminate, STEADY, STOPPED_S, id="terminated"),
        pytest.param(_kill, STEADY, KILLED_S, id="killed"),
        pytest.param(_use_up_all_memory, STEADY, KILLED_S, id="out of memory"),
        pytest.param(_freeze, STEADY, HUNG_S, id="frozen"),
        pytest.param(_hang_the_loop, STEADY, HUNG_S, id="hung"),
    ],
)
def test_the_motor_stops_when_the_table_is(
    table: Table,
    befall: Callable[[Machine, str], float],
    pattern: str,
    within_s: float,
    report: Report,
    request: pytest.FixtureRequest,
) -> None:
    header = table.machine.header
    table.play_with(seconds="120", pattern=pattern)
    door = table.door()
    header.close_contact(table.apple.lever)
    door.until("apple.wound")
    header.open_contact(table.apple.lever)
    door.until("motor")
    table.pass_time(UP_TO_SPEED_S)
    main = table.status["MainPID"]
    befallen = befall(table.machine, main)
    off = table.motor_off(quiet_s=within_s)
    report.tell(
        f"{request.node.callspec.id}: the motor's line low after", f"{off.t - befallen:.2f} s of {within_s:g} s"
    )
    assert befallen < off.t < befallen + within_s
    assert not header.level(table.motor)


def test_a_line_stays_as_it_was_when_its_holder_is_killed(table: Table) -> None:
    """What the tests above stand on: without our stop hook, the motor would run on."""
    inside, header = table.machine.inside, table.machine.header
    table.stop()
    holder = inside.follow("sh", "-c", f"gpioset --mode=signal gpiochip0 {table.motor}=1 & echo $!; wait")
    pid = holder.next()
    inside.must("sh", "-c", f"until [ $(cat {header.value_file(table.motor)}) = 1 ]; do sleep 0.01; done")
    inside.must("kill", "-KILL", pid)
    inside.must("sh", "-c", f"while [ -e /proc/{pid} ]; do sleep 0.01; done")
    assert header.level(table.motor)
