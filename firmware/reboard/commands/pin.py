"""``reboard pin``: print the config line with the hash of a PIN, for the host of the table page."""

from __future__ import annotations

import sys
from argparse import Namespace
from getpass import getpass

from reboard.config.host_pin import HostPin, is_pin
from reboard.errors import ReboardError


def main(args: Namespace) -> None:
    """Ask for a PIN and print the config line with its hash."""
    hash_pin()


def hash_pin() -> None:
    """Read a PIN and print the config line with its hash.

    At a terminal, ask for the PIN twice without showing it. Otherwise read it from standard input. Raises
    `ReboardError` if there is no valid PIN, or if the two PINs differ.
    """
    try:
        pin = HostPin.of(_asked() if sys.stdin and sys.stdin.isatty() else _piped())
    except ValueError as problem:
        raise ReboardError(f"{problem}") from None
    print(
        "Put this line into the section [page] of the config, and run `sudo systemctl restart reboard-page`:",
        file=sys.stderr,
    )
    print(f'pin = "{pin}"')


def _asked() -> str:
    try:
        pin = getpass("PIN: ")
        if is_pin(pin) and getpass("Repeat the PIN: ") != pin:
            raise ReboardError("the two PINs are different: try again")
    except EOFError:
        raise ReboardError("no PIN was entered: try again") from None
    return pin


def _piped() -> str:
    if sys.stdin is None:
        raise ReboardError("no PIN was entered, because standard input is closed: run the command in a terminal")
    return sys.stdin.buffer.readline(100).decode(errors="replace").strip()
