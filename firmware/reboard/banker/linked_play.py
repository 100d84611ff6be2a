"""Linked play: what the question block brings is booked on the card that is in, and nobody has to type it."""

from __future__ import annotations

import logging

from reboard.banker.desk import Desk
from reboard.banker.ledger import BANK
from reboard.odds import Outcome
from reboard.refusal import Refusal

log = logging.getLogger(__name__)


class LinkedPlay:
    """Books by the amounts of the edition that is being played, in silence: the pings have to stay countable."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._said_of = ""

    async def book(self, outcome: Outcome, *, in_dialog: bool) -> None:
        """Move what *outcome* is worth, once: coins to the only card that is in, laugh and game over from it.

        Without a card, and for a power-up, nothing moves. Neither does it in an edition without amounts for the block,
        which a game may have been begun in at the keypad. Raises `Refusal`, also *in_dialog*: nobody would see it move.
        """
        if not self._desk.seats.taken or outcome.kind == "power_up":
            return
        edition = self._desk.till.edition
        if edition.block is None:
            if self._said_of != edition.name:
                self._said_of = edition.name
                log.warning("the block books nothing: edition %s does not say what it pays", edition.name)
            return
        if in_dialog:
            raise Refusal("dialog")
        card = self._desk.seats.alone
        if card is None:
            raise Refusal("two cards")
        pays, receives, amount = {
            "coins": (BANK, card, outcome.coins * edition.block.coin),
            "laugh": (card, BANK, edition.block.laugh),
            "game_over": (card, BANK, edition.block.game_over),
        }[outcome.kind]
        self._desk.booked(await self._desk.till.pay(pays, receives, amount, outcome.kind))
