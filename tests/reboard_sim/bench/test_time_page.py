"""The clock of the bench in a browser: it stands, steps, and goes on at another pace."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from reboard_sim.bench.table_thread import TableThread

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
RUNNING = re.compile(r"^\d+:\d\d$")
STANDING = re.compile(r"^\d+:\d\d\.\d{6}$")
PRESSED = re.compile("true")


def pace(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Time").get_by_role("button", name=name)


def step(page: Page) -> None:
    """Take a step, and wait until the page shows another time."""
    before = page.locator("#clock").text_content() or ""
    pace(page, "Step").click()
    expect(page.locator("#clock")).not_to_have_text(before)
    expect(page.locator("#clock")).to_have_text(STANDING)


def test_the_clock_is_shown_and_the_pace_that_it_goes_at(page: Page, table: TableThread) -> None:
    expect(page.locator("#clock")).to_have_text(RUNNING)
    before = page.locator("#clock").text_content() or ""
    expect(page.locator("#clock")).not_to_have_text(before)
    expect(pace(page, "As in life")).to_have_attribute("aria-pressed", "true")
    pace(page, "Ten times as fast").click()
    expect(pace(page, "Ten times as fast")).to_have_attribute("aria-pressed", "true")
    expect(pace(page, "As in life")).to_have_attribute("aria-pressed", "false")
    assert table.hardware()["pace"] == 10
    pace(page, "As fast as it goes").click()
    expect(pace(page, "As fast as it goes")).to_have_attribute("aria-pressed", "true")
    assert table.hardware()["pace"] == "fast"


def test_every_page_shows_the_pace_that_one_has_chosen(open_page: Callable[..., Page]) -> None:
    one, other = open_page(), open_page()
    pace(one, "Pause").click()
    expect(pace(other, "Pause")).to_have_attribute("aria-pressed", "true")
    expect(other.locator("#line")).to_have_text("the clock stands")


def test_what_hands_do_while_the_clock_stands_is_done_step_by_step(page: Page, table: TableThread) -> None:
    pace(page, "Pause").click()
    expect(page.locator("#line")).to_have_text("the clock stands")
    expect(page.locator("#clock")).to_have_text(STANDING)
    with page.expect_response("**/api/bench/do") as answer:
        page.locator("#block-button").click()
    assert answer.value.status == 202
    assert not table.hardware()["button"]
    step(page)
    expect(page.locator("#block-button")).to_have_class(re.compile(r"\bdown\b"))
    expect(page.locator("#block-says")).not_to_have_text("Press me")
    while table.hardware()["button"]:
        step(page)
    pace(page, "As in life").click()
    expect(page.locator("#line")).to_have_text("live")
    expect(page.locator("#block-button")).not_to_have_class(re.compile(r"\bglowing\b"))


def test_a_page_with_all_its_hands_full_can_let_the_clock_go_on(page: Page, table: TableThread) -> None:
    pace(page, "Pause").click()
    expect(page.locator("#line")).to_have_text("the clock stands")
    for line in ("hold 5", "hold 6", "release 5", "release 6"):
        page.locator("#act-line").fill(line)
        page.locator("#act-line").press("Enter")
    page.locator("#block-button").click()
    page.get_by_role("button", name="Stuck lever").click()
    page.get_by_role("button", name="Bank card 3").press("ArrowLeft")
    page.locator("#power").click()
    pace(page, "Ten times as fast").click()
    expect(page.locator("#line")).to_have_text("switched off")
    expect(page.locator("#clock")).to_have_text("–:––")
    assert table.hardware()["faults"] == ["stuck lever"]
    assert table.hardware()["slots"]["left"] == 3


def test_the_clock_is_worked_by_keyboard(page: Page, table: TableThread) -> None:
    pace(page, "Ten times as fast").click()
    expect(pace(page, "Ten times as fast")).to_have_attribute("aria-pressed", "true")
    page.locator("body").press("p")
    expect(page.locator("#clock")).to_have_text(STANDING)
    before = page.locator("#clock").text_content() or ""
    page.locator("body").press("n")
    expect(page.locator("#clock")).not_to_have_text(before)
    page.locator("body").press("p")
    expect(pace(page, "Ten times as fast")).to_have_attribute("aria-pressed", "true")
    page.locator("#act-line").press_sequentially("pn")
    expect(page.locator("#act-line")).to_have_value("pn")
    assert table.hardware()["pace"] == 10


def test_the_sound_button_says_that_only_the_pace_of_life_is_heard(page: Page) -> None:
    page.locator("#sound").click()
    expect(page.locator("#sound")).to_have_text("Sound is on")
    pace(page, "Ten times as fast").click()
    expect(page.locator("#sound")).to_have_text("Only at 1×")
    pace(page, "As in life").click()
    expect(page.locator("#sound")).to_have_text("Sound is on")


@pytest.mark.parametrize(("rate", "later"), [(10, "1:42"), (1000, "0:52")])
def test_a_clock_that_may_fall_behind_shows_what_was_told_and_no_guess(
    page: Page, table: TableThread, monkeypatch: pytest.MonkeyPatch, rate: float, later: str
) -> None:
    page.clock.install()
    page.reload()
    expect(page.locator("#line")).to_have_text("live")
    page.clock.pause_at(time.time() + 60)
    looks = table.hardware()
    told = {**looks, "t": looks["switched_on_at"] + 52.3, "pace": "fast", "rate": rate}
    monkeypatch.setattr(table, "hardware", lambda: told)
    expect(page.locator("#clock")).to_have_text("0:52")
    page.clock.run_for(5000)
    expect(page.locator("#clock")).to_have_text(later)


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_the_rail_fits(open_page: Callable[..., Page], width: int) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    page.keyboard.press("p")
    expect(page.locator("#clock")).to_have_text(STANDING)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('.rail').scrollWidth") <= width
