"""The end of a quick game: what each player is worth, and who has won.

The rule book of The World Edition has the banker add up, for each player, money, sites at their board price, mortgaged
ones at half, and houses and hotels at what they cost. A hotel counts the value of three houses besides, and Nintendo's
short game counts it in the same way. Nothing of it is booked.
"""

from __future__ import annotations

import asyncio
from math import inf

from reboard.banker.desk import Desk
from reboard.banker.dialogs.dialog import Dialog
from reboard.banker.ranking import ranking
from reboard.banker.texts import Text
from reboard.edition import DISPLAY_WIDTH
from reboard.refusal import REFUSALS, Refusal

PATIENCE_S = 600.0
"""Deeds and houses are added up on the table between two cards, and what was counted is not to be lost meanwhile."""

ANSWER_S = 5.0
"""How long ``C`` is an answer to whether the count ends."""


class FinalCount:
    """With one card in, each amount that is entered is added to that player's worth, and ``C`` takes the last one back.

    ``GO`` ends the game and shows the ranking, best first, one player a press. ``C`` with nothing to take back leaves;
    when something was counted, it asks before. Who has gone bankrupt is not counted.
    """

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._added: dict[int, list[int]] = {}
        self._asked_at = -inf

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Begin with what is on the cards, and show what a hotel counts, which players forget."""
        desk.say(desk.texts(Text.HOTEL_COUNTS))
        return cls(desk)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        card = self._desk.seats.alone
        if card is None:
            wanted = REFUSALS["two cards"].display if self._desk.seats.taken else Text.INSERT_CARD
            return self._desk.texts(Text.FINAL_COUNT), self._desk.texts(wanted)
        added = self._added.get(card)
        last = self._desk.entry.text or (self._desk.shown(added[-1]) if added else "")
        return f"{card} {self._desk.shown(self._worth(card))}", f"+ {last}".rstrip().rjust(DISPLAY_WIDTH)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        card = self._desk.seats.alone
        asked_at, self._asked_at = self._asked_at, -inf
        if key == "GO":
            self._desk.entry.clear()
            return await Ranking.open(self._desk, self)
        if key == "C":
            return self._taken_back(card, was_asked=self._now() < asked_at + ANSWER_S)
        if key == "DEAL":
            raise Refusal("dialog")
        if card is None:
            raise Refusal("two cards" if self._desk.seats.taken else "no card")
        if key in self._desk.till.edition.money.entering_keys:
            self._add(card, key)
        else:
            self._desk.entry.type(key)
            self._desk.speaker.play("key")
        return self

    def worths(self) -> dict[int, int]:
        """What each player is worth who is in the game."""
        return {card: self._worth(card) for card in self._desk.till.playing}

    def _add(self, card: int, key: str) -> None:
        money = self._desk.till.edition.money
        try:
            amount = self._desk.entry.amount(key, money)
        finally:
            self._desk.entry.clear()
        if card in self._desk.till.retired:
            raise Refusal("bankrupt")
        if self._worth(card) + amount > money.largest:
            raise Refusal("too much")
        self._added.setdefault(card, []).append(amount)
        self._desk.speaker.play("received")

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _taken_back(self, card: int | None, *, was_asked: bool) -> Dialog | None:
        added = self._added.get(card or 0)
        if self._desk.entry.text or self._desk.entry.is_torn:
            self._desk.entry.clear()
        elif added:
            added.pop()
        elif any(self._added.values()) and not was_asked:
            self._asked_at = self._now()
            self._desk.say(self._desk.texts(Text.COUNT_ENDS))
            return self
        else:
            return None
        self._desk.speaker.play("undone")
        return self

    def _worth(self, card: int) -> int:
        return self._desk.till.balances[card] + sum(self._added.get(card, ()))


class Ranking:
    """Who has won: one player at a time, best first; equals share a place. ``C`` goes back to counting."""

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk, count: FinalCount) -> None:
        self._desk = desk
        self._count = count
        self._at = 0

    @classmethod
    async def open(cls, desk: Desk, count: FinalCount) -> Dialog:
        """End the game with what was counted, unless it is over with just that."""
        worths = count.worths()
        if not worths:
            raise Refusal("no card")
        if not desk.till.ended or desk.till.ended.worths != worths:
            await desk.end_game(worths)
        return cls(desk, count)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        ranked = ranking(self._count.worths())
        player = ranked[self._at % len(ranked)]
        first = f"{player.place}. {self._desk.who(player.card)}"
        return first, self._desk.shown(player.worth).rjust(DISPLAY_WIDTH)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return self._count
        if key == "GO":
            self._at += 1
        else:
            raise Refusal("dialog")
        return self
