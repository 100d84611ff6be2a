from __future__ import annotations

from reboard.web.rate_limit import GUESSES, RateLimit

PHONE, LAPTOP = "192.168.1.7", "192.168.1.8"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def wrong_in(seconds: float, limit: RateLimit, clock: Clock, *addresses: str) -> int:
    """Return the number of wrong guesses when all *addresses* guess as often as they may."""
    until = clock.now + seconds
    through = 0
    while clock.now < until:
        waits = [limit.begin(address) for address in addresses]
        through += waits.count(0.0)
        clock.now += min(waits) or 0.001
    return through


def test_each_further_wrong_guess_costs_a_longer_pause() -> None:
    clock = Clock()
    limit = RateLimit(clock)
    assert [limit.begin(PHONE) for _ in range(GUESSES.free)] == [0.0] * GUESSES.free
    clock.now += 2.0
    assert {limit.begin(PHONE) for _ in range(100)} == {GUESSES.first_pause_s - 2.0}, (
        "asking does not lengthen the pause"
    )
    clock.now -= 2.0
    pauses = []
    for _ in range(8):
        pauses.append(limit.begin(PHONE))
        clock.now += pauses[-1]
        assert limit.begin(PHONE) == 0.0
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0, 300.0]


def test_wrong_guesses_are_forgiven_and_forgotten() -> None:
    clock = Clock()
    limit = RateLimit(clock)
    for _ in range(10 * GUESSES.most_in_all):
        assert limit.begin(PHONE) == 0.0
        limit.forgive(PHONE)
    assert GUESSES.free < wrong_in(GUESSES.forgotten_s, limit, clock, PHONE) < GUESSES.most_in_all
    assert limit.begin(LAPTOP) == 0.0, "one guesser leaves room for others"
    clock.now += GUESSES.forgotten_s
    assert [limit.begin(PHONE) for _ in range(GUESSES.free)] == [0.0] * GUESSES.free


def test_many_addresses_need_weeks_for_all_pins() -> None:
    clock = Clock()
    day = wrong_in(24 * 3600, RateLimit(clock), clock, *(f"10.0.{n // 256}.{n % 256}" for n in range(200)))
    assert 10_000 / day > 13


def test_an_ipv6_network_counts_as_one_address_and_a_wrapped_ipv4_address_as_itself() -> None:
    limit = RateLimit(Clock())
    assert [limit.begin(f"2001:db8::{n:x}") for n in range(GUESSES.free)] == [0.0] * GUESSES.free
    assert limit.begin("2001:db8::ffff") > 0
    assert limit.begin("2001:db8:0:1::1") == 0.0
    assert limit.begin("fe80::1%eth0") == 0.0
    assert [limit.begin(address) for address in (PHONE, f"::ffff:{PHONE}", PHONE)] == [0.0] * 3
    assert limit.begin(f"::ffff:{PHONE}") > 0
