from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard.edition import edition_names, load_edition
from reboard.events import PASSING, VOCABULARY
from reboard.refusal import REFUSALS
from tests.reboard.page.fake_table import SNAPSHOT
from tests.reboard.page.running_page import RunningPage
from tests.reboard.page.table_in_a_thread import TableInAThread

pytestmark = pytest.mark.realtime

TRANSFER = {"id": 10, "game": 3, "from": 0, "to": 1, "amount": 1_500_000, "reason": "received", "undoes": None}
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b>"


def test_the_table_is_shown(page: Page) -> None:
    expect(page.locator("#title")).to_have_text(str(SNAPSHOT["title"]))
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    expect(page.locator("#cards .where")).to_have_text(["receives (+)", ""])
    expect(page.locator("#glass pre")).to_have_text(["+1 16.5M", "-2 13.5M"])
    expect(page.locator("#outcome")).to_have_text("3 coins")
    expect(page.locator("#worms")).to_have_text("at rest")
    expect(page.locator("#moves .parties")).to_have_text(["card 2→Anna"])
    expect(page.locator("#moves .amount")).to_have_text(["1.5M"])


def test_players_are_called_by_their_names_and_who_is_bankrupt_is_told(page: Page, table: TableInAThread) -> None:
    expect(page.locator("#cards .name")).to_have_text(["Anna", "card 2"])
    expect(page.locator("#cards")).not_to_contain_text("out of the game")
    cards = [{"number": 2, "balance": 0, "shown": "0", "name": "Ben", "retired": True}]
    table.tell("transfer", {**TRANSFER, "from": 2, "to": 0, "reason": "bankrupt"}, cards=cards)
    expect(page.locator("#cards .name")).to_have_text(["Ben"])
    expect(page.locator("#cards .where")).to_have_text(["out of the game"])
    expect(page.locator("#events li span").first).to_have_text("1.5M from Ben to the bank: bankrupt")


def test_what_happens_is_shown_as_it_happens(page: Page, table: TableInAThread) -> None:
    table.tell("apple.started", {"seconds": 13.0}, apple={"running": True, "wound": False})
    expect(page.locator("#worms")).to_have_text("the worms dance")
    expect(page.locator("#events li span").first).to_have_text("The worms dance for 13 s")
    cards = [{"number": 1, "balance": 18_000_000, "shown": "18M", "name": "Anna"}]
    watch(page, "#cards", ".change")
    table.tell("transfer", TRANSFER, cards=cards)
    expect(page.locator("#cards .balance")).to_have_text(["18M"])
    assert seen(page) == "+1.5M"
    expect(page.locator("#events li span").first).to_have_text("1.5M from the bank to Anna")


def test_the_free_parking_pot_is_shown_and_is_no_player(page: Page, table: TableInAThread) -> None:
    expect(page.locator("#pot")).to_be_hidden()
    paid = {**TRANSFER, "from": 1, "to": 9, "reason": "pot_paid"}
    table.tell("transfer", paid, pot={"balance": 350_000, "shown": "350K"}, transfers=[{**paid, "at": 1.0}])
    expect(page.locator("#pot")).to_contain_text("350K")
    expect(page.locator("#cards .balance")).to_have_count(2)
    expect(page.locator("#moves .parties")).to_have_text(["Anna→the pot"])
    page.select_option("#language", "de")
    expect(page.locator("#moves .parties")).to_have_text(["Anna→der Topf"])


def watch(page: Page, where: str, what: str) -> None:
    """Look out for something that is there only for a moment."""
    page.evaluate(
        """([where, what]) => {
            window.seen = new Promise((told) => new MutationObserver(() => {
                const found = document.querySelector(`${where} ${what}`);
                if (found) told(found.textContent);
            }).observe(document.querySelector(where), { childList: true, subtree: true }));
        }""",
        [where, what],
    )


def seen(page: Page) -> str:
    """What it said."""
    return str(page.evaluate("window.seen"))


def test_a_transfer_that_was_taken_back_is_struck_out(page: Page, table: TableInAThread) -> None:
    undone = {**SNAPSHOT["transfers"][0], "id": 10, "from": 1, "to": 2, "reason": "undo", "undoes": 9}
    table.tell("transfer", {**TRANSFER, "undoes": 9}, transfers=[undone, *SNAPSHOT["transfers"]])
    expect(page.locator("#moves li")).to_have_class(["", "undone"])
    expect(page.locator("#moves .why")).to_have_text(["taken back", "taken back"])


