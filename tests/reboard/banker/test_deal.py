"""The deal timer, alone and at the table."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
from collections import Counter
from pathlib import Path
from statistics import NormalDist
from typing import ClassVar

import pytest

from reboard.banker.deal import LONGEST_S, SHORTEST_S, Deal
from reboard_sim.virtual_time import run
from tests.reboard.banker.hand_table import AtTheTable, Hands, HandSpeaker, Play, StallingBookkeeper, table

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

        def emit(name: str, /, **_: object) -> None:
            if name == "deal.tick":
                ticks.append(loop.time() - deal.started_at)
            if name == "deal.ended":
                over.set()

        deal = Deal(random.Random(seed), HandSpeaker(), emit=emit, changed=lambda: None)
        for _ in range(number):
            deal.start()
            await over.wait()
            over.clear()
            lengths.append((loop.time() - deal.started_at, ticks[:]))
            ticks.clear()

    run(main)
    return lengths


@pytest.fixture(scope="module")
def many() -> list[tuple[float, list[float]]]:
    print(f"seed {SEED}")
    return deals(seed=SEED, number=DEALS)


def test_every_deal_lasts_13_to_50_seconds(many: list[tuple[float, list[float]]]) -> None:
    assert all(SHORTEST_S - 1e-6 <= length <= LONGEST_S + 1e-6 for length, _ in many)
    assert (SHORTEST_S, LONGEST_S) == (13, 50)


def test_every_length_is_as_likely_as_any_other(many: list[tuple[float, list[float]]]) -> None:
    """Kolmogorov and Smirnov's test, with the bound of Dvoretzky, Kiefer, Wolfowitz and Massart."""
    lengths = sorted(length for length, _ in many)
    far = max(
        max(abs((index + 1) / DEALS - expected), abs(index / DEALS - expected))
        for index, length in enumerate(lengths)
        for expected in ((length - SHORTEST_S) / (LONGEST_S - SHORTEST_S),)
    )
    assert far < math.sqrt(math.log(2 / FALSE_ALARM) / (2 * DEALS))


def test_every_second_of_the_range_is_as_likely_as_any_other(many: list[tuple[float, list[float]]]) -> None:
    """Pearson's chi-square over the 37 seconds; its quantile by Wilson and Hilferty."""
    seconds = int(LONGEST_S - SHORTEST_S)
    drawn = Counter(min(int(length - SHORTEST_S), seconds - 1) for length, _ in many)
    expected = DEALS / seconds
    chi_square = sum((drawn[second] - expected) ** 2 / expected for second in range(seconds))
    free = seconds - 1
    far = NormalDist().inv_cdf(1 - FALSE_ALARM)
    bound = free * (1 - 2 / (9 * free) + far * math.sqrt(2 / (9 * free))) ** 3
    print(f"seed {SEED}: chi-square {chi_square:.1f} of {free} degrees of freedom, bound {bound:.1f}")
    assert chi_square < bound


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

    lengths = {seed: random.Random(seed).uniform(SHORTEST_S, LONGEST_S) for seed in range(20)}
    shortest, longest = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)

    async def main() -> None:
        (short_s, in_short), (long_s, in_long) = await deal(shortest), await deal(longest)
        assert long_s - short_s > 20
        common = [[one for one in noticed if one[0] < short_s - 0.001] for noticed in (in_short, in_long)]
        assert common[0] == common[1]
        assert len(common[0]) > short_s, "a tick a second, and what is shown"

    run(main)


def test_a_deals_length_says_nothing_about_the_next_one(many: list[tuple[float, list[float]]]) -> None:
    lengths = [length for length, _ in many]
    mean = sum(lengths) / DEALS
    variance = sum((length - mean) ** 2 for length in lengths) / DEALS
    together = sum((one - mean) * (next_one - mean) for one, next_one in itertools.pairwise(lengths))
    # nearly normal with deviation 1/sqrt(DEALS): beyond five deviations once in 1.7 million seeds
    assert abs(together / DEALS / variance) < 5 / math.sqrt(DEALS)


def test_ticks_are_always_one_second_apart_whatever_is_left(many: list[tuple[float, list[float]]]) -> None:
    for length, ticks in many:
        assert ticks == pytest.approx(range(math.ceil(length)), abs=1e-6)


