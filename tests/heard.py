"""What a screen reader hears of a page: the texts of its live regions, in their order."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.waiting import eventually

LISTEN = """() => {
    window.heard = [];
    const region = document.getElementById("announcer");
    new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true });
}"""


def listen(page: Page) -> None:
    """Begin to listen, in the page that is loaded."""
    page.evaluate(LISTEN)


def heard(page: Page) -> list[str]:
    """Return what was said since `listen`."""
    said: list[str] = page.evaluate("window.heard")
    return said


def hears(page: Page, *said: str) -> None:
    """Wait until the page has said all of *said*, in this order."""
    eventually(lambda: len(heard(page)) >= len(said), f"only this was said: {heard(page)}", page)
    assert heard(page) == list(said)
