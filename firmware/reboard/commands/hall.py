"""``reboard hall``: show all tables that an MQTT broker knows."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from reboard.commands.output import named_path
from reboard.config.kinds import Whole
from reboard.config.mqtt import PORT, SYSTEM, TLS_PORT, BrokerAddress, broker_host
from reboard.config.pins_and_ports import Listen, host_name, listen
from reboard.config.reading import KeyPath, Reading
from reboard.errors import MissingExtraError
from reboard.hall.removal import bring_back_table, forget_player, remove_table

HOME_STORE = ".local/share/reboard/hall.sqlite"
"""The path of the default store in the user's home."""
DEFAULT_LISTEN = "127.0.0.1:8090"


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard hall``."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--broker", metavar="HOST", help="the address or name of the MQTT broker")
    what.add_argument(
        "--remove",
        metavar="TABLE",
        help="delete a table's games from the store, and ignore the table from now on; the hall may be running",
    )
    what.add_argument("--bring-back", metavar="TABLE", help="show a removed table again, which sends its games again")
    what.add_argument("--forget", metavar="PLAYER", help="delete a player's name from the store; the games stay")
    parser.add_argument("--port", type=int, help=f"the broker's port (default: {PORT}, or {TLS_PORT} with --ca)")
    parser.add_argument("--user", help="the hall's user at the broker")
    parser.add_argument("--password-file", type=named_path, metavar="FILE", help="a file with that user's password")
    parser.add_argument(
        "--ca",
        metavar="FILE",
        help=f"connect with TLS, and trust this certificate authority ({SYSTEM}: this machine's)",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default=DEFAULT_LISTEN,
        help="the address and port of the page (default: %(default)s)",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="another host name of the page, such as that of a reverse proxy; can be used several times",
    )
    parser.add_argument(
        "--store", type=named_path, metavar="FILE",
        help=f"the file in which the hall keeps what it has seen (default: ~/{HOME_STORE})",
    )  # fmt: skip


def main(args: Namespace) -> None:
    """Serve the hall's page until SIGTERM or SIGINT, or change its store: a table or a player's name.

    Raises `MissingExtraError` if a library is missing, and `StoreError`.
    """
    directory = os.environ.get("STATE_DIRECTORY")  # systemd's
    file = args.store or (Path(directory) / Path(HOME_STORE).name if directory else Path.home() / HOME_STORE)
    if args.remove:
        games = remove_table(file, args.remove)
        print(f"{args.remove} was removed with {games} games. `reboard hall --bring-back {args.remove}` undoes this.")
        return
    if args.bring_back:
        bring_back_table(file, args.bring_back)
        print(f"{args.bring_back} appears again when it sends something.")
        return
    if args.forget:
        print(f"{args.forget} was deleted from {forget_player(file, args.forget)} games.")
        return
    command_line = Reading(Path("command line"))
    where, address = command_line.read(_places, args)
    names = command_line.read(
        lambda reading, _, names: [host_name(reading, ("--name",), each) for each in names], args.name
    )
    try:
        from reboard.hall.hall_page import serve_hall
    except ModuleNotFoundError as missing:
        raise MissingExtraError("the hall", "page,mqtt", missing) from None
    serve_hall(file, address, where.host, where.port, names=names)


def _places(reading: Reading, _: KeyPath, args: Any, /) -> tuple[Listen, BrokerAddress]:
    """Read the address of the page, and that of the broker."""
    if (args.user is None) != (args.password_file is None):
        raise reading.wrong((), "--user and --password-file belong together: add the other one")
    port = args.port
    if port is not None:
        Whole(1, 65_535)(reading, ("--port",), port)
    host = broker_host(reading, ("--broker",), args.broker)
    port = port or (TLS_PORT if args.ca else PORT)
    return listen(reading, ("--listen",), args.listen), BrokerAddress(
        host, port, args.ca, args.user, args.password_file
    )
