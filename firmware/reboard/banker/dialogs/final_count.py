"""The end of a quick game: what each player is worth, and who has won.

The rule book of The World Edition has the banker add up, for each player, money, sites at their board price, mortgaged
ones at half, and houses and hotels at what they cost. Nothing of it is booked.
"""

from __future__ import annotations

from reboard.banker.desk import Desk
from reboard.banker.dialogs.dialog import Dialog
from reboard.banker.entry import Entry
from reboard.banker.texts import Text
from reboard.edition import DISPLAY_WIDTH
from reboard.refusal import Refusal


class FinalCount:
    """With one card in, each amount that is entered is added to that player's worth, and ``C`` takes the last one back.

    ``GO`` shows the ranking, best first, one player a press. ``C`` with nothing to take back leaves.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._entry = Entry()
        self._typed_for: int | None = None
        self._added: dict[int, list[int]] = {}

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Begin with what is on the cards."""
        return cls(desk)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        card = self._desk.seats.alone
        if card is None:
            return self._desk.texts(Text.FINAL_COUNT), self._desk.texts(Text.INSERT_CARD)
        added = self._added.get(card)
        last = self._typed(card) or (self._desk.shown(added[-1]) if added else "")
        return f"{card} {self._desk.shown(self._worth(card))}", f"+ {last}".rstrip().rjust(DISPLAY_WIDTH)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        card = self._desk.seats.alone
        if key == "GO":
            return Ranking(self._desk, self._worths(), back=self)
        if key == "C":
            return self._taken_back(card)
        if card is None:
            raise Refusal("no card")
        if not self._typed(card):
            self._entry.clear()
        self._typed_for = card
        if key in self._desk.till.edition.money.entering_keys:
            self._add(card, key)
        elif key != "DEAL":
            self._entry.type(key)
            self._desk.speaker.play("key")
        return self

    def _typed(self, card: int) -> str:
        """What is being typed for *card*; what was typed for another one does not count."""
        return self._entry.text if card == self._typed_for else ""

    def _add(self, card: int, key: str) -> None:
        money = self._desk.till.edition.money
        try:
            amount = self._entry.amount(key, money)
        finally:
            self._entry.clear()
        if self._worth(card) + amount > money.largest:
            raise Refusal("too much")
        self._added.setdefault(card, []).append(amount)
        self._desk.speaker.play("received")

    def _taken_back(self, card: int | None) -> Dialog | None:
        added = self._added.get(card or 0)
        if card and self._typed(card):
            self._entry.clear()
        elif added:
            added.pop()
        else:
            return None
        self._desk.speaker.play("undone")
        return self

    def _worth(self, card: int) -> int:
        return self._desk.till.balances[card] + sum(self._added.get(card, ()))

    def _worths(self) -> dict[int, int]:
        return {card: self._worth(card) for card in self._desk.till.balances if card not in self._desk.till.retired}


class Ranking:
    """Who has won: one player at a time, best first; equals share a place. ``C`` goes back to counting."""

    def __init__(self, desk: Desk, worths: dict[int, int], *, back: Dialog) -> None:
        if not worths:
            raise Refusal("no card")
        self._desk = desk
        self._back = back
        self._ranked = sorted(worths.items(), key=lambda player: (-player[1], player[0]))
        self._at = 0

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        card, worth = self._ranked[self._at]
        place = 1 + sum(other > worth for _, other in self._ranked)
        return f"{place}. {self._desk.who(card)}", self._desk.shown(worth).rjust(DISPLAY_WIDTH)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return self._back
        if key == "GO":
            self._at = (self._at + 1) % len(self._ranked)
        return self
