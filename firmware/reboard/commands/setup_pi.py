"""``reboard setup boot`` and ``reboard setup read-only``: change the settings of the Pi itself."""

from __future__ import annotations

import argparse
import asyncio
import os

from reboard.aiotools import cancelled_by_signals
from reboard.commands.parser import CommandParser, add_command
from reboard.config.reading import state_directory
from reboard.devices.sound_card import OVERLAY
from reboard.doctor.disk import root_must_keep
from reboard.doctor.machine import Machine
from reboard.errors import ReboardError
from reboard.setup import read_only
from reboard.setup.boot_config import AMPLIFIER, Change, boot_config_of, make, settings_for, show
from reboard.setup.prompts import Back, Prompts, Quit, Skip, StandardTerminal
from reboard.table_config import load_config

INSTEAD = "instead of the setup wizard"


def add_commands(whats: argparse._SubParsersAction[CommandParser], common: CommandParser) -> None:
    """Add the subcommands of ``reboard setup``."""
    text = "write the boot settings that the config needs: motor safety, I²C, SPI, serial port, amplifier"
    examples = ["boot", "boot --amplifier --yes", "boot --undo"]
    boot = add_command(
        whats, "boot", text, common, group=INSTEAD, examples=[f"sudo reboard setup {example}" for example in examples]
    )
    one = boot.add_mutually_exclusive_group()
    one.add_argument(
        "--amplifier", action="store_true", help=f"set up an I²S amplifier without [wiring], too ({OVERLAY})"
    )
    one.add_argument("--undo", action="store_true", help="remove all boot settings of reboard")
    boot.add_argument("--yes", action="store_true", help="make the changes without asking")
    boot.set_defaults(set_up_pi=_set_boot)
    text = "make the root file system read-only, with the games on a partition of their own"
    examples = ["read-only --state /dev/sda1", "read-only --state LABEL=reboard", "read-only --undo"]
    root = add_command(
        whats, "read-only", text, common, group=INSTEAD, examples=[f"sudo reboard setup {words}" for words in examples]
    )
    one = root.add_mutually_exclusive_group()
    one.add_argument(
        "--state",
        metavar="PARTITION",
        help="an empty partition with an ext4 file system, for the games (needed the first time)",
    )
    one.add_argument("--undo", action="store_true", help="make the root writable again; the games stay where they are")
    root.add_argument("--yes", action="store_true", help="make the changes without asking")
    root.set_defaults(set_up_pi=_set_read_only)


def _set_boot(args: argparse.Namespace) -> bool:
    machine = Machine()
    root_must_keep("a part of these settings", machine)
    boot = boot_config_of(machine)
    needed = settings_for(load_config(args.config)) if args.config.is_file() and not args.undo else []
    changes = boot.undo() if args.undo else boot.changes([*needed, AMPLIFIER] if args.amplifier else needed)
    return asyncio.run(_change(changes, is_sure=args.yes))


def _set_read_only(args: argparse.Namespace) -> bool:
    return asyncio.run(_change_root(args))


async def _change_root(args: argparse.Namespace) -> bool:
    machine, state = Machine(), state_directory(args.config).resolve()
    if not args.undo:
        _must_be_root()  # only root can read a partition
    changes = read_only.undo(machine) if args.undo else await read_only.changes(machine, state, args.state)
    return await _change(changes, is_sure=args.yes)


async def _change(changes: list[Change], *, is_sure: bool) -> bool:
    """Make *changes* if the user agrees. Return whether they were made, or there were none.

    Raises `ReboardError` if the user is not root, or if SIGINT, SIGHUP or SIGTERM stops it.
    """
    prompts = Prompts(StandardTerminal())
    if not changes:
        prompts.say("There is nothing to change.")
        return True
    show(changes, prompts)
    _must_be_root()
    try:
        with cancelled_by_signals():
            return await make(changes, prompts, is_sure=is_sure)
    except (Back, Skip, Quit):
        prompts.say("Nothing was changed.")
        return False
    except asyncio.CancelledError:
        raise ReboardError("this was stopped. Run it again: it lists the changes that are left to make") from None


def _must_be_root() -> None:
    if os.geteuid():
        raise ReboardError("only root can make these changes. Run this command with sudo")
