"""Trouble in a browser: faults and a power cut, what cannot be done, and a bench that goes away."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, PATIENCE_S, eventually
from tests.reboard_sim.bench.hands_on_page import shown

pytestmark = pytest.mark.realtime


def test_a_reader_is_unplugged_and_plugged_in_again(page: Page, table: TableThread) -> None:
    switch = page.get_by_role("button", name="reader left")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert table.hardware()["faults"] == ["reader left"]
    expect(page.locator("#slot-left")).to_have_class("slot unplugged")
    expect(page.locator("#events .bad")).to_contain_text("Left slot")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#events .good")).to_contain_text("Left slot works again")


def test_every_fault_has_its_switch(page: Page) -> None:
    for name in ("reader left", "reader right", "sound", "display", "bounce"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(1)


@pytest.mark.parametrize("wiring", [BLOCK_ONLY], ids=["block"])
def test_the_page_offers_only_faults_of_devices_on_the_table(page: Page, table: TableThread) -> None:
    faults = page.locator(".fault").filter(visible=True)
    expect(faults).to_have_text(["chatter block", "stuck block", "bounce", "sound"])
    table.do(["fault disk full"]).result(PATIENCE_S)
    expect(page.locator(".fault[aria-pressed='true']")).to_have_text("disk full")
    page.locator(".fault[aria-pressed='true']").click()
    expect(faults).to_have_count(4)


def test_the_money_survives_a_power_cut(page: Page, table: TableThread) -> None:
    table.do(["insert left 1", "type 1M"]).result(PATIENCE_S)
    power = page.get_by_role("switch", name="Power")
    power.click()
    expect(power).to_have_attribute("aria-checked", "false")
    expect(page.locator(".glass")).to_have_class("glass")
    expect(page.locator("#display-text")).to_have_text("")
    power.click()
    expect(power).to_have_attribute("aria-checked", "true")
    expect(page.locator(".glass")).to_have_class("glass backlit")
    eventually(lambda: shown(table, 1) == "16M", "the money is still there", page)


def test_a_line_that_cannot_be_done_is_explained(page: Page) -> None:
    line = page.get_by_label("Line of a play")
    line.fill("insert middle 1")
    line.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("'middle' in place of left or right")


def test_the_page_shows_that_the_bench_is_gone_and_back(
    browser: Browser, table: TableThread, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    page = browser.new_page()
    with serve(table) as url:
        page.goto(url)
        expect(page.locator("#line")).to_have_text("live")
    expect(page.locator("#line")).to_have_text("the bench does not answer")
    expect(page.locator(".table")).to_have_css("filter", "saturate(0.25)")
    with serve(table, int(url.rstrip("/").rpartition(":")[2])):
        expect(page.locator("#line")).to_have_text("live", timeout=PATIENCE_S * 1000)
        expect(page.locator(".table")).to_have_css("filter", "none")
        page.locator("[data-card='1']").click()
        page.locator("#slot-left").click()
        expect(page.locator("#slot-left .card-art")).to_have_count(1)
    page.close()
