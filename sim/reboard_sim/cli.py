"""``reboard-sim``: the bench, and plays."""

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

from reboard.errors import ConfigError, ReboardError
from reboard.named_path import named_path
from reboard.version import __version__
from reboard_sim.faults import FAULTS
from reboard_sim.play_language import FORMS, whole_number

DEFAULT_PORT = 8000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 fine, 1 a check or the bench failed, 2 unusable input."""
    options = _parser().parse_args(arguments)
    try:
        return _play(options) if options.command == "play" else _bench(options)
    except ReboardError as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 0


def _play(options: argparse.Namespace) -> int:
    from reboard_sim.play_command import play_file

    return play_file(
        options.file,
        config=options.config,
        state=options.state,
        seed=options.seed,
        as_json=options.json,
        vcd=options.vcd,
        wav=options.wav,
    )


def _bench(options: argparse.Namespace) -> int:
    # imported late: a play needs no web server
    from reboard.door.words import SOCKET_NAME
    from reboard_sim.bench.server import BenchServer
    from reboard_sim.bench.table_page import PIN, TablePage
    from reboard_sim.bench.table_thread import TableThread
    from reboard_sim.scene import Scene
    from reboard_sim.state_directory import state_directory

    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    with tempfile.TemporaryDirectory(prefix="reboard-") as gone:
        scene = Scene.load(options.config, state_directory(options.state or Path(gone)))
        if options.edition:
            try:
                scene = scene.changed("edition", f'"{options.edition}"')
            except ConfigError as problem:
                raise ConfigError(f"--edition {options.edition}: {problem}") from None
        door = Path(gone) / SOCKET_NAME
        with ExitStack() as open_things:
            # each new scene is a table that goes and one that comes: no news to whoever set it
            watch = logging.getLogger("reboard.page.table_watch")
            open_things.callback(watch.setLevel, watch.level)
            watch.setLevel(logging.ERROR)
            table = open_things.enter_context(closing(TableThread(scene, seed=seed, door=door)))
            page = open_things.enter_context(closing(TablePage(door, port=options.page_port, beside=options.port)))
            server = BenchServer(table, port=options.port, table_page=page.url)
            print(f"The bench is at {server.url} (seed {seed}). Ctrl-C puts it away.")
            print(f"The table page, as phones see it, is at {page.url}; the host's PIN is {PIN}.", flush=True)
            if not options.headless:
                webbrowser.open(server.url)
            server.run()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reboard-sim", description="A table on a virtual Pi. Without a command: the bench, a page to play on."
    )
    parser.add_argument("--version", action="version", version=f"reboard {__version__}")
    parser.add_argument("--port", type=_port, default=DEFAULT_PORT, help="the bench's port (8000; 0: any free one)")
    parser.add_argument(
        "--page-port", type=_port, metavar="N", help="the table page's port (the one after the bench's)"
    )
    parser.add_argument("--edition", metavar="NAME", help="the boxed game to play")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    _add_shared(parser)
    commands = parser.add_subparsers(dest="command", metavar="play", title="commands")
    play = commands.add_parser(
        "play",
        help="carry out a play and check it",
        description="Carry out a play in virtual time. Exit status 0: every check held; 1: one did not; "
        "2: the file cannot be used.",
        epilog=_vocabulary(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    play.add_argument("file", type=named_path, metavar="FILE", help="the play; - is standard input")
    play.add_argument("--json", action="store_true", help="print every event, one a line")
    play.add_argument("--vcd", type=named_path, metavar="FILE", help="record the pins, for GTKWave or PulseView")
    play.add_argument("--wav", type=named_path, metavar="FILE", help="record the sound")
    _add_shared(play, default=argparse.SUPPRESS)  # what stands before "play" counts too
    return parser


def _add_shared(parser: argparse.ArgumentParser, **more: Any) -> None:
    parser.add_argument("-c", "--config", type=named_path, metavar="FILE", help="a table.toml (our own wiring)", **more)
    parser.add_argument(
        "--state", type=named_path, metavar="DIR", help="keep the ledger here (without: it is gone afterwards)", **more
    )
    parser.add_argument(
        "--seed", type=_seed, metavar="N", help="draw by this number (without: one is drawn, and told)", **more
    )


def _port(word: str) -> int:
    if not word.isdecimal() or int(word) > 65_535:
        raise argparse.ArgumentTypeError(f"{word!r} is no port: there are 0 to 65535")
    return int(word)


def _seed(word: str) -> int:
    try:
        return whole_number(word)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _vocabulary() -> str:
    """Every line that a play can have, and every fault."""
    forms = "\n".join(f"  {form.usage:<42} {form.meaning}" for form in FORMS)
    faults = "\n".join(f"  {name:<42} {meaning}" for name, meaning in FAULTS.items())
    return f"lines of a play (# begins a comment):\n{forms}\n\nfaults:\n{faults}\n"


if __name__ == "__main__":
    sys.exit(main())
