"""The sound of the bench in a browser: heard once it is on, whole and in time."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import PATIENCE_S

pytestmark = pytest.mark.realtime


def test_what_the_sound_card_plays_is_heard_once_sound_is_on(page: Page, table: TableThread) -> None:
    sound = page.get_by_role("button", name="Sound on")
    sound.click()
    expect(page.locator("#sound-label")).to_have_text("Sound is on")
    page.wait_for_timeout(300)
    table.do(["press block"]).result(PATIENCE_S)
    expect(page.locator("#sound")).to_have_attribute("data-sounding", "")
    page.locator("#sound").click()
    expect(page.locator("#sound-label")).to_have_text("Sound on")
    expect(page.locator("#sound")).not_to_have_attribute("data-sounding", "")
