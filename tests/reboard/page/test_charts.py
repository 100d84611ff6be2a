from __future__ import annotations

import base64
import colorsys
import hashlib
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reboard.money import Money
from reboard.page import charts
from reboard.page.chart_look import COLOURS, WIDTHS, Drawing, Look
from reboard.page.chart_words import WORDS
from tests.reboard.page.games import any_game, story_of, transfer

UNITS = Money(units=True, smallest=10_000)
PLAIN = Money(units=False, smallest=1)
SVG = "{http://www.w3.org/2000/svg}"
HUES = Path(__file__).parents[3] / "firmware" / "reboard" / "web" / "static" / "hues.js"
ODDS = {"coins": [2] * 6, "laugh": 12, "power_up": 6, "game_over": 6}
TALLY = {"coins": [1, 0, 2, 0, 0, 1], "laugh": 3, "power_up": 1, "game_over": 2}


def texts(drawing: Drawing, of_class: str) -> list[str]:
    """What stands in the groups of that class."""
    root = ET.fromstring(drawing.svg)
    groups = [group for group in root.iter(f"{SVG}g") if of_class in group.get("class", "").split()]
    return [text.text or "" for group in groups for text in group.iter(f"{SVG}text")]


def style(drawing: Drawing) -> str:
    found = ET.fromstring(drawing.svg).findtext(f"{SVG}defs/{SVG}style")
    assert found
    return found


def of_an_evening(look: Look = Look(), transfers: int = 60, names: dict[int, str] | None = None) -> Drawing:  # noqa: B008
    return charts.balances(story_of(any_game(transfers)), names or {1: "Anna", 2: "Ben", 3: ""}, UNITS, look)


def test_players_stand_in_the_legend_by_name_or_else_by_card() -> None:
    assert texts(of_an_evening(), "legends") == ["Anna", "Ben", "card 3", "card 4"]
    assert texts(of_an_evening(Look(language="de")), "legends") == ["Anna", "Ben", "Karte 3", "Karte 4"]


def test_each_card_has_its_own_colour_whoever_else_plays() -> None:
    story = story_of([transfer(1, 0, 2, 5), transfer(2, 0, 7, 5)])
    rules = style(charts.balances(story, {}, UNITS, Look()))
    assert ".color-0 { stroke: var(--card-2); fill: var(--card-2); }" in rules
    assert ".color-1 { stroke: var(--card-7); fill: var(--card-7); }" in rules


def test_amounts_are_written_the_editions_way() -> None:
    assert {"0", "12M"} <= set(texts(of_an_evening(), "y"))
    rows = [transfer(1, 0, 1, 1500), transfer(2, 1, 0, 1)]
    assert {"0", "1200"} <= set(texts(charts.balances(story_of(rows), {}, PLAIN, Look()), "y"))


def test_times_of_day_stand_below_the_transfers() -> None:
    assert all(re.fullmatch(r"([A-Z][a-z]+ )?\d\d:\d\d", text) for text in texts(of_an_evening(), "x"))


def test_a_chart_says_what_it_is_in_both_languages() -> None:
    for language, words in WORDS.items():
        look = Look(language=language)
        assert ET.fromstring(of_an_evening(look).svg).findtext(f"{SVG}title") == words.balances
        odds = charts.outcomes(ODDS, TALLY, look)
        assert "10" in (ET.fromstring(odds.svg).findtext(f"{SVG}title") or "")
        assert texts(odds, "y")[::-1] == list(words.outcomes.values())
        assert texts(odds, "legends") == [words.came, words.expected]


@pytest.mark.parametrize("name", ["<b>bold</b>", "&amp;", '"><script>', "]]>", "{{ 1 }}", "%s %(x)s", "日本", "\u202e"])
def test_a_name_is_text_whatever_is_in_it(name: str) -> None:
    drawing = of_an_evening(names={1: name})
    assert texts(drawing, "legends")[0] == name
    tags = {node.tag.removeprefix(SVG) for node in ET.fromstring(drawing.svg).iter()}
    assert tags == {"svg", "defs", "style", "title", "g", "rect", "path", "text"}


