"""The installer's command line."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from installer.boot_config import boot_settings, find_boot_config
from installer.layout import CONFIG, READERS, state_directory
from installer.plan import install_plan, uninstall_plan
from installer.roots import may_be_a_pi, missing_mounts
from installer.steps import AskUser, YesToAll, carry_out, describe
from installer.target import InstallError, Target
from reboard.commands.output import named_path

FINE, FAILED = 0, 1

NO_BOOT_CONFIG = """
  ATTENTION: there is no config.txt, so dtparam=strict_gpiod cannot be set. Without it the motor runs on for about a
  second when reboard dies. Mount the boot partition at /boot/firmware, and start again.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Install or uninstall reboard, and return the exit status."""
    options = _parser().parse_args(arguments)
    os.umask(0o022)  # other users must be able to read the installed files
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # a lost connection is like Ctrl-C
    machine = Target(options.root.resolve())
    try:
        _check(options, machine)
        if options.what == "uninstall":
            steps = uninstall_plan(machine, with_ledger=options.with_ledger)
        else:
            steps = install_plan(machine, wheels=options.wheels)
        if options.dry_run:
            describe(steps)
            return FINE
        if options.what == "install" and find_boot_config(machine) is None and may_be_a_pi(machine):
            print(NO_BOOT_CONFIG, file=sys.stderr)
        boot_before = boot_settings(machine)
        carry_out(steps, YesToAll() if options.yes else AskUser())
        print(_farewell(options, machine, boot_has_changed=boot_settings(machine) != boot_before))
    except InstallError as problem:
        print(f"install: {problem}.", file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"install: {error.filename or 'the disk'}: {error.strerror}.", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\ninstall: stopped. The steps done so far are kept. Start again to continue.", file=sys.stderr)
        return FAILED
    return FINE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="install",
        description="Install or upgrade reboard on this Raspberry Pi. Each step is shown and confirmed; finished steps "
        "are skipped. The config and the ledger stay as they are.",
    )
    add = parser.add_argument
    add("what", nargs="?", choices=["install", "uninstall"], default="install")
    add("--yes", action="store_true", help="answer yes to every step")
    add("--dry-run", action="store_true", help="show every step, and do nothing")
    add(
        "--root",
        type=named_path,
        default=Path("/"),
        metavar="DIR",
        help="the root of another system, such as a memory card",
    )
    add(
        "--wheels",
        type=named_path,
        metavar="DIR",
        help="a folder with the Python packages, to install without internet",
    )
    add("--with-ledger", action="store_true", help="uninstall the ledger and the config too")
    return parser


def _check(options: argparse.Namespace, machine: Target) -> None:
    if not machine.root.is_dir():
        raise InstallError(f"{machine.root} is not a folder")
    if options.wheels and not options.wheels.is_dir():
        raise InstallError(f"{options.wheels} is not a folder")
    if options.with_ledger and options.what != "uninstall":
        raise InstallError("--with-ledger is an option of uninstall only")
    if options.dry_run:
        return
    if not machine.is_this_one and (missing := missing_mounts(machine)):
        raise InstallError(
            f"commands cannot be run in {machine.root}: mount {' and '.join(missing)} there first "
            "(docs/install-and-repair.md)"
        )
    if os.geteuid():
        raise InstallError("only root may install: start it with sudo, or try --dry-run")
    if not (options.yes or sys.stdin.isatty()):
        raise InstallError("there is no terminal to confirm the steps: use --yes or --dry-run")


def _farewell(options: argparse.Namespace, machine: Target, *, boot_has_changed: bool) -> str:
    if options.what == "uninstall":
        left = "" if options.with_ledger else f" {CONFIG.parent}, {READERS} and {state_directory(machine)} are kept."
        said = f"reboard is uninstalled.{left}"
    else:
        said = (
            f"reboard is installed. Next: `sudo reboard setup`, or change {CONFIG} and `sudo systemctl reload reboard`."
        )
    return f"{said} Restart the Pi for its new boot settings: sudo reboot" if boot_has_changed else said
