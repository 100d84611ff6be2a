"""A user loads setups on the bench in a browser: by the dialog, by Start over, and by links."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from reboard.languages import Texts
from reboard_sim.bench.bench_acts import Setup
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.barriers import barriers
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, served
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


def query(page: Page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def shown(table: TableThread) -> list[str]:
    return [card["shown"] for card in table.table()["cards"]]


def open_dialog(page: Page) -> None:
    expect(page).to_have_url(re.compile("seed="))
    page.get_by_role("button", name="Setup").click()
    page.get_by_role("button", name="Load another setup").click()
    expect(page.get_by_role("dialog", name="Load another setup")).to_be_visible()


OF_BLOCK = [
    *("chatter block", "stuck block", "spike block.button", "hum block.button", "bounce"),
    *("sound", "sound hangs", "sound late", "sound swallows", "speech missing", "speech hangs"),
]


def load(page: Page) -> None:
    page.get_by_role("button", name="Load setup", exact=True).click()


def banner_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Link")


def test_the_dialog_loads_a_setup_and_start_over_loads_it_again(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    expect(page.locator("#events")).to_contain_text("left slot")
    open_dialog(page)
    page.get_by_label("Edition", exact=True).select_option("classic-de")
    page.get_by_label("Seed").fill("77")
    load(page)
    expect(page.get_by_role("dialog")).not_to_be_visible()
    expect(page.locator("#display-text")).to_contain_text("MONOPOLY")
    expect(page.locator("#events")).not_to_contain_text("left slot")
    chosen = {"edition": "classic-de", "seed": "77"}
    assert {name: str(table.scene()[name]) for name in chosen} == chosen
    eventually(lambda: query(page) == {**chosen, "wiring": "own"}, "the address shows the setup", page)

    table.do(["insert left 1"]).result(PATIENCE_S)
    eventually(lambda: shown(table) == ["1500"], "the card is read", page)
    dialog = page.get_by_role("dialog", name="Start over?")
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).not_to_be_visible()
    assert (table.scene()["number"], shown(table)) == (2, ["1500"])
    page.get_by_role("button", name="Start over").click()
    dialog.get_by_role("button", name="Start over").click()
    expect(dialog).not_to_be_visible()
    assert (table.scene()["number"], shown(table)) == (3, [])
    assert {name: str(table.scene()[name]) for name in chosen} == chosen


def test_the_switches_act_at_once_and_outlast_start_over(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    page.get_by_role("button", name="Setup").click()
    sheet = page.get_by_role("region", name="Setup")
    linked, pot = sheet.get_by_role("switch", name="Linked play"), sheet.get_by_role("switch", name="Free Parking pot")
    expect(linked).to_be_disabled()
    expect(linked).to_have_accessible_description(re.compile("Load another setup, such as Monopoly"))
    pot.check()
    sheet.get_by_label("Right reader").select_option("pn532")
    expect(sheet.get_by_role("status")).to_contain_text("no card works in both slots")
    sheet.get_by_label("Right reader").select_option("none")
    sheet.get_by_label("Language of the display").select_option("de")
    expect(page.locator("#slot-right")).to_be_disabled()
    eventually(lambda: table.table()["pot"], "the table has a pot", page)
    assert barriers(page, "#setup") == []
    assert (table.scene()["number"], shown(table)) == (1, ["15M"])
    page.reload()
    page.get_by_role("button", name="Setup").click()
    expect(pot).to_be_checked()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("dialog", name="Start over?").get_by_role("button", name="Start over").click()
    eventually(lambda: table.scene()["number"] == 2, "the table is new", page)
    chosen = {"bank.pot": "true", "bank.right": "none", "bank.language": "de"}

    def is_as_chosen() -> bool:
        now = {each["setting"]: each["value"] for each in table.switches(Texts())}
        return now.items() >= chosen.items()

    eventually(is_as_chosen, "the new table has the switches of the old one", page)


def test_a_wiring_file_is_loaded_and_its_errors_are_shown(page: Page, table: TableThread, tmp_path: Path) -> None:
    wrong, right = tmp_path / "wrong.toml", tmp_path / "block.toml"
    wrong.write_text(f"{BLOCK_ONLY}lamb = 27\n")
    right.write_text(BLOCK_ONLY)
    open_dialog(page)
    page.get_by_label("Wiring").select_option("file")
    page.get_by_label("Its table.toml").set_input_files(wrong)
    load(page)
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("wrong.toml:3: ")
    assert table.scene()["number"] == 1
    page.get_by_label("Its table.toml").set_input_files(right)
    load(page)
    expect(page.locator("#bank")).to_be_hidden()
    expect(page.locator("#block")).to_be_visible()
    page.get_by_role("heading", name="Faults").click()
    faults = page.locator(".fault").filter(visible=True)
    expect(faults).to_have_text(OF_BLOCK)
    table.do(["fault disk full"]).result(PATIENCE_S)
    expect(page.locator(".fault[aria-pressed='true']")).to_have_text("disk full")
    page.locator(".fault[aria-pressed='true']").click()
    expect(faults).to_have_count(len(OF_BLOCK))

    expect(page).to_have_url(re.compile(r"wiring=block\.toml.*#wiring="))
    bookmark = page.url
    page.reload()
    expect(page.get_by_role("button", name="Setup")).to_be_enabled()
    expect(banner_of(page)).to_be_hidden()
    table.set_scene(Setup(), 6, []).result(PATIENCE_S)
    expect(page).to_have_url(re.compile("seed=6$"))
    page.goto("about:blank")
    page.goto(bookmark)
    banner_of(page).get_by_role("button", name="Load setup").click()
    expect(banner_of(page)).to_be_hidden()
    expect(page).to_have_url(bookmark)
    assert table.scene()["wiring"] == {"name": "block.toml", "text": BLOCK_ONLY}


def test_a_copied_link_loads_its_setup_after_confirmation(
    page: Page, open_page: Callable[..., Page], table: TableThread
) -> None:
    table.choose_pace("fast").result(PATIENCE_S)
    lines = ["insert left 1", "type 200M", "wait 1", "# so it is"]
    table.set_scene(Setup("classic-de", readers={"right": "none"}), 5, lines).result(PATIENCE_S)
    eventually(lambda: query(page).get("seed") == "5", "the page knows the scene", page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#copy-link")).to_have_text("Copied")
    page.clock.resume()
    link: str = page.evaluate("navigator.clipboard.readText()")
    table.set_scene(Setup(), 6, []).result(PATIENCE_S)
    guest = open_page()
    guest.goto(link)
    banner = banner_of(guest)
    for part in ("Monopoly Classic (Deutschland)", "right reader none", "seed 5"):
        expect(banner).to_contain_text(part)
    assert table.scene()["number"] == 3
    banner.get_by_role("button", name="Load setup").click()
    expect(banner).to_be_hidden()
    expect(guest.get_by_role("main")).to_be_focused()
    expect(guest.locator("#display-text")).to_contain_text("1700")
    assert (table.scene()["seed"], shown(table)) == (5, ["1700"])
    eventually(lambda: "do" not in query(guest), "the address shows what is on the table", guest)


def test_a_link_can_be_cancelled_and_a_line_that_fails_is_named(page: Page, table: TableThread, url: str) -> None:
    page.goto(f"{url}?edition=nintendo&do=press+block&inside=serial")
    banner = banner_of(page)
    page.get_by_role("button", name="Cancel").click()
    expect(banner).to_be_hidden()
    expect(page.get_by_role("main")).to_be_focused()
    assert table.scene()["number"] == 1
    left = {"inside": "serial", "edition": "world", "wiring": "own", "seed": "1"}
    eventually(lambda: query(page) == left, "the address shows what is on the table", page)

    page.goto(f"{url}?edition=nintendo&do=insert+left+1&do=type+2&do=expect+balance+1+3&do=press+block")
    banner.get_by_role("button", name="Load setup").click()
    expect(banner).to_contain_text("line 3 (“expect balance 1 3”) failed: expected balance 1 3; found 1500")
    expect(banner.get_by_role("button", name="Load setup")).to_be_disabled()
    loaded = {"edition": "nintendo", "wiring": "own", "seed": str(table.scene()["seed"])}
    eventually(lambda: query(page) == loaded, "the address shows what is on the table", page)
    assert table.scene()["number"] == 2
    expect(page.locator("#slot-left .card-art")).to_have_count(1)
    expect(banner.get_by_role("button", name="Close")).to_be_focused()
    banner.get_by_role("button", name="Close").click()
    expect(banner).to_be_hidden()


INVALID_LINKS = {
    "?edition=wold": 'did you mean "world"?',
    "?seed=x7": "seed",
    "?left=magnet": "pn532",
    "?wiring=block.toml": "block.toml",
    "?do=insert+left+1&do=dance": "line 2 (“dance”)",
    f"?{'&'.join(['do=wait+600'] * 37)}": "line 37 (“wait 600”)",
    "?edition=world#play=AAAA": "incomplete",
    "?edition=world&edition=nintendo": "edition",
    "?inside=zzz": "ledger",
    "#do=@@@@": "#do",
    "?sed=5": "?sed",
}


OPEN_LINK = "(link) => { history.replaceState(null, '', link); dispatchEvent(new Event('hashchange')); }"
"""Opens a link without loading the page again."""


def test_a_link_is_asked_about_where_the_user_reads(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    phone = open_page(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    phone.locator("#act-line").scroll_into_view_if_needed()
    assert phone.evaluate("scrollY") > 100
    phone.evaluate("play => { location.hash = play; }", "#no=1")
    for place in (0, 300):
        phone.evaluate("place => scrollTo(0, place)", place)
        expect(phone.locator("#link")).to_be_in_viewport(ratio=1)


def test_a_link_that_cannot_be_loaded_says_why(page: Page, table: TableThread, url: str) -> None:
    for link, reason in INVALID_LINKS.items():
        page.evaluate(OPEN_LINK, url + link)
        banner = banner_of(page)
        expect(banner.get_by_role("status")).to_contain_text(reason)
        expect(banner.get_by_role("status")).to_have_css("color", "rgb(179, 50, 44)")
        expect(banner.get_by_role("button", name="Load setup")).to_be_disabled()
    banner.get_by_role("button", name="Close").click()
    expect(banner).to_be_hidden()
    assert table.scene()["number"] == 1
    loaded = {"edition": "world", "wiring": "own", "seed": "1"}
    eventually(lambda: query(page) == loaded and "#" not in page.url, "the address shows what is on the table", page)


def test_a_page_that_outlives_its_bench_shows_what_the_next_one_has(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    one, other = (TableThread(Scene.load(None, tmp_path), seed=seed) for seed in (1, 2))
    try:
        with served(one) as url:
            page.goto(url)
            expect(page).to_have_url(re.compile(r"seed=1\b"))
        with served(other, port=urlsplit(url).port or 0):
            expect(page).to_have_url(re.compile(r"seed=2\b"))
    finally:
        page.close()
        one.close()
        other.close()