DRAWINGS = {
    "balances": of_an_evening(),
    "one transfer": of_an_evening(transfers=1),
    "odds": charts.outcomes(ODDS, TALLY, Look()),
}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_a_drawing_holds_nothing_that_runs_or_comes_from_elsewhere(drawing: Drawing) -> None:
    root = ET.fromstring(drawing.svg)
    attributes = {name for node in root.iter() for name in node.attrib}
    assert attributes <= {"id", "class", "viewBox", "width", "height", "x", "y", "transform", "d", "type", "rx", "ry"}
    without_names_of_spaces = re.sub(rb'xmlns(:\w+)?="[^"]*"', b"", drawing.svg)
    for forbidden in (b"http", b"<script", b"url(", b"@import", b"@font-face", b"<!"):
        assert forbidden not in without_names_of_spaces


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_a_browser_is_allowed_the_drawings_own_style_and_nothing_else(drawing: Drawing) -> None:
    digest = base64.b64encode(hashlib.sha256(style(drawing).encode()).digest()).decode()
    assert drawing.policy == f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"


def test_the_same_is_drawn_the_same() -> None:
    assert of_an_evening() == of_an_evening()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("cards", range(1, 9))
def test_everything_has_a_place_within_the_drawing(width: int, cards: int) -> None:
    drawing = charts.balances(story_of(any_game(40, cards)), dict.fromkeys(range(1, 9), "Wendelin"), UNITS, Look(width))
    root = ET.fromstring(drawing.svg)
    height = float(root.get("height", 0))
    assert root.get("viewBox") == f"0 0 {width} {height:.0f}"
    legends = next(group for group in root.iter(f"{SVG}g") if group.get("class") == "legends")
    left, top = map(float, re.findall(r"[\d.]+", legends.get("transform", "")))
    for text in legends.iter(f"{SVG}text"):
        assert top + float(text.get("y", 0)) < height - 4
        assert left + float(text.get("x", 0)) + 8 * 8 < width
    assert len({text.get("y") for text in legends.iter(f"{SVG}text")}) == -(-cards // (width // charts.LEGEND_PX))


def test_a_drawing_is_light_or_dark_or_as_the_browser_prefers() -> None:
    light, dark = COLOURS["light"]["paper"], COLOURS["dark"]["paper"]
    for theme, papers in (("light", [light]), ("dark", [dark]), (None, [light, dark])):
        rules = style(of_an_evening(Look(theme=theme)))
        assert re.findall(r"--paper: (#\w+);", rules) == papers
        assert ("prefers-color-scheme: dark" in rules) == (theme is None)


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", COLOURS)
def test_every_colour_can_be_told_from_the_paper(theme: str) -> None:
    colours = COLOURS[theme]
    paper = luminance(colours["paper"])
    for name, colour in colours.items():
        least = {"paper": 0, "rule": 0, "ink": 7, "soft": 4.5}.get(name, 3)
        lighter, darker = sorted((luminance(colour), paper), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= least, name


@pytest.mark.parametrize("theme", COLOURS)
def test_a_cards_line_has_the_cards_hue(theme: str) -> None:
    hues = re.search(r"HUES = \[([\d, ]+)\]", HUES.read_text(encoding="utf-8"))
    assert hues
    for card, hue in enumerate(map(int, hues[1].split(",")), start=1):
        colour = COLOURS[theme][f"card-{card}"]
        ours = 360 * colorsys.rgb_to_hls(*(int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)))[0]
        assert abs(ours - hue) < 6, card


@settings(max_examples=40)
@example(odds=[1] * 9, tally=[38_110, 0, 0, 250_000, 0, 0, 0, 0, 0])
@given(
    odds=st.lists(st.integers(0, 1000), min_size=9, max_size=9).filter(any),
    tally=st.lists(st.integers(0, 100_000), min_size=9, max_size=9).filter(any),
)
def test_whatever_came_it_can_be_drawn(odds: list[int], tally: list[int]) -> None:
    def by_kind(counts: list[int]) -> dict[str, object]:
        return {"coins": counts[:6], "laugh": counts[6], "power_up": counts[7], "game_over": counts[8]}

    drawing = charts.outcomes(by_kind(odds), by_kind(tally), Look(360))
    ticks = [int(text) for text in texts(drawing, "x")]
    assert ticks[0] == 0
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 7
    assert ticks[-1] >= max(tally)


@settings(max_examples=25)
@given(transfers=st.integers(1, 60), cards=st.integers(1, 8), width=st.sampled_from(WIDTHS), units=st.booleans())
def test_any_game_can_be_drawn(transfers: int, cards: int, width: int, units: bool) -> None:
    money = UNITS if units else PLAIN
    ET.fromstring(charts.balances(story_of(any_game(transfers, cards)), {}, money, Look(width)).svg)


def test_a_long_games_chart_is_no_burden() -> None:
    drawing = charts.balances(story_of(any_game(2000, 8)), {}, UNITS, Look(1080))
    assert len(drawing.svg) < 70_000
