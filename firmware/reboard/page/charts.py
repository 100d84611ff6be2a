"""The charts, drawn by pygal: balances over the game, and the block's outcomes against its odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from reboard.money import Money
from reboard.page.balance_lines import lines, marks
from reboard.page.chart_look import Drawing, Look, common_options, drawn, library
from reboard.page.chart_words import WORDS
from reboard.page.story import Story

STEPS_PER_PX = 1 / 3
"""Finer steps cannot be told apart."""
MARK_PX = 75
"""A time of day wants so much room, and a name in the legend a little more."""
LEGEND_PX = 110
LEGEND_LINE_PX = 20


def balances(story: Story, names: Mapping[int, str], money: Money, look: Look) -> Drawing:
    """Every card's balance, transfer by transfer. The *story* must have one; *names* may lack cards."""
    words = WORDS[look.language]
    of_cards = lines(story, round(look.width * STEPS_PER_PX))
    columns = min(len(of_cards), look.width // LEGEND_PX)
    full_lines, rest = divmod(len(of_cards), columns)
    one_more = LEGEND_LINE_PX if rest else 0
    options = common_options(look, 130 + look.width // 3 + full_lines * LEGEND_LINE_PX + one_more)
    chart = library().XY(
        **options | {"margin_bottom": options["margin"] + one_more},  # pygal makes room for full lines alone
        legend_at_bottom_columns=columns,
        truncate_legend=-1,
        truncate_label=-1,
        show_dots=False,
        include_x_axis=True,
        xrange=(0, len(story.transfers)),
        max_scale=6,
        value_formatter=lambda amount: money.shown(round(amount)),
    )
    times = marks(story, look.width // MARK_PX, words.weekdays, look.zone)
    chart.x_labels = [{"value": mark.number, "label": mark.text} for mark in times]
    for card, points in of_cards.items():
        chart.add(names.get(card) or words.card.format(card), points)
    return drawn(chart, look, words.balances, [f"card-{card}" for card in of_cards])


def outcomes(odds: Mapping[str, Any], tally: Mapping[str, Any], look: Look) -> Drawing:
    """How often each outcome came, beside how often it was to be expected; both as the snapshot has them."""
    words = WORDS[look.language]
    came = [count for _, count in _each(tally)]
    weights = [weight for _, weight in _each(odds)]
    expected = [presses(tally) * weight / sum(weights) for weight in weights]
    step = _round_step(max(*came, *expected) / 4)
    top = step * ceil(max(*came, *expected) / step)
    chart = library().HorizontalBar(
        **common_options(look, 400), legend_at_bottom_columns=2, truncate_label=-1, range=(0, top)
    )
    # pygal begins at the bottom
    chart.x_labels = [words.outcomes[kind] for kind, _ in _each(tally)][::-1]
    chart.y_labels = range(0, top + 1, step)
    chart.add(words.came, came[::-1])
    chart.add(words.expected, expected[::-1])
    return drawn(chart, look, words.odds.format(presses(tally)), ["came", "expected"])


def presses(tally: Mapping[str, Any]) -> int:
    """How many outcomes were counted."""
    return sum(count for _, count in _each(tally))


def _round_step(least: float) -> int:
    """1, 2, 5, 10, 20 …: the first of them that is not below *least*."""
    tens = 1
    while 5 * tens < least:
        tens *= 10
    return next(step * tens for step in (1, 2, 5) if step * tens >= least)


def _each(counts: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for coins, count in enumerate(counts["coins"], start=1):
        yield f"coins {coins}", count
    for kind in ("laugh", "power_up", "game_over"):
        yield kind, counts[kind]
