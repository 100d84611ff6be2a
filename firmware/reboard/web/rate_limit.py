"""A limit for guesses of the host's PIN."""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

FREE = 3
"""The number of wrong guesses from one address without a pause, for typing errors."""
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0
"""The longest pause. The pause doubles with each further wrong guess."""
FORGOTTEN_S = 3600.0
"""The time after which wrong guesses are forgotten."""
MOST_IN_ALL = 30
"""The maximum number of wrong guesses from all addresses together within `FORGOTTEN_S`.

An attacker needs two weeks for all PINs of four digits. One address makes at most 20 of the 30 guesses. An attacker
with several addresses (with IPv6, one phone has many) can prevent others from signing in for an hour. The attacker
cannot end a host's session.
"""


@dataclass(slots=True)
class _Guesser:
    wrong: int
    last_at: float

    @property
    def pause_s(self) -> float:
        return min(FIRST_PAUSE_S * 2.0 ** (self.wrong - FREE), LONGEST_PAUSE_S) if self.wrong >= FREE else 0.0


class RateLimit:
    """The counts of guesses by address and in all. Only accepted guesses are counted, so the memory is bounded."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._guessers: dict[str, _Guesser] = {}
        self._in_all: deque[float] = deque(maxlen=MOST_IN_ALL)

    def begin(self, address: str) -> float:
        """Return how many seconds *address* has to wait before its guess. 0 accepts the guess.

        A guess counts as wrong until `forgive`, so that each of several guesses at the same time counts.
        """
        now = self._clock()
        self._forget(now)
        network = _network(address)
        guesser = self._guessers.get(network) or _Guesser(0, now)
        wait_s = guesser.last_at + guesser.pause_s - now
        if len(self._in_all) == MOST_IN_ALL:
            wait_s = max(wait_s, self._in_all[0] + FORGOTTEN_S - now)
        if wait_s > 0:
            return wait_s
        self._guessers[network] = _Guesser(guesser.wrong + 1, now)
        self._in_all.append(now)
        return 0.0

    def forgive(self, address: str) -> None:
        """Forget the wrong guesses of *address*, because its last one was right."""
        if self._guessers.pop(_network(address), None):
            self._in_all.pop()

    def _forget(self, now: float) -> None:
        while self._in_all and now - self._in_all[0] >= FORGOTTEN_S:
            self._in_all.popleft()
        for network, guesser in tuple(self._guessers.items()):
            if now - guesser.last_at >= FORGOTTEN_S:
                del self._guessers[network]


def plain_address(address: str) -> str:
    """Return an address in its own family. A socket for both families shows an IPv4 address as IPv6."""
    number = ipaddress.ip_address(address)
    return str(number.ipv4_mapped or number) if isinstance(number, ipaddress.IPv6Address) else address


def _network(address: str) -> str:
    """Return the network that counts as one address. One IPv6 host has all 2**64 addresses of its network."""
    number = ipaddress.ip_address(plain_address(address))
    if isinstance(number, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(number), 64), strict=False))
    return str(number)
