"""``reboard setup``: ask at the terminal what is wired where, try it, and write the config."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from reboard.board import Board
from reboard.commands.describe import describe
from reboard.config import StateConfig, parse_config
from reboard.door.client import DoorClient
from reboard.door.words import door_path
from reboard.durable import write_safely
from reboard.errors import ConfigError, DoorError, NoTableError, ReboardError
from reboard.machine import Machine
from reboard.raspberry_pi import RaspberryPi
from reboard.settings.reading import read_toml
from reboard.setup.config_text import config_text
from reboard.setup.draft import Draft
from reboard.setup.talk import HOW_TO_ANSWER, Back, Quit, Talk, Terminal
from reboard.setup.terminal import StandardTerminal
from reboard.setup.udev import RULES, present_rules, write_rules
from reboard.setup.visit import Visit
from reboard.setup.walk import PARTS, walk


async def setup(file: Path) -> bool:
    """Set this machine's table up; whether the config *file* was written. Raises `ReboardError` and ``OSError``."""
    machine = Machine()
    _must_be_allowed(file, machine.user)
    with closing(RaspberryPi()) as board:
        return await set_up(file, StandardTerminal(), board, machine)


async def set_up(file: Path, terminal: Terminal, board: Board, machine: Machine) -> bool:
    """Set a table up on *board*; see `setup`."""
    talk = Talk(terminal)
    document = _present(file, talk)
    await _must_be_alone(machine, document)
    talk.say("Each part is asked for and tried. The config is written at the end, and not before.")
    talk.say(HOW_TO_ANSWER)
    visit = Visit(talk, board, machine, Draft(document, present_rules(machine)), is_new=not document)
    try:
        await walk(visit, (*PARTS, partial(_write, file)))
    except Quit:
        talk.say("\nNothing was written.")
        return False
    return True


def _must_be_allowed(file: Path, user: str) -> None:
    there = next(path for path in (file.absolute(), *file.absolute().parents) if path.exists())
    if not os.access(there, os.W_OK):
        raise ReboardError(f"{user} may not write {file}: `sudo reboard setup`, or name another file with -c")


def _present(file: Path, talk: Talk) -> dict[str, Any]:
    """What the config says now, to begin with; nothing when there is none that can be used."""
    if not file.exists():
        return {}
    try:
        document, lines = read_toml(file)
        parse_config(document, path=file, lines=lines)
    except ConfigError:
        talk.say(f"The present config cannot be used (`reboard check -c {file}` tells why): beginning with none.")
        return {}
    return document


async def _must_be_alone(machine: Machine, document: Mapping[str, Any]) -> None:
    state = Path(document.get("state", {}).get("directory", StateConfig().directory))
    try:
        table = await DoorClient.connect(machine.path(door_path(state)))
    except NoTableError:
        return
    except DoorError:
        pass
    else:
        await table.close()
    raise ReboardError("a table is at work, and has the pins: `sudo systemctl stop reboard`, and begin again")


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
    if aside := _replace(file, text.encode()):
        talk.say(f"The config that was there is kept as {aside}.")
    if visit.draft.rules != present_rules(visit.machine):
        await write_rules(visit.machine, visit.draft.rules)
        talk.say(f"The readers' names stand in {RULES}.")
    talk.say(f"{file} is written. `sudo systemctl restart reboard` plays with it, `reboard doctor` looks at all of it.")


def _replace(file: Path, content: bytes) -> Path | None:
    """Write the config; where the one before it is kept, if there was another."""
    aside = None
    if file.exists() and file.read_bytes() != content:
        aside = _free_name(file)
        shutil.copy2(file, aside)
    write_safely(file, content)
    return aside


def _free_name(file: Path) -> Path:
    names = (file.with_name(f"{file.name}.before-setup{number}") for number in ("", *range(2, 1000)))
    return next(name for name in names if not name.exists())
