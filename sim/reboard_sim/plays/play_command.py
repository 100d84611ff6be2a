"""The command ``reboard-sim play``, which carries out a play in virtual time and reports whether it passed."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from reboard.accessories.installed import named
from reboard.aiotools import first_of
from reboard.errors import ReboardError
from reboard.service import table_loop
from reboard.service.table_loop import watched
from reboard_sim.board.line import write_vcd
from reboard_sim.plays.checks import CheckError
from reboard_sim.plays.play import Player, seed_of
from reboard_sim.plays.play_language import Line, Parser, PlayError, parser
from reboard_sim.recording import EventPrinter
from reboard_sim.scene import Scene, state_directory, temporary_state
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import HAS_THREADS, NeverWaits, VirtualTimeLoop

PASSED, FAILED, UNFINISHED = 0, 1, 2
"""The exit codes: every check held, one failed, or the play did not run to its end."""

LONGEST_RECORDING_S = 3 * 3600.0
LARGEST_PLAY_BYTES = 1_000_000


class OverwriteError(ReboardError, ValueError):
    """An error for a recording that would overwrite the play, its config or the other recording."""


MakeTable = Callable[[Path, int], VirtualTable]
"""A function that creates a table, given the directory for its state and the seed."""


def play_file(
    path: Path, *, config: Path | None = None, edition: str | None = None, state: Path | None = None, **options: Any
) -> int:
    """Carry out the play in the file *path* (``-``: standard input), print the result and return the exit code.

    The options are those of the command line. Raises ``OSError`` if a file cannot be read or written.
    """

    def make_table(directory: Path, seed: int) -> VirtualTable:
        scene = Scene.load(config, directory, edition=edition)
        return VirtualTable(scene, seed=seed, keep_sound_s=LONGEST_RECORDING_S, needs_ledger=True)

    return run_play(path, parser(), make_table, state=state, reads=(config,), **options)


def run_play(
    path: Path,
    language: Parser,
    make_table: MakeTable,
    *,
    reads: Sequence[Path | None] = (),
    state: Path | None = None,
    seed: int | None = None,
    as_json: bool = False,
    vcd: Path | None = None,
    wav: Path | None = None,
) -> int:
    """Carry out the play in the file *path* as `play_file` does, in a *language*.

    *reads* are the other files that it reads.
    """
    if seed is None:
        seed = random.SystemRandom().randrange(1_000_000)
    try:
        _refuse_to_overwrite({"--vcd": vcd, "--wav": wav}, read=(path, *reads))
        lines = language.parse(_read(path), path=str(path))
        seed = seed_of(lines, seed)
        with nullcontext(state_directory(state)) if state else temporary_state() as directory:
            loop = VirtualTimeLoop()
            with watched(loop, loop.selector) if HAS_THREADS else nullcontext():
                make = partial(make_table, Path(directory), seed)
                seconds = table_loop.run(_perform(lines, make, str(path), as_json, vcd, wav), loop)
        checks = sum(line.form.is_check for line in lines)
        if not checks:
            print(f"{path}: this play has no checks. Lines that begin with `expect` check it", file=sys.stderr)
        if not as_json:
            print(f"{path}: {checks} of {checks} checks held, {seconds:.1f} s at the table, seed {seed}")
    except CheckError as failed:
        print(f"{failed}\n{path}: the seed was {seed}", file=sys.stderr)
        return FAILED
    except ReboardError as problem:
        print(problem, file=sys.stderr)
        return UNFINISHED
    except NeverWaits as problem:
        who = named(problem.place) if problem.place else "a task"
        print(f"{path}: {who} never waits, so no time passes. {table_loop.REMEDY}", file=sys.stderr)
        return UNFINISHED
    return PASSED


async def _perform(
    lines: Sequence[Line],
    make_table: Callable[[], VirtualTable],
    path: str,
    as_json: bool,
    vcd: Path | None,
    wav: Path | None,
) -> float:
    """Carry out *lines* and return the virtual seconds that they took. Write the recordings even after a failure."""
    now = asyncio.get_running_loop().time
    table = make_table()
    playing = Player(table, path=path).perform(lines)
    try:
        if as_json:
            printer = EventPrinter()
            table.log.listen(printer)
            await first_of(playing, table.failed(), printer.failed())
        else:
            await first_of(playing, table.failed())
        table.check_end()
        return now()
    finally:
        try:
            if wav:
                with _named(wav):
                    table.sound_card.write_wav(wav)
            if vcd:
                with _named(vcd), vcd.open("w", encoding="ascii") as file:
                    write_vcd(file, table.pi.timelines(), now())
        finally:
            await table.close()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    # an ``OSError`` while writing does not name its file
    try:
        yield
    except OSError as problem:
        problem.filename = problem.filename or str(path)
        raise


def _refuse_to_overwrite(recordings: Mapping[str, Path | None], read: Iterable[Path | None]) -> None:
    taken = {os.path.realpath(path) for path in read if path}
    for option, path in recordings.items():
        if path and os.path.realpath(path) in taken:
            raise OverwriteError(f"{option} {path}: The recording would overwrite this file. Choose another file.")
        if path:
            taken.add(os.path.realpath(path))


def _read(path: Path) -> str:
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
        raw = file.read(LARGEST_PLAY_BYTES + 1)
    if len(raw) > LARGEST_PLAY_BYTES:
        raise PlayError(
            1, f"a play has at most {LARGEST_PLAY_BYTES} bytes: split it into several plays", path=str(path)
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise PlayError(line, "this line is not UTF-8 text: save the file as UTF-8", path=str(path)) from None
