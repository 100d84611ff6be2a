"""Whatever was confirmed is there after a power cut, wherever it comes: a sample of the proof.

All of it, and how much is lost in other modes: ``make power-cuts``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reboard.accessories.banker_unit.power_cuts.connection import Instead
from tests.reboard.accessories.banker_unit.power_cuts.cuts import CERTAIN, by_chance, cuts, spoilt
from tests.reboard.accessories.banker_unit.power_cuts.evening import begin, play, transfers, whole
from tests.reboard.accessories.banker_unit.power_cuts.proof import try_all
from tests.reboard.accessories.banker_unit.power_cuts.runs import RUNS

WAYS = CERTAIN | by_chance(1) | spoilt(1)


@pytest.mark.parametrize(("run", "one_in"), [(run, 1 if run == "last good config" else 40) for run in RUNS])
def test_nothing_confirmed_is_lost_and_nothing_is_half_there(tmp_path: Path, run: str, one_in: int) -> None:
    (tmp_path / "table").mkdir()
    disk, check = RUNS[run](tmp_path / "table")
    tally = try_all(cuts(disk, WAYS, one_in=one_in), check, tmp_path / "left")
    assert tally.tried > 10
    assert not tally.losses, "\n".join(tally.losses[:5])


@pytest.mark.parametrize(
    "instead",
    [
        Instead({"journal_mode": "WAL", "synchronous": 1}),
        Instead({"journal_mode": "DELETE", "synchronous": 2}),
        Instead(psow=1),
    ],
    ids=["a log not synced", "a removal not synced", "sectors trusted"],
)
def test_a_book_that_is_opened_with_less_care_is_caught_losing(tmp_path: Path, instead: Instead) -> None:
    (tmp_path / "table").mkdir()
    evening = play(tmp_path / "table", [*begin(1), *transfers(2)], instead=instead)
    assert try_all(cuts(evening.disk, WAYS, one_in=12), whole(evening), tmp_path / "left", until_loss=True).losses
