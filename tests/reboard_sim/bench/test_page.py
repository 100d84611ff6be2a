"""The bench in a browser as a whole: two windows of it, how it looks at any size, and what a finger or Tab reaches."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import DESKTOP, PATIENCE_S, PHONE, eventually

pytestmark = pytest.mark.realtime

LONGER_THAN_SOON_MS = 400
"""After so long a page has asked for what has changed."""
A_MINUTE_MS, AN_HOUR_MS = 60_000, 3_600_000
SOMETHING = re.compile(r"\S")


# windows


# what it knows


def test_no_answer_that_was_overtaken_is_the_last_word(page: Page, table: TableThread) -> None:
    amount = page.locator("[data-card='1'] .card-shown")
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/api/table", lambda route: held.append((route, route.fetch())), times=1)
    table.do(["insert right 2"]).result(PATIENCE_S)
    eventually(lambda: held, "the page asks", page)
    table.do(["insert left 1"]).result(PATIENCE_S)
    page.wait_for_timeout(LONGER_THAN_SOON_MS)
    [(route, older)] = held
    with page.expect_response("**/api/table"):
        route.fulfill(response=older)
    page.wait_for_timeout(LONGER_THAN_SOON_MS)
    expect(amount).to_have_text("15M")


# looks


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out_of_the_window(open_page: Callable[..., Page], size: dict[str, int], scheme: str) -> None:
    page = open_page(viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    for name in ("#block", "#bank", "#apple"):
        expect(page.locator(name)).to_be_visible()


def test_a_phone_shows_in_words_that_the_table_is_paused_or_the_bench_is_gone(
    browser: Browser, table: TableThread, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    line = page.locator("#line")
    with serve(table) as url:
        page.goto(url)
        expect(line).to_have_text("live")
        expect(line).to_have_css("font-size", "0px")
        table.choose_pace(0).result(PATIENCE_S)
        expect(line).to_have_text("paused")
        assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 12
    expect(line).to_have_text("the bench does not answer")
    assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 12
    page.close()


def test_everything_that_can_be_worked_has_a_name_and_can_be_reached_by_tab(page: Page) -> None:
    controls = page.locator("button, select, input, [role=button]").filter(visible=True).all()
    assert len(controls) > 40
    for control in controls:
        expect(control).to_have_accessible_name(SOMETHING)
        assert control.evaluate("control => control.tabIndex") == 0
