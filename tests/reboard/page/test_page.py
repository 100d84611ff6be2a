from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from reboard.events import PASSING, VOCABULARY
from tests.reboard.page.fake_table import SNAPSHOT, FakeTable
from tests.reboard.page.running_page import RunningPage

pytestmark = pytest.mark.realtime

HOSTILE = "<img src=x onerror=alert(1)><b>bold</b>"


class TableInAThread:
    """A fake table that can be worked from a test that does not run on a loop."""

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._table = self._run(self._made(path))

    async def _made(self, path: Path) -> FakeTable:
        return FakeTable(path)

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def open(self) -> None:
        self._run(self._table.open())

    def shut(self) -> None:
        self._run(self._table.door.close())

    def tell(self, event: str, fields: dict[str, object], **changes: object) -> None:
        """*event* happens, and the snapshot changes."""

        async def happens() -> None:
            self._table.now = {**self._table.now, **changes}
            self._table.events.emit(event, **fields)

        self._run(happens())

    def close(self) -> None:
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableInAThread]:
    with closing(TableInAThread(tmp_path / "state" / "table.sock")) as table:
        table.open()
        yield table


@pytest.fixture
def page(table: TableInAThread, tmp_path: Path, browser: Browser) -> Iterator[Page]:
    complaints: list[str] = []
    with closing(RunningPage(tmp_path)) as server:
        server.connection().close()
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.goto(f"http://127.0.0.1:{server.port}/")
        expect(page.locator("#connection")).to_have_text("connected")
        yield page
        page.close()
    assert complaints == []


def test_the_table_is_shown(page: Page) -> None:
    expect(page.locator("h1")).to_have_text(str(SNAPSHOT["title"]))
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    expect(page.locator("#cards li").first).to_contain_text("in the left slot")
    expect(page.locator("#outcome")).to_have_text("3 coins")
    expect(page.locator("#worms")).to_have_text("at rest")
    expect(page.locator("#transfers tbody td")).to_have_text(["card 2", "Anna", "1.5M", "between players"])


def test_players_are_called_by_their_names_and_who_is_bankrupt_is_told(page: Page, table: TableInAThread) -> None:
    expect(page.locator("#cards .name")).to_have_text(["Anna"])
    expect(page.locator("#cards")).not_to_contain_text("out of the game")
    cards = [{"number": 2, "balance": 0, "shown": "0", "name": "Ben", "retired": True}]
    bankruptcy = {"id": 10, "game": 3, "from": 2, "to": 0, "amount": 13_500_000, "reason": "bankrupt", "undoes": None}
    table.tell("transfer", bankruptcy, cards=cards)
    expect(page.locator("#cards .name")).to_have_text(["Ben"])
    expect(page.locator("#cards li")).to_contain_text(["out of the game"])


def test_what_happens_is_shown_as_it_happens(page: Page, table: TableInAThread) -> None:
    table.tell("apple.started", {"seconds": 13.0}, apple={"running": True, "wound": False})
    expect(page.locator("#worms")).to_have_text("the worms dance")
    expect(page.locator("#events li span").first).to_have_text("The worms dance for 13 s")
    table.tell("deal.started", {}, deal={"running": True})
    expect(page.locator("#deal")).to_have_text("Deal!")
    cards = [{"number": 1, "balance": 18_000_000, "shown": "18M"}]
    table.tell(
        "transfer",
        {"id": 10, "game": 3, "from": 0, "to": 1, "amount": 1_500_000, "reason": "received", "undoes": None},
        cards=cards,
    )
    expect(page.locator("#cards .balance")).to_have_text(["18M"])
    expect(page.locator("#events li span").first).to_have_text("1.5M from the bank to card 1")


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


def test_an_accessory_that_is_not_there_is_not_shown(page: Page, table: TableInAThread) -> None:
    table.tell("deal.cancelled", {}, block=None, deal=None)
    expect(page.locator("#block")).to_be_hidden()
    expect(page.locator("#bank")).to_be_hidden()
    expect(page.locator("#apple")).to_be_visible()


def test_texts_are_shown_as_they_are_and_never_as_markup(page: Page, table: TableInAThread) -> None:
    table.tell(
        "fault",
        {"part": "display", "cause": HOSTILE},
        faults={"display": HOSTILE},
        title=HOSTILE,
        display=[HOSTILE, ""],
    )
    expect(page.locator("#faults li")).to_have_text(f"display: {HOSTILE}")
    expect(page.locator("h1")).to_have_text(HOSTILE)
    expect(page.locator("#events li span").first).to_contain_text(HOSTILE)
    assert page.locator("img, b").count() == 0


def test_a_table_that_goes_away_is_told_and_its_last_state_stays(page: Page, table: TableInAThread) -> None:
    table.shut()
    expect(page.locator("#connection")).to_contain_text("The table is away")
    expect(page.locator("#cards .balance")).to_have_text(["16.5M", "13.5M"])
    table.open()
    expect(page.locator("#connection")).to_have_text("connected")


def test_the_page_fits_a_phone(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
