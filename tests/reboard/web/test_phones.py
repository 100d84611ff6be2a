"""Phones that are a bank: what players do with them at a real table without any hardware, and in how many taps."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable
from tests.barriers import barriers
from tests.pictures import picture
from tests.reboard.web.app_client import PIN
from tests.reboard.web.conftest import PHONE
from tests.reboard.web.served_page import ServedPage
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.realtime

NAMES = ("Anna", "Ben", "Chloé", "David")
CONFIG = f"""
edition = "classic-de"
[bank]
names = ["{'", "'.join(NAMES)}"]
pot = true
[page]
pay = "free"
"""
FAILED_REQUEST = re.compile(r"status of (403|409|429)")


class PlayedPage(ServedPage):
    """The page of a table with nothing but a banker unit without hardware."""

    async def _open_table(self) -> None:
        config = self._folder / "table.toml"
        config.write_text(CONFIG, encoding="utf-8")
        socket = self._folder / "table.sock"
        self._virtual = VirtualTable(Scene.load(config, self._folder / "state"), seed=1, socket=socket)
        await self._virtual.power_on()

    async def _close_table(self) -> None:
        await self._virtual.close()

    def request(self, do: str, /, **args: object) -> Any:
        """Send a request that is not of a phone, and return its answer."""
        assert self._virtual.table
        answer = asyncio.run_coroutine_threadsafe(self._virtual.table.request(do, **args), self._loop)
        return answer.result(PATIENCE_S)

    def snapshot(self) -> dict[str, Any]:
        assert self._virtual.table
        return self.at_the_table(self._virtual.table.snapshot)


class Phone:
    """A player with a phone, whose taps are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def tap(self, *names: str) -> None:
        for name in names:
            self.page.get_by_role("button", name=name, exact=True).tap()
            self.taps += 1

    def counted(self, act: Callable[[], None]) -> int:
        before = self.taps
        act()
        return self.taps - before

    @property
    def balance(self) -> Locator:
        return self.page.locator("#own .balance")

    @property
    def news(self) -> Locator:
        return self.page.locator("#pay-news li")

    @property
    def pad(self) -> Locator:
        return self.page.locator("#pad")


NewPhone = Callable[..., Phone]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[PlayedPage]:
    with PlayedPage(tmp_path, pin=PIN, proxy="127.0.0.1") as table:
        assert isinstance(table, PlayedPage)
        yield table


@pytest.fixture
def new_phone(table: PlayedPage, browser: Browser) -> Iterator[NewPhone]:
    """Opens the page on another phone. At the end no page may have reported an error."""
    errors: list[str] = []
    contexts: list[BrowserContext] = []

    def opened(path: str = "/", **options: object) -> Phone:
        address = {"X-Forwarded-For": f"192.168.1.{2 + len(contexts)}"}
        context = browser.new_context(**{**PHONE, "extra_http_headers": address, **options})
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(f"http://{table.address}{path}")
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        return Phone(page)

    yield opened
    for context in contexts:
        context.close()
    assert [error for error in errors if not FAILED_REQUEST.search(error)] == []


def code_of(phone: Phone) -> str:
    """The code that a phone with a card shows under "Invite"."""
    phone.page.get_by_role("button", name="Invite").click()
    joining = phone.page.locator("#invite-join")
    expect(joining).to_contain_text(re.compile(r"\d{4}"))
    assert phone.page.locator("#invite-dialog").evaluate("(dialog) => dialog.scrollTop") == 0
    words = joining.text_content() or ""
    phone.page.locator("#invite-dialog [data-close]").click()
    return words.split()[-1]


def family(new_phone: NewPhone, players: int = 4, **options: object) -> list[Phone]:
    """Phones whose players have joined."""
    phones = [new_phone(**options)]
    phones[0].tap("I am card 1")
    expect(phones[0].balance).to_have_text("€1500")
    code = code_of(phones[0])
    for card in range(2, players + 1):
        phone = new_phone(f"/?join={code}", **options)
        phone.tap(f"I am card {card}")
        expect(phone.balance).to_have_text("€1500")
        phones.append(phone)
    for phone in phones:
        expect(phone.page.locator("#cards .player")).to_have_count(players - 1)
        phone.taps = 0
    return phones


