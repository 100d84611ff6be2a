"""The charts: what is drawn, how often, and their answers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reboard.accessories.banker_unit.balance_chart import BalanceChart
from reboard.accessories.chart import WIDTHS_PX, Look, style
from reboard.accessories.question_block.odds_chart import OddsChart
from reboard.accessories.question_block.outcomes import Odds, by_kind
from reboard.editions.money import Money
from reboard.errors import ReboardError
from reboard.web.charts import MOST_KEPT
from tests.reboard.web.app_client import Client, with_page
from tests.reboard.web.fake_table import PLAYS, SNAPSHOT, FakeTable
from tests.virtual import happened

SVG = "{http://www.w3.org/2000/svg}"
UNITS = Money(units=True, smallest=10_000)
HOSTILE = '<b>"><script>]]>&amp;{{ 1 }}%s'
EVENING = 1_763_755_200.0


def transfer(number: int, from_: int, to: int, amount: int, at: float = EVENING) -> dict[str, Any]:
    rest = {"game": 3, "reason": "players", "undoes": None, "act": None}
    return {"id": number, "from": from_, "to": to, "amount": amount, "at": at, **rest}


def any_game(count: int, cards: int = 4, *, seed: int = 1) -> list[dict[str, Any]]:
    """Return transfers, oldest first; the first ones give each card its start."""
    random = Random(seed)
    rows = [transfer(card, 0, card, 15_000_000) for card in range(1, cards + 1)]
    for number in range(cards + 1, count + 1):
        payer, receiver = random.sample(range(cards + 1), 2)
        rows.append(transfer(number, payer, receiver, random.randrange(1, 30) * 100_000, EVENING + 60 * number))
    return rows[:count]


def draw(
    rows: list[dict[str, Any]],
    look: Look = Look(),  # noqa: B008
    *,
    before: dict[str, int] | None = None,
    names: dict[int, str] | None = None,
    units: bool = True,
    began: float | None = None,
) -> str:
    cards = [{"number": number, "name": name, **PLAYS} for number, name in (names or {}).items()]
    answer = {"game": 3, "before": before or {}, "transfers": rows}
    svg = BalanceChart().draw({"cards": cards, "units": units, "counts_from": began}, answer, look)
    assert svg
    return svg


def texts(svg: str, anchor: str = "") -> list[str]:
    return [text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text") if anchor in text.get("class", "")]


def test_each_line_ends_at_its_name() -> None:
    root = ET.fromstring(draw(any_game(60), Look(language="de"), names={1: HOSTILE, 2: "Ben"}))
    lines = [line for line in root.iter(f"{SVG}path") if "line" in line.get("class", "")]
    labels = {text.text: float(text.get("y", 0)) for text in root.iter(f"{SVG}text")}
    for name, line in zip([f"{HOSTILE[:11]}…", "Ben", "Karte 3", "Karte 4"], lines, strict=True):
        last_y, moved = (float(re.findall(rf"{way}(-?[\d.]+)", line.get("d", ""))[-1]) for way in ("V", "l8 "))
        assert labels[name] == pytest.approx(last_y + moved + 4, abs=0.1)


def test_cards_that_do_not_play_have_no_line() -> None:
    absent = {"retired": False, "left": True, "playing": False}
    cards = [{"number": 1, "name": "Anna", **PLAYS}, {"number": 2, "name": "Ben", **absent}]
    snapshot = {"cards": cards, "units": True, "counts_from": None}
    svg = BalanceChart().draw(snapshot, {"game": 3, "before": {}, "transfers": any_game(9, 2)}, Look())
    assert svg
    assert "Anna" in svg
    assert "Ben" not in svg


def test_a_line_has_a_step_where_the_balance_changed() -> None:
    rows = [transfer(1, 0, 1, 15), transfer(2, 0, 2, 15), transfer(3, 1, 2, 5), transfer(4, 9, 2, 1)]
    root = ET.fromstring(draw(rows, before={"3": 7}, units=False))
    paths = {line.get("class"): line.get("d", "") for line in root.iter(f"{SVG}path")}
    assert {card: len(re.findall("V", paths[f"line card-{card}"])) for card in (1, 2, 3)} == {1: 1, 2: 2, 3: 0}
    assert root.findtext(f"{SVG}desc") == "Card 1 10, Card 2 21, Card 3 7"
    rows = [transfer(1, 0, 1, 1500), transfer(2, 1, 0, 1700)]
    assert texts(draw(rows, units=False), "end") == ["-500", "0", "500", "1000", "1500"]


@given(count=st.integers(1, 300), cards=st.integers(1, 8), seed=st.integers(0, 5), width=st.sampled_from(WIDTHS_PX))
@settings(max_examples=25)
@example(count=2000, cards=8, seed=0, width=360)
def test_a_chart_of_any_game_ends_with_its_balances_and_stays_within_bounds(
    count: int, cards: int, seed: int, width: int
) -> None:
    rows = any_game(count, cards, seed=seed)
    now: dict[int, int] = {}
    for row in rows:
        for card, change in ((row["from"], -row["amount"]), (row["to"], row["amount"])):
            if card:
                now[card] = now.get(card, 0) + change
    svg = draw(rows, Look(width))
    root = ET.fromstring(svg)
    assert root.findtext(f"{SVG}desc") == ", ".join(f"Card {card} {UNITS.shown(now[card])}" for card in sorted(now))
    assert len(svg) < 8_000 + 8 * width * len(now)
    height = float(root.get("height", 0))
    ends = sorted(float(text.get("y", 0)) for text in root.iter(f"{SVG}text") if not text.get("class"))
    assert all(later - y > 15.8 for y, later in pairwise(ends)), "names must not overlap"
    assert all(0 < float(text.get("y", 0)) < height for text in root.iter(f"{SVG}text"))
    for line in root.iter(f"{SVG}path"):
        xs = [float(x) for x in re.findall(r"[MH]([\d.]+)", line.get("d", ""))]
        ys = [float(y) for y in re.findall(r"(?:V|M[\d.]+ )([\d.]+)", line.get("d", ""))]
        assert xs == sorted(xs)
        assert 0 < xs[0] <= xs[-1] < width
        assert all(0 < y < height for y in ys)


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        (["2026-11-21 20:00", "2026-11-21 20:00"], ["20:00"]),
        (["2026-11-21 20:00", "2026-11-21 20:10", "2026-11-21 21:50"], ["20:00", "20:10", "21:50"]),
        (
            ["2026-11-20 23:50", "2026-11-20 23:55", "2026-11-21 00:05", "2026-11-28 00:10"],
            ["Fri 23:50", "23:55", "Sat 00:05", "Sat 00:10"],
        ),
    ],
)
def test_times_have_a_weekday_in_a_game_of_several_days(times: list[str], shown: list[str]) -> None:
    moments = [datetime.fromisoformat(f"{time}+00:00").timestamp() for time in times]
    rows = [transfer(number, 0, 1, 1, at) for number, at in enumerate(moments, start=1)]
    assert texts(draw(rows, Look(zone=UTC)), "middle") == shown


def test_the_times_on_the_bench_count_from_its_setup() -> None:
    rows = [transfer(number, 0, 1, 1, 1000 + t) for number, t in enumerate((0.4, 187, 3787), start=1)]
    assert texts(draw(rows, began=1000), "middle") == ["0:00", "3:07", "1:03:07"]


OUTCOMES = [outcome for outcome, _ in Odds().weighted()]


@settings(max_examples=25)
@example(odds=[1] * len(OUTCOMES), tally=[38_110, 0, 0, 250_000, *[0] * (len(OUTCOMES) - 4)], width=360)
@given(
    odds=st.lists(st.integers(0, 1000), min_size=len(OUTCOMES), max_size=len(OUTCOMES)).filter(any),
    tally=st.lists(st.integers(0, 100_000), min_size=len(OUTCOMES), max_size=len(OUTCOMES)).filter(any),
    width=st.sampled_from(WIDTHS_PX),
)
def test_bars_are_as_long_as_the_counts_and_marks_at_the_expected_numbers(
    odds: list[int], tally: list[int], width: int
) -> None:
    def each(counts: list[int]) -> object:
        return by_kind(dict(zip(OUTCOMES, counts, strict=True)))

    snapshot = {"block": {"odds": each(odds), "tally": each(tally)}}
    root = ET.fromstring(OddsChart().draw(snapshot, None, Look(width)))
    bars, marks = ([node for node in root.iter() if node.get("class") == kind] for kind in ("bar", "mark"))
    ys = [0.0, *(float(bar.get("y", 0)) for bar in bars), float(root.get("height", 0))]
    assert ys == sorted(set(ys)), "each bar is below the one before"
    left = float(bars[0].get("x", 0))
    lengths = [float(bar.get("width", 0)) for bar in bars[: len(OUTCOMES)]]
    places = [float(mark.get("x", 0)) + 2.5 - left for mark in marks[: len(OUTCOMES)]]
    px_each = (sum(lengths) + sum(places)) / (2 * sum(tally))
    assert lengths == pytest.approx([count * px_each for count in tally], abs=0.6)
    assert places == pytest.approx([sum(tally) * weight / sum(odds) * px_each for weight in odds], abs=0.6)
    assert left + max(*lengths, *places) < width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_have_contrast_and_the_cards_different_dashes(theme: str) -> None:
    css = style(None, BalanceChart.css)
    common, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", part)) for part in css.split("prefers-color-scheme")[:2])
    cards = dict(re.findall(r"--(card-\d): (#\w{6})", css))
    assert len(cards) == 8
    colours = {**common, **(dark if theme == "dark" else {}), **cards}
    assert "prefers-color-scheme" not in style(theme, BalanceChart.css)
    for name, colour in colours.items():
        least = {"paper": 0, "rule": 0, "ink": 7, "soft": 4.5}.get(name, 3)
        assert contrast(colour, colours["paper"]) >= least, name
        assert name not in cards or contrast(colour, "#ffffff") >= 4.5, "a card has its number in white"
    dashes = re.findall(r"\.card-\d \{[^}]*?(?:stroke-dasharray: ([\d ]+))?; \}", css)
    assert len(set(dashes)) == 8


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# over HTTP

ROWS = any_game(40)


async def play(table: FakeTable, rows: list[dict[str, Any]], **changes: object) -> None:
    table.now = {**SNAPSHOT, "transfers": rows[-20:][::-1], **changes}
    table.history = {"game": 3, "before": {}, "transfers": rows}
    table.events.emit(happened("deal.tick"))
    await asyncio.sleep(1)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The charts drawn so far."""
    names: list[str] = []
    for kind in (BalanceChart, OddsChart):

        def note(self: Any, *args: Any, kind: Any = kind, draw: Any = kind.draw) -> Any:
            names.append(kind.__name__)
            return draw(self, *args)

        monkeypatch.setattr(kind, "draw", note)
    return names


