"""Restores a backup: all of it or nothing, even if the power is cut.

The checked backup is first copied beside the config. From then on, `finish` completes it, and can be called again.
"""

from __future__ import annotations

import math
import os
import shlex
import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

from reboard.accessories.banker_unit.database import LEDGER_FILE
from reboard.accessories.banker_unit.ledger_copy import check_copy
from reboard.accessories.banker_unit.open_files import lock_of, take_lock
from reboard.atomic_write import make_directory, replace, replace_safely, sync, write_safely
from reboard.backup_file.archive import CONFIG, LEDGER, READERS, Backup, read_backup
from reboard.backup_file.making import make_backup
from reboard.config.reading import DEFAULT_CONFIG, DEFAULT_STATE_DIRECTORY, parse_toml
from reboard.doctor.config_and_page import CONTROL_GROUP
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.record import Record
from reboard.service.interrupted_restore import interrupted_restore
from reboard.setup.reader_rules import written_rules
from reboard.setup.udev import write_rules
from reboard.table_config import TableConfig, parse_config
from reboard.version import __version__

KEPT = "before-restore"
"""The folders in the state directory with what each restore replaced are ``before-restore-1``, ``-2`` and so on."""

SPACE = 3
"""The free space that a restore needs, as a multiple of the size of its files: for a copy, and for what is kept."""


class Restorable(Record):
    """A checked *backup*, the config in it, and the directory *state* to which its ledger goes."""

    backup: Backup
    config: TableConfig
    state: Path


def check(file: Path, config_file: Path) -> Restorable:
    """Read and check the backup *file* for the table with *config_file*. Changes nothing.

    Raises `ReboardError` if it is damaged, foreign, or made by a newer reboard, and ``OSError``.
    """
    backup = read_backup(file)
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        for name, content in backup.files.items():
            write_safely(there / name, content)
        try:
            if LEDGER in backup.files:
                check_copy(there / LEDGER)
            document, lines = parse_toml(backup.files[CONFIG], Path(CONFIG))
            config = parse_config(document, path=there / CONFIG, lines=lines, where=CONFIG)
        except ReboardError as error:
            by = "" if backup.version == __version__ else f" (reboard {backup.version} made it; this is {__version__})"
            why = str(error).replace(folder, str(file))
            raise ReboardError(f"{file}: this backup cannot be restored{by}. Nothing was changed: {why}") from None
        state = config.state.directory
        if state.is_relative_to(there):
            state = config_file.absolute().parent / state.relative_to(there)
    if state != DEFAULT_STATE_DIRECTORY and not state.is_dir() and config_file.absolute().parent not in state.parents:
        raise ReboardError(
            f"{file}: its config keeps the games in {state}, which does not exist. Nothing was changed: create it with "
            f"`sudo install -d -o reboard -g reboard {state}`, and try again"
        )
    return Restorable(backup, config, state)


def begin(found: Restorable, config_file: Path, machine: Machine) -> str:
    """Keep what is there now, and decide to restore: `finish` has to follow. Return how to go back, for the user.

    Raises `ReboardError` if a table has the ledger open or the disk is too full, and ``OSError``. Nothing has changed
    then, except that a backup of what is there may have been made.
    """
    make_directory(found.state)
    with ExitStack() as opened:
        _lock(found.state, opened)
    needed = sum(map(len, found.backup.files.values()))
    for place in (found.state, config_file.absolute().parent):
        if machine.space(place).free_bytes < SPACE * needed:
            raise ReboardError(
                f"{place}: the disk is full. Nothing was changed: free {math.ceil(SPACE * needed / 1e6)} MB"
            )
    kept = _kept(found.state, _latest_kept(found.state) + 1)
    kept.mkdir(mode=0o700)
    _own_as(kept, found.state)
    way_back = kept / "reboard.backup"
    try:
        write_safely(way_back, make_backup(config_file).packed(), mode=0o600)
        how = ["reboard", "restore", str(way_back)]
        how = ["sudo", *how] if config_file == DEFAULT_CONFIG else [*how, "-c", str(config_file)]
        said = f"To go back: {shlex.join(how)}"
    except (ReboardError, OSError) as error:
        said = f"What was there is kept in {kept}. It could not be backed up: {error}"
    sync(found.state)
    write_safely(interrupted_restore(config_file), found.backup.packed(), mode=0o600)
    return said


async def finish(config_file: Path, machine: Machine) -> None:
    """Complete a restore that was begun. It can be interrupted and called again."""
    begun = interrupted_restore(config_file)
    found = check(begun, config_file)
    _place_files(found, config_file)
    if config_file == DEFAULT_CONFIG and (
        rules := written_rules(found.backup.files.get(READERS, b"").decode("utf-8", "replace"))
    ):
        await write_rules(machine, rules)
    begun.unlink()
    sync(begun.parent)


def _place_files(found: Restorable, config_file: Path) -> None:
    _place_ledger(found)
    folder = config_file.absolute().parent
    for name, content in found.backup.files.items():
        if name not in (CONFIG, LEDGER, READERS):
            replace(folder / name, content, before=KEPT)
    is_new = not config_file.exists()
    replace(config_file, found.backup.files[CONFIG], before=KEPT)
    if is_new:
        with suppress(LookupError, PermissionError):  # a laptop has no such group
            shutil.chown(config_file, group=CONTROL_GROUP)
            config_file.chmod(0o640)


def _place_ledger(found: Restorable) -> None:
    content = found.backup.files.get(LEDGER)
    if content is None:
        return
    make_directory(found.state)
    ledger = found.state / LEDGER_FILE
    with ExitStack() as opened:
        _lock(found.state, opened)
        if ledger.exists() and ledger.read_bytes() == content:
            return
        kept = _kept(found.state, max(_latest_kept(found.state), 1))
        make_directory(kept)
        # its backups too: they may be newer than the restored ledger, which the table would then take for damaged
        for old in sorted(found.state.glob(f"{LEDGER_FILE}*")):
            if old != lock_of(ledger):
                old.rename(kept / old.name)
        # or a power cut could leave an old log beside the new ledger
        sync(kept)
        sync(found.state)
        new = ledger.with_name(f"{LEDGER_FILE}.new")
        write_safely(new, content, mode=0o640)
        _own_as(new, found.state)
        replace_safely(ledger, new)


def _lock(state: Path, opened: ExitStack) -> None:
    take_lock(state / LEDGER_FILE, opened)
    _own_as(lock_of(state / LEDGER_FILE), state)


def _own_as(path: Path, like: Path) -> None:
    owner = like.stat()
    with suppress(PermissionError):  # only root can give a file away
        os.chown(path, owner.st_uid, owner.st_gid)


def _kept(state: Path, number: int) -> Path:
    return state / f"{KEPT}-{number}"


def _latest_kept(state: Path) -> int:
    numbers = (folder.name.removeprefix(f"{KEPT}-") for folder in state.glob(f"{KEPT}-*"))
    return max((int(number) for number in numbers if number.isdecimal()), default=0)
