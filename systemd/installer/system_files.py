"""What the system itself must find: units, users, files and rules, each copied from a version's own folder."""

from __future__ import annotations

from installer.layout import CHECKOUT, COMMAND, CURRENT, MOTOR, PAGE, SAFE, SYSTEM_FILES, TABLE, WATCHDOG
from installer.steps import Step
from installer.target import Target
from installer.version import Version

ENABLED = (TABLE, PAGE, MOTOR)


def put(machine: Target, version: Version) -> None:
    """Have the system start *version* from now on. What runs already is left alone."""
    for name, there in SYSTEM_FILES.items():
        machine.copy(machine.path(version.folder / "systemd" / name), there)
    machine.run("systemd-sysusers", SYSTEM_FILES["reboard-users.conf"])
    machine.link(CURRENT, version.folder)
    machine.link(COMMAND, CURRENT / "bin/reboard")
    if machine.is_this_one:
        machine.run("systemd-tmpfiles", "--create", SYSTEM_FILES["reboard-files.conf"])
        machine.run("systemctl", "daemon-reload")
        machine.run("udevadm", "control", "--reload")
        machine.run("udevadm", "trigger", "--subsystem-match=gpio", "--subsystem-match=i2c-dev")
        machine.run("udevadm", "settle", "--timeout=30")


def are_those_of(machine: Target, version: Version) -> bool:
    """Whether what the system finds is what *version* has, and nobody has changed it."""
    ours = {machine.path(version.folder / "systemd" / name): machine.path(SYSTEM_FILES[name]) for name in SYSTEM_FILES}
    return all(there.is_file() and there.read_bytes() == own.read_bytes() for own, there in ours.items())


def are_there(machine: Target) -> bool:
    """Whether the system finds all that it needs to start a table, of whichever version."""
    return all(machine.path(there).is_file() for there in SYSTEM_FILES.values()) and machine.path(COMMAND).is_symlink()


def watchdog_step(machine: Target) -> Step:
    """Turn the hardware watchdog on. The file belongs to no version, so that going back to one leaves it alone."""
    source = CHECKOUT / "systemd" / WATCHDOG.name

    def turn_on() -> None:
        machine.copy(source, WATCHDOG)
        if machine.is_this_one:
            machine.run("systemctl", "daemon-reload")

    def is_on() -> bool:
        there = machine.path(WATCHDOG)
        return there.is_file() and there.read_bytes() == source.read_bytes()

    return Step(
        f"Have the Pi's watchdog reset it when its kernel hangs: {WATCHDOG}",
        turn_on,
        is_on,
        why="Without it a kernel that hangs leaves the motor running.",
        may_be_left_out=True,
    )


def stop(machine: Target) -> None:
    """Stop what runs, as far as it is there."""
    if machine.is_this_one:
        machine.tell("systemctl", "stop", PAGE, SAFE, TABLE)


def take_out(machine: Target) -> None:
    """Stop everything, and have the system forget it."""
    stop(machine)
    if machine.is_this_one:
        # its work is done since the machine started; to systemd it would be active, and not found, until the next start
        machine.tell("systemctl", "stop", MOTOR)
    machine.tell("systemctl", "disable", *ENABLED)
    for there in (*SYSTEM_FILES.values(), WATCHDOG, COMMAND):
        machine.remove(there)
    if machine.is_this_one:
        machine.run("systemctl", "daemon-reload")
        machine.run("udevadm", "control", "--reload")
