"""The bench in a browser when something is wrong, and without barriers at any size, day and night."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from benchmarks.pages import CONDITIONS, PAGES, visit
from reboard_sim.bench.table_thread import TableThread
from tests.barriers import barriers
from tests.reboard_sim.bench.conftest import DESKTOP, PHONE, served
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

FONT_SIZE = "line => parseFloat(getComputedStyle(line).fontSize)"


def test_faults_and_a_power_cut_are_shown_and_the_money_survives(page: Page, table: TableThread) -> None:
    sheet = page.get_by_role("heading", name="Faults")
    sheet.click()
    switch = page.get_by_role("button", name="reader left")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert table.hardware()["faults"] == ["reader left"]
    expect(page.locator("#slot-left")).to_have_class("slot unplugged")
    expect(page.locator("#events .bad")).to_contain_text("Left slot")
    sheet.click()
    expect(switch).to_be_hidden()
    expect(page.locator("#faults-active")).to_contain_text("reader left")
    sheet.click()
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#events .good")).to_contain_text("Left slot works again")

    table.do(["insert right 1", "type 1M"]).result(PATIENCE_S)
    power, display = page.get_by_role("switch", name="Power"), page.locator(".glass")
    power.click()
    expect(power).to_have_attribute("aria-checked", "false")
    expect(display).to_have_class("glass")
    expect(page.locator("#display-text")).to_have_text("")
    power.click()
    expect(power).to_have_attribute("aria-checked", "true")
    expect(display).to_have_class("glass backlit")
    eventually(lambda: [card["shown"] for card in table.table()["cards"]] == ["14M"], "the money is there", page)


def test_each_fault_is_explained_where_no_pointer_hovers(page: Page, phone: Page) -> None:
    for each, is_seen in ((page, False), (phone, True)):
        each.get_by_role("heading", name="Faults").click()
        expect(each.get_by_text("The left slot's reader is unplugged.")).to_be_visible(visible=is_seen)


@pytest.mark.parametrize("wiring", ['[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }\n'], ids=["one slot"])
def test_a_slot_without_a_reader_is_covered_and_takes_nothing(page: Page) -> None:
    lid = page.locator("#slot-right")
    expect(lid).to_have_accessible_name("Right slot (−, pays): no reader")
    assert lid.evaluate("(lid) => getComputedStyle(lid, '::after').content") == '"no reader"'
    page.goto(f"{page.url}&lang=de")
    expect(lid).to_have_accessible_name("Rechter Schlitz (−, zahlt): kein Leser")
    assert lid.evaluate("(lid) => getComputedStyle(lid, '::after').content") == '"kein Leser"'
    page.go_back()
    page.locator("[data-card='2']").click()
    expect(page.locator("#slot-left")).to_have_class("slot wanted")
    expect(lid).to_have_class("slot")
    page.locator("[data-card='3']").drag_to(lid, force=True)
    expect(lid).to_have_class("slot")
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator("#refusal")).to_be_hidden()


def test_a_page_shows_that_the_bench_is_gone_and_back(browser: Browser, table: TableThread) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    line = page.locator("#line")
    with served(table) as url:
        page.goto(url)
        expect(line).to_have_text("live")
        expect(line).to_have_css("font-size", "0px")
        table.choose_pace(0).result(PATIENCE_S)
        expect(line).to_have_text("paused")
        assert line.evaluate(FONT_SIZE) > 12, "a phone shows it in words"
        table.choose_pace(1).result(PATIENCE_S)
    expect(line).to_have_text("the bench does not answer")
    assert line.evaluate(FONT_SIZE) > 12
    expect(page.locator(".table")).to_have_css("filter", "saturate(0.25)")
    with served(table, int(url.rstrip("/").rpartition(":")[2])):
        expect(line).to_have_text("live")
        expect(page.locator(".table")).to_have_css("filter", "none")
        page.locator("[data-card='1']").click()
        page.locator("#slot-left").click()
        expect(page.locator("#slot-left .card-art")).to_have_count(1)
    page.close()


def test_a_page_shows_what_happened_while_it_loaded(browser: Browser, table: TableThread, url: str) -> None:
    def play_first(socket: WebSocketRoute) -> None:
        table.do(["insert left 1", "wait 1"]).result(PATIENCE_S)
        socket.connect_to_server()

    page = browser.new_page()
    page.route_web_socket("**/api/bench/live*", play_first)
    page.goto(url)
    expect(page.locator("[data-card='1'] .card-shown")).to_have_text("15M")
    page.close()


def test_what_happened_before_a_page_opened_is_shown_in_the_money_of_the_edition(
    browser: Browser, table: TableThread, url: str
) -> None:
    def dance_first(socket: WebSocketRoute) -> None:
        table.do(["pull lever", "wait 0.3", "release lever", "wait 1"]).result(PATIENCE_S)
        socket.connect_to_server()

    table.do(["insert left 1", "wait 1"]).result(PATIENCE_S)
    page = browser.new_page()
    page.route_web_socket("**/api/bench/live*", dance_first)
    page.goto(url)
    expect(page.locator("#events li").filter(has_text="worms dance")).to_be_visible()
    expect(page.locator("#events li").filter(has_text="starting money")).to_contain_text("15M")
    page.close()


def test_a_visit_takes_few_requests(browser: Browser, url: str) -> None:
    context = browser.new_context()
    first, second = (visit(context, url, PAGES["bench"], CONDITIONS["local"]) for _ in range(2))
    assert len(first.requests) <= 12
    assert len(second.requests) <= 2, second.requests
    context.close()


LOOKS: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": DESKTOP},
    "phone in the dark": {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": "dark"},
}


@pytest.mark.parametrize("look", LOOKS)
def test_the_bench_has_no_barriers(open_page: Callable[..., Page], table: TableThread, url: str, look: str) -> None:
    page = open_page(**LOOKS[look])
    assert page.evaluate("document.documentElement.scrollWidth") == LOOKS[look]["viewport"]["width"]
    controls = page.locator("button, select, input, [role=button]").filter(visible=True)
    assert len(indices := controls.evaluate_all("controls => controls.map(control => control.tabIndex)")) > 40
    assert set(indices) == {0}, "Tab reaches every control"
    expect(controls.first).to_have_accessible_name(re.compile(r"\S"))

    lines = ["insert left 1", "press block", "pull lever", "fault stuck lever", "fault noise right", "fault disk full"]
    table.do([*lines, "wait 1"]).result(PATIENCE_S)
    expect(page.locator("#slot-left .card-art")).to_have_count(1)
    table.choose_pace(0).result(PATIENCE_S)
    expect(page.locator("#line")).to_have_text("paused")
    page.get_by_role("heading", name="Faults").click()
    assert barriers(page) == []
    page.keyboard.press("?")
    assert barriers(page, "#help") == []
    page.goto(f"{url}?inside=pins")
    for tab in ("pins", "serial", "lcd", "sound", "ledger", "events"):
        page.locator(f"[role=tab][aria-controls=panel-{tab}]").click()
        expect(page.locator(f"#panel-{tab}")).to_be_visible()
        expect(page.locator(".lanes li")).not_to_have_count(0)
        if tab in ("pins", "sound"):
            canvas = page.locator(f"#panel-{tab} canvas")
            canvas.press("Home")
            canvas.press("Shift+ArrowLeft")
            expect(page.locator(f"#panel-{tab} .readout")).to_contain_text("A ")
        assert barriers(page, "#inside") == [], tab
    table.choose_pace(1).result(PATIENCE_S)
    table.do(["power off"]).result(PATIENCE_S)
    expect(page.locator("#line")).to_have_text("switched off")
    assert barriers(page) == []
