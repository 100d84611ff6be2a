"""A visitor of the static bench plays in Firefox, comes back, and comes back without a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.static_bench.conftest import Site
from tests.static_bench.firefox import Firefox, firefox
from tests.waiting import eventually

pytestmark = pytest.mark.realtime


HAS_ALL_FILES = "return navigator.serviceWorker.getRegistration().then((found) => Boolean(found?.active))"


def is_live(window: Firefox) -> None:
    eventually(lambda: window.run("return document.body.dataset.line === 'open'"), "the table is on")


def insert_card_1(window: Firefox, balance: str) -> None:
    window.click("[data-card='1']")
    window.click("#slot-left")
    window.shows("#display-text", f"+1 {balance}")


def test_a_visitor_plays_pays_and_returns_without_a_network(site: Site, tmp_path: Path) -> None:
    with firefox(tmp_path / "profile") as window:
        window.open(site.url)
        is_live(window)
        window.click("#block-button")
        window.shows("#events", "Question block: ")
        insert_card_1(window, "15M")
        for key in ("1", ".", "5", "M"):
            window.click(f'[data-key="{key}"]')
        window.shows("#display-text", "16.5M")
        eventually(lambda: window.run(HAS_ALL_FILES), "Firefox has all files")

        window.open(site.url)
        is_live(window)
        insert_card_1(window, "16.5M")
        site.stop()
        try:
            window.open(site.url)
            is_live(window)
            insert_card_1(window, "16.5M")
        finally:
            site.start()
