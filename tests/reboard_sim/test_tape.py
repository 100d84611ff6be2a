from __future__ import annotations

from reboard_sim.tape import Tape


def test_only_the_latest_are_kept_and_their_places_never_change() -> None:
    tape: Tape[str] = Tape(3)
    for letter in "abcde":
        tape.append(letter)
    assert list(tape) == ["c", "d", "e"]
    assert (tape.end, len(tape), tape[-1]) == (5, 3, "e")
    assert tape.since(0) == ["c", "d", "e"]
    assert tape.since(4) == ["e"]
    assert tape.since(5) == []


def test_who_asks_from_where_it_was_misses_nothing_and_hears_nothing_twice() -> None:
    tape: Tape[int] = Tape(100)
    heard, place = [], 0
    for number in range(20):
        tape.append(number)
        if number % 3 == 0:
            news, place = tape.news(place)
            heard += news
    news, _ = tape.news(place)
    assert [*heard, *news] == list(range(20))
