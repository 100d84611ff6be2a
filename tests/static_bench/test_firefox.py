"""A visitor of the static bench plays in Firefox, comes back, also without a network, and runs a program."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.static_bench.conftest import Site
from tests.static_bench.firefox import Firefox, firefox
from tests.static_bench.test_script_page import LIGHTS
from tests.waiting import eventually

pytestmark = pytest.mark.realtime


SHOWN = "document.querySelector('[role=img][aria-label=\"%s\"]')"
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


def test_a_visitor_runs_a_program_in_two_threads(site: Site, tmp_path: Path) -> None:
    with firefox(tmp_path / "profile") as window:
        window.open(f"{site.url}script.html")
        eventually(lambda: window.run("return !document.getElementById('editor-run').disabled"), "programs can run")
        window.run(f"document.getElementById('editor-text').value = {json.dumps(LIGHTS)}")
        window.run("document.getElementById('editor-text').dispatchEvent(new Event('input'))")
        window.click("#editor-run")
        window.shows("#opened", "GPIO21")
        window.click("[data-device=button] button")
        window.shows("[role=log]", "pressed")
        for state in ("waiting: on", "waiting: off", "lights: red", "lights: off"):
            eventually(partial(window.run, f"return Boolean({SHOWN % state})"), f"the page shows {state}")
