"""Every text of the bench is in the catalogues, and its places have room for longer ones."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.pseudo_language import cut, pseudo_language, untranslated


def test_every_text_of_the_bench_is_in_the_catalogues_and_has_room(browser: Browser, url: str, tmp_path: Path) -> None:
    with pseudo_language(tmp_path) as language:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{url}?lang={language}")
        expect(page.locator("#line")).to_contain_text("⟦")
        page.locator("#every").check()
        page.locator("#act-line").fill("press block")
        page.locator("#act-line").press("Enter")
        expect(page.locator("#events li").first).to_be_visible()
        page.locator("#setup-open").click()
        page.locator("#scene-open").click()
        assert untranslated(page) == []
        assert cut(page) == []
        page.close()