def test_the_same_seed_deals_the_same_lengths() -> None:
    assert deals(seed=7, number=5) == deals(seed=7, number=5)
    assert deals(seed=7, number=5) != deals(seed=8, number=5)


def test_deal_is_shown_and_ticks_until_the_gavel(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("DEAL")
        assert table.lines == ("WORLD EDITION", "DEAL")
        assert table.unit.snapshot()["deal"] == {"running": True}
        await table.wait(51)
        assert table.sounds.count("gavel") == 1
        assert table.sounds[-1] == "gavel"
        assert table.told("deal.started") == table.told("deal.ended") == [{}]
        assert table.lines == ("WORLD EDITION", "INSERT CARD")
        length = table.when("deal.ended")[0] - table.when("deal.started")[0]
        assert len(table.told("deal.tick")) == table.sounds.count("deal_tick") == math.ceil(length)

    play(hands)


def test_nothing_shown_changes_while_a_deal_runs(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("DEAL")
        shown = table.display.lines
        while table.unit.snapshot()["deal"] == {"running": True}:
            assert table.display.lines == shown
            await table.wait(0.5)

    play(hands)


def test_a_second_press_of_deal_neither_shortens_nor_lengthens_it(play: Play) -> None:
    ends: list[float] = []

    def hands_that_press(again: bool) -> Hands:
        async def hands(table: AtTheTable) -> None:
            await table.key("DEAL")
            await table.wait(5)
            if again:
                await table.key("DEAL")
            await table.wait(60)
            assert len(table.told("deal.started")) == 1
            ends.extend(table.when("deal.ended"))

        return hands

    play(hands_that_press(False))
    play(hands_that_press(True))
    assert ends[0] == pytest.approx(ends[1])


def test_c_calls_the_deal_off(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("DEAL")
        await table.wait(3)
        await table.key("C")
        assert table.told("deal.cancelled") == [{}]
        assert table.lines == ("WORLD EDITION", "INSERT CARD")
        heard = len(table.sounds)
        await table.wait(60)
        assert len(table.sounds) == heard, "no tick and no gavel afterwards"
        await table.key("DEAL")
        await table.key("DEAL")
        assert len(table.told("deal.started")) == 2

    play(hands)


def test_cards_are_used_while_a_deal_runs(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("DEAL")
        await table.insert("left", 1)
        assert table.lines == ("+1 15M", "DEAL")
        await table.insert("right", 2)
        assert table.display.lines == ("+1 15M      DEAL", "-2 15M")
        await table.type("1M")
        assert table.display.lines == ("+1 16M      DEAL", "-2 14M")
        assert table.unit.snapshot()["deal"] == {"running": True}

    play(hands)


def test_c_takes_back_what_was_done_last_the_transfer_or_the_deal(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.insert("left", 1)
        await table.type("1M")
        await table.key("DEAL")
        await table.type("2M")
        await table.type("77")
        await table.key("C")
        await table.key("C")
        assert table.balances == {1: 16_000_000}
        assert table.told("deal.cancelled") == []
        await table.key("C")
        assert table.told("deal.cancelled") == [{}]
        assert table.balances == {1: 16_000_000}
        await table.key("C")
        assert table.balances == {1: 15_000_000}

    play(hands)


def test_a_new_game_calls_the_deal_off(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        await table.key("DEAL")
        await table.unit.requests.new_game()
        assert table.told("deal.cancelled") == [{}]

    play(hands)


class HangingBookkeeper(StallingBookkeeper):
    stalls_s: ClassVar = {"pay": 120.0}


def test_a_deal_ends_on_time_while_the_disk_hangs(play: Play) -> None:
    async def hands(table: AtTheTable) -> None:
        expected = random.Random(1).uniform(SHORTEST_S, LONGEST_S)
        await table.insert("left", 1)
        await table.key("DEAL")
        await table.type("1M")
        await table.wait(60)
        assert table.balances == {1: 15_000_000}, "the disk still hangs"
        length = table.when("deal.ended")[0] - table.when("deal.started")[0]
        assert length == pytest.approx(expected, abs=1e-6)
        await table.wait(70)
        assert table.balances == {1: 16_000_000}

    play(hands, books=HangingBookkeeper)
