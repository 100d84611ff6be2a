"""The table page in a browser: one test for each thing that a family does with it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from benchmarks.pages import CONDITIONS, PAGES, visit
from reboard.accessories.accessory import Accessory
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.vocabulary import ABSENT as WITHOUT_BANK
from reboard.accessories.installed import accessories, all_events
from reboard.editions.edition import edition_names, load_edition
from reboard.editions.money import AmountWhy
from reboard.errors import ReboardError, Rejection, RequestError, Why
from reboard.languages import languages
from reboard.vocabulary.vocabulary import Vocabulary
from reboard.web import panels, rate_limit, table_page
from tests.barriers import barriers
from tests.pictures import SHIFTS, SIZES, disorder, picture, shifted
from tests.plugged_in import beside
from tests.reboard.web.conftest import PHONE
from tests.reboard.web.fake_table import PLAYS, SNAPSHOT
from tests.reboard.web.served_page import FakePower, ServedPage
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

OpenPage = Callable[..., Page]

TRANSFER = {"id": 10, "game": 3, "from": 0, "to": 1, "amount": 1_500_000, "reason": "received", "undoes": None}
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b>"
BANKRUPT = {"retired": True, "left": False, "playing": False}
JOINED = {"retired": False, "left": False, "playing": False}
LEFT = {"retired": False, "left": True, "playing": False}
RUNNING = {"running": True, "wound": False, "seconds": 60.0}


def watch(page: Page, place: str, selector: str, look: str = "found.textContent") -> None:
    """Wait in the page for an element that is there only for a moment, and *look* at it."""
    page.evaluate(
        """([place, selector]) => {
            window.seen = new Promise((resolve) => new MutationObserver(() => {
                const found = document.querySelector(`${place} ${selector}`);
                if (found) resolve(LOOK);
            }).observe(document.querySelector(place), { childList: true, subtree: true }));
        }""".replace("LOOK", look),
        [place, selector],
    )


def sign_in(page: Page, pin: str = "4711") -> None:
    if not page.locator("#pin-dialog").is_visible():
        page.locator("#host").click()
    page.locator("#pin").fill(pin)
    page.locator("#pin-dialog [type=submit]").click()


def wait_for_request(server: ServedPage, do: str, **args: object) -> None:
    until = time.monotonic() + PATIENCE_S
    while not (found := [sent for name, sent in server.table.requests if name == do]):
        assert time.monotonic() < until, f"{do} was not requested"
        time.sleep(0.02)
    assert found[-1] == {**args, "by": "the host"}
    server.table.requests.clear()


def refuse(server: ServedPage, why: Why | None) -> None:
    server.table.rejection = Rejection(why) if why else None


def everything(server: ServedPage) -> None:
    """A deal, a turn, faults, a ranking and a bankrupt player at the same time."""
    winner = {"place": 1, "number": 1, "name": "Anna", "worth": 20_000_000, "shown": "20M"}
    now = server.at_the_table(server.table.events.now)
    server.emit_with(
        "refused",
        {"why": "no funds"},
        deal={"running": True},
        apple={**RUNNING, "seconds": 600.0, "started_at": now - 1},
        faults={"display": "it does not answer", "left slot": "no reader at /dev/ttyUSB0"},
        asleep=True,
        ended={"game": 3, "ranking": [winner]},
        rules=load_edition("super-mario").rules(),
        cards=[*SNAPSHOT["cards"], {"number": 3, "balance": 0, "shown": "0", "name": "Chloé", **BANKRUPT}],
    )


def test_a_phone_follows_the_game(page: Page, server: ServedPage) -> None:
    expect(page.locator("#title")).to_have_text(str(SNAPSHOT["title"]))
    expect(page.locator("#cards .name")).to_have_text(["Anna", "card 2"])
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    expect(page.locator("#cards .where")).to_have_text(["receives (+)", ""])
    expect(page.locator("#display pre")).to_have_text(["+1 16.5M", "-2 13.5M"])
    expect(page.locator("#events .parties")).to_have_text(["Card 2→ to Anna"])

    watch(page, "#cards", ".change")
    cards = [
        {"number": 1, "balance": 18_000_000, "shown": "18M", "name": "Anna", **PLAYS},
        {"number": 2, "balance": 0, "shown": "0", "name": "Ben", **BANKRUPT},
    ]
    undone = {**SNAPSHOT["transfers"][0], "id": 10, "from": 1, "to": 9, "reason": "undo", "undoes": 9}
    transfers = [undone, *SNAPSHOT["transfers"]]
    pot = {"balance": 350_000, "shown": "350K"}
    server.emit_with("transfer", undone, cards=cards, transfers=transfers, pot=pot, clock=28)
    expect(page.locator("#cards .balance")).to_have_text(["18M", "0"])
    assert page.evaluate("window.seen") == "+1.5M"
    expect(page.locator("#events li")).to_have_class(["entry", "entry undone"])
    expect(page.locator("#events .parties")).to_have_text(["Anna→ to The pot", "Ben→ to Anna"])
    expect(page.locator("#cards .where")).to_have_text(["receives (+)", "bankrupt"])
    expect(page.locator("#pot")).to_contain_text("350K")
    expect(page.locator("#game")).to_contain_text("28")

    server.emit("deal.started", deal={"running": True})
    expect(page.locator("#deal")).to_have_attribute("data-state", "dealRunning")
    assert page.locator("#deal [role=progressbar], #deal time").count() == 0, "the time left is secret"
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    server.emit("deal.ended", deal={"running": False})
    expect(page.locator("#deal")).to_have_attribute("data-state", "dealEnded")
    page.clock.fast_forward("00:10")
    expect(page.locator("#deal")).to_be_hidden()


def test_a_player_looks_up_what_happened(page: Page, server: ServedPage) -> None:
    seen: list[tuple[str, dict[str, Any]]] = [
        ("card.inserted", {"slot": "left", "number": 1}),
        ("refused", {"why": "no funds"}),
        ("refused", {"why": "no funds"}),
        ("transfer", TRANSFER),
        ("block.outcome", {"outcome": "power_up", "coins": 0}),
    ]
    server.table.history["transfers"] = [{**TRANSFER, "id": 1, "amount": 15_000_000, "reason": "start", "at": 1.0}]
    for event, fields in seen:
        server.emit_with(event, fields, transfers=[{**TRANSFER, "at": time.time()}, *SNAPSHOT["transfers"]])
    rows = page.locator("#events li")
    expect(rows).to_have_count(5)
    shown = [
        "Question block: power-up",
        "The bank→ to Anna1.5M",
        "Rejected: the paying card does not have enough money ×2",
        "The card of Anna is in the left slot",
        "Card 2→ to Anna",
    ]
    for row, words in enumerate(shown):
        expect(rows.nth(row)).to_contain_text(words)
    page.get_by_role("button", name="Anna", exact=True).click()
    expect(rows).to_have_count(4)
    expect(rows.last).to_contain_text("15M")
    page.get_by_role("button", name="Card 2", exact=True).click()
    expect(page.locator("#events .parties")).to_have_text(["Card 2→ to Anna"])
    server.emit_with("transfer", {**TRANSFER, "id": 11, "from": 2, "to": 9, "reason": "game_over"})
    expect(page.locator("#events .parties")).to_have_text(["Card 2→ to The pot", "Card 2→ to Anna"])
    expect(rows.first).to_contain_text("game-over sound")
    page.get_by_role("button", name="All", exact=True).click()
    expect(rows).to_have_count(7)
    dollars = {"units": False, "rules": load_edition("nintendo").rules(), "edition": "nintendo"}
    server.emit_with("game.started", {"game": 4, "edition": "nintendo"}, game=4, transfers=[], **dollars)
    server.emit_with("transfer", {**TRANSFER, "id": 12, "game": 4, "amount": 200})
    expect(rows.first).to_contain_text("$200")
    expect(rows.filter(has_text="The bank→ to Anna").last).to_contain_text("1.5M")  # the old game has its own money


def test_a_phone_keeps_its_own_card_at_the_top(open_page: OpenPage, server: ServedPage) -> None:
    pulses = "window.pulses = []; navigator.vibrate = (pattern) => pulses.push(pattern);"
    page = open_page(prepare=lambda page: page.add_init_script(pulses))
    own, others = page.locator("#own"), page.locator("#cards .name")
    page.get_by_role("button", name="I am card 2").click()
    expect(own.locator(".balance")).to_have_text("13.5M")
    expect(others).to_have_text(["Anna"])
    expect(page.get_by_role("region", name="Other players")).to_contain_text("Anna")
    anna, other = SNAPSHOT["cards"]
    server.emit("deal.cancelled", cards=[{**anna, "balance": 1, "shown": "1K"}, other])
    expect(page.locator("#cards .balance")).to_have_text("1K")
    assert page.evaluate("pulses.length") == 0
    server.emit("deal.cancelled", cards=[anna, {**other, "balance": 2, "shown": "2K"}])
    expect(own.locator(".balance")).to_have_text("2K")
    assert page.evaluate("pulses.length") == 1
    page.mouse.wheel(0, 1500)
    expect(page.locator("#bank")).not_to_be_in_viewport()
    expect(own).to_be_in_viewport(ratio=1)
    assert barriers(page) == []

    page.reload()
    expect(own.locator(".balance")).to_have_text("2K")
    server.emit_with("game.started", {"game": 4, "edition": "world"}, game=4, cards=[anna])
    expect(own.locator(".where")).to_have_text("not in this game")
    page.locator("#own-undo").click()
    expect(own).to_be_hidden()
    expect(page.get_by_role("button", name="I am Anna")).to_be_focused()
    page.reload()
    expect(others).to_have_text(["Anna"])
    expect(own).to_be_hidden()


RANKING = [
    {"place": 1, "number": 2, "name": "", "worth": 20_000_000, "shown": "20M"},
    {"place": 2, "number": 1, "name": "Anna", "worth": 18_000_000, "shown": "18M"},
]
ENDED = {"game": 3, "ranking": RANKING}
SHARE = "navigator.canShare = () => true; navigator.share = async ({ files }) => { window.shared = files[0].size; };"


def test_a_game_ends_with_a_ranking_that_can_be_kept(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page(reduced_motion="no-preference")
    sharing = open_page(prepare=lambda page: page.add_init_script(SHARE))
    retired = {"number": 3, "balance": 0, "shown": "0", "name": "Chloé", **BANKRUPT}
    watch(page, "#ranking", ".confetti i", "found.getAnimations().length")
    server.emit_with("game.ended", ENDED, ended=ENDED, clock=28, cards=[*SNAPSHOT["cards"], retired])
    expect(page.locator("#places .name")).to_have_text(["Card 2", "Anna", "Chloé"])
    expect(page.locator("#places .balance")).to_have_text(["20M", "18M", ""])
    for row, parts in enumerate([["13.5M", "6.5M"], ["16.5M", "1.5M"]]):
        expect(page.locator("#places .parts").nth(row)).to_have_text(re.compile(".*".join(map(re.escape, parts))))
    expect(page.locator("#game")).not_to_contain_text("28")
    assert page.evaluate("window.seen") == 1
    expect(sharing.locator(".confetti")).to_be_hidden()

    with page.expect_download() as download:
        page.locator("#share-ranking").click()
    picture = download.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == 1080
    sharing.locator("#share-ranking").click()
    sharing.wait_for_function("() => window.shared > 1000")
    page.reload()
    expect(page.locator("#places .name").first).to_be_visible()
    expect(page.locator(".confetti")).to_have_count(0)


SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((element) => Number.parseFloat(getComputedStyle(element).fontSize)))"""


