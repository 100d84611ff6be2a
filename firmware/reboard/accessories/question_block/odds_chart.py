"""The chart of the question block: the actual and the expected number of each outcome."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from reboard.accessories.chart import Chart, Look, svg, text, width_px
from reboard.accessories.question_block.outcomes import KINDS, each_of
from reboard.languages import Texts

ROW_PX = 26


class OddsChart(Chart):
    """A bar chart with the number of each outcome, and a mark at the expected number."""

    empty = "the question block has not been pressed yet"

    def state(self, snapshot: Mapping[str, Any]) -> Hashable | None:
        block = snapshot.get("block")
        if not block or not any(_each_count(block["tally"])):
            return None
        return (*_each_count(block["odds"]), *_each_count(block["tally"]))

    def draw(self, snapshot: Mapping[str, Any], answer: Any, look: Look) -> str:
        say = Texts(look.language)
        word_came, word_expected = say("actual"), say("expected")
        names = [
            say.plural("1 coin", "{n} coins", outcome.coins) if outcome.coins else say(kind.label)
            for kind in KINDS.values()
            for outcome in kind.outcomes
        ]
        came, weights = (_each_count(snapshot["block"][name]) for name in ("tally", "odds"))
        expected = [sum(came) * weight / sum(weights) for weight in weights]
        left = 20 + max(map(width_px, names))
        px_each = (look.width_px - left - 24 - width_px(str(max(came)))) / max(*came, *expected)
        parts, description, y = [], [], 22
        for name, count, due in zip(names, came, expected, strict=True):
            parts += [text(left - 8, y + 4, name, "end"), text(look.width_px - 12, y + 4, str(count), "end")]
            parts += [_bar(left, y, count * px_each), _mark(left + due * px_each, y)]
            description.append(f"{name}: {count} ({word_expected}: {say.amount(f'{due:.1f}')})")
            y += ROW_PX
        right = left + 40 + width_px(word_came)
        parts += [_bar(left, y, 14), text(left + 20, y + 4, word_came, "soft")]
        parts += [_mark(right, y), text(right + 8, y + 4, word_expected, "soft")]
        title = say("Outcomes of the question block ({number} in total), and the expected numbers", number=sum(came))
        return svg(look, y + 24, title, ", ".join(description), parts)


def _each_count(counts: Mapping[str, Any]) -> list[int]:
    """Return the values of ``odds`` or ``tally`` from the snapshot, in the order of the chart."""
    return [count for name in KINDS for count in each_of(counts[name])]


def _bar(x: float, y: float, width: float) -> str:
    return f'<rect class="bar" x="{x:.1f}" y="{y - 7}" width="{width:.1f}" height="14" rx="2"/>'


def _mark(x: float, y: float) -> str:
    return f'<rect class="mark" x="{x - 2.5:.1f}" y="{y - 10}" width="5" height="20"/>'
