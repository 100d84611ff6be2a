"""The `reboard` command, which imports only the module of the requested subcommand."""

from __future__ import annotations

import argparse
import errno
import gc
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from reboard.commands.output import as_error, log_handler, named_path, standard_output
from reboard.commands.parser import EXIT_CODES, CommandParser, add_command
from reboard.config.reading import DEFAULT_CONFIG
from reboard.errors import ConfigError, GivenUpError, ReboardError
from reboard.version import build

OK = 0
FAILED = 1
USAGE_ERROR = 2
"""The exit code for an invalid config or command line. A retry would fail, too."""
GIVEN_UP = 3
"""The exit code of ``reboard run`` for a table that failed too often."""


class Command(NamedTuple):
    """A subcommand. A command without *group* is not in the help."""

    group: str
    text: str
    examples: Sequence[str]
    exit_codes: Sequence[str] = EXIT_CODES


PLAY, SET_UP, LOOK, EXTEND, SERVICE, INTERNAL = "Play", "Set up", "Look", "Extend", "Service", ""

COMMANDS: Mapping[str, Command] = {
    "ledger": Command(
        PLAY,
        "show, verify, export or correct the ledger",
        ["sudo reboard ledger show", "sudo reboard ledger export --game 3 > game-3.csv"],
    ),
    "backup": Command(
        PLAY,
        "write config, games, own sounds and names into one file, while the table plays",
        ["sudo reboard backup table.backup"],
    ),
    "restore": Command(
        PLAY,
        "continue the game of a backup file, here or on a new memory card",
        ["sudo reboard restore table.backup", "sudo reboard restore"],
    ),
    "cards": Command(
        PLAY,
        "write a PDF with player cards to print",
        ["reboard cards", "reboard cards mine.pdf --paper letter --count 4"],
    ),
    "sounds": Command(
        PLAY, "list, play or export the sounds", ["reboard sounds play coin", "reboard sounds write my-sounds"]
    ),
    "setup": Command(
        SET_UP,
        "ask which devices are connected and where, try them, and write the config",
        ["sudo reboard setup", "sudo reboard setup boot"],
    ),
    "pin": Command(
        SET_UP, "print the config line that sets the host's PIN", ["reboard pin", "echo 2580 | reboard pin"]
    ),
    "completion": Command(
        SET_UP,
        "print the file that lets a shell complete commands and options",
        [
            "reboard completion bash > ~/.local/share/bash-completion/completions/reboard",
            "reboard completion fish > ~/.config/fish/completions/reboard.fish",
        ],
    ),
    "doctor": Command(
        LOOK,
        "check this machine and the running table, and say what to do about each fault",
        ["sudo reboard doctor", "reboard doctor --json | jq .well"],
    ),
    "check": Command(
        LOOK, "check the config and show what it means", ["reboard check", "reboard check --electrical -c table.toml"]
    ),
    "wiring": Command(LOOK, "list or draw the connections", ["reboard wiring", "reboard wiring --svg wiring.svg"]),
    "new-accessory": Command(
        EXTEND,
        "write a package for an accessory of your own",
        ["reboard new-accessory scoring_buzzer", "reboard new-accessory turn_timer ~/turn-timer"],
    ),
    "run": Command(
        SERVICE,
        "run the table in the foreground",
        ["reboard run -c table.toml", "GPIOZERO_PIN_FACTORY=mock reboard run --json -c table.toml"],
        [
            "0  the table was stopped",
            "1  it failed",
            EXIT_CODES[2],
            "3  the table failed too often, and systemd must not start it again",
        ],
    ),
    "page": Command(SERVICE, "serve the table page", ["reboard page", "reboard page --listen 0.0.0.0:8080"]),
    "mqtt": Command(
        SERVICE,
        "publish the table at an MQTT broker, or print an access list for the broker",
        ["reboard mqtt", "reboard mqtt acl table-1 table-2 --hall hall"],
    ),
    "hall": Command(
        SERVICE,
        "show all tables of a room, and a tournament's standings",
        [
            "reboard hall --broker 192.168.1.10 --listen 0.0.0.0:8090",
            "reboard hall --broker club.local --ca system --user hall --password-file ~/hall-password",
        ],
    ),
    "motor-off": Command(INTERNAL, "switch every motor off while no table is running", ["sudo reboard motor-off"]),
    "safe-mode": Command(
        INTERNAL,
        "keep the motors off, and signal with the lamp and a sound that the table failed",
        ["sudo reboard safe-mode"],
    ),
}
"""The subcommands, keyed by name, in the order of the help."""


