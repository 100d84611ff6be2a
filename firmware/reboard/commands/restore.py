"""``reboard restore``: continue the game of a backup file, here or on a new memory card."""

from __future__ import annotations

import asyncio
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

from reboard.aiotools import cancelled_by_signals
from reboard.backup_file import restoring
from reboard.backup_file.archive import LEDGER
from reboard.commands.output import named_path
from reboard.config.reading import DEFAULT_CONFIG, state_directory
from reboard.control.client import has_table
from reboard.control.protocol import socket_path
from reboard.doctor.disk import root_must_keep
from reboard.doctor.doctor_context import MQTT, SAFE, TABLE
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.service.interrupted_restore import interrupted_restore
from reboard.setup.services import running_services, table_stopped


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard restore``."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=named_path,
        help="the backup file (left out: complete a restore that was interrupted)",
    )


def main(args: Namespace) -> None:
    """Restore a backup file, or complete a restore that was interrupted."""
    os.umask(0o022)  # the table has to read the files
    try:
        lines = asyncio.run(restore(args.file, args.config, Machine()))
    except asyncio.CancelledError:
        raise ReboardError("this was stopped. `reboard restore` completes it if it has begun") from None
    print(*lines, sep="\n")


async def restore(file: Path | None, config_file: Path, machine: Machine) -> list[str]:
    """Restore the backup *file* for the table with *config_file*. Return lines for the user.

    Without *file*, complete a restore that was interrupted. The services of the table are stopped meanwhile. Raises
    `ReboardError` if that is not possible; nothing has changed then, unless the text says so.
    """
    _must_be_possible(config_file, machine)
    if file is None and not interrupted_restore(config_file).exists():
        raise ReboardError("no restore was interrupted: name the backup file")
    found = restoring.check(file or interrupted_restore(config_file), config_file)
    running = await running_services(machine) if config_file == DEFAULT_CONFIG else []
    if not {TABLE, SAFE} & set(running):
        for state in {state_directory(config_file), found.state}:
            if await has_table(socket_path(state)):
                raise ReboardError("a table is running. Press Ctrl+C where `reboard run` is running, and try again")
    backup = found.backup
    lines = [
        f"This is the game of {backup.made_at}, as reboard {backup.version} saved it."
        if LEDGER in backup.files
        else f"This backup of {backup.made_at} has no game: the table keeps its own."
    ]
    with cancelled_by_signals():
        async with table_stopped(machine, running):
            if file is not None:
                lines.append(restoring.begin(found, config_file, machine))
            await restoring.finish(config_file, machine)
    if running:
        await machine.output_of("systemctl", "try-restart", MQTT)
    if found.config.mqtt and found.config.mqtt.user:
        lines.append("The password for the MQTT broker is not in a backup: `sudo reboard setup` asks for it.")
    return lines


def _must_be_possible(config_file: Path, machine: Machine) -> None:
    folder = next(path for path in config_file.absolute().parents if path.exists())
    if not os.access(folder, os.W_OK):
        raise ReboardError(f"{machine.user} has no permission to write {config_file}. Run this command with sudo")
    if config_file == DEFAULT_CONFIG:
        root_must_keep("the config", machine)
