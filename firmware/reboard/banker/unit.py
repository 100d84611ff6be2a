"""The banker unit: cards go in and out, amounts are typed, money moves.

Left receives, right pays. **Confirm after commit**: no beep and no digit on the display before the disk has it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reboard.banker import screen
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.deal import Deal
from reboard.banker.entry import Entry
from reboard.banker.hands import Answer, CardIn, CardOut, Hands, Key, LongC, Overrun, Request, Touch
from reboard.banker.ledger import BANK, Transfer
from reboard.banker.needs import Display, Keypad, Side, Speaker
from reboard.banker.till import Till
from reboard.edition import Edition
from reboard.errors import ReboardError
from reboard.events import Emit, to_nobody
from reboard.parts.slots.slot import Slot
from reboard.pauses import Pauses
from reboard.refusal import Refusal
from reboard.trouble import Trouble
from reboard.volume import LOUDEST

NOTICE_S = 2.0
"""How long a refusal can be read, unless the next touch comes first."""

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""A ledger that cannot be opened is tried again after 1, 2, 4 … 30 s."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A card in a slot. Without a number it was refused: the slot counts as empty until it is taken out."""

    tag: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """A transfer that can still be taken back with ``C``: its cards have not left since. *at*: the loop's clock."""

    transfer: Transfer
    at: float


