"""The deal timer, alone and at the table."""

from __future__ import annotations

import asyncio
import math
import random
from pathlib import Path
from typing import ClassVar

import pytest

from reboard.accessories.banker_unit.timers import LONGEST_DEAL_S, SHORTEST_DEAL_S, DealTimer
from reboard_sim.virtual_time import run
from tests.reboard.accessories.banker_unit.fakes import (
    AtTheTable,
    HandSpeaker,
    Play,
    StallingLedgerThread,
    table,
)

SEED = 20081113
DEALS = 2000
FALSE_ALARM = 1e-6
"""How often each test of uniformity would fail for a timer that is right, were its seed drawn anew."""


def deals(seed: int, number: int) -> list[tuple[float, list[float]]]:
    """The lengths of so many deals, and the moments of their ticks, in seconds from their start."""
    lengths: list[tuple[float, list[float]]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        ticks: list[float] = []
        over = asyncio.Event()
        started_at = 0.0

        def emit(name: str, /, **_: object) -> None:
            if name == "deal.tick":
                ticks.append(loop.time() - started_at)
            if name == "deal.ended":
                over.set()

        deal = DealTimer(random.Random(seed), HandSpeaker(), emit=emit, ended=lambda: None)
        for _ in range(number):
            started_at = loop.time()
            deal.start()
            await over.wait()
            over.clear()
            lengths.append((loop.time() - started_at, ticks[:]))
            ticks.clear()

    run(main)
    return lengths


@pytest.fixture(scope="module")
def many() -> list[tuple[float, list[float]]]:
    print(f"seed {SEED}")
    return deals(seed=SEED, number=DEALS)


def test_every_deal_lasts_13_to_50_seconds(many: list[tuple[float, list[float]]]) -> None:
    assert all(SHORTEST_DEAL_S - 1e-6 <= length <= LONGEST_DEAL_S + 1e-6 for length, _ in many)
    assert (SHORTEST_DEAL_S, LONGEST_DEAL_S) == (13, 50)


def test_every_length_is_as_likely_as_any_other(many: list[tuple[float, list[float]]]) -> None:
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
        async with table(ledger_file.with_name(f"{seed}.sqlite3"), seed=seed) as at_table:
            await at_table.insert("left", 1)
            begin = asyncio.get_running_loop().time()
            at_table.keypad.press("DEAL")
            at_table.keypad.release("DEAL")
            await at_table.wait(51)
            length_s = at_table.when("deal.ended")[0] - at_table.when("deal.started")[0]
            noticed = [*at_table.display.shown, *at_table.speaker.heard]
            return length_s, [(round(when - begin, 3), what) for when, what in noticed if when >= begin]

    lengths = {seed: random.Random(seed).uniform(SHORTEST_DEAL_S, LONGEST_DEAL_S) for seed in range(20)}
    shortest, longest = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)

    async def main() -> None:
        (short_s, in_short), (long_s, in_long) = await deal(shortest), await deal(longest)
        assert long_s - short_s > 20
        common = [[one for one in noticed if one[0] < short_s - 0.001] for noticed in (in_short, in_long)]
        assert common[0] == common[1]
        assert len(common[0]) > short_s, "a tick a second, and what is shown"

    run(main)


def test_ticks_are_always_one_second_apart_whatever_is_left(many: list[tuple[float, list[float]]]) -> None:
    for length, ticks in many:
        assert ticks == pytest.approx(range(math.ceil(length)), abs=1e-6)


def test_the_same_seed_deals_the_same_lengths() -> None:
    assert deals(seed=7, number=5) == deals(seed=7, number=5)
    assert deals(seed=7, number=5) != deals(seed=8, number=5)


class HangingLedgerThread(StallingLedgerThread):
    stalls_s: ClassVar = {"pay": 120.0}


def test_a_deal_ends_on_time_while_the_disk_hangs(play: Play) -> None:
    async def scenario(table: AtTheTable) -> None:
        expected = random.Random(1).uniform(SHORTEST_DEAL_S, LONGEST_DEAL_S)
        await table.insert("left", 1)
        await table.key("DEAL")
        await table.type("1M")
        await table.wait(60)
        assert table.balances == {1: 15_000_000}, "the disk still hangs"
        length = table.when("deal.ended")[0] - table.when("deal.started")[0]
        assert length == pytest.approx(expected, abs=1e-6)
        await table.wait(70)
        assert table.balances == {1: 16_000_000}

    play(scenario, books=HangingLedgerThread)
