"""``reboard setup``: ask about each device, try it, and write the config."""

from __future__ import annotations

import asyncio
import os
import signal
import tomllib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from reboard.atomic_write import replace
from reboard.board import Board
from reboard.config.reading import read_toml, state_directory
from reboard.control.client import ControlClient
from reboard.control.protocol import socket_path
from reboard.doctor.doctor_context import SAFE, TABLE, find_units
from reboard.doctor.machine import Machine
from reboard.errors import ConfigError, ControlSocketError, NoTableError, ReboardError
from reboard.raspberry_pi import RaspberryPi
from reboard.setup.draft import Draft, config_text
from reboard.setup.prompts import HOW_TO_ANSWER, Back, Prompts, Quit, StandardTerminal, Terminal
from reboard.setup.setup_context import SetupContext
from reboard.setup.udev import RULES, present_rules, write_rules
from reboard.setup.wizard import all_steps, take
from reboard.table_config import StateConfig, describe, parse_config

STOP_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
SYSTEMD_S = 3.0
"""The longest wait for systemd."""


async def setup(file: Path) -> bool:
    """Set up the table of this machine; return whether the config *file* was written.

    On a signal, or when the terminal is closed, every device is closed first. Raises `ReboardError` and ``OSError``.
    """
    machine = Machine()
    _must_be_writable(file, machine.user)
    with closing(RaspberryPi()) as board, _cancelled_by_signals():
        try:
            return await set_up(file, StandardTerminal(), board, machine)
        except asyncio.CancelledError:
            raise ReboardError("the setup was stopped") from None


async def set_up(file: Path, terminal: Terminal, board: Board, machine: Machine) -> bool:
    """Set up a table on *board*; see `setup`."""
    prompts = Prompts(terminal)
    document, state = _present(file, prompts)
    await _must_be_alone(machine, state)
    prompts.say("Setup asks for each part and tries it. It writes the config at the end only.")
    prompts.say(HOW_TO_ANSWER)
    context = SetupContext(prompts, board, machine, Draft(document, present_rules(machine)), is_new=not document)
    try:
        await take([*all_steps(), partial(_write, file)], context)
    except Quit:
        prompts.show("\nNothing was written.")
        return False
    return True


@contextmanager
def _cancelled_by_signals() -> Iterator[None]:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)


def _must_be_writable(file: Path, user: str) -> None:
    existing = next(path for path in (file.absolute(), *file.absolute().parents) if path.exists())
    if not os.access(existing, os.W_OK):
        raise ReboardError(f"{user} may not write {file}: `sudo reboard setup`, or name another file with -c")


def _present(file: Path, prompts: Prompts) -> tuple[dict[str, Any], Path]:
    """Return the present config and its state directory. A config that cannot be used counts as none."""
    if not file.exists():
        return {}, StateConfig().directory
    try:
        document, lines = read_toml(file)
        config = parse_config(document, path=file, lines=lines)
    except ConfigError:
        prompts.say(f"The present config cannot be used (`reboard check -c {file}` says why). Setup starts without it.")
        return {}, state_directory(file)
    return document, config.state.directory


async def _must_be_alone(machine: Machine, state: Path) -> None:
    if await _has_service(machine) or await _has_table(machine.path(socket_path(state))):
        raise ReboardError(
            "a table is running, or safe mode, and uses the pins: `sudo systemctl stop reboard reboard-safe`, then "
            "start setup again"
        )


async def _has_service(machine: Machine) -> bool:
    try:
        units = await asyncio.wait_for(find_units(machine), SYSTEMD_S)
    except TimeoutError:
        return False
    return any(units[name].active not in ("inactive", "failed") for name in (TABLE, SAFE) if units and name in units)


async def _has_table(socket: Path) -> bool:
    try:
        table = await ControlClient.connect(socket)
    except NoTableError:
        return False
    except ControlSocketError:
        return True
    await table.close()
    return True


async def _write(file: Path, context: SetupContext) -> None:
    """Describe the config, and write it if the user agrees."""
    prompts, text = context.prompts, config_text(context.draft.document)
    try:
        config = parse_config(tomllib.loads(text), path=file, where="")
    except ConfigError as problem:
        prompts.show(f"\nNo table can play with this config:\n{problem}")
        raise Back from None
    prompts.show(f"\n{describe(config)}\n")
    if not await prompts.yes(f"Write this to {file}?"):
        raise Quit
    if kept := replace(file, text.encode()):
        prompts.say(f"The config before is kept as {kept}.")
    if context.draft.rules != present_rules(context.host):
        kept = await write_rules(context.host, context.draft.rules)
        before = f" The file before is kept as {kept}." if kept else ""
        prompts.say(f"The names of the readers are in {RULES}.{before}")
    prompts.say(
        f"{file} is written. `sudo systemctl restart reboard` plays with it, `reboard doctor` checks all of it."
    )


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add no arguments."""


def main(args: Namespace) -> bool:
    """Run the setup wizard; return whether it wrote the config."""
    return asyncio.run(setup(args.config))
