from __future__ import annotations

import sys
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from reboard.page.guesses import FIRST_PAUSE_S, FORGOTTEN_S, FREE, LONGEST_PAUSE_S, MOST_IN_ALL, Guesses

PHONE, LAPTOP = "192.168.1.7", "192.168.1.8"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def wrong_in(seconds: float, guesses: Guesses, clock: Clock, *addresses: str) -> int:
    """How many wrong guesses get through when all *addresses* guess whenever they may."""
    until = clock.now + seconds
    through = 0
    while clock.now < until:
        waits = [guesses.begin(address) for address in addresses]
        through += waits.count(0.0)
        clock.now += min(waits) or 0.001
    return through


def test_fingers_may_slip_and_each_further_wrong_guess_costs_a_longer_pause() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    assert [guesses.begin(PHONE) for _ in range(FREE)] == [0.0] * FREE
    pauses = []
    for _ in range(8):
        pauses.append(guesses.begin(PHONE))
        clock.now += pauses[-1]
        assert guesses.begin(PHONE) == 0.0
    assert pauses == [FIRST_PAUSE_S, 10.0, 20.0, 40.0, 80.0, 160.0, LONGEST_PAUSE_S, LONGEST_PAUSE_S]


def test_the_pause_gets_shorter_while_one_waits_and_no_longer_by_asking() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    while not guesses.begin(PHONE):
        pass
    clock.now += 2.0
    assert [guesses.begin(PHONE) for _ in range(100)] == [FIRST_PAUSE_S - 2.0] * 100


def test_others_need_not_wait_for_one_who_guesses() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    assert FREE < wrong_in(FORGOTTEN_S, guesses, clock, PHONE) < MOST_IN_ALL
    assert guesses.begin(LAPTOP) == 0.0


def test_a_right_guess_is_no_wrong_one_and_forgives_those_before_it() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    for _ in range(10 * MOST_IN_ALL):
        assert guesses.begin(PHONE) == 0.0
        guesses.was_right(PHONE)
    assert [guesses.begin(PHONE) for _ in range(FREE)] == [0.0] * FREE
    assert guesses.begin(PHONE) > 0


def test_wrong_guesses_are_forgotten_after_an_hour() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    wrong_in(600, guesses, clock, PHONE)
    clock.now += FORGOTTEN_S
    assert [guesses.begin(PHONE) for _ in range(FREE)] == [0.0] * FREE


def test_however_many_addresses_guess_it_takes_weeks_to_try_all_pins() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    addresses = [f"10.0.{n // 256}.{n % 256}" for n in range(1000)]
    day = wrong_in(24 * 3600, guesses, clock, *addresses)
    assert day <= 24 * MOST_IN_ALL
    assert 10_000 / day > 13


def test_all_addresses_of_one_ipv6_network_are_one_and_a_wrapped_ipv4_address_is_itself() -> None:
    guesses = Guesses(Clock())
    assert [guesses.begin(f"2001:db8::{n:x}") for n in range(FREE)] == [0.0] * FREE
    assert guesses.begin("2001:db8::ffff") > 0
    assert guesses.begin("2001:db8:0:1::1") == 0.0
    assert guesses.begin("fe80::1%eth0") == 0.0
    assert [guesses.begin(address) for address in (PHONE, f"::ffff:{PHONE}", PHONE)] == [0.0] * 3
    assert guesses.begin(f"::ffff:{PHONE}") > 0


def test_a_million_addresses_take_no_more_memory_than_a_few() -> None:
    guesses = Guesses(Clock())
    for n in range(20_000):
        guesses.begin(f"2001:db8:{n:x}::1")
    assert sum(map(sys.getsizeof, vars(guesses).values())) < 10_000


@given(st.lists(st.tuples(st.sampled_from([PHONE, LAPTOP]), st.floats(0, 100)), max_size=100))
@example([(PHONE, pause_s) for pause_s in (0.0, 0.0, 0.0, 5.0, 10.0, 20.0, 40.0, 80.0, *[80.0] * 20)])
def test_no_address_gets_more_than_its_share_whatever_its_rhythm(asked: list[tuple[str, float]]) -> None:
    clock = Clock()
    guesses = Guesses(clock)
    through: dict[str, list[float]] = {PHONE: [], LAPTOP: []}
    for address, pause_s in asked:
        clock.now += pause_s
        if guesses.begin(address) == 0.0:
            through[address].append(clock.now)
    for times in through.values():
        number = 0
        for before, after in pairwise(times):
            number += 1
            if after - before >= FORGOTTEN_S:
                number = 0
            elif number >= FREE:
                assert after - before >= min(FIRST_PAUSE_S * 2 ** (number - FREE), LONGEST_PAUSE_S) * 0.999
