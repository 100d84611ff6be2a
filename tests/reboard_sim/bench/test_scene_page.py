"""Scenes in a browser: set by a dialog or by a link, saved as a play, and begun again."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from reboard_sim.bench.scene_wish import SceneWish
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.recording import LINES_EACH, MOST_LINES

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
BLOCK_ONLY = "[block]\nbutton = 17\n"
PHONE = {"width": 390, "height": 844}


def eventually(page: Page, holds: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, what
        page.wait_for_timeout(10)


def opened(page: Page) -> None:
    expect(page).to_have_url(re.compile("seed="))
    page.get_by_role("button", name="Scene").click()
    expect(page.get_by_role("dialog", name="Set the table anew")).to_be_visible()


def asked(page: Page) -> dict[str, str]:
    """What the page's address asks for."""
    return dict(parse_qsl(urlsplit(page.url).query))


def link_of(page: Page) -> str:
    context: BrowserContext = page.context
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Copied")
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


def shown(table: TableThread) -> list[str]:
    return [card["shown"] for card in table.table()["cards"]]


# the dialog


def test_a_scene_is_set_in_the_dialog(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    expect(page.locator("#events")).to_contain_text("left slot")
    opened(page)
    page.get_by_label("Edition").select_option("classic-de")
    page.get_by_label("Left reader").select_option("pn532")
    page.get_by_label("Right reader").select_option("none")
    page.get_by_label("Seed").fill("77")
    page.get_by_role("button", name="Set the table", exact=True).click()
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
    eventually(page, lambda: asked(page).get("seed") == "77", "the address tells the scene")
    assert asked(page) == {
        "edition": "classic-de",
        "wiring": "own",
        "left": "pn532",
        "right": "none",
        "seed": "77",
    }


def test_the_dialog_begins_with_what_is_on_the_table_and_can_be_left(page: Page, table: TableThread) -> None:
    table.set_scene(SceneWish("nintendo", readers={"left": "id12"}), 12, []).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "12", "the address tells the scene")
    opened(page)
    expect(page.get_by_label("Edition")).to_have_value("nintendo")
    expect(page.get_by_label("Wiring")).to_have_value("own")
    expect(page.get_by_label("Left reader")).to_have_value("id12")
    expect(page.get_by_label("Right reader")).to_have_value("")
    expect(page.get_by_label("Seed")).to_have_value("12")
    page.get_by_role("button", name="Another").click()
    expect(page.get_by_label("Seed")).not_to_have_value("12")
    page.keyboard.press("1")
    page.get_by_role("button", name="Leave it").click()
    expect(page.get_by_role("dialog")).not_to_be_visible()
    assert table.scene()["number"] == 2
    assert table.hardware()["keys"] == []


def test_a_wiring_comes_from_a_file_and_what_is_wrong_in_it_is_told_line_by_line(
    page: Page, table: TableThread, tmp_path: Path
) -> None:
    wrong, right = tmp_path / "wrong.toml", tmp_path / "block.toml"
    wrong.write_text(f"{BLOCK_ONLY}lamb = 27\n")
    right.write_text(BLOCK_ONLY)
    opened(page)
    page.get_by_label("Wiring").select_option("file")
    page.get_by_label("Its table.toml").set_input_files(wrong)
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("wrong.toml:3: ")
    assert table.scene()["number"] == 1
    page.get_by_label("Its table.toml").set_input_files(right)
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.locator("#bank")).to_be_hidden()
    expect(page.locator("#block")).to_be_visible()
    opened(page)
    expect(page.get_by_label("Wiring").locator("option:checked")).to_have_text("block.toml, as it is now")


def test_start_over_sets_the_same_scene_with_an_empty_ledger(page: Page, table: TableThread) -> None:
    table.set_scene(SceneWish("classic-de"), 5, ["insert left 1", "type 200M", "wait 1"]).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "5", "the page knows the scene")
    page.get_by_role("button", name="Start over").click()
    eventually(page, lambda: table.scene()["number"] == 3, "the table is set")
    assert (table.scene()["edition"], table.scene()["seed"], shown(table)) == ("classic-de", 5, [])


def test_the_dialog_fits_on_a_phone(phone: Page) -> None:
    opened(phone)
    phone.get_by_label("Wiring").select_option("file")
    box = phone.get_by_role("dialog").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["height"] <= PHONE["height"]


# the recording


def test_what_was_done_by_hand_is_saved_as_a_play_that_holds(page: Page, table: TableThread, tmp_path: Path) -> None:
    page.get_by_role("button", name="Bank card 1").press("ArrowLeft")
    expect(page.locator("#display-text")).to_contain_text("15M")
    page.locator('[data-key="2"]').click()
    page.locator('[data-key="M"]').click()
    expect(page.locator("#display-text")).to_contain_text("17M")
    page.locator("#block-button").click()
    expect(page.locator("#block-button")).not_to_have_class("glowing")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a play").click()
    assert download.value.suggested_filename == "reboard-session.play"
    play = tmp_path / "session.play"
    download.value.save_as(play)
    assert "expect balance 1 17M" in play.read_text()
    # while a browser is open no other event loop can run here
    played = subprocess.run([sys.executable, "-m", "reboard_sim.cli", "play", play], capture_output=True, text=True)
    assert played.returncode == 0, played.stderr