LINES = """element => {
    const words = document.createRange();
    words.selectNodeContents(element);
    return new Set([...words.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
}"""


CUT_OFF = """list => [...list.children].filter((row) => {
    const [one, all] = [row.getBoundingClientRect(), list.getBoundingClientRect()];
    return one.left < all.right && one.top < all.bottom && one.bottom > all.bottom + 1;
}).length"""


def test_without_an_address_the_invitation_says_what_to_do(page: Page) -> None:
    answers: dict[str, dict[str, object] | None] = {
        "lets phones in": {"url": None, "ip_url": None, "listens": False},
        "in no network": {"url": None, "ip_url": None, "listens": True},
        "No answer from the table": None,
    }
    dialog = page.get_by_role("dialog", name="Invite players")
    given = iter(answers.values())

    def give(route: Route) -> None:
        answer = next(given)
        route.fulfill(json=answer) if answer else route.abort()

    page.route("**/api/invitation", give)
    for advice in answers:
        page.locator("#invite").click()
        expect(dialog.get_by_text(advice)).to_be_visible()
        expect(dialog.locator("p:visible")).to_have_count(2)  # with the link to the view for a TV
        page.keyboard.press("Escape")


def test_a_tv_shows_the_game_without_scrolling(open_page: OpenPage, server: ServedPage) -> None:
    height = 768

    def invite(page: Page) -> None:
        page.route(
            "**/api/invitation",
            lambda route: route.fulfill(
                json={"url": "http://reboard.local", "ip_url": "http://192.168.1.7", "listens": True}
            ),
        )
        page.route("**/qr.svg", lambda route: route.fulfill(path="firmware/reboard/web/shared/icon.svg"))

    size = {"width": height * 16 // 9, "height": height}
    page = open_page("/", prepare=invite, viewport=size, is_mobile=False, has_touch=False)
    with page.expect_response("**/?view=tv") as answer:
        page.get_by_role("link", name="TV").click()
    assert 'data-view="tv"' in answer.value.text(), "the title moves if the view comes after the page"
    cards = [
        {**SNAPSHOT["cards"][0], "number": number, "name": "WWWWWWWW", "shown": "999.99M"} for number in range(1, 9)
    ]
    rows = [{**TRANSFER, "id": 20 - number, "at": 1.0} for number in range(20)]
    pot = {"balance": 350_000, "shown": "350K"}
    server.emit_with("card.removed", {"slot": "left", "number": 1}, cards=cards, transfers=rows, pot=pot, clock=28)
    expect(page.locator("#cards li")).to_have_count(8)
    expect(page.locator("#game")).to_contain_text("28")
    expect(page.locator("#balances")).to_have_js_property("complete", value=True)
    expect(page.locator("#join")).to_contain_text("192.168.1.7")  # an old Android knows no name in .local
    for selector in ("#cards li:last-child", "#pot", "#balances", "#events .entry >> nth=0", "#join-code", "#join-ip"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    expect(page.locator("#join-url")).to_have_text("reboard.local")
    expect(page.locator("#join-ip")).to_have_text("192.168.1.7")
    picture(page, f"table-page-tv-{height}")
    assert disorder(page, ".sheets .sheet") == []
    assert disorder(page, "#cards > *, #pot") == []
    assert page.locator("#events").evaluate(CUT_OFF) == 0
    for balance in page.locator("#cards .balance").all():
        assert balance.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    assert page.evaluate(SMALLEST_TEXT) > 0.018 * height
    page.set_viewport_size({"width": 375, "height": 667})
    picture(page, "table-page-tv-phone")
    for selector in (".sheets .sheet", "#cards > *, #pot", "#cards :is(.name, .balance)", ".rail > *"):
        assert disorder(page, selector) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.set_viewport_size({"width": size["width"], "height": height})
    server.emit("deal.started", deal={"running": True})
    expect(page.locator("#deal")).to_be_in_viewport(ratio=1)
    server.emit_with("game.ended", ENDED, ended=ENDED, deal={"running": False})
    expect(page.locator("#places")).to_be_in_viewport(ratio=1)
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
        *size.values()
    ]
    assert page.locator("button:visible, select:visible, input:visible").count() == 0, "a TV controls nothing"
    assert barriers(page) == []


def test_the_block_and_the_apple_move_as_at_the_table(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page(reduced_motion="no-preference")
    expect(page.locator("#outcome")).to_have_text("3 coins")
    server.emit_with("lamp", {"device": "block.lamp", "on": True}, block={**SNAPSHOT["block"], "quiet": True})
    expect(page.locator("#block-art")).to_have_class(re.compile("glowing"))
    expect(page.locator("#is-quiet")).to_be_visible()
    watch(page, "#pops", ".pop")
    server.emit_with("lamp", {"device": "buzzer.lamp", "on": False})
    server.emit_with("sound", {"name": "coin"})
    assert page.evaluate("window.seen") == ""
    expect(page.locator("#block-art")).to_have_class(re.compile("glowing"))
    server.emit_with("lamp", {"device": "block.lamp", "on": False})
    expect(page.locator("#block-art")).not_to_have_class(re.compile("glowing"))

    worm = page.locator("#apple-art .worms div canvas").first
    at_rest = worm.evaluate("worm => getComputedStyle(worm).transform")
    server.emit_with("motor", {"device": "apple.motor", "level": 1.0})
    eventually(lambda: worm.evaluate("worm => getComputedStyle(worm).transform") != at_rest, "the worms move", page)
    now = server.at_the_table(server.table.events.now)
    server.emit_with("apple.started", {"seconds": 60.0}, apple={**RUNNING, "started_at": now - 10})
    turn = page.get_by_role("progressbar")
    expect(turn).to_have_attribute("aria-valuemax", "60")
    first = int(turn.get_attribute("aria-valuenow") or 0)
    assert 20 < first <= 50
    expect(turn).not_to_have_attribute("aria-valuenow", str(first))
    server.emit("apple.stopped", apple=SNAPSHOT["apple"])
    expect(turn).to_be_hidden()
    expect(page.locator("#events .said")).to_have_text(["The worms stop", "The worms dance for 60 s"])
    assert page.locator("#lever").count() == 0


def test_the_cause_of_a_fault_is_in_the_language_of_the_page(
    open_page: Callable[..., Page], server: ServedPage
) -> None:
    page = open_page("/?lang=de")
    busy = (
        "the device /dev/ttyUSB0 is in use by another program: stop that program, or use another port. It is open in lp"
    )
    server.emit_with("fault", {"part": "left slot", "cause": busy}, faults={"left slot": f"{busy}: stop lp"})
    page.locator("#faults summary").click()
    expect(page.locator("#faults details p:not([lang])")).to_have_text(
        "das Gerät /dev/ttyUSB0 wird von einem anderen Programm benutzt: Beende dieses Programm, oder nimm einen "
        "anderen Anschluss. Geöffnet ist es in lp: stop lp"
    )


def test_faults_have_their_causes_and_only_accessories_of_the_table_have_panels(page: Page, server: ServedPage) -> None:
    cause = "[Errno 121] Remote I/O error: /dev/i2c-1"
    server.emit_with("fault", {"part": "display", "cause": cause}, faults={"display": cause})
    expect(page.locator("#faults li > p")).to_have_text("Fault: display")
    expect(page.locator("#events .said").first).to_have_text("Fault: display")
    expect(page.get_by_text(cause)).to_be_hidden()
    page.locator("#faults summary").click()
    expect(page.get_by_text(cause)).to_have_attribute("lang", "en")
    both = {"display": cause, "speaker": "no sound comes out"}
    server.emit_with("fault", {"part": "speaker", "cause": both["speaker"]}, faults=both)
    expect(page.locator("#faults li")).to_have_count(2)
    expect(page.get_by_text(cause)).to_be_visible()
    server.emit_with("recovered", {"part": "display"}, faults={})
    expect(page.locator("#faults")).to_be_hidden()

    server.emit("deal.cancelled", block=None, **WITHOUT_BANK)
    expect(page.locator("#bank")).to_be_hidden()
    for hidden in ("#block", "#chart", "#rules"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("#apple")).to_be_visible()
    expect(page.locator("#title")).to_have_text("The table")
    server.emit("deal.cancelled", block=SNAPSHOT["block"], apple=None)
    expect(page.locator("#block")).to_be_visible()
    expect(page.locator("#apple")).to_be_hidden()
    expect(page.locator("#title")).to_have_text(str(SNAPSHOT["title"]))


def test_an_accessory_without_a_panel_gets_a_generic_one(
    open_page: OpenPage, server: ServedPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    bell = {
        "name": "bell", "title": "Dinner bell", "absent": {"bell": None}, "parts": ["bell", "bell's button"],
        "requests": {"ring": [{"name": "times", "words": "a whole number", "optional": False},
                              {"name": "tune", "words": "a text", "optional": True}]},
        "files": [], "kinds": {},
    }  # fmt: skip

    installed = panels.described_accessories()
    monkeypatch.setattr(table_page, "described_accessories", lambda **_: [*installed, bell])
    page = open_page()
    panel = page.get_by_role("region", name="Dinner bell")
    expect(panel).to_be_hidden()
    faults = {"bell's button": HOSTILE, "display": "it does not answer"}
    server.emit("deal.cancelled", bell={"rung": 3, "last": {"at_table": True, "tune": HOSTILE}}, faults=faults)
    expect(panel.locator("dt")).to_have_text(["rung", "last at table", "last tune"])
    expect(panel.locator("dd")).to_have_text(["3", "yes", HOSTILE])
    expect(panel.locator("li")).to_have_text([f"bell's button: {HOSTILE}"])
    sign_in(page)
    page.get_by_label("times").fill("3")
    with page.expect_request("**/api/host/do") as request:
        page.get_by_role("button", name="ring").click()
    assert request.value.post_data_json == {"do": "ring", "times": 3}
    expect(page.locator("#host-problem")).to_be_visible()  # this table has no bell
    assert barriers(page) == []


def test_a_table_with_only_dice_shows_them_first_on_phone_and_tv(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page()
    panel = page.get_by_role("region", name="Speed die")
    server.emit("deal.cancelled", block=None, apple=None, **WITHOUT_BANK)
    means = panel.locator("dd").nth(2)
    rolls = [("6 2 1", None, "–"), ("6 2 bus", None, "move"), ("5 5 mr_monopoly", "double", "double; move")]
    rolls += [("1 1 1", "triple", "triple"), ("4 4 bus", "jail", "go to jail")]
    rolls += [("4 4 bus", "rent", "roll for a utility's rent: 8$")] + [("2 1", None, "–")] * 8
    for dice, meaning, words in rolls:
        die = {"mode": "speed", "dice": dice, "means": meaning, "doubles": 0}
        server.emit_with("die.rolled", {"white": [6, 2], "red": None}, die=die)
        expect(means).to_have_text(re.compile(f"^{words}"))
    top = "element => element.getBoundingClientRect().top"
    assert panel.evaluate(top) < page.locator("#log").evaluate(top)
    expect(page.locator("#events .said").nth(12)).to_be_attached()
    assert page.locator("#events").evaluate(CUT_OFF) == 0
    page = open_page("/?view=tv", viewport={"width": 1920, "height": 1080}, is_mobile=False, has_touch=False)
    for shown in (page.get_by_role("region", name="Speed die"), page.locator("#events li").nth(5)):
        expect(shown).to_be_in_viewport(ratio=1)


def test_the_host_signs_in_and_out(page: Page, server: ServedPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit.Limits, "pause_s", lambda _, wrong: 99.0 * (wrong >= rate_limit.GUESSES.free))
    submit = page.locator("#pin-dialog [type=submit]")
    page.locator("#host").click()
    expect(page.locator("#pin")).to_have_accessible_description(re.compile("PIN"))
    page.locator("#pin-dialog [data-close]").click()
    expect(page.locator("#pin-dialog")).to_be_hidden()
    for _ in range(4):
        sign_in(page, "0000")
        expect(page.locator("#pin-problem")).to_be_visible()
        expect(submit).to_be_enabled()
    expect(page.locator("#pin-problem")).to_contain_text(re.compile(r"\d\d s"))
    expect(page.locator("#host-sheet")).to_be_hidden()
    monkeypatch.setattr(rate_limit.Limits, "pause_s", lambda _, wrong: 0.0)
    sign_in(page)
    expect(page.locator("#host-sheet")).to_be_visible()
    page.reload()
    expect(page.locator("#host-sheet")).to_be_visible()
    page.context.clear_cookies()
    page.get_by_role("switch").click()
    expect(page.locator("#pin-problem")).to_be_visible()
    expect(page.locator("#host-sheet")).to_be_hidden()
    sign_in(page)
    expect(page.locator("#host-problem")).to_be_hidden()
    page.get_by_role("button", name="Stop hosting").click()
    expect(page.locator("#host-sheet")).to_be_hidden()
    assert server.table.requests == []


def test_the_host_corrects_the_game(page: Page, server: ServedPage) -> None:
    sign_in(page)
    server.emit("deal.started", deal={"running": True})
    sheet, deal = (page.locator(selector) for selector in ("#host-sheet", "#deal"))
    expect(sheet).to_be_visible()
    expect(deal).to_be_visible()
    assert sheet.evaluate("sheet => sheet.getBoundingClientRect().top") >= deal.evaluate(
        "deal => deal.getBoundingClientRect().bottom"
    )
    server.emit("deal.ended", deal={"running": False})
    name = page.get_by_label("Name of card 1")
    refuse(server, BankWhy.DISK)
    name.fill("Bank")
    name.press("Tab")
    expect(page.locator("#host-problem")).to_be_visible()
    expect(name).to_have_value("Anna")
    page.get_by_role("switch").click()
    expect(page.get_by_role("switch")).not_to_be_checked()
    page.get_by_label("Volume").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("Volume")).to_have_value("3")
    refuse(server, None)
    server.table.requests.clear()
    name.fill("Ada")
    name.press("Enter")
    wait_for_request(server, "name", card=1, name="Ada")
    expect(page.locator("#host-problem")).to_be_hidden()
    page.get_by_role("switch").click()
    wait_for_request(server, "quiet", on=True)
    page.get_by_label("Volume").focus()
    page.keyboard.press("ArrowLeft")
    wait_for_request(server, "volume", level=2)

    page.locator("#new-game").click()
    page.locator("#new-game-dialog [data-close]").click()
    page.locator("#new-game").click()
    page.locator("#editions").select_option("Nintendo")
    expect(page.get_by_label("The same players again: Anna, card 2")).to_be_checked()  # a card has a phone
    server.emit_with("game.started", {"game": 4, "edition": "world"}, game=4)
    expect(page.locator("#game")).to_have_text("Game 4")
    page.locator("#new-game-dialog [type=submit]").click()
    wait_for_request(server, "new_game", game=3, edition="nintendo", same_players=True)
    expect(page.locator("#new-game-dialog")).to_be_hidden()
    page.locator("#new-game").click()
    page.get_by_label("The same players again").uncheck()
    page.locator("#new-game-dialog [type=submit]").click()
    wait_for_request(server, "new_game", game=4, edition="world")


def test_the_host_undoes_any_payment(page: Page, server: ServedPage) -> None:
    three = {**SNAPSHOT["cards"][1], "number": 3}
    each = {**TRANSFER, "to": 1, "amount": 50_000, "reason": "each_received", "at": 2.0, "act": 11}
    act = [{**each, "id": 12, "from": 3}, {**each, "id": 11, "from": 2}]
    start = {**SNAPSHOT["transfers"][0], "id": 1, "from": 0, "amount": 15_000_000, "reason": "start"}
    transfers = [*act, *SNAPSHOT["transfers"], start]
    server.table.history["transfers"] = transfers[::-1]
    cards = [*SNAPSHOT["cards"], three]
    for one in act[::-1]:
        server.emit_with("transfer", {key: one[key] for key in TRANSFER}, cards=cards, transfers=transfers)
    rows = page.locator("#events .entry")
    expect(rows).to_have_count(4)
    expect(rows.get_by_role("button")).to_have_count(0)
    sign_in(page)
    buttons = rows.get_by_role("button")
    expect(buttons).to_have_count(3)  # nothing undoes the starting money
    dialog, undo = page.locator("#undo-dialog"), page.locator("#undo-dialog [type=submit]")
    buttons.nth(2).click()
    expect(dialog.locator("li")).to_have_text(["1.5M from card 2 to Anna"])
    assert barriers(page, "#undo-dialog") == []
    picture(page, "table-page-undo")
    undo.click()
    wait_for_request(server, "undo", transfer=9)
    expect(dialog).to_be_hidden()

    page.get_by_role("button", name="Take back 50K from card 3 to Anna").click()
    expect(dialog.locator("li")).to_have_text(["50K from card 2 to Anna", "50K from card 3 to Anna"])
    refuse(server, BankWhy.NO_FUNDS)
    undo.click()
    expect(dialog.get_by_role("alert")).to_contain_text("not have enough money")
    refuse(server, None)
    server.table.requests.clear()
    undo.dblclick()
    expect(dialog).to_be_hidden()
    assert [(name, sent["transfer"]) for name, sent in server.table.requests] == [("undo", 11)]
    undone = {**SNAPSHOT["transfers"][0], "id": 13, "from": 1, "to": 2, "reason": "undo", "undoes": 9}
    server.emit_with("transfer", {key: undone[key] for key in TRANSFER}, transfers=[undone, *transfers])
    expect(buttons).to_have_count(2)  # neither the undone payment nor its opposite has one


def test_the_host_undoes_a_payment_that_the_page_no_longer_has(page: Page, server: ServedPage) -> None:
    rows = [{**SNAPSHOT["transfers"][0], "id": number} for number in range(200, 0, -1)]
    server.table.history["transfers"] = rows[::-1]
    server.emit("deal.cancelled", transfers=rows[:20])
    sign_in(page)
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#events .entry")).to_have_count(200)
    page.locator("#events .entry").last.get_by_role("button").click()
    page.locator("#undo-dialog [type=submit]").click()
    wait_for_request(server, "undo", transfer=1)


def test_the_host_takes_a_card_out_and_lets_it_return(page: Page, server: ServedPage) -> None:
    three = {"number": 3, "balance": 15_000_000, "shown": "15M", "name": "", **JOINED}
    server.emit("deal.cancelled", cards=[*SNAPSHOT["cards"], three])
    where = page.locator("#cards .where")
    expect(where).to_have_text(["receives (+)", "", "not playing yet"])
    expect(page.locator("#balances")).to_have_attribute("alt", re.compile("Anna 16.5M, card 2 13.5M$"))
    sign_in(page)
    page.get_by_role("button", name="Change card 3").click()
    dialog = page.locator("#player-dialog")
    expect(dialog).to_contain_text("15M, not playing yet")
    expect(dialog.get_by_role("button", name="Return")).to_be_hidden()
    assert barriers(page, "#player-dialog") == []
    picture(page, "table-page-player")
    dialog.get_by_role("button", name="Leave the game").click()
    wait_for_request(server, "leave", game=3, card=3)
    expect(dialog).to_be_hidden()
    server.emit("deal.cancelled", cards=[*SNAPSHOT["cards"], {**three, "balance": 0, "shown": "0", **LEFT}])
    expect(where.last).to_have_text("left the game")

    page.get_by_role("button", name="Change card 3").click()
    expect(dialog.get_by_role("button", name="Leave the game")).to_be_hidden()
    dialog.get_by_role("button", name="Return").click()
    wait_for_request(server, "come_back", game=3, card=3)
    expect(dialog).to_be_hidden()
    page.get_by_role("button", name="Change Anna").click()
    refuse(server, BankWhy.CARDS_IN)
    dialog.get_by_role("button", name="Card lost").click()
    expect(dialog.get_by_role("alert")).to_contain_text("cards out")
    refuse(server, None)
    server.table.requests.clear()
    dialog.get_by_role("button", name="Card lost").click()
    wait_for_request(server, "replace", game=3, card=1)
    expect(dialog.get_by_role("status")).to_contain_text("press GO")
    dialog.get_by_role("button", name="Free the number").click()
    wait_for_request(server, "free", game=3, card=1)


def test_everyone_pays_a_player_once(page: Page, server: ServedPage) -> None:
    three = {"number": 3, "balance": 0, "shown": "0", "name": "", **LEFT}
    pot = {"balance": 0, "shown": "0"}
    server.emit("deal.cancelled", cards=[*SNAPSHOT["cards"], three], pot=pot)
    sign_in(page)
    page.get_by_role("button", name="Everyone pays").click()
    dialog, amount = page.locator("#everyone-dialog"), page.locator("#everyone-amount")
    page.locator("#everyone-what").select_option("Everyone pays Anna")
    expect(dialog).to_contain_text("Each pays it: card 2.")
    amount.fill("50")
    amount.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("50")
    assert server.table.requests == []
    assert barriers(page, "#everyone-dialog") == []
    picture(page, "table-page-everyone")

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    page.clock.install()
    page.route("**/api/host/do", lose_the_answer, times=3)
    amount.fill("50k")
    with page.expect_event("requestfailed"):
        amount.press("Enter")
    for retry_ms in (1000, 3000):
        with page.expect_event("requestfailed"):
            page.clock.run_for(retry_ms)
    expect(dialog.get_by_role("alert")).to_contain_text("No answer")
    dialog.get_by_role("button", name="Pay").click()
    expect(dialog).to_be_hidden()
    assert len(server.table.requests) == 4
    assert len({sent["payment"] for _, sent in server.table.requests}) == 1
    first = {**server.table.requests[0][1], "payment": ""}
    assert [first[key] for key in ("card", "amount", "receives")] == [1, "50k", True]
    server.table.requests.clear()

    page.get_by_role("button", name="Everyone pays").click()
    page.locator("#everyone-what").select_option("The bank pays into the Free Parking pot")
    amount.fill("1M")
    dialog.get_by_role("button", name="Pay").click()
    expect(dialog).to_be_hidden()
    ((request, sent),) = server.table.requests
    assert (request, sent["amount"]) == ("fill_pot", "1M")


def test_a_player_asks_on_a_phone_and_the_host_confirms(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page()
    news, problem, bank = (
        page.locator("#pay-news"),
        page.locator("#pay-problem"),
        page.get_by_role("button", name="The bank"),
    )
    page.get_by_role("button", name="I am Anna").click()
    expect(bank).to_be_visible()
    [(request, joining)] = server.table.requests
    assert (request, joining["card"]) == ("join", 1)
    server.table.requests.clear()
    page.reload()
    expect(bank).to_be_visible()  # the phone remembers its card
    server.table.answer = {"state": "asked", "by": 1, "take_back_s": 0}

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    page.get_by_role("button", name="Card 2: pay or get").click()
    field = page.get_by_role("textbox", name="Amount")
    field.fill("1.5")
    field.press("Enter")
    expect(problem).to_contain_text("1.5M")
    assert server.table.requests == []
    assert barriers(page) == []
    page.route("**/api/ask", lose_the_answer, times=1)
    field.fill("1,5 m")
    expect(problem).to_be_hidden()
    field.press("Enter")
    expect(field).to_be_hidden()
    first, again = (sent for _, sent in server.table.requests)
    assert first == again
    assert [first[key] for key in ("from", "to", "amount")] == [1, 2, "1,5 m"]
    server.table.requests.clear()

    asked = {
        "payment": first["payment"],
        "game": 3,
        "from": 1,
        "to": 2,
        "amount": 1_500_000,
        "reason": "players",
        "by": 1,
    }
    other = {**asked, "payment": "another one", "from": 2, "to": 0, "reason": "paid", "by": 2}
    waiting = [{**payment, "shown": "1.5M"} for payment in (asked, other)]
    watch(page, "#payments", "button", "found.disabled")
    server.emit_with("payment.asked", asked, payments=waiting)
    expect(news).to_contain_text("1.5M from Anna to card 2: waiting for GO")
    sign_in(page)
    confirm = page.locator("#payments button").first
    expect(confirm).to_be_enabled()
    assert page.evaluate("window.seen"), "at first it is disabled: a finger may be on its way"
    assert barriers(page) == []
    confirm.click()
    wait_for_request(server, "confirm_payment", payment=first["payment"])
    ended = {**asked, "why": "no funds", "take_back_s": 0}
    server.emit_with("payment.ended", ended, payments=waiting[1:])
    for place in (news, page.locator("#payments-problem")):
        expect(place).to_contain_text("does not have enough money")
    page.locator("#payments button").last.click()
    expect(page.locator("#payments-problem")).to_be_hidden()
    wait_for_request(server, "reject_payment", payment="another one")

    refuse(server, BankWhy.ASKED_ALREADY)
    salary = page.locator("#pay-salary")
    salary.click()
    expect(problem).to_contain_text("waiting")
    expect(news).to_be_hidden()
    assert server.table.requests.pop()[1]["amount"] == "2M"

    # a payment without an answer ends while the connection is lost
    page.clock.install()
    page.route("**/api/ask", lose_the_answer, times=6)
    server.table.rejection = None
    for _ in range(2):
        with page.expect_event("requestfailed"):
            salary.click()
        for retry_ms in (1000, 3000):
            with page.expect_event("requestfailed"):
                page.clock.run_for(retry_ms)
        expect(problem).to_contain_text("No answer")
    assert len(server.table.requests) == 6
    [unanswered] = {str(sent["payment"]) for _, sent in server.table.requests}
    server.switch(on=False)
    expect(page.locator("body")).to_have_attribute("data-connection", "away")
    expect(problem).to_contain_text("No answer")
    server.emit_with("payment.ended", {**ended, "payment": unanswered, "why": "rejected"}, payments=[])
    server.switch(on=True)
    expect(problem).to_be_hidden()
    expect(news).to_contain_text("Not done")
    server.emit_with("game.ended", ENDED, ended=ENDED)
    expect(bank).to_be_hidden()
    expect(news).to_be_hidden()


def test_a_payment_that_was_taken_back_does_not_look_paid(page: Page, server: ServedPage) -> None:
    news, problem, salary = (page.locator(f"#pay-{part}") for part in ("news", "problem", "salary"))
    page.get_by_role("button", name="I am Anna").click()
    expect(salary).to_be_visible()
    server.table.requests.clear()
    server.table.answer = {"state": "booked", "by": 1, "take_back_s": 10}

    # no answer, and it was booked and taken back while the connection was lost
    page.clock.install()
    page.route("**/api/ask", lambda route: route.abort(), times=3)
    with page.expect_event("requestfailed"):
        salary.click()
    for retry_ms in (1000, 3000):
        with page.expect_event("requestfailed") as failed:
            page.clock.run_for(retry_ms)
    expect(problem).to_contain_text("No answer")
    sent: Any = failed.value.post_data_json
    server.switch(on=False)
    expect(page.locator("body")).to_have_attribute("data-connection", "away")
    paid = {
        "payment": sent["payment"],
        "game": 3,
        "from": 0,
        "to": 1,
        "amount": 2_000_000,
        "reason": "received",
        "by": 1,
    }
    for why, take_back_s in (("booked", 10), ("taken back", 0)):
        server.emit_with("payment.ended", {**paid, "why": why, "take_back_s": take_back_s}, payments=[])
    server.switch(on=True)
    expect(news).to_have_text("Taken back: 2M from the bank to Anna.")

    # no event tells, because the table has restarted: its answer does
    server.table.answer = {"state": "taken back", "by": 0, "take_back_s": 0}
    page.get_by_role("button", name="The bank").click()
    page.get_by_role("textbox", name="Amount").fill("1.5M")
    page.keyboard.press("Enter")
    expect(news).to_contain_text("Taken back: 1.5M from Anna to the bank.")


def test_the_host_blocks_a_phone_and_allows_it_again(open_page: OpenPage, server: ServedPage) -> None:
    stranger, page = (open_page(extra_http_headers={"X-Forwarded-For": f"192.168.1.{n}"}) for n in (66, 2))
    server.table.answer = {"state": "asked"}
    salary, problem = stranger.locator("#pay-salary"), stranger.locator("#pay-problem")
    stranger.get_by_role("button", name="I am Anna").click()
    expect(salary).to_be_visible()
    server.table.requests.clear()
    with stranger.expect_response("**/api/ask"):
        salary.click()
    [(_, sent)] = server.table.requests
    assert sent["by"] == "a phone"
    asked = {"payment": sent["payment"], "game": 3, "from": 0, "to": 1, "amount": 2_000_000, "reason": "received"}
    server.table.requests.clear()
    server.emit_with("payment.asked", asked, payments=[{**asked, "shown": "2M"}])
    expect(page.locator("#payments li")).to_have_count(1)
    sign_in(page)
    expect(page.locator("#payments button")).to_have_count(3)
    picture(page, "table-page-block")
    assert barriers(page) == []
    block = page.get_by_role("button", name="Block the phone 192.168.1.66")
    block.click()
    question = page.locator("#question-dialog")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    picture(page, "table-page-block-question")
    page.keyboard.press("Enter")
    expect(question).to_be_hidden()
    assert server.table.requests == []
    block.click()
    question.get_by_role("button", name="Block").click()
    expect(page.locator("#blocked")).to_contain_text("192.168.1.66")
    wait_for_request(server, "reject_payment", payment=sent["payment"])
    server.emit_with("payment.ended", {**asked, "why": "rejected"}, payments=[])
    expect(page.locator("#payments-box")).to_be_hidden()
    picture(page, "table-page-blocked")
    assert barriers(page) == []
    page.reload()
    expect(page.locator("#blocked")).to_contain_text("192.168.1.66")

    salary.click()
    expect(problem).to_have_text("The host takes no requests from this phone.")
    assert server.table.requests == []
    page.get_by_role("button", name="Allow again").click()
    expect(page.locator("#blocked-box")).to_be_hidden()
    with stranger.expect_response("**/api/ask"):
        salary.click()
    expect(problem).to_be_hidden()
    assert [name for name, _ in server.table.requests] == ["ask_payment"]


def test_the_host_downloads_a_backup_and_shuts_down_after_a_second_question(page: Page, server: ServedPage) -> None:
    power = server.power
    assert isinstance(power, FakePower)
    expect(page.locator("#power")).to_be_hidden()
    sign_in(page)
    server.table.backup = b"all games"
    with page.expect_download() as saved:
        page.locator("#backup").click()
    assert saved.value.path().read_bytes() == server.table.backup
    server.table.backup = ReboardError("the ledger is damaged")
    page.locator("#backup").click()
    expect(page.locator("#host-problem")).to_have_text("The ledger is damaged")
    page.get_by_role("button", name="Shut down …").click()
    expect(page.locator("#question-dialog [data-close]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#question-dialog")).to_be_hidden()
    page.get_by_role("button", name="Restart …").click()
    power.why_not = "a package is being installed"
    page.locator("#question-yes").click()
    expect(page.locator("#question-problem")).to_have_text("A package is being installed")
    assert barriers(page) == []
    assert power.done == []
    power.why_not = ""
    page.locator("#question-yes").click()
    expect(page.locator("#power-state")).not_to_be_empty()
    expect(page.locator("#power")).to_be_hidden()
    assert power.done == ["restart"]


AMOUNTS = {
    "0": 0, "1500": 1500, "260K": 260_000, "1.5M": 1_500_000, "12,75m": 12_750_000, "0.1K": 100, "€200": 200, " 7 ": 7,
    "1.000": None, "2,000": None, "1.500M": 1_500_000, "1,500M": None,
    "12,75 m": 12_750_000, "1.2345K": None, "-5": None, "": None, "1e9": None, "M": None,
    "9" * 20: None,
}  # fmt: skip


def test_the_host_sees_what_the_readers_send(page: Page, server: ServedPage) -> None:
    counts = {"bytes": 214, "frames": 15, "dropped": 3}
    server.table.readers = {
        "bank.left": {"part": "left slot", **counts, "tag": "62E3086CED", "tag_s": 4.4, "advice": ""},
        "bank.right": {"part": "right slot", **counts, "tag": None, "tag_s": None, "advice": "Check the wires."},
    }
    expect(page.locator("#readers")).to_be_hidden()
    sign_in(page)
    page.locator("#readers summary").click()
    lines = page.locator("#readers li")
    expect(lines).to_have_text(
        [
            "left slot: 214 bytes, 15 frames, 3 dropped; last card 62E3086CED, 4 s ago",
            "right slot: 214 bytes, 15 frames, 3 dropped; no card yetCheck the wires.",
        ]
    )
    advice = (
        "The last 3 cards came 31 times each. If they lay there longer, the reader stops repeating a card. Then add "
        '`sends = "once"` to the slot in the config.'
    )
    server.table.readers["bank.right"] = {"part": "right slot", **counts, "tag": "AB12", "tag_s": 0, "advice": advice}
    page.locator("#language").select_option("de")
    expect(lines.nth(1)).to_contain_text("letzte Karte AB12, vor 0 s")
    expect(lines.nth(1).locator("p")).to_have_text(
        "Die letzten 3 Karten kamen je 31-mal. Wenn sie länger dalagen, hört der Leser auf, eine Karte zu wiederholen. "
        'Dann ergänze `sends = "once"` beim Schlitz in der Konfiguration.'
    )


def test_the_host_ends_the_game(page: Page, server: ServedPage) -> None:
    sign_in(page)
    page.locator("#end-game").click()
    worths = page.locator("#worths input")
    submit = page.locator("#end-game-dialog [type=submit]")
    worths.nth(0).fill("much")
    submit.click()
    expect(page.locator("#worths-problem")).to_contain_text("much")
    worths.nth(0).fill("12")
    submit.click()
    expect(page.locator("#worths-problem")).to_contain_text("“12” is not an amount: add K or M")
    worths.nth(0).fill("1,5m")
    refuse(server, AmountWhy.TOO_FINE)
    submit.click()
    expect(page.locator("#worths-problem")).to_contain_text("smallest amount")
    expect(worths.nth(0)).to_have_value("1,5m")
    refuse(server, None)
    server.table.requests.clear()
    submit.dblclick()
    expect(page.locator("#end-game-dialog")).to_be_hidden()
    assert [(name, sent["worths"]) for name, sent in server.table.requests] == [("end_game", {"1": 1_500_000})]
    parse = """async ([texts, units]) => {
        const { parseAmount } = bundled.load("/static/panels/bank/accounts.js");
        return texts.map((text) => parseAmount(text, units));
    }"""
    assert dict(zip(AMOUNTS, page.evaluate(parse, [list(AMOUNTS), True]), strict=True)) == AMOUNTS
    without_units = ["1500", "1.500", "1,500", "1\u202f500 €", "€ 1500", "15 00", "1.50", "1.5M", "260K"]
    assert page.evaluate(parse, [without_units, False]) == [1500] * 5 + [None] * 4
    page.locator("#language").select_option("de")
    expect(page.locator("#bank-title")).to_have_text("Spieler")
    assert page.evaluate(parse, [["1,500M", "1.5M", "1.500M"], True]) == [1_500_000, 1_500_000, None]


def test_charts_follow_the_game_and_are_requested_again_after_a_failure(
    open_page: OpenPage, server: ServedPage
) -> None:
    failed: list[Route] = []

    def abort(route: Route) -> None:
        failed.append(route)
        route.abort()

    def fail(page: Page) -> None:
        page.clock.install()
        page.route("**/api/chart/**", abort, times=2)

    page = open_page(prepare=fail)
    while len(failed) < 2:
        page.clock.run_for(100)
    page.clock.run_for(10_000)
    for chart in ("#balances", "#odds"):
        expect(page.locator(chart)).to_have_js_property("naturalWidth", 360)
    with page.expect_response("**/api/chart/balances.svg*lang=de*"):
        page.locator("#language").select_option("de")
        page.clock.run_for(2000)
    nothing = {"coins": [0] * 6, "laugh": 0, "power_up": 0, "game_over": 0}
    server.emit("deal.cancelled", block={**SNAPSHOT["block"], "tally": nothing}, transfers=[])
    expect(page.locator("#events .entry")).to_have_count(0)
    page.clock.run_for(2000)
    for chart in ("#balances", "#odds"):
        expect(page.locator(chart)).to_be_hidden()


def test_the_rules_of_every_edition_are_shown_in_its_money(page: Page, server: ServedPage) -> None:
    for name in edition_names():
        edition = load_edition(name)
        server.emit("deal.cancelled", rules=edition.rules(), units=edition.money.units, edition=name)
        expect(page.locator("#facts")).to_contain_text(f"{edition.currency}{edition.money.shown(edition.start)}Salary")
        expect(page.locator("#facts")).not_to_contain_text("null")
        expect(page.locator("#notes li")).to_have_text(list(edition.notes["en"]))
        expect(page.locator("#without-block")).to_be_visible(visible="block" in edition.outcomes)
    server.emit("deal.cancelled", rules=load_edition("super-mario").rules())
    expect(page.locator("#die th")).to_have_text(["1, 2", "3, 4", "5", "6"])
    expect(page.locator("#die td").nth(3)).to_contain_text("10")


def test_the_page_has_two_languages(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page(locale="de-AT")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#outcome")).to_have_text("3 Münzen")
    sign_in(page)
    refuse(server, BankWhy.NO_FUNDS)
    page.get_by_role("button", name="1,5M von Karte 2 an Anna zurücknehmen").click()
    page.locator("#undo-dialog [type=submit]").click()
    expect(page.locator("#undo-dialog").get_by_role("alert")).to_contain_text("Zu wenig Geld")
    page.locator("#undo-dialog [data-close]").click()
    page.set_viewport_size({"width": 320, "height": 300})
    name = page.get_by_label("Name von Karte 2")
    refuse(server, BankWhy.NAME_TAKEN)
    name.fill("Anna")
    name.press("Enter")
    expect(page.locator("#host-problem")).to_contain_text("schon")
    expect(page.locator("#host-problem")).to_be_in_viewport()
    server.table.rejection = RequestError("this table has no banker unit")
    name.fill("Ben")
    name.press("Enter")
    expect(page.locator("#host-problem")).to_have_text(re.compile("geklappt.*no banker unit"))
    page.locator("#new-game").click()
    expect(page.locator("#editions")).to_contain_text("Nintendo, kurzes Spiel")
    page.locator("#new-game-dialog [data-close]").click()
    die = {"mode": "speed", "dice": "4 4 bus", "means": "double", "doubles": 1}
    server.emit("deal.cancelled", die=die, faults={"die's button": "it is stuck"})
    panel = page.get_by_role("region", name="Tempo-Würfel")
    expect(panel.locator("dt").first).to_have_text("Modus")
    expect(panel.locator("dd")).to_have_text(
        ["zwei Würfel und der Tempo-Würfel", "4 + 4 + Bus", re.compile("Pasch; .*ziehen"), "1"]
    )
    expect(panel.locator("li")).to_have_text("Knopf des Tempo-Würfels: it is stuck")
    page.locator("#language").select_option("English")
    expect(page.locator("#outcome")).to_have_text("3 coins")
    expect(page.get_by_role("region", name="Speed die")).to_contain_text("Doubles in a row")
    page.reload()
    expect(page.locator("#bank-title")).to_have_text("Players")
    expect(open_page("/?lang=de", locale="fi-FI").locator("#bank-title")).to_have_text("Spieler")
    expect(open_page(locale="fi-FI").locator("#bank-title")).to_have_text("Players")


def test_a_french_page_writes_as_france_does(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page("/?lang=fr")
    server.emit_with("refused", {"why": "no funds"}, rules=load_edition("classic-de").rules())
    row = page.locator("#events li").first
    expect(row).to_contain_text("Refusé")
    assert str(row.text_content()).endswith("Refusé\xa0: pas assez d’argent"), "no space after it"
    expect(page.locator("#facts")).to_contain_text("1500 €")
    labels = page.locator("#undo-dialog button").all_text_contents()
    assert len({*labels}) == len(labels), "two buttons that do the opposite have the same label"


ANY_FIELDS: dict[str, object] = {
    "slot": "left", "number": 1, "from": 0, "to": 1, "amount": 5, "reason": "salary", "why": "no funds", "game": 1,
    "seconds": 13, "level": 0.5, "lines": ["+1 15M", ""], "on": True, "part": "display", "cause": "it is unplugged",
    "name": "coin", "outcome": "laugh", "coins": 0, "do": "undo", "by": "the page", "args": {"transfer": 12},
    "ranking": [{"place": 1, "number": 1, "name": "Anna"}], "minutes": 5, "device": "block.lamp",
    "white": [1, 2], "red": "bus", "glyphs": [], "colours": [], "colour": "#ff8000", "degrees": 90, "hz": 440,
    "total": 8, "pay": "free", "cards": {"1": "1f83d9ab"}, "words": "Card 1 has 1500.",
}  # fmt: skip


def test_every_event_has_a_sentence(page: Page) -> None:
    found = page.evaluate(
        r"""([names, fields]) => {
            const { isPassing, sentence } = bundled.load("/static/words.js");
            const said = names.map((event) => [event, sentence({ ...fields, event }, { units: true })]);
            return {
                silent: said.filter(([name, words]) => words === name || /undefined|\{\w+\}/.test(words)),
                passing: names.filter((event) => isPassing({ event })),
            };
        }""",
        [list(all_events()), ANY_FIELDS],
    )
    assert found["silent"] == []
    assert set(found["passing"]) == {name for name, kind in all_events().items() if kind.is_passing}


def sleep_or_wake(page: Page, state: str) -> None:
    page.evaluate(
        """state => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => state === "hidden" });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_a_page_reconnects_by_itself(open_page: OpenPage, server: ServedPage) -> None:
    def lose_a_script(page: Page) -> None:
        page.route("**/panel-apple.js", lambda route: route.abort(), times=2)

    page = open_page(prepare=lose_a_script)
    expect(page.locator("#apple-art svg")).to_have_count(2)
    connection = page.locator("body")
    server.emit_with("lamp", {"device": "block.lamp", "on": True})
    expect(page.locator("#block-art")).to_have_class(re.compile("glowing"))
    server.switch(on=False)
    expect(connection).to_have_attribute("data-connection", "away")
    expect(page.locator("#block-art")).not_to_have_class(re.compile("glowing"))
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    server.switch(on=True)
    expect(connection).to_have_attribute("data-connection", "live")

    page.route("**/api/events?*", lambda route: route.fulfill(status=503))
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(connection).to_have_attribute("data-connection", "lost")
    page.unroute("**/api/events?*")
    expect(connection).to_have_attribute("data-connection", "live")

    with page.expect_event("requestfailed"):  # a sleeping phone closes its stream
        sleep_or_wake(page, "hidden")
    server.emit("deal.cancelled", cards=[{"number": 1, "balance": 1, "shown": "1K", "name": "", **PLAYS}])
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    page.route("**/api/events?*", lambda route: None)
    sleep_or_wake(page, "visible")
    expect(connection).to_have_attribute("data-connection", "connecting")
    page.unroute_all(behavior="ignoreErrors")
    sleep_or_wake(page, "visible")
    expect(page.locator("#cards .balance")).to_have_text(["1K"])

    page.clock.install()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(connection).to_have_attribute("data-connection", "live")
    with page.expect_request("**/api/events?*"):  # a dead connection is silent
        page.clock.fast_forward("00:41")
    expect(connection).to_have_attribute("data-connection", "live")


def test_an_old_balance_is_not_shown_as_the_present_one(page: Page, server: ServedPage) -> None:
    page.get_by_role("button", name="I am Anna").click()
    connection, where = page.locator("body"), page.locator("#own .where")
    server.switch(on=False)
    expect(where).to_contain_text("no connection")
    server.switch(on=True)
    expect(where).not_to_contain_text("no connection")

    # a phone that leaves the Wi-Fi gets neither an answer nor an error
    page.clock.install()
    page.route("**/api/events?*", lambda route: None)
    page.evaluate("dispatchEvent(new Event('offline'))")
    expect(connection).to_have_attribute("data-connection", "connecting")
    page.clock.run_for(5000)
    expect(connection).to_have_attribute("data-connection", "lost")
    expect(where).to_contain_text("no connection")
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(where).not_to_contain_text("no connection")


def test_tabs_in_the_background_hold_no_stream(browser: Browser, server: ServedPage) -> None:
    context = browser.new_context(**PHONE)
    context.set_default_timeout(PATIENCE_S * 1000)
    context.add_init_script("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });")
    tabs = [context.new_page() for _ in range(7)]  # a browser opens six connections to one server
    for tab in tabs:
        tab.goto(f"http://{server.address}/")
        expect(tab.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
        tab.evaluate("dispatchEvent(new Event('online'))")
    assert server.streams.count == 0
    sleep_or_wake(tabs[0], "visible")
    expect(tabs[0].locator("body")).to_have_attribute("data-connection", "live")
    assert server.streams.count == 1
    context.close()


@pytest.mark.parametrize("older", [r"/bundle/\w+", r'"version":"\w+'])
def test_a_page_of_an_older_version_loads_itself_again(open_page: OpenPage, older: str) -> None:
    loads: list[str] = []

    def serve_older(route: Route) -> None:
        answer = route.fetch()
        loads.append(re.sub(older, lambda found: found[0] + "0", answer.text()) if not loads else answer.text())
        route.fulfill(response=answer, body=loads[-1])

    page = open_page(prepare=lambda page: page.route(re.compile("/$"), serve_older))
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    eventually(lambda: len(loads) == 2, "it is loaded twice", page)


def test_no_name_ends_the_state_in_the_page(page: Page, server: ServedPage) -> None:
    name = "</script><script src=x></script><!--"
    server.emit("deal.cancelled", cards=[{**SNAPSHOT["cards"][0], "name": name}])
    for _ in range(2):
        expect(page.locator("#cards")).to_contain_text(name)
        expect(page.locator("script[src=x]")).to_have_count(0)
        page.reload()


def test_a_visit_takes_few_requests(browser: Browser, server: ServedPage) -> None:
    server.emit("deal.cancelled", transfers=[], block=None)  # a chart is a request
    context = browser.new_context()
    first, second = (
        visit(context, f"http://{server.address}", PAGES["table page"], CONDITIONS["local"]) for _ in range(2)
    )
    assert len(first.requests) <= 12
    assert len(second.requests) <= 2
    context.close()


BROKEN = {
    "Syntax error": "export default {",
    "Unsupported": 'export * from "./words.js";',
    "Fails at once": "export default function () { throw new Error('at once'); }",
    "Fails later": "export default () => ({ table() { throw new Error('later'); } });",
}


def test_a_broken_panel_spoils_nothing_else(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_ins = {}
    for number, (title, text) in enumerate(BROKEN.items()):
        (folder := tmp_path / f"broken{number}" / "panel").mkdir(parents=True)
        (folder / "panel.js").write_text(text)
        (folder / "panel.html").write_text(f"<section data-place='side' aria-label='{title}'>")
        (folder / "panel.css").write_text("body { /* never closed")
        name = folder.parent.name
        plug_ins[name] = beside(folder.parent, Accessory, name=name, title=title, vocabulary=Vocabulary())
    monkeypatch.setattr(panels, "accessories", lambda: {**plug_ins, **accessories()})
    with ServedPage(tmp_path) as server:
        page = browser.new_page()
        page.goto(f"http://{server.address}")
        server.emit("deal.cancelled", **{name: {"rung": 3} for name in plug_ins})
        for title in BROKEN:
            panel_of = page.get_by_role("region", name=title)
            expect(panel_of).to_have_text("" if title == "Fails later" else f"{title}rung3")
        expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
        expect(page.locator("#apple-art svg").first).to_be_visible()
        page.close()


SIZES_OF_PICTURE = """async (url) => {
    const { width, height } = await createImageBitmap(await (await fetch(url)).blob());
    return `${width}x${height}`;
}"""
COUNT_LOCKS = """
    window.locks = [];
    navigator.wakeLock.request = async () => {
        const lock = { held: true, release: async () => { lock.held = false; } };
        locks.push(lock);
        return lock;
    };
"""


def test_a_browser_can_install_the_page_and_keep_the_screen_on(open_page: OpenPage) -> None:
    page = open_page(prepare=lambda page: page.add_init_script(COUNT_LOCKS))
    devtools = page.context.new_cdp_session(page)
    found = devtools.send("Page.getAppManifest")
    assert found["errors"] == []
    assert devtools.send("Page.getInstallabilityErrors") == {"installabilityErrors": []}
    for icon in found["manifest"]["icons"]:
        if icon["type"] == "image/png":
            assert page.evaluate(SIZES_OF_PICTURE, icon["url"]) == icon["sizes"]

    held = "locks.map((lock) => lock.held)"
    switch = page.locator("#screen-on")
    switch.check()
    sleep_or_wake(page, "hidden")
    sleep_or_wake(page, "visible")
    page.wait_for_function("() => locks.length === 2")
    assert page.evaluate(held) == [False, True]
    switch.uncheck()
    page.wait_for_function(f"() => !{held}.includes(true)")


@pytest.mark.parametrize(("size", "light"), [("phone", "dark"), ("laptop", "light")])
def test_every_state_is_accessible_and_in_order(open_page: OpenPage, server: ServedPage, size: str, light: str) -> None:
    page = open_page(**SIZES[size], color_scheme=light)
    sign_in(page)
    expect(page.locator("#host-sheet")).to_be_visible()
    everything(server)
    expect(page.locator("#places .winner")).to_have_count(1)
    for chart in page.locator(".chart").all():
        expect(chart).to_have_js_property("complete", value=True)
    picture(page, f"table-page-{size}-{light}")
    assert barriers(page) == []
    for viewport in (SIZES[size]["viewport"], SIZES["tablet"]["viewport"]):
        page.set_viewport_size(viewport)
        for selector in (".sheets .sheet", "#cards li, #display", ".rail > :not(.line)"):
            assert disorder(page, selector) == []
    for name in ("new-game", "end-game", "everyone"):
        page.locator(f"#{name}").click()
        expect(page.locator(f"#{name}-dialog")).to_be_visible()
        assert barriers(page, f"#{name}-dialog") == []
        page.locator(f"#{name}-dialog [data-close]").click()


def test_the_page_fits_a_small_phone_and_can_do_without_motion(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page(viewport={"width": 320, "height": 844})
    everything(server)
    expect(page.locator("#deal")).to_be_visible()
    assert page.locator("#deal").evaluate("deal => deal.getAnimations().length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="I am Anna").click()
    server.emit("deal.cancelled", cards=[{**SNAPSHOT["cards"][0], "name": "Annabell", "shown": "115.75M"}])
    expect(page.locator("#own .balance")).to_have_text("115.75M")
    for one in page.locator("#own :is(.name, .balance)").all():
        assert one.evaluate(LINES) == 1


@pytest.mark.parametrize("width", [375, 1920])
def test_nothing_moves_while_the_page_loads(open_page: OpenPage, width: int) -> None:
    def on_a_slow_phone(page: Page) -> None:
        page.add_init_script(SHIFTS)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})

    page = open_page(prepare=on_a_slow_phone, viewport={"width": width, "height": 667})
    expect(page.locator("#host")).to_be_visible()
    expect(page.locator("#balances")).to_have_js_property("complete", value=True)
    page.wait_for_timeout(500)
    assert shifted(page) == {}


def test_the_page_is_printed_by_day_and_whole(open_page: OpenPage, server: ServedPage) -> None:
    page = open_page(color_scheme="dark")
    for number in range(20):
        server.emit_with("card.inserted", {"slot": "left", "number": number})
    expect(page.locator("#events li")).not_to_have_count(1)
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator("#bank")).to_have_css("color", "rgb(56, 39, 26)")
    expect(page.get_by_role("button", name="Invite")).to_be_hidden()
    assert page.locator("#events").evaluate("list => list.scrollHeight <= list.clientHeight")


def test_the_buttons_at_the_top_stay_in_one_row(open_page: OpenPage) -> None:
    page = open_page()
    sign_in(page)
    for language, width in product(languages(), (320, 390, 600, 768, 1024)):
        if page.locator("html").get_attribute("lang") != language:
            page.locator("#language").select_option(language)
            expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator("#host-sheet")).to_be_visible()
        page.set_viewport_size({"width": width, "height": 844})
        middles = page.locator(".rail > :is(button, label)").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2)"
        )
        assert len(middles) == 3
        assert max(middles) - min(middles) <= 2, (language, width)
        assert disorder(page, ".rail > *") == [], (language, width)
