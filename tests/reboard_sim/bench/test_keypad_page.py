"""The keypad and the display in a browser: keys in their time, also when the table is late or its clock stands."""

from __future__ import annotations

import json
import re
import threading
import time
from concurrent.futures import Future

import pytest
from playwright.sync_api import Page, Route, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import PATIENCE_S, eventually
from tests.reboard_sim.bench.hands_on_page import Finger, middle, shown

pytestmark = pytest.mark.realtime


def test_an_amount_is_typed_on_the_keys_of_the_page(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    for key in ("1", ".", "5", "M"):
        page.locator(f"[data-key='{key}']").click()
    eventually(lambda: shown(table, 1) == "16.5M", "1.5M was received", page)
    expect(page.locator("#slot-left")).to_have_accessible_name(re.compile("card 1, 16.5M"))
    expect(page.locator("#events")).to_contain_text("1.5M from the bank to card 1")


def test_an_amount_is_typed_on_the_computers_keyboard(page: Page, table: TableThread) -> None:
    table.do(["insert right 1"]).result(PATIENCE_S)
    page.keyboard.type("260k", delay=120)
    eventually(lambda: shown(table, 1) == "14.74M", "260K was paid", page)
    page.keyboard.press("d", delay=120)
    eventually(lambda: table.table()["deal"]["running"], "D is DEAL", page)
    page.keyboard.press("c", delay=120)
    eventually(lambda: not table.table()["deal"]["running"], "C calls it off", page)


def test_g_is_go(page: Page, table: TableThread) -> None:
    table.do(["insert left 4"]).result(PATIENCE_S)
    page.keyboard.press("g", delay=120)
    eventually(lambda: shown(table, 4) == "17M", "the salary was paid", page)


def made_late(table: TableThread, seconds: float) -> list[Future[bool]]:
    """Let what hands are asked begin so much later; the answers."""
    do, answers = table.do, []

    def done_later(lines: list[str], hand: str = "") -> Future[bool]:
        answer: Future[bool] = Future()
        answers.append(answer)
        threading.Timer(seconds, lambda: answer.set_result(do(lines, hand).result(PATIENCE_S))).start()
        return answer

    table.do = done_later  # type: ignore[method-assign]
    return answers


def test_a_table_that_is_late_is_given_the_keys_as_they_were_typed(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    answers = made_late(table, 0.4)
    for key in "750K":
        page.locator(f"[data-key='{key}']").click(delay=40)
    eventually(lambda: shown(table, 1) == "15.75M", "all of it was typed", page)
    eventually(lambda: not table.hardware()["keys"], "the last key was let go", page)
    eventually(lambda: all(answer.done() for answer in answers), "nothing is asked any more", page)


def test_keys_typed_while_the_clock_stands_are_typed_as_they_were_when_it_goes_on(
    page: Page, table: TableThread
) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    table.choose_pace(0).result(PATIENCE_S)
    expect(page.get_by_text("the clock stands", exact=True)).to_be_visible()
    for key in "750K":
        with page.expect_response("**/api/bench/do"):
            page.locator(f"[data-key='{key}']").click(delay=120)
    table.choose_pace(1).result(PATIENCE_S)
    eventually(lambda: shown(table, 1) == "15.75M", "all of it was typed", page)


def test_a_key_held_while_the_clock_stands_is_held_as_long_when_it_goes_on(page: Page, table: TableThread) -> None:
    table.choose_pace(0).result(PATIENCE_S)
    expect(page.get_by_text("the clock stands", exact=True)).to_be_visible()
    page.locator("[data-key='C']").click(delay=3300)
    table.choose_pace(10).result(PATIENCE_S)
    eventually(lambda: table.table()["game"] == 2, "C was held for three seconds", page)


def test_a_line_that_is_typed_while_the_clock_stands_looks_back_as_it_always_does(
    page: Page, table: TableThread
) -> None:
    table.choose_pace(0).result(PATIENCE_S)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or "") if request.method == "POST" else None)
    for line in ("press block", "wait until block.pressed within 1"):
        page.get_by_label("Do a line of a play").fill(line)
        page.keyboard.press("Enter")
    eventually(lambda: len(asked) == 2, "both were asked for", page)
    assert [json.loads(body)["lines"] for body in asked] == [["press block"], ["wait until block.pressed within 1"]]


def test_what_could_not_be_done_when_the_clock_went_on_is_told(page: Page, table: TableThread) -> None:
    table.choose_pace(0).result(PATIENCE_S)
    line = page.get_by_label("Do a line of a play")
    with page.expect_response("**/api/bench/do"):
        line.fill("expect motor on")
        line.press("Enter")
    table.choose_pace(1).result(PATIENCE_S)
    expect(page.get_by_role("alert")).to_contain_text("expected motor on; found motor off")


@pytest.mark.parametrize("refusals", [{503}])
def test_what_cannot_be_taken_now_is_asked_for_again(page: Page, table: TableThread) -> None:
    refusals = 0

    def full(route: Route) -> None:
        nonlocal refusals
        if "release" in (route.request.post_data or "") and not refusals:
            refusals += 1
            route.fulfill(status=503, json={"error": "too many requests wait", "line": None})
        else:
            route.continue_()

    page.route("**/api/bench/do", full)
    page.locator("[data-key='5']").click(delay=300)
    eventually(lambda: refusals == 1, "it was refused", page)
    eventually(lambda: table.hardware()["keys"] == [], "the key was let go all the same", page)


