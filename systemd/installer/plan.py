"""The steps to install or uninstall reboard, in their order."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from installer import system_files
from installer.boot_config import find_boot_config
from installer.layout import (
    CHECKOUT,
    CONFIG,
    CURRENT,
    LEDGER_NAME,
    READERS,
    SYSTEM_FILES,
    USERS,
    VERSIONS,
    state_directory,
)
from installer.ledger_copy import as_its_owner
from installer.packages import packages_step
from installer.steps import Step
from installer.switch import switch_step
from installer.target import InstallError, Target
from installer.version import remove_all, version_of, version_step

GROUPS = ("reboard", "reboard-control")
"""Groups for users of the commands: one may read the ledger, the other may use the control socket."""

OF_THE_STATE = (f"{LEDGER_NAME}*", "table.last-good.toml*", "editions.last-good", "table.sock")
"""The files of a table in its state directory."""


def install_plan(machine: Target, *, wheels: Path | None = None) -> list[Step]:
    """Return the steps to install the version of this checkout, or to upgrade to it."""
    if CHECKOUT.is_relative_to(machine.path(VERSIONS)):
        raise InstallError(f"this clone is in {VERSIONS}, the folder of installed versions: move it, and start again")
    version = version_of()
    boot = find_boot_config(machine)
    return [
        packages_step(machine),
        version_step(machine, version, wheels=wheels),
        _owners_file(
            machine,
            "firmware/reboard/setup/table.toml",
            CONFIG,
            "Create a config with our wiring, for you to change",
            0o640,
        ),
        _owners_file(machine, f"systemd/{READERS.name}", READERS, "Create a file for the names of the readers", 0o644),
        *(boot.steps() if boot else []),
        system_files.power_step(machine),
        switch_step(machine, version),
        system_files.watchdog_step(machine),
        *_member_steps(machine),
    ]


def uninstall_plan(machine: Target, *, with_ledger: bool) -> list[Step]:
    """Return the steps to uninstall reboard. The ledger and the config stay, unless *with_ledger* is set."""
    is_out = not any(machine.path(place).exists() for place in SYSTEM_FILES.values())
    steps = [
        Step("Stop the table, and remove its services", lambda: system_files.take_out(machine), lambda: is_out),
        Step(
            f"Remove every version in {VERSIONS}",
            lambda: remove_all(machine),
            lambda: not machine.path(CURRENT).is_symlink(),
        ),
    ]
    if boot := find_boot_config(machine):
        steps.append(boot.undo_step())
    if with_ledger:
        steps.append(_forget_step(machine))
    return steps


def _owners_file(machine: Target, source: str, place: Path, what: str, mode: int) -> Step:
    """A file that belongs to the owner once it exists: an upgrade does not change it."""
    return Step(
        f"{what}: {place}",
        lambda: machine.copy(CHECKOUT / source, place, mode=mode),
        lambda: machine.path(place).exists(),
    )


def _member_steps(machine: Target) -> list[Step]:
    user = os.environ.get("SUDO_USER", "root")
    if user == "root" or not machine.is_this_one:
        return []
    return [
        Step(
            f"Let {user} use the table's commands without sudo, from the next login on",
            lambda: _join(machine, user),
            lambda: {*GROUPS} <= {*machine.try_run("id", "--name", "--groups", user)[1].split()},
            may_be_left_out=True,
        )
    ]


def _join(machine: Target, user: str) -> None:
    machine.run("usermod", "--append", "--groups", ",".join(GROUPS), user)


def _forget_step(machine: Target) -> Step:
    state = state_directory(machine)

    def forget() -> None:
        _remove(machine, state, OF_THE_STATE)
        _remove(machine, CONFIG.parent, (f"{CONFIG.name}*",))
        machine.remove(READERS)
        for user in reversed(USERS):
            machine.try_run("userdel", user)

    return Step(f"Remove every game in {state}, and the config in {CONFIG.parent}", forget)


def _remove(machine: Target, folder: Path, names: Iterable[str]) -> None:
    """Remove the files that match *names*, as the owner of the *folder*, and then the folder if it is empty."""
    with as_its_owner(machine.path(folder)):
        for name in names:
            for file in machine.path(folder).glob(name):
                machine.remove(folder / file.name)
    with suppress(OSError):
        machine.path(folder).rmdir()
