"""The bank cards in a browser: dragged, clicked, tapped and keyed into a slot and out, whatever the reader."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import OUR_WIRING
from tests.reboard_sim.bench.conftest import PATIENCE_S, eventually
from tests.reboard_sim.bench.hands_on_page import Finger, drag, middle, shown

pytestmark = pytest.mark.realtime


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
    eventually(lambda: table.table()["slots"]["left"] is None, "the unit let it go", page)
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