def test_the_deal_is_told_and_nothing_of_how_long_it_lasts(page: Page, table: TableInAThread) -> None:
    expect(page.locator("#deal")).to_be_hidden()
    table.tell("deal.started", {}, deal={"running": True})
    expect(page.locator("#deal")).to_have_text("Deal! Any bids?")
    assert page.locator("#deal [role=progressbar], #deal time").count() == 0
    table.tell("deal.ended", {}, deal={"running": False})
    expect(page.locator("#deal")).to_have_text("Sold!")
    expect(page.locator("#deal")).to_be_hidden(timeout=20_000)


def test_the_apples_turn_is_counted_down(page: Page, table: TableInAThread) -> None:
    turn = page.get_by_role("progressbar", name="Time left")
    expect(turn).to_be_hidden()
    table.tell("apple.started", {"seconds": 60.0}, apple=table.turning_since(10.0, seconds=60.0))
    expect(turn).to_have_attribute("aria-valuemax", "60")
    first = int(turn.get_attribute("aria-valuenow") or 0)
    assert 20 < first <= 50
    left = page.evaluate("new DOMMatrix(getComputedStyle(document.querySelector('#turn span')).transform).a")
    assert 0.3 < left < 0.84
    expect(turn).not_to_have_attribute("aria-valuenow", str(first))
    table.tell("apple.stopped", {}, apple=SNAPSHOT["apple"])
    expect(turn).to_be_hidden()


def test_the_worms_dance_with_the_motor(page: Page, table: TableInAThread) -> None:
    def pose() -> str:
        return str(page.locator(".worm").first.get_attribute("transform"))

    rest = pose()
    table.tell("motor", {"level": 1.0})
    expect(page.locator(".worm").first).not_to_have_attribute("transform", rest)
    expect(page.locator("#apple-art")).to_have_class(re.compile("dancing"))
    table.tell("motor", {"level": 0.0})
    expect(page.locator("#apple-art")).not_to_have_class(re.compile("dancing"))
    assert page.get_by_role("button", name="Lever").count() == 0


def test_the_block_glows_and_its_tokens_pop(page: Page, table: TableInAThread) -> None:
    table.tell("lamp", {"on": True})
    expect(page.locator("#block-art")).to_have_class(re.compile("glowing"))
    watch(page, "#pops", ".pop")
    table.tell("sound", {"name": "coin"})
    assert seen(page) == ""
    table.tell("lamp", {"on": False})
    expect(page.locator("#block-art")).not_to_have_class(re.compile("glowing"))
    table.tell("quiet", {"on": True}, block={**SNAPSHOT["block"], "quiet": True})
    expect(page.locator("#is-quiet")).to_be_visible()


def test_who_has_won_is_told_once_the_game_is_ended(page: Page, table: TableInAThread) -> None:
    expect(page.locator("#ranking")).to_be_hidden()
    winner = {"place": 1, "number": 2, "name": HOSTILE, "worth": 20_000_000, "shown": "20M"}
    second = {"place": 2, "number": 1, "name": "", "worth": 16_500_000, "shown": "16.5M"}
    cards = [SNAPSHOT["cards"][0], {**SNAPSHOT["cards"][1], "name": HOSTILE}]
    table.tell("deal.cancelled", {}, clock=28)
    expect(page.locator("#game")).to_contain_text("28")
    table.tell("deal.cancelled", {}, ended={"game": 3, "ranking": [winner, second]}, cards=cards)
    expect(page.locator("#game")).not_to_contain_text("28")
    expect(page.locator("#places .name")).to_have_text([HOSTILE, "Anna"])
    expect(page.locator("#places .balance")).to_have_text(["20M", "16.5M"])
    expect(page.locator("#places .unseen")).to_have_text(["Place 1", "Place 2"])


# the rules of money


