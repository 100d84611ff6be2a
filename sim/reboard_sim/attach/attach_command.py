"""The command ``reboard-sim attach``: the bench of a real table."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import closing
from getpass import getpass
from pathlib import Path

from reboard.config.host_pin import is_pin
from reboard.config.pins_and_ports import Listen
from reboard.errors import ReboardError
from reboard_sim.attach.attached_table import AttachedTable
from reboard_sim.attach.table_page_client import TablePageClient
from reboard_sim.bench.app import PageBeside, PageLink
from reboard_sim.bench.servers import BenchServer

PIN_VARIABLE = "REBOARD_PIN"
MOST_BYTES = 100


def attach(host: str, page_port: int, *, pin_file: Path | None, port: int, headless: bool) -> None:
    """Serve the bench of the table whose page is at *host* and *page_port*, until Ctrl-C.

    Raises `ReboardError` if there is no PIN, or if the table cannot be shown.
    """
    pin = _pin(host, pin_file)
    with closing(AttachedTable(TablePageClient(host, page_port, pin))) as table:
        page = Listen(host, page_port)
        link = PageLink(f"http://{page}/", page)
        server = BenchServer(table, port=port, table_page=PageBeside(link))
        print(f"The bench at {server.url} shows the table of {host}. Press Ctrl-C to stop it.", flush=True)
        if not headless:
            webbrowser.open(server.url)
        server.run()


def _pin(host: str, file: Path | None) -> str:
    """Return the host's PIN. It is never a command-line argument, because other users of this machine could read it."""
    if file:
        try:
            with file.open("rb") as opened:
                pin, source = opened.read(MOST_BYTES).decode("utf-8-sig", "replace").strip(), str(file)
        except OSError as error:
            raise ReboardError(f"--pin-file {file}: the PIN cannot be read: {error.strerror}. Check the path") from None
    elif PIN_VARIABLE in os.environ:
        pin, source = os.environ[PIN_VARIABLE].strip(), f"${PIN_VARIABLE}"
    elif sys.stdin and sys.stdin.isatty():
        try:
            pin, source = getpass(f"PIN of the host of {host}: "), "your input"
        except EOFError:
            raise ReboardError("no PIN was entered: try again") from None
    else:
        pin = sys.stdin.buffer.readline(MOST_BYTES).decode(errors="replace").strip() if sys.stdin else ""
        source = "standard input"
    if not is_pin(pin):
        raise ReboardError(f"{source} does not contain a PIN: the host's PIN has 4 to 12 digits")
    return pin
