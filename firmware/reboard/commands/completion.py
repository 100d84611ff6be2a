"""``reboard completion``: print the completion file of a shell."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace

from reboard.errors import MissingExtraError, ReboardError

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard completion``."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def main(args: Namespace) -> None:
    """Print the completion file. Raises `MissingExtraError` if shtab is missing."""
    print(completion(args.make_parser(), args.shell))


def completion(parser: ArgumentParser, shell: str) -> str:
    """Return the file that completes the command line of *parser* in *shell*, one of `SHELLS`.

    Raises `MissingExtraError` if shtab is missing, and `ReboardError` if it is too old for the shell.
    """
    try:
        import shtab
    except ModuleNotFoundError as missing:
        raise MissingExtraError("completion", "completion", missing, package="python3-shtab") from None
    _name_files(parser)
    try:
        return str(shtab.complete(parser, shell))
    except NotImplementedError:
        # Debian trixie's
        what = f"the installed shtab {shtab.__version__} does not know {shell}"
        raise ReboardError(f"{what}: install shtab 1.9 or newer. The Debian package has the file already") from None


PATHS = {"FILE": "file", "DIR": "directory"}
"""The kind of path that an argument takes, by its metavar, as shtab calls it."""


def _name_files(parser: ArgumentParser) -> None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _name_files(command)
        elif action.metavar in PATHS:
            action.complete = PATHS[str(action.metavar)]  # type: ignore[attr-defined]
