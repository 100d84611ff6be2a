"""Whatever was confirmed is there after any power cut, also on a disk that fails: a sample of the proof.

All of it, and how much is lost in other modes: ``make power-cuts``.
"""

from __future__ import annotations

import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from tests.reboard.accessories.banker_unit.power_cuts.connection import Instead
from tests.reboard.accessories.banker_unit.power_cuts.cuts import CERTAIN, by_chance, cuts, kept, spoilt
from tests.reboard.accessories.banker_unit.power_cuts.disk import Sync
from tests.reboard.accessories.banker_unit.power_cuts.evening import begin, book_in, play, transfers, whole
from tests.reboard.accessories.banker_unit.power_cuts.failing import FOR_GOOD, Fault, fail, faults
from tests.reboard.accessories.banker_unit.power_cuts.proof import lay_out, try_all
from tests.reboard.accessories.banker_unit.power_cuts.recording import recorded
from tests.reboard.accessories.banker_unit.power_cuts.runs import RUNS

WAYS = CERTAIN | by_chance(1) | spoilt(1)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Path]:
    return lambda: Path(tempfile.mkdtemp(dir=tmp_path))


@pytest.mark.parametrize(("run", "one_in"), [(run, 1 if run == "last good config" else 40) for run in RUNS])
def test_nothing_confirmed_is_lost_and_nothing_is_half_there(fresh: Callable[[], Path], run: str, one_in: int) -> None:
    disk, check = RUNS[run](fresh())
    tally = try_all(cuts(disk, WAYS, one_in=one_in), check, fresh())
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
def test_a_book_that_is_opened_with_less_care_is_caught_losing(fresh: Callable[[], Path], instead: Instead) -> None:
    evening = play(fresh(), [*begin(), *transfers(2)], instead=instead)
    assert try_all(cuts(evening.disk, WAYS, one_in=12), whole(evening), fresh(), until_loss=True).losses


@pytest.mark.parametrize("times", [1, FOR_GOOD], ids=["once", "for good"])
def test_a_sync_that_fails_leaves_what_was_told(fresh: Callable[[], Path], times: int) -> None:
    words: Counter[str] = Counter()
    tried = 0
    for failing in faults("sync", times, fresh):
        words.update(failing.words)
        tally = try_all(cuts(failing.disk, WAYS, one_in=100), failing.check, fresh())
        tried += tally.tried
        assert not tally.losses, f"{failing.words}: {tally.losses[0]}"
    assert tried > 20
    assert words["not saved, and not there" if times == 1 else "no ledger, and there"]


@pytest.mark.parametrize("first", range(0, 80, 20))
@pytest.mark.parametrize("times", [1, FOR_GOOD], ids=["once", "for good"])
def test_a_write_that_finds_no_room_leaves_what_was_told(fresh: Callable[[], Path], first: int, times: int) -> None:
    failing = fail(fresh(), Fault("write", first, times))
    tally = try_all(cuts(failing.disk, WAYS, one_in=50), failing.check, fresh())
    assert set(failing.words) != {"saved, and there"} or times == 1
    assert not tally.losses, f"{failing.words}: {tally.losses[0]}"


def test_a_book_in_doubt_that_is_not_opened_anew_is_caught(
    fresh: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LedgerFile, "in_doubt", property(lambda _: False, lambda *_: None), raising=False)
    assert any(
        try_all(cuts(failing.disk, {"kept": kept}, one_in=3), failing.check, fresh(), until_loss=True).losses
        for failing in faults("sync", 1, fresh)
    )


def test_what_a_killed_process_has_left_unsynced_is_synced_before_anybody_reads_it(fresh: Callable[[], Path]) -> None:
    root = fresh()
    evening = play(root, [*begin(), *transfers(4)])
    last = evening.confirmed_at[-1]
    lay_out(next(cut.left for cut in cuts(evening.disk, {"kept": kept}) if cut.after == last - 1), root)
    with recorded(root) as disk:
        opened = LedgerFile(book_in(root))
        before_anybody_reads = list(disk.log)
        opened.close()
    log = disk.before.names["state/ledger.db-wal"]
    assert any(isinstance(event, Sync) and event.file is log for event in before_anybody_reads)
