"""Whatever was confirmed is there after a power cut, wherever it comes: a sample of the proof.

All of it, and how much is lost in other modes: ``make power-cuts``.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reboard.banker.power_cuts.connection import Instead
from tests.reboard.banker.power_cuts.cuts import CERTAIN, by_chance, cuts
from tests.reboard.banker.power_cuts.evening import begin, play, transfers, whole
from tests.reboard.banker.power_cuts.proof import IN_MEMORY, try_all
from tests.reboard.banker.power_cuts.runs import RUNS

WAYS = CERTAIN | by_chance(1)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def room() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as directory:
        (Path(directory) / "table").mkdir()
        yield Path(directory)


@pytest.mark.parametrize(("run", "one_in"), [(run, 1 if run == "last good config" else 20) for run in RUNS])
def test_nothing_confirmed_is_lost_and_nothing_is_half_there(room: Path, run: str, one_in: int) -> None:
    disk, check = RUNS[run](room / "table")
    tally = try_all(cuts(disk, WAYS, one_in=one_in), check, room / "left")
    print(f"{run}: {tally}")
    assert tally.tried > 10
    assert not tally.losses, "\n".join(tally.losses[:5])


@pytest.mark.parametrize(("journal_mode", "synchronous"), [("WAL", 1), ("DELETE", 2)])
def test_a_mode_that_does_not_sync_what_it_confirms_is_caught_losing(
    room: Path, journal_mode: str, synchronous: int
) -> None:
    instead = Instead({"journal_mode": journal_mode, "synchronous": synchronous})
    evening = play(room / "table", [*begin(1), *transfers(2)], instead=instead)
    assert try_all(cuts(evening.disk, WAYS, one_in=8), whole(evening), room / "left").losses
