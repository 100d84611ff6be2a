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
        payment = {
            "payment": "a payment",
            "game": 3,
            "from": 2,
            "to": 0,
            "amount": 1_000,
            "reason": "paid",
            "shown": "1K",
        }
        rules, faults = load_edition("world").rules(), {"left slot": "it is unplugged"}
        server.emit("deal.started", die=die, pot=pot, payments=[payment], rules=rules, faults=faults, clock=5)
        expect(page.locator("#payments li")).to_have_count(1)
        expect(page.locator("#faults li")).to_have_count(1)
        assert untranslated(page) == []
        assert cut(page) == []
