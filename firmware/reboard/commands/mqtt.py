"""``reboard mqtt``: publish the table at an MQTT broker, and print the access list for the broker."""

from __future__ import annotations

import asyncio
import fcntl
import os
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from reboard.aiotools import cancelled_by_signals
from reboard.atomic_write import make_directory
from reboard.commands.parser import CommandParser, add_command
from reboard.config.mqtt import LONGEST_NAME, TABLE_NAME
from reboard.control.protocol import socket_path
from reboard.errors import ConfigError, MissingExtraError, StateError
from reboard.mqtt.acl import LONGEST_USER, access_list
from reboard.service.fallback_config import choose_config
from reboard.service.systemd import notify

CURSOR_NAME = "mqtt-cursor.json"
"""The name of the file that keeps which transfers the broker has."""


def add_arguments(parser: CommandParser, common: CommandParser) -> None:
    """Add the subcommand of ``reboard mqtt``. Without it, the bridge runs: the section ``[mqtt]`` has all settings."""
    command = add_command(
        parser.add_subparsers(metavar="[WHAT]", dest="what"),
        "acl",
        "print the access list for mosquitto, in which each user of the broker may do what it needs",
        common,
        examples=["reboard mqtt acl table-1 table-2 --hall hall --home-assistant homeassistant"],
    )
    command.add_argument("tables", metavar="TABLE", nargs="+", type=_table, help="a table, whose user has its name")
    for option, who in (
        ("--hall", "shows all tables"),
        ("--home-assistant", "is Home Assistant's"),
        ("--organiser", "sends requests to tables"),
    ):
        text = f"a user who {who}; can be given more than once"
        command.add_argument(option, metavar="USER", action="append", default=[], type=_user, help=text)


def main(args: Namespace) -> None:
    """Print the access list, or run the bridge until SIGTERM or SIGINT.

    Raises `ConfigError` if the config has no section ``[mqtt]``, `MissingExtraError` if the library is missing, and
    `StateError` if another bridge uses the same cursor.
    """
    if args.what == "acl":
        _print_access_list(args)
        return
    config = choose_config(args.config).config
    mqtt = config.mqtt
    if mqtt is None:
        raise ConfigError(
            f'{args.config}: there is no section [mqtt]. Add one with the broker\'s address: broker = "192.168.1.10"'
        )
    try:
        from reboard.mqtt.bridge import Bridge
        from reboard.mqtt.discovery import Discovery
    except ModuleNotFoundError as missing:
        raise MissingExtraError("the bridge", "mqtt", missing, package="python3-paho-mqtt") from None
    # systemd names the service's own directory
    state = Path(os.environ.get("STATE_DIRECTORY") or config.state.directory)

    socket, language = socket_path(config.state.directory), config.language
    discovery = Discovery(mqtt.table_name, config.sections, language) if mqtt.discovery else None

    async def run() -> None:
        notify("READY=1")
        with suppress(asyncio.CancelledError), cancelled_by_signals():
            await Bridge(socket, mqtt, state / CURSOR_NAME, discovery, language).run()

    with _locked(state / CURSOR_NAME):
        asyncio.run(run())


@contextmanager
def _locked(cursor: Path) -> Iterator[None]:
    """Hold the lock of the file *cursor*. Raises `StateError` if another bridge holds it."""
    with ExitStack() as held:
        try:
            make_directory(cursor.parent)
            lock = held.enter_context(Path(f"{cursor}-lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError(
                f"another bridge uses {cursor}, and two bridges of one table would disconnect each other at the "
                "broker: stop the other one, for example with `sudo systemctl stop reboard-mqtt`"
            ) from None
        except OSError:
            pass  # the bridge reports that it cannot write its cursor there, and works without
        yield


def _print_access_list(args: Namespace) -> None:
    others = [*args.hall, *args.home_assistant, *args.organiser]
    if both := set(args.tables) & set(others):
        raise ConfigError(f"{min(both)} is a table, and another user too: give that user another name")
    lists = {"halls": args.hall, "home_assistants": args.home_assistant, "organisers": args.organiser}
    print(access_list(args.tables, **lists), end="")


def _table(name: str) -> str:
    if not TABLE_NAME.fullmatch(name):
        raise ArgumentTypeError(f'{name!r} is not a name of 1 to {LONGEST_NAME} of a to z, 0 to 9, "-" and "_"')
    return name


def _user(name: str) -> str:
    if not name or not name.isprintable() or name != name.strip() or len(name) > LONGEST_USER or set("+#/") & set(name):
        raise ArgumentTypeError(f"{name!r} is not a user of 1 to {LONGEST_USER} characters, without +, # and /")
    return name
