"""``reboard completion``: print the completion file of a shell."""

from __future__ import annotations

import argparse
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from reboard.errors import MissingExtraError

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard completion``."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def main(args: Namespace) -> None:
    """Print the completion file. Raises `MissingExtraError` if shtab is missing."""
    print(completion(args.make_parser(), args.shell))


def completion(parser: ArgumentParser, shell: str) -> str:
    """Return the file that completes the command line of *parser* in *shell*, one of `SHELLS`.

    Raises `MissingExtraError` if shtab is missing, which makes the files for bash and zsh.
    """
    if shell == "fish":
        return "\n".join([f"complete -c {parser.prog} -f", *_fish_lines(parser)])
    try:
        import shtab
    except ModuleNotFoundError as missing:
        raise MissingExtraError("completion", "completion", missing, package="python3-shtab") from None
    _name_files(parser)
    return str(shtab.complete(parser, shell))


PATHS = {"FILE": "file", "DIR": "directory"}
"""The kind of path that an argument takes, by its metavar, as shtab calls it."""


def _name_files(parser: ArgumentParser) -> None:
    for action in parser._actions:
        if action.metavar in PATHS:
            action.complete = PATHS[str(action.metavar)]  # type: ignore[attr-defined]
    for commands in _commands(parser):
        for command in commands.choices.values():
            _name_files(command)


def _commands(parser: ArgumentParser) -> list[argparse._SubParsersAction[ArgumentParser]]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _fish_lines(parser: ArgumentParser, above: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield a line for each option, argument and command of *parser*, which is below the commands *above*."""
    names = {entry.dest: entry.help or "" for commands in _commands(parser) for entry in commands._get_subactions()}
    # a line holds after the commands above it, and before those beside it
    seen = [f"__fish_seen_subcommand_from {name}" for name in above]
    seen += [f"not __fish_seen_subcommand_from {' '.join(names)}"] if names else []
    here = f"complete -c {parser.prog.split()[0]}" + (f" -n {_quoted('; and '.join(seen))}" if seen else "")
    for action in parser._actions:
        options = [f"-s {name[1:]}" if name[1] != "-" else f"-l {name[2:]}" for name in action.option_strings]
        if action.nargs == 0:
            value = ""
        elif action.metavar in PATHS:
            value = " -r -F"
        elif action.choices:
            value = f" -x -a {_quoted(' '.join(map(str, action.choices)))}"
        else:
            value = " -x"
        if options:
            yield f"{here} {' '.join(options)}{value} -d {_quoted(action.help or '')}"
        elif value != " -x" and not isinstance(action, argparse._SubParsersAction):
            yield here + value
    for commands in _commands(parser):
        for name, text in names.items():
            yield f"{here} -a {name} -d {_quoted(text)}"
            yield from _fish_lines(commands.choices[name], (*above, name))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