class BankerUnit:
    """One banker unit, for one edition.

    *cards* are the tags of a deck whose cards have the numbers from 1 in that order; other cards take the next free
    number. *wall_time* tells seconds since 1970. Parts and *books* are somebody else's to close.
    """

    def __init__(
        self,
        left: Slot | None,
        right: Slot | None,
        keypad: Keypad,
        display: Display,
        speaker: Speaker,
        *,
        edition: Edition,
        books: Bookkeeper,
        rng: random.Random,
        wall_time: Callable[[], float],
        cards: Sequence[str] = (),
        emit: Emit = to_nobody,
    ) -> None:
        slots: dict[Side, Slot | None] = {"left": left, "right": right}
        self._slots = {side: slot for side, slot in slots.items() if slot is not None}
        self._display = display
        self._speaker = speaker
        self._edition = edition
        self._cards = tuple(cards)
        self._emit = emit
        self._hands = Hands(self._slots, keypad, asleep=self._sleep_or_wake)
        self._till = Till(books, edition, emit=emit, wall_time=wall_time)
        self._deal = Deal(rng, speaker, emit=emit, changed=self._draw)
        self._entry = Entry(edition.money)
        self._seats: dict[Side, Seat] = {}
        self._fresh: list[Fresh] = []
        self._notice = ""
        self._notice_ends: asyncio.TimerHandle | None = None
        self._trouble = ""
        self._without_ledger = False

    async def run(self) -> None:
        """Play until cancelled.

        A ledger that cannot be opened is a ``fault`` and stands on the display until it can. Raises `ReboardError` when
        it is found damaged in mid-game: what is known of it counts no more, and the unit has to be begun anew.
        """
        try:
            await self._open_till()
            self._hands.start()
            self._draw()
            while True:
                touch = await self._hands.next()
                self._hush()
                await self._feel(touch)
                self._draw()
        finally:
            self._hands.close()
            self._deal.close()
            self._hush()

    def show_trouble(self, part: str | None) -> None:
        """Show, where there is room, that *part* is at fault; ``None``: nothing is."""
        self._trouble = f"! {part.upper()}" if part else ""
        if self._till.game is not None:
            self._draw()

    async def new_game(self, after: int | None = None) -> Answer:
        """Begin a new game, as ``C`` held does. Answers with the number of the ``game`` that is on then.

        A request that names the game *after* which it is can be repeated without harm: it begins none when that game is
        not on any more.
        """

        async def begin() -> Answer:
            if after in (None, self._till.game):
                await self._new_game()
            return {"game": self._till.game}

        return await self._hands.ask(begin)

    async def undo(self, transfer: int | None = None) -> Answer:
        """Take back one transfer of the game, or the last that can be. Answers with the opposite one.

        A request that names the transfer can be repeated without harm. Raises `Refusal`.
        """
        return await self._hands.ask(lambda: self._undo(transfer))

    def snapshot(self) -> dict[str, object]:
        """The unit now, as JSON."""
        return {
            "edition": self._edition.name,
            "title": self._edition.title,
            "display": list(self._lines()),
            **self._till.as_json(),
            "slots": {"left": self._number("left"), "right": self._number("right")},
            "deal": {"running": self._deal.running},
            "volume": self._speaker.volume,
            "asleep": self._hands.asleep,
            "typed": self._entry.text,
        }

    async def _open_till(self) -> None:
        trouble = Trouble("ledger", self._emit)
        pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            try:
                await self._till.open()
                break
            except ReboardError as error:
                trouble.tell(str(error))
            self._without_ledger = True
            self._draw()
            await asyncio.sleep(pauses.next())
        self._without_ledger = False
        trouble.tell(None)

    async def _feel(self, touch: Touch) -> None:
        try:
            match touch:
                case Key(name):
                    await self._key(name)
                case CardIn(side, tag):
                    await self._card_in(side, tag)
                case CardOut(side):
                    self._card_out(side)
                case LongC():
                    if not self._anyone_in:
                        await self._new_game()
                case Request():
                    await touch.carry_out()
                case Overrun():
                    await self._look_again()
        except Refusal as refusal:
            self._emit("refused", why=refusal.why)
            self._speaker.play("refused")
            self._say(refusal.words.display)

    # Keys.

    async def _key(self, key: str) -> None:
        if key == "GO":
            await self._pay_salary()
        elif key == "DEAL":
            self._deal.start()
        elif key == "C":
            await self._take_back()
        elif key == "." and not self._anyone_in and not self._entry.text:
            self._step_volume()
        elif key in self._edition.money.entering_keys:
            await self._enter(key)
        else:
            self._entry.type(key)
            self._speaker.play("key")

    async def _enter(self, key: str) -> None:
        receives, pays = self._number("left"), self._number("right")
        reason = "received" if pays is None else "paid" if receives is None else "players"
        try:
            if not self._anyone_in:
                raise Refusal("no card")
            await self._pay(pays or BANK, receives or BANK, self._entry.amount(key), reason)
        finally:
            self._entry.clear()
        self._speaker.play("received" if pays is None else "paid")

    async def _pay_salary(self) -> None:
        self._entry.clear()
        card = self._number("left")
        if card is None:
            raise Refusal("no card")
        await self._pay(BANK, card, self._edition.salary, "salary")
        self._speaker.play("salary")

    async def _pay(self, from_: int, to: int, amount: int, reason: str) -> None:
        transfer = await self._till.pay(from_, to, amount, reason)
        self._fresh.append(Fresh(transfer, asyncio.get_running_loop().time()))

    async def _take_back(self) -> None:
        """``C`` takes back what was done last: what is typed, else the deal or a transfer, whichever is younger."""
        last = self._fresh[-1] if self._fresh else None
        if self._entry.text:
            self._entry.clear()
            self._speaker.play("key")
        elif self._deal.running and (last is None or last.at <= self._deal.started_at):
            self._deal.cancel()
            self._speaker.play("key")
        elif last:
            await self._undo(last.transfer.id)
        elif self._anyone_in:
            raise Refusal("nothing to undo")

    async def _undo(self, transfer: int | None) -> Answer:
        opposite = await self._till.undo(transfer)
        self._fresh = [fresh for fresh in self._fresh if fresh.transfer.id != opposite.undoes]
        self._speaker.play("undone")
        return opposite.as_json()

    async def _new_game(self) -> Answer:
        """Every card that has played begins anew."""
        await self._till.start_game(tuple(self._till.balances))
        self._fresh.clear()
        self._entry.clear()
        self._deal.cancel()
        self._speaker.play("new_game")
        self._say("NEW GAME")
        return {"game": self._till.game}

    def _step_volume(self) -> None:
        self._speaker.volume = (self._speaker.volume + 1) % (LOUDEST + 1)
        self._speaker.play("volume")
        self._say(f"VOLUME {self._speaker.volume}")

    # Cards.

    async def _card_in(self, side: Side, tag: str) -> None:
        before = self._seats.get(side)
        if before and before.tag == tag:
            # `_look_again` has seen it already
            return
        twice = any(seat.tag == tag and seat.number for seat in self._seats.values())
        self._seats[side] = Seat(tag)
        try:
            if twice:
                raise Refusal("same card twice")
            number = await self._till.number(tag, self._cards)
            await self._till.join(number)
        except Refusal:
            self._emit("card.inserted", slot=side, number=None)
            raise
        self._seats[side] = Seat(tag, number)
        self._emit("card.inserted", slot=side, number=number)
        self._speaker.play("card")

    def _card_out(self, side: Side) -> None:
        seat = self._seats.pop(side, None)
        number = seat.number if seat else None
        if number:
            self._entry.clear()
            self._fresh = [fresh for fresh in self._fresh if number not in (fresh.transfer.from_, fresh.transfer.to)]
        self._emit("card.removed", slot=side, number=number)

    async def _look_again(self) -> None:
        """Touches were lost: nothing half typed counts, and each slot is as it is now."""
        self._entry.clear()
        for side, slot in self._slots.items():
            seat = self._seats.get(side)
            if seat and seat.tag != slot.tag:
                self._card_out(side)
            if slot.tag and side not in self._seats:
                await self._feel(CardIn(side, slot.tag))
        raise Refusal("too fast")

    def _number(self, side: Side) -> int | None:
        seat = self._seats.get(side)
        return seat.number if seat else None

    @property
    def _anyone_in(self) -> bool:
        return any(seat.number for seat in self._seats.values())

    # The display.

    def _lines(self) -> tuple[str, str]:
        title = self._edition.short_title.upper()
        if self._without_ledger:
            return title, "NO LEDGER"
        return screen.lines(
            title=title,
            left=self._shown("left"),
            right=self._shown("right"),
            typed=self._entry.text,
            notice=self._notice,
            deal=self._deal.running,
            trouble=self._trouble,
        )

    def _shown(self, side: Side) -> tuple[int, str] | None:
        number = self._number(side)
        return (number, self._edition.money.shown(self._till.balances[number])) if number else None

    def _draw(self) -> None:
        self._display.show(*self._lines())

    def _say(self, notice: str) -> None:
        self._hush()
        self._notice = notice
        self._notice_ends = asyncio.get_running_loop().call_later(NOTICE_S, self._notice_over)

    def _notice_over(self) -> None:
        self._hush()
        self._draw()

    def _hush(self) -> None:
        self._notice = ""
        if self._notice_ends is not None:
            self._notice_ends.cancel()

    def _sleep_or_wake(self, asleep: bool) -> None:
        if asleep:
            self._display.sleep()
        else:
            self._display.wake()
