"""The original game's own cards: plastic with up to three bumps, felt by three microswitches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from typing import Literal

from gpiozero import Factory

from reboard.events import Emit, to_nobody
from reboard.parts.wire import InputWire
from reboard.trouble import Trouble

WEIGHTS = (1, 2, 4)
"""What each switch adds to a card's code: the first, the second and the third."""

SETTLE_S = 0.35
"""A card that is pushed in slowly or askew closes its switches up to 0.3 s apart, and until the last one each of them
looks like another card; 50 ms are for the bounce of the last."""

RESTLESS_S = 5.0
"""Nobody pushes a card in for so long: a switch or a wire that still moves is loose."""


class Bumps:
    """A slot with three microswitches, each between a pin and ground; see `reboard.parts.slots.slot.Slot`.

    *switches* are the pins of those that count 1, 2 and 4. A card's code is read when all three were steady for
    `SETTLE_S`: no switch closed is no card. Switches that do not come to rest are a ``fault``, and until they do the
    slot stays as it was. Raises `PartError` when a pin cannot be had.
    """

    def __init__(
        self,
        switches: Sequence[int],
        *,
        pins: Factory,
        emit: Emit = to_nobody,
        name: Literal["left", "right"],
    ) -> None:
        if len(switches) != len(WEIGHTS):
            raise ValueError(f"a slot for original cards has 3 switches, not {len(switches)}")
        self._loop = asyncio.get_running_loop()
        self._where = ", ".join(f"GPIO{pin}" for pin in switches)
        self._trouble = Trouble(f"{name} slot", emit)
        self._inserted: Callable[[str], None] | None = None
        self._removed: Callable[[str], None] | None = None
        self._moved_at = self._moving_since = 0.0
        self._settling: asyncio.TimerHandle | None = None
        self._cards = self._times_restless = 0
        self.tag: str | None = None
        with ExitStack() as wires:
            self._wires = [
                wires.enter_context(closing(InputWire(pin, pins=pins, part=f"{name} slot", edge=self._edge)))
                for pin in switches
            ]
            self._given_back = wires.pop_all()

    def __repr__(self) -> str:
        return f"<Bumps {self._where} tag={self.tag}, {self.health}>"

    @property
    def description(self) -> str:
        """What reads this slot and where."""
        return f"three switches for the original cards on {self._where}"

    @property
    def health(self) -> str:
        """What was felt so far."""
        return f"{self._cards} cards, {self._times_restless} times restless"

    def start(self, inserted: Callable[[str], None], removed: Callable[[str], None]) -> None:
        """Begin to feel; a card that is in already is told as soon as it is sure which one it is."""
        self._inserted, self._removed = inserted, removed
        self._edge(True)

    def done(self) -> None:
        """Nothing: that a card is taken out can be felt."""

    def in_use(self, on: bool) -> None:
        """Nothing: that a card is taken out can be felt."""

    def let_go(self, tag: str) -> bool:
        """No: that a card is taken out can be felt."""
        return False

    def close(self) -> None:
        """Feel nothing more and give the pins back. May be called twice."""
        self._inserted = self._removed = self.tag = None
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        self._given_back.close()

    def _edge(self, _is_closed: bool) -> None:
        if self._inserted is None:
            return
        self._moved_at = self._loop.time()
        if self._settling is None:
            self._moving_since = self._moved_at
            self._settling = self._loop.call_at(self._moved_at + SETTLE_S, self._look)

    def _look(self) -> None:
        # A timer that is set anew only when it rings: a chattering switch has edges by the thousand.
        now, steady_at = self._loop.time(), self._moved_at + SETTLE_S
        if now < steady_at:
            self._settling = self._loop.call_at(steady_at, self._look)
            if now >= self._moving_since + RESTLESS_S:
                self._tell_unrest()
            return
        self._settling = None
        self._trouble.tell(None)
        self._read()

    def _read(self) -> None:
        code = sum(weight for weight, wire in zip(WEIGHTS, self._wires, strict=True) if wire.is_active)
        tag = f"bumps-{code}" if code else None
        before, self.tag = self.tag, tag
        if tag == before:
            return
        if before is not None and self._removed is not None:
            self._removed(before)
        if tag is not None and self._inserted is not None:
            self._cards += 1
            self._inserted(tag)

    def _tell_unrest(self) -> None:
        cause = f"the card switches on {self._where} do not come to rest: one of them, or its wire, is loose"
        self._times_restless += self._trouble.tell(cause)
