"""A table page in a real browser, on phones, with a fake table behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.reboard.page.running_page import RunningPage
from tests.reboard.page.table_in_a_thread import TableInAThread


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableInAThread]:
    with closing(TableInAThread(tmp_path / "state" / "table.sock")) as table:
        table.open()
        yield table


FORETOLD = re.compile(r"net::ERR_|status of (401|403|409|429|503)")
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "locale": "en-GB"}


@pytest.fixture
def pin() -> str:
    """The host's PIN; without one there is no host."""
    return ""


@pytest.fixture
def server(table: TableInAThread, tmp_path: Path, pin: str) -> Iterator[RunningPage]:
    with closing(RunningPage(tmp_path, pin)) as server:
        server.connection().close()
        yield server


@pytest.fixture
def open_phone(server: RunningPage, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens the page on a phone of its own; at the end none may have complained."""
    complaints: list[str] = []
    contexts = []

    def opened(path: str = "/", prepare: Callable[[Page], object] = lambda _: None, **options: Any) -> Page:
        context = browser.new_context(**{**PHONE, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        prepare(page)
        page.goto(f"http://127.0.0.1:{server.port}{path}")
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        return page

    yield opened
    for context in contexts:
        context.close()
    # a browser complains of every answer that is no good, and while the server is away
    assert [told for told in complaints if not FORETOLD.search(told)] == []


@pytest.fixture
def page(open_phone: Callable[..., Page]) -> Page:
    return open_phone()
