"""Copies of the ledger by its form: what an older version needs when a newer one has changed the file.

The directory belongs to the user who plays, and so does whatever lies there, links too: root does nothing in it but as
that user.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from installer.layout import LEDGER_NAME, state_directory
from installer.target import InstallError, Target

BESIDE = ("-wal", "-shm", "-journal")
UNREADABLE = f"{LEDGER_NAME}.unreadable"
SET_ASIDE = f"{LEDGER_NAME}.set-aside-"
MOST_SET_ASIDE = 1000
BAD_FILE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR}


def copy_name(form: int) -> str:
    """What the copy of a ledger of that *form* is called: those of other forms are left alone."""
    return f"{LEDGER_NAME}.form-{form}"


def copy_ledger(machine: Target) -> int | None:
    """Copy the ledger beside itself, while no table is at work, and return its form; ``None`` where it has none.

    One that cannot be read is copied byte by byte, as far as that goes: the table mends what it can. Raises
    `InstallError` when one that can be read cannot be copied: nobody upgrades without.
    """
    state = machine.path(state_directory(machine))
    ledger = state / LEDGER_NAME
    with as_its_owner(state):
        if not ledger.is_file():
            return None
        try:
            return _copy(ledger)
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in BAD_FILE:
                raise InstallError(
                    f"the ledger {ledger} could not be copied, so no other version was started: {error}. "
                    "`reboard ledger verify` looks at it"
                ) from None
            print(f"  The ledger {ledger} cannot be read: {error}. The table mends what it can.")
        with suppress(OSError):
            shutil.copyfile(ledger, state / UNREADABLE)
            print(f"  As it is, it is kept as {UNREADABLE}.")
        return None


def fit_ledger(machine: Target, form: int, *, was: int | None = None) -> str:
    """See to it that a version can read the ledger which knows no *form* above that; what was done, in words.

    If the ledger's form is newer, or it *was* of a form that could be read and is none any more, the latest copy that
    fits takes its place, and it is set aside. Raises `InstallError` when there is none, and ``OSError`` when that
    cannot be done.
    """
    state = machine.path(state_directory(machine))
    ledger = state / LEDGER_NAME
    with as_its_owner(state):
        if not ledger.is_file():
            return ""
        present = _form(ledger)
        if (present is None and was is None) or (present is not None and present <= form):
            return ""
        copies = (state / copy_name(number) for number in range(form, 0, -1))
        copy = next(filter(Path.is_file, copies), None)
        if copy is None:
            raise InstallError(
                f"the ledger {ledger} was written by a newer version: its form is {present}, and this one knows none "
                f"above {form}. There is no copy beside it of that time"
            )
        aside = _set_aside_and_replace(ledger, copy)
        return f"with the ledger as it was before; what was played since is kept as {aside.name}"


def _copy(ledger: Path) -> int:
    with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=rw", uri=True)) as source:
        form: int = source.execute("PRAGMA user_version").fetchone()[0]
        new = ledger.with_name(copy_name(form) + ".new")
        new.unlink(missing_ok=True)
        with closing(sqlite3.connect(new)) as target:
            source.backup(target)
    new.chmod(ledger.stat().st_mode & 0o777)
    _keep(new, ledger.with_name(copy_name(form)))
    return form


def _set_aside_and_replace(ledger: Path, copy: Path) -> Path:
    """Whenever the plug is pulled, there is a whole ledger, and all that was played is somewhere."""
    aside = next(
        name for number in range(1, MOST_SET_ASIDE) if not (name := ledger.with_name(f"{SET_ASIDE}{number}")).exists()
    )
    new = ledger.with_name(LEDGER_NAME + ".new")
    new.unlink(missing_ok=True)
    shutil.copy(copy, new)
    os.link(ledger, aside)
    for beside in BESIDE:
        with suppress(FileNotFoundError):
            ledger.with_name(LEDGER_NAME + beside).rename(aside.with_name(aside.name + beside))
    _keep(new, ledger)
    return aside


def _keep(new: Path, name: Path) -> None:
    """Have the file *new* take *name*, for sure."""
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(name)
    Target().sync(name.parent)


def _form(ledger: Path) -> int | None:
    """The number of the ledger's form, ``None`` where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as connection:
            form: int = connection.execute("PRAGMA user_version").fetchone()[0]
            return form
    except sqlite3.Error:
        return None


@contextmanager
def as_its_owner(directory: Path) -> Iterator[None]:
    """Be the owner of *directory*, or of the link that it is, for a while, if we are root and the owner is not."""
    owners = (directory.stat(), directory.lstat()) if directory.is_dir() else ()
    owner = next((owner for owner in owners if owner.st_uid), None)
    if not owner or os.geteuid():
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
