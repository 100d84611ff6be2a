"""Every text of the table page is in the catalogues, and its places have room for longer ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from reboard.editions.edition import load_edition
from tests.pseudo_language import cut, pseudo_language, untranslated
from tests.reboard.web.served_page import ServedPage
from tests.reboard.web.test_browser import sign_in


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
        asked = {"game": 3, "from": 1, "to": 2, "amount": 1_000, "reason": "players", "by": 2}
        own = {**asked, "payment": "of card 1", "from": 2, "to": 1, "by": 1, "shown": "1K"}
        payments = [{**asked, "payment": "of card 2", "shown": "1K"}, own]
        rules, faults = load_edition("world").rules(), {"left slot": "it is unplugged"}
        server.emit("deal.started", die=die, pot=pot, payments=payments, rules=rules, faults=faults, clock=5)
        expect(page.locator("#payments li")).to_have_count(2)
        page.locator("#own-choices button").first.click()
        expect(page.locator("#own")).to_be_visible()
        page.locator("#cards .tap").first.click()
        ended = {**asked, "payment": "ended", "why": "booked", "take_back_s": 10.0}
        server.emit_with("payment.ended", ended)
        server.emit_with(
            "payment.ended", {**ended, "payment": "not booked", "by": 1, "why": "rejected", "take_back_s": 0.0}
        )
        expect(page.locator("#pay-news li")).to_have_count(4)
        expect(page.locator("#faults li")).to_have_count(1)
        assert untranslated(page) == []
        assert cut(page) == []
