"""The keypad and the display in a browser: keys in their time, also when the table is late or its clock stands."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import PATIENCE_S, eventually
from tests.reboard_sim.bench.hands_on_page import Finger, middle, shown

pytestmark = pytest.mark.realtime


def test_an_amount_is_typed_on_the_computers_keyboard(page: Page, table: TableThread) -> None:
    table.do(["insert right 1"]).result(PATIENCE_S)
    page.keyboard.type("260k", delay=120)
    eventually(lambda: shown(table, 1) == "14.74M", "260K was paid", page)
    page.keyboard.press("d", delay=120)
    eventually(lambda: table.table()["deal"]["running"], "D is DEAL", page)
    page.keyboard.press("c", delay=120)
    eventually(lambda: not table.table()["deal"]["running"], "C calls it off", page)


def made_late(table: TableThread, seconds: float) -> list[Future[bool]]:
    """Let what hands are asked begin so much later; the answers."""
    do, answers = table.do, []

    def done_later(lines: list[str], queue: str = "") -> Future[bool]:
        answer: Future[bool] = Future()
        answers.append(answer)
        threading.Timer(seconds, lambda: answer.set_result(do(lines, queue).result(PATIENCE_S))).start()
        return answer

    table.do = done_later  # type: ignore[method-assign]
    return answers


def test_a_table_that_is_late_is_given_the_keys_as_they_were_typed(page: Page, table: TableThread) -> None:
    table.do(["insert left 1"]).result(PATIENCE_S)
    answers = made_late(table, 0.4)
    for key in "750K":
        page.locator(f"[data-key='{key}']").click(delay=40)
    eventually(lambda: shown(table, 1) == "15.75M", "all of it was typed", page)
    eventually(lambda: not table.hardware()["devices"]["bank.keypad"], "the last key was let go", page)
    eventually(lambda: all(answer.done() for answer in answers), "nothing is asked any more", page)


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
    assert table.hardware()["devices"]["bank.keypad"] == []
    assert table.table()["typed"] == ""


def test_what_is_typed_into_a_field_is_no_key_of_the_unit(page: Page, table: TableThread) -> None:
    page.get_by_label("Line of a play").fill("")
    page.get_by_label("Line of a play").press_sequentially("insert left 1")
    page.keyboard.press("Enter")
    eventually(lambda: table.hardware()["slots"]["left"] == 1, "the line was done", page)
    assert table.table()["typed"] == ""


def test_the_display_shows_the_dots_that_it_was_given(page: Page, table: TableThread) -> None:
    def lit() -> int:
        """How many of the dots' middles are dark on the canvas, by the same measure as the page's own."""
        display = table.hardware()["devices"]["bank.display"]
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
    lines = [line.rstrip() for line in table.hardware()["devices"]["bank.display"]["lines"]]
    assert lines[0] == "+1 15M"
    expect(page.locator("#display-text")).to_contain_text("+1 15M")
    eventually(lit, "every dot that is set is dark", page)
    dark = page.locator("#display").evaluate(
        """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data
            .reduce((dark, value, i) => dark + (i % 4 === 3 && value > 200), 0)"""
    )
    dots = sum(
        bits.bit_count()
        for cells in table.hardware()["devices"]["bank.display"]["dots"]
        for cell in cells
        for bits in cell
    )
    assert dark % dots == 0, "no other dot is dark"
