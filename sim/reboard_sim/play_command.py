"""``reboard-sim play``: carry out a play in virtual time, and say whether it held."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from reboard.either import either
from reboard.errors import ReboardError
from reboard_sim.event_printer import EventPrinter
from reboard_sim.play import CheckFailed, Player
from reboard_sim.play_language import Line, PlayError, parse_play
from reboard_sim.scene import Scene
from reboard_sim.state_directory import gone_afterwards, state_directory
from reboard_sim.trace import write_vcd
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

HELD, FAILED, UNREADABLE, UNHEARD = 0, 1, 2, 141
"""Exit statuses: every check held; one did not; a file cannot be used; whoever read the events has gone (as shells put
it: 128 and SIGPIPE), and the play was given up.
"""

LONGEST_RECORDING_S = 3 * 3600.0
LARGEST_PLAY_BYTES = 1_000_000


class OverwriteError(ReboardError, ValueError):
    """A recording is to be written where something else stands that this play needs."""


def play_file(
    path: Path,
    *,
    config: Path | None = None,
    state: Path | None = None,
    seed: int | None = None,
    as_json: bool = False,
    vcd: Path | None = None,
    wav: Path | None = None,
) -> int:
    """Carry out the play in *path* (``-``: standard input) and return the exit status.

    Without a *seed* one is drawn, and told. The ledger is kept in *state*; without it, it is gone afterwards. *vcd* and
    *wav* are where the pins and the sound are recorded.
    """
    if seed is None:
        seed = random.SystemRandom().randrange(1_000_000)
    try:
        _refuse_to_overwrite({"--vcd": vcd, "--wav": wav}, read=(path, config))
        lines = parse_play(_read(path), path=str(path))
        with _directory(state) as directory:
            scene = Scene.load(config, directory)
            with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
                seconds = runner.run(_perform(lines, scene, seed, str(path), as_json, vcd, wav))
        if not as_json:
            checks = sum(line.form.is_check for line in lines)
            print(f"{path}: {checks} of {checks} checks held, {seconds:.1f} s at the table, seed {seed}")
        sys.stdout.flush()
    except CheckFailed as failed:
        print(f"{failed}\n{path}: the seed was {seed}", file=sys.stderr)
        return FAILED
    except ReboardError as problem:
        print(problem, file=sys.stderr)
        return UNREADABLE
    except BrokenPipeError:
        _drop_output()
        return UNHEARD
    except OSError as problem:
        print(f"{problem.filename or 'standard output'}: {problem.strerror or problem}", file=sys.stderr)
        if not problem.filename:
            _drop_output()
        return UNREADABLE
    return HELD


def _drop_output() -> None:
    """Drop what is left of standard output: the interpreter must not fail at flushing it once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _perform(
    lines: Sequence[Line],
    scene: Scene,
    seed: int,
    path: str,
    as_json: bool,
    vcd: Path | None,
    wav: Path | None,
) -> float:
    """Carry the lines out and write the recordings, also of a play that failed. Returns the seconds at the table."""
    now = asyncio.get_running_loop().time
    table = VirtualTable(scene, seed=seed, keep_sound_s=LONGEST_RECORDING_S, needs_ledger=True)
    playing = Player(table, path=path).perform(lines)
    try:
        if as_json:
            printer = EventPrinter()
            table.log.listen(printer)
            await either(playing, printer.failed())
        else:
            await playing
        table.check_ledger()
        return now()
    finally:
        try:
            _record(table, now(), vcd, wav)
        finally:
            await table.close()


def _record(table: VirtualTable, until: float, vcd: Path | None, wav: Path | None) -> None:
    if wav:
        with _named(wav):
            table.sound_card.write_wav(wav)
    if vcd:
        with _named(vcd), vcd.open("w", encoding="ascii") as file:
            write_vcd(file, table.pi.timelines(), until)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have an ``OSError`` say which file it is about: one that comes while writing does not."""
    try:
        yield
    except OSError as problem:
        problem.filename = problem.filename or str(path)
        raise


def _refuse_to_overwrite(recordings: Mapping[str, Path | None], read: Iterable[Path | None]) -> None:
    """Raise `OverwriteError` for a recording that would take the place of what is read, or of another recording."""
    taken = {os.path.realpath(path) for path in read if path}
    for option, path in recordings.items():
        if path and os.path.realpath(path) in taken:
            raise OverwriteError(f"{option} {path}: a recording would overwrite this file; choose another one")
        if path:
            taken.add(os.path.realpath(path))


def _read(path: Path) -> str:
    """The text of a play. Raises ``OSError``, or `PlayError` for what is no text."""
    raw = sys.stdin.buffer.read(LARGEST_PLAY_BYTES + 1) if str(path) == "-" else _read_bytes(path)
    if len(raw) > LARGEST_PLAY_BYTES:
        raise PlayError(1, f"a play has at most {LARGEST_PLAY_BYTES} bytes", path=str(path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise PlayError(line, "this line is not UTF-8 text", path=str(path)) from None


def _read_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_PLAY_BYTES + 1)


@contextmanager
def _directory(state: Path | None) -> Iterator[Path]:
    """Where the table keeps its state: *state*, or a directory that is gone afterwards."""
    if state:
        yield state_directory(state)
    else:
        with gone_afterwards() as gone:
            yield Path(gone)