def test_a_recording_that_is_full_says_so(page: Page, table: TableThread) -> None:
    save = page.get_by_role("link", name="Save as a play")
    expect(save).to_have_text("Save as a play")
    table.set_scene(SceneWish(), 5, ["hold 1", "release 1"] * (MOST_LINES // (2 * LINES_EACH))).result(4 * PATIENCE_S)
    expect(save).to_have_text("Save as a play (full)")
    table.set_scene(SceneWish(), 5, []).result(PATIENCE_S)
    expect(save).to_have_text("Save as a play")


# links


def test_a_link_sets_the_table_as_it_was_when_somebody_wants_that(
    page: Page, open_page: Callable[..., Page], table: TableThread
) -> None:
    table.choose_pace("fast").result(PATIENCE_S)
    lines = ["insert left 1", "type 200M", "wait 1", "# so it is"]
    table.set_scene(SceneWish("classic-de", readers={"right": "none"}), 5, lines).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "5", "the page knows the scene")
    link = link_of(page)
    table.set_scene(SceneWish(), 6, []).result(PATIENCE_S)
    guest = open_page()
    guest.goto(link)
    banner = guest.get_by_role("region", name="A link")
    expect(banner).to_contain_text("Monopoly Classic (Deutschland), on our own wiring, right reader none, seed 5, then")
    assert table.scene()["number"] == 3
    banner.get_by_role("button", name="Set the table so").click()
    expect(banner).to_be_hidden()
    expect(guest.locator("#display-text")).to_contain_text("1700")
    assert (table.scene()["seed"], shown(table)) == (5, ["1700"])
    assert "do" not in asked(guest)


def test_a_long_session_is_packed_into_its_link(page: Page, open_page: Callable[..., Page], table: TableThread) -> None:
    presses = [line for n in range(80) for line in ("press block 0.2", f"wait {5 + n / 100}")]
    table.set_scene(SceneWish(wiring="mine.toml", text=BLOCK_ONLY), 5, presses).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("wiring") == "mine.toml", "the page knows the scene")
    before = table.table()["block"]
    link = link_of(page)
    assert "#wiring=" in link
    assert "play=" in link
    assert len(link) < 2000
    table.set_scene(SceneWish(), 6, []).result(PATIENCE_S)
    guest = open_page()
    guest.goto(link)
    guest.get_by_role("button", name="Set the table so").click()
    expect(guest.locator("#bank")).to_be_hidden()
    eventually(guest, lambda: table.table()["block"] == before, "as often, and the same came")
    assert table.scene()["wiring"] == {"name": "mine.toml", "text": BLOCK_ONLY}


def test_a_session_that_no_link_can_carry_is_to_be_saved(page: Page, table: TableThread) -> None:
    lines = [f"key {n * n % 10} # {n * 7919 % 10007} {n * 104729 % 100003}" for n in range(1500)]
    table.set_scene(SceneWish(), 5, lines).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "5", "the page knows the scene")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Too long: save it")


def test_a_link_can_be_left(open_page: Callable[..., Page], table: TableThread, url: str) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=press+block&inside=serial")
    expect(page.get_by_role("region", name="A link")).to_contain_text("then 1 line is done")
    page.get_by_role("button", name="Leave it").click()
    expect(page.get_by_role("region", name="A link")).to_be_hidden()
    assert table.scene()["number"] == 1
    assert asked(page) == {"inside": "serial", "edition": "world", "wiring": "own", "seed": "1"}


def test_a_page_that_is_loaded_again_asks_nothing(page: Page) -> None:
    eventually(page, lambda: asked(page).get("seed") == "1", "the address tells the scene")
    page.reload()
    expect(page.locator("#line")).to_have_text("live")
    expect(page.get_by_role("region", name="A link")).to_be_hidden()


@pytest.mark.parametrize("part", ["#play=!", "#play=AAAA", "#play=%00", "?edition=world#play=7ZRB"])
def test_a_link_that_cannot_be_read_says_so(open_page: Callable[..., Page], url: str, part: str) -> None:
    page = open_page()
    page.goto("about:blank")
    page.goto(f"{url}{part}")
    banner = page.get_by_role("region", name="A link")
    expect(banner).to_contain_text("This link cannot be read")
    expect(banner.get_by_role("button", name="Set the table so")).to_be_hidden()
    banner.get_by_role("button", name="Leave it").click()
    expect(banner).to_be_hidden()


def test_what_a_link_asks_for_and_cannot_be_had_is_said(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=%3Cimg+src%3Dx%3E&wiring=config&left=magnet&seed=x")
    banner = page.get_by_role("region", name="A link")
    expect(banner).to_contain_text("<img src=x>, on the wiring that the bench was begun with, left reader magnet")
    expect(banner.locator("img")).to_have_count(0)
    banner.get_by_role("button", name="Set the table so").click()
    expect(banner).to_contain_text("That does not go: left is one of rdm6300, ")
    assert table.scene()["number"] == 1
