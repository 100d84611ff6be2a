"""The command ``reboard-sim script``: it runs a program on the bench, or with a play."""

from __future__ import annotations

import shlex
import sys
import threading
import webbrowser
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from reboard.errors import ConfigError, ReboardError
from reboard_sim.bench.bench_acts import BenchTable
from reboard_sim.plays.play_command import LONGEST_RECORDING_S, run_play
from reboard_sim.script.bench_file import read_bench_file
from reboard_sim.script.script_language import script_parser
from reboard_sim.script.script_table import ScriptScene, ScriptTable, Show


def script_scene(program: Path, arguments: Sequence[str], bench_file: Path | None) -> ScriptScene:
    """Return the scene of a *program*. Raises `ConfigError` if a file cannot be read."""
    program = program.absolute()
    if not program.is_file():
        raise ConfigError(f"{program}: there is no such program. Name a Python file, such as game.py")
    placed = read_bench_file(bench_file) if bench_file else {}
    return ScriptScene(program, {}, {}, arguments=tuple(arguments), placed=placed)


def printer() -> Show:
    """Return a function that prints what a program prints on this terminal."""
    streams = sys.stdout, sys.stderr  # those of the program differ

    def show(text: str, is_error: bool) -> None:
        print(text, file=streams[is_error], flush=True)

    return show


def play_script(scene: ScriptScene, play: Path, *, config: Path | None, as_json: bool, **options: Any) -> int:
    """Run the program of *scene* with a *play*, print the result and return the exit code, as ``reboard-sim play``."""
    show = printer() if not as_json else lambda *_: None

    def make_table(_: Path, seed: int) -> ScriptTable:
        return ScriptTable(scene, seed=seed, keep_sound_s=LONGEST_RECORDING_S, show=show)

    reads = (config, scene.path)
    return run_play(play, script_parser(), make_table, reads=reads, as_json=as_json, **options)


def serve_script(scene: ScriptScene, *, seed: int, port: int, headless: bool) -> None:
    """Run the program of *scene* on the bench until Ctrl-C."""
    # imported here because a play needs no web server
    from reboard_sim.bench.servers import BenchServer
    from reboard_sim.script.script_bench import SCRIPT, ScriptThread

    with closing(ScriptThread(scene, seed=seed, show=printer())) as table:
        server = BenchServer(table, port=port, runtime=SCRIPT)
        print(f"The bench of {scene.path.name} is at {server.url} (seed {seed}). Press Ctrl-C to stop it.", flush=True)
        if not headless:
            webbrowser.open(server.url)
        threading.Thread(target=pass_on_lines, args=(table, sys.stdin), name="terminal", daemon=True).start()
        server.run()


def pass_on_lines(table: BenchTable, terminal: Iterable[str]) -> None:
    """Enter each line from the *terminal* at the console of the program."""
    for line in terminal:
        with suppress(ReboardError, RuntimeError):  # the program does not run
            text = shlex.quote(line.rstrip("\n"))
            table.do([f"enter console {text}"]).result()
