"""Copies of the ledger by its form: an older version needs them when a newer one has changed the file.

The user of the table owns the directory and may have put links there. So root works in it only as that user.
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
    """Return the file name of the copy of a ledger of that *form*."""
    return f"{LEDGER_NAME}.form-{form}"


def copy_ledger(machine: Target) -> int | None:
    """Copy the ledger in its folder while no table runs, and return its form; ``None`` without a readable ledger.

    A ledger that cannot be read is copied byte by byte if possible: the table restores a backup. Raises `InstallError`
    if a readable ledger cannot be copied: an upgrade needs the copy.
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
                    "Check it with `reboard ledger verify`"
                ) from None
            print(f"  The ledger {ledger} cannot be read: {error}. The table restores a backup.")
        with suppress(OSError):
            shutil.copyfile(ledger, state / UNREADABLE)
            print(f"  A copy of it is {UNREADABLE}.")
        return None


def fit_ledger(machine: Target, form: int, *, was: int | None = None) -> str:
    """Make the ledger readable for a version that knows no form above *form*; return what was done, in words.

    If the form of the ledger is newer, or the ledger *was* readable and is not now, rename it, and put the latest copy
    that fits in its place. Raises `InstallError` without such a copy, and ``OSError`` if that fails.
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
                f"a newer version wrote the ledger {ledger}: its form is {present}, and this version knows forms up to "
                f"{form}. There is no older copy of it"
            )
        aside = _set_aside_and_replace(ledger, copy)
        return f"with the ledger as it was before; the newer ledger is kept as {aside.name}"


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
    """Replace the ledger and keep the old one. A power cut leaves a complete ledger and loses nothing."""
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
    """Rename the file *new* to *name*, as an atomic write."""
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(name)
    Target().sync(name.parent)


def _form(ledger: Path) -> int | None:
    """Return the form of the ledger, ``None`` if it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True)) as connection:
            form: int = connection.execute("PRAGMA user_version").fetchone()[0]
            return form
    except sqlite3.Error:
        return None


@contextmanager
def as_its_owner(directory: Path) -> Iterator[None]:
    """Act as the owner of *directory*, or of the link in its place, if this is root and the owner is not."""
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