def _module(name: str) -> ModuleType:
    """Return the module of a subcommand. It has ``main``, and ``add_arguments`` if there are any."""
    return import_module(f"reboard.{'commands' if COMMANDS[name].group else 'service'}.{name.replace('-', '_')}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code. Print an error as one message on standard error."""
    try:
        with standard_output():
            is_ok = _run(sys.argv[1:] if arguments is None else arguments)
    except ConfigError as error:
        # its lines begin with file and line number, as editors understand them
        print(as_error(str(error)), file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        return FAILED
    except GivenUpError as error:
        return _failed(error, GIVEN_UP)
    except (ReboardError, OSError) as error:
        return _failed(error, FAILED)
    except KeyboardInterrupt:
        return _failed("stopped", FAILED)
    except Exception as error:
        logging.getLogger(__name__).debug("traceback:", exc_info=True)
        name = type(error).__name__
        return _failed(f"this is a bug ({name}: {error}); please report it with the traceback from --verbose", FAILED)
    return FAILED if is_ok is False else OK


def _run(arguments: Sequence[str]) -> bool | None:
    gc.disable()  # imports make no garbage
    try:
        parser = make_parser(arguments)
    finally:
        gc.enable()
    if not arguments:
        parser.exit(USAGE_ERROR, parser.format_help())
    args = parser.parse_args(arguments)
    level = logging.DEBUG if args.verbose else logging.INFO
    logging.basicConfig(level=level, format="%(message)s", handlers=[log_handler()], force=True)
    is_ok: bool | None = _module(args.command).main(args)
    return is_ok


def make_parser(arguments: Sequence[str] | None = None) -> CommandParser:
    """Return the parser for *arguments*, by default with the options of every subcommand, for a manual page.

    Only the subcommands in *arguments* are imported, and have their options. If *arguments* begin with a subcommand,
    the parser has no other one, because each takes 0.2 ms.
    """
    imported = COMMANDS if arguments is None else arguments
    first = arguments[0] if arguments and arguments[0] in COMMANDS else None
    parser = CommandParser(
        prog="reboard",
        description="New electronics for old board games.",
        examples=["sudo reboard setup", "sudo reboard doctor", "sudo reboard ledger show"],
        exit_codes=[*EXIT_CODES, f"{GIVEN_UP}  the table of `reboard run` failed too often"],
        more="`reboard COMMAND --help` shows the options and examples of a command.",
    )
    parser.add_argument("--version", action="version", version=f"reboard {build()}", help="print the version")
    _add_common(parser, config=DEFAULT_CONFIG, verbose=False)
    # the same after each subcommand, where an option that is not given must not overwrite the one before it
    common = CommandParser(add_help=False)
    _add_common(common, config=argparse.SUPPRESS, verbose=argparse.SUPPRESS)
    # for ``reboard completion``
    parser.set_defaults(make_parser=make_parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, (group, text, examples, exit_codes) in COMMANDS.items():
        if first not in (None, name):
            continue
        command = add_command(
            commands,
            name,
            text,
            common,
            is_listed=group != INTERNAL,
            examples=examples,
            exit_codes=exit_codes,
            group=group,
        )
        if name in imported and (add_arguments := getattr(_module(name), "add_arguments", None)):
            add_arguments(command, common)
    return parser


def _add_common(parser: CommandParser, *, config: object, verbose: object) -> None:
    text = f"the config file of the table (default: {DEFAULT_CONFIG})"
    parser.add_argument("-c", "--config", type=named_path, metavar="FILE", default=config, help=text)
    parser.add_argument("-v", "--verbose", action="store_true", default=verbose, help="also log debug messages")


def _failed(why: object, code: int) -> int:
    if isinstance(why, OSError) and why.filename:
        sudo = ". Run the command with sudo" if os.geteuid() else ""
        remedies = {
            errno.EACCES: sudo,
            errno.EPERM: sudo,
            errno.EISDIR: ". Name a file",
            errno.EEXIST: ". Name a folder",
            errno.ENOENT: ". Check the path, and create the folder if it is missing",
            errno.ENOSPC: ". Free some space, and run the command again",
        }
        why = f"{why.filename}: {why.strerror}{remedies.get(why.errno or 0, '')}"
    print(as_error(f"reboard: {why}"), file=sys.stderr)
    return code
