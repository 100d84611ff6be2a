"""Links in a browser: what is on the table is in the address, and another address is asked about."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from reboard_sim.bench.bench_acts import Setup
from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.address import asked, link_of
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


def banner_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Link")


def shown(table: TableThread) -> list[str]:
    return [card["shown"] for card in table.table()["cards"]]


def test_a_confirmed_link_loads_its_setup(page: Page, open_page: Callable[..., Page], table: TableThread) -> None:
    table.choose_pace("fast").result(PATIENCE_S)
    lines = ["insert left 1", "type 200M", "wait 1", "# so it is"]
    table.set_scene(Setup("classic-de", readers={"right": "none"}), 5, lines).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "5", "the page knows the scene", page)
    link = link_of(page)
    table.set_scene(Setup(), 6, []).result(PATIENCE_S)
    guest = open_page()
    guest.goto(link)
    banner = banner_of(guest)
    expect(banner).to_contain_text(
        "Monopoly Classic (Deutschland), on the wiring of the drawings, right reader none, seed 5, then"
    )
    assert table.scene()["number"] == 3
    banner.get_by_role("button", name="Load setup").click()
    expect(banner).to_be_hidden()
    expect(guest.get_by_role("main")).to_be_focused()
    expect(guest.locator("#display-text")).to_contain_text("1700")
    assert (table.scene()["seed"], shown(table)) == (5, ["1700"])
    assert "do" not in asked(guest)


def test_the_address_contains_the_wiring(page: Page, open_page: Callable[..., Page], table: TableThread) -> None:
    wish = Setup(wiring="mine.toml", text=BLOCK_ONLY)
    table.set_scene(wish, 5, []).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("wiring=mine.toml.*#wiring="))
    bookmark = page.url
    page.reload()
    expect(page.get_by_role("button", name="Setup")).to_be_enabled()
    expect(banner_of(page)).to_be_hidden()
    expect(page).to_have_url(bookmark)
    table.set_scene(Setup(), 6, []).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=6$"))
    guest = open_page()
    guest.goto(bookmark)
    banner_of(guest).get_by_role("button", name="Load setup").click()
    expect(banner_of(guest)).to_be_hidden()
    expect(guest).to_have_url(bookmark)
    assert table.scene()["wiring"] == {"name": "mine.toml", "text": BLOCK_ONLY}


def test_the_page_names_the_line_of_a_link_that_failed(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=insert+left+1&do=type+2&do=expect+balance+1+3&do=press+block")
    banner = banner_of(page)
    banner.get_by_role("button", name="Load setup").click()
    expect(banner).to_contain_text("line 3 (“expect balance 1 3”) failed: expected balance 1 3; found 1500")
    expect(banner.get_by_role("button", name="Load setup")).to_be_hidden()
    eventually(lambda: asked(page).get("edition") == "nintendo", "the address shows what is on the table", page)
    assert asked(page) == {"edition": "nintendo", "wiring": "own", "seed": str(table.scene()["seed"])}
    assert table.scene()["number"] == 2
    expect(page.locator("#slot-left .card-art")).to_have_count(1)
    expect(banner.get_by_role("button", name="Close")).to_be_focused()
    banner.get_by_role("button", name="Close").click()
    expect(banner).to_be_hidden()


def test_a_link_can_be_cancelled(open_page: Callable[..., Page], table: TableThread, url: str) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=press+block&inside=serial")
    expect(banner_of(page)).to_contain_text("then 1 line")
    page.get_by_role("button", name="Cancel").click()
    expect(banner_of(page)).to_be_hidden()
    expect(page.get_by_role("main")).to_be_focused()
    assert table.scene()["number"] == 1
    assert asked(page) == {"inside": "serial", "edition": "world", "wiring": "own", "seed": "1"}