def test_phones_join_with_a_tap_and_a_code(new_phone: NewPhone) -> None:
    anna, ben, other = new_phone(viewport={"width": 320, "height": 568}), new_phone(), new_phone()
    anna.tap("I am card 1")
    expect(anna.balance).to_have_text("€1500")
    assert anna.taps == 1, "the first phone of a table without a display needs no code"
    found = {"url": "http://reboard.local:8080", "ip_url": None, "listens": True}
    anna.page.route("**/api/invitation", lambda route: route.fulfill(json=found))
    anna.page.route("**/qr.svg*", lambda route: route.fulfill(path="firmware/reboard/web/shared/icon.svg"))
    code = code_of(anna)
    expect(anna.page.locator("#invite-url")).to_have_value(f"http://reboard.local:8080/?join={code}")
    expect(anna.page.locator("#invite-code")).to_have_attribute("src", re.compile(rf"join={code}\b"))

    ben.tap("I am card 2")
    expect(ben.page.locator("#pad-title")).to_have_text("I am card 2")
    picture(ben.page, "phone-code")
    assert barriers(ben.page) == []
    wrong = "1234" if code != "1234" else "4321"
    ben.tap(*wrong)
    expect(ben.page.get_by_role("alert")).to_contain_text("code is wrong")
    ben.taps = 1
    ben.tap(*code)
    expect(ben.balance).to_have_text("€1500")
    expect(ben.pad).to_be_hidden()
    assert ben.taps == 5

    linked = new_phone(f"/?join={code}")
    assert "join" not in linked.page.url, "a player may share the address"
    linked.tap("I am card 3")
    expect(linked.balance).to_have_text("€1500")
    assert linked.taps == 1

    stranger = new_phone()
    stranger.tap("I am card 4", *wrong, *wrong, *wrong, *wrong)
    expect(stranger.page.get_by_role("alert")).to_have_text(
        re.compile(r"Too many wrong codes\. Wait \d s\. Then check the code, and type it again\.")
    )

    # Ben has lost his phone
    ben.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    other.tap("I am Ben", *code, "Use this phone")
    expect(other.balance).to_have_text("€1500")
    expect(ben.page.get_by_role("alert")).to_have_text(
        "This phone no longer has its card. Another phone may have taken it."
    )
    expect(ben.page.get_by_role("alert")).to_be_in_viewport()
    expect(ben.page.get_by_role("button", name="I am Ben")).to_be_visible()
    other.tap("Not me")
    expect(other.page.get_by_role("button", name="I am Ben")).to_be_visible()


def test_four_phones_play_a_short_game(new_phone: NewPhone) -> None:
    anna, ben, chloe, david = family(new_phone)

    assert anna.counted(lambda: anna.tap("Salary: get €200")) == 1
    expect(anna.balance).to_have_text("€1700")

    # rent: the player pays it, or its owner asks for it
    assert ben.counted(lambda: ben.tap("Anna: pay or get", "1", "5", "0", "Pay")) == 5
    expect(anna.balance).to_have_text("€1850")
    expect(ben.pad).to_be_hidden()
    assert anna.counted(lambda: anna.tap("Chloé: pay or get", "7", "5", "Get")) == 4
    expect(anna.news).to_contain_text(["Waiting for Chloé: €75 from Chloé to Anna"])
    expect(chloe.news.filter(has_text="asks")).to_contain_text(["Anna asks you for €75."])
    picture(chloe.page, "phone-demand")
    assert barriers(chloe.page) == []
    assert chloe.counted(lambda: chloe.tap("Pay €75")) == 1
    expect(anna.balance).to_have_text("€1925")
    expect(chloe.balance).to_have_text("€1425")
    # the same rent again
    assert david.counted(lambda: david.tap("Anna: pay or get", "Pay €150")) == 2
    expect(david.balance).to_have_text("€1350")

    tax, trade, birthday = (
        ("The bank", "2", "00", "Pay"),
        ("Chloé: pay or get", "3", "00", "Pay"),
        ("Everyone", "1", "0", "Get"),
    )
    assert david.counted(lambda: david.tap(*tax)) == 4
    expect(david.balance).to_have_text("€1150")
    assert ben.counted(lambda: ben.tap(*trade)) == 4
    expect(chloe.balance).to_have_text("€1725")
    assert david.counted(lambda: david.tap(*birthday)) == 4
    expect(ben.news.filter(has_text="asks")).to_contain_text(["David asks everyone for €10."])
    assert ben.counted(lambda: ben.tap("Pay €10")) == 1
    expect(david.balance).to_have_text("€1180")
    expect(anna.news.filter(has_text="asks")).to_have_count(0)

    # Free Parking
    chloe.tap("The pot: €0", "5", "0", "Pay")
    expect(ben.page.get_by_role("button", name="The pot: €50")).to_be_visible()
    assert ben.counted(lambda: ben.tap("The pot: €50", "Get €50")) == 2
    expect(ben.balance).to_have_text("€1090")

    # Ben cannot pay
    ben.tap("David: pay or get", "Bankrupt …")
    expect(ben.page.get_by_role("button", name="Cancel")).to_be_focused()
    expect(ben.page.locator("#pad-hint")).to_have_text("David gets all your money, and you are out of the game.")
    picture(ben.page, "phone-bankrupt")
    assert barriers(ben.page) == []
    ben.tap("Go bankrupt")
    expect(chloe.news.first).to_contain_text("Done: Ben goes bankrupt, and David gets everything.")
    expect(ben.page.locator("#own")).to_contain_text("bankrupt")
    expect(ben.page.locator("#pay-targets")).to_be_hidden()
    chloe.tap("Take back the bankruptcy of Ben")
    expect(ben.balance).to_have_text("€1090")
    expect(ben.page.locator("#pay-targets")).to_be_visible()


