"""The `reboard` command. Each command imports what it needs itself, so that `reboard check` need not load a table."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from reboard.errors import ConfigError, GivenUpError, ReboardError
from reboard.journal import as_error, log_handler
from reboard.named_path import named_path
from reboard.settings.usual_config import USUAL_CONFIG
from reboard.version import __version__

FINE = 0
FAILED = 1
CANNOT_BE_DONE_SO = 2
"""A bad config or a bad command line: trying again changes nothing."""
GIVEN_UP = 3
"""It was tried often enough."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong is one plain message on standard error."""
    asked = _parser().parse_args(arguments)
    level = logging.DEBUG if asked.verbose else logging.INFO
    logging.basicConfig(level=level, format="%(message)s", handlers=[log_handler()], force=True)
    try:
        code = asked.command(asked)
        sys.stdout.flush()
    except ConfigError as error:
        # its lines begin with file and line number, as editors understand them
        print(as_error(str(error)), file=sys.stderr)
        return CANNOT_BE_DONE_SO
    except BrokenPipeError:
        # the reader has had enough; the interpreter must not fail at flushing once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except GivenUpError as error:
        return _failed(error, GIVEN_UP)
    except (ReboardError, OSError) as error:
        return _failed(error, FAILED)
    except KeyboardInterrupt:
        return _failed("stopped", FAILED)
    except Exception as error:
        logging.getLogger(__name__).debug("this is how it came", exc_info=True)
        name = type(error).__name__
        return _failed(f"an error in reboard itself, please report it: {name}: {error} (--verbose tells more)", FAILED)
    return FINE if code is None else int(code)


def _failed(why: object, code: int) -> int:
    if isinstance(why, OSError) and why.filename:
        sudo = ": put sudo in front" if isinstance(why, PermissionError) and os.geteuid() else ""
        why = f"{why.filename}: {why.strerror}{sudo}"
    print(as_error(f"reboard: {why}"), file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="reboard", description="New electronics for old board games.")
    parser.add_argument("--version", action="version", version=f"reboard {__version__}")
    _add_common(parser, config=USUAL_CONFIG, verbose=False)
    # the same again behind each command, where a value that is not given must not overwrite the one before it
    common = argparse.ArgumentParser(add_help=False)
    _add_common(common, config=argparse.SUPPRESS, verbose=argparse.SUPPRESS)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", parents=[common], help="play: be the table until stopped")
    run.add_argument("--json", action="store_true", help="write every event as a line of JSON")
    run.set_defaults(command=_run)

    page = commands.add_parser("page", parents=[common], help="show the table in browsers")
    page.add_argument("--listen", metavar="HOST:PORT", help="where, instead of what the config says")
    page.set_defaults(command=_page)

    pin = commands.add_parser("pin", parents=[common], help="make the line that gives the page a host's PIN")
    pin.set_defaults(command=_pin)

    motor_off = commands.add_parser("motor-off", parents=[common], help="hold the motor still, while no table does")
    motor_off.set_defaults(command=_motor_off)

    safe_mode = commands.add_parser("safe-mode", parents=[common], help="say with light and sound that help is needed")
    safe_mode.set_defaults(command=_safe_mode)

    check = commands.add_parser("check", parents=[common], help="read the config and tell what it means")
    check.add_argument("--electrical", action="store_true", help="and whether what it is wired to can work")
    check.set_defaults(command=_check)

    cards = commands.add_parser("cards", parents=[common], help="print bank cards to cut out")
    cards.add_argument(
        "--print",
        dest="file",
        metavar="FILE",
        type=partial(_written, ending=".pdf"),
        nargs="?",
        const=Path("cards.pdf"),
        required=True,
        help="the PDF that is written (usually cards.pdf)",
    )
    cards.add_argument(
        "--paper", type=str.lower, choices=("a4", "letter"), default="a4", help="the paper's size (usually a4)"
    )
    cards.add_argument("--count", type=int, metavar="N", default=6, help="how many cards, 1 to 7 (usually 6)")
    cards.set_defaults(command=_cards)

    wiring = commands.add_parser("wiring", parents=[common], help="tell what is to be joined to what")
    wiring.add_argument(
        "--svg", type=partial(_written, ending=".svg"), metavar="FILE", help="draw it into this file instead"
    )
    wiring.set_defaults(command=_wiring)

    doctor = commands.add_parser("doctor", parents=[common], help="look at everything and tell what is wrong")
    doctor.add_argument("--json", action="store_true", help="as JSON, for scripts")
    doctor.set_defaults(command=_doctor)

    setup = commands.add_parser("setup", parents=[common], help="ask what is wired where, try it, write the config")
    setup.set_defaults(command=_setup)

    ledger = commands.add_parser("ledger", parents=[common], help="read the banker's book")
    whats = ledger.add_subparsers(required=True, metavar="WHAT", dest="what")
    of_a_game = argparse.ArgumentParser(add_help=False)
    of_a_game.add_argument("--game", metavar="N", type=int, help="another game than the one that is on")
    whats.add_parser("games", parents=[common], help="every game that was begun")
    whats.add_parser("show", parents=[common, of_a_game], help="a game's balances")
    history = whats.add_parser("history", parents=[common, of_a_game], help="a game's latest transfers")
    history.add_argument("--card", metavar="N", type=int, help="only those of one card")
    whats.add_parser("verify", parents=[common], help="check every rule that money keeps")
    export = whats.add_parser("export", parents=[common], help="every game's transfers, as CSV")
    export.add_argument("--game", metavar="N", type=int, help="only one game's")
    export.add_argument("--json", action="store_true", help="as JSON instead")
    undo = whats.add_parser("undo", parents=[common], help="have the running table take a transfer back")
    undo.add_argument("transfer", metavar="NUMBER", nargs="?", type=int, help="which one (usually the last)")
    ledger.set_defaults(command=_ledger)

    sounds = commands.add_parser("sounds", parents=[common], help="the table's sounds")
    whats = sounds.add_subparsers(required=True, metavar="WHAT", dest="what")
    whats.add_parser("list", parents=[common], help="name them all")
    play = whats.add_parser("play", parents=[common], help="play one")
    play.add_argument("name", metavar="NAME", type=_sound_name)
    write = whats.add_parser("write", parents=[common], help="write them as WAV files, to replace one by one")
    write.add_argument("folder", metavar="DIR", type=named_path)
    sounds.set_defaults(command=_sounds)
    return parser


