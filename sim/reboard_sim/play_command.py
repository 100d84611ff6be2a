"""``reboard-sim play``: carry out a play in virtual time, and say whether it held."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reboard.errors import ReboardError
from reboard_sim.event_log import Told
from reboard_sim.play import CheckFailed, Player
from reboard_sim.play_language import Line, PlayError, parse_play
from reboard_sim.scene import Scene
from reboard_sim.trace import write_vcd
from reboard_sim.virtual_table import VirtualTable
from reboard_sim.virtual_time import VirtualTimeLoop

HELD, FAILED, UNREADABLE = 0, 1, 2
"""Exit statuses: every check held; one did not; the file cannot be used."""

LONGEST_RECORDING_S = 3 * 3600.0
LARGEST_PLAY_BYTES = 1_000_000

MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory: a ledger that is gone afterwards need not wait for a disk."""


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
        lines = parse_play(_read(path), path=str(path))
        with _directory(state) as directory:
            scene = Scene.load(config, directory)
            listener = _print_event if as_json else None
            with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
                seconds = runner.run(_perform(lines, scene, seed, str(path), listener, vcd, wav))
    except CheckFailed as failed:
        print(f"{failed}\n{path}: the seed was {seed}", file=sys.stderr)
        return FAILED
    except ReboardError as problem:
        print(problem, file=sys.stderr)
        return UNREADABLE
    except OSError as problem:
        print(f"{problem.filename or path}: {problem.strerror or problem}", file=sys.stderr)
        return UNREADABLE
    if not as_json:
        checks = sum(line.form.is_check for line in lines)
        print(f"{path}: {checks} of {checks} checks held, {seconds:.1f} s at the table, seed {seed}")
    return HELD


async def _perform(
    lines: Sequence[Line],
    scene: Scene,
    seed: int,
    path: str,
    listener: Callable[[Told], None] | None,
    vcd: Path | None,
    wav: Path | None,
) -> float:
    """Carry the lines out and write the recordings, also of a play that failed. Returns the seconds at the table."""
    now = asyncio.get_running_loop().time
    table = VirtualTable(scene, seed=seed, keep_sound_s=LONGEST_RECORDING_S)
    if listener:
        table.log.listen(listener)
    try:
        await Player(table, path=path).perform(lines)
        return now()
    finally:
        try:
            _record(table, now(), vcd, wav)
        finally:
            await table.close()


def _record(table: VirtualTable, until: float, vcd: Path | None, wav: Path | None) -> None:
    if wav:
        table.sound_card.write_wav(wav)
    if vcd:
        with vcd.open("w", encoding="ascii") as file:
            write_vcd(file, table.pi.wires(), until)


def _print_event(told: Told) -> None:
    print(json.dumps(told))


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
        yield state
    else:
        with tempfile.TemporaryDirectory(prefix="reboard-", dir=MEMORY if MEMORY.is_dir() else None) as gone:
            yield Path(gone)