def test_each_phone_shows_what_happened_and_takes_it_back(new_phone: NewPhone) -> None:
    anna, ben, chloe = family(new_phone, 3, viewport={"width": 320, "height": 568})
    anna.tap("Ben: pay or get", "9", "00", "Pay")
    expect(ben.balance).to_have_text("€2400")
    for phone in (anna, ben, chloe):
        expect(phone.news).to_contain_text(["€900 from Anna to Ben"])
    chloe.tap("The bank", "1")
    field = chloe.page.locator("#pad-field")
    for place in (field, chloe.page.locator("#pad-acts"), chloe.page.get_by_role("button", name="Take back")):
        expect(place).to_be_in_viewport(ratio=1)
    picture(chloe.page, "phone-take-back")
    assert barriers(chloe.page) == []
    chloe.tap("Take back €900 from Anna to Ben")
    expect(ben.balance).to_have_text("€1500")
    expect(field).to_have_value("1")
    for phone in (anna, ben, chloe):
        expect(phone.news).to_contain_text(["Taken back: €900 from Anna to Ben."])
        expect(phone.page.get_by_role("button", name="Take back")).to_have_count(0)


def test_a_double_tap_pays_no_second_salary(new_phone: NewPhone) -> None:
    anna, _ = family(new_phone, 2)
    anna.page.clock.install()
    anna.page.clock.pause_at(datetime.now() + timedelta(hours=1))
    for shown in ("€1700", "€1900"):
        anna.tap("Salary: get €200")
        expect(anna.balance).to_have_text(shown)
        anna.tap("Salary: get €200")
        anna.page.clock.run_for(1000)
    # the pad that closes was in the way of the salary
    anna.tap("The bank", "5", "Pay")
    expect(anna.balance).to_have_text("€1895")
    anna.tap("Salary: get €200")
    anna.page.clock.run_for(1000)
    anna.tap("The bank", "1", "Pay")
    expect(anna.balance).to_have_text("€1894")


def test_a_request_is_withdrawn_or_rejected_and_an_error_stays_until_the_next_act(new_phone: NewPhone) -> None:
    anna, ben = family(new_phone, 2)
    anna.tap("Ben: pay or get", "5", "0", "Get")
    anna.tap("Withdraw")
    expect(anna.news).to_have_count(0)
    expect(ben.news).to_have_count(0)
    anna.tap("Ben: pay or get", "6", "0", "Get")
    ben.tap("No")
    expect(ben.news).to_have_count(0)
    expect(anna.news).to_contain_text(["Not done: €60 from Ben to Anna. Reason: rejected"])
    anna.tap("The bank")
    expect(anna.news).to_have_count(0)

    problem = anna.page.locator("#pay-problem")
    anna.tap("Ben: pay or get", "9", "9", "9", "9", "Get")
    expect(problem).to_have_text("Ben does not have enough money.")
    anna.tap("Pay")
    expect(problem).to_contain_text("does not have enough money")
    expect(anna.page.locator("#pad-field")).to_have_value("9999")
    ben.tap("Salary: get €200")
    expect(anna.page.locator("#cards .balance")).to_have_text("€1700")
    expect(problem).to_be_visible()
    anna.tap("Remove the last digit")
    expect(problem).to_be_hidden()
    anna.tap("Pay")
    expect(anna.balance).to_have_text("€501")


