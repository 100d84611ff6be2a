"""Trouble in a browser: faults and a power cut, what cannot be done, and a bench that goes away."""

from __future__ import annotations

import re
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
def test_only_what_is_wired_can_go_wrong(page: Page, table: TableThread) -> None:
    faults = page.locator(".fault").filter(visible=True)
    expect(faults).to_have_text(["bounce", "chatter block", "stuck block", "sound"])
    table.do(["fault disk full"]).result(PATIENCE_S)
    expect(page.locator(".fault[aria-pressed='true']")).to_have_text("disk full")
    page.locator(".fault[aria-pressed='true']").click()
    expect(faults).to_have_count(4)


def test_the_power_is_cut_and_comes_back_and_the_money_is_still_there(page: Page, table: TableThread) -> None:
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


def test_captions_tell_what_is_the_case_after_a_reload_and_whoever_works_the_table(
    page: Page, table: TableThread
) -> None:
    says, line = page.locator("#block-says"), page.locator("#line")

    def nothing() -> str:
        before = page.locator("#events").evaluate("list => getComputedStyle(list, '::before').content")
        return str(before)

    table.do(["press block"]).result(PATIENCE_S)
    last = table.table()["block"]["last"]
    expect(says).not_to_have_text("Press me")
    expect(page.locator("#events")).to_contain_text("Question block")
    told = says.text_content()
    assert nothing() == "none"
    page.reload()
    assert last
    expect(says).to_have_text(str(told))
    table.do(["hold block", "release block"]).result(PATIENCE_S)
    table.do(["power off"]).result(PATIENCE_S)
    expect(line).to_have_text("switched off")
    for caption in ("#block-says", "#bank-off", "#apple-says"):
        expect(page.locator(caption)).to_have_text("Switched off")
    expect(page.locator("#cards-help")).to_be_hidden()
    page.reload()
    expect(line).to_have_text("switched off")
    assert "The table is switched off" in nothing()
    table.do(["power on", "press block", "wait 0.3"]).result(PATIENCE_S)
    expect(line).to_have_text("live")
    expect(says).not_to_have_text(re.compile("Press me|Switched off"))
    table.do(["edition classic-de"]).result(PATIENCE_S)
    expect(says).to_have_text("Press me")


def test_a_line_that_cannot_be_done_is_explained(page: Page) -> None:
    line = page.get_by_label("Do a line of a play")
    line.fill("insert middle 1")
    line.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("'middle' where left or right should be")


def test_a_bench_that_goes_away_and_comes_back_is_told(
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
