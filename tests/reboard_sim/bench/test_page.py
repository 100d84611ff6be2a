"""The bench in a browser as a whole: two windows of it, how it looks at any size, and what a finger or Tab reaches."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Event

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, DESKTOP, PATIENCE_S, PHONE, eventually
from tests.reboard_sim.bench.hands_on_page import middle

pytestmark = pytest.mark.realtime

TABLET = {"width": 768, "height": 1024}
LONGER_THAN_SOON_MS = 400
"""After so long a page has asked for what has changed."""
A_MINUTE_MS, AN_HOUR_MS = 60_000, 3_600_000
SOMETHING = re.compile(r"\S")


# windows


def test_two_windows_that_look_inside_and_listen_leave_a_line_for_hands(
    page: Page, table: TableThread, url: str
) -> None:
    other = page.context.new_page()
    for window in (page, other):
        window.goto(f"{url}?inside=pins")
        expect(window.get_by_role("tab", name="Pins")).to_be_visible()
    page.get_by_role("button", name="Sound on").click()
    for window in (page, other):
        window.locator("#block-button").click()
        eventually(lambda: table.hardware()["lamp"], "the press arrived", window)
        eventually(lambda: not table.hardware()["lamp"], "it has been heard", window)


# what it knows


def test_a_page_is_live_when_it_knows_what_hands_would_be_at(
    browser: Browser,
    table: TableThread,
    serve: Callable[..., AbstractContextManager[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks, may_be_seen = table.hardware, Event()
    monkeypatch.setattr(table, "hardware", lambda: may_be_seen.wait(PATIENCE_S) and looks())
    page = browser.new_page()
    line = page.locator("#line")
    with serve(table) as url:
        with page.expect_response("**/api/bench/live*"):
            page.goto(url)
        page.wait_for_timeout(LONGER_THAN_SOON_MS)
        assert line.text_content() != "live"
        may_be_seen.set()
        expect(line).to_have_text("live")
        page.close()


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


@pytest.mark.parametrize("refusals", [{500}])
def test_a_bench_that_had_no_time_to_answer_is_asked_once_more(page: Page, table: TableThread) -> None:
    table.do(["insert right 2"]).result(PATIENCE_S)
    expect(page.locator("[data-card='2'] .card-shown")).to_have_text("15M")
    page.wait_for_timeout(LONGER_THAN_SOON_MS)
    page.route("**/api/table", lambda route: route.fulfill(status=500), times=1)
    with page.expect_response(lambda answer: answer.status == 500):
        table.do(["insert left 1"]).result(PATIENCE_S)
    expect(page.locator("[data-card='1'] .card-shown")).to_have_text("15M")


def test_a_question_that_nobody_answers_is_given_up_and_asked_once_more(
    page: Page, table: TableThread, url: str
) -> None:
    page.clock.install()
    page.goto(url)
    expect(page.locator("#line")).to_have_text("live")
    page.clock.pause_at(time.time() + 60)
    amount = page.locator("[data-card='1'] .card-shown")
    held: list[Route] = []
    page.route("**/api/table", lambda route: held.append(route), times=1)
    table.do(["insert left 1"]).result(PATIENCE_S)

    def some_time_later(has_happened: Callable[[], object]) -> object:
        page.clock.run_for(20)
        return has_happened()

    eventually(lambda: some_time_later(lambda: held), "the page asks", page)
    page.clock.run_for(8000)
    assert amount.text_content() == ""
    page.clock.run_for(8000)
    eventually(lambda: some_time_later(lambda: amount.text_content() == "15M"), "it asks once more", page)


@pytest.mark.parametrize("refusals", [{500}])
def test_a_bench_that_never_has_time_is_not_asked_for_ever_but_anew_when_something_changes(
    page: Page, table: TableThread, url: str
) -> None:
    page.clock.install()
    page.goto(url)
    expect(page.locator("#line")).to_have_text("live")
    asked: list[Route] = []

    def refuse(route: Route) -> None:
        asked.append(route)
        route.fulfill(status=500)

    page.route("**/api/table", refuse)
    table.do(["insert left 1"]).result(PATIENCE_S)
    eventually(lambda: asked, "the page asks", page)
    counts = []
    for _ in range(20):
        page.wait_for_timeout(100)
        page.clock.fast_forward(AN_HOUR_MS)
        counts.append(len(asked))
    assert counts[-10] == counts[-1]
    assert len(asked) > 1, "it is asked once more"
    table.do(["remove left"]).result(PATIENCE_S)

    def is_asked_twice_more() -> bool:
        page.clock.fast_forward(A_MINUTE_MS)
        return len(asked) > counts[-1] + 1

    eventually(is_asked_twice_more, "it is worth as many questions as before", page)


# looks


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out_of_the_window(open_page: Callable[..., Page], size: dict[str, int], scheme: str) -> None:
    page = open_page(viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    for name in ("#block", "#bank", "#apple"):
        expect(page.locator(name)).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, TABLET, PHONE], ids=["desktop", "tablet", "phone"])
@pytest.mark.parametrize("wiring", [BLOCK_ONLY], ids=["block"])
def test_what_is_wired_alone_stands_in_the_middle(open_page: Callable[..., Page], size: dict[str, int]) -> None:
    page = open_page(viewport=size)
    expect(page.locator("#bank")).to_be_hidden()
    assert middle(page.locator("#block"))[0] == pytest.approx(size["width"] / 2, abs=1)
    nothing = page.locator("#events").evaluate("list => getComputedStyle(list, '::before').content")
    assert "Press the question block." in nothing
    assert "card" not in nothing


def test_a_phone_says_in_words_that_the_clock_stands_and_that_nobody_answers(
    browser: Browser, table: TableThread, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    line = page.locator("#line")
    with serve(table) as url:
        page.goto(url)
        expect(line).to_have_text("live")
        expect(line).to_have_css("font-size", "0px")
        table.choose_pace(0).result(PATIENCE_S)
        expect(line).to_have_text("the clock stands")
        assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 12
    expect(line).to_have_text("the bench does not answer")
    assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 12
    page.close()


def test_what_can_be_touched_on_a_phone_is_as_high_as_a_finger(phone: Page) -> None:
    for control in phone.locator(".session > *, .fault, #look-inside").filter(visible=True).all():
        assert control.evaluate("control => control.getBoundingClientRect().height") >= 40


@pytest.mark.parametrize("width", [1280, 1440])
def test_everything_is_seen_at_once_and_what_happened_in_whole_rows(
    open_page: Callable[..., Page], table: TableThread, width: int
) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    table.do(["press block", "insert left 1", "insert right 2"]).result(PATIENCE_S)
    expect(page.locator("#events")).to_contain_text("right slot")
    list_, rows = page.locator("#events"), page.locator("#events li:not(.wire)")
    tall = [rows.nth(place).evaluate("row => row.getBoundingClientRect().height") for place in range(2)]
    assert list_.evaluate("list => list.clientHeight") / tall[0] == pytest.approx(4, abs=0.05)
    assert tall[0] == tall[1]
    page.get_by_label("Do a line of a play").fill("insert middle 1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") == 900


def test_everything_that_can_be_worked_has_a_name_and_can_be_reached_by_tab(page: Page) -> None:
    controls = page.locator("button, select, input, [role=button]").filter(visible=True).all()
    assert len(controls) > 40
    for control in controls:
        expect(control).to_have_accessible_name(SOMETHING)
        assert control.evaluate("control => control.tabIndex") == 0
