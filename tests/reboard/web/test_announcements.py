"""What a screen reader says of the table page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.heard import heard, hears, listen
from tests.reboard.web.fake_table import PLAYS, SNAPSHOT
from tests.reboard.web.served_page import ServedPage

pytestmark = pytest.mark.realtime

NAMED = [
    {"number": 1, "balance": 1_500_000, "shown": "1.5M", "name": "Anna", **PLAYS},
    {"number": 2, "balance": 260_000, "shown": "260K", "name": "Ben", **PLAYS},
]
PLACE = {"place": 1, "number": 1, "name": "Anna", "worth": 20_000_000, "shown": "20M"}
PAYMENT = {"payment": "a payment", "game": 3, "from": 1, "to": 0, "amount": 500_000, "reason": "paid"}


def transfer(number: int, from_: int, to: int, reason: str = "players") -> dict[str, object]:
    moved = {"id": number, "game": 3, "from": from_, "to": to, "amount": 150_000}
    return {**moved, "reason": reason, "undoes": None, "act": None, "at": 1.0}


SAID: list[tuple[str, dict[str, object], str]] = [
    ("transfer", transfer(10, 1, 2), "Anna pays Ben 150K. Ben has 260K."),
    ("transfer", transfer(10, 1, 0, "paid"), "Anna pays the bank 150K. Anna has 1.5M."),
    ("transfer", transfer(10, 0, 2, "salary"), "The bank pays Ben 150K: salary. Ben has 260K."),
    ("card.inserted", {"slot": "left", "number": 1}, "The card of Anna is in the left slot. Anna has 1.5M."),
    ("card.inserted", {"slot": "right", "number": None}, "A card is in the right slot."),
    ("refused", {"why": "no funds"}, "Rejected: the paying card does not have enough money."),
    ("game.ended", {"game": 3, "ranking": [PLACE]}, "Game 3 is over; first: Anna."),
    ("deal.started", {}, "An auction starts."),
    ("fault", {"part": "display", "cause": "it does not answer"}, "Fault: display."),
    ("payment.asked", PAYMENT, "A player asks: 500K from Anna to the bank."),
    ("payment.ended", {**PAYMENT, "why": "expired"}, "500K from Anna to the bank: not confirmed in time."),
    ("block.outcome", {"outcome": "coins", "coins": 3}, "Question block: 3 coins."),
]


def test_a_screen_reader_says_what_happens(page: Page, server: ServedPage) -> None:
    listen(page)
    for event, fields, said in SAID:
        transfers = [*([fields] if event == "transfer" else []), *SNAPSHOT["transfers"]]
        server.emit_with(event, fields, cards=NAMED, transfers=transfers)
        expect(page.locator("#announcer")).to_have_text(said)
        expect(page.get_by_role("status").filter(has_text=said)).to_have_count(1)
        assert page.locator("[aria-live]").count() == 0, "nothing is said twice"
    assert heard(page) == [said for _, _, said in SAID]


def test_no_balance_is_said_that_is_older_than_the_transfer(page: Page, server: ServedPage) -> None:
    listen(page)
    server.emit_with("transfer", transfer(10, 1, 2), cards=NAMED)
    hears(page, "Anna pays Ben 150K.")


def test_the_latest_of_a_burst_are_said_at_once_in_their_order(page: Page, server: ServedPage) -> None:
    listen(page)
    for number in range(10, 30):
        fields = transfer(number, 1, 2, f"row {number}")
        server.emit_with("transfer", fields, cards=NAMED, transfers=[fields])
    hears(page, " ".join(f"Anna pays Ben 150K: row {number}. Ben has 260K." for number in range(26, 30)))


def test_equal_sentences_are_said_again_and_what_other_events_say_is_not(page: Page, server: ServedPage) -> None:
    listen(page)
    for why in ("booked", "taken back"):
        server.emit_with("payment.ended", {**PAYMENT, "why": why})
    server.emit_with("requested", {"do": "new_game", "by": "the host"})
    server.emit("die.double")
    hears(page, "A double.")
    server.emit("die.double")
    hears(page, "A double.", "A double.")


def test_nothing_is_said_of_the_past(open_page: Callable[..., Page], server: ServedPage) -> None:
    server.emit("die.double")
    page = open_page()
    listen(page)
    expect(page.locator("#events .said")).to_have_text(["A double"])
    server.emit("die.triple")
    hears(page, "A triple: move to any space.")


def test_a_screen_reader_reads_who_paid_whom_in_the_log(open_page: Callable[..., Page]) -> None:
    page = open_page("/?lang=de")
    expect(page.locator("#events")).to_match_aria_snapshot(
        """
        - list "Verlauf":
          - listitem:
            - text: Karte 2 an Anna 1,5M
        """
    )
    expect(page.locator("#announcer")).to_be_empty()
