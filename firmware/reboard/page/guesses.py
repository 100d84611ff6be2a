"""How often somebody may guess the host's PIN."""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

FREE = 3
"""So many wrong guesses from one address cost no pause: fingers slip."""
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 300.0
"""The pause after each further one doubles up to this."""
FORGOTTEN_S = 3600.0
"""A wrong guess is forgotten after so long."""
MOST_IN_ALL = 30
"""And in that time nobody guesses wrongly more often than this, from however many addresses.

Whoever tries all PINs of four digits needs two weeks. One address alone gets no more than 20 in; whoever has several,
as one phone has with IPv6, can keep others from guessing for an hour, though not a host from being it.
"""


@dataclass(slots=True)
class _Guesser:
    """*wrong* guesses from one address, the last of them at *last_at*."""

    wrong: int
    last_at: float

    @property
    def pause_s(self) -> float:
        return min(FIRST_PAUSE_S * 2.0 ** (self.wrong - FREE), LONGEST_PAUSE_S) if self.wrong >= FREE else 0.0


class Guesses:
    """Guesses at the PIN, by address and in all; *clock* tells seconds.

    What is kept of them is bounded by what is let through: nobody who has to wait is remembered for asking.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._guessers: dict[str, _Guesser] = {}
        self._in_all: deque[float] = deque(maxlen=MOST_IN_ALL)

    def begin(self, address: str) -> float:
        """How many seconds *address* has to wait before it may guess. 0: this guess is let through.

        It then counts as wrong until `was_right` says otherwise, so that guesses made at once count each for itself.
        """
        now = self._clock()
        self._forget(now)
        house = _house(address)
        guesser = self._guessers.get(house) or _Guesser(0, now)
        wait_s = guesser.last_at + guesser.pause_s - now
        if len(self._in_all) == MOST_IN_ALL:
            wait_s = max(wait_s, self._in_all[0] + FORGOTTEN_S - now)
        if wait_s > 0:
            return wait_s
        self._guessers[house] = _Guesser(guesser.wrong + 1, now)
        self._in_all.append(now)
        return 0.0

    def was_right(self, address: str) -> None:
        """The guess that *address* began last was the PIN: whoever sits there is forgiven."""
        if self._guessers.pop(_house(address), None):
            self._in_all.pop()

    def _forget(self, now: float) -> None:
        while self._in_all and now - self._in_all[0] >= FORGOTTEN_S:
            self._in_all.popleft()
        for house, guesser in tuple(self._guessers.items()):
            if now - guesser.last_at >= FORGOTTEN_S:
                del self._guessers[house]


def without_disguise(address: str) -> str:
    """*address* itself, also where a socket for both kinds of addresses wraps an old one in a new one."""
    number = ipaddress.ip_address(address)
    return str(number.ipv4_mapped or number) if isinstance(number, ipaddress.IPv6Address) else address


def _house(address: str) -> str:
    """What counts as one address: with IPv6 everybody has 2**64 of them, which all begin alike."""
    number = ipaddress.ip_address(without_disguise(address))
    if isinstance(number, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(number), 64), strict=False))
    return str(number)
