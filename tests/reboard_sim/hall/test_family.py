"""A family plays whole games by itself."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from reboard.accessories.banker_unit.database import LEDGER_FILE, LedgerFile
from reboard.accessories.banker_unit.player_names import must_be
from reboard_sim.hall import family
from reboard_sim.hall.family import NAMES, Family, family_names
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from tests.virtual import in_virtual_time


def test_no_two_families_share_a_name() -> None:
    names = [name for table in range(1, 1001) for name in family_names(table, 7)]
    assert len(set(names)) == len(names) == 5000
    assert set(names[:30]) < set(NAMES)
    assert [must_be(name) for name in names if must_be(name)] == []


@pytest.mark.parametrize("edition", ["world", "super-mario"])
def test_a_family_plays_games_to_their_end_and_begins_others(
    edition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(family, "TURNS", (6, 8))

    @in_virtual_time
    async def evening() -> None:
        table = VirtualTable(Scene.load(None, tmp_path, edition=edition), seed=1)
        await table.power_on()
        seen: Counter[str] = Counter()
        two_have_ended = asyncio.Event()

        def see(event: Mapping[str, object]) -> None:
            seen.update([str(event["event"])])
            if seen["game.ended"] == 2:
                two_have_ended.set()

        table.log.listen(see)
        playing = asyncio.create_task(Family(table, 3, Random(1)).play())
        async with asyncio.timeout(2400):
            await two_have_ended.wait()
            await asyncio.sleep(60)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        await table.close()
        assert seen["game.started"] >= 2
        assert seen["block.outcome"] > 5
        assert seen["transfer"] > 30
        assert seen["refused"] < seen["transfer"] / 4  # what the family does is what the bank expects

    evening()
    with closing(LedgerFile(tmp_path / LEDGER_FILE, read_only=True)) as ledger:
        assert ledger.verify() == []
        for game in ledger.games()[:2]:
            assert len(ledger.transfers_after(0)) > 30
            assert game.ended_at
