"""A rate limit for guesses of the host's PIN, and for players' requests."""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Callable

from reboard.record import Record


class Limits(Record):
    """The limits of a `RateLimit`. The defaults are for guesses of the PIN."""

    free: int = 3
    """The number of guesses that one address can make without a pause, to allow for typing errors."""
    first_pause_s: float = 5.0
    longest_pause_s: float = 300.0
    """The longest pause in seconds. The pause doubles with each wrong guess, from *first_pause_s*."""
    forgotten_s: float = 3600.0
    """The time after which wrong guesses no longer count, in seconds."""
    most_in_all: int = 30
    """The maximum number of wrong guesses from all addresses together within *forgotten_s*.

    An attacker needs two weeks to try all four-digit PINs. One address makes at most 20 of the 30 guesses. An attacker
    with several addresses (with IPv6, one phone has many) can prevent others from signing in for an hour, but cannot
    end a host's session.
    """

    def pause_s(self, wrong: int) -> float:
        """Return the pause after a wrong guess, in seconds. *wrong* is the number of wrong guesses so far."""
        return min(self.first_pause_s * 2.0 ** (wrong - self.free), self.longest_pause_s) if wrong >= self.free else 0.0


GUESSES = Limits()


class RateLimit:
    """A rate limit with a backoff for each address, and a limit for all addresses together.

    It stores only accepted guesses, so its memory is bounded.
    """

    def __init__(self, clock: Callable[[], float], limits: Limits = GUESSES) -> None:
        self._clock = clock
        self._limits = limits
        self._wrong_at: dict[str, list[float]] = {}
        self._in_all: deque[float] = deque(maxlen=limits.most_in_all)

    def begin(self, sender: str) -> float:
        """Return the time that *sender* must wait before a guess, in seconds. 0 means that the guess is accepted.

        A sender is an address, or a name that is none.
        Each accepted guess counts as wrong until `forgive`, so that simultaneous guesses count as well.
        """
        now = self._clock()
        self._forget(now)
        network = _network(sender)
        wrong_at = self._wrong_at.get(network, [])
        wait_s = wrong_at[-1] + self._limits.pause_s(len(wrong_at)) - now if wrong_at else 0.0
        if len(self._in_all) == self._limits.most_in_all:
            wait_s = max(wait_s, self._in_all[0] + self._limits.forgotten_s - now)
        if wait_s > 0:
            return wait_s
        self._wrong_at[network] = [*wrong_at, now]
        self._in_all.append(now)
        return 0.0

    def forgive(self, address: str) -> None:
        """Reset the count of wrong guesses from *address*. Call this after a correct guess."""
        if self._wrong_at.pop(_network(address), None):
            self._in_all.pop()

    def take_back(self, address: str) -> None:
        """Do not count the latest accepted guess from *address*. Call this if it could not be compared."""
        if wrong_at := self._wrong_at.pop(_network(address), None):
            if earlier := wrong_at[:-1]:
                self._wrong_at[_network(address)] = earlier
            self._in_all.pop()

    def _forget(self, now: float) -> None:
        while self._in_all and now - self._in_all[0] >= self._limits.forgotten_s:
            self._in_all.popleft()
        for network, wrong_at in tuple(self._wrong_at.items()):
            if now - wrong_at[-1] >= self._limits.forgotten_s:
                del self._wrong_at[network]


def plain_address(address: str) -> str:
    """Return an IPv4-mapped IPv6 address as IPv4, and any other address unchanged.

    A dual-stack socket reports IPv4 addresses in the mapped form.
    """
    number = ipaddress.ip_address(address)
    return str(number.ipv4_mapped or number) if isinstance(number, ipaddress.IPv6Address) else address


def _network(sender: str) -> str:
    """Return the key under which a sender is counted: the IPv4 address, the IPv6 /64 network, or its name.

    One IPv6 host can use all addresses of its /64 network.
    """
    try:
        number = ipaddress.ip_address(plain_address(sender))
    except ValueError:
        return sender
    if isinstance(number, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(number), 64), strict=False))
    return str(number)
