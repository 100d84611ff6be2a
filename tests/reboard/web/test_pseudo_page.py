"""Every text of the table page is in the catalogues, and its places have room for longer ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.editions.edition import load_edition
from reboard.errors import Rejection
from tests.pseudo_language import cut, pseudo_language, untranslated
from tests.reboard.web.served_page import ServedPage
from tests.reboard.web.test_announcements import PAYMENT, transfer
from tests.reboard.web.test_browser import everything, sign_in

pytestmark = pytest.mark.realtime

OPENERS = (
    "#invite",
    "#new-game",
    "#end-game",
    "#everyone",
    ".naming button",
    "[data-power=restart]",
    "#events .only-host",
)
EVENTS: list[tuple[str, dict[str, object]]] = [
    ("card.inserted", {"slot": "left", "number": 2}),
    ("requested", {"do": "new_game", "by": "the host"}),
    ("requested", {"do": "new_game", "by": "control socket"}),
    ("payment.ended", {**PAYMENT, "why": "expired"}),
    ("game.clock", {"minutes": 5}),
    ("quiet", {"on": True}),
    ("volume", {"level": 2}),
    ("die.rolled", {"white": [3, 4], "red": "bus"}),
    ("apple.started", {"seconds": 13.0}),
    ("recovered", {"part": "left slot"}),
    ("transfer", transfer(10, 0, 2, "salary")),
]


ASKED = {"game": 3, "from": 1, "to": 2, "amount": 1_000, "reason": "players", "by": 2}


def check(page: Page, where: str) -> None:
    assert untranslated(page) == [], where
    assert cut(page) == [], where


def test_every_text_of_the_page_is_in_the_catalogues_and_has_room(
    open_page: Callable[..., Page], server: ServedPage, tmp_path: Path
) -> None:
    with pseudo_language(tmp_path) as language:
        page = open_page(f"/?lang={language}")
        expect(page.locator("html")).to_have_attribute("lang", language)
        sign_in(page)
        expect(page.locator("#host-controls")).to_be_visible()
        page.locator("#cards").scroll_into_view_if_needed()
        die = {"mode": "speed", "dice": "4 4 bus", "means": "double", "doubles": 1}
        pot = {"balance": 500_000, "shown": "500K"}
        own = {**ASKED, "payment": "of card 1", "from": 2, "to": 1, "by": 1, "shown": "1K"}
        payments = [{**ASKED, "payment": "of card 2", "shown": "1K"}, own]
        rules, faults = load_edition("world").rules(), {"left slot": "it is unplugged"}
        server.emit("deal.started", die=die, pot=pot, payments=payments, rules=rules, faults=faults, clock=5)
        expect(page.locator("#payments li")).to_have_count(2)
        expect(page.locator("#faults li")).to_have_count(1)
        for event, fields in EVENTS:
            server.emit_with(event, fields)
        expect(page.locator("#events .said")).to_have_count(len(EVENTS))
        expect(page.locator("#announcer")).to_contain_text("⟦")
        check(page, "the page")

        server.table.rejection = Rejection(BankWhy.NO_FUNDS)
        for opener in OPENERS:
            page.locator(opener).first.click()
            dialog = page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            check(page, opener)
            page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
        page.locator("#everyone").click()
        page.locator("#everyone-amount").fill("1M")
        page.locator("#everyone-amount").press("Enter")
        expect(page.locator("#everyone-dialog .refusal")).to_contain_text("⟦")
        check(page, "a rejection")
        page.keyboard.press("Escape")
        everything(server)
        expect(page.locator("#places .winner")).to_have_count(1)
        check(page, "the end of the game")


def test_every_text_of_a_players_phone_is_in_the_catalogues_and_has_room(
    open_page: Callable[..., Page], server: ServedPage, tmp_path: Path
) -> None:
    with pseudo_language(tmp_path) as language:
        page = open_page(f"/?lang={language}")
        own = {**ASKED, "payment": "of card 1", "from": 2, "to": 1, "by": 1, "shown": "1K"}
        payments = [{**ASKED, "payment": "of card 2", "shown": "1K"}, own]
        server.emit("deal.started", rules=load_edition("world").rules(), payments=payments)
        expect(page.locator("#announcer")).to_contain_text("⟦")
        page.locator("#host").click()
        check(page, "the PIN")
        page.locator("#pin-dialog [data-close]").click()
        page.locator("#own-choices button").first.click()
        expect(page.locator("#own")).to_be_visible()
        page.locator("#cards .tap").first.click()
        ended = {**ASKED, "payment": "ended", "why": "booked", "take_back_s": 10.0}
        server.emit_with("payment.ended", ended)
        server.emit_with(
            "payment.ended", {**ended, "payment": "not booked", "by": 1, "why": "rejected", "take_back_s": 0.0}
        )
        expect(page.locator("#pay-news li")).to_have_count(4)
        check(page, "the own payments")
