"""``reboard backup``: write the config, the ledger and all else that a table needs into one file."""

from __future__ import annotations

import math
import os
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from functools import partial
from pathlib import Path

from reboard.atomic_write import write_safely
from reboard.backup_file.archive import LEDGER
from reboard.backup_file.making import make_backup
from reboard.commands.output import written_file
from reboard.errors import ReboardError
from reboard.service.fallback_config import usable_config


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard backup``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=partial(written_file, ending=".backup"),
        help="the file to write; it ends in .backup",
    )


def main(args: Namespace) -> None:
    """Write the backup file. The table can play meanwhile."""
    folder = args.file.absolute().parent
    if not folder.is_dir():
        raise ReboardError(
            f"there is no folder {folder}. Nothing was written: create it or, for a USB stick, mount that first, "
            "such as with `sudo mount /dev/sda1 /mnt`"
        )
    backup = make_backup(args.config)
    packed = backup.packed()
    write_safely(args.file, packed, mode=0o600)
    user, group = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if user.isdecimal() and group.isdecimal():
        with suppress(OSError):  # a USB stick has no owners
            os.chown(args.file, int(user), int(group))
    chosen = usable_config(args.config)
    if chosen.problem:
        print(f"It has the last good config, because of this mistake in the config: {chosen.problem}")
    games = "all games" if LEDGER in backup.files else "no game, because there is no ledger yet"
    print(f"{args.file}: {math.ceil(len(packed) / 1000)} kB, with {games}")
    print("It has the players' names: keep it to yourself")
    state = chosen.config.state.directory
    if folder.stat().st_dev in {place.stat().st_dev for place in (Path("/"), state) if place.exists()}:
        print("It is on the same disk as the table, and would be lost with it: copy it to another machine")
