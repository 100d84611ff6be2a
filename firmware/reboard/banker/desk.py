"""What the unit's dialogs work with: the game, the cards that are in, and how things are written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reboard.banker.corrections import Retirement
from reboard.banker.ended_game import EndedGame
from reboard.banker.entry import Entry
from reboard.banker.ledger import BANK, POT, Transfer
from reboard.banker.needs import Speaker
from reboard.banker.ranking import ranking
from reboard.banker.seats import Seats
from reboard.banker.texts import Text, Texts
from reboard.banker.till import Till
from reboard.edition import DISPLAY_WIDTH


@dataclass(frozen=True, slots=True)
class Desk:
    """The banker's desk.

    *entry* is what is being typed, and is dropped when a card leaves. *booked* is told of everything that can be taken
    back, *begun* of another game that is on, with what is to be said of it; *say* says it for a moment.
    """

    till: Till
    seats: Seats
    texts: Texts
    speaker: Speaker
    entry: Entry
    say: Callable[[str], None]
    booked: Callable[[Transfer | Retirement], None]
    begun: Callable[[str], None]

    async def end_game(self, worths: Mapping[int, int]) -> EndedGame:
        """End the game with what each player is worth, and sound who has won."""
        over = await self.till.end(worths)
        self.speaker.play("winner")
        return over

    def winner(self, over: EndedGame) -> str:
        """Return who has won, on one line."""
        winners = [ranked for ranked in ranking(over.worths) if ranked.place == 1]
        named = " & ".join(self.who(ranked.card) for ranked in winners)
        if len(winners) == 1:
            worth = self.shown(winners[0].worth).rjust(DISPLAY_WIDTH - len(named))
            return f"{named}{worth}" if worth.startswith(" ") else named
        return named if len(named) <= DISPLAY_WIDTH else self.texts(Text.WINNERS, number=len(winners))

    def shown(self, amount: int) -> str:
        """An *amount* the edition's way."""
        return self.till.edition.money.shown(amount)

    def pot(self) -> str:
        """Return what is in the Free Parking pot, on one line."""
        amount = self.shown(self.till.pot)
        named = f"{self.texts(Text.POT)} {amount}"
        return named if len(named) <= DISPLAY_WIDTH else amount

    def name(self, card: int) -> str:
        """The name of who plays with *card*, if it has one."""
        return self.till.names.of(card)

    def who(self, account: int) -> str:
        """The bank, or who plays with a card."""
        if account == BANK:
            return self.texts(Text.BANK)
        if account == POT:
            return self.texts(Text.POT)
        return self.name(account) or self.texts(Text.CARD, number=account)

    def glance(self, place: int, card: int, transfer: Transfer) -> str:
        """A transfer as the owner of *card* sees it, on one line. Who it was gives way to how much.

        Of a name the beginning is told; half a card's number would be another card.
        """
        came = transfer.to == card
        other = transfer.from_ if came else transfer.to
        what = f"{place} {'+' if came else '-'}{self.shown(transfer.amount)}"
        who = self.who(other)
        room = DISPLAY_WIDTH - len(what) - 1
        if len(who) > room:
            who = self.name(other)[: max(0, room)]
        return f"{what} {who}".rstrip()
