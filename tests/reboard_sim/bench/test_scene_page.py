"""Scenes in a browser: set in a dialog, begun again, and shown by every page."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard_sim.bench.bench_acts import Setup
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.reboard_sim.bench.address import asked
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


def opened(page: Page) -> None:
    expect(page).to_have_url(re.compile("seed="))
    page.get_by_role("button", name="Setup").click()
    expect(page.get_by_role("dialog", name="Load another setup")).to_be_visible()


def shown(table: TableThread) -> list[str]:
    return [card["shown"] for card in table.table()["cards"]]


# the dialog


def test_the_dialog_loads_a_setup(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    expect(page.locator("#events")).to_contain_text("left slot")
    opened(page)
    page.get_by_label("Edition").select_option("classic-de")
    page.get_by_label("Left reader").select_option("pn532")
    page.get_by_label("Right reader").select_option("none")
    page.get_by_label("Seed").fill("77")
    page.get_by_role("button", name="Load setup", exact=True).click()
    expect(page.get_by_role("dialog")).not_to_be_visible()
    expect(page.locator("#display-text")).to_contain_text("MONOPOLY")
    expect(page.locator("#events")).not_to_contain_text("left slot")
    expect(page.locator("#slot-left")).to_be_enabled()
    expect(page.locator("#slot-right")).to_be_disabled()
    assert {name: table.scene()[name] for name in ("edition", "left", "right", "seed")} == {
        "edition": "classic-de",
        "left": "pn532",
        "right": "none",
        "seed": 77,
    }
    eventually(lambda: asked(page).get("seed") == "77", "the address tells the scene", page)
    assert asked(page) == {
        "edition": "classic-de",
        "wiring": "own",
        "left": "pn532",
        "right": "none",
        "seed": "77",
    }


def test_a_wiring_file_can_be_chosen_and_its_errors_are_shown(page: Page, table: TableThread, tmp_path: Path) -> None:
    wrong, right = tmp_path / "wrong.toml", tmp_path / "block.toml"
    wrong.write_text(f"{BLOCK_ONLY}lamb = 27\n")
    right.write_text(BLOCK_ONLY)
    opened(page)
    page.get_by_label("Wiring").select_option("file")
    page.get_by_label("Its table.toml").set_input_files(wrong)
    page.get_by_role("button", name="Load setup", exact=True).click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("wrong.toml:3: ")
    assert table.scene()["number"] == 1
    page.get_by_label("Its table.toml").set_input_files(right)
    page.get_by_role("button", name="Load setup", exact=True).click()
    expect(page.locator("#bank")).to_be_hidden()
    expect(page.locator("#block")).to_be_visible()
    opened(page)
    expect(page.get_by_label("Wiring").locator("option:checked")).to_have_text("block.toml, as it is now")


def test_start_over_loads_the_same_setup_after_confirmation(page: Page, table: TableThread) -> None:
    table.set_scene(Setup("classic-de"), 5, ["insert left 1", "type 200M", "wait 1"]).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "5", "the page knows the scene", page)
    dialog = page.get_by_role("dialog", name="Start over?")
    page.get_by_role("button", name="Start over").click()
    expect(dialog).to_contain_text("removes the cards in the slots, all games")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).not_to_be_visible()
    assert (table.scene()["number"], shown(table)) == (2, ["1700"])
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Start over").click()
    expect(dialog).not_to_be_visible()
    assert table.scene()["number"] == 3
    assert (table.scene()["edition"], table.scene()["seed"], shown(table)) == ("classic-de", 5, [])


# what is on the table


def test_a_page_that_outlives_its_bench_shows_what_the_next_one_has(
    browser: Browser, serve: Callable[..., AbstractContextManager[str]], tmp_path: Path
) -> None:
    page = browser.new_page()
    one, other = (TableThread(Scene.load(None, tmp_path), seed=seed) for seed in (1, 2))
    try:
        with serve(one) as url:
            page.goto(url)
            expect(page).to_have_url(re.compile(r"seed=1\b"))
        with serve(other, port=urlsplit(url).port):
            expect(page).to_have_url(re.compile(r"seed=2\b"))
    finally:
        page.close()
        one.close()
        other.close()
