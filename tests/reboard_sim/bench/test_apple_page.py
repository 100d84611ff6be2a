"""The apple in a browser: its lever is pulled and let go, and the worms move."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import eventually
from tests.reboard_sim.bench.hands_on_page import drag, middle

pytestmark = pytest.mark.realtime


def test_the_user_pulls_and_releases_the_lever_by_mouse_and_the_worms_move(page: Page, table: TableThread) -> None:
    x, y = middle(page.locator("#lever"))
    worms = page.locator(".worm")
    expect(worms).to_have_count(20)
    at_rest = worms.evaluate_all("worms => worms.map(worm => worm.getAttribute('transform'))")
    drag(page, (x, y), (x + 300, y))
    eventually(lambda: table.hardware()["devices"]["apple.lever"], "the lever is back", page)
    expect(page.locator("#apple-says")).to_have_text("Wound: let go")
    page.mouse.up()
    eventually(lambda: table.table()["apple"]["running"], "the worms are off", page)
    expect(page.locator("#apple-art")).to_have_class("apple dancing")
    eventually(
        lambda: all(
            now != before
            for now, before in zip(
                worms.evaluate_all("worms => worms.map(worm => worm.getAttribute('transform'))"), at_rest, strict=True
            )
        ),
        "every worm has moved",
        page,
    )
    expect(page.locator("#lever")).to_have_attribute("transform", "translate(0 0)")


def test_a_lever_that_is_not_pulled_all_the_way_winds_nothing(page: Page, table: TableThread) -> None:
    x, y = middle(page.locator("#lever"))
    drag(page, (x, y), (x + 120, y))
    page.mouse.up()
    expect(page.locator("#lever")).to_have_attribute("transform", "translate(0 0)")
    apple = table.table()["apple"]
    assert (apple["running"], apple["wound"]) == (False, False)


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_the_lever_is_held_back_by_keyboard(page: Page, table: TableThread, key: str) -> None:
    page.get_by_role("button", name="Lever: pull").focus()
    page.keyboard.down(key)
    eventually(lambda: table.hardware()["devices"]["apple.lever"], "the lever is back", page)
    expect(page.locator("#lever")).to_have_attribute("aria-pressed", "true")
    page.keyboard.up(key)
    eventually(lambda: table.table()["apple"]["running"], "the worms are off", page)
