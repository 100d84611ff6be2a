"""The `reboard` command, which imports only the module of the requested subcommand."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from reboard import __version__
from reboard.commands.output import as_error, log_handler, named_path
from reboard.config.reading import DEFAULT_CONFIG
from reboard.errors import ConfigError, GivenUpError, ReboardError

OK = 0
FAILED = 1
USAGE_ERROR = 2
"""The exit code for an invalid config or command line. A retry would fail, too."""
GIVEN_UP = 3
"""The exit code for a table that failed too often."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("reboard.commands.run", "run the table in the foreground"),
    "page": ("reboard.web.table_page", "serve the table page"),
    "setup": ("reboard.commands.setup", "ask which devices are connected and where, try them, and write the config"),
    "check": ("reboard.commands.check", "check the config and show what it means"),
    "doctor": ("reboard.commands.doctor", "check this machine and the running table"),
    "wiring": ("reboard.commands.wiring", "list or draw the connections"),
    "ledger": ("reboard.commands.ledger", "show, verify, export or correct the ledger"),
    "cards": ("reboard.commands.cards", "write a PDF with player cards to print"),
    "sounds": ("reboard.commands.sounds", "list, play or export the sounds"),
    "pin": ("reboard.commands.pin", "print the config line that sets the host's PIN"),
    "motor-off": ("reboard.service.motor_off", "switch every motor off while no table is running"),
    "safe-mode": (
        "reboard.service.safe_mode",
        "keep the motors off, and signal with the lamp and a sound that the table failed",
    ),
}
"""The module and the help text of each subcommand, keyed by name. The module has ``add_arguments`` and ``main``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code. Print an error as one message on standard error."""
    arguments = sys.argv[1:] if arguments is None else arguments
    args = make_parser(arguments).parse_args(arguments)
    level = logging.DEBUG if args.verbose else logging.INFO
    logging.basicConfig(level=level, format="%(message)s", handlers=[log_handler()], force=True)
    try:
        is_ok = import_module(COMMANDS[args.command][0]).main(args)
        sys.stdout.flush()
    except ConfigError as error:
        # its lines begin with file and line number, as editors understand them
        print(as_error(str(error)), file=sys.stderr)
        return USAGE_ERROR
    except BrokenPipeError:
        # the reader has closed the pipe; the interpreter must not fail when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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


def make_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for *arguments*. Import only the subcommand in *arguments*, and add its options."""
    parser = argparse.ArgumentParser(prog="reboard", description="New electronics for old board games.")
    parser.add_argument("--version", action="version", version=f"reboard {__version__}")
    _add_common(parser, config=DEFAULT_CONFIG, verbose=False)
    # the same after each subcommand, where an option that is not given must not overwrite the one before it
    common = argparse.ArgumentParser(add_help=False)
    _add_common(common, config=argparse.SUPPRESS, verbose=argparse.SUPPRESS)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, parents=[common], help=text, description=f"{text[0].upper()}{text[1:]}.")
        if name in arguments:
            import_module(module).add_arguments(command, common)
    return parser


def _add_common(parser: argparse.ArgumentParser, *, config: object, verbose: object) -> None:
    text = f"the config file of the table (default: {DEFAULT_CONFIG})"
    parser.add_argument("-c", "--config", type=named_path, metavar="FILE", default=config, help=text)
    parser.add_argument("-v", "--verbose", action="store_true", default=verbose, help="also log debug messages")


def _failed(why: object, code: int) -> int:
    if isinstance(why, OSError) and why.filename:
        remedy = ""
        if isinstance(why, PermissionError) and os.geteuid():
            remedy = ". Run the command with sudo"
        elif isinstance(why, FileNotFoundError):
            remedy = ". Check the path, and create the folder if it is missing"
        why = f"{why.filename}: {why.strerror}{remedy}"
    print(as_error(f"reboard: {why}"), file=sys.stderr)
    return code