@pytest.mark.parametrize("refusals", [{409}])
def test_what_was_meant_for_a_table_that_is_gone_is_not_done_at_the_next(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/bench/do", lambda route: route.continue_() if held else held.append(route))
    for key in "234":
        page.locator(f"[data-key='{key}']").click(delay=40)
    eventually(lambda: held, "something was asked for", page)
    page.wait_for_timeout(100)
    held[0].fulfill(status=409, json={"error": "the table was set anew before this was done", "line": None})
    expect(page.get_by_role("alert")).to_contain_text("set anew")
    with page.expect_request("**/api/bench/do") as asked:
        page.locator("[data-key='C']").click()
    lines = json.loads(asked.value.post_data or "")["lines"]
    assert "hold C" in lines
    assert not {"hold 3", "release 3", "hold 4", "release 4"}.intersection(lines)


def test_keys_are_tapped_by_touch(phone: Page, table: TableThread) -> None:
    table.do(["insert left 4"]).result(PATIENCE_S)
    phone.locator("[data-key='GO']").tap()
    eventually(lambda: shown(table, 4) == "17M", "the salary was paid", phone)


def test_a_swipe_that_begins_on_a_key_scrolls_and_types_nothing(phone: Page, table: TableThread) -> None:
    table.do(["insert left 4"]).result(PATIENCE_S)
    # the page's clock goes only when it is told to: however busy this machine is, the finger rests for 50 ms
    phone.clock.install()
    phone.clock.pause_at(time.time() + 60)
    finger = Finger(phone)
    x, y = middle(phone.locator("[data-key='8']"))
    before = phone.evaluate("scrollY")
    finger.down((x, y))
    phone.clock.run_for(50)
    finger.move((x, y - 100))
    finger.up()
    eventually(lambda: phone.evaluate("scrollY") > before + 50, "the page has scrolled", phone)
    phone.clock.run_for(1000)
    assert table.hardware()["keys"] == []
    assert table.table()["typed"] == ""


def test_a_finger_that_stays_on_a_key_holds_it_and_scrolls_nothing(phone: Page, table: TableThread) -> None:
    finger = Finger(phone)
    x, y = middle(phone.locator("[data-key='8']"))
    before = phone.evaluate("scrollY")
    finger.down((x, y))
    eventually(lambda: table.hardware()["keys"] == ["8"], "8 is down", phone)
    finger.move((x, y - 100))
    assert table.hardware()["keys"] == ["8"]
    assert phone.evaluate("scrollY") == before
    finger.up()
    eventually(lambda: table.hardware()["keys"] == [], "8 is up", phone)


def test_c_held_down_begins_a_new_game(page: Page, table: TableThread) -> None:
    before = table.table()["game"]
    page.keyboard.down("c")
    eventually(lambda: table.hardware()["keys"] == ["C"], "C is down", page)
    expect(page.locator("[data-key='C']")).to_have_class("key down")
    eventually(lambda: table.table()["game"] not in (before, None), "a new game has begun", page)
    page.keyboard.up("c")
    eventually(lambda: table.hardware()["keys"] == [], "C is up", page)


def test_what_is_typed_into_a_field_is_no_key_of_the_unit(page: Page, table: TableThread) -> None:
    page.get_by_label("Do a line of a play").fill("")
    page.get_by_label("Do a line of a play").press_sequentially("insert left 1")
    page.keyboard.press("Enter")
    eventually(lambda: table.hardware()["slots"]["left"] == 1, "the line was done", page)
    assert table.table()["typed"] == ""


def test_the_display_shows_the_dots_that_it_was_given(page: Page, table: TableThread) -> None:
    def lit() -> int:
        """How many of the dots' middles are dark on the canvas, by the same measure as the page's own."""
        display = table.hardware()["display"]
        places = [
            (column * 6 + 4 - bit, row * 10 + y)
            for row, cells in enumerate(display["dots"])
            for column, cell in enumerate(cells)
            for y, bits in enumerate(cell)
            for bit in range(5)
            if bits >> bit & 1
        ]
        dark = page.locator("#display").evaluate(
            """(canvas, places) => {
                const pitch = Math.floor(Math.min(canvas.width / 99, canvas.height / 22));
                const left = Math.round((canvas.width - 95 * pitch) / 2);
                const top = Math.round((canvas.height - 18 * pitch) / 2);
                const pen = canvas.getContext("2d");
                const alpha = ([x, y]) => pen.getImageData(left + x * pitch + 1, top + y * pitch + 1, 1, 1).data[3];
                return places.filter((place) => alpha(place) > 200).length;
            }""",
            places,
        )
        return int(dark) if dark == len(places) else 0

    eventually(lit, "every dot that is set is dark", page)
    table.do(["insert left 1"]).result(PATIENCE_S)
    lines = [line.rstrip() for line in table.hardware()["display"]["lines"]]
    assert lines[0] == "+1 15M"
    expect(page.locator("#display-text")).to_contain_text("+1 15M")
    eventually(lit, "every dot that is set is dark", page)
    dark = page.locator("#display").evaluate(
        """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data
            .reduce((dark, value, i) => dark + (i % 4 === 3 && value > 200), 0)"""
    )
    dots = sum(bits.bit_count() for cells in table.hardware()["display"]["dots"] for cell in cells for bits in cell)
    assert dark % dots == 0, "no other dot is dark"
