"""The bench in a browser explains itself: next step, demos, help, the log, and a layout that hides nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from reboard_sim.bench.bench_acts import Setup
from reboard_sim.bench.table_thread import TableThread
from tests.pictures import SHIFTS, shifted
from tests.reboard_sim.bench.conftest import PHONE
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

SMALL_LAPTOP = {"width": 1280, "height": 720}

UNIT_STATES = [
    [],
    ["insert left 1"],
    ["wait 61"],
    ["key C", "key 2"],
    ["key C", "insert right 2"],
    ["key 2"],
    ["key C", "remove left"],
    ["key GO"],
    ["type 200M"],
    ["remove right", "key 7"],
    ["key C", "insert left 8"],
    ["remove left", "insert left tag 0123456789"],
    ["remove left", "key C", "hold GO 1.6"],
    ["key C", "key DEAL"],
    [
        "key C",
        *[line for card in (3, 2, 1) for line in ("remove left", f"insert left {card}", "type 1M")],
        "insert right 2",
        "hold GO 1.6",
        "key 2",
        "key GO",
    ],
    ["remove left", "remove right", "fault reader right"],
    ["mend reader right", "wait 61"],
    ["power off"],
]
"""Lines for the banker unit. After each list there is another next step."""

OTHER_STATES = {
    "block": [[], ["press block"], ["fault stuck block"], ["power off"]],
    "apple": [[], ["pull lever"], ["release lever"], ["fault stuck lever"], ["power off"]],
}

AFTER_SOME_FRAMES = """async () => {
    for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
}"""
"""The log adds its rows in frames."""


def box(locator: Locator) -> dict[str, float]:
    found = locator.bounding_box()
    assert found
    x, y, height = found["x"], found["y"], found["height"]
    return {"x": x, "y": y, "height": height, "bottom": y + height}


def ground(button: Locator) -> bytes:
    """Return a picture of the ground of *button*, left of its text."""
    button.scroll_into_view_if_needed()
    place = box(button)
    return button.page.screenshot(
        clip={"x": place["x"] + 5, "y": place["y"] + place["height"] / 2, "width": 2, "height": 2}
    )


@pytest.mark.parametrize(("accessory", "states"), [("bank", UNIT_STATES), *OTHER_STATES.items()])
def test_the_caption_says_another_next_step_in_each_state(
    page: Page, table: TableThread, accessory: str, states: list[list[str]]
) -> None:
    caption = page.locator(f"#{accessory} .says")
    said = [caption.inner_text()]
    for lines in states[1:]:
        table.choose_pace("fast" if "wait 61" in lines else 1).result(PATIENCE_S)
        table.do(lines).result(PATIENCE_S)
        eventually(lambda: caption.inner_text() not in said, f"another step after {lines}, not {said[-1]!r}", page)
        page.wait_for_timeout(200)
        said.append(caption.inner_text())
    assert all(said)
    assert len(set(said)) == len(states)
    assert accessory != "bank" or "2M" in said[1], "the salary"


def test_a_demo_is_played_and_can_be_stopped(page: Page, table: TableThread) -> None:
    show, slot = page.locator("#bank .show-me"), page.locator("#slot-left .card-art")
    label = show.inner_text()
    table.choose_pace(0).result(PATIENCE_S)
    show.click()
    expect(slot).to_have_count(1)
    expect(show).not_to_have_text(label)
    show.click()
    expect(show).to_have_text(label)
    expect(slot).to_have_count(0)

    table.do(["insert left 1"]).result(PATIENCE_S)
    expect(slot).to_have_count(1)
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    show.click()
    expect(page.locator("#bank-says")).to_contain_text("cards out")
    page.clock.fast_forward("00:06")
    expect(page.locator("#bank-says")).not_to_contain_text("cards out")
    page.clock.resume()
    page.locator("#apple .show-me").click()
    expect(page.locator("#apple .show-me")).not_to_have_text(label)
    table.choose_pace("fast").result(PATIENCE_S)
    expect(page.locator("#apple .show-me")).to_have_text(label)
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a play").click()
    assert "pull lever" in download.value.path().read_text()


def test_a_demo_goes_on_without_its_page_and_a_stop_takes_nothing_from_a_player(
    open_page: Callable[..., Page], table: TableThread, url: str
) -> None:
    page, other = open_page(), open_page()
    label = page.locator("#bank .show-me").inner_text()
    for stops in (False, True):
        show = page.locator("#bank .show-me")
        show.click()
        other_show = other.locator("#bank .show-me")
        eventually(lambda: table.table()["slots"]["left"] == 1, "the card is in", page)
        table.choose_pace(0).result(PATIENCE_S)  # else it may end before the pages are looked at
        expect(other_show).not_to_have_text(label)
        again = httpx.post(f"{url}api/bench/demo", json={"accessory": "bank"}, trust_env=False, timeout=PATIENCE_S)
        assert again.status_code == 409
        page.reload()
        expect(show).not_to_have_text(label)
        table.choose_pace(1).result(PATIENCE_S)
        begun, at = time.monotonic(), table.hardware()["t"]
        if stops:
            other_show.click()
        else:
            table.choose_pace("fast").result(PATIENCE_S)
        expect(other_show).to_have_text(label)
        if stops:
            assert table.hardware()["t"] - at < time.monotonic() - begun + 2, "a stop does not move the clock"
        table.choose_pace(1).result(PATIENCE_S)
        now = table.table()
        assert now["slots"] == {"left": None, "right": None}
        assert [card["balance"] for card in now["cards"]] == [15_000_000]
        assert len(now["transfers"]) == 3 + 2 * stops


def test_the_help_has_a_part_for_each_accessory(page: Page, table: TableThread) -> None:
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys and gestures")
    for title in page.locator(".accessory h2").all_inner_texts():
        expect(sheet.get_by_role("heading", name=title)).to_be_visible()
    page.keyboard.press("7")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    assert table.table()["typed"] == "", "a key is not for the table while the sheet is open"
    page.get_by_role("button", name="Keys and gestures").click()
    expect(sheet).to_be_visible()


def test_the_log_is_in_view_and_survives_and_inside_is_docked(
    open_page: Callable[..., Page], table: TableThread
) -> None:
    page = open_page(viewport=SMALL_LAPTOP)
    table.do(["insert left 1", "press block"]).result(PATIENCE_S)
    log, line, bar = page.locator("#events"), page.locator("#act"), page.get_by_role("separator")
    table.choose_pace(0).result(PATIENCE_S)
    expect(page.locator("#line")).to_have_text("paused")
    expect(log).to_contain_text("left slot")
    rows = ""
    while rows != (rows := log.inner_text()):  # until a slow browser adds no more
        page.evaluate(AFTER_SOME_FRAMES)
    assert box(line)["bottom"] <= SMALL_LAPTOP["height"]
    page.get_by_role("button", name="Inside").click()
    inside = page.locator("#inside")
    expect(inside.get_by_role("tab", name="Pins")).to_be_visible()
    parts = [page.locator("#bank .says"), bar, inside]
    for upper, lower in pairwise(parts):
        assert box(upper)["bottom"] <= box(lower)["y"] + 1
    assert box(line)["bottom"] <= box(bar)["y"]
    assert box(inside)["bottom"] <= SMALL_LAPTOP["height"]
    low = box(inside)["height"]
    bar.press("ArrowUp")
    eventually(lambda: box(inside)["height"] > low, "a key moves the splitter", page)
    x, y = box(bar)["x"] + 9, box(bar)["y"] + 4
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60)
    page.mouse.up()
    high = box(inside)["height"]
    assert high > low + 60
    page.reload()
    expect(inside.get_by_role("tab", name="Pins")).to_be_visible()
    eventually(lambda: box(inside)["height"] == pytest.approx(high, abs=1), "it is as high as before", page)
    eventually(lambda: log.inner_text() == rows, "the log is there again", page)


@pytest.mark.parametrize("viewport", [{"width": 1366, "height": 768}, PHONE], ids=["laptop", "phone"])
def test_nothing_moves_when_the_page_loads_or_a_state_changes(
    open_page: Callable[..., Page], table: TableThread, viewport: dict[str, Any]
) -> None:
    page = open_page(viewport=viewport)
    page.add_init_script(SHIFTS)
    page.reload()
    expect(page.locator("#line")).to_have_text("live")
    for lines in (["insert left 1", "key 2"], ["fault disk full", "fault noise right"], ["power off"], ["power on"]):
        table.do(lines).result(PATIENCE_S)
        page.wait_for_timeout(300)
    table.choose_pace(0).result(PATIENCE_S)
    expect(page.locator("#line")).to_have_text("paused")
    page.wait_for_timeout(300)
    assert shifted(page) == {}


def test_speed_and_faults_are_seen_in_forced_colours(open_page: Callable[..., Page], table: TableThread) -> None:
    page = open_page(forced_colors="active")
    page.get_by_role("heading", name="Faults").click()
    table.do(["fault disk full"]).result(PATIENCE_S)
    for selector in ("#time [data-pace]", ".fault"):
        chosen, other = page.locator(f"{selector}[aria-pressed=true]"), page.locator(f"{selector}[aria-pressed=false]")
        expect(chosen).to_have_count(1)
        assert ground(chosen) != ground(other.first)


def test_the_caption_of_the_block_says_that_the_bank_has_booked(page: Page, table: TableThread) -> None:
    table.set_scene(Setup("super-mario"), 1, ["config block.linked true"]).result(PATIENCE_S)
    caption = page.locator("#block-says")
    table.do(["config block.odds '{ coins = [0], power_up = 0, laugh = 1, game_over = 0 }'", "press block"]).result(
        PATIENCE_S
    )
    expect(caption).to_have_text("A laugh: pay the bank")  # there is no card in
    table.do(["insert left 1", "wait 3", "press block"]).result(PATIENCE_S)
    expect(caption).to_have_text("A laugh: the bank has made the transfer")
    page.reload()
    expect(caption).to_have_text("A laugh: the bank has made the transfer")
    table.do(["remove left", "wait 3", "press block"]).result(PATIENCE_S)
    expect(caption).to_have_text("A laugh: pay the bank")
