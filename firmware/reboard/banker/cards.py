"""The cards that come and go, and what that does to what is being typed and could still be taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reboard.banker.corrections import Corrections
from reboard.banker.desk import Desk
from reboard.banker.needs import Side
from reboard.banker.seats import Seat
from reboard.events import Emit
from reboard.parts.slots.slot import Slot
from reboard.refusal import REFUSALS, Refusal

OTHER_SIDE: dict[Side, Side] = {"left": "right", "right": "left"}


class Cards:
    """What happens when a card is put into one of *slots*, or leaves it.

    *known* are the tags of a deck whose cards have the numbers from 1 in that order; other cards take the next free
    number. A card that is refused leaves its slot as good as empty, and raises `Refusal`.
    """

    def __init__(
        self, desk: Desk, slots: Mapping[Side, Slot], corrections: Corrections, *, known: Sequence[str], emit: Emit
    ) -> None:
        self._desk = desk
        self._slots = slots
        self._corrections = corrections
        self._known = tuple(known)
        self._emit = emit

    async def came(self, side: Side, tag: str) -> None:
        """The card *tag* was put in."""
        seats, till = self._desk.seats, self._desk.till
        if seats.tag(side) == tag:
            # `look_again` has seen it already
            return
        other = OTHER_SIDE[side]
        if seats.tag(other) == tag and self._slots[other].let_go(tag):
            await self.left(other)
        self._desk.entry.into_pot = False
        twice = seats.plays(tag)
        seats.sit(side, Seat(tag))
        try:
            if twice:
                raise Refusal("same card twice")
            number = await till.number(tag, self._known)
            await till.join(number)
        except Refusal as refusal:
            if refusal.why != "same card twice":
                self._slots[side].done()
            self._emit("card.inserted", slot=side, number=None)
            raise
        seats.sit(side, Seat(tag, number))
        self._emit("card.inserted", slot=side, number=number)
        self._desk.speaker.play("card")
        if number in till.retired:
            self._desk.say(self._desk.texts(REFUSALS["bankrupt"].display))

    async def left(self, side: Side) -> None:
        """Whatever was in that slot is out: it takes what was being typed along."""
        seats, entry = self._desk.seats, self._desk.entry
        seat = seats.leave(side)
        number = seat.number if seat else None
        if number:
            entry.into_pot = False
            if entry.text:
                entry.tear()
            self._corrections.card_left(number)
        self._emit("card.removed", slot=side, number=number)
        other = OTHER_SIDE[side]
        if seat and number and seats.tag(other) == seat.tag:
            # it was quicker in there than its reader here took to miss it
            await self.left(other)
            await self.came(other, seat.tag)

    async def look_again(self, *, refused: Callable[[Refusal], None]) -> None:
        """Touches were lost: each slot is as it is now, and what was half typed counts no more."""
        self._desk.entry.tear()
        for look in (self._look_who_left, self._look_who_came):
            for side in self._slots:
                # a card that is refused must not keep the others from being seen
                try:
                    await look(side)
                except Refusal as refusal:
                    refused(refusal)

    async def _look_who_left(self, side: Side) -> None:
        seated = self._desk.seats.tag(side)
        if seated and seated != self._slots[side].tag:
            await self.left(side)

    async def _look_who_came(self, side: Side) -> None:
        tag = self._slots[side].tag
        if tag and not self._desk.seats.tag(side):
            await self.came(side, tag)

    def done(self) -> None:
        """What the cards were put in for is done."""
        for side in self._desk.seats.taken:
            self._slots[side].done()

    def in_use(self, on: bool) -> None:
        """Somebody works with them, or has just touched something."""
        for slot in self._slots.values():
            slot.in_use(on)
