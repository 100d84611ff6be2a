"""The motor stands still, whatever becomes of the table: as on a Pi, a line stays as a dead holder left it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reboard.devices.gpio.motor_guard import LONGEST_SILENCE_S
from tests.vm.machine.machine import BOOT_WITHIN_S, Machine
from tests.vm.machine.table import CONFIG, REBOARD, Table
from tests.vm.machine.terminal import Terminal
from tests.vm.report import Report

STOPPED_S = 1.0
KILLED_S = 2.0
HUNG_S = 8.0
SILENT_S = 4.0
"""Within so long the motor's line is low when the table is put away, is killed, hangs and the watchdog kills it, or is
silent in a terminal and its guard kills it: what docs/install-and-repair.md promises."""

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


def test_a_config_that_is_edited_meanwhile_has_the_right_pin_freed_and_no_other(table: Table) -> None:
    header, other = table.machine.header, 20
    table.play_with(seconds="120", pattern=STEADY)
    header.note_only(table.motor, other)
    door = table.door()
    header.close_contact(table.apple.lever)
    door.until("apple.wound")
    header.open_contact(table.apple.lever)
    door.until("motor")
    table.pass_time(UP_TO_SPEED_S)
    table.configure(motor=str(other))
    _kill(table.machine, table.status["MainPID"])
    off = table.motor_off(quiet_s=KILLED_S)
    assert not header.level(table.motor)
    # seconds later systemd starts a table with the new pin
    assert not [edge for edge in header.edges(other) if edge.t < off.t + 1]


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


RUN = f"exec {REBOARD} run --json -c {CONFIG}"
SCRIPT = "exec /opt/reboard/current/bin/python /root/apple.py"
AT_FULL_POWER_S = 0.6
"""The worms' usual dance begins with 0.9 s at full power, too."""
BOOT_ID = "/proc/sys/kernel/random/boot_id"
APPLE = """
from signal import pause
from reboard import WormApple
with WormApple(lever={lever}, motor={motor}, seconds=120) as apple:
    apple.when_wound = lambda: print("apple.wound", flush=True)
    apple.when_started = lambda: print("motor", flush=True)
    print("the table is ready", flush=True)
    pause()
"""


def _press_ctrl_z(terminal: Terminal, main: str) -> float:
    return terminal.types("\x1a")


def _close_the_terminal(terminal: Terminal, main: str) -> float:
    return terminal.close()


def _terminate_there(terminal: Terminal, main: str) -> float:
    return _signalled(terminal.machine, "TERM", main)


def _kill_there(terminal: Terminal, main: str) -> float:
    return _signalled(terminal.machine, "KILL", main)


def _stop_there(terminal: Terminal, main: str) -> float:
    return _signalled(terminal.machine, "STOP", main)


def _started_in_a_terminal(table: Table, program: str) -> tuple[Terminal, str]:
    """Start *program* in an interactive shell, and return its process number once it plays."""
    inside = table.machine.inside
    table.stop()
    table.configure(seconds="120", pattern=STEADY)
    inside.must("tee", "/root/apple.py", stdin=APPLE.format(lever=table.apple.lever, motor=table.motor))
    terminal = Terminal(table.machine)
    terminal.types(f"sh -c 'echo pid $$; {program}'\n")
    main = terminal.until(r"^pid (\d+)$")[1]
    terminal.until("the table is ready")
    return terminal, main


def _wind_and_let_go(table: Table, terminal: Terminal) -> None:
    table.machine.header.close_contact(table.apple.lever)
    terminal.until("apple.wound")
    table.machine.header.open_contact(table.apple.lever)
    terminal.until("motor")
    table.pass_time(AT_FULL_POWER_S)


@pytest.mark.parametrize("program", [pytest.param(RUN, id="run"), pytest.param(SCRIPT, id="script")])
@pytest.mark.parametrize(
    ("befall", "within_s"),
    [
        pytest.param(_press_ctrl_z, SILENT_S, id="Ctrl-Z"),
        pytest.param(_stop_there, SILENT_S, id="SIGSTOP"),
        pytest.param(_terminate_there, STOPPED_S, id="SIGTERM"),
        pytest.param(_close_the_terminal, STOPPED_S, id="terminal closed"),
        pytest.param(_kill_there, KILLED_S, id="SIGKILL"),
    ],
)
def test_in_a_terminal_the_motor_stops_as_well(
    table: Table,
    befall: Callable[[Terminal, str], float],
    program: str,
    within_s: float,
    report: Report,
    request: pytest.FixtureRequest,
) -> None:
    terminal, main = _started_in_a_terminal(table, program)
    _wind_and_let_go(table, terminal)
    befallen = befall(terminal, main)
    off = table.motor_off(quiet_s=within_s)
    name = request.node.callspec.id
    report.tell(f"in a terminal, {name}: the motor's line low after", f"{off.t - befallen:.2f} s of {within_s:g} s")
    assert befallen < off.t < befallen + within_s
    assert not table.machine.header.level(table.motor)
    assert table.machine.inside.run("test", "-e", f"/proc/{main}").status


def test_ctrl_z_while_the_motor_is_off_only_stops_the_table(table: Table) -> None:
    terminal, _ = _started_in_a_terminal(table, RUN)
    terminal.types("\x1a")
    terminal.until("Stopped")
    table.pass_time(2 * LONGEST_SILENCE_S)
    terminal.types("fg\n")
    _wind_and_let_go(table, terminal)


def test_the_watchdog_resets_a_machine_that_feeds_it_no_more(machine: Machine) -> None:
    """As it is when the kernel hangs: systemd, which feeds it, is stopped."""
    inside = machine.inside
    boot = inside.must("cat", BOOT_ID)
    inside.follow("python3", "-c", HANG_LOOP, "1").next()
    inside.await_hello(BOOT_WITHIN_S)
    assert inside.must("cat", BOOT_ID) != boot
