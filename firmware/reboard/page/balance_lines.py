"""What a chart of balances shows, before anything is drawn: lines of steps, and times of day below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from math import ceil

from reboard.page.story import Story, after

Point = tuple[int, int]
"""After so many transfers, so much."""


def lines(story: Story, most_steps: int) -> dict[int, list[Point]]:
    """The corners of each card's line, by the card's number.

    Along a chart stand the transfers, not the hours: a game has long pauses. A line has at most *most_steps* steps; in
    a longer game some transfers are taken together.
    """
    count = len(story.transfers)
    together = ceil(count / most_steps)
    shown = dict(story.before)
    corners: dict[int, list[Point]] = {card: [(0, balance)] for card, balance in sorted(story.before.items())}
    now = dict(story.before)
    for number, transfer in enumerate(story.transfers, start=1):
        now.update(after(transfer, now))
        if number % together and number < count:
            continue
        for card, balance in now.items():
            if card not in shown:
                corners[card] = [(number, balance)]
            elif shown[card] != balance:
                corners[card] += [(number, shown[card]), (number, balance)]
        shown = dict(now)
    return {card: [*points, (count, shown[card])] for card, points in sorted(corners.items())}


@dataclass(frozen=True, slots=True)
class Mark:
    """A time of day below the transfer *number*."""

    number: int
    text: str


def marks(story: Story, most: int, weekdays: Sequence[str], zone: tzinfo | None = None) -> list[Mark]:
    """At most *most* times, evenly spread over the transfers; over several days each day's first has its weekday.

    They are those of *zone*, or else of this machine's.
    """
    count = len(story.transfers)
    steps = min(most, count) - 1
    numbers = sorted({1 + round(step * (count - 1) / steps) for step in range(steps + 1)} if steps > 0 else {1})
    times = [datetime.fromtimestamp(story.transfers[number - 1]["at"], zone) for number in numbers]
    one_day = times[0].date() == times[-1].date()
    found: list[Mark] = []
    day = times[0].date() if one_day else None
    for number, time in zip(numbers, times, strict=True):
        text = f"{time:%H:%M}" if time.date() == day else f"{weekdays[time.weekday()]} {time:%H:%M}"
        day = time.date()
        if not found or text != found[-1].text:
            found.append(Mark(number, text))
    return found
