"""The whole proof, with its figures as tables: ``make power-cuts``. Some minutes; a loss makes it end with 1."""

from __future__ import annotations

import itertools
import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.printing import print_table
from tests.reboard.accessories.banker_unit.power_cuts.connection import Instead
from tests.reboard.accessories.banker_unit.power_cuts.cuts import CERTAIN, Survivors, by_chance, cuts, spoilt
from tests.reboard.accessories.banker_unit.power_cuts.disk import Sync, SyncDirectory, Write
from tests.reboard.accessories.banker_unit.power_cuts.evening import begin, play, transfers, whole
from tests.reboard.accessories.banker_unit.power_cuts.failing import FOR_GOOD, faults
from tests.reboard.accessories.banker_unit.power_cuts.proof import IN_MEMORY, Tally, try_all
from tests.reboard.accessories.banker_unit.power_cuts.runs import RUNS

ROUNDS = 2
"""How often chance decides at each cut."""

MODES = {
    "WAL + FULL": ("WAL", 2),
    "WAL + NORMAL": ("WAL", 1),
    "DELETE + EXTRA": ("DELETE", 3),
    "DELETE + FULL": ("DELETE", 2),
    "TRUNCATE + FULL": ("TRUNCATE", 2),
    "PERSIST + FULL": ("PERSIST", 2),
    "DELETE + OFF": ("DELETE", 0),
}

LESS = CERTAIN | by_chance(1)
"""The ways that are tried in every mode."""

FAILING_ONE_IN = 20
"""Of the power cuts on a disk that fails, one in so many is tried: there is a run for each of its failures."""

SPOILT = (512, 4096, 8192, 16384)
"""How many bytes a memory card may lose at once. No promise is made for more than 4096."""


def main() -> int:
    """Try every run as shipped and every mode, and print what was found."""
    logging.disable()
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as directory:

        def fresh() -> Path:
            return Path(tempfile.mkdtemp(dir=directory))

        proof = {name: _as_shipped(fresh, run) for name, run in RUNS.items()}
        for kind, times in itertools.product(("sync", "write"), (1, FOR_GOOD)):
            proof[f"a {kind} fails {'for good' if times > 1 else 'once'}"] = _failing(fresh, kind, times)
        rows = [[name, f"{number}", *_cells(tally)] for name, (number, tally) in proof.items()]
        print_table("As shipped", ["run", "events or faults", "cuts", "different", "with a loss"], rows)
        modes = [(name, Instead({"journal_mode": j, "synchronous": s}), LESS) for name, (j, s) in MODES.items()]
        modes += [(f"{size} bytes are spoilt", Instead(), spoilt(ROUNDS, (size,))) for size in SPOILT]
        modes += [("the same, without psow=0", Instead(psow=1), spoilt(ROUNDS))]
        head = ["mode", "cuts", "different", "with a loss", "syncs a transfer", "kB a transfer"]
        print_table("In every mode", head, [_mode(fresh, *mode) for mode in modes])
    losses = [loss for _, tally in proof.values() for loss in tally.losses]
    print(*losses[:20], sep="\n")
    return 1 if losses else 0


def _as_shipped(fresh: Callable[[], Path], run: Callable[[Path], Any]) -> tuple[int, Tally]:
    disk, check = run(fresh())
    every_cut = cuts(disk, CERTAIN | by_chance(ROUNDS) | spoilt(ROUNDS), one_by_one=True)
    return len(disk.log), try_all(every_cut, check, fresh())


def _failing(fresh: Callable[[], Path], kind: str, times: int) -> tuple[int, Tally]:
    together, failures = Tally(), 0
    for failing in faults(kind, times, fresh):
        failures += 1
        tally = try_all(cuts(failing.disk, LESS, one_in=FAILING_ONE_IN), failing.check, fresh())
        together.tried += tally.tried
        together.different += tally.different
        together.losses += tally.losses
    return failures, together


def _mode(fresh: Callable[[], Path], name: str, instead: Instead, ways: dict[str, Survivors]) -> list[str]:
    start, number = begin(), 8
    evening = play(fresh(), [*start, *transfers(number)], instead=instead)
    tally = try_all(cuts(evening.disk, ways), whole(evening), fresh())
    first, last = evening.confirmed_at[len(start) - 1], evening.confirmed_at[-1]
    log = evening.disk.log[first:last]
    syncs = sum(isinstance(event, Sync | SyncDirectory) for event in log) / number
    kilobytes = sum(len(event.data) for event in log if isinstance(event, Write)) / number / 1000
    return [name, *_cells(tally), f"{syncs:.1f}", f"{kilobytes:.0f}"]


def _cells(tally: Tally) -> list[str]:
    return [f"{tally.tried}", f"{tally.different}", f"{len(tally.losses)}"]


if __name__ == "__main__":
    sys.exit(main())
