"""The demos that the bench shows: each is a short play that leaves the table as it was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reboard.devices.readers.reader_kind import READER_KINDS
from reboard.editions.edition import editions_in_the_box
from reboard_sim.accessories.installed import simulated_accessories
from reboard_sim.bench.bench_acts import Setup
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import parse_line
from reboard_sim.scene import Scene
from reboard_sim.session import checks_now
from reboard_sim.virtual_table import VirtualTable
from tests.virtual import in_virtual_time

SETUPS = [
    *(Setup(edition.name) for edition in editions_in_the_box()),
    *(Setup("world", readers=dict.fromkeys(("left", "right"), reader)) for reader in READER_KINDS),
]

WITH_DEMO = [name for name, each in simulated_accessories().items() if each.files("demo.play")]
CASES = [
    *(("bank", setup) for setup in SETUPS),
    *((name, Setup(edition)) for name in WITH_DEMO for edition in ("classic-de", "super-mario") if name != "bank"),
]
"""The other demos know nothing of readers, and of editions only whether the block's outcomes are worth money."""


async def perform(table: VirtualTable, *texts: str) -> None:
    lines = (parse_line(text, number) for number, text in enumerate(texts, start=1))
    await Player(table).perform(line for line in lines if line)


@pytest.mark.parametrize(
    ("accessory", "setup"), CASES, ids=[f"{name} {each.edition} {each.readers.get('left', '')}" for name, each in CASES]
)
@in_virtual_time
async def test_the_demo_is_short_and_leaves_the_table_as_it_was(accessory: str, setup: Setup, tmp_path: Path) -> None:
    scene = Scene.load(None, tmp_path)
    table = VirtualTable(scene, seed=1)
    await perform(table, *setup.first_lines(scene, 1), "wait 5")
    before, begun = checks_now(table), asyncio.get_running_loop().time()
    [demo] = simulated_accessories()[accessory].files("demo.play")
    await perform(table, *demo.read_text().splitlines())
    assert 10 < asyncio.get_running_loop().time() - begun < 20
    await asyncio.sleep(5)
    assert set(before) <= set(checks_now(table)), "display, lamp and motor"
    moved = (row for row in table.snapshot()["transfers"] if row["reason"] not in ("start", "coins"))
    assert sum(row["amount"] if row["to"] else -row["amount"] for row in moved) == 0, "no balance has changed"
    assert not any(event["event"] == "refused" for _, event in table.log.since(0))
    await table.close()
