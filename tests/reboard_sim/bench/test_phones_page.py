"""Phones join the table by the QR code that the bench shows, and a family plays with phones only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from reboard.config.pins_and_ports import Listen
from reboard.web import invitation
from reboard_sim.bench.servers import PIN, TablePage
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.scene import PHONES, Scene
from tests.barriers import barriers
from tests.reboard_sim.bench.conftest import PHONE, served
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime


@pytest.fixture
def is_without_hardware() -> bool:
    """Whether phones are all that the table has, and need no PIN."""
    return False


@pytest.fixture
def table(tmp_path: Path, is_without_hardware: bool) -> Iterator[TableThread]:
    scene = Scene.load(PHONES if is_without_hardware else None, tmp_path)
    scene = scene.changed("page.pay", '"free"') if is_without_hardware else scene
    with closing(TableThread(scene, seed=1, socket=tmp_path / "table.sock")) as table:
        yield table


@pytest.fixture
def table_page(
    tmp_path: Path, table: TableThread, is_without_hardware: bool, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TablePage]:
    monkeypatch.setattr(invitation, "AVAHI", str(tmp_path / "nowhere"))  # not every browser resolves its names
    lan = not is_without_hardware  # else the bench lets phones in
    with closing(TablePage(tmp_path / "table.sock", port=0, lan=lan, has_pin=lan)) as page:
        if not invitation.invitation(Listen("0.0.0.0", page.link.listens_at.port)):
            pytest.skip("this machine is in no network")
        yield page


@pytest.fixture
def url(table: TableThread, table_page: TablePage) -> Iterator[str]:
    with served(table, table_page=table_page) as url:
        yield url


@pytest.fixture
def new_phone(browser: Browser) -> Iterator[Callable[..., Page]]:
    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with ExitStack() as stack:

        def opened(address: str, **more: Any) -> Page:
            page = stack.enter_context(closing(browser.new_context(**options, **more))).new_page()
            page.goto(address)
            return page

        yield opened


def scanned(code: Locator) -> str:
    """Return what a phone reads off the screen."""
    expect(code).to_be_visible()
    code.evaluate("image => image.decode()")
    [found] = zxingcpp.read_barcodes(Image.open(BytesIO(code.screenshot())), try_invert=False)
    return found.text


def test_a_phone_joins_by_the_code_and_invites_others(
    open_page: Callable[..., Page], new_phone: Callable[..., Page], table: TableThread, table_page: TablePage
) -> None:
    bench = open_page(color_scheme="dark")
    bench.locator("#phone-open").click()
    address = scanned(bench.locator("#phone-code"))
    assert address.endswith(f":{table_page.link.listens_at.port}")
    expect(bench.locator("#phone-url")).to_have_text(address)
    pin = bench.locator("#phone-pin").inner_text()
    assert pin != PIN

    phone = new_phone(address, color_scheme="dark")
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


@pytest.mark.parametrize("is_without_hardware", [True])
def test_a_family_plays_with_phones_only(
    open_page: Callable[..., Page], new_phone: Callable[..., Page], table: TableThread, table_page: TablePage
) -> None:
    bench = open_page()
    bench.locator("#setup-open").click()
    bench.get_by_role("switch", name="Let phones in").check()
    eventually(lambda: table_page.lets_in, "phones are let in", bench)
    bench.keyboard.press("Escape")
    bench.locator("#phone-open").click()
    address = scanned(bench.locator("#phone-code"))
    code = table.join_code()
    assert address.endswith(f":{table_page.link.listens_at.port}/?join={code}")
    expect(bench.locator("#phone")).to_contain_text(f"The code to join is {code}.")
    assert barriers(bench, "#phone") == []

    expect(bench.locator(".key").first).to_be_disabled()
    hint = bench.locator("#events").evaluate("list => getComputedStyle(list, '::before').getPropertyValue('--try')")
    assert "card" not in hint, "there is no slot for one"
    anna, ben = family = [new_phone(address) for _ in range(2)]
    for card, phone in enumerate(family, start=1):
        expect(phone.locator("#host")).to_be_hidden()
        phone.get_by_role("button", name=f"I am card {card}").tap()
        expect(phone.locator("#own .balance")).to_have_text("15M")

    anna.get_by_role("button", name="Host", exact=True).tap()
    anna.get_by_role("button", name="New game").tap()
    anna.get_by_label("Edition").select_option("classic-de")
    expect(anna.get_by_role("checkbox", name=re.compile("The same players again"))).to_be_checked()
    anna.get_by_role("button", name="Start", exact=True).tap()
    for phone in family:
        expect(phone.locator("#own .balance")).to_have_text("€1500")
    name = anna.locator("#host-players input").nth(1)
    name.fill("Ben")
    name.press("Enter")
    expect(ben.locator("#own")).to_contain_text("Ben")
    anna.get_by_role("button", name="Change Ben").tap()
    expect(anna.get_by_role("button", name="Leave the game")).to_be_visible()
    expect(anna.get_by_role("button", name="Card lost")).to_be_hidden()
    anna.locator("#player-dialog [data-close]").tap()
    ben.get_by_role("button", name="Salary: get €200").tap()
    anna.get_by_role("button", name="Ben: pay or get").tap()
    for key in ("5", "00", "Pay"):
        anna.get_by_role("button", name=key, exact=True).tap()
    expect(ben.locator("#own .balance")).to_have_text("€2200")

    ben.get_by_role("button", name="Auction").tap()
    expect(anna.locator("#deal")).to_have_text("Auction! Any bids?")
    anna.locator("#pay-targets").get_by_role("button", name="Cancel the auction").tap()
    expect(ben.locator("#deal")).to_have_text("Auction cancelled")

    ben.get_by_role("button", name="Host", exact=True).tap()
    ben.get_by_role("button", name="End game").tap()
    ben.locator("#worths input").first.fill("2000")
    ben.get_by_role("button", name="Show ranking").tap()
    for phone in family:
        expect(phone.locator("#places li").first).to_contain_text(re.compile("ard 1"))
        expect(phone.locator("#places li").first).to_contain_text("€3000")
    assert PIN not in bench.locator("#phone").inner_text()
