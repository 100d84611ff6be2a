"""From one version to the next, and back by itself when the new one does not become ready."""

from __future__ import annotations

from installer import system_files
from installer.layout import PAGE, TABLE
from installer.ledger_copy import copy_ledger, restore_ledger
from installer.machine import InstallError, Machine
from installer.steps import Step
from installer.version import Version, current, forget_others

LOG_LINES = "12"


def switch_step(machine: Machine, version: Version) -> Step:
    """Play with *version* from now on."""
    old = current(machine)
    if not machine.is_this_one:
        what = f"Have {version.name} started when that system starts"
    elif old and old != version:
        what = f"Stop the table, start {version.name}, and go back to {old.name} if it does not become ready"
    else:
        what = f"Start {version.name}, now and whenever this Pi starts"
    return Step(what, lambda: _switch(machine, old, version), lambda: old == version and _is_at_work(machine, version))


def _is_at_work(machine: Machine, version: Version) -> bool:
    if not system_files.are_those_of(machine, version):
        return False
    return not machine.is_this_one or machine.tell("systemctl", "is-active", TABLE, PAGE)[0] == 0


def _switch(machine: Machine, old: Version | None, version: Version) -> None:
    system_files.stop(machine)
    try:
        copy_ledger(machine)
        _start(machine, version)
    except (InstallError, OSError) as problem:  # a full disk must not keep the old one from playing
        if not machine.is_this_one:
            raise
        if old is None or old == version:
            raise InstallError(
                f"{problem}\nreboard is installed, but it does not play yet. `reboard doctor` tells what to do"
            ) from None
        raise InstallError(f"{problem}\n{_go_back(machine, old)}") from None
    forget_others(machine, old, version)


def _go_back(machine: Machine, old: Version) -> str:
    """Play with the *old* version again; what came of it."""
    system_files.stop(machine)
    was_changed = restore_ledger(machine)
    try:
        _start(machine, old)
    except (InstallError, OSError) as problem:
        return f"and {problem}"
    ledger = ", with the ledger as it was before" if was_changed else ""
    return f"{old.name} plays again{ledger}: nothing was lost"


def _start(machine: Machine, version: Version) -> None:
    """Raises `InstallError` with the end of the log when the table does not become ready."""
    system_files.put(machine, version)
    machine.run("systemctl", "enable", *system_files.ENABLED)
    if not machine.is_this_one:
        return
    machine.tell("systemctl", "reset-failed", TABLE, PAGE)
    status, _ = machine.tell("systemctl", "restart", TABLE)
    if status:
        _, log = machine.tell("journalctl", "--unit", TABLE, "--lines", LOG_LINES, "--no-pager", "--output", "cat")
        tail = "\n    ".join(log.strip().splitlines())
        raise InstallError(f"{version.name} did not become ready. The end of its log:\n    {tail}")
    machine.run("systemctl", "restart", PAGE)
