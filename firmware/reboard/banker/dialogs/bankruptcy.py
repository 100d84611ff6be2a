"""Bankruptcy: all that a player has left goes to a creditor or to the bank, and the card retires."""

from __future__ import annotations

from contextlib import suppress

from reboard.banker.corrections import Retirement
from reboard.banker.desk import Desk
from reboard.banker.dialogs.dialog import PATIENCE_S, Dialog
from reboard.banker.dialogs.final_count import FinalCount
from reboard.banker.ledger import BANK
from reboard.banker.texts import Text
from reboard.edition import DISPLAY_WIDTH
from reboard.refusal import REFUSALS, Refusal


class Bankruptcy:
    """The bankrupt's card is in the right slot, the creditor's in the left one, or nobody's: then the bank gets it.

    ``M`` does it, which may end the game, and ``C`` leaves. The ``M`` that enters an amount does nothing. Afterwards
    ``C`` takes it back while the card is still in, like any transfer. The bank forgives what a card owes. The
    same dialog brings a retired card back. It gets its money back, if the creditor still has as much.
    """

    patience_s = PATIENCE_S

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._is_amount = False

    @classmethod
    async def open(cls, desk: Desk) -> Dialog:
        """Begin by asking for the card."""
        return cls(desk)

    def lines(self) -> tuple[str, str]:
        """See `Dialog`."""
        card, creditor = self._desk.seats.number("right"), self._desk.seats.number("left")
        texts = self._desk.texts
        if card is None:
            return texts(Text.BANKRUPTCY), texts(Text.CARD_TO_RIGHT)
        first = f"-{card} {self._desk.shown(self._desk.till.balances[card])}"
        if card in self._desk.till.retired:
            return first, texts(Text.COME_BACK)
        if self._desk.till.balances[card] < 0:
            return first, texts(Text.BANK_FORGIVES)
        return first, self._all_to(creditor or BANK)

    async def key(self, key: str) -> Dialog | None:
        """See `Dialog`."""
        if key == "C":
            return None
        if key != "M" or self._is_amount:
            # a user who leaned on GO and types 200M opens this dialog with the 2, and means no bankruptcy by the M
            self._is_amount = key in "0123456789."
            raise Refusal("dialog")
        card = self._desk.seats.number("right")
        if card is None:
            raise Refusal("no card")
        if card in self._desk.till.retired:
            await self._desk.till.readmit(card)
            self._desk.speaker.play("undone")
            self._desk.say(self._desk.texts(Text.BACK_IN))
            return None
        transfer = await self._desk.till.bankrupt(card, self._desk.seats.number("left") or BANK)
        self._desk.booked(transfer or Retirement(card))
        if self._desk.till.is_over:
            return await self._game_over()
        self._desk.speaker.play("paid")
        self._desk.say(self._desk.texts(REFUSALS["bankrupt"].display))
        return None

    async def _game_over(self) -> Dialog | None:
        """One player is left and has won; of several, the final count says who has."""
        till = self._desk.till
        count: Dialog | None = None
        if len(till.playing) > 1:
            count = await FinalCount.open(self._desk)
            self._desk.speaker.play("time_up")
        else:
            # the bankruptcy is booked: a disk that does not take the end must not leave M: BACK IN on the display
            with suppress(Refusal):
                await self._desk.end_game({card: till.balances[card] for card in till.playing})
        self._desk.say(self._desk.texts(Text.GAME_OVER))
        return count

    def _all_to(self, creditor: int) -> str:
        if creditor == BANK:
            return self._desk.texts(Text.ALL_TO_BANK)
        named = self._desk.texts(Text.ALL_TO, who=self._desk.who(creditor))
        # half a name is better than none on the ranking, but here money is given away
        if len(named) > DISPLAY_WIDTH:
            return self._desk.texts(Text.ALL_TO, who=self._desk.texts(Text.CARD, number=creditor))
        return named
