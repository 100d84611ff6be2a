"""The bank cards in a browser: dragged, clicked, tapped and keyed into a slot and out, whatever the reader."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.reboard_sim.bench.conftest import eventually
from tests.reboard_sim.bench.hands_on_page import drag, middle

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

    drag(page, middle(right), middle(page.get_by_role("heading", name="Faults")))
    page.mouse.up()
    eventually(lambda: table.hardware()["slots"]["right"] is None, "it is out", page)
    expect(page.locator("[data-card='3']")).to_be_enabled()
    expect(page.locator(".ghost")).to_have_count(0)


def test_a_card_is_clicked_into_a_slot_and_clicked_out(page: Page, table: TableThread) -> None:
    page.locator("[data-card='5']").click()
    page.locator("#slot-right").click()
    expect(page.locator("#slot-right")).to_have_accessible_name(re.compile("card 5"))
    page.locator("#slot-right").click()
    eventually(lambda: table.hardware()["slots"]["right"] is None, "card 5 is out", page)


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