@pytest.mark.parametrize("name", edition_names())
def test_the_rules_of_every_edition_are_told_in_its_own_money(page: Page, table: TableInAThread, name: str) -> None:
    edition = load_edition(name)
    table.tell("deal.cancelled", {}, rules=edition.rules(), units=edition.money.units, edition=name)
    currency = edition.currency
    expect(page.locator("#facts")).to_contain_text(f"Start{currency}{edition.money.shown(edition.start)}")
    expect(page.locator("#facts")).to_contain_text(f"GO pays{currency}{edition.money.shown(edition.salary)}")
    expect(page.locator("#facts")).not_to_contain_text("null")
    expect(page.locator("#notes li")).to_have_text(list(edition.notes.en))
    expect(page.locator("#silent")).to_be_visible(visible=edition.block is not None)


def test_the_silent_table_says_what_to_do_for_each_number_of_the_die(page: Page, table: TableInAThread) -> None:
    table.tell("deal.cancelled", {}, rules=load_edition("super-mario").rules())
    expect(page.locator("#die tr")).to_have_text(
        [
            "1, 2Roll again: that many times 1 from the bank",
            "3, 4Pay 5 to the bank",
            "5Roll and move again",
            "6Pay 10 to the bank",
        ]
    )


# languages


def test_the_page_speaks_the_browsers_language_and_the_one_that_is_chosen(open_phone: Callable[..., Page]) -> None:
    page = open_phone(locale="de-AT")
    expect(page.locator("#bank-title")).to_have_text("Spieler")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.get_by_label("Sprache").select_option("English")
    expect(page.locator("#bank-title")).to_have_text("Players")
    expect(page.locator("#outcome")).to_have_text("3 coins")
    page.reload()
    expect(page.locator("#bank-title")).to_have_text("Players")
    expect(open_phone("/?lang=de").locator("#outcome")).to_have_text("3 Münzen")


def test_a_browser_whose_languages_the_page_does_not_know_is_spoken_to_in_english(
    open_phone: Callable[..., Page],
) -> None:
    expect(open_phone(locale="fi-FI").locator("#bank-title")).to_have_text("Players")


def test_both_languages_have_every_text(page: Page) -> None:
    missing = page.evaluate(
        """async () => {
            const { TEXTS } = await import("/static/texts.js");
            const words = await Promise.all(["en", "de"].map((code) => import(`/static/words_${code}.js`)));
            const shape = (value) => typeof value === "object" && !(value instanceof Set)
                ? Object.entries(value).flatMap(([key, inner]) => [key, ...shape(inner).map((at) => `${key}.${at}`)])
                : [];
            const same = (a, b) => shape(a).filter((key) => !shape(b).includes(key));
            const [en, de] = words.map((module) => ({ ...module.default, refusals: {}, parts: {} }));
            const asked = [...document.querySelectorAll("[data-text], [data-label]")]
                .map(({ dataset }) => dataset.text ?? dataset.label);
            return [same(TEXTS.en, TEXTS.de), same(TEXTS.de, TEXTS.en), same(en, de), same(de, en),
                asked.filter((key) => !(key in TEXTS.en))].flat();
        }"""
    )
    assert missing == []


def test_every_refusal_is_said_in_german(page: Page) -> None:
    said = page.evaluate("""async () => Object.keys((await import("/static/words_de.js")).default.refusals)""")
    assert set(said) == set(REFUSALS)


ANY_FIELDS: dict[str, object] = {
    "slot": "left", "number": 1, "from": 0, "to": 1, "amount": 5, "reason": "salary", "why": "no funds", "game": 1,
    "seconds": 13, "level": 0.5, "lines": ["+1 15M", ""], "on": True, "part": "display", "cause": "it is unplugged",
    "name": "coin", "outcome": "laugh", "coins": 0, "do": "undo", "by": "the page", "args": {"transfer": 12},
    "ranking": [{"place": 1, "number": 1, "name": "Anna"}],
}  # fmt: skip


def test_every_event_of_the_vocabulary_can_be_said(page: Page) -> None:
    said = page.evaluate(
        """async ([names, fields]) => {
            const { isPassing, sentence } = await import("/static/words.js");
            const events = names.map((event) => ({ ...fields, event }));
            return events.map((event) => [event.event, sentence(event, true), isPassing(event)]);
        }""",
        [list(VOCABULARY), ANY_FIELDS],
    )
    assert [name for name, words, _ in said if words == name or "undefined" in words] == []
    assert {name for name, _, passes in said if passes} == PASSING


