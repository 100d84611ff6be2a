"""Nothing on the table page keeps anybody out: by axe-core, in every state that the page has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from reboard.edition import load_edition
from tests.barriers import barriers
from tests.reboard.page.fake_table import SNAPSHOT
from tests.reboard.page.table_in_a_thread import TableInAThread
from tests.reboard.page.test_host_page import PIN, enter

pytestmark = pytest.mark.realtime

LOOKS: dict[str, dict[str, Any]] = {
    "phone": {},
    "phone in the dark": {"color_scheme": "dark"},
    "laptop": {"viewport": {"width": 1440, "height": 900}, "is_mobile": False},
    "laptop in the dark": {"viewport": {"width": 1440, "height": 900}, "is_mobile": False, "color_scheme": "dark"},
}


@pytest.fixture
def pin() -> str:
    return PIN


def busy(table: TableInAThread) -> None:
    """Everything at once: a deal, a turn, a fault, an end, a bankrupt player."""
    winner = {"place": 1, "number": 1, "name": "Anna", "worth": 20_000_000, "shown": "20M"}
    cards = [*SNAPSHOT["cards"], {"number": 3, "balance": 0, "shown": "0", "name": "Chloé", "retired": True}]
    table.tell(
        "refused",
        {"why": "no funds"},
        deal={"running": True},
        apple=table.turning_since(1.0, seconds=600.0),
        faults={"display": "it does not answer"},
        ended={"game": 3, "ranking": [winner]},
        rules=load_edition("super-mario").rules(),
        cards=cards,
    )


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_has_no_barriers(open_phone: Callable[..., Page], table: TableInAThread, look: str) -> None:
    page = open_phone(**LOOKS[look])
    assert barriers(page) == []
    enter(page, PIN)
    expect(page.locator("#host-sheet")).to_be_visible()
    busy(table)
    expect(page.locator("#places li")).to_have_count(1)
    assert barriers(page) == []
    for button, dialog in (("New game …", "#new-game-dialog"), ("End the game …", "#end-game-dialog")):
        page.get_by_role("button", name=button).click()
        expect(page.locator(dialog)).to_be_visible()
        assert barriers(page) == []
        page.locator(dialog).get_by_role("button", name="Cancel").click()


def test_the_page_while_the_table_is_away_has_no_barriers(page: Page, table: TableInAThread) -> None:
    table.shut()
    expect(page.locator("#connection")).to_have_text("The table is away")
    page.get_by_role("button", name="Host").click()
    assert barriers(page) == []