def test_the_host_switches_the_phones_and_starts_another_game(new_phone: NewPhone, table: PlayedPage) -> None:
    anna, ben = family(new_phone, 2)
    expect(anna.page.locator("#display")).to_be_hidden()  # it would be about slots, and in one language
    table.request("phones", pay="ask")
    anna.tap("Salary: get €200")
    expect(anna.news).to_contain_text(["€200 from the bank to Anna: waiting for the host."])
    anna.tap("The bank", "5", "Get")
    problem = anna.page.locator("#pay-problem")
    expect(problem).to_contain_text("first withdraw it")
    [payment] = table.snapshot()["payments"]
    table.request("confirm_payment", payment=payment["payment"])
    expect(anna.news).to_have_text("Done: €200 from the bank to Anna.")
    expect(problem).to_be_hidden()
    expect(ben.news).to_have_count(0)

    anna.tap("Ben: pay or get")
    table.request("phones", pay="off")
    for part in (anna.pad, anna.news, anna.page.locator("#pay-targets")):
        expect(part).to_be_hidden()
    expect(anna.balance).to_have_text("€1700")
    table.request("phones", pay="free")
    table.request("leave_card", card=1)
    anna.tap("Join", *str(table.request("join_code")["code"]))
    expect(anna.page.locator("#pay-targets")).to_be_visible()
    anna.tap("The bank", "5", "Pay")
    expect(anna.news).to_contain_text(["Done: €5 from Anna to the bank."])
    table.request("end_game", game=table.snapshot()["game"], worths={})
    expect(anna.news).to_have_count(0)  # nothing can be taken back now
    table.request("new_game")
    ben.tap("Join with €1500")
    expect(ben.balance).to_have_text("€1500")
    expect(anna.page.locator("#pay-targets")).to_be_hidden()


def test_a_player_needs_no_screen_and_no_finger(new_phone: NewPhone) -> None:
    """One phone by keyboard, and what a screen reader reads."""
    anna, ben = family(new_phone, 2)
    page = anna.page
    page.locator("#own-undo").focus()

    def go_to(name: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent") == name:
                return
        raise AssertionError(f"the keyboard does not reach {name!r}")

    go_to("Ben: pay or get")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Amount")).to_be_focused()
    page.keyboard.type("120")
    page.keyboard.press("Enter")
    expect(anna.balance).to_have_text("€1380")
    expect(page.get_by_role("button", name="Ben: pay or get")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.type("30")
    go_to("Get")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Ben: pay or get")).to_be_focused()
    ben.tap("Anna: pay or get", "4", "0", "Get")
    expect(page.locator("#pay")).to_match_aria_snapshot(
        """
        - region "Payments":
          - list:
            - listitem:
              - text: Ben asks you for €40.
              - button "Pay €40"
              - button "No"
            - listitem:
              - text: "Waiting for Ben: €30 from Ben to Anna"
              - button "Withdraw"
            - listitem:
              - text: "Done: €120 from Anna to Ben."
              - button "Take back €120 from Anna to Ben"
        """
    )
    expect(page.get_by_role("button", name="Pay €40")).to_be_enabled()
    go_to("Pay €40")
    page.keyboard.press("Space")
    expect(anna.balance).to_have_text("€1340")
    expect(anna.news.filter(has_text="asks")).to_have_count(0)
    expect(page.locator("#pay")).to_be_focused()  # where the next Tab goes on; a second Enter takes nothing else back
    page.get_by_role("button", name="Ben: pay or get").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(anna.pad).to_be_hidden()
    expect(page.get_by_role("button", name="Ben: pay or get")).to_be_focused()
