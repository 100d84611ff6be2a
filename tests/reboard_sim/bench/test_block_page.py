"""The question block in a browser: pressed and held by mouse, by touch and by keyboard, and let go."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import eventually
from tests.reboard_sim.bench.hands_on_page import Finger, middle

pytestmark = pytest.mark.realtime


def test_the_block_is_pressed_and_held_by_mouse(page: Page, table: TableThread) -> None:
    block = page.get_by_role("button", name="Question block")
    page.mouse.move(*middle(block))
    page.mouse.down()
    eventually(lambda: table.hardware()["devices"]["block.button"], "the button went down", page)
    expect(block).to_have_class(re.compile(r"(?=.*\bglowing\b).*\bdown\b"))
    page.wait_for_timeout(300)
    assert table.hardware()["devices"]["block.button"]
    page.mouse.up()
    eventually(lambda: not table.hardware()["devices"]["block.button"], "the button came up", page)
    eventually(lambda: table.table()["block"]["last"], "an outcome was drawn", page)
    expect(page.locator("#events")).to_contain_text("Question block: ")
    expect(page.locator("#block-says")).not_to_have_text("Press me")


def test_the_block_is_pressed_by_touch(phone: Page, table: TableThread) -> None:
    finger = Finger(phone)
    finger.down(middle(phone.locator("#block-button")))
    eventually(lambda: table.hardware()["devices"]["block.button"], "the button went down", phone)
    finger.up()
    eventually(lambda: not table.hardware()["devices"]["block.button"], "the button came up", phone)


def test_assistive_technology_that_only_clicks_presses_the_block_once(page: Page, table: TableThread) -> None:
    page.locator("#block-button").evaluate("block => block.click()")
    eventually(lambda: table.table()["block"]["last"], "an outcome was drawn", page)
    eventually(lambda: not table.hardware()["devices"]["block.button"], "the button came up", page)


def test_a_window_that_loses_the_focus_releases_what_it_holds(page: Page, table: TableThread) -> None:
    page.mouse.move(*middle(page.locator("#block-button")))
    page.mouse.down()
    eventually(lambda: table.hardware()["devices"]["block.button"], "the button went down", page)
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    eventually(lambda: not table.hardware()["devices"]["block.button"], "the button came up", page)
