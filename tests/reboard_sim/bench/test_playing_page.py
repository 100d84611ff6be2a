"""A user plays on the bench in a browser: by mouse, by touch and by keyboard."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Locator, Page, Route, expect

from reboard_sim.bench.table_thread import TableThread
from tests.heard import heard, listen
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

LONGER_THAN_SOON_MS = 400
"""After this time a page has asked for what has changed."""

DARK_DOTS = """(canvas, places) => {
    const pitch = Math.floor(Math.min(canvas.width / 99, canvas.height / 22));
    const left = Math.round((canvas.width - 95 * pitch) / 2);
    const top = Math.round((canvas.height - 18 * pitch) / 2);
    const pen = canvas.getContext("2d");
    const alpha = ([x, y]) => pen.getImageData(left + x * pitch + 1, top + y * pitch + 1, 1, 1).data[3];
    return places.filter((place) => alpha(place) > 200).length;
}"""
"""Counts the places of dots that are dark on the canvas, by the same measure as the page's own."""

DARK_PIXELS = """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data
    .reduce((dark, value, i) => dark + (i % 4 === 3 && value > 200), 0)"""


WATCH_SOUND = """() => new MutationObserver(([{ target }]) => { window.sounded ||= "sounding" in target.dataset; })
    .observe(document.getElementById("sound"), { attributeFilter: ["data-sounding"] })"""


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
    """One finger on the screen of *page*."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)

    def down(self, place: tuple[float, float]) -> None:
        self._touch("touchStart", place)

    def move(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        for step in range(1, 9):
            self._touch("touchMove", tuple(a + (b - a) * step / 8 for a, b in zip(start, end, strict=True)))

    def up(self) -> None:
        self._touch("touchEnd")

    def _touch(self, kind: str, *places: tuple[float, ...]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def shown(table: TableThread, number: int) -> str | None:
    """Return the balance of a card as the unit shows it."""
    cards = table.table()["cards"]
    return next((card["shown"] for card in cards if card["number"] == number), None)


def held(table: TableThread, device: str) -> object:
    return table.hardware()["devices"][device]


def lit(page: Page, table: TableThread) -> int:
    """Return how many dots of the display are dark, 0 unless exactly those that are set are."""
    rows = table.hardware()["devices"]["bank.display"]["dots"]
    cells = [(x, y) for y, row in enumerate(rows) for x, state in enumerate(row) if state == "1"]
    display = page.locator("#display")
    dark = int(display.evaluate(DARK_DOTS, cells))
    return dark if dark == len(cells) and display.evaluate(DARK_PIXELS) % dark == 0 else 0


def test_a_user_plays_by_mouse_and_saves_the_session_as_a_play(page: Page, table: TableThread, tmp_path: Path) -> None:
    left, right = page.locator("#slot-left"), page.locator("#slot-right")
    expect(page.get_by_role("button", name="Bank card 7, not in this edition")).to_have_css(
        "filter", re.compile("gray")
    )
    expect(page.get_by_role("button", name="Bank card 6", exact=True)).to_have_css("filter", "none")
    x, y = middle(page.locator("[data-card='3']"))
    drag(page, (x, y), (x, y + 12))
    expect(page.locator(".ghost")).to_have_count(1)
    expect(page.locator(".slot.over")).to_have_count(0)
    page.mouse.up()
    slot = left.bounding_box()
    assert slot
    drag(page, (x, y), (slot["x"] + slot["width"] / 2, slot["y"] + 2))
    expect(left).to_have_class(re.compile("over"))
    page.mouse.move(*middle(page.locator('[data-key="7"]')), steps=8)
    expect(left).to_have_class(re.compile("over"))
    expect(page.locator(".ghost")).to_have_count(1)
    assert table.hardware()["slots"]["left"] is None
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"]["left"] == 3, "card 3 is in the left slot", page)
    expect(left).to_have_accessible_name("Left slot (+, receives): card 3, 15M; click to take it out")
    expect(page.locator("[data-card='3']")).to_be_disabled()
    eventually(lambda: lit(page, table), "the display shows the dots that are set, and no others", page)
    drag(page, middle(left), middle(page.locator('[data-key="9"]')))
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"] == {"left": None, "right": 3}, "it is in the right slot", page)
    drag(page, middle(right), middle(page.get_by_role("heading", name="Faults")))
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"]["right"] is None, "it is out", page)
    expect(page.locator("[data-card='3']")).to_be_enabled()
    expect(page.locator(".ghost")).to_have_count(0)

    page.locator("[data-card='5']").click()
    right.click()
    expect(right).to_have_accessible_name(re.compile("card 5"))
    page.locator('[data-key="2"]').click()
    page.locator('[data-key="M"]').click()
    expect(page.locator("#display-text")).to_contain_text("13M")
    right.click()
    eventually(lambda: table.hardware()["slots"]["right"] is None, "card 5 is out", page)

    block = page.get_by_role("button", name="Question block")
    page.mouse.move(*middle(block))
    page.mouse.down()
    eventually(lambda: table.hardware()["devices"]["block.lamp"], "the lamp is on", page)
    table.choose_pace(0).result(PATIENCE_S)  # the lamp glows only for a moment
    expect(block).to_have_class(re.compile(r"(?=.*\bglowing\b).*\bdown\b"))
    table.choose_pace(1).result(PATIENCE_S)
    page.wait_for_timeout(300)
    assert held(table, "block.button")
    page.mouse.up()
    eventually(lambda: not held(table, "block.button"), "the button came up", page)
    expect(page.locator("#events")).to_contain_text("Question block: ")
    expect(page.locator("#block-says")).not_to_have_text("Press me")
    page.mouse.down()
    eventually(lambda: held(table, "block.button"), "the button went down", page)
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    eventually(lambda: not held(table, "block.button"), "a window without the focus holds nothing", page)
    page.mouse.up()

    x, y = middle(page.locator("#lever"))
    drag(page, (x, y), (x + 60, y))
    page.mouse.up()
    expect(page.locator("#lever")).to_have_attribute("transform", "translate(0 0)")
    apple = table.table()["apple"]
    assert (apple["running"], apple["wound"]) == (False, False), "it was not pulled all the way"
    worm = page.locator("#apple-art .worms div canvas").first
    at_rest = worm.evaluate("worm => getComputedStyle(worm).transform")
    drag(page, (x, y), (x + 200, y))
    eventually(lambda: held(table, "apple.lever"), "the lever is back", page)
    expect(page.locator("#apple-says")).to_have_text("Wound up: let go")
    page.mouse.up()
    expect(page.locator("#apple-art")).to_have_class("apple dancing")
    eventually(lambda: worm.evaluate("worm => getComputedStyle(worm).transform") != at_rest, "the worms move", page)

    expect(block).not_to_have_class(re.compile("glowing"))
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a play").click()
    assert download.value.suggested_filename == "reboard-session.play"
    play = tmp_path / "session.play"
    download.value.save_as(play)
    assert "expect balance 5 13M" in play.read_text()
    # while a browser is open no other event loop can run here
    played = subprocess.run([sys.executable, "-m", "reboard_sim.cli", "play", play], capture_output=True, text=True)
    assert played.returncode == 0, played.stderr


def test_a_user_plays_by_touch(phone: Page, table: TableThread) -> None:
    finger = Finger(phone)
    finger.down(middle(phone.locator("#block-button")))
    eventually(lambda: held(table, "block.button"), "the button went down", phone)
    finger.up()
    eventually(lambda: not held(table, "block.button"), "the button came up", phone)

    # the clock of the page is set, so that the finger rests for exactly 50 ms
    phone.clock.install()
    phone.clock.pause_at(time.time() + 60)
    x, y = middle(phone.locator("[data-key='8']"))
    before = phone.evaluate("scrollY")
    finger.down((x, y))
    phone.clock.run_for(50)
    finger.move((x, y), (x, y - 100))
    finger.up()
    eventually(lambda: phone.evaluate("scrollY") > before + 50, "the page has scrolled", phone)
    phone.clock.run_for(1000)
    assert held(table, "bank.keypad") == []
    assert table.table()["typed"] == "", "a swipe types nothing"


def test_a_user_plays_by_keyboard(page: Page, table: TableThread) -> None:
    page.get_by_role("button", name="Bank card 1").press("ArrowRight")
    expect(page.locator("#display-text")).to_contain_text("-1 15M")
    page.keyboard.type("260k", delay=120)
    eventually(lambda: shown(table, 1) == "14.74M", "260K was paid", page)
    page.keyboard.press("d", delay=120)
    eventually(lambda: table.table()["deal"]["running"], "D is DEAL", page)
    page.keyboard.press("Backspace", delay=120)
    eventually(lambda: not table.table()["deal"]["running"], "Backspace is C, which cancels it", page)
    for key in ("Space", "Enter"):
        page.get_by_role("button", name="Lever: pull").focus()
        page.keyboard.down(key)
        eventually(lambda: held(table, "apple.lever"), "the lever is back", page)
        expect(page.locator("#lever")).to_have_attribute("aria-pressed", "true")
        page.keyboard.up(key)
        eventually(lambda: table.table()["apple"]["running"], "the worms are off", page)
    page.locator("#block-button").evaluate("block => block.click()")
    eventually(lambda: table.table()["block"]["last"], "assistive technology only clicks", page)
    eventually(lambda: not held(table, "block.button"), "the button came up", page)

    line = page.get_by_label("Line of a play")
    line.fill("")
    line.press_sequentially("insert left 4")
    line.press("Enter")
    eventually(lambda: table.hardware()["slots"]["left"] == 4, "the line was done", page)
    assert table.table()["typed"] == "", "what is typed into a field is no key of the unit"
    line.fill("insert right 4")
    line.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("left slot")
    assert table.hardware()["slots"] == {"left": 4, "right": 1}, "a card is in one place"
    line.fill("insert middle 1")
    line.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("'middle' instead of left or right")


def test_a_late_table_gets_the_keys_as_they_were_typed(
    page: Page, table: TableThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    do, answers = table.do, []

    def do_later(lines: list[str], queue: str = "") -> Future[bool]:
        answer: Future[bool] = Future()
        answers.append(answer)
        threading.Timer(0.4, lambda: answer.set_result(do(lines, queue).result(PATIENCE_S))).start()
        return answer

    table.do(["insert left 1"]).result(PATIENCE_S)
    monkeypatch.setattr(table, "do", do_later)
    for key in "750K":
        page.locator(f"[data-key='{key}']").click(delay=40)
    eventually(lambda: shown(table, 1) == "15.75M", "all of it was typed", page)
    eventually(lambda: not held(table, "bank.keypad"), "the last key was released", page)
    eventually(lambda: all(answer.done() for answer in answers), "every request was answered", page)


def test_an_answer_that_was_overtaken_is_not_shown(page: Page, table: TableThread) -> None:
    waiting: list[tuple[Route, APIResponse]] = []
    page.route("**/api/table", lambda route: waiting.append((route, route.fetch())), times=1)
    table.do(["insert right 2"]).result(PATIENCE_S)
    eventually(lambda: waiting, "the page asks", page)
    table.do(["insert left 1"]).result(PATIENCE_S)
    page.wait_for_timeout(LONGER_THAN_SOON_MS)
    [(route, older)] = waiting
    with page.expect_response("**/api/table"):
        route.fulfill(response=older)
    page.wait_for_timeout(LONGER_THAN_SOON_MS)
    expect(page.locator("[data-card='1'] .card-shown")).to_have_text("15M")


def test_the_clock_is_paused_stepped_and_hurried(page: Page, table: TableThread) -> None:
    clock, block = page.locator("#clock"), page.locator("#block-button")

    def pace(name: str) -> Locator:
        return page.get_by_role("group", name="Time").get_by_role("button", name=name)

    def step() -> None:
        before = clock.text_content() or ""
        pace("Step").click()
        expect(clock).not_to_have_text(before)
        expect(clock).to_have_text(re.compile(r"^\d+:\d\d\.\d{3}\u202f\d{3}$"))

    expect(clock).to_have_text(re.compile(r"^\d+:\d\d$"))
    expect(clock).not_to_have_text(clock.text_content() or "")
    expect(pace("1×")).to_have_attribute("aria-pressed", "true")
    for name, chosen in (("10×", 10), ("As fast as possible", "fast")):
        pace(name).click()
        expect(pace(name)).to_have_attribute("aria-pressed", "true")
        expect(pace("1×")).to_have_attribute("aria-pressed", "false")
        assert table.hardware()["pace"] == chosen
    pace("Pause").click()
    expect(page.locator("#line")).to_have_text("paused")
    with page.expect_response("**/api/bench/do") as answer:
        block.click()
    assert answer.value.status == 202
    caption = page.locator("#block-says")
    expect(caption).to_contain_text("Paused")
    assert not held(table, "block.button")
    step()
    expect(block).to_have_class(re.compile(r"\bdown\b"))
    while held(table, "block.button"):
        step()
    pace("1×").click()
    expect(page.locator("#line")).to_have_text("live")
    expect(caption).not_to_contain_text("Paused")
    expect(block).not_to_have_class(re.compile(r"\bglowing\b"))


def test_the_first_press_is_heard_until_the_sound_is_switched_off(page: Page) -> None:
    sound, label = page.locator("#sound"), page.locator("#sound-label")
    expect(label).to_have_text("Sound: press")
    page.evaluate(WATCH_SOUND)
    page.locator("#block-button").click()
    expect(label).to_have_text("Sound: on")
    eventually(lambda: bool(page.evaluate("window.sounded")), "a sound is heard", page)
    expect(sound).not_to_have_attribute("data-sounding", "", timeout=10_000)  # it was played to its end
    sound.click()
    expect(label).to_have_text("Sound: off")
    expect(sound).not_to_have_attribute("data-sounding", "")
    page.reload()
    for words in ("press", "on", "off", "on"):  # the first press on the switch does not switch off what it offers
        expect(label).to_have_text(f"Sound: {words}")
        sound.click()


def test_a_small_phone_shows_the_paused_clock_and_every_key(open_page: Callable[..., Page], table: TableThread) -> None:
    phone = open_page(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    table.do(["wait 599.5", "press block"])
    table.choose_pace("fast").result(PATIENCE_S)
    eventually(lambda: table.hardware()["t"] > 600, "ten minutes have passed", phone)
    table.choose_pace(0).result(PATIENCE_S)
    expect(phone.locator("#line")).to_have_text("paused")
    clock, pill = phone.locator("#clock"), phone.locator("#time")
    for width, height in ((320, 568), (844, 390)):
        phone.set_viewport_size({"width": width, "height": height})
        assert clock.evaluate("clock => clock.scrollWidth <= clock.clientWidth")
        assert right(clock) <= right(pill)
        assert phone.evaluate("document.documentElement.scrollWidth") == width
        for key in phone.locator("#keypad button").all():
            box = key.bounding_box()
            assert box
            assert box["y"] + box["height"] <= height


def right(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box
    return box["x"] + box["width"]


def test_the_buttons_at_the_top_stay_in_one_row(page: Page) -> None:
    for width in (320, 390, 600, 768, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        tops = page.locator(".rail > .rail-button:visible").evaluate_all("all => all.map((one) => one.offsetTop)")
        assert len(tops) >= 3
        assert max(tops) - min(tops) <= 4, width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_keys_act_only_at_the_unit_and_those_of_the_page_can_be_switched_off(page: Page, table: TableThread) -> None:
    page.keyboard.press("7", delay=120)
    expect(page.locator("#bank-says")).to_contain_text("Click the unit first")
    page.locator("#display").click()
    page.keyboard.press("7", delay=120)
    eventually(lambda: table.table()["typed"] == "7", "the unit has the focus", page)

    page.keyboard.press("?")
    help_sheet = page.get_by_role("dialog", name="Keys and gestures")
    help_sheet.get_by_label("Use the keyboard anywhere on the page").check()
    help_sheet.get_by_label("Use the keys P, N and ?").uncheck()
    help_sheet.get_by_role("button", name="Close").click()
    for _ in ("at once", "after a reload"):
        page.locator("#table").focus()
        page.keyboard.press("8", delay=120)
        eventually(lambda: table.table()["typed"].endswith("8"), "the unit takes keys everywhere", page)
        page.keyboard.press("c", delay=120)
        eventually(lambda: not table.table()["typed"], "C clears the entry", page)
        page.keyboard.press("?")
        page.keyboard.press("p")
        expect(help_sheet).to_be_hidden()
        assert table.hardware()["pace"] == 1, "P does not pause"
        page.reload()
        expect(page.locator("#line")).to_have_attribute("data-line", "open")


def test_a_screen_reader_says_what_happens_and_an_entry_as_the_display_shows_it(page: Page) -> None:
    listen(page)
    page.get_by_role("button", name="Bank card 1").press("ArrowRight")
    joins, has = "The bank pays card 1 15M: starting money. Card 1 has 15M.", "Card 1 has 15M."
    eventually(lambda: f"{joins} Card 1 is in the right slot. {has}" in heard(page), "the card is in", page)
    page.locator("[data-key='2']").press("Space", delay=120)
    eventually(lambda: "Display: -1 15M 2" in heard(page), "the typed amount", page)
    page.locator("[data-key='M']").press("Space", delay=120)
    eventually(lambda: "Card 1 pays the bank 2M. Card 1 has 13M." in heard(page), "the payment", page)
