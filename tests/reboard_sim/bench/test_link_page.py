"""Links in a browser: what is on the table is in the address, and another address is asked about."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from reboard_sim.bench.scene_wish import SceneWish
from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.address import asked, link_of, packed, unpackable
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, PATIENCE_S, PHONE, eventually

pytestmark = pytest.mark.realtime


def banner_of(page: Page) -> Locator:
    return page.get_by_role("region", name="A link")


def shown(table: TableThread) -> list[str]:
    return [card["shown"] for card in table.table()["cards"]]


def test_a_link_sets_the_table_as_it_was_when_somebody_wants_that(
    page: Page, open_page: Callable[..., Page], table: TableThread
) -> None:
    table.choose_pace("fast").result(PATIENCE_S)
    lines = ["insert left 1", "type 200M", "wait 1", "# so it is"]
    table.set_scene(SceneWish("classic-de", readers={"right": "none"}), 5, lines).result(PATIENCE_S)
    eventually(lambda: asked(page).get("seed") == "5", "the page knows the scene", page)
    link = link_of(page)
    table.set_scene(SceneWish(), 6, []).result(PATIENCE_S)
    guest = open_page()
    guest.goto(link)
    banner = banner_of(guest)
    expect(banner).to_contain_text("Monopoly Classic (Deutschland), on our own wiring, right reader none, seed 5, then")
    assert table.scene()["number"] == 3
    banner.get_by_role("button", name="Set the table so").click()
    expect(banner).to_be_hidden()
    expect(guest.get_by_role("main")).to_be_focused()
    expect(guest.locator("#display-text")).to_contain_text("1700")
    assert (table.scene()["seed"], shown(table)) == (5, ["1700"])
    assert "do" not in asked(guest)


def test_a_long_session_is_packed_into_its_link(page: Page, open_page: Callable[..., Page], table: TableThread) -> None:
    presses = [line for n in range(80) for line in ("press block 0.2", f"wait {5 + n / 100}")]
    table.set_scene(SceneWish(wiring="mine.toml", text=BLOCK_ONLY), 5, presses).result(PATIENCE_S)
    eventually(lambda: asked(page).get("wiring") == "mine.toml", "the page knows the scene", page)
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
    eventually(lambda: table.table()["block"] == before, "as often, and the same came", guest)
    assert table.scene()["wiring"] == {"name": "mine.toml", "text": BLOCK_ONLY}


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
    eventually(lambda: asked(page).get("seed") == "5", "the page knows the scene", page)
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
    expect(banner_of(page)).to_contain_text(
        "This link sets the table anew: Monopoly Nintendo, on our own wiring, a seed that is drawn. "
    )
    expect(banner_of(page).get_by_text("Line by line")).to_be_hidden()


def test_a_link_tells_what_it_leaves_out_as_it_does_what_is_empty(open_page: Callable[..., Page], url: str) -> None:
    page = open_page()
    page.goto(f"{url}?edition=&wiring=&left=&seed=&do=&do=press+block")
    expect(banner_of(page)).to_contain_text("anew: our own wiring, a seed that is drawn, then 1 line is done. ")
    page.goto("about:blank")
    page.goto(f"{url}#{packed(['press block', ''])}")
    expect(banner_of(page)).to_contain_text("then 1 line is done. ")


def test_a_link_with_more_lines_than_can_be_done_is_refused_at_once(open_page: Callable[..., Page], url: str) -> None:
    page = open_page()
    page.goto("about:blank")
    page.goto(f"{url}#{packed(['wait 1'] * 10_001)}")
    banner = banner_of(page)
    expect(banner).to_contain_text("This link has 10,001 lines, and at most 10,000 are done.")
    expect(banner.get_by_role("button", name="Set the table so")).to_be_hidden()


def test_a_link_that_lost_its_wiring_is_refused_at_once(open_page: Callable[..., Page], url: str) -> None:
    page = open_page()
    page.goto(f"{url}?wiring=mine.toml&do=press+block")
    banner = banner_of(page)
    expect(banner).to_contain_text("This link names the wiring mine.toml and does not have it: was it cut off?")
    expect(banner.get_by_role("button", name="Set the table so")).to_be_hidden()


def test_a_long_line_that_is_wrong_is_not_said_again_in_full(open_page: Callable[..., Page], url: str) -> None:
    page = open_page()
    page.goto(f"{url}?do={'x' * 300}")
    banner = banner_of(page)
    banner.get_by_role("button", name="Set the table so").click()
    cut = f"{'x' * 80}…"
    expect(banner).to_contain_text(f"That was not done: line 1 (“{cut}”): '{cut}' is no act")


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
    eventually(lambda: asked(page).get("edition") == "nintendo", "the address shows what is on the table", page)
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
    expect(banner).to_contain_text("That was not done: line 2 (“insert left 9”): '9' is no card")
    expect(banner.get_by_role("button", name="Set the table so")).to_be_visible()
    assert (table.scene()["number"], asked(page)["do"]) == (1, "insert left 9")


def test_a_link_can_be_left(open_page: Callable[..., Page], table: TableThread, url: str) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=press+block&inside=serial")
    expect(banner_of(page)).to_contain_text("then 1 line is done")
    page.get_by_role("button", name="Leave it").click()
    expect(banner_of(page)).to_be_hidden()
    expect(page.get_by_role("main")).to_be_focused()
    assert table.scene()["number"] == 1
    assert asked(page) == {"inside": "serial", "edition": "world", "wiring": "own", "seed": "1"}


def test_a_link_that_is_left_while_it_is_carried_out_is_done_no_further(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo#{packed(['insert left 1', *['key C', 'wait 0.1'] * 4_000, 'insert right 2'])}")
    page.get_by_role("button", name="Set the table so").click()
    eventually(lambda: table.hardware()["slots"]["left"] == 1, "the first line is done", page)
    page.get_by_role("button", name="Leave it").click()
    expect(banner_of(page)).to_be_hidden()
    eventually(lambda: table.hardware()["pace"] == 1, "the lines are called off", page)
    assert table.hardware()["slots"] == {"left": 1, "right": None}
    expect(page).to_have_url(re.compile(rf"\bedition=nintendo\b.*seed={table.scene()['seed']}$"))


@pytest.mark.parametrize("is_done_first", [True, False])
def test_a_link_that_is_opened_while_another_one_is_carried_out_is_asked_about_and_followed(
    open_page: Callable[..., Page], table: TableThread, url: str, is_done_first: bool
) -> None:
    held: list[Route] = []
    page = open_page()
    page.goto(f"{url}?edition=nintendo")
    expect(banner_of(page)).to_be_visible()
    page.route(
        "**/api/bench/scene", lambda route: route.fallback() if route.request.method == "GET" else held.append(route)
    )
    page.get_by_role("button", name="Set the table so").click()
    eventually(lambda: held, "the first link is being carried out", page)
    page.goto(f"{url}?edition=nintendo#{packed(['insert left 2'])}")
    expect(banner_of(page)).to_contain_text("then 1 line is done")
    if is_done_first:
        with page.expect_response("**/api/bench/scene"):
            held[0].continue_()
    page.unroute("**/api/bench/scene")
    page.get_by_role("button", name="Set the table so").click()
    expect(banner_of(page)).to_be_hidden()
    assert table.hardware()["slots"]["left"] == 2


@pytest.mark.parametrize("refusals", [{409}])
def test_a_link_in_whose_place_another_scene_was_set_can_be_followed_again(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page = open_page()
    page.goto(f"{url}?edition=nintendo&do=insert+left+1")
    expect(banner_of(page)).to_be_visible()
    says = {"error": "the table was set anew before this was done", "line": None}
    page.route("**/api/bench/scene", lambda route: route.fulfill(status=409, json=says), times=1)
    page.get_by_role("button", name="Set the table so").click()
    expect(banner_of(page)).to_contain_text("That was not done: the table was set anew before this was done")
    page.get_by_role("button", name="Set the table so").click()
    expect(banner_of(page)).to_be_hidden()
    assert table.hardware()["slots"]["left"] == 1


def test_a_page_that_is_loaded_again_asks_nothing(page: Page) -> None:
    eventually(lambda: asked(page).get("seed") == "1", "the address tells the scene", page)
    page.reload()
    expect(page.get_by_role("button", name="Scene")).to_be_enabled()
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
    expect(banner).to_contain_text("That was not done: left is one of rdm6300, ")
    assert table.scene()["number"] == 1