def _add_common(parser: argparse.ArgumentParser, *, config: object, verbose: object) -> None:
    help_config = f"the table's config (usually {USUAL_CONFIG})"
    parser.add_argument("-c", "--config", type=named_path, metavar="FILE", default=config, help=help_config)
    parser.add_argument("-v", "--verbose", action="store_true", default=verbose, help="log everything")


def _written(text: str, *, ending: str) -> Path:
    """A file to write, of a kind that no config is: a slip must not put a drawing in its place."""
    file = named_path(text)
    if file.suffix.lower() != ending:
        raise argparse.ArgumentTypeError(f"{text!r} does not end in {ending}, as what is written there has to")
    return file


def _sound_name(text: str) -> str:
    from reboard.sounds import NAMES

    if text not in NAMES:
        raise argparse.ArgumentTypeError(f"there is no sound {text!r}; there are {', '.join(NAMES)}")
    return text


def _run(asked: argparse.Namespace) -> None:
    import asyncio
    import faulthandler

    from reboard.commands.run import run

    # a watchdog that was not fed ends us with SIGABRT: where each thread hung is then told
    faulthandler.enable()
    asyncio.run(run(asked.config, as_json=asked.json))


def _page(asked: argparse.Namespace) -> None:
    from reboard.config import PageConfig
    from reboard.door.words import door_path
    from reboard.last_good import choose_config
    from reboard.page.server import serve_page
    from reboard.settings.pins_and_ports import listen
    from reboard.settings.reading import Reading

    config = choose_config(asked.config).config
    page = config.page or PageConfig()
    where = page.listen
    if asked.listen is not None:
        command_line = Reading(Path("command line"))
        where = command_line.read(lambda reading, _, text: listen(reading, ("--listen",), text), asked.listen)
    serve_page(door_path(config.state.directory), where.host, where.port, pin=page.pin)


def _pin(_: argparse.Namespace) -> None:
    from reboard.commands.pin import hash_pin

    hash_pin()


def _motor_off(asked: argparse.Namespace) -> None:
    from reboard.commands.motor_off import motor_off

    motor_off(asked.config)


def _safe_mode(asked: argparse.Namespace) -> None:
    import asyncio

    from reboard.commands.safe_mode import safe_mode

    asyncio.run(safe_mode(asked.config))


def _check(asked: argparse.Namespace) -> int:
    from reboard.commands.check import check

    return FINE if check(asked.config, electrical=asked.electrical) else FAILED


def _wiring(asked: argparse.Namespace) -> None:
    from reboard.commands.wiring import wiring

    wiring(asked.config, svg=asked.svg)


def _cards(asked: argparse.Namespace) -> None:
    from reboard.commands.cards import print_cards
    from reboard.config import load_config

    # whoever only wants cards need not have wired a table yet
    has_config = asked.config != USUAL_CONFIG or USUAL_CONFIG.exists()
    bank = load_config(asked.config).bank if has_config else None
    print_cards(asked.file, paper=asked.paper, count=asked.count, names=bank.names if bank else ())


def _doctor(asked: argparse.Namespace) -> int:
    import asyncio

    from reboard.commands.doctor import doctor

    return FINE if asyncio.run(doctor(asked.config, as_json=asked.json)) else FAILED


def _setup(asked: argparse.Namespace) -> int:
    import asyncio

    from reboard.commands.setup import setup

    return FINE if asyncio.run(setup(asked.config)) else FAILED


def _ledger(asked: argparse.Namespace) -> None:
    import asyncio

    from reboard.banker.book import LEDGER_FILE
    from reboard.commands import ledger
    from reboard.config import load_config
    from reboard.door.words import door_path

    config = load_config(asked.config)
    names = config.bank.names if config.bank else ()
    state = config.state.directory
    file = state / LEDGER_FILE
    match asked.what:
        case "games":
            ledger.games(file)
        case "show":
            ledger.show(file, asked.game, names=names)
        case "history":
            ledger.history(file, asked.game, asked.card, names=names)
        case "verify":
            ledger.verify(file)
        case "export":
            ledger.export(file, asked.game, as_json=asked.json)
        case "undo":
            asyncio.run(ledger.undo(door_path(state), file, asked.transfer))


def _sounds(asked: argparse.Namespace) -> None:
    import asyncio

    from reboard.commands import sounds
    from reboard.config import SpeakerConfig, load_config

    match asked.what:
        case "list":
            sounds.show()
        case "write":
            sounds.write(asked.folder)
        case "play":
            # somebody who only wants to hear a sound need not have wired a table yet
            has_config = asked.config != USUAL_CONFIG or USUAL_CONFIG.exists()
            speaker = load_config(asked.config).speaker if has_config else None
            asyncio.run(sounds.play(asked.name, speaker or SpeakerConfig()))
