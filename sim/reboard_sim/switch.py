"""A mechanical switch between two wires: it bounces, and misbehaves on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

from reboard_sim.line import Line

MOST_BOUNCES = 3
CHATTER_CLOSED_S = (0.05, 0.5)
CHATTER_OPEN_S = (0.0005, 0.02)


class Switch:
    """Joins *line* to *other* (a pin's wire to the header's ground, say) while a hand holds it closed.

    The contact moves at once and then bounces for at most *bounce_s* seconds, differently each time, as *rng* draws.
    """

    def __init__(self, line: Line, other: Line, *, rng: Random | None = None, bounce_s: float = 0.002) -> None:
        self.bounce_s = bounce_s
        self._line, self._other = line, other
        self._rng = rng or Random(0)
        self._loop = asyncio.get_running_loop()
        self._is_held = False
        self._touches = False
        self._chatters = False
        self._is_stuck = False
        self._moves: list[asyncio.TimerHandle] = []

    @property
    def is_closed(self) -> bool:
        """Whether a hand holds it closed, whatever the contact does."""
        return self._is_held

    def close(self) -> None:
        """Hold it closed."""
        self._hold(True)

    def open(self) -> None:
        """Let it go."""
        self._hold(False)

    @property
    def chatter(self) -> bool:
        """Whether the contact opens and closes by itself, at random, while it is held closed."""
        return self._chatters

    @chatter.setter
    def chatter(self, chatters: bool) -> None:
        self._chatters = chatters
        self._move()

    @property
    def stuck(self) -> bool:
        """Whether the contact stays as it is, whatever the hand does. It catches up when it comes free."""
        return self._is_stuck

    @stuck.setter
    def stuck(self, stuck: bool) -> None:
        self._is_stuck = stuck
        self._move()

    def __repr__(self) -> str:
        return f"<Switch {self._line.name} to {self._other.name}, is_closed={self._is_held}>"

    def _hold(self, held: bool) -> None:
        if held != self._is_held:
            self._is_held = held
            self._move()

    def _move(self) -> None:
        for move in self._moves:
            move.cancel()
        self._moves = []
        if self._is_stuck:
            return
        if self._touches != self._is_held:
            self._touch(self._is_held)
            self._bounce()
        if self._chatters and self._is_held:
            self._later(self.bounce_s + self._rng.uniform(*CHATTER_CLOSED_S), self._slip)

    def _bounce(self) -> None:
        bounces = self._rng.randint(1, MOST_BOUNCES) if self.bounce_s else 0
        for place, after_s in enumerate(sorted(self._rng.uniform(0, self.bounce_s) for _ in range(2 * bounces))):
            self._later(after_s, self._touch, self._is_held is (place % 2 == 1))

    def _slip(self) -> None:
        """Lose contact for a moment, and again after a while."""
        open_s = self._rng.uniform(*CHATTER_OPEN_S)
        self._touch(False)
        self._moves.clear()
        self._later(open_s, self._touch, True)
        self._later(open_s + self._rng.uniform(*CHATTER_CLOSED_S), self._slip)

    def _later(self, after_s: float, what: Callable[..., None], *args: bool) -> None:
        self._moves.append(self._loop.call_later(after_s, what, *args))

    def _touch(self, touches: bool) -> None:
        if touches == self._touches:
            return
        self._touches = touches
        if touches:
            self._line.join(self._other)
        else:
            self._line.part(self._other)
