"""A visitor of the static bench, in Chromium: each test is one visit, from the first page on."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from docs.static_bench.offline import FETCHED, list_files
from tests.static_bench.conftest import Site, display, is_live, is_offline_ready, pay_1_5m

pytestmark = pytest.mark.realtime

Visit = Callable[..., Page]

REPLACE_RECORD = """async ([setup, content]) => {
    const [{ name }] = await indexedDB.databases();
    const opening = indexedDB.open(name);
    const database = await new Promise((done) => { opening.onsuccess = () => done(opening.result); });
    const files = new Map([["ledger.db", Array.isArray(content) ? new Uint8Array(content) : content]]);
    const store = database.transaction("table", "readwrite").objectStore("table");
    const putting = store.put({ format: 1, setup, files }, "table");
    await new Promise((done) => { putting.onsuccess = done; });
    database.close();
}"""


def notices(page: Page) -> Any:
    return expect(page.locator("#notices"))


def reload(page: Page) -> None:
    page.reload(wait_until="commit")
    is_live(page)


def test_a_first_visit_shows_the_bench_at_once_and_plays(visit: Visit, site: Site) -> None:
    requested: list[str] = []
    page = visit()
    page.on("request", lambda request: requested.append(request.url))
    block = page.get_by_role("button", name="Question block")
    expect(block).to_be_visible()
    expect(page.locator("#loading-bytes")).to_have_text(re.compile(r"^\d+\.\d / 1\d\.\d MB$"))
    assert page.locator("body").get_attribute("data-line") != "open", "the table was faster than the look at the page"
    is_live(page)
    block.click()
    expect(page.locator("#events")).to_contain_text("Question block: ")
    expect(page.locator("#phone-open")).to_be_hidden()
    page.get_by_role("button", name="Setup").click()
    expect(page.get_by_role("switch", name="Free Parking pot")).to_be_visible()
    for of_phones in ("Let phones in", "Phones may pay"):
        expect(page.get_by_label(of_phones)).to_be_hidden()
    page.get_by_role("button", name="Load another setup").click()
    dialog = page.get_by_role("dialog", name="Load another setup")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_text("--state")).to_be_hidden()
    assert [url for url in requested if not url.startswith((site.url, "blob:"))] == []


def test_a_payment_is_saved_as_a_play_and_survives_a_reload(visit: Visit, tmp_path: Path) -> None:
    page = is_live(visit(permissions=["clipboard-read", "clipboard-write"]))
    pay_1_5m(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a play").click()
    assert download.value.suggested_filename == "reboard-session.play"
    download.value.save_as(tmp_path / "session.play")
    assert "expect balance 1 16.5M" in (tmp_path / "session.play").read_text().splitlines()
    # in another process: the browser's own event loop runs in this thread
    subprocess.run([sys.executable, "-m", "reboard_sim.cli", "play", tmp_path / "session.play"], check=True)

    reload(page)
    display(page).to_contain_text("INSERT CARD")
    page.locator("[data-card='1']").click()
    page.locator("#slot-left").click()
    display(page).to_contain_text("16.5M")
    notices(page).to_be_empty()
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copy link")).to_have_text("Copied without earlier games")

    other = page.context.new_page()
    other.goto(page.url, wait_until="commit")
    is_live(other)
    notices(other).to_contain_text("Your table is open in another window.")
    pay_1_5m(other)
    other.close()
    reload(page)
    page.locator("[data-card='1']").click()
    page.locator("#slot-left").click()
    display(page).to_contain_text("16.5M")


def test_after_the_first_visit_it_needs_no_network(visit: Visit, site: Site) -> None:
    page = is_live(visit())
    pay_1_5m(page)
    is_offline_ready(page)
    site.stop()
    reload(page)
    page.locator("[data-card='1']").click()
    page.locator("#slot-left").click()
    display(page).to_contain_text("16.5M")
    page.get_by_role("button", name="Inside").click()
    expect(page.get_by_role("tab", name="Ledger")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="ledger (CSV)").click()
    assert download.value.suggested_filename == "reboard-ledger.csv"
    assert download.value.path().read_text().splitlines()[2].startswith("2,1,0,1,1500000,received,")
    site.start()


def test_a_new_version_is_offered_and_loaded(visit: Visit, site: Site) -> None:
    page = is_live(visit())
    pay_1_5m(page)
    is_offline_ready(page)
    index = site.folder / "index.html"
    index.write_text(index.read_text().replace("<title>reboard bench", "<title>reboard bench, next"))
    list_files(site.folder)
    reload(page)
    expect(page).to_have_title("reboard bench")
    notices(page).to_contain_text("There is a new version of the bench.")
    page.get_by_role("button", name="Load it").click()
    expect(page).to_have_title("reboard bench, next")
    is_live(page)
    notices(page).to_be_empty()
    page.locator("[data-card='1']").click()
    page.locator("#slot-left").click()
    display(page).to_contain_text("16.5M")


def test_a_link_loads_its_setup_and_asks_only_where_money_would_be_lost(visit: Visit, site: Site) -> None:
    link = "?edition=super-mario&seed=7&do=insert+left+1&do=type+5M"
    page = is_live(visit(link))
    display(page).to_contain_text("35")
    banner = page.get_by_role("region", name="Link")
    expect(banner).to_be_hidden()
    expect(page).to_have_url(re.compile(r"\?edition=super-mario&wiring=own&seed=7$"))
    reload(page)
    expect(banner).to_be_hidden()
    page.goto(f"{site.url}?edition=world&do=press+block", wait_until="commit")
    is_live(page)
    expect(banner).to_contain_text("This link loads another setup")
    banner.get_by_role("button", name="Load setup").click()
    expect(page.locator("#events")).to_contain_text("Question block: ")
    display(page).to_contain_text("WORLD EDITION")
    reload(page)
    display(page).to_contain_text("WORLD EDITION")


def test_a_copied_link_opens_the_same_table(visit: Visit, site: Site) -> None:
    page = is_live(visit(permissions=["clipboard-read", "clipboard-write"]))
    pay_1_5m(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copy link")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{site.url}?edition=world&")
    other = is_live(visit(copied.removeprefix(site.url)))
    display(other).to_contain_text("16.5M")


@pytest.mark.parametrize("record", [("{", [1, 2, 3]), ('{"edition": "world"}', "no bytes")])
def test_a_damaged_table_is_reported_and_replaced(visit: Visit, record: tuple[str, object]) -> None:
    page = is_live(visit())
    address = page.url
    page.goto("about:blank")
    page.goto(address.replace("/bench/", "/bench/static/icon.svg"))
    page.evaluate(REPLACE_RECORD, record)
    page.goto(address, wait_until="commit")
    is_live(page)
    notices(page).to_contain_text("The table of your last visit is damaged. This is a new one.")
    page.get_by_role("button", name="Close").click()
    notices(page).to_be_empty()
    pay_1_5m(page)
    reload(page)
    notices(page).to_be_empty()


def test_a_page_that_cannot_load_the_table_says_what_to_do(visit: Visit, site: Site) -> None:
    page = visit("manifest.webmanifest", complains=True)
    page.context.route(f"**/{FETCHED[0]}", lambda route: route.abort())
    page.goto(site.url, wait_until="commit")
    why = "The table could not be loaded. Check the network, and reload this page."
    expect(page.locator("#loading")).to_contain_text(why)
    page.context.unroute_all()
    page.get_by_role("button", name="Reload").click()
    is_live(page)


def test_a_table_that_stops_is_replaced_by_a_new_one(visit: Visit) -> None:
    page = is_live(visit())
    pay_1_5m(page)
    page.evaluate("tableInBrowser.worker.onmessage({ data: { news: { kind: 'stopped', cause: 'no memory' } } })")
    expect(page.locator("#loading")).to_contain_text("The table has stopped: no memory. Reload this page.")
    page.get_by_role("button", name="New table").click()
    expect(page.locator("#loading")).not_to_contain_text("no memory")
    is_live(page)
    notices(page).to_be_empty()
    pay_1_5m(page)


def test_an_old_browser_is_told_so(visit: Visit) -> None:
    page = visit("manifest.webmanifest")
    page.add_init_script("delete WebAssembly.Tag")
    page.goto(page.url.replace("manifest.webmanifest", ""), wait_until="commit")
    expect(page.get_by_text("This browser is too old for the table.")).to_be_visible()


def test_a_german_visitor_plays_in_german(visit: Visit, site: Site) -> None:
    page = visit(locale="de-AT")
    expect(page.locator("#loading-says")).to_have_text("Der Tisch wird geladen.")
    expect(page.locator("#loading-bytes")).to_have_text(re.compile(r"^\d+,\d / 1\d,\d MB$"))
    is_live(page)
    assert page.url.startswith(f"{site.url}index.de.html")
    pay_1_5m(page)
    expect(page.locator("#events")).to_contain_text("Die Bank zahlt 1,5M an Karte 1")
    page.get_by_placeholder("wait 1").fill("insert left 9")
    page.get_by_role("button", name="Los", exact=True).click()
    expect(page.locator("#refusal")).to_be_visible()
    reload(page)
    assert page.locator("html").get_attribute("lang") == "de"
    page.goto(f"{site.url}?lang=en", wait_until="commit")
    is_live(page)
    page.goto(site.url, wait_until="commit")
    is_live(page)
    assert page.locator("html").get_attribute("lang") == "en"


def test_a_tablet_is_played_by_touch(visit: Visit) -> None:
    page = is_live(visit(has_touch=True, is_mobile=True, screen={"width": 810, "height": 1080}))
    page.set_viewport_size({"width": 810, "height": 1080})
    page.get_by_role("button", name="Question block").tap()
    expect(page.locator("#events")).to_contain_text("Question block: ")
    page.locator("[data-card='1']").tap()
    page.locator("#slot-left").tap()
    display(page).to_contain_text("15M")
    page.locator('[data-key="GO"]').tap()
    display(page).to_contain_text("17M")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_can_be_installed(visit: Visit, site: Site) -> None:
    page = is_live(visit())
    manifest = json.loads((site.folder / "manifest.webmanifest").read_text())
    assert page.locator('link[rel="manifest"]').get_attribute("href") == "manifest.webmanifest"
    for icon in manifest["icons"]:
        assert (site.folder / icon["src"]).exists()
    problems = page.context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [each["errorId"] for each in problems] in ([], ["in-incognito"])
