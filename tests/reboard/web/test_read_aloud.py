"""The table page reads aloud what it says to screen readers, if the user has asked for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.reboard.web.fake_table import SNAPSHOT
from tests.reboard.web.served_page import ServedPage
from tests.reboard.web.test_announcements import NAMED, transfer
from tests.waiting import eventually

pytestmark = pytest.mark.realtime

VOICE = """
    window.spoken = [];
    window.utterances = [];
    const voice = {
        get speaking() { return window.utterances.length > 0; },
        speak: (utterance) => {
            window.spoken.push([utterance.lang, utterance.text]);
            window.utterances.push(utterance);
        },
        cancel: () => { window.utterances = []; },
    };
    Object.defineProperty(window, "speechSynthesis", { value: voice });
    window.finish = () => window.utterances.pop().onend();
"""


def spoken(page: Page, *expected: str) -> None:
    """Wait until the page has spoken these sentences."""
    eventually(lambda: len(page.evaluate("spoken")) >= len(expected), f"{page.evaluate('spoken')}", page)
    assert [text for _, text in page.evaluate("spoken")] == list(expected)


def pay(server: ServedPage, number: int) -> None:
    fields = transfer(number, 1, 2)
    server.emit_with("transfer", fields, cards=NAMED, transfers=[fields, *SNAPSHOT["transfers"]])


def test_the_page_speaks_on_request_and_remembers_it(open_page: Callable[..., Page], server: ServedPage) -> None:
    page = open_page(prepare=lambda page: page.add_init_script(VOICE))
    switch = page.get_by_label("Read aloud")
    expect(switch).not_to_be_checked()
    switch.check()
    spoken(page, "Read aloud")
    pay(server, 10)
    expect(page.locator("#announcer")).to_contain_text("Anna pays")
    spoken(page, "Read aloud")
    page.evaluate("finish()")
    spoken(page, "Read aloud", "Anna pays Ben 150 thousand. Ben has 260 thousand.")
    page.evaluate("finish()")
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    expect(switch).to_be_checked()
    switch.uncheck()
    pay(server, 11)
    expect(page.locator("#announcer")).to_contain_text("Anna pays")
    spoken(page)


def test_the_page_speaks_its_language(open_page: Callable[..., Page], server: ServedPage) -> None:
    page = open_page("/?lang=de", lambda page: page.add_init_script(VOICE))
    page.get_by_label("Vorlesen").check()
    page.evaluate("finish()")
    server.emit_with("card.inserted", {"slot": "left", "number": 1}, cards=[{**NAMED[0], "balance": 1_500_000}])
    spoken(page, "Vorlesen", "Die Karte von Anna steckt im linken Schlitz. Anna hat 1,5 Millionen.")
    assert {language for language, _ in page.evaluate("spoken")} == {"de"}
