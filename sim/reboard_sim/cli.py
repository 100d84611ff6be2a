"""The command ``reboard-sim``, which serves the bench or a hall, carries out a play, or shows a real table."""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reboard.commands.completion import add_arguments, completion
from reboard.commands.output import named_path, standard_output
from reboard.commands.parser import EXIT_CODES, CommandParser, add_command, whole_number
from reboard.errors import ConfigError, MissingExtraError, ReboardError
from reboard.version import build

DEFAULT_PORT = 8000
HALL_PORT = 8090
MOST_TABLES = 1000
FASTEST = 100.0

OK, FAILED, UNUSABLE = 0, 1, 2

BENCH_EXIT_CODES = ("0  the bench was stopped", "1  it failed", EXIT_CODES[2])

PLAY_EXIT_CODES = (
    "0  every check held",
    "1  a check failed",
    "2  the play did not run to its end, because a line, the config, the command line or a file is invalid",
)

INSTEAD = "instead of the bench"

EXAMPLE_OF_ARGUMENTS = "reboard-sim script game.py -c bench.toml -- --level 3"

OF_THE_BENCH = {
    "play": ("port", "page_port", "lan", "headless", "phones"),
    "script": ("page_port", "lan", "edition", "state", "phones"),
    "attach": ("page_port", "lan", "edition", "config", "state", "seed", "phones"),
    "hall": ("page_port", "config", "phones"),
}
"""The options of the bench that a command cannot use."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``reboard-sim`` with *arguments* and return the exit code, one of `BENCH_EXIT_CODES` or `PLAY_EXIT_CODES`."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    of_program: list[str] = []
    if "script" in arguments and "--" in arguments:
        place = arguments.index("--")
        arguments, of_program = arguments[:place], arguments[place + 1 :]
    failed, stopped = FAILED, OK
    try:
        with standard_output():
            parser = make_parser()
            options = parser.parse_args(arguments)
            if options.command == "play" or getattr(options, "play", None):
                # 1 is a failed check and nothing else
                failed, stopped = UNUSABLE, UNUSABLE
            if options.command == "script" and not options.play and (options.json or options.vcd or options.wav):
                parser.error("--json, --vcd and --wav need --play")
            for name in OF_THE_BENCH.get(options.command, ()):
                if getattr(options, name) != parser.get_default(name):
                    parser.error(f"--{name.replace('_', '-')} does not work with {options.command!r}")
            if options.phones and options.config:
                parser.error("--phones has its own config, so it does not work with --config")
            if options.command == "completion":
                print(completion(parser, options.shell))
                return OK
            options.of_program = of_program
            commands = {"play": _play, "script": _script, "attach": _attach, "hall": _hall}
            return commands.get(options.command, _bench)(options)
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("reboard"):
            raise
        print(MissingExtraError("reboard-sim", "sim", missing), file=sys.stderr)
        return failed
    except ConfigError as problem:
        print(problem, file=sys.stderr)
        return UNUSABLE
    except ReboardError as problem:
        print(problem, file=sys.stderr)
        return failed
    except BrokenPipeError:
        return failed
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        print(f"{where}{problem.strerror or problem}. Check the path and the disk", file=sys.stderr)
        return failed
    except KeyboardInterrupt:
        return stopped


def _play(options: argparse.Namespace) -> int:
    from reboard_sim.plays.play_command import play_file

    return play_file(
        options.file,
        config=options.config,
        edition=options.edition,
        state=options.state,
        seed=options.seed,
        as_json=options.json,
        vcd=options.vcd,
        wav=options.wav,
    )


def _script(options: argparse.Namespace) -> int:
    from reboard_sim.script.script_command import play_script, script_scene, serve_script

    scene = script_scene(options.program, [*options.arguments, *options.of_program], options.config)
    if options.play:
        recordings = {"vcd": options.vcd, "wav": options.wav}
        config, seed = options.config, options.seed
        return play_script(scene, options.play, config=config, seed=seed, as_json=options.json, **recordings)
    serve_script(scene, seed=_seed_of(options), port=options.port, headless=options.headless)
    return 0


def _attach(options: argparse.Namespace) -> int:
    from reboard_sim.attach.attach_command import attach

    attach(*options.table, pin_file=options.pin_file, port=options.port, headless=options.headless)
    return 0


def _hall(options: argparse.Namespace) -> int:
    from reboard.config.mqtt import PORT, BrokerAddress
    from reboard_sim.hall.hall_command import play_hall

    host, port = options.broker or (None, None)
    play_hall(
        options.tables,
        pace=options.pace,
        broker=BrokerAddress(host, port or PORT) if host else None,
        edition=options.edition,
        state=options.state,
        seed=_seed_of(options),
        port=options.port,
        lan=options.lan,
        headless=options.headless,
    )
    return 0


def _bench(options: argparse.Namespace) -> int:
    # imported here because a play needs no web server
    from reboard.control.protocol import socket_path
    from reboard.web.invitation import invitation_text
    from reboard_sim.bench.servers import BenchServer, TablePage
    from reboard_sim.bench.table_thread import TableThread
    from reboard_sim.scene import PHONES, Scene, state_directory

    seed = _seed_of(options)
    with tempfile.TemporaryDirectory(prefix="reboard-") as temporary:
        state = state_directory(options.state or Path(temporary))
        scene = Scene.load(PHONES if options.phones else options.config, state, edition=options.edition)
        scene = scene.changed("page.pay", '"free"') if options.phones else scene
        lan = options.lan or options.phones
        socket = socket_path(Path(temporary))
        with ExitStack() as open_things:
            # each new setup closes a table and opens another, which is no news to the user
            watch = logging.getLogger("reboard.web.table_watch")
            open_things.callback(watch.setLevel, watch.level)
            watch.setLevel(logging.ERROR)
            table = open_things.enter_context(closing(TableThread(scene, seed=seed, socket=socket)))
            page = TablePage(socket, port=options.page_port, beside=options.port, lan=lan, has_pin=not options.phones)
            open_things.enter_context(closing(page))
            link = page.link
            server = BenchServer(table, port=options.port, table_page=page)
            print(f"The bench is at {server.url} (seed {seed}). Press Ctrl-C to stop it.")
            pin = f" (host's PIN {link.pin})" if link.pin else ""
            print(f"The table page is at {link.url}{pin}.", flush=True)
            if lan:
                nowhere = "No phone can open the table page: this machine is in no network. Connect it to one."
                print(invitation_text(link.listens_at, sys.stdout, table.join_code()) or nowhere, flush=True)
            if not options.headless:
                webbrowser.open(link.url if options.phones else server.url)
            server.run()
    return 0


def _seed_of(options: argparse.Namespace) -> int:
    return random.SystemRandom().randrange(1_000_000) if options.seed is None else int(options.seed)


def make_parser() -> CommandParser:
    """Return the parser with all options."""
    parser = CommandParser(
        prog="reboard-sim",
        description="Run a table on a virtual Pi. Without a command, serve the bench, a web page to operate it.",
        examples=["reboard-sim", "reboard-sim --phones --edition classic-de", "reboard-sim play evening.play"],
        exit_codes=BENCH_EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"reboard {build()}", help="print the version")
    parser.add_argument(
        "--port",
        type=_port,
        metavar="N",
        default=DEFAULT_PORT,
        help="port of the bench (default: 8000; 0: any free port)",
    )
    parser.add_argument(
        "--page-port", type=_port, metavar="N", help="port of the table page (default: the bench's port + 1, if free)"
    )
    parser.add_argument("--lan", action="store_true", help="let phones in your network open the table page")
    parser.add_argument("--headless", action="store_true", help="do not open a browser")
    text = "a table that is only phones, which the family's phones join by a code, without any accessory"
    parser.add_argument("--phones", action="store_true", help=text)
    _add_shared(parser)
    commands = parser.add_subparsers(dest="command", metavar="[COMMAND]")
    play = add_command(
        commands,
        "play",
        "run a play in virtual time and report whether it passed",
        group=INSTEAD,
        examples=["reboard-sim play evening.play --seed 7", "reboard-sim play evening.play --wav a.wav --vcd a.vcd"],
        exit_codes=PLAY_EXIT_CODES,
        more=_vocabulary(),
    )
    play.add_argument("file", type=named_path, metavar="FILE", help="the play (-: standard input)")
    _add_recordings(play)
    _add_shared(play, default=argparse.SUPPRESS)  # options before "play" count too
    script = add_command(
        commands,
        "script",
        "run your own Python program on the virtual Pi, with the bench's page or a play",
        group=INSTEAD,
        examples=["reboard-sim script game.py", "reboard-sim script game.py --play test.play", EXAMPLE_OF_ARGUMENTS],
        exit_codes=PLAY_EXIT_CODES,
        more="Put the program's own options after --. Without --play, the exit codes are those of the bench.",
    )
    script.add_argument("program", type=named_path, metavar="PROGRAM", help="the program, such as game.py")
    script.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="the arguments of the program")
    text = "names of devices, and devices that the program does not show"
    script.add_argument("-c", "--config", type=named_path, metavar="BENCH.TOML", default=argparse.SUPPRESS, help=text)
    script.add_argument("--play", type=named_path, metavar="FILE", help="run this play in virtual time, without a page")
    _add_recordings(script)
    _add_seed(script, default=argparse.SUPPRESS)
    _add_port(script)
    attach = add_command(
        commands,
        "attach",
        "show the table of a real Pi on the bench, read-only, through its table page",
        group=INSTEAD,
        examples=["reboard-sim attach reboard.local", "reboard-sim attach reboard.local:8080 --pin-file pin.txt"],
        exit_codes=BENCH_EXIT_CODES,
        more="The host's PIN is read from --pin-file, $REBOARD_PIN, the terminal or standard input.",
    )
    attach.add_argument(
        "table", type=_table_page, metavar="HOST[:PORT]", help="the table page of the Pi (default port: 8080)"
    )
    attach.add_argument("--pin-file", type=named_path, metavar="FILE", help="a file with the host's PIN")
    _add_port(attach)
    hall = add_command(
        commands,
        "hall",
        "show the hall's page with virtual tables where families play",
        group=INSTEAD,
        examples=["reboard-sim hall --tables 6", "reboard-sim hall --tables 50 --pace 10 --broker 192.168.1.10"],
        exit_codes=BENCH_EXIT_CODES,
        more="Tables and hall meet at an MQTT broker: one that you name, or a mosquitto of their own.",
    )
    hall.add_argument(
        "--tables", type=whole_number(MOST_TABLES), metavar="N", default=6, help="the number of tables (default: 6)"
    )
    hall.add_argument(
        "--pace", type=_pace, metavar="P", default=1.0, help="play P times as fast as a family would (default: 1)"
    )
    hall.add_argument(
        "--broker", type=_broker, metavar="HOST[:PORT]", help="a broker that needs no password (default: start one)"
    )
    hall.add_argument(
        "--port", type=_port, metavar="N", default=HALL_PORT, help=f"port of the hall's page (default: {HALL_PORT})"
    )
    hall.add_argument("--lan", action="store_true", default=argparse.SUPPRESS, help="let your network open the page")
    hall.add_argument("--headless", action="store_true", default=argparse.SUPPRESS, help="do not open a browser")
    _add_shared(hall, has_config=False, default=argparse.SUPPRESS)
    text = "print the file that lets a shell complete commands and options"
    examples = ["reboard-sim completion bash > ~/.local/share/bash-completion/completions/reboard-sim"]
    add_arguments(add_command(commands, "completion", text, group=INSTEAD, examples=examples), CommandParser())
    return parser


def _add_recordings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print every event as JSON, one per line")
    text = "record the pins as VCD, for GTKWave or PulseView"
    parser.add_argument("--vcd", type=named_path, metavar="FILE", help=text)
    parser.add_argument("--wav", type=named_path, metavar="FILE", help="record the sound as WAV")


def _add_port(parser: argparse.ArgumentParser) -> None:
    text = "port of the bench (default: 8000)"
    parser.add_argument("--port", type=_port, metavar="N", default=argparse.SUPPRESS, help=text)
    parser.add_argument("--headless", action="store_true", default=argparse.SUPPRESS, help="do not open a browser")


def _add_seed(parser: argparse.ArgumentParser, **more: Any) -> None:
    text = "seed for all random results (default: a random one, printed)"
    parser.add_argument("--seed", type=_seed, metavar="N", help=text, **more)


def _add_shared(parser: argparse.ArgumentParser, *, has_config: bool = True, **more: Any) -> None:
    if has_config:
        text = "the table.toml to use (default: the wiring from the drawings)"
        parser.add_argument("-c", "--config", type=named_path, metavar="FILE", help=text, **more)
    text = "the edition of the table (default: the one in the config)"
    parser.add_argument("--edition", metavar="NAME", help=text, **more)
    parser.add_argument(
        "--state",
        type=named_path,
        metavar="DIR",
        help="the directory for the ledger (default: a temporary directory)",
        **more,
    )
    _add_seed(parser, **more)


def _port(word: str) -> int:
    if not word.isdecimal() or int(word) > 65_535:
        raise argparse.ArgumentTypeError(f"{word!r} is not a port: use a number from 0 to 65535")
    return int(word)


def _pace(word: str) -> float:
    try:
        pace = float(word)
    except ValueError:
        pace = 0.0
    if not 0.1 <= pace <= FASTEST:
        raise argparse.ArgumentTypeError(f"{word!r} is not a pace: use a number from 0.1 to {FASTEST:g}")
    return pace


def _host_and_port(word: str) -> tuple[str, int | None]:
    place = urlsplit(f"//{word}")
    if not place.hostname or place.path or place.username:
        raise ValueError(f"{word!r} is more than HOST:PORT")
    return place.hostname, place.port


def _broker(word: str) -> tuple[str, int | None]:
    from reboard.config.pins_and_ports import is_host

    with suppress(ValueError):
        host, port = _host_and_port(word)
        if is_host(host) or is_host(f"[{host}]"):
            return host, port
    raise argparse.ArgumentTypeError(f"{word!r} is not a broker: use HOST or HOST:PORT, such as 192.168.1.10")


def _table_page(word: str) -> tuple[str, int]:
    from reboard_sim.attach.table_page_client import DEFAULT_PORT

    with suppress(ValueError):
        host, port = _host_and_port(word.removeprefix("http://").rstrip("/"))
        host.encode("idna")  # raises for a name that no host can have
        return host, port or DEFAULT_PORT
    raise argparse.ArgumentTypeError(f"{word!r} is not a table page: use HOST or HOST:PORT, such as reboard.local")


def _seed(word: str) -> int:
    from reboard_sim.plays.play_language import whole_number

    try:
        return whole_number(word)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _vocabulary() -> str:
    # imported here so that `main` reports an accessory that is not installed
    from reboard_sim.accessories.installed import faults
    from reboard_sim.plays.play_language import forms as all_forms

    forms = "\n".join(f"  {form.usage:<42} {form.meaning}" for form in all_forms())
    known = "\n".join(f"  {fault.name:<42} {fault.meaning}" for fault in faults().values())
    return f"lines of a play (# begins a comment):\n{forms}\n\nfaults:\n{known}\n"


if __name__ == "__main__":
    sys.exit(main())
