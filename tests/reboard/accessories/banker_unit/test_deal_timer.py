"""The deal timer, alone and at the table."""

from __future__ import annotations

import asyncio
import math
import random
from pathlib import Path

import pytest

from reboard.accessories.banker_unit.deal_timer import LONGEST_DEAL_S, SHORTEST_DEAL_S, DealTimer
from reboard.accessories.banker_unit.vocabulary import DealEnded, DealTick
from reboard.devices.audio.libraries import SilentSink
from reboard.devices.speaker import Speaker
from reboard.sounds import SoundSet
from reboard.vocabulary.declared import Event
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import AtTheTable, at_table, stalling, table

SEED = 20081113
DEALS = 500
FALSE_ALARM = 1e-6
"""How often the test of uniformity would fail for a timer that is right, were its seed drawn anew."""

Deals = list[tuple[float, list[float]]]
"""The length of each deal, and the moments of its ticks, in seconds from its start."""


def deals(seed: int, number: int) -> Deals:
    lengths: Deals = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        ticks: list[float] = []
        over = asyncio.Event()
        started_at = 0.0

        def emit(event: Event) -> None:
            if isinstance(event, DealTick):
                ticks.append(loop.time() - started_at)
            if isinstance(event, DealEnded):
                over.set()

        speaker = Speaker(SoundSet.built_in(), SilentSink())
        deal = DealTimer(random.Random(seed), speaker, emit=emit, ended=lambda _: None)
        for _ in range(number):
            started_at = loop.time()
            deal.start(started_at)
            await over.wait()
            over.clear()
            lengths.append((loop.time() - started_at, ticks[:]))
            ticks.clear()

    run(main)
    return lengths


@pytest.fixture(scope="module")
def many() -> Deals:
    return deals(seed=SEED, number=DEALS)


def test_every_deal_lasts_13_to_50_seconds_and_ticks_every_second(many: Deals) -> None:
    assert (SHORTEST_DEAL_S, LONGEST_DEAL_S) == (13, 50)
    for length, ticks in many:
        assert SHORTEST_DEAL_S - 1e-6 <= length <= LONGEST_DEAL_S + 1e-6
        assert ticks == pytest.approx(range(math.ceil(length)), abs=1e-6)


def test_every_length_is_as_likely_as_any_other(many: Deals) -> None:
    """Kolmogorov and Smirnov's test, with the bound of Dvoretzky, Kiefer, Wolfowitz and Massart."""
    lengths = sorted(length for length, _ in many)
    far = max(
        max(abs((index + 1) / DEALS - expected), abs(index / DEALS - expected))
        for index, length in enumerate(lengths)
        for expected in ((length - SHORTEST_DEAL_S) / (LONGEST_DEAL_S - SHORTEST_DEAL_S),)
    )
    assert far < math.sqrt(math.log(2 / FALSE_ALARM) / (2 * DEALS))


def test_two_deals_are_alike_to_eye_and_ear_until_the_shorter_one_ends(ledger_file: Path) -> None:
    """Seeds whose deals differ by much: nothing in the common part tells which one it is."""

    async def deal(seed: int) -> tuple[float, list[tuple[float, object]]]:
        async with table(ledger_file.with_name(f"{seed}.db"), seed=seed) as one:
            await one.do("insert left 1")
            one.keypad.press("DEAL")
            one.keypad.release("DEAL")
            await one.do("wait 51")
            (begin,), (end,) = one.when("deal.started"), one.when("deal.ended")
            noticed = [event for event in one.events if event.name in ("display", "sound") and event.t >= begin]
            return end - begin, [(round(event.t - begin, 3), event.fields) for event in noticed]

    lengths = {seed: random.Random(seed).uniform(SHORTEST_DEAL_S, LONGEST_DEAL_S) for seed in range(20)}
    shortest, longest = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)

    async def main() -> None:
        (short_s, in_short), (long_s, in_long) = await deal(shortest), await deal(longest)
        assert long_s - short_s > 20
        common = [[one for one in noticed if one[0] < short_s - 0.001] for noticed in (in_short, in_long)]
        assert common[0] == common[1]
        assert len(common[0]) > short_s, "a tick a second, and what is shown"

    run(main)


@at_table(books=stalling(pay_all=120.0))
async def test_a_deal_ends_on_time_while_the_disk_hangs(table: AtTheTable) -> None:
    expected = random.Random(1).uniform(SHORTEST_DEAL_S, LONGEST_DEAL_S)
    await table.do("insert left 1; key DEAL; wait 1; key DEAL; type 1M; wait 60")
    assert table.balances == {1: 15_000_000}, "the disk still hangs"
    length = table.when("deal.ended")[0] - table.when("deal.started")[0]
    assert length == pytest.approx(expected, abs=1e-6)
    await table.do("wait 70")
    assert table.balances == {1: 16_000_000}
    assert "AUCTION" not in table.lines[1]
