"""The hall's page in a browser: one test for each thing that people in the room do with it."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from reboard.mqtt.topics import OFFLINE, TopicLevel, topic
from tests.barriers import barriers
from tests.heard import heard, hears, listen
from tests.pictures import SHIFTS, SIZES, disorder, picture, shifted
from tests.pseudo_language import cut, pseudo_language, untranslated
from tests.reboard.hall.club import PlayedTable
from tests.reboard.hall.served_hall import ServedHall
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

OpenPage = Callable[..., Page]

HOSTILE = "<img src=x onerror=alert(1)>"
ELSEWHERE = "Pacific/Auckland"
"""A time zone in which this test does not run."""
NAMES = ("Anna", "Ben", "Chloé", "Dilan", "Emil", "Fatma")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[ServedHall]:
    with ServedHall(tmp_path) as hall:
        yield hall


@pytest.fixture
def open_page(hall: ServedHall, browser: Browser) -> Iterator[OpenPage]:
    errors: list[str] = []
    contexts = []

    def opened(path: str = "/", size: str = "laptop", prepare: Callable[[Page], object] = id, **options: Any) -> Page:
        context = browser.new_context(**{"locale": "en-GB", **SIZES[size], **options})
        context.set_default_timeout(PATIENCE_S * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        prepare(page)
        page.goto(f"http://{hall.address}{path}")
        expect(page.locator("body")).to_have_attribute("data-connection", "live")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [error for error in errors if "status of 404" not in error] == []


def card(number: int, balance: int, name: str = "", **more: Any) -> dict[str, Any]:
    return {
        "number": number,
        "balance": balance,
        "shown": f"{balance / 1e6:g}M",
        "name": name,
        "retired": False,
        **more,
    }


def play(hall: ServedHall, number: int, *, rows: int = 4, at: float | None = None, **state: Any) -> PlayedTable:
    """Let a table play: card 1 receives one million in each row."""
    table = PlayedTable(f"table-{number}", ledger=f"{number:016x}")
    at = time.time() - 600 if at is None else at
    start = [table.add(to=one, amount=15_000_000, reason="start", at=at) for one in (1, 2)]
    played = [table.add(amount=1_000_000, at=at + row) for row in range(1, rows + 1)]
    cards = [card(1, 15_000_000 + rows * 1_000_000), card(2, 15_000_000)]
    hall.take(table.online(), *start, *played, table.head(), table.state(**{"cards": cards, **state}))
    return table


def invite(page: Page) -> None:
    page.route(
        "**/api/invitation",
        lambda route: route.fulfill(json={"url": "http://club.local:8090", "ip_url": "http://10.0.0.7:8090"}),
    )
    page.route("**/qr.svg*", lambda route: route.fulfill(path="firmware/reboard/web/shared/icon.svg"))


def tile(page: Page, name: str) -> Any:
    return page.locator(f"#tables [data-table='{name}']")


def test_the_organisers_phone_follows_all_tables(open_page: OpenPage, hall: ServedHall) -> None:
    page = open_page(size="phone", prepare=invite)
    expect(page.locator("#no-tables")).to_be_visible()
    assert barriers(page) == []
    first = play(hall, 2, clock=28, pot={"balance": 1, "shown": "350K"}, deal={"running": True})
    play(hall, 10)
    expect(page.locator("#tables h3")).to_have_text(["table-2", "table-10"])
    two = tile(page, "table-2")
    expect(two.locator(".name")).to_have_text(["card 1★", "card 2"])
    expect(two.locator(".balance")).to_have_text(["19M", "15M"])
    expect(two.locator(".leader")).to_have_count(1)
    for words in ("Game 1 · 28 min left", "Auction!", "350K", "Monopoly Here & Now"):
        expect(two).to_contain_text(words)

    faults = {"display": HOSTILE}
    cards = [card(1, 15_000_000, HOSTILE), card(2, 15_000_000, "Ben"), card(3, 0, "Chloé", retired=True)]
    hall.take(first.state(cards=cards, faults=faults, deal={"running": False}))
    expect(two.locator(".name")).to_have_text([f"{HOSTILE}★", "Ben★", "Chloé"])
    expect(two.locator(".balance")).to_have_text(["15M", "15M", "bankrupt"])
    expect(two.locator(".fault-note")).to_have_text(["Fault: display"])
    expect(page.locator("#counts")).to_have_text("2 live · 1 with faults")
    page.get_by_role("button", name="With a problem").click()
    expect(page.locator("#tables li:visible h3")).to_have_text(["table-2"])
    page.get_by_role("button", name="All").click()
    picture(page, "hall-phone")
    assert disorder(page, "#tables > li, .rail > *") == []
    assert barriers(page) == []

    ranking = [
        {"place": place, "number": number, "name": "", "worth": 1, "shown": "9M"} for place, number in ((1, 2), (2, 1))
    ]
    hall.take(first.state(ended={"game": 1, "ranking": ranking}))
    expect(two).to_contain_text("Game over")
    expect(two.locator(".name")).to_have_text(["card 2★", "card 1"])

    page.locator("#language").select_option("de")
    expect(two).to_contain_text("Das Spiel ist zu Ende")
    page.get_by_role("button", name="Einladen").click()
    expect(page.locator("#invite-url")).to_have_value("http://club.local:8090")
    page.get_by_role("button", name="Schließen").click()
    expect(page.locator("#invite-dialog")).to_be_hidden()


@pytest.mark.parametrize("count", [3, 30])
def test_a_big_screen_shows_all_tables_in_turns_and_the_standings(
    open_page: OpenPage, hall: ServedHall, count: int
) -> None:
    for number in range(1, count + 1):
        cards = [card(one, 10_000_000 + one * number, NAMES[one - 1]) for one in range(1, 2 + number % 6)]
        play(hall, number, cards=cards)

    def prepare(page: Page) -> None:
        invite(page)
        page.clock.install()

    page = open_page("/?view=tv", size="laptop", viewport={"width": 1920, "height": 1080}, prepare=prepare)
    expect(page.locator("#join")).to_contain_text("club.local:8090 10.0.0.7:8090")
    expect(page.locator("#ranked tbody tr")).not_to_have_count(0)
    page.clock.run_for(10_000)
    seen: set[str] = set()
    has_standings = False
    everything = {f"table-{number}" for number in range(1, count + 1)}
    for turn in range(1 + count):
        if seen == everything and has_standings:
            break
        names = page.locator("#tables li:visible h3").all_text_contents()
        if page.locator("#ranked").is_visible():
            has_standings = True
            picture(page, f"hall-tv-standings-{count}")
        else:
            if not seen & set(names):
                picture(page, f"hall-tv-{count}-{turn}")
            assert disorder(page, "#tables > li, #join") == []
            lowest = page.locator("#tables li:visible").evaluate_all(
                "tiles => Math.max(...tiles.map((tile) => tile.getBoundingClientRect().bottom))"
            )
            assert lowest <= 1080
        seen |= set(names)
        page.clock.run_for(10_000)
    assert seen == everything
    assert has_standings
    assert page.locator("button:visible, select:visible, input:visible").count() == 0, "a big screen controls nothing"
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [
        1920,
        1080,
    ]
    assert barriers(page) == []


def test_a_table_that_is_silent_or_away_is_marked(open_page: OpenPage, hall: ServedHall) -> None:
    table = play(hall, 1, clock=28, deal={"running": True})
    page = open_page()
    expect(tile(page, "table-1")).not_to_have_class("stale")
    expect(tile(page, "table-1")).to_contain_text("28 min left")
    hall.take((topic("table-1", TopicLevel.AVAILABILITY), OFFLINE, False))
    expect(page.locator("#tables .stale")).to_have_count(1)
    expect(tile(page, "table-1").locator(".stale-note")).to_contain_text("Last seen")
    expect(tile(page, "table-1")).not_to_contain_text("28 min left")
    expect(tile(page, "table-1")).not_to_contain_text("Auction!")
    expect(page.locator("#counts")).to_have_text("0 live · 1 offline")
    picture(page, "hall-stale")
    assert barriers(page) == []
    hall.take(table.online())
    expect(page.locator("#tables .stale")).to_have_count(0)

    play(hall, 2)
    expect(page.locator("#tables h3")).to_have_text(["table-1", "table-2"])
    hall.take((topic("table-1", TopicLevel.STATE), b"", False))
    expect(page.locator("#tables h3")).to_have_text(["table-2"])

    hall.report("the broker at 192.168.1.10:1883 does not answer", is_connected=False)
    expect(page.locator("body")).to_have_attribute("data-connection", "away")
    page.locator("#problem summary").click()
    expect(page.locator("#problem-cause")).to_have_text("the broker at 192.168.1.10:1883 does not answer")
    picture(page, "hall-without-broker")
    assert barriers(page) == []
    hall.report(None, is_connected=True)
    expect(page.locator("#problem")).to_be_hidden()


def test_one_tables_history(open_page: OpenPage, hall: ServedHall) -> None:
    table = play(hall, 1, rows=118)
    page = open_page()
    page.get_by_role("link", name="table-1").click()
    rows = page.locator("#events li")
    expect(rows).to_have_count(50)
    expect(rows.first).to_contain_text("The bank→ to Card 1")
    expect(rows.first.locator(".amount")).to_have_text("1M")
    for count in (100, 120):
        page.get_by_role("button", name="Earlier").click()
        expect(rows).to_have_count(count)
    expect(page.locator("#older")).to_be_hidden()
    expect(rows.last.locator(".why")).to_have_text("starting money")

    last = table.rows[-1].id
    hall.take(table.add(from_=1, to=0, amount=1_000_000, reason="undo", undoes=last, at=time.time()))
    cards = [card(1, 132_000_000, "Anna"), card(2, 15_000_000)]
    hall.take(table.state(cards=cards, faults={"display": "it does not answer"}))
    expect(rows).to_have_count(121)
    expect(page.locator("#table [lang=en]")).to_have_text("it does not answer")
    expect(rows.first).to_contain_text("Anna→ to The bank")
    expect(rows.nth(1).locator("s")).to_have_text("1M")
    expect(page.locator("#table .name").first).to_have_text("Anna★")
    picture(page, "hall-table")
    assert barriers(page) == []

    hall.take(table.add(game=2, edition="super-mario", to=1, amount=30, reason="start", at=time.time()))
    hall.take(table.state(game=2, edition="super-mario", units=False, cards=[card(1, 30)]))
    expect(rows).to_have_count(1)
    expect(rows.locator(".amount")).to_have_text("30")
    page.locator("#games").select_option(index=1)
    expect(rows).to_have_count(50)
    expect(rows.first.locator(".amount")).to_have_text("1M")
    expect(rows.first).to_contain_text("Anna")


def test_the_standings_and_their_csv(open_page: OpenPage, hall: ServedHall) -> None:
    now = datetime.now()
    begin = (now - timedelta(hours=2)).timestamp()
    first = play(hall, 1, at=begin, cards=[card(1, 1, "Anna"), card(2, 1, "Ben")])
    table = play(hall, 2, at=begin, rows=6)
    hall.take(*(each.add(to=2, amount=1_000_000, at=begin + 9) for each in (first, table)))
    more = [
        table.add(game=2, to=number, amount=1_000_000, at=(now - timedelta(minutes=5)).timestamp()) for number in (1, 2)
    ]
    hall.take(*more, table.state(game=2, cards=[card(1, 1_000_000, "Ben"), card(2, 1_000_000, "Chloé")]))
    page = open_page(timezone_id=ELSEWHERE)
    page.get_by_role("link", name="Standings").click()
    rows = page.locator("#ranked tbody tr")
    expect(rows.locator("th")).to_have_text(["Ben", "table-2 · card 1", "Anna", "Chloé", "table-2 · card 2"])
    expect(rows.first.locator("td")).to_have_text(["1", "95.7%", "45.7%", "50.0%"])
    expect(page.locator("#doubled")).to_be_hidden()
    picture(page, "hall-standings")
    assert barriers(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.path().read_bytes().startswith(b"\xef\xbb\xbfplace"), "otherwise Excel shows ChloÃ©"
    with download.value.path().open(newline="", encoding="utf-8-sig") as file:
        read = list(csv.reader(file))
    assert read[0] == ["place", "player", "total", "round 1", "round 2"]
    assert read[1] == ["1", "Ben", "0.9571", "0.4571", "0.5"]
    assert len(read) == 6

    expect(page.locator("#earlier")).to_be_hidden()
    since = (now - timedelta(hours=1)).replace(second=0, microsecond=0).astimezone(ZoneInfo(ELSEWHERE))
    page.locator("#since").fill(since.strftime("%Y-%m-%dT%H:%M"))
    asked = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:00.000Z")
    expect(page).to_have_url(f"http://{hall.address}/standings?since={quote(asked)}")
    expect(page.locator("#since")).to_have_value(since.strftime("%Y-%m-%dT%H:%M"))
    expect(page.locator("#earlier")).to_contain_text("2 games")
    expect(rows.locator("th")).to_have_text(["Ben", "Chloé"])
    expect(rows.locator("td:first-child")).to_have_text(["1", "1"])
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert len(download.value.path().read_text("utf-8").splitlines()) == 3

    third = play(hall, 3, cards=[card(1, 1, "Ben"), card(2, 1)])
    hall.take(third.add(to=2, amount=1_000_000, at=time.time()))
    expect(page.locator("#doubled")).to_contain_text("Ben")
    expect(rows).to_have_count(3)
    page.set_viewport_size({"width": 375, "height": 667})
    picture(page, "hall-standings-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    hall.take(*(table.add(game=game, to=1, amount=1_000_000, at=time.time()) for game in range(3, 9)))
    expect(page.locator("#ranked .round:text('Round 7')")).to_be_attached()
    assert min(each["width"] for each in map(Locator.bounding_box, rows.locator("th").all()) if each) > 90
    assert barriers(page) == []


@pytest.mark.parametrize(("path", "shown"), [("/standings", "#ranked th"), ("/tables/table-1", "#events li")])
def test_nothing_moves_while_a_view_loads(open_page: OpenPage, hall: ServedHall, path: str, shown: str) -> None:
    def late(route: Route) -> None:
        time.sleep(0.5)
        route.continue_()

    def on_a_slow_network(page: Page) -> None:
        page.add_init_script(SHIFTS)
        page.route(re.compile("/api/(standings|tables)"), late)

    for number in range(1, 20):
        play(hall, number, rows=12)
    page = open_page(path, prepare=on_a_slow_network)
    expect(page.locator(shown).first).to_be_visible()
    page.wait_for_timeout(300)
    assert shifted(page) == {}


def test_the_hall_answers_only_to_reading_and_says_what_is_wrong(hall: ServedHall) -> None:
    play(hall, 1)
    with httpx.Client(base_url=f"http://{hall.address}") as client:
        assert client.get("/api/tables").json()[0]["name"] == "table-1"
        for path, status in {
            "/api/tables/table-1/transfers": 200,
            "/api/tables/table-1/transfers?before=2": 200,
            "/api/tables/table-9/transfers": 404,
            "/api/tables/table-1/transfers?ledger=x&game=1": 404,
            "/api/tables/table-1/transfers?before=-1": 400,
            f"/api/tables/table-1/transfers?before={'9' * 30}": 400,
            "/api/standings?since=yesterday": 400,
            "/standings.csv?since=2026-13-01": 400,
            "/api/standings?since=0001-01-01": 400,
            "/api/standings?since=2026-11-26T18:00": 200,
            "/api/invitation": 200,
            "/qr.svg": 404,
            "/static/icon.svg": 200,
            "/static/look.css": 200,
            "/static/hall.css": 200,
        }.items():
            answer = client.get(path)
            assert answer.status_code == status, path
            if status == 400:
                assert "must" in answer.json()["error"]
        assert "--listen 0.0.0.0:8090" in client.get("/qr.svg").json()["error"]
        for path in ("/", "/api/tables", "/api/standings"):
            assert client.post(path).status_code == 405
        assert client.get("/api/tables", headers={"Host": "evil.example"}).status_code == 400
        assert client.get("/api/tables", headers={"Origin": "http://evil.example"}).status_code == 403


def test_every_text_is_in_the_catalogues_and_has_room(open_page: OpenPage, hall: ServedHall, tmp_path: Path) -> None:
    yesterday = time.time() - 24 * 3600  # shown with its date, as is the last hour after midnight
    play(hall, 2, at=yesterday, clock=28, pot={"balance": 1, "shown": "350K"}, deal={"running": True})
    play(hall, 3)
    with pseudo_language(tmp_path) as language:
        page = open_page(f"/?lang={language}", size="phone")
        for path in ("/", "/tables/table-2", "/standings", "/?view=tv"):
            page.goto(f"http://{hall.address}{path}{'&' if '?' in path else '?'}lang={language}")
            expect(page.locator("body")).to_have_attribute("data-connection", "live")
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert untranslated(page) == [], path
            assert cut(page) == [], path


def test_a_screen_reader_says_what_happens_at_the_tables(open_page: OpenPage, hall: ServedHall) -> None:
    first, second = play(hall, 1), play(hall, 2)
    page = open_page()
    expect(page.locator("#tables > li")).to_have_count(2)
    listen(page)
    place = {"place": 1, "number": 2, "name": "Ben", "worth": 1, "shown": "9M"}
    hall.take(first.state(ended={"game": 1, "ranking": [place]}), second.state(deal={"running": True}))
    both = "table-1: Game 1 is over; first: Ben. table-2: An auction starts."
    hears(page, both)
    hall.take((topic("table-2", TopicLevel.AVAILABILITY), OFFLINE, True))
    hears(page, both, "table-2: no connection to the table.")


def test_a_screen_reader_says_the_transfers_of_one_table(open_page: OpenPage, hall: ServedHall) -> None:
    table = play(hall, 1)
    page = open_page("/tables/table-1")
    expect(page.locator("#events li")).to_have_count(6)
    listen(page)
    hall.take(
        table.add(from_=1, to=2, amount=1_000_000, reason="players", at=time.time()),
        table.state(cards=[card(1, 18_000_000, "Anna"), card(2, 16_000_000, "Ben")], faults={"display": "no answer"}),
    )
    eventually(lambda: "Anna pays Ben 1M. Ben has 16M." in " ".join(heard(page)), f"{heard(page)}", page)
    assert "table-1: Fault: display." in " ".join(heard(page))
