"""The table page in a real browser, with a fake table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.reboard.web.app_client import PIN
from tests.reboard.web.served_page import FakePower, ServedPage
from tests.waiting import PATIENCE_S

EXPECTED_ERRORS = re.compile(r"net::ERR_|status of (400|401|403|409|429|503)")
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServedPage]:
    # a page sends another address with X-Forwarded-For
    options: dict[str, Any] = {"pin": PIN, "players_ask": True, "power": FakePower()}
    with ServedPage(tmp_path, proxy="127.0.0.1", **options) as server:
        yield server


@pytest.fixture
def open_page(server: ServedPage, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens the page on a phone; at the end no page may have reported an error."""
    errors: list[str] = []
    contexts = []

    def opened(path: str = "/", prepare: Callable[[Page], object] = lambda _: None, **options: Any) -> Page:
        context = browser.new_context(**{**PHONE, **options})
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        prepare(page)
        page.goto(f"http://{server.address}{path}")
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [error for error in errors if not EXPECTED_ERRORS.search(error)] == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()
