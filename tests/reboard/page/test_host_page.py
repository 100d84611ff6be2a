"""The host in a browser: whoever has entered the PIN puts things right, and nobody else does."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from reboard.refusal import Refusal
from tests.reboard.page.fake_table import SNAPSHOT
from tests.reboard.page.table_in_a_thread import TableInAThread

pytestmark = pytest.mark.realtime

PIN = "4711"
PATIENCE_S = 15.0


@pytest.fixture
def pin() -> str:
    return PIN


def enter(page: Page, pin: str) -> None:
    if not page.locator("#pin-dialog").is_visible():
        page.get_by_role("button", name="Host").click()
    page.get_by_label("The host's PIN").fill(pin)
    page.get_by_role("button", name="Enter").click()


@pytest.fixture
def host(page: Page) -> Page:
    enter(page, PIN)
    expect(page.locator("#host-sheet")).to_be_visible()
    return page


def test_nobody_sees_the_hosts_sheet_without_the_pin(page: Page) -> None:
    expect(page.get_by_role("button", name="Host")).to_be_visible()
    expect(page.locator("#host-sheet")).to_be_hidden()


def test_a_wrong_pin_is_told_and_too_many_have_to_wait(page: Page, table: TableInAThread) -> None:
    enter(page, "0000")
    expect(page.locator("#pin-trouble")).to_have_text("That is not the PIN.")
    expect(page.get_by_label("The host's PIN")).to_have_value("")
    for guess in ("0001", "0002", "0003", "0004", "0005", "0006"):
        with page.expect_response("**/api/host/session"):
            enter(page, guess)
    expect(page.locator("#pin-trouble")).to_contain_text("Too many guesses")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#host-sheet")).to_be_hidden()
    assert table.asked == []


def test_only_the_phone_that_entered_the_pin_is_the_host(host: Page, open_phone: Callable[..., Page]) -> None:
    other = open_phone()
    expect(other.get_by_role("button", name="Host")).to_be_visible()
    expect(other.locator("#host-sheet")).to_be_hidden()
    host.reload()
    expect(host.locator("#host-sheet")).to_be_visible()


def test_the_host_can_hand_it_back(host: Page) -> None:
    host.get_by_role("button", name="Hand it back").click()
    expect(host.locator("#host-sheet")).to_be_hidden()
    expect(host.get_by_role("button", name="Host")).to_be_focused()
    host.reload()
    expect(host.locator("#host-sheet")).to_be_hidden()


def asked(table: TableInAThread, page: Page, what: str, **args: object) -> None:
    """Wait until the table has been asked for it, by the page."""
    end = time.monotonic() + PATIENCE_S
    while what not in [do for do, _ in table.asked]:
        assert time.monotonic() < end, f"the table was asked {table.asked}"
        page.wait_for_timeout(20)
    told = next(told for do, told in table.asked if do == what)
    assert {**told, "by": ""} == {**args, "by": ""}
    assert str(told["by"]).startswith("the page at ")


def test_the_host_takes_the_last_transfer_back_and_sees_which(host: Page, table: TableInAThread) -> None:
    host.get_by_role("button", name="Take back 1.5M from card 2 to Anna").click()
    asked(table, host, "undo", transfer=9)
    undone = {**SNAPSHOT["transfers"][0], "id": 10, "from": 1, "to": 2, "reason": "undo", "undoes": 9}
    table.tell("deal.cancelled", {}, transfers=[undone, *SNAPSHOT["transfers"]])
    expect(host.get_by_role("button", name="Nothing recent to take back")).to_be_disabled()


def test_what_is_tapped_twice_is_taken_back_once_and_nothing_else_under_the_same_finger(
    host: Page, table: TableInAThread
) -> None:
    button = host.locator("#undo")
    expect(button).to_be_enabled()
    button.evaluate("button => { button.click(); button.click(); }")
    asked(table, host, "undo", transfer=9)
    other = {**SNAPSHOT["transfers"][0], "id": 11, "amount": 2_000_000}
    host.evaluate(
        """() => new MutationObserver(() => { window.wasLive ||= !document.getElementById("undo").disabled; })
            .observe(document.getElementById("undo"), { childList: true })"""
    )
    table.tell("deal.cancelled", {}, transfers=[other, *SNAPSHOT["transfers"]])
    expect(button).to_have_text("Take back 2M from card 2 to Anna")
    assert not host.evaluate("window.wasLive")
    expect(button).to_be_enabled()
    assert [do for do, _ in table.asked] == ["undo"]


def test_the_host_gives_a_player_a_name(host: Page, table: TableInAThread) -> None:
    field = host.get_by_label("The player with card 2")
    field.fill("Ben")
    field.press("Enter")
    asked(table, host, "name", card=2, name="Ben")


def test_a_name_that_the_table_refuses_is_put_back_and_the_reason_told(host: Page, table: TableInAThread) -> None:
    table.refuse(Refusal("disk"))
    field = host.get_by_label("The player with card 1")
    field.fill("Bank")
    field.press("Tab")
    expect(host.locator("#host-trouble")).to_have_text("the disk did not take it; nothing has moved")
    expect(field).to_have_value("Anna")
    table.refuse(None)
    field.fill("Ada")
    field.press("Enter")
    expect(host.locator("#host-trouble")).to_be_hidden()


def test_the_host_begins_a_new_game_in_another_edition(host: Page, table: TableInAThread) -> None:
    host.get_by_role("button", name="New game …").click()
    host.get_by_role("button", name="Cancel").click()
    assert table.asked == []
    host.get_by_role("button", name="New game …").click()
    host.get_by_label("Edition").select_option("Nintendo")
    host.get_by_role("button", name="Begin").click()
    asked(table, host, "new_game", game=3, edition="nintendo")
    expect(host.locator("#new-game-dialog")).to_be_hidden()


def test_a_new_game_ends_the_game_that_was_on_when_the_host_began_to_ask(host: Page, table: TableInAThread) -> None:
    host.get_by_role("button", name="New game …").click()
    table.tell("game.started", {"game": 4, "edition": "world"}, game=4)
    expect(host.locator("#game")).to_have_text("Game 4")
    host.get_by_role("button", name="Begin").click()
    asked(table, host, "new_game", game=3, edition="world")


def test_what_was_added_up_stays_when_the_table_refuses_it(host: Page, table: TableInAThread) -> None:
    table.refuse(Refusal("too fine"))
    host.get_by_role("button", name="End the game …").click()
    worths = host.locator("#worths input")
    worths.nth(0).fill("2M")
    host.get_by_role("button", name="Show who has won").click()
    expect(host.locator("#worths-trouble")).to_contain_text("finer than this edition's smallest money")
    expect(worths.nth(0)).to_have_value("2M")
    table.refuse(None)
    host.get_by_role("button", name="Show who has won").click()
    expect(host.locator("#end-game-dialog")).to_be_hidden()


def german_host(open_phone: Callable[..., Page]) -> Page:
    host = open_phone(locale="de-DE")
    host.get_by_role("button", name="Spielleitung").click()
    host.get_by_label("Die PIN der Spielleitung").fill(PIN)
    host.get_by_role("button", name="Weiter").click()
    return host


def test_a_variant_is_chosen_in_the_hosts_language(open_phone: Callable[..., Page], table: TableInAThread) -> None:
    host = german_host(open_phone)
    host.locator("#new-game").click()
    host.get_by_label("Ausgabe").select_option("Nintendo, kurzes Spiel")
    host.locator("#new-game-dialog [type=submit]").click()
    asked(table, host, "new_game", game=3, edition="nintendo/short")


def test_a_refusal_is_told_in_the_hosts_language(open_phone: Callable[..., Page], table: TableInAThread) -> None:
    host = german_host(open_phone)
    table.refuse(Refusal("no funds"))
    host.locator("#undo").click()
    expect(host.locator("#host-trouble")).to_have_text("zu wenig Geld")


def test_the_host_ends_the_game_with_what_deeds_and_houses_are_worth(host: Page, table: TableInAThread) -> None:
    host.get_by_role("button", name="End the game …").click()
    worths = host.locator("#worths input")
    worths.nth(0).fill("much")
    host.get_by_role("button", name="Show who has won").click()
    expect(host.locator("#worths-trouble")).to_have_text("“much” is no amount")
    worths.nth(0).fill("1,5m")
    host.get_by_role("button", name="Show who has won").click()
    asked(table, host, "end_game", game=3, worths={"1": 1_500_000})
    expect(host.locator("#end-game-dialog")).to_be_hidden()


AMOUNTS = {
    "0": 0, "1500": 1500, "260K": 260_000, "1.5M": 1_500_000, "12,75m": 12_750_000, "0.1K": 100, "€200": 200, " 7 ": 7,
    "1.000": None, "2,000": None, "12,75 m": None, "1.2345K": None, "-5": None, "": None, "1e9": None, "M": None,
    "9" * 20: None,
}  # fmt: skip


def test_amounts_are_read_as_they_are_written(page: Page) -> None:
    read = """async ([texts, units]) => {
        const { read } = await import("/static/amounts.js");
        return texts.map((text) => read(text, units));
    }"""
    assert dict(zip(AMOUNTS, page.evaluate(read, [list(AMOUNTS), True]), strict=True)) == AMOUNTS
    assert page.evaluate(read, [["1500", "1.5M", "260K"], False]) == [1500, None, None]


def test_the_host_sets_the_volume_and_the_quiet_block(host: Page, table: TableInAThread) -> None:
    host.get_by_label("Volume").focus()
    host.keyboard.press("ArrowLeft")
    asked(table, host, "volume", level=2)
    host.get_by_role("switch", name="Quiet block").click()
    asked(table, host, "quiet", on=True)


def test_what_was_refused_is_shown_as_the_table_has_it(host: Page, table: TableInAThread) -> None:
    table.refuse(Refusal("disk"))
    host.get_by_role("switch", name="Quiet block").click()
    expect(host.locator("#host-trouble")).to_be_visible()
    expect(host.get_by_role("switch", name="Quiet block")).not_to_be_checked()
    host.get_by_label("Volume").focus()
    host.keyboard.press("ArrowLeft")
    expect(host.get_by_label("Volume")).to_have_value("3")


def test_a_host_whose_session_is_over_is_told_and_asked_for_the_pin(host: Page) -> None:
    host.context.clear_cookies()
    host.get_by_role("switch", name="Quiet block").click()
    expect(host.locator("#pin-trouble")).to_have_text("You are not the host any more: enter the PIN again.")
    expect(host.locator("#host-sheet")).to_be_hidden()
    enter(host, PIN)
    expect(host.locator("#host-sheet")).to_be_visible()
    expect(host.locator("#host-trouble")).to_be_hidden()
