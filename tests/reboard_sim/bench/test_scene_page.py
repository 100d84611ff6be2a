"""Scenes in a browser: set by a dialog or by a link, saved as a play, and begun again."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from reboard_sim.bench.scene_wish import LONGEST_SCENE_S, SceneWish
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.recording import LINES_EACH, MOST_LINES
from reboard_sim.scene import Scene

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
BLOCK_ONLY = "[block]\nbutton = 17\n"
PHONE = {"width": 390, "height": 844}
MOST_SEED = 2**53 - 1


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


def banner_of(page: Page) -> Locator:
    return page.get_by_role("region", name="A link")


def unpackable(count: int) -> list[str]:
    """So many times 400 characters that are no shorter than half of it when they are packed."""
    noise = random.Random(1)
    return [noise.randbytes(200).hex() for _ in range(count)]


def answered(route: Route, answer: dict[str, object]) -> None:
    """Let the bench say no."""
    route.fulfill(status=400, json=answer)


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


def test_a_file_that_was_changed_after_it_was_chosen_is_to_be_chosen_again(
    page: Page, table: TableThread, tmp_path: Path
) -> None:
    wiring = tmp_path / "block.toml"
    wiring.write_text(BLOCK_ONLY)
    opened(page)
    page.get_by_label("Wiring").select_option("file")
    page.get_by_label("Its table.toml").set_input_files(wiring)
    wiring.write_text(f"{BLOCK_ONLY}lamp = 27\n")
    page.get_by_role("button", name="Set the table", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("choose it again")
    page.get_by_label("Its table.toml").set_input_files([])
    page.get_by_label("Its table.toml").set_input_files(wiring)
    page.get_by_role("button", name="Set the table", exact=True).click()
    eventually(page, lambda: "lamp" in str(table.scene()["wiring"]), "the table is set")


def test_a_seed_can_be_as_large_as_a_browser_counts(page: Page, table: TableThread) -> None:
    opened(page)
    seed = page.get_by_label("Seed")
    for wrong in (str(MOST_SEED + 1), "-1", "1.5", ""):
        seed.fill(wrong)
        assert not seed.evaluate("field => field.checkValidity()"), wrong
    page.get_by_role("button", name="Another").click()
    assert 0 <= int(seed.input_value()) < 1_000_000
    seed.fill(str(MOST_SEED))
    page.get_by_role("button", name="Set the table", exact=True).click()
    eventually(page, lambda: table.scene()["seed"] == MOST_SEED, "the table is set")


def test_keys_reach_nothing_behind_a_dialog(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    opened(page)
    page.get_by_role("dialog").get_by_role("heading").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type("5pn", delay=120)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("7", delay=120)
    eventually(page, lambda: table.table()["typed"], "7 was typed")
    assert table.table()["typed"] == "7"
    assert table.hardware()["pace"] == 1


def test_start_over_sets_the_same_scene_with_an_empty_ledger_if_somebody_means_it(
    page: Page, table: TableThread
) -> None:
    table.set_scene(SceneWish("classic-de"), 5, ["insert left 1", "type 200M", "wait 1"]).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "5", "the page knows the scene")
    dialog = page.get_by_role("dialog", name="Start over?")
    page.get_by_role("button", name="Start over").click()
    expect(dialog).to_contain_text("Taken away are the cards in the slots, all games")
    dialog.get_by_role("button", name="Leave it").click()
    expect(dialog).not_to_be_visible()
    assert (table.scene()["number"], shown(table)) == (2, ["1700"])
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Start over").click()
    expect(dialog).not_to_be_visible()
    assert table.scene()["number"] == 3
    assert (table.scene()["edition"], table.scene()["seed"], shown(table)) == ("classic-de", 5, [])


def test_why_nothing_starts_over_is_told_in_the_dialog(page: Page) -> None:
    page.route("**/api/bench/scene", lambda route: answered(route, {"error": "the disk is full"}))
    page.get_by_role("button", name="Start over").click()
    dialog = page.get_by_role("dialog", name="Start over?")
    dialog.get_by_role("button", name="Start over").click()
    expect(dialog.get_by_role("alert")).to_have_text("the disk is full")
    dialog.get_by_role("button", name="Leave it").click()
    page.get_by_role("button", name="Start over").click()
    expect(dialog.get_by_role("alert")).to_have_count(0)


def test_the_dialog_fits_on_a_phone(phone: Page) -> None:
    opened(phone)
    phone.get_by_label("Wiring").select_option("file")
    box = phone.get_by_role("dialog").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["height"] <= PHONE["height"]


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


def test_a_scene_that_could_not_be_asked_for_is_asked_for_again(page: Page, url: str) -> None:
    page.route("**/api/bench/scene", lambda route: answered(route, {"error": "not now"}), times=1)
    page.goto(url)
    expect(page.get_by_role("button", name="Scene")).to_be_disabled()
    opened(page)


def test_while_the_lines_of_a_scene_are_done_there_is_no_clock_to_be_worked(
    page: Page, table: TableThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = table.hardware
    monkeypatch.setattr(table, "hardware", lambda: {**looks(), "pace": "scene", "rate": 1e6})
    expect(page.locator("#line")).to_have_text("the table is being set")
    for button in page.get_by_role("group", name="Time").get_by_role("button").all():
        expect(button).to_be_disabled()
    page.locator("body").press("p")
    monkeypatch.undo()
    expect(page.locator("#line")).to_have_text("live")
    expect(page.get_by_role("button", name="Pause")).to_be_enabled()
    assert table.hardware()["pace"] == 1


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
    banner = banner_of(guest)
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
    lines = [f"key 1 # {noise}" for noise in unpackable(60)]
    table.set_scene(SceneWish(), 5, lines).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "5", "the page knows the scene")
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Too long: save it")


def test_a_link_that_no_bench_answers_for_says_so(page: Page) -> None:
    page.route("**/session.play", lambda route: answered(route, {"error": "not now"}))
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("No answer")


def test_a_session_that_took_too_long_for_a_link_is_to_be_saved(page: Page, table: TableThread, url: str) -> None:
    choices = page.request.get(f"{url}api/bench").json()
    assert choices["longest_scene_s"] == LONGEST_SCENE_S
    page.route("**/api/bench", lambda route: route.fulfill(json={**choices, "longest_scene_s": 200}))
    page.reload()
    expect(page.locator("#line")).to_have_text("live")
    table.set_scene(SceneWish(), 5, ["wait 30", "hold 5 30", "press block 30"]).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=5"))
    assert "do=hold+5+30" in link_of(page)
    table.set_scene(SceneWish(), 6, ["wait 70", "hold 5 70", "press block 70"]).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=6"))
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Too long: save it")


def test_a_wiring_of_ones_own_is_in_the_address(page: Page, open_page: Callable[..., Page], table: TableThread) -> None:
    wish = SceneWish(wiring="mine.toml", text=BLOCK_ONLY)
    table.set_scene(wish, 5, []).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("wiring=mine.toml.*#wiring="))
    bookmark = page.url
    page.reload()
    expect(page.get_by_role("button", name="Scene")).to_be_enabled()
    expect(banner_of(page)).to_be_hidden()
    expect(page).to_have_url(bookmark)
    table.set_scene(SceneWish(), 6, []).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=6$"))
    guest = open_page()
    guest.goto(bookmark)
    banner_of(guest).get_by_role("button", name="Set the table so").click()
    expect(banner_of(guest)).to_be_hidden()
    expect(guest).to_have_url(bookmark)
    assert table.scene()["wiring"] == {"name": "mine.toml", "text": BLOCK_ONLY}


def test_a_wiring_that_no_address_can_carry_is_left_out(page: Page, table: TableThread) -> None:
    text = BLOCK_ONLY + "".join(f"# {noise}\n" for noise in unpackable(60))
    table.set_scene(SceneWish(wiring="mine.toml", text=text), 5, []).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("wiring=mine.toml&seed=5$"))
    page.reload()
    expect(page.get_by_role("button", name="Scene")).to_be_enabled()
    expect(banner_of(page)).to_be_hidden()


def test_a_link_with_the_same_scene_is_asked_about_in_a_page_that_is_open(page: Page, table: TableThread) -> None:
    presses = [line for n in range(80) for line in ("press block 0.2", f"wait {5 + n / 100}")]
    table.set_scene(SceneWish(), 5, presses).result(PATIENCE_S)
    eventually(page, lambda: asked(page).get("seed") == "5", "the page knows the scene")
    link = link_of(page)
    assert link.startswith(f"{page.url}#play=")
    page.goto(link)
    expect(banner_of(page)).to_contain_text("then 160 lines are done")


def test_the_lines_of_a_link_are_shown_as_text_and_scrolled(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page(viewport=PHONE)
    lines = ["insert left 1", "# <img src=x onerror=alert(1)>", *(f"wait {n}" for n in range(60)), f"# {'x' * 400}"]
    page.goto(f"{url}?{urlencode([('do', line) for line in lines])}")
    banner = banner_of(page)
    expect(banner).to_contain_text("then 63 lines are done")
    expect(banner.get_by_role("listitem")).to_have_count(0)
    banner.get_by_text("Line by line").click()
    expect(banner.get_by_role("listitem")).to_have_text(lines)
    expect(banner.locator("img")).to_have_count(0)
    box = banner.bounding_box()
    assert box
    assert box["height"] < PHONE["height"] / 2
    assert banner.get_by_role("list").evaluate("list => list.scrollWidth <= list.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert table.scene()["number"] == 1


def test_a_link_without_lines_has_none_to_show(open_page: Callable[..., Page], url: str) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo")
    expect(banner_of(page)).to_contain_text("This link sets the table anew: Monopoly Nintendo. ")
    expect(banner_of(page).get_by_text("Line by line")).to_be_hidden()


def test_a_line_of_a_link_that_fails_is_told_with_what_is_the_case(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=insert+left+1&do=type+2&do=expect+balance+1+3&do=press+block")
    banner = banner_of(page)
    banner.get_by_role("button", name="Set the table so").click()
    expect(banner).to_contain_text(
        "The table was set anew, but line 3 (“expect balance 1 3”) could not be carried out: "
        "expected balance 1 3; found 1500"
    )
    expect(banner.get_by_role("button", name="Set the table so")).to_be_hidden()
    eventually(page, lambda: asked(page).get("edition") == "nintendo", "the address shows what is on the table")
    assert asked(page) == {"edition": "nintendo", "wiring": "own", "seed": str(table.scene()["seed"])}
    assert table.scene()["number"] == 2
    expect(page.locator("#slot-left .card-art")).to_have_count(1)
    expect(banner.get_by_role("button", name="Close")).to_be_focused()
    banner.get_by_role("button", name="Close").click()
    expect(banner).to_be_hidden()


def test_a_link_with_a_line_that_is_none_changes_nothing(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=press+block&do=insert+left+9")
    banner = banner_of(page)
    banner.get_by_role("button", name="Set the table so").click()
    expect(banner).to_contain_text("That does not go: line 2 (“insert left 9”): '9' is no card")
    expect(banner.get_by_role("button", name="Set the table so")).to_be_visible()
    assert (table.scene()["number"], asked(page)["do"]) == (1, "insert left 9")


def test_a_link_can_be_left(open_page: Callable[..., Page], table: TableThread, url: str) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=press+block&inside=serial")
    expect(banner_of(page)).to_contain_text("then 1 line is done")
    page.get_by_role("button", name="Leave it").click()
    expect(banner_of(page)).to_be_hidden()
    assert table.scene()["number"] == 1
    assert asked(page) == {"inside": "serial", "edition": "world", "wiring": "own", "seed": "1"}


def test_a_page_that_is_loaded_again_asks_nothing(page: Page) -> None:
    eventually(page, lambda: asked(page).get("seed") == "1", "the address tells the scene")
    page.reload()
    expect(page.locator("#line")).to_have_text("live")
    expect(banner_of(page)).to_be_hidden()


@pytest.mark.parametrize("part", ["#play=!", "#play=AAAA", "#play=%00", "?edition=world#play=7ZRB"])
def test_a_link_that_cannot_be_read_says_so(open_page: Callable[..., Page], url: str, part: str) -> None:
    page = open_page()
    page.goto("about:blank")
    page.goto(f"{url}{part}")
    banner = banner_of(page)
    expect(banner).to_contain_text("This link cannot be read")
    expect(banner.get_by_role("button", name="Set the table so")).to_be_hidden()
    banner.get_by_role("button", name="Close").click()
    expect(banner).to_be_hidden()


def test_what_a_link_asks_for_and_cannot_be_had_is_said(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=%3Cimg+src%3Dx%3E&wiring=config&left=magnet&seed=x")
    banner = banner_of(page)
    expect(banner).to_contain_text("<img src=x>, on the wiring that the bench was begun with, left reader magnet")
    expect(banner.locator("img")).to_have_count(0)
    banner.get_by_role("button", name="Set the table so").click()
    expect(banner).to_contain_text("That does not go: left is one of rdm6300, ")
    assert table.scene()["number"] == 1
