"""The chart of the players' balances over the game."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from math import ceil
from pathlib import Path
from typing import Any

from reboard.accessories.banker_unit.accounts import CARDS, Reason
from reboard.accessories.chart import Chart, Look, svg, text, width_px
from reboard.editions.money import Money
from reboard.graphemes import graphemes
from reboard.languages import Texts

LABEL_PX = 16  # its height
LABEL_WIDTH_PX = 110  # at most
TIME_PX = 80
PX_PER_STEP = 3  # finer steps of a line are not visible
FOLDER = Path(__file__).parent

TransferRow = Mapping[str, Any]
Steps = dict[int, list[tuple[int, int]]]
"""The steps of each card's line: pairs of a transfer's index in the history and the card's balance."""


class BalanceChart(Chart):
    """A chart with a line for each card's balance. The line has steps at the card's transfers.

    The x axis counts transfers, because a time axis would be empty during breaks of the game.
    """

    empty = "no money has moved yet"
    css = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("panel/art.css", "balance_chart.css"))
    request = "history"

    def state(self, snapshot: Mapping[str, Any]) -> Hashable | None:
        drawn = [(card["number"], card["name"]) for card in snapshot.get("cards", ()) if _plays(card)]
        # the starting money alone would be a single point for each card
        if not drawn or all(transfer["reason"] == Reason.START for transfer in snapshot["transfers"]):
            return None
        begin = snapshot.get("counts_from")  # another one for each setup of the bench
        return (snapshot["game"], snapshot["transfers"][0]["id"], snapshot["units"], begin, *drawn)

    def draw(self, snapshot: Mapping[str, Any], answer: Any, look: Look) -> str | None:
        transfers: Sequence[TransferRow] = answer["transfers"]
        if not transfers:  # a new game has begun since the snapshot
            return None
        say = Texts(look.language)
        money = Money(units=snapshot["units"], smallest=1)
        before = {int(card): balance for card, balance in answer["before"].items()}
        absent = {card["number"] for card in snapshot["cards"] if not _plays(card)}
        lines = _steps(before, transfers, look.width_px // PX_PER_STEP)
        for card in absent & lines.keys():
            del lines[card]
        names = {card["number"]: card["name"] for card in snapshot["cards"]}
        labels = {card: _label(names.get(card) or say("Card {number}", number=card)) for card in lines}
        amounts = [0, 1, *(amount for steps in lines.values() for _, amount in steps)]
        step = _round_step((max(amounts) - min(amounts)) / 4)
        ticks = range(min(amounts) // step * step, max(amounts) + step, step)
        left = 16 + max(width_px(say.amount(money.shown(tick))) for tick in ticks)
        right = look.width_px - 34 - max(map(width_px, labels.values()), default=0)
        height = look.height_px or 130 + look.width_px // 3
        bottom = height - 34

        def x(number: int) -> float:
            return round(left + (right - left) * number / len(transfers), 1)

        def y(amount: int) -> float:
            return round(bottom - (bottom - 14) * (amount - ticks[0]) / (ticks[-1] - ticks[0]), 1)

        parts = []
        for tick in ticks:
            parts.append(f'<path class="rule" d="M{left} {y(tick)}H{right}"/>')
            parts.append(text(left - 6, y(tick) + 4, say.amount(money.shown(tick)), "end soft"))
        numbers = _evenly(len(transfers) - 1, (right - left) // TIME_PX)
        seconds = [transfers[number]["at"] for number in numbers]
        begin = snapshot.get("counts_from")
        weekdays = say("Mon Tue Wed Thu Fri Sat Sun").split()
        times = _times(seconds, weekdays, look.zone) if begin is None else _clock_times(seconds, begin)
        shown: dict[str, int] = {}
        for time, number in zip(times, numbers, strict=True):
            shown.setdefault(time, number)
        for time, number in shown.items():
            parts.append(text(x(number), height - 12, time, "middle soft"))
        label_ys = _spread({card: y(steps[-1][1]) for card, steps in lines.items()}, bottom)
        for card, steps in lines.items():
            (start, amount), *later = steps
            path = f"M{x(start)} {y(amount)}" + "".join(f"H{x(number)}V{y(balance)}" for number, balance in later)
            # the last piece leads to the label, which may have had to move
            path += f"H{right}l8 {label_ys[card] - y(steps[-1][1]):.1f}h10"
            parts.append(f'<path class="line card-{card}" d="{path}"/>')
            parts.append(text(right + 22, label_ys[card] + 4, labels[card]))
        description = ", ".join(
            f"{labels[card]} {say.amount(money.shown(steps[-1][1]))}" for card, steps in lines.items()
        )
        return svg(look, height, say("Balances over the game"), description, parts, self.css)


def _plays(card: Mapping[str, Any]) -> bool:
    """Return whether a card of the snapshot is a player, or went bankrupt."""
    return bool(card["playing"] or card["retired"])


def _steps(before: Mapping[int, int], transfers: Sequence[TransferRow], most: int) -> Steps:
    """Return the steps of each card's line. If there are more than *most* transfers, several of them form one step."""
    together = ceil(len(transfers) / most)
    now = dict(before)
    lines: Steps = {card: [(0, balance)] for card, balance in now.items()}
    for number, transfer in enumerate(transfers):
        for card, change in _changes(transfer):
            now[card] = now.get(card, 0) + change
        if number % together == 0 or number == len(transfers) - 1:
            for card, balance in now.items():
                steps = lines.setdefault(card, [])
                if not steps or steps[-1][1] != balance:
                    steps.append((number, balance))
    return dict(sorted(lines.items()))


def _label(name: str) -> str:
    """Return the label of a player's line, which leaves room for the line."""
    letters = graphemes(name)
    while width_px("".join(letters)) > LABEL_WIDTH_PX:
        letters[-2:] = "…"
    return "".join(letters)[:1].upper() + "".join(letters)[1:]


def _changes(transfer: TransferRow) -> Iterable[tuple[int, int]]:
    changes = ((transfer["from"], -transfer["amount"]), (transfer["to"], transfer["amount"]))
    return (change for change in changes if change[0] in CARDS)


def _evenly(last: int, most: int) -> list[int]:
    """Return up to *most* indexes from 0 to *last*, at equal distances."""
    gaps = max(1, min(most - 1, last))
    return [gap * last // gaps for gap in range(gaps + 1)]


def _times(seconds: Sequence[float], weekdays: Sequence[str], zone: tzinfo | None) -> list[str]:
    """Return the time of day of each instant, in seconds since 1970. The first of a new day includes the weekday."""
    moments = [datetime.fromtimestamp(second, zone) for second in seconds]
    times = []
    day = moments[0].date() if moments[0].date() == moments[-1].date() else None
    for moment in moments:
        weekday = "" if moment.date() == day else f"{weekdays[moment.weekday()]} "
        times.append(f"{weekday}{moment:%H:%M}")
        day = moment.date()
    return times


def _clock_times(seconds: Sequence[float], begin: float) -> list[str]:
    """Return each instant as the bench shows it: counted from *begin*, such as 3:07 or 1:03:07."""
    times = []
    for second in seconds:
        minutes, rest = divmod(int(abs(second - begin)), 60)
        sign = "\N{MINUS SIGN}" if second - begin <= -1 else ""
        clock = f"{minutes // 60}:{minutes % 60:02}" if minutes >= 60 else str(minutes)
        times.append(f"{sign}{clock}:{rest:02}")
    return times


def _round_step(least: float) -> int:
    """Return the first of 1, 2, 5, 10, 20, 50 … that is not below *least*."""
    steps = (digit * int(f"1{'0' * zeros}") for zeros in range(99) for digit in (1, 2, 5))
    return next(step for step in steps if step >= least)


def _spread(ys: Mapping[int, float], bottom: float) -> dict[int, float]:
    """Return the heights *ys*, in pixels from the top, moved apart so that labels do not overlap."""
    order = sorted(ys, key=lambda card: ys[card])
    placed: dict[int, float] = {}
    lowest, highest = 0.0, bottom
    for card in order:
        placed[card] = max(ys[card], lowest)
        lowest = placed[card] + LABEL_PX
    for card in reversed(order):
        placed[card] = min(placed[card], highest)
        highest = placed[card] - LABEL_PX
    return placed
