from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from reboard.parts.slots.tap import Tap
from reboard_sim.virtual_time import run


def let_go(tap: Tap) -> None:
    tap.let_go("A")


def told(*acts: tuple[float, str | Callable[[Tap], None]], until: float = 60) -> list[tuple[float, str, str]]:
    """What a tap tells when at some seconds a tag is seen, or something else is done to it."""
    notes: list[tuple[float, str, str]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        tap = Tap()
        tap.start(
            lambda tag: notes.append((loop.time(), "in", tag)), lambda tag: notes.append((loop.time(), "out", tag))
        )
        for at, act in acts:
            await asyncio.sleep(at - loop.time())
            if callable(act):
                act(tap)
            else:
                tap.seen(act)
            is_in = notes and notes[-1][1] == "in"
            assert tap.tag == (notes[-1][2] if is_in else None) or act in (let_go, Tap.close)
        await asyncio.sleep(until - loop.time())

    run(main)
    return [(round(t, 6), what, tag) for t, what, tag in notes]


def test_the_first_tap_is_the_insertion_and_the_second_the_removal() -> None:
    assert told((1, "A"), (9, "A"), (20, "A")) == [(1, "in", "A"), (9, "out", "A"), (20, "in", "A")]


def test_a_card_stays_for_as_long_as_nothing_is_done() -> None:
    assert told((1, "A"), until=100_000) == [(1, "in", "A")]


def test_another_card_means_that_the_first_one_went() -> None:
    assert told((1, "A"), (1.1, "B")) == [(1, "in", "A"), (1.1, "out", "A"), (1.1, "in", "B")]


def test_a_tap_that_is_read_twice_is_one_tap() -> None:
    assert told((1, "A"), (1.9, "A")) == [(1, "in", "A")]


def test_a_card_that_lies_on_its_reader_and_flickers_is_one_tap_however_long() -> None:
    assert told(*((0.9 * n, "A") for n in range(50)), until=50) == [(0, "in", "A")]


def test_the_tap_that_takes_a_card_out_may_be_read_twice_too() -> None:
    assert told((1, "A"), (5, "A"), (5.5, "A"), (6.4, "A")) == [(1, "in", "A"), (5, "out", "A")]


@pytest.mark.parametrize("after_s", [0.999, 1.0])
def test_two_taps_are_two_from_one_second_on(after_s: float) -> None:
    assert len(told((0, "A"), (after_s, "A"))) == (2 if after_s >= 1 else 1)


def test_a_card_goes_five_seconds_after_the_last_thing_that_was_done_with_it() -> None:
    assert told((1, "A"), (10, Tap.done), (14, Tap.done)) == [(1, "in", "A"), (19, "out", "A")]


def test_what_was_done_with_one_card_sends_no_other_away() -> None:
    expected = [(1, "in", "A"), (3, "out", "A"), (3, "in", "B")]
    assert told((1, "A"), (2, Tap.done), (3, "B"), until=100) == expected
    assert told((1, "A"), (2, Tap.done), (3, "A"), (5, "A"), until=100) == [
        (1, "in", "A"),
        (3, "out", "A"),
        (5, "in", "A"),
    ]


def in_use(tap: Tap) -> None:
    tap.in_use(True)


def no_longer(tap: Tap) -> None:
    tap.in_use(False)


def test_a_card_in_use_is_not_done_and_then_has_its_five_seconds() -> None:
    assert told((1, "A"), (2, Tap.done), (4, in_use), (90, no_longer), until=100) == [(1, "in", "A"), (95, "out", "A")]
    assert told((1, "A"), (2, in_use), (3, Tap.done), (50, no_longer)) == [(1, "in", "A"), (55, "out", "A")]


def test_whatever_is_touched_begins_the_five_seconds_anew() -> None:
    assert told((1, "A"), (2, Tap.done), (6, no_longer), (9, no_longer)) == [(1, "in", "A"), (14, "out", "A")]


def test_a_card_with_which_nothing_was_done_stays_after_it_was_in_use() -> None:
    assert told((1, "A"), (2, in_use), (3, no_longer), until=1000) == [(1, "in", "A")]


def test_what_was_done_with_the_card_before_does_not_send_the_next_one_away() -> None:
    expected = [(1, "in", "A"), (3, "out", "A"), (3, "in", "B")]
    assert told((1, "A"), (2, Tap.done), (3, "B"), (4, no_longer), until=100) == expected


def test_a_card_that_is_let_go_is_out_and_nobody_is_told() -> None:
    assert told((1, "A"), (2, Tap.done), (5, let_go), (5.5, let_go), (8, "A"), until=60) == [
        (1, "in", "A"),
        (8, "in", "A"),
    ]


def test_only_the_card_that_is_named_is_let_go() -> None:
    assert told((1, "A"), (2, "B"), (3, let_go), (9, "B")) == [
        (1, "in", "A"),
        (2, "out", "A"),
        (2, "in", "B"),
        (9, "out", "B"),
    ]


def test_nothing_is_done_without_a_card() -> None:
    assert told((1, Tap.done), (2, "A"), until=100) == [(2, "in", "A")]


def test_a_card_whose_reader_went_away_is_out() -> None:
    assert told((1, "A"), (2, Tap.lost), (3, Tap.lost)) == [(1, "in", "A"), (2, "out", "A")]


def test_a_closed_tap_calls_nobody() -> None:
    assert told((1, "A"), (2, Tap.done), (3, Tap.close), until=100) == [(1, "in", "A")]
