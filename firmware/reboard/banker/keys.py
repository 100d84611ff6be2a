"""What the sixteen keys do at the bank: type, enter, pay the salary, start a deal, take back."""

from __future__ import annotations

from reboard.banker.corrections import Corrections, Retirement
from reboard.banker.deal import Deal
from reboard.banker.desk import Desk
from reboard.banker.ledger import BANK, POT, Transfer
from reboard.banker.texts import Text
from reboard.edition import Edition
from reboard.refusal import Refusal
from reboard.volume import LOUDEST

AT_A_GLANCE = 3
"""How many of a card's last transfers can be looked at."""


class Keys:
    """The keys at *desk* while no dialog is open. Whatever is against the rules raises `Refusal`, and nothing moves."""

    def __init__(self, desk: Desk, deal: Deal, corrections: Corrections) -> None:
        self._desk = desk
        self._deal = deal
        self._corrections = corrections

    async def pressed(self, key: str) -> None:
        """One key went down."""
        entry, seats = self._desk.entry, self._desk.seats
        if key == "GO":
            # it pays when it is let go, unless it is held until it opens the menu
            return
        if key == "DEAL":
            self._deal.start()
        elif key == "." and not seats.taken and entry.can_begin_with_point:
            self._step_volume()
        elif key in self._desk.till.edition.money.entering_keys:
            await self._enter(key)
        else:
            entry.type(key)
            self._desk.speaker.play("key")

    async def glance(self, times: int) -> None:
        """Say one of the last transfers of the card that is in, of the left one of two; another one each time."""
        card = self._desk.seats.number("left") or self._desk.seats.number("right") or BANK
        past = await self._desk.till.latest_of(card, AT_A_GLANCE)
        place = (times - 1) % max(1, len(past))
        if past:
            self._desk.say(self._desk.glance(place + 1, card, past[place]))

    async def pay_salary(self) -> None:
        """Pay the salary to the left card. With a card on the right alone, switch payment into the pot on or off."""
        till, entry = self._desk.till, self._desk.entry
        card = self._desk.seats.number("left")
        if till.has_pot and not card and self._desk.seats.number("right"):
            entry.into_pot = not entry.into_pot
            self._desk.speaker.play("key")
            return
        entry.clear()
        if not card:
            raise Refusal("no card")
        self._desk.booked(await till.pay(BANK, card, till.edition.salary, "salary"))
        self._desk.speaker.play("salary")

    async def undo(self, transfer: int | None) -> Transfer:
        """Take a transfer back, or the last that can be; returns the opposite one."""
        opposite = await self._desk.till.undo(transfer)
        if opposite.undoes:
            self._corrections.undone(opposite.undoes)
        self._desk.speaker.play("undone")
        return opposite

    async def new_game(self, edition: Edition) -> None:
        """Every card that has played begins anew."""
        await self._desk.till.start_game(edition)
        self._desk.begun(self._desk.texts(Text.NEW_GAME))

    async def _enter(self, key: str) -> None:
        till, seats, entry = self._desk.till, self._desk.seats, self._desk.entry
        receives, pays = seats.number("left"), seats.number("right")
        reason = "received" if pays is None else "paid" if receives is None else "players"
        into_pot = entry.into_pot
        try:
            if not seats.taken:
                raise Refusal("no card")
            if receives and entry.text == "." and key == "M" and (till.has_pot or till.pot):
                if pays:
                    raise Refusal("two cards")
                await self._take_pot(receives)
                return
            amount = entry.amount(key, till.edition.money)
            to, reason = (POT, "pot_paid") if into_pot and not receives else (receives or BANK, reason)
            self._desk.booked(await till.pay(pays or BANK, to, amount, reason))
            into_pot = False
        finally:
            entry.clear()
            # an amount that was rejected is typed again, and goes where the first one was to go
            entry.into_pot = into_pot
        self._desk.speaker.play("received" if pays is None else "paid")
        if reason == "pot_paid":
            self._desk.say(self._desk.pot())

    async def _take_pot(self, card: int) -> None:
        till = self._desk.till
        if not till.pot:
            raise Refusal("pot empty")
        self._desk.booked(await till.pay(POT, card, till.pot, "pot_taken"))
        self._desk.speaker.play("received")
        self._desk.say(self._desk.pot())

    def clear(self) -> bool:
        """Clear what is typed, or call off a deal younger than the last transfer. Return whether there was any."""
        last, entry = self._corrections.last, self._desk.entry
        if entry.text or entry.is_torn or entry.into_pot:
            entry.clear()
        elif self._deal.running and (last is None or last.at <= self._deal.started_at):
            self._deal.cancel()
        else:
            return False
        self._desk.speaker.play("key")
        return True

    async def take_back(self) -> None:
        """Take back the last transfer since its cards were put in."""
        last = self._corrections.last
        if last is None:
            if self._desk.seats.taken:
                raise Refusal("nothing to undo")
        elif isinstance(last.what, Retirement):
            await self._readmit(last.what.card)
        else:
            await self.undo(last.what.id)

    async def _readmit(self, card: int) -> None:
        await self._desk.till.readmit(card)
        self._corrections.readmitted(card)
        self._desk.speaker.play("undone")
        self._desk.say(self._desk.texts(Text.BACK_IN))

    def _step_volume(self) -> None:
        speaker = self._desk.speaker
        speaker.volume = (speaker.volume + 1) % (LOUDEST + 1)
        speaker.play("volume")
        self._desk.say(self._desk.texts(Text.VOLUME, level=speaker.volume))
