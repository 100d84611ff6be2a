"""``reboard run``: the table of this machine's config, on this machine's pins, behind its door."""

from __future__ import annotations

from contextlib import closing, nullcontext
from pathlib import Path

from reboard.commands.event_lines import event_lines
from reboard.door.server import TableDoor
from reboard.door.words import SOCKET_NAME, door_path
from reboard.last_good import choose_config
from reboard.raspberry_pi import RaspberryPi
from reboard.service import serve
from reboard.table import Table


async def run(config_file: Path, *, as_json: bool) -> None:
    """Be the table until a signal; *as_json* writes every event on standard output.

    Raises `ConfigError` when there is no config to play with, `DoorError` when another table is at work, and
    `PartError` when the machine's pins cannot be used.
    """
    chosen = choose_config(config_file)
    state = chosen.config.state.directory
    with closing(RaspberryPi()) as board:
        table = Table(chosen.config, board)
        door = TableDoor(table, door_path(state), also_at=state / SOCKET_NAME)
        with event_lines(table.events) if as_json else nullcontext():
            if chosen.problem:
                table.events.emit("fault", part="config", cause=chosen.problem)
            await serve(table, door, keep=chosen.keep)
