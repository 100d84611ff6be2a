"""The ledger as it was before an upgrade: what the old version needs if the new one has changed the file's form."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from installer.layout import LEDGER_NAME, state_directory
from installer.machine import InstallError, Machine

COPY_NAME = f"{LEDGER_NAME}.before-upgrade"


def copy_ledger(machine: Machine) -> None:
    """Copy the ledger beside itself, while no table is at work. Where there is none yet, nothing is done.

    Raises `InstallError` when it cannot be copied: nobody upgrades without.
    """
    ledger, copy = _files(machine)
    copy.unlink(missing_ok=True)
    if not ledger.is_file():
        return
    new = copy.with_name(copy.name + ".new")
    new.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(ledger)) as source, closing(sqlite3.connect(new)) as target:
            source.backup(target)
        _keep(new, copy, like=ledger)
    except (sqlite3.Error, OSError) as error:
        raise InstallError(
            f"the ledger {ledger} could not be copied, so no other version was started: {error}. "
            "`reboard ledger verify` looks at it"
        ) from None


def restore_ledger(machine: Machine) -> bool:
    """Put the copy back if the ledger's form has changed since; whether it was so."""
    ledger, copy = _files(machine)
    if not copy.is_file() or _form(ledger) == _form(copy):
        return False
    new = ledger.with_name(ledger.name + ".new")
    shutil.copyfile(copy, new)
    for beside in ("-wal", "-shm", "-journal"):
        ledger.with_name(ledger.name + beside).unlink(missing_ok=True)
    _keep(new, ledger, like=copy)
    return True


def _files(machine: Machine) -> tuple[Path, Path]:
    state = machine.path(state_directory(machine))
    return state / LEDGER_NAME, state / COPY_NAME


def _keep(new: Path, name: Path, *, like: Path) -> None:
    """Have the file *new* take *name*, for sure, and belong to whom *like* belongs."""
    owner = like.stat()
    os.chown(new, owner.st_uid, owner.st_gid)
    new.chmod(owner.st_mode)
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(name)
    Machine().sync(name.parent)


def _form(ledger: Path) -> int | None:
    """The number of the ledger's form, ``None`` where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as connection:
            form: int = connection.execute("PRAGMA user_version").fetchone()[0]
            return form
    except sqlite3.Error:
        return None
