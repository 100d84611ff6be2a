"""The command ``reboard-sim``, which serves the bench, carries out a play, or shows a real table."""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reboard import __version__
from reboard.commands.output import named_path
from reboard.errors import ConfigError, ReboardError

DEFAULT_PORT = 8000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``reboard-sim`` with *arguments* and return the exit status.

    The status is 0 for success or Ctrl-C, 1 for a failed check, 2 for another error, or 141 for a closed output pipe.
    """
    try:
        options = _parser().parse_args(arguments)
        return {"play": _play, "attach": _attach}.get(options.command, _bench)(options)
    except ReboardError as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0


def _play(options: argparse.Namespace) -> int:
    from reboard_sim.plays.play_command import play_file

    return play_file(
        options.file,
        config=options.config,
        state=options.state,
        seed=options.seed,
        as_json=options.json,
        vcd=options.vcd,
        wav=options.wav,
    )


def _attach(options: argparse.Namespace) -> int:
    from reboard_sim.attach.attach_command import attach

    attach(*options.table, pin_file=options.pin_file, port=options.port, headless=options.headless)
    return 0


def _bench(options: argparse.Namespace) -> int:
    # imported here because a play needs no web server
    from reboard.control.protocol import SOCKET_NAME
    from reboard.table_config import PageConfig
    from reboard.web.invitation import invitation_text
    from reboard_sim.bench.app import BenchServer, TablePage
    from reboard_sim.bench.table_thread import TableThread
    from reboard_sim.scene import Scene, state_directory

    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    with tempfile.TemporaryDirectory(prefix="reboard-") as temporary:
        scene = Scene.load(options.config, state_directory(options.state or Path(temporary)))
        if options.edition:
            try:
                scene = scene.changed("edition", f'"{options.edition}"')
            except ConfigError as problem:
                raise ConfigError(f"--edition {options.edition}: {problem}") from None
        socket = Path(temporary) / SOCKET_NAME
        with ExitStack() as open_things:
            # each new setup closes a table and opens another, which is no news to the user
            watch = logging.getLogger("reboard.web.table_watch")
            open_things.callback(watch.setLevel, watch.level)
            watch.setLevel(logging.ERROR)
            table = open_things.enter_context(closing(TableThread(scene, seed=seed, socket=socket)))
            pay = (scene.config().page or PageConfig()).pay
            page = TablePage(socket, port=options.page_port, beside=options.port, lan=options.lan, pay=pay)
            open_things.enter_context(closing(page))
            link = page.link
            server = BenchServer(table, port=options.port, table_page=link)
            print(f"The bench is at {server.url} (seed {seed}). Press Ctrl-C to stop it.")
            print(f"The table page is at {link.url} (host's PIN {link.pin}).", flush=True)
            if options.lan:
                nowhere = "No phone can open the table page: this machine is in no network. Connect it to one."
                print(invitation_text(link.listens_at, sys.stdout) or nowhere, flush=True)
            if not options.headless:
                webbrowser.open(server.url)
            server.run()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reboard-sim",
        description="Run a table on a virtual Pi. Without a command, serve the bench, a web page to operate it.",
    )
    parser.add_argument("--version", action="version", version=f"reboard {__version__}")
    parser.add_argument(
        "--port", type=_port, default=DEFAULT_PORT, help="port of the bench (default: 8000; 0: any free port)"
    )
    parser.add_argument(
        "--page-port", type=_port, metavar="N", help="port of the table page (default: the bench's port + 1, if free)"
    )
    parser.add_argument("--lan", action="store_true", help="let phones in your network open the table page")
    parser.add_argument("--edition", metavar="NAME", help="the edition of the table (default: the one in the config)")
    parser.add_argument("--headless", action="store_true", help="do not open a browser")
    _add_shared(parser)
    commands = parser.add_subparsers(dest="command", metavar="play|attach", title="commands")
    play = commands.add_parser(
        "play",
        help="run a play and report whether it passed",
        description="Run a play in virtual time. Exit status: 0 if every check held, 1 if a check failed, "
        "2 for another error.",
        epilog=_vocabulary(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    play.add_argument("file", type=named_path, metavar="FILE", help="the play (-: standard input)")
    play.add_argument("--json", action="store_true", help="print every event as JSON, one per line")
    play.add_argument("--vcd", type=named_path, metavar="FILE", help="record the pins as VCD, for GTKWave or PulseView")
    play.add_argument("--wav", type=named_path, metavar="FILE", help="record the sound as WAV")
    _add_shared(play, default=argparse.SUPPRESS)  # options before "play" count too
    attach = commands.add_parser(
        "attach",
        help="show the table of a real Pi on the bench",
        description="Show a real table on the bench, read-only, through its table page. The host's PIN is read "
        "from --pin-file, $REBOARD_PIN, the terminal or standard input. Exit status: 2 if the table cannot be shown.",
    )
    attach.add_argument(
        "table", type=_table_page, metavar="HOST[:PORT]", help="the table page of the Pi (default port: 8080)"
    )
    attach.add_argument("--pin-file", type=named_path, metavar="FILE", help="a file with the host's PIN")
    attach.add_argument("--port", type=_port, default=argparse.SUPPRESS, help="port of the bench (default: 8000)")
    attach.add_argument("--headless", action="store_true", default=argparse.SUPPRESS, help="do not open a browser")
    return parser


def _add_shared(parser: argparse.ArgumentParser, **more: Any) -> None:
    parser.add_argument(
        "-c",
        "--config",
        type=named_path,
        metavar="FILE",
        help="the table.toml to use (default: the wiring from the drawings)",
        **more,
    )
    parser.add_argument(
        "--state",
        type=named_path,
        metavar="DIR",
        help="the directory for the ledger (default: a temporary directory)",
        **more,
    )
    parser.add_argument(
        "--seed", type=_seed, metavar="N", help="seed for all random results (default: a random one, printed)", **more
    )


def _port(word: str) -> int:
    if not word.isdecimal() or int(word) > 65_535:
        raise argparse.ArgumentTypeError(f"{word!r} is not a port: use a number from 0 to 65535")
    return int(word)


def _table_page(word: str) -> tuple[str, int]:
    from reboard_sim.attach.table_page_client import DEFAULT_PORT

    try:
        place = urlsplit(f"//{word.removeprefix('http://').rstrip('/')}")
        host, port = place.hostname, place.port or DEFAULT_PORT
    except ValueError:
        host = None
    if not host or place.path or place.username:
        raise argparse.ArgumentTypeError(f"{word!r} is not a table page: use HOST or HOST:PORT, such as reboard.local")
    return host, port


def _seed(word: str) -> int:
    from reboard_sim.plays.play_language import whole_number

    try:
        return whole_number(word)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _vocabulary() -> str:
    # imported here so that `main` reports an accessory that is not installed
    from reboard_sim.accessories.accessory import faults
    from reboard_sim.plays.play_language import FORMS

    forms = "\n".join(f"  {form.usage:<42} {form.meaning}" for form in FORMS)
    known = "\n".join(f"  {fault.name:<42} {fault.meaning}" for fault in faults().values())
    return f"lines of a play (# begins a comment):\n{forms}\n\nfaults:\n{known}\n"


if __name__ == "__main__":
    sys.exit(main())
