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
from installer.steps import Agreed, Person, carry_out, describe
from installer.target import InstallError, Target
from reboard.named_path import named_path

FINE, FAILED = 0, 1

NO_BOOT_CONFIG = """
  ATTENTION: there is no config.txt. dtparam=strict_gpiod cannot be set, so that a Pi would keep driving the motor when
  reboard dies, until reboard's own stop is through. Mount the boot partition at /boot/firmware, and begin again.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked and return the exit status; whatever goes wrong is told in words."""
    asked = _parser().parse_args(arguments)
    os.umask(0o022)  # whatever root's own is: others must read what is put there
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)  # a lost connection ends it as Ctrl-C does
    machine = Target(asked.root.resolve())
    try:
        _check(asked, machine)
        if asked.what == "uninstall":
            steps = uninstall_plan(machine, with_ledger=asked.with_ledger)
        else:
            steps = install_plan(machine, wheels=asked.wheels)
        if asked.dry_run:
            describe(steps)
            return FINE
        if asked.what == "install" and find_boot_config(machine) is None and may_be_a_pi(machine):
            print(NO_BOOT_CONFIG, file=sys.stderr)
        boot_before = boot_settings(machine)
        carry_out(steps, Agreed() if asked.yes else Person())
        print(_farewell(asked, machine, boot_has_changed=boot_settings(machine) != boot_before))
    except InstallError as problem:
        print(f"install: {problem}.", file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"install: {error.filename or 'the disk'}: {error.strerror}.", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("\ninstall: stopped. What was done so far is kept; come back when you like.", file=sys.stderr)
        return FAILED
    return FINE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="install",
        description="Put reboard on this Raspberry Pi, or a newer one in its place. Each step is told and asked for; "
        "what is done already is not done again. The config and the ledger stay as they are.",
    )
    add = parser.add_argument
    add("what", nargs="?", choices=["install", "uninstall"], default="install")
    add("--yes", action="store_true", help="ask nothing: yes to every step")
    add("--dry-run", action="store_true", help="tell every step, and do nothing")
    add("--root", type=named_path, default=Path("/"), metavar="DIR", help="another system's root: a card's, an image's")
    add("--wheels", type=named_path, metavar="DIR", help="the Python packages, where there is no internet")
    add("--with-ledger", action="store_true", help="uninstall every game that was played as well")
    return parser


def _check(asked: argparse.Namespace, machine: Target) -> None:
    if not machine.root.is_dir():
        raise InstallError(f"{machine.root} is no folder")
    if asked.wheels and not asked.wheels.is_dir():
        raise InstallError(f"{asked.wheels} is no folder")
    if asked.with_ledger and asked.what != "uninstall":
        raise InstallError("--with-ledger goes with uninstall")
    if asked.dry_run:
        return
    if not machine.is_this_one and (missing := missing_mounts(machine)):
        raise InstallError(
            f"commands cannot be run in {machine.root}: mount {' and '.join(missing)} there first (docs/on-a-pi.md)"
        )
    if os.geteuid():
        raise InstallError("only root may do that: put sudo in front of it, or try --dry-run")
    if not (asked.yes or sys.stdin.isatty()):
        raise InstallError("nobody can be asked here: say --yes, or try --dry-run")


def _farewell(asked: argparse.Namespace, machine: Target, *, boot_has_changed: bool) -> str:
    if asked.what == "uninstall":
        left = (
            "" if asked.with_ledger else f" {CONFIG.parent}, {READERS} and {state_directory(machine)} are still there."
        )
        said = f"reboard is gone.{left}"
    else:
        said = (
            f"reboard is installed. Next: `sudo reboard setup`, or change {CONFIG} and `sudo systemctl reload reboard`."
        )
    return f"{said} Start the Pi anew for its own settings: sudo reboot" if boot_has_changed else said
