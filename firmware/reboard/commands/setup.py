"""``reboard setup``: ask at the terminal what is wired where, try it, and write the config."""

from __future__ import annotations

import asyncio
import os
import signal
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from reboard.board import Board, ReportMotor
from reboard.commands.describe import describe
from reboard.config import StateConfig, parse_config
from reboard.doctor.units import SAFE, TABLE, look_up_units
from reboard.door.client import DoorClient
from reboard.door.words import door_path
from reboard.errors import ConfigError, DoorError, NoTableError, ReboardError
from reboard.machine import Machine
from reboard.motor_guard import guarded
from reboard.raspberry_pi import RaspberryPi
from reboard.settings.reading import read_toml
from reboard.settings.state_directory import state_directory
from reboard.setup.config_text import config_text
from reboard.setup.draft import Draft
from reboard.setup.kept_aside import replace
from reboard.setup.talk import HOW_TO_ANSWER, Back, Quit, Talk, Terminal
from reboard.setup.terminal import StandardTerminal
from reboard.setup.udev import RULES, present_rules, write_rules
from reboard.setup.visit import Visit
from reboard.setup.walk import PARTS, walk

STOP_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
ASKING_S = 3.0
"""How long systemd has to answer."""

Guard = Callable[[int], AbstractAsyncContextManager[ReportMotor]]


async def setup(file: Path) -> bool:
    """Set this machine's table up; whether the config *file* was written.

    A signal, or a terminal that is closed, ends it as Ctrl-C does: every part is let go first. Raises `ReboardError`
    and ``OSError``.
    """
    machine = Machine()
    _must_be_allowed(file, machine.user)
    with closing(RaspberryPi()) as board, _called_off_by_signals():
        try:
            return await set_up(file, StandardTerminal(), board, machine)
        except asyncio.CancelledError:
            raise ReboardError("the setup was stopped") from None


async def set_up(file: Path, terminal: Terminal, board: Board, machine: Machine, guard: Guard = guarded) -> bool:
    """Set a table up on *board*, with a *guard* behind its motor; see `setup`."""
    talk = Talk(terminal)
    document, state = _present(file, talk)
    await _must_be_alone(machine, state)
    talk.say("Each part is asked for and tried. The config is written at the end, and not before.")
    talk.say(HOW_TO_ANSWER)
    visit = Visit(talk, board, machine, Draft(document, present_rules(machine)), guard, is_new=not document)
    try:
        await walk(visit, (*PARTS, partial(_write, file)))
    except Quit:
        talk.say("\nNothing was written.")
        return False
    return True


@contextmanager
def _called_off_by_signals() -> Iterator[None]:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)


def _must_be_allowed(file: Path, user: str) -> None:
    there = next(path for path in (file.absolute(), *file.absolute().parents) if path.exists())
    if not os.access(there, os.W_OK):
        raise ReboardError(f"{user} may not write {file}: `sudo reboard setup`, or name another file with -c")


def _present(file: Path, talk: Talk) -> tuple[dict[str, Any], Path]:
    """What the config says now, to begin with, and where its table keeps its state.

    It is nothing when there is none that can be used.
    """
    if not file.exists():
        return {}, StateConfig().directory
    try:
        document, lines = read_toml(file)
        config = parse_config(document, path=file, lines=lines)
    except ConfigError:
        talk.say(f"The present config cannot be used (`reboard check -c {file}` tells why): beginning with none.")
        return {}, state_directory(file)
    return document, config.state.directory


async def _must_be_alone(machine: Machine, state: Path) -> None:
    """Raises `ReboardError` when somebody else has the pins, or will have them in a moment."""
    if await _has_service(machine) or await _has_table(machine.path(door_path(state))):
        raise ReboardError(
            "a table is at work, or safe mode is in its place, and has the pins: "
            "`sudo systemctl stop reboard reboard-safe`, and begin again"
        )


async def _has_service(machine: Machine) -> bool:
    try:
        units = await asyncio.wait_for(look_up_units(machine), ASKING_S)
    except TimeoutError:
        return False
    return any(units[name].active not in ("inactive", "failed") for name in (TABLE, SAFE) if units and name in units)


async def _has_table(door: Path) -> bool:
    try:
        table = await DoorClient.connect(door)
    except NoTableError:
        return False
    except DoorError:
        return True
    await table.close()
    return True


async def _write(file: Path, visit: Visit) -> None:
    """The last step: show what the config means, and write it."""
    talk, text = visit.talk, config_text(visit.draft.document)
    try:
        config = parse_config(tomllib.loads(text), path=file, where="")
    except ConfigError as problem:
        talk.show(f"\nThat cannot be played with:\n{problem}")
        raise Back from None
    talk.show(f"\n{describe(config)}\n")
    if not await talk.yes(f"Write this to {file}?"):
        raise Quit
    if aside := replace(file, text.encode()):
        talk.say(f"The config that was there is kept as {aside}.")
    if visit.draft.rules != present_rules(visit.machine):
        aside = await write_rules(visit.machine, visit.draft.rules)
        kept = f" What stood there before is kept as {aside}." if aside else ""
        talk.say(f"The readers' names stand in {RULES}.{kept}")
    talk.say(f"{file} is written. `sudo systemctl restart reboard` plays with it, `reboard doctor` looks at all of it.")
