"""The bench in a browser: a person works a whole virtual table there, by mouse, by touch and by keyboard."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, Route, expect

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import OUR_WIRING
from tests.reboard_sim.bench.conftest import BLOCK_ONLY, eventually

pytestmark = pytest.mark.realtime

PATIENCE_S = 15.0
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 768, "height": 1024}
SOMETHING = re.compile(r"\S")
DESKTOP = {"width": 1440, "height": 900}


def middle(locator: Locator) -> tuple[float, float]:
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press the mouse, move it, and keep it down."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=8)


class Finger:
    """One finger on the glass of *page*."""

    def __init__(self, page: Page) -> None:
        self._line: CDPSession = page.context.new_cdp_session(page)
        self._at = (0.0, 0.0)

    def down(self, place: tuple[float, float]) -> None:
        self._at = place
        self._touch("touchStart", place)

    def move(self, place: tuple[float, float]) -> None:
        for step in range(1, 9):
            self._touch("touchMove", tuple(a + (b - a) * step / 8 for a, b in zip(self._at, place, strict=True)))
        self._at = place

    def up(self) -> None:
        self._touch("touchEnd")

    def _touch(self, kind: str, *places: tuple[float, ...]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        self._line.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def shown(table: TableThread, number: int) -> str | None:
    """What a card holds, as the unit shows it."""
    cards = table.table()["cards"]
    return next((card["shown"] for card in cards if card["number"] == number), None)


# the question block


def test_the_block_is_pressed_and_held_by_mouse(page: Page, table: TableThread) -> None:
    block = page.get_by_role("button", name="Question block")
    page.mouse.move(*middle(block))
    page.mouse.down()
    eventually(lambda: table.hardware()["button"], "the button went down", page)
    expect(block).to_have_class(re.compile(r"(?=.*\bglowing\b).*\bdown\b"))
    page.wait_for_timeout(300)
    assert table.hardware()["button"]
    page.mouse.up()
    eventually(lambda: not table.hardware()["button"], "the button came up", page)
    eventually(lambda: table.table()["block"]["last"], "an outcome was drawn", page)
    expect(page.locator("#events")).to_contain_text("Question block: ")
    expect(page.locator("#block-says")).not_to_have_text("Press me")


def test_the_block_is_pressed_by_touch(phone: Page, table: TableThread) -> None:
    finger = Finger(phone)
    finger.down(middle(phone.locator("#block-button")))
    eventually(lambda: table.hardware()["button"], "the button went down", phone)
    finger.up()
    eventually(lambda: not table.hardware()["button"], "the button came up", phone)


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_the_block_is_held_by_keyboard(page: Page, table: TableThread, key: str) -> None:
    page.locator("#block-button").focus()
    page.keyboard.down(key)
    eventually(lambda: table.hardware()["button"], "the button went down", page)
    page.keyboard.up(key)
    eventually(lambda: not table.hardware()["button"], "the button came up", page)


def test_assistive_technology_that_only_clicks_presses_the_block_once(page: Page, table: TableThread) -> None:
    page.locator("#block-button").evaluate("block => block.click()")
    eventually(lambda: table.table()["block"]["last"], "an outcome was drawn", page)
    eventually(lambda: not table.hardware()["button"], "the button came up", page)


def test_what_is_held_is_let_go_when_the_window_is_left(page: Page, table: TableThread) -> None:
    page.mouse.move(*middle(page.locator("#block-button")))
    page.mouse.down()
    eventually(lambda: table.hardware()["button"], "the button went down", page)
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    eventually(lambda: not table.hardware()["button"], "the button came up", page)


# cards


def test_a_card_is_dragged_into_a_slot_over_to_the_other_and_out_again_by_mouse(page: Page, table: TableThread) -> None:
    left, right = page.locator("#slot-left"), page.locator("#slot-right")
    drag(page, middle(page.locator("[data-card='3']")), middle(left))
    expect(page.locator(".ghost")).to_have_count(1)
    assert table.hardware()["slots"]["left"] is None
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"]["left"] == 3, "card 3 is in the left slot", page)
    expect(left).to_have_accessible_name("Left slot (+, receives): card 3, 15M; click to take it out")
    expect(page.locator("[data-card='3']")).to_be_disabled()

    drag(page, middle(left), middle(right))
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"] == {"left": None, "right": 3}, "it is in the right slot", page)

    drag(page, middle(right), middle(page.get_by_role("heading", name="Trouble")))
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"]["right"] is None, "it is out", page)
    expect(page.locator("[data-card='3']")).to_be_enabled()
    expect(page.locator(".ghost")).to_have_count(0)


def test_a_card_that_is_dropped_beside_the_slots_goes_nowhere(page: Page, table: TableThread) -> None:
    drag(page, middle(page.locator("[data-card='3']")), middle(page.locator("#apple-title")))
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)
    page.locator("[data-card='4']").click()
    expect(page.locator("[data-card='4']")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-card='3']")).to_have_attribute("aria-pressed", "false")
    assert table.hardware()["slots"] == {"left": None, "right": None}


def test_a_card_is_clicked_into_a_slot_and_clicked_out(page: Page, table: TableThread) -> None:
    page.locator("[data-card='5']").click()
    page.locator("#slot-right").click()
    expect(page.locator("#slot-right")).to_have_accessible_name(re.compile("card 5"))
    page.locator("#slot-right").click()
    eventually(lambda: table.hardware()["slots"]["right"] is None, "card 5 is out", page)


def test_a_card_is_dragged_and_tapped_by_touch(phone: Page, table: TableThread) -> None:
    finger = Finger(phone)
    finger.down(middle(phone.locator("[data-card='2']")))
    finger.move(middle(phone.locator("#slot-left")))
    finger.up()
    eventually(lambda: table.hardware()["slots"]["left"] == 2, "card 2 is in", phone)
    phone.locator("[data-card='8']").tap()
    expect(phone.locator("[data-card='8']")).to_have_attribute("aria-pressed", "true")
    phone.locator("#slot-right").tap()
    eventually(lambda: table.hardware()["slots"]["right"] == 8, "card 8 is in", phone)


@pytest.mark.parametrize("wiring", ['[bank]\nleft = { reader = "rdm6300", port = "/dev/serial0" }\n'], ids=["one slot"])
def test_a_slot_without_a_reader_is_covered_and_takes_nothing(page: Page, table: TableThread) -> None:
    lid = page.locator("#slot-right")
    expect(lid).to_have_accessible_name("Right slot (−, pays): no reader")
    page.locator("[data-card='2']").click()
    expect(page.locator("#slot-left")).to_have_class("slot wanted")
    expect(lid).to_have_class("slot")
    expect(lid).to_have_accessible_name("Right slot (−, pays): no reader")
    drag(page, middle(page.locator("[data-card='3']")), middle(lid))
    expect(lid).to_have_class("slot")
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator("#refusal")).to_be_hidden()


@pytest.mark.parametrize(
    "wiring", [OUR_WIRING.read_text(encoding="utf-8").replace("# names =", "names =")], ids=["names"]
)
def test_a_card_is_called_by_its_players_name(page: Page, table: TableThread) -> None:
    page.locator("[data-card='2']").press("ArrowLeft")
    expect(page.locator("#slot-left")).to_have_accessible_name(re.compile("card 2, Ben, 15M"))
    expect(page.locator("[data-card='2']")).to_have_attribute("title", "Ben")


def test_cards_are_moved_by_keyboard(page: Page, table: TableThread) -> None:
    page.locator("[data-card='1']").focus()
    page.keyboard.press("ArrowLeft")
    # the slot has the focus as soon as the page knows that the card is in: what is pressed before that is for the card
    expect(page.locator("#slot-left")).to_be_focused()
    assert table.hardware()["slots"]["left"] == 1
    page.locator("[data-card='2']").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#slot-right")).to_be_focused()
    page.keyboard.press("Enter")
    eventually(lambda: table.hardware()["slots"]["right"] is None, "card 2 is out", page)


def test_escape_puts_a_picked_card_back(page: Page) -> None:
    card = page.locator("[data-card='1']")
    card.click()
    expect(card).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(card).to_have_attribute("aria-pressed", "false")


READERS = {
    "rdm6300": ("port = '/dev/left'", "port = '/dev/right'"),
    "id12": ("port = '/dev/left'", "port = '/dev/right'"),
    "pn532": ("port = '/dev/left'", "port = '/dev/right'"),
    "keyboard": ("device = '/dev/left'", "device = '/dev/right'"),
    "bumps": ("pins = [4, 5, 6]", "pins = [7, 8, 9]"),
}


def table_with(reader: str) -> str:
    left, right = READERS[reader]
    slots = f"left = {{ reader = '{reader}', {left} }}\nright = {{ reader = '{reader}', {right} }}\n"
    return f"[bank]\n{slots}[bank.keypad]\nrows = [23, 24, 25, 12]\ncolumns = [16, 26, 20, 21]\n"


@pytest.mark.parametrize("wiring", [table_with(reader) for reader in READERS], ids=READERS)
def test_a_card_is_put_in_and_taken_out_whatever_the_reader(page: Page, table: TableThread) -> None:
    left, card = page.locator("#slot-left"), page.locator("[data-card='3']")
    card.click()
    left.click()
    eventually(lambda: table.table()["slots"]["left"] == 3, "card 3 is in", page)
    expect(left).to_have_accessible_name("Left slot (+, receives): card 3, 15M; click to take it out")
    expect(card).to_be_disabled()
    page.wait_for_timeout(1100)
    expect(left.locator(".card-art")).to_have_count(1)
    left.click()
    eventually(lambda: table.table()["slots"]["left"] is None, "card 3 is out", page)
    expect(card).to_be_enabled()


@pytest.mark.parametrize("wiring", [table_with("keyboard")], ids=["keyboard"])
def test_a_card_that_the_unit_let_go_by_itself_is_back_in_the_rack_and_can_be_tapped_again(
    page: Page, table: TableThread
) -> None:
    card = page.locator("[data-card='3']")
    card.focus()
    page.keyboard.press("ArrowLeft")
    expect(card).to_be_disabled()
    page.wait_for_timeout(1100)
    page.keyboard.type("1m", delay=120)
    eventually(lambda: shown(table, 3) == "16M", "1M was received", page)
    expect(card).to_be_disabled()
    expect(card).to_be_enabled(timeout=PATIENCE_S * 1000)
    expect(page.locator("#slot-left .card-art")).to_have_count(0)
    table.do(["insert left 3"]).result(PATIENCE_S)
    eventually(lambda: table.table()["slots"]["left"] == 3, "it was tapped again", page)
    table.do(["remove left", "wait 0.5", "insert left 3"]).result(PATIENCE_S)
    expect(page.locator("#slot-left")).to_have_class("slot let-go")


@pytest.mark.parametrize("wiring", [table_with("bumps")], ids=["bumps"])
def test_a_card_that_the_reader_cannot_read_is_refused_in_words(page: Page, table: TableThread) -> None:
    page.locator("[data-card='8']").click()
    page.locator("#slot-left").click()
    expect(page.get_by_role("alert")).to_have_text(
        "an original card has a code from 1 to 7: put in one of the deck's cards 1 to 7"
    )
    expect(page.locator("[data-card='8']")).to_be_enabled()
    page.mouse.click(5, 5)
    expect(page.get_by_role("alert")).to_have_count(0)


# the keypad and the display


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


# the apple


def test_the_lever_is_pulled_and_let_go_by_mouse_and_the_worms_move(page: Page, table: TableThread) -> None:
    x, y = middle(page.locator("#lever"))
    worms = page.locator(".worm")
    expect(worms).to_have_count(20)
    at_rest = worms.evaluate_all("worms => worms.map(worm => worm.getAttribute('transform'))")
    drag(page, (x, y), (x + 300, y))
    eventually(lambda: table.hardware()["lever"] == "back", "the lever is back", page)
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
    eventually(lambda: table.hardware()["lever"] == "back", "the lever is back", page)
    expect(page.locator("#lever")).to_have_attribute("aria-pressed", "true")
    page.keyboard.up(key)
    eventually(lambda: table.table()["apple"]["running"], "the worms are off", page)


def test_the_lever_is_pulled_by_touch(phone: Page, table: TableThread) -> None:
    finger = Finger(phone)
    x, y = middle(phone.locator("#lever"))
    finger.down((x, y))
    finger.move((x + 150, y))
    eventually(lambda: table.hardware()["lever"] == "back", "the lever is back", phone)
    finger.up()
    eventually(lambda: table.table()["apple"]["running"], "the worms are off", phone)


def test_eyes_that_want_no_motion_see_the_worms_step_and_the_apple_still(
    open_page: Callable[..., Page], table: TableThread
) -> None:
    page = open_page(reduced_motion="reduce")
    table.do(["pull lever", "release lever", "wait 1"]).result(PATIENCE_S)
    apple = page.locator("#apple-art")
    expect(apple).to_have_class("apple dancing")
    assert apple.locator(".fruit").evaluate("fruit => getComputedStyle(fruit).animationName") == "none"
    poses = page.locator(".worm").first.evaluate(
        """worm => new Promise(tell => {
            const poses = new Set();
            const end = performance.now() + 2500;
            const look = (now) => {
                poses.add(worm.getAttribute("transform"));
                if (now < end) requestAnimationFrame(look); else tell(poses.size);
            };
            requestAnimationFrame(look);
        })"""
    )
    assert 2 <= poses <= 4


# sound


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


def test_blocks_of_sound_are_found_however_the_bytes_were_cut(page: Page) -> None:
    found = page.evaluate(
        """async () => {
            const { blocks } = await import("/static/pcm.js");
            const bytes = new Uint8Array(12 + 12 + 6 + 12 + 2);
            const view = new DataView(bytes.buffer);
            view.setFloat64(12, 1.25, true);
            view.setUint32(20, 6, true);
            [0, 16384, -32768].forEach((sample, i) => view.setInt16(24 + 2 * i, sample, true));
            view.setFloat64(30, 1.5, true);
            view.setUint32(38, 2, true);
            view.setInt16(42, -16384, true);
            const found = [];
            for (const cut of [1, 5, 12, 13, 44]) {
                const stream = new ReadableStream({ start(to) {
                    for (let at = 0; at < bytes.length; at += cut) to.enqueue(bytes.slice(at, at + cut));
                    to.close();
                } });
                const heard = [];
                for await (const { t, samples } of blocks(stream)) heard.push([t, ...samples]);
                found.push(heard);
            }
            return found;
        }"""
    )
    assert found == [[[1.25, 0, 0.5, -1], [1.5, -0.5]]] * 5


def test_blocks_follow_each_other_without_a_seam_and_gaps_stay_as_long_as_they_were(page: Page) -> None:
    heard = page.evaluate(
        """async () => {
            const { timing } = await import("/static/sound.js");
            let now = 10;
            const when = timing(() => now);
            const heard = [when(5, 0.01), when(5.0101, 0.01)];
            now = 10.3;
            heard.push(when(5.3, 0.01));
            now = 20;
            heard.push(when(5.4, 0.01));
            return heard;
        }"""
    )
    first, second, after_a_gap, after_a_stall = heard
    assert first == pytest.approx(10.06)
    assert second == pytest.approx(first + 0.01, abs=1e-12)
    assert after_a_gap == pytest.approx(first + 0.3, abs=2e-4)
    assert after_a_stall == pytest.approx(20.06)


# trouble


def test_a_reader_is_unplugged_and_plugged_in_again(page: Page, table: TableThread) -> None:
    switch = page.get_by_role("button", name="reader left")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert table.hardware()["faults"] == ["reader left"]
    expect(page.locator("#slot-left")).to_have_class("slot unplugged")
    expect(page.locator("#events .bad")).to_contain_text("Left slot")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#events .good")).to_contain_text("Left slot works again")


def test_every_fault_has_its_switch(page: Page) -> None:
    for name in ("reader left", "reader right", "sound", "display", "bounce"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(1)


@pytest.mark.parametrize("wiring", [BLOCK_ONLY], ids=["block"])
def test_only_what_is_wired_can_go_wrong(page: Page, table: TableThread) -> None:
    faults = page.locator(".fault").filter(visible=True)
    expect(faults).to_have_text(["bounce", "chatter block", "stuck block", "sound"])
    table.do(["fault disk full"]).result(PATIENCE_S)
    expect(page.locator(".fault[aria-pressed='true']")).to_have_text("disk full")
    page.locator(".fault[aria-pressed='true']").click()
    expect(faults).to_have_count(4)


def test_the_power_is_cut_and_comes_back_and_the_money_is_still_there(page: Page, table: TableThread) -> None:
    table.do(["insert left 1", "type 1M"]).result(PATIENCE_S)
    power = page.get_by_role("switch", name="Power")
    power.click()
    expect(power).to_have_attribute("aria-checked", "false")
    expect(page.locator(".glass")).to_have_class("glass")
    expect(page.locator("#display-text")).to_have_text("")
    power.click()
    expect(power).to_have_attribute("aria-checked", "true")
    expect(page.locator(".glass")).to_have_class("glass backlit")
    eventually(lambda: shown(table, 1) == "16M", "the money is still there", page)


def test_captions_tell_what_is_the_case_after_a_reload_and_whoever_works_the_table(
    page: Page, table: TableThread
) -> None:
    says, line = page.locator("#block-says"), page.locator("#line")

    def nothing() -> str:
        before = page.locator("#events").evaluate("list => getComputedStyle(list, '::before').content")
        return str(before)

    table.do(["press block"]).result(PATIENCE_S)
    last = table.table()["block"]["last"]
    expect(says).not_to_have_text("Press me")
    expect(page.locator("#events")).to_contain_text("Question block")
    told = says.text_content()
    assert nothing() == "none"
    page.reload()
    assert last
    expect(says).to_have_text(str(told))
    table.do(["hold block", "release block"]).result(PATIENCE_S)
    table.do(["power off"]).result(PATIENCE_S)
    expect(line).to_have_text("switched off")
    for caption in ("#block-says", "#bank-off", "#apple-says"):
        expect(page.locator(caption)).to_have_text("Switched off")
    expect(page.locator("#cards-help")).to_be_hidden()
    page.reload()
    expect(line).to_have_text("switched off")
    assert "The table is switched off" in nothing()
    table.do(["power on", "press block", "wait 0.3"]).result(PATIENCE_S)
    expect(line).to_have_text("live")
    expect(says).not_to_have_text(re.compile("Press me|Switched off"))
    table.do(["edition classic-de"]).result(PATIENCE_S)
    expect(says).to_have_text("Press me")


def test_a_line_that_cannot_be_done_is_explained(page: Page) -> None:
    line = page.get_by_label("Do a line of a play")
    line.fill("insert middle 1")
    line.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("'middle' where left or right should be")


def test_a_bench_that_goes_away_and_comes_back_is_told(
    browser: Browser, table: TableThread, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    page = browser.new_page()
    with serve(table) as url:
        page.goto(url)
        expect(page.locator("#line")).to_have_text("live")
    expect(page.locator("#line")).to_have_text("the bench does not answer")
    expect(page.locator(".table")).to_have_css("filter", "saturate(0.25)")
    with serve(table, int(url.rstrip("/").rpartition(":")[2])):
        expect(page.locator("#line")).to_have_text("live", timeout=PATIENCE_S * 1000)
        expect(page.locator(".table")).to_have_css("filter", "none")
        page.locator("[data-card='1']").click()
        page.locator("#slot-left").click()
        expect(page.locator("#slot-left .card-art")).to_have_count(1)
    page.close()


# windows


def test_two_windows_that_look_inside_and_listen_leave_a_line_for_hands(page: Page, table: TableThread) -> None:
    other = page.context.new_page()
    for window in (page, other):
        window.goto(f"{page.url}&inside=pins")
        expect(window.get_by_role("tab", name="Pins")).to_be_visible()
    page.get_by_role("button", name="Sound on").click()
    for window in (page, other):
        window.locator("#block-button").click()
        eventually(lambda: table.hardware()["lamp"], "the press arrived", window)
        eventually(lambda: not table.hardware()["lamp"], "it has been heard", window)


# looks


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_sticks_out_of_the_window(open_page: Callable[..., Page], size: dict[str, int], scheme: str) -> None:
    page = open_page(viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    for name in ("#block", "#bank", "#apple"):
        expect(page.locator(name)).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, TABLET, PHONE], ids=["desktop", "tablet", "phone"])
@pytest.mark.parametrize("wiring", [BLOCK_ONLY], ids=["block"])
def test_what_is_wired_alone_stands_in_the_middle(open_page: Callable[..., Page], size: dict[str, int]) -> None:
    page = open_page(viewport=size)
    expect(page.locator("#bank")).to_be_hidden()
    assert middle(page.locator("#block"))[0] == pytest.approx(size["width"] / 2, abs=1)
    nothing = page.locator("#events").evaluate("list => getComputedStyle(list, '::before').content")
    assert "Press the question block." in nothing
    assert "card" not in nothing


def test_a_phone_says_in_words_that_the_clock_stands_and_that_nobody_answers(
    browser: Browser, table: TableThread, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    line = page.locator("#line")
    with serve(table) as url:
        page.goto(url)
        expect(line).to_have_text("live")
        expect(line).to_have_css("font-size", "0px")
        table.choose_pace(0).result(PATIENCE_S)
        expect(line).to_have_text("the clock stands")
        assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 12
    expect(line).to_have_text("the bench does not answer")
    assert line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") > 12
    page.close()


def test_what_can_be_touched_on_a_phone_is_as_high_as_a_finger(phone: Page) -> None:
    for control in phone.locator(".session > *, .fault, #look-inside").filter(visible=True).all():
        assert control.evaluate("control => control.getBoundingClientRect().height") >= 40


@pytest.mark.parametrize("width", [1280, 1440])
def test_everything_is_seen_at_once_and_what_happened_in_whole_rows(
    open_page: Callable[..., Page], table: TableThread, width: int
) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    table.do(["press block", "insert left 1", "insert right 2"]).result(PATIENCE_S)
    expect(page.locator("#events")).to_contain_text("right slot")
    list_, rows = page.locator("#events"), page.locator("#events li:not(.wire)")
    tall = [rows.nth(place).evaluate("row => row.getBoundingClientRect().height") for place in range(2)]
    assert list_.evaluate("list => list.clientHeight") / tall[0] == pytest.approx(4, abs=0.05)
    assert tall[0] == tall[1]
    page.get_by_label("Do a line of a play").fill("insert middle 1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") == 900


def test_everything_that_can_be_worked_has_a_name_and_can_be_reached_by_tab(page: Page) -> None:
    controls = page.locator("button, select, input, [role=button]").filter(visible=True).all()
    assert len(controls) > 40
    for control in controls:
        expect(control).to_have_accessible_name(SOMETHING)
        assert control.evaluate("control => control.tabIndex") == 0
