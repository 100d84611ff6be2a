"""Files for the system: units, users and udev rules, copied from the folder of a version."""

from __future__ import annotations

from pathlib import Path

from installer.layout import CHECKOUT, COMMAND, CURRENT, MOTOR, PAGE, POWER, SAFE, SYSTEM_FILES, TABLE, WATCHDOG
from installer.steps import Step
from installer.target import Target
from installer.version import Version

POWER_RULES = "reboard-power.rules"
ENABLED = (TABLE, PAGE, MOTOR)


def put(machine: Target, version: Version) -> None:
    """Copy the files of *version*, and make it the current one. Running services go on."""
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
    """Return whether the system has the unchanged files of *version*."""
    ours = {machine.path(version.folder / "systemd" / name): machine.path(SYSTEM_FILES[name]) for name in SYSTEM_FILES}
    return all(there.is_file() and there.read_bytes() == own.read_bytes() for own, there in ours.items())


def are_there(machine: Target) -> bool:
    """Return whether the system has all files to start a table, of any version."""
    return all(machine.path(there).is_file() for there in SYSTEM_FILES.values()) and machine.path(COMMAND).is_symlink()


def watchdog_step(machine: Target) -> Step:
    """Return the step that enables the hardware watchdog."""

    def turn_on() -> None:
        machine.copy(CHECKOUT / "systemd" / WATCHDOG.name, WATCHDOG)
        if machine.is_this_one:
            machine.run("systemctl", "daemon-reload")

    return Step(
        f"Let the watchdog of the Pi reset it when its kernel hangs: {WATCHDOG}",
        turn_on,
        lambda: _is_copied(machine, WATCHDOG.name, WATCHDOG),
        why="Without it a kernel that hangs leaves the motor running.",
        may_be_left_out=True,
    )


def power_step(machine: Target) -> Step:
    """Return the step that permits the page to shut down and restart. polkit reads a new rule at once."""
    return Step(
        f"Let the host of the table page shut down and restart this Pi: {POWER}",
        lambda: machine.copy(CHECKOUT / "systemd" / POWER_RULES, POWER),
        lambda: _is_copied(machine, POWER_RULES, POWER),
        why="Without it the page does not offer it. It takes the host's PIN, and power = true in [page].",
        may_be_left_out=True,
    )


def _is_copied(machine: Target, name: str, there: Path) -> bool:
    """Return whether a file that belongs to no version is as in this checkout. A rollback keeps such files."""
    file = machine.path(there)
    return file.is_file() and file.read_bytes() == (CHECKOUT / "systemd" / name).read_bytes()


def stop(machine: Target) -> None:
    """Stop the services."""
    if machine.is_this_one:
        machine.try_run("systemctl", "stop", PAGE, SAFE, TABLE)


def take_out(machine: Target) -> None:
    """Stop the services, and remove the files from the system."""
    stop(machine)
    if machine.is_this_one:
        # a oneshot unit stays active until the next boot
        machine.try_run("systemctl", "stop", MOTOR)
    machine.try_run("systemctl", "disable", *ENABLED)
    for there in (*SYSTEM_FILES.values(), WATCHDOG, POWER, COMMAND):
        machine.remove(there)
    if machine.is_this_one:
        machine.run("systemctl", "daemon-reload")
        machine.run("udevadm", "control", "--reload")
