"""The static bench on a web server of this machine, in a subfolder, and pages of it in Chromium."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

BUILT = Path(__file__).parents[2] / "build" / "static-bench"
PLACE = "reboard/bench"
LAPTOP: ViewportSize = {"width": 1280, "height": 800}


class Handler(SimpleHTTPRequestHandler):
    """A plain web server: it knows no more of the bench than the types of its files."""

    extensions_map = {  # noqa: RUF012
        **SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
    }

    def handle(self) -> None:
        with suppress(ConnectionError):  # a visitor left
            super().handle()

    def log_message(self, *_: object) -> None:
        pass


class Site:
    """A web server with the static bench in a subfolder, which can stop and start again at the same address."""

    def __init__(self, root: Path) -> None:
        self.folder = root / PLACE
        shutil.copytree(BUILT, self.folder)
        self._root = root
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/{PLACE}/"

    def start(self) -> None:
        handler = partial(Handler, directory=str(self._root))
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    assert BUILT.exists(), "build the static bench first: make static-bench"
    site = Site(tmp_path)
    yield site
    site.stop()


@pytest.fixture
def visit(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """A function that opens the bench with an empty profile. No page may have complained, unless it *complains*."""
    complaints: list[str] = []
    with ExitStack() as contexts:

        def visit(address: str = "", *, complains: bool = False, **options: Any) -> Page:
            context = contexts.enter_context(browser.new_context(viewport=LAPTOP, **options))
            page = context.new_page()
            if not complains:
                page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
                page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(site.url + address, wait_until="commit")
            return page

        yield visit
    assert complaints == []


def is_live(page: Page) -> Page:
    """Wait until the table is on."""
    expect(page.locator("body")).to_have_attribute("data-line", "open")
    expect(page.locator("#loading")).to_be_hidden()
    return page


def display(page: Page) -> Any:
    return expect(page.locator("#display-text"))


def pay_1_5m(page: Page) -> None:
    """Put card 1 into the left slot, and let the bank pay 1.5M."""
    page.locator("[data-card='1']").click()
    page.locator("#slot-left").click()
    display(page).to_contain_text("15M")
    for key in ("1", ".", "5", "M"):
        page.locator(f'[data-key="{key}"]').click()
    display(page).to_contain_text("16.5M")


def is_offline_ready(page: Page) -> None:
    """Wait until the browser has all files."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
