"""``reboard run``: the table of this machine's config, on this machine's pins, behind its door."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path

from reboard.board import Board
from reboard.commands.event_lines import event_lines
from reboard.door.server import TableDoor
from reboard.door.words import SOCKET_NAME, door_path
from reboard.durable import make_directory
from reboard.errors import StateError
from reboard.failed_starts import paused_after_failures
from reboard.last_good import ChosenConfig, choose_config, read_config
from reboard.motor_pins import write_running_pin
from reboard.raspberry_pi import RaspberryPi
from reboard.service import daemon, serve
from reboard.service_manager import runtime_directory, watchdog_s
from reboard.settings.state_directory import USUAL_STATE_DIRECTORY
from reboard.table import Table


async def run(config_file: Path, *, as_json: bool) -> None:
    """Be the table until a signal; *as_json* writes every event on standard output.

    Raises `ConfigError` when there is no config to play with, `DoorError` when another table is at work, `PartError`
    when the machine's pins cannot be used, and `GivenUpError` when it failed too often. A state directory that cannot
    be written to is a fault of the bank; everything else plays.
    """
    chosen = choose_config(config_file)
    await daemon(partial(_live, config_file, chosen, as_json))


async def _live(config_file: Path, chosen: ChosenConfig, as_json: bool, to_reload: asyncio.Event) -> None:
    async with paused_after_failures(runtime_directory()):
        with closing(RaspberryPi(guards_motor=watchdog_s() is None)) as board:
            while True:
                chosen = await _play(config_file, chosen, board, to_reload, as_json=as_json)


async def _play(
    config_file: Path, chosen: ChosenConfig, board: Board, to_reload: asyncio.Event, *, as_json: bool
) -> ChosenConfig:
    """Be one table, until the file has another good config."""
    state = chosen.config.state.directory
    if runtime_directory():
        apple = chosen.config.apple
        write_running_pin(apple.motor if apple else None, config_file)
    table = Table(chosen.config, board)
    door = TableDoor(table, door_path(state), also_at=state / SOCKET_NAME)
    with event_lines(table.events) if as_json else nullcontext():
        if chosen.problem:
            table.events.emit("fault", part="config", cause=chosen.problem)
        reread = partial(_reread, config_file, state)
        return await serve(table, door, keep=chosen.keep, to_reload=to_reload, reread=reread)


def _reread(config_file: Path, state: Path) -> ChosenConfig:
    """The new config. Raises `StateError` when it moves the ledger from *state* to where it cannot be kept."""
    chosen = read_config(config_file)
    if chosen.config.state.directory != state:
        _make_usable(chosen.config.state.directory)
    return chosen


def _make_usable(state: Path) -> None:
    try:
        make_directory(state)
        why = "" if os.access(state, os.R_OK | os.W_OK | os.X_OK) else "you may not write there"
    except OSError as error:
        why = error.strerror or str(error)
    if why and runtime_directory() and state != USUAL_STATE_DIRECTORY:
        raise StateError(
            f"the ledger cannot be kept in {state}: {why}. The service may write to {USUAL_STATE_DIRECTORY} only, and "
            "sees nothing in /home: `sudo systemctl edit reboard`, with the lines [Service] and "
            f"ReadWritePaths={state}, lets it"
        )
    if why:
        raise StateError(
            f"the ledger cannot be kept in {state}: {why}. Make that directory yours with `sudo install -d -o $USER "
            f"{state}`, or name another one in the config, as [state] directory"
        )
