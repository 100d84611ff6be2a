"""``reboard backup``: write the config, the ledger and all else that a table needs into one file."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from functools import partial

from reboard.atomic_write import write_safely
from reboard.backup_file.making import make_backup
from reboard.commands.output import written_file


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
    backup = make_backup(args.config)
    write_safely(args.file, backup, mode=0o600)
    user, group = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if user.isdecimal() and group.isdecimal():
        with suppress(OSError):  # a USB stick has no owners
            os.chown(args.file, int(user), int(group))
    print(f"{args.file}: {len(backup) / 1000:.0f} kB. It has the players' names: keep it to yourself")
