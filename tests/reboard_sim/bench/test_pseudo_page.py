"""Every text of the bench is in the catalogues, and its places have room for longer ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard_sim.bench.table_thread import TableThread
from tests.pseudo_language import cut, pseudo_language, untranslated
from tests.waiting import PATIENCE_S

TABS = ("pins", "serial", "lcd", "sound", "ledger", "events")
STEPS = ["press block", "insert left 1", "key 5; wait 1; key K", "key C; key C", "hold GO 2", "remove left", "key DEAL"]


def check(page: Page, where: str) -> None:
    assert untranslated(page) == [], where
    assert cut(page) == [], where


@pytest.mark.realtime
def test_every_text_of_the_bench_is_in_the_catalogues_and_has_room(
    browser: Browser, url: str, table: TableThread, tmp_path: Path
) -> None:
    with pseudo_language(tmp_path) as language:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{url}?lang={language}")
        expect(page.locator("#line")).to_contain_text("⟦")
        page.locator("#every").check()
        page.locator("#act-line").fill("nonsense")
        page.locator("#act-line").press("Enter")
        expect(page.locator("#refusal")).to_be_visible()
        for step in STEPS:
            table.do(step.split("; ")).result(PATIENCE_S)
            expect(page.locator("#events li").first).to_be_visible()
            check(page, step)
        for opener in ("#help-open", "#start-over", "#setup-open"):
            page.locator(opener).click()
            check(page, opener)
            page.keyboard.press("Escape")
        page.locator("#look-inside").click()
        for tab in TABS:
            page.locator(f"[aria-controls=panel-{tab}]").click()
            expect(page.locator(f"#panel-{tab}")).to_be_visible()
            check(page, tab)
        page.goto(f"{url}?lang={language}&edition=world&do=insert+left+1")
        expect(page.locator("#link-says")).to_contain_text("⟦")
        check(page, "link")
        page.close()