def test_what_passes_is_not_shown_among_what_happened(page: Page, table: TableInAThread) -> None:
    table.tell("apple.wound", {})
    for level in (0.2, 0.4):
        table.tell("motor", {"level": level})
    table.tell("apple.stopped", {})
    expect(page.locator("#events li span")).to_have_text(["The worms stop", "The apple is wound"])


def test_what_does_not_work_is_told_to_everybody_and_why_to_whoever_opens_it(page: Page, table: TableInAThread) -> None:
    cause = "[Errno 121] Remote I/O error: /dev/i2c-1"
    table.tell("fault", {"part": "display", "cause": cause}, faults={"display": cause})
    expect(page.locator("#faults li > p")).to_have_text("Trouble with the display")
    expect(page.locator("#events li span").first).to_have_text("Trouble with the display")
    expect(page.get_by_text(cause)).to_be_hidden()
    page.get_by_text("For whoever mends it").click()
    expect(page.get_by_text(cause)).to_be_visible()
    expect(page.get_by_text(cause)).to_have_attribute("lang", "en")
    both = {"display": cause, "speaker": "no sound comes out"}
    table.tell("fault", {"part": "speaker", "cause": both["speaker"]}, faults=both)
    expect(page.locator("#faults li")).to_have_count(2)
    expect(page.get_by_text(cause)).to_be_visible()  # what was opened stays open
    table.tell("recovered", {"part": "speaker"}, faults={"display": cause})
    page.get_by_label("Language").select_option("de")
    expect(page.locator("#faults li > p")).to_have_text(["Anzeige: Störung"])  # the other one may not be gone yet
    table.tell("recovered", {"part": "display"}, faults={})
    expect(page.locator("#faults")).to_be_hidden()


def test_an_accessory_that_is_not_there_is_not_shown(page: Page, table: TableInAThread) -> None:
    table.tell("deal.cancelled", {}, block=None, deal=None)
    for hidden in ("#block", "#bank", "#transfers"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("#apple")).to_be_visible()


def test_texts_are_shown_as_they_are_and_never_as_markup(page: Page, table: TableInAThread) -> None:
    table.tell(
        "fault",
        {"part": "display", "cause": HOSTILE},
        faults={"display": HOSTILE},
        titles={"en": HOSTILE, "de": HOSTILE},
        display=[HOSTILE, ""],
        cards=[{"number": 1, "balance": 5, "shown": HOSTILE, "name": HOSTILE, "retired": False}],
        rules={**SNAPSHOT["rules"], "notes": {"en": [], "de": [HOSTILE]}, "currency": HOSTILE},
        editions=[{"name": HOSTILE, "title": HOSTILE, "titles": {"en": HOSTILE, "de": HOSTILE}}],
    )
    expect(page.locator("#faults details p")).to_have_text(HOSTILE)
    expect(page.locator("#title")).to_have_text(HOSTILE)
    expect(page.locator("#cards .name")).to_have_text([HOSTILE])
    expect(page.locator("#notes li")).to_have_text([HOSTILE])
    table.tell("refused", {"why": HOSTILE})
    expect(page.locator("#events li span").first).to_contain_text(HOSTILE)
    assert page.locator("img:not(.chart), b").count() == 0


# the line


def test_a_table_that_goes_away_is_told_and_its_last_state_stays(page: Page, table: TableInAThread) -> None:
    table.tell("lamp", {"on": True})
    expect(page.locator("#block-art")).to_have_class(re.compile("glowing"))
    table.shut()
    expect(page.locator("#connection")).to_have_text("The table is away")
    expect(page.locator("#block-art")).not_to_have_class(re.compile("glowing"))
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    table.open()
    expect(page.locator("#connection")).to_have_text("live")


def test_two_phones_go_on_without_a_reload_when_the_pages_server_begins_anew(
    open_phone: Callable[..., Page], server: RunningPage, table: TableInAThread
) -> None:
    phones = [open_phone(), open_phone()]
    for phone in phones:
        phone.evaluate("window.isTheSame = true")
    server.close()
    for phone in phones:
        expect(phone.locator("#connection")).to_contain_text("server is away")
    server.begin()
    table.tell("deal.cancelled", {}, cards=[{"number": 1, "balance": 1, "shown": "1K", "name": ""}])
    for phone in phones:
        expect(phone.locator("#connection")).to_have_text("live")
        expect(phone.locator("#cards .balance")).to_have_text(["1K"])
        assert phone.evaluate("window.isTheSame")


