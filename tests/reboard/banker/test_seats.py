from __future__ import annotations

from reboard.banker.seats import Seat, Seats


def test_a_card_sits_until_it_leaves() -> None:
    seats = Seats()
    seats.sit("left", Seat("AA", 1))
    assert (seats.tag("left"), seats.number("left"), seats.taken, seats.alone) == ("AA", 1, ("left",), 1)
    assert seats.leave("left") == Seat("AA", 1)
    assert (seats.tag("left"), seats.number("left"), seats.taken, seats.alone) == (None, None, (), None)
    assert seats.leave("left") is None


def test_a_refused_card_is_there_and_takes_no_slot() -> None:
    seats = Seats()
    seats.sit("left", Seat("AA"))
    seats.sit("right", Seat("BB", 2))
    assert seats.tag("left") == "AA"
    assert seats.taken == ("right",)
    assert seats.alone == 2
    assert not seats.plays("AA")
    assert seats.plays("BB")


def test_of_two_cards_none_is_alone() -> None:
    seats = Seats()
    seats.sit("right", Seat("BB", 2))
    seats.sit("left", Seat("AA", 1))
    assert seats.alone is None
    assert set(seats.taken) == {"left", "right"}
