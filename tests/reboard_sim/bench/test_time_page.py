"""The clock of the bench in a browser: it stands, steps, and goes on at another pace."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from reboard_sim.bench.table_thread import TableThread

pytestmark = pytest.mark.realtime

RUNNING = re.compile(r"^\d+:\d\d$")
STANDING = re.compile(r"^\d+:\d\d\.\d{6}$")


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
    expect(pace(page, "Real time")).to_have_attribute("aria-pressed", "true")
    pace(page, "Ten times faster").click()
    expect(pace(page, "Ten times faster")).to_have_attribute("aria-pressed", "true")
    expect(pace(page, "Real time")).to_have_attribute("aria-pressed", "false")
    assert table.hardware()["pace"] == 10
    pace(page, "As fast as possible").click()
    expect(pace(page, "As fast as possible")).to_have_attribute("aria-pressed", "true")
    assert table.hardware()["pace"] == "fast"


def test_acts_at_a_paused_table_are_done_step_by_step(page: Page, table: TableThread) -> None:
    pace(page, "Pause").click()
    expect(page.locator("#line")).to_have_text("paused")
    expect(page.locator("#clock")).to_have_text(STANDING)
    with page.expect_response("**/api/bench/do") as answer:
        page.locator("#block-button").click()
    assert answer.value.status == 202
    assert not table.hardware()["devices"]["block.button"]
    step(page)
    expect(page.locator("#block-button")).to_have_class(re.compile(r"\bdown\b"))
    expect(page.locator("#block-says")).not_to_have_text("Press me")
    while table.hardware()["devices"]["block.button"]:
        step(page)
    pace(page, "Real time").click()
    expect(page.locator("#line")).to_have_text("live")
    expect(page.locator("#block-button")).not_to_have_class(re.compile(r"\bglowing\b"))