def test_a_phone_that_wakes_up_is_told_everything_anew(page: Page, table: TableInAThread) -> None:
    with page.expect_event("requestfailed"):  # the line is given back
        sleep_or_wake(page, "hidden")
    table.tell("deal.cancelled", {}, cards=[{"number": 1, "balance": 1, "shown": "1K", "name": ""}])
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    sleep_or_wake(page, "visible")
    expect(page.locator("#cards .balance")).to_have_text(["1K"])


def test_a_phone_that_wakes_up_says_nothing_is_live_before_it_knows(page: Page) -> None:
    sleep_or_wake(page, "hidden")
    page.route("**/api/events", lambda route: None)
    sleep_or_wake(page, "visible")
    expect(page.locator("#connection")).to_have_text("looking for the table …")
    page.unroute_all(behavior="ignoreErrors")


def test_a_drawing_that_cannot_be_had_is_asked_for_again(open_phone: Callable[..., Page]) -> None:
    def begin(page: Page) -> None:
        page.route("**/art/apple.svg", lambda route: route.abort(), times=1)

    page = open_phone(prepare=begin)
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    expect(page.locator("#apple-art svg")).to_have_count(1)


def test_a_line_that_has_gone_dead_is_found_out_and_opened_anew(open_phone: Callable[..., Page]) -> None:
    page = open_phone()
    page.clock.install()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#connection")).to_have_text("live")
    with page.expect_request("**/api/events"):
        page.clock.fast_forward("00:41")
    expect(page.locator("#connection")).to_have_text("live")


def sleep_or_wake(page: Page, state: str) -> None:
    page.evaluate(
        """state => {
            Object.defineProperty(document, "hidden", { configurable: true, get: () => state === "hidden" });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


# charts


def test_a_block_that_was_not_pressed_has_no_chart(page: Page, table: TableInAThread) -> None:
    expect(page.locator("#odds")).to_be_visible()
    nothing = {"coins": [0] * 6, "laugh": 0, "power_up": 0, "game_over": 0}
    table.tell("deal.cancelled", {}, block={**SNAPSHOT["block"], "tally": nothing})
    expect(page.locator("#odds")).to_be_hidden()


def test_a_chart_that_could_not_be_had_is_asked_for_again(open_phone: Callable[..., Page]) -> None:
    def begin(page: Page) -> None:
        page.route("**/api/chart/**", lambda route: route.abort(), times=2)

    page = open_phone(prepare=begin)
    for chart in ("#balances", "#odds"):
        expect(page.locator(chart)).to_have_js_property("naturalWidth", 360)


def test_eyes_that_want_no_motion_can_read_what_would_move(
    open_phone: Callable[..., Page], table: TableInAThread
) -> None:
    page = open_phone(reduced_motion="reduce")
    table.tell("deal.started", {}, deal={"running": True})
    expect(page.locator("#deal")).to_be_visible()
    assert page.locator("#deal").evaluate("deal => deal.getAnimations().length") == 0


# looks


@pytest.mark.parametrize("width", [320, 390, 768, 1440])
def test_the_page_fits(open_phone: Callable[..., Page], width: int) -> None:
    page = open_phone(viewport={"width": width, "height": 844})
    expect(page.locator("#cards li")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_is_small_on_the_wire(browser: Browser, server: RunningPage) -> None:
    """Under 200 kB, all in all: bytes as a browser counts what came in, heads included."""
    page = browser.new_page()
    line = page.context.new_cdp_session(page)
    sizes: list[float] = []
    line.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    line.send("Network.enable")
    page.goto(f"http://127.0.0.1:{server.port}/")
    expect(page.locator("body")).to_have_attribute("data-connection", "live")
    for chart in page.locator(".chart").all():
        chart.evaluate("image => image.decode()")
    page.close()
    assert len(sizes) > 20
    assert sum(sizes) < 200_000
