"""``reboard run``: run the table on this machine's pins, with its control socket."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

if "asyncio" not in sys.modules:

    class _LoadedWhenUsed(ModuleType):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.__spec__ = ModuleSpec(name, None)  # `importlib.util.find_spec` looks here, as `import` does

        def __getattr__(self, name: str) -> Any:
            if sys.modules.get(self.__name__) is self:  # another thread may be faster
                sys.modules.pop(self.__name__, None)
            return getattr(import_module(self.__name__), name)

    # asyncio imports OpenSSL, which takes 6 ms and 5 MB of each start. Only a plug-in may use it.
    for _name in ("ssl", "asyncio.sslproto"):
        sys.modules[_name] = _LoadedWhenUsed(_name)

import asyncio
import faulthandler
import gc
import os
from argparse import ArgumentParser, Namespace
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path

from reboard.accessories.installed import is_plug_in
from reboard.atomic_write import make_directory
from reboard.board import Board, runtime_directory
from reboard.commands.output import event_lines
from reboard.config.reading import DEFAULT_STATE_DIRECTORY
from reboard.control.protocol import SOCKET_NAME, socket_path
from reboard.control.socket_server import ControlSocket
from reboard.devices.motor import MOTOR
from reboard.errors import StateError
from reboard.events import Fault
from reboard.raspberry_pi import RaspberryPi
from reboard.service import table_loop
from reboard.service.daemon import daemon, serve
from reboard.service.fallback_config import ChosenConfig, choose_config, read_config
from reboard.service.interrupted_restore import must_be_restored
from reboard.service.motor_off import write_running_pins
from reboard.service.systemd import paused_after_failures, watchdog_s
from reboard.service.table_loop import TableLoop, watched
from reboard.table import Table


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard run``."""
    parser.add_argument("--json", action="store_true", help="print every event as a line of JSON")


def main(args: Namespace) -> None:
    """Run the table of the config until a signal stops it."""
    # systemd sends SIGABRT to a process that does not notify the watchdog; this prints the event loop's stack. The
    # stacks of other threads can change while they are read, which has crashed the dump.
    faulthandler.enable(all_threads=False)
    gc.disable()  # a start makes no garbage. See `_started`
    table_loop.run(run(args.config, as_json=args.json), TableLoop())


async def run(config_file: Path, *, as_json: bool) -> None:
    """Run the table until a signal stops it. With *as_json*, print every event as a line of JSON.

    Raises `ConfigError` if there is no usable config or a restore is half done, `ControlSocketError` if another table
    is running or a required control socket cannot be created, `DeviceError` if the pins cannot be used, and
    `GivenUpError` after too many failures. If the state directory is not writable, no exception is raised, but the
    banker unit reports a fault.
    """
    must_be_restored(config_file)
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
    """Run one table until a reload finds a valid config. Return that config."""
    state = chosen.config.state.directory
    if runtime_directory():
        pins = [pin for device in chosen.config.devices(MOTOR.name) for pin in device.pins().values()]
        write_running_pins(pins, config_file)
    table = Table(chosen.config, board)
    back_up = partial(_backed_up, config_file)
    control_socket = ControlSocket(table, socket_path(state), also_at=state / SOCKET_NAME, back_up=back_up)
    with _watched(table), event_lines(table.events) if as_json else nullcontext():
        if chosen.problem:
            table.events.emit(Fault("config", chosen.problem))
        reread = partial(_reread, config_file, state)
        return await serve(table, control_socket, keep=partial(_started, chosen), to_reload=to_reload, reread=reread)


def _backed_up(config_file: Path) -> bytes:
    from reboard.backup_file.making import make_backup  # most tables never make one

    return make_backup(config_file).packed()


def _started(chosen: ChosenConfig) -> None:
    chosen.keep()
    if not gc.isenabled():
        gc.freeze()  # what the table has made so far stays, so no collection needs to look at it
        gc.enable()


def _watched(table: Table) -> AbstractContextManager[None]:
    loop = asyncio.get_running_loop()
    config = table.config
    has_plug_in = any(is_plug_in(config.accessory(name)) for name in config.sections)
    # the watch wakes the processor each second, and names nothing but plug-ins
    if has_plug_in and isinstance(loop, TableLoop):
        return watched(loop, loop.selector, table.blame)
    return nullcontext()


def _reread(config_file: Path, state: Path) -> ChosenConfig:
    """Read the config file again and return the config.

    Raises `ConfigError` if the file is invalid, and `StateError` if it sets an unusable new state directory.
    """
    chosen = read_config(config_file)
    if chosen.config.state.directory != state:
        _make_usable(chosen.config.state.directory)
    return chosen


def _make_usable(state: Path) -> None:
    try:
        make_directory(state)
        why = "" if os.access(state, os.R_OK | os.W_OK | os.X_OK) else "this user has no permission to write there"
    except OSError as error:
        why = error.strerror or str(error)
    if why and runtime_directory() and state != DEFAULT_STATE_DIRECTORY:
        raise StateError(
            f"the ledger cannot be stored in {state}: {why}. The service can write only to {DEFAULT_STATE_DIRECTORY}. "
            f"To use another directory outside /home, run `sudo install -d -o reboard -g reboard {state}` and "
            f"`sudo systemctl edit reboard`, add the lines [Service] and ReadWritePaths={state}, then run "
            "`sudo systemctl restart reboard`"
        )
    if why:
        raise StateError(
            f"the ledger cannot be stored in {state}: {why}. Run `sudo install -d -o $USER {state}`, or set "
            "`directory` in [state] to another directory"
        )
