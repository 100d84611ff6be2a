"""A phone joins the table by the QR code that the bench shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from reboard.web import invitation
from reboard_sim.bench.servers import PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import Scene
from tests.barriers import barriers
from tests.reboard_sim.bench.conftest import PHONE, served
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    with closing(TableThread(Scene.load(None, tmp_path), seed=1, socket=tmp_path / "table.sock")) as table:
        yield table


@pytest.fixture
def table_page(tmp_path: Path, table: TableThread, monkeypatch: pytest.MonkeyPatch) -> Iterator[TablePage]:
    monkeypatch.setattr(invitation, "AVAHI", str(tmp_path / "nowhere"))  # not every browser resolves its names
    with closing(TablePage(tmp_path / "table.sock", port=0, lan=True)) as page:
        if not invitation.invitation(page.link.listens_at):
            pytest.skip("this machine is in no network")
        yield page


@pytest.fixture
def url(table: TableThread, table_page: TablePage) -> Iterator[str]:
    with served(table, table_page=table_page) as url:
        yield url


def scanned(code: Locator) -> str:
    """Return what a phone reads off the screen."""
    expect(code).to_be_visible()
    code.evaluate("image => image.decode()")
    [found] = zxingcpp.read_barcodes(Image.open(BytesIO(code.screenshot())), try_invert=False)
    return found.text


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
    with closing(browser.new_context(**options)) as context:
        yield context.new_page()


def test_a_phone_joins_by_the_code_and_invites_others(
    open_page: Callable[..., Page], phone: Page, table: TableThread, table_page: TablePage
) -> None:
    bench = open_page(color_scheme="dark")
    bench.locator("#phone-open").click()
    address = scanned(bench.locator("#phone-code"))
    assert address.endswith(f":{table_page.link.listens_at.port}")
    expect(bench.locator("#phone-url")).to_have_text(address)
    pin = bench.locator("#phone-pin").inner_text()
    assert pin != PIN

    phone.goto(address)
    table.do(["insert left 3", "type 1.5M"]).result(PATIENCE_S)
    expect(phone.get_by_text("16.5M").first).to_be_visible()
    phone.locator("#host").click()
    phone.locator("#pin").fill(pin)
    phone.locator("#pin").press("Enter")
    expect(phone.locator("#host-sheet")).to_be_visible()
    expect(phone.locator("#screen-on")).to_be_hidden()  # browsers would refuse it: the page is not encrypted

    phone.locator("#invite").click()
    assert scanned(phone.locator("#invite-code")) == address
    assert barriers(phone, "#invite-dialog") == []
    phone.locator("#invite-copy").click()
    phone.keyboard.press("Escape")
    phone.evaluate("document.body.prepend(document.createElement('textarea'))")
    phone.locator("textarea").press("Control+V")
    expect(phone.locator("textarea")).to_have_value(address)
