"""A disk says that it could not save, and the plug is pulled or not: what was told is what it has. A sample."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.database import LedgerFile
from tests.reboard.accessories.banker_unit.power_cuts.cuts import CERTAIN, by_chance, cuts, kept, spoilt
from tests.reboard.accessories.banker_unit.power_cuts.disk import Sync
from tests.reboard.accessories.banker_unit.power_cuts.evening import begin, book_in, play, transfers
from tests.reboard.accessories.banker_unit.power_cuts.failing import FOR_GOOD, Fault, fail, faults
from tests.reboard.accessories.banker_unit.power_cuts.proof import lay_out, try_all
from tests.reboard.accessories.banker_unit.power_cuts.recording import recorded

WAYS = CERTAIN | by_chance(1) | spoilt(1)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Path]:
    return lambda: Path(tempfile.mkdtemp(dir=tmp_path))


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
    evening = play(root, [*begin(1), *transfers(4)])
    last = evening.confirmed_at[-1]
    lay_out(next(cut.left for cut in cuts(evening.disk, {"kept": kept}) if cut.after == last - 1), root)
    with recorded(root) as disk:
        opened = LedgerFile(book_in(root))
        before_anybody_reads = list(disk.log)
        opened.close()
    log = disk.before.names["state/ledger.db-wal"]
    assert any(isinstance(event, Sync) and event.file is log for event in before_anybody_reads)
