"""``reboard page``: serve the table page."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from reboard.config.pins_and_ports import listen
from reboard.config.reading import Reading
from reboard.control.protocol import socket_path
from reboard.errors import MissingExtraError
from reboard.service.fallback_config import choose_config
from reboard.table_config import PageConfig


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard page``."""
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help="the address and port of the page (default: those in the config)"
    )


def main(args: Namespace) -> None:
    """Serve the table page until SIGTERM or SIGINT. Raises `MissingExtraError` if the web server is missing."""
    config = choose_config(args.config).config
    page = config.page or PageConfig()
    where = page.listen
    if args.listen is not None:
        command_line = Reading(Path("command line"))
        where = command_line.read(lambda reading, _, text: listen(reading, ("--listen",), text), args.listen)
    try:
        from reboard.web.table_page import serve_page
    except ModuleNotFoundError as missing:
        raise MissingExtraError("the table page", "page", missing) from None
    serve_page(socket_path(config.state.directory), where.host, where.port, page=page)