def test_a_chart_is_a_picture_with_its_own_style_only(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        await play(table, ROWS)
        for chart, word in (("balances", "Anna"), ("odds", "power-up")):
            answer = await client().get(f"/api/chart/{chart}.svg")
            assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
            assert word in answer.text
            css = re.search(b"<style>(.*)</style>", answer.content, re.DOTALL)
            assert css
            digest = base64.b64encode(hashlib.sha256(css[1]).digest()).decode()
            policy = f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"
            assert answer.headers["content-security-policy"] == policy
        rows = (await client().get("/api/chart/balances.json")).json()["transfers"]
        assert rows == ROWS
        assert (await client().get("/api/chart/odds.json")).status_code == 404
        german = await client().get("/api/chart/balances.svg?lang=de&theme=dark&width=360&v=7")
        assert "Karte 2" in german.text
        assert 'width="360"' in german.text
        assert 'height="180"' in (await client().get("/api/chart/balances.svg?height=180")).text
        wrong = ("width=361", "width=0720", "width=", "height=200", "theme=blue", "theme=", "lang=xx", "zone=841")
        for query in (*wrong, "zone=x"):
            assert (await client().get(f"/api/chart/odds.svg?{query}")).status_code == 400
        await play(table, [{**row, "reason": "start"} for row in any_game(4)])
        assert (await client().get("/api/chart/balances.svg")).status_code == 404, "each line would be a single point"

    with_page(tmp_path, scenario)


def test_a_chart_is_drawn_once_for_all_browsers_until_it_changes(tmp_path: Path, drawn: list[str]) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        async def get(count: int, name: str = "balances", query: str = "") -> None:
            answers = await asyncio.gather(*(client().get(f"/api/chart/{name}.svg{query}") for _ in range(count)))
            assert {answer.status_code for answer in answers} == {200}

        await play(table, ROWS)
        await get(200)
        await get(200, "odds")
        assert sorted(drawn) == ["BalanceChart", "OddsChart"]
        await play(table, ROWS, volume=1)
        await get(1)
        assert (len(drawn), table.reads) == (2, 1)
        await play(table, any_game(41))
        await get(10)
        await get(10, query="?lang=de")
        assert (len(drawn), table.reads) == (4, 2), "both languages are drawn from one answer"
        await play(table, any_game(41), cards=[{"number": 1, "balance": 0, "shown": "0", "name": "Zoe", **PLAYS}])
        await get(1)
        assert len(drawn) == 5
        await play(table, any_game(41), counts_from=5)
        await get(1)
        assert (len(drawn), table.reads) == (6, 4), "another setup has another history"
        for zone in range(MOST_KEPT + 1):
            await get(1, query=f"?zone={zone}")
        before = len(drawn)
        await get(1, query="?zone=0")
        assert len(drawn) == before + 1, "only the latest charts are kept"

    with_page(tmp_path, scenario)


def test_a_failure_is_reported_and_tried_again(tmp_path: Path) -> None:
    async def scenario(client: Callable[..., Client], table: FakeTable) -> None:
        await play(table, ROWS)
        table.rejection = ReboardError("the ledger cannot be read")
        answer = await client().get("/api/chart/balances.svg")
        assert (answer.status_code, answer.json()) == (503, {"error": "the ledger cannot be read"})
        table.rejection = None
        assert (await client().get("/api/chart/balances.svg")).status_code == 200
        await table.socket.close()
        await asyncio.sleep(1)
        for chart in ("balances", "odds"):
            assert (await client().get(f"/api/chart/{chart}.svg")).status_code == 503

    with_page(tmp_path, scenario)
