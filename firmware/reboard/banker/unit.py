"""The banker unit: cards go in and out, amounts are typed, money moves.

Left receives, right pays. **Confirm after commit**: no beep and no digit on the display before the disk has it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from reboard.banker import screen
from reboard.banker.bookkeeper import Bookkeeper
from reboard.banker.cards import Cards
from reboard.banker.corrections import Corrections, Retirement
from reboard.banker.deal import Deal
from reboard.banker.desk import Desk
from reboard.banker.dialogs.final_count import FinalCount
from reboard.banker.dialogs.menu import Menu
from reboard.banker.dialogs.open_dialog import OpenDialog
from reboard.banker.entry import Entry
from reboard.banker.face import Face
from reboard.banker.game_clock import WARNING_MIN, GameClock
from reboard.banker.hands import (
    Answer,
    CardIn,
    CardOut,
    Hands,
    Held,
    Key,
    Minute,
    Overrun,
    Released,
    Request,
    Touch,
    Unclear,
    Woken,
)
from reboard.banker.keys import Keys
from reboard.banker.ledger import Transfer
from reboard.banker.linked_play import LinkedPlay
from reboard.banker.names import Names
from reboard.banker.needs import Display, Keypad, Side, Speaker
from reboard.banker.opening import open_till
from reboard.banker.requests import Requests
from reboard.banker.seats import Seats
from reboard.banker.snapshot import snapshot
from reboard.banker.teller import Teller
from reboard.banker.texts import Text, Texts
from reboard.banker.till import Till
from reboard.edition import Edition
from reboard.events import Emit, to_nobody
from reboard.odds import Outcome
from reboard.parts.slots.slot import Slot
from reboard.refusal import REFUSALS, Refusal


class BankerUnit:
    """One banker unit.

    *edition* is the one that the config names; a game of another one that was begun at the keypad goes on. *cards* are
    the tags of a deck whose cards have the numbers from 1 in that order; other cards take the next free number.
    *names* are those of the players with cards 1, 2, …. *pot*: the game has a Free Parking pot. *wall_time* tells
    seconds since 1970. The caller closes the parts and *books*. `requests` are what can be asked of it through the
    table's door.
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
        names: Sequence[str] = (),
        language: str = "en",
        emit: Emit = to_nobody,
        teller: Teller | None = None,
        pot: bool = False,
    ) -> None:
        slots: dict[Side, Slot | None] = {"left": left, "right": right}
        self._slots = {side: slot for side, slot in slots.items() if slot is not None}
        self._speaker = speaker
        self._emit = emit
        self._face = Face(display, self._compose)
        self._hands = Hands(self._slots, keypad, asleep=self._sleep_or_wake)
        self._till = Till(
            books, edition, emit=emit, wall_time=wall_time, names=Names(names), teller=teller, has_pot=pot
        )
        self._clock = GameClock(self._hands.minute_passed)
        self._deal = Deal(rng, speaker, emit=emit, changed=self._face.draw)
        self._entry = Entry()
        self._seats = Seats()
        self._texts = Texts(language)
        self._desk = Desk(
            self._till,
            self._seats,
            self._texts,
            speaker,
            self._entry,
            say=self._face.say,
            booked=self._booked,
            begun=self._begun,
        )
        self._corrections = Corrections()
        self._cards = Cards(self._desk, self._slots, self._corrections, known=cards, emit=emit)
        self._keys = Keys(self._desk, self._deal, self._corrections)
        self.requests = Requests(self._hands, self._desk, self._keys, emit)
        self._linked_play = LinkedPlay(self._desk)
        self._dialog = OpenDialog(left_alone=self._left_alone)
        self._hold_counts = True
        self._takes_back = False
        self._is_refused = False
        self._trouble = ""
        self._no_ledger = ""

    async def run(self, tried: Callable[[], None] = lambda: None) -> None:
        """Play until cancelled. *tried* is called when hands are felt, and when it is told why they cannot be.

        A ledger that cannot be opened is a ``fault`` and stands on the display until it can. Raises `ReboardError` when
        it is found damaged in mid-game, or has what the disk said had not been saved: what is known of it counts no
        more, and the unit has to be begun anew.
        """

        def cannot(why: str) -> None:
            self._show_no_ledger(why)
            tried()

        try:
            with self._face.waiting(self._texts(Text.WAIT_FOR_DISK)):
                missed = await open_till(self._till, cannot=cannot)
            self._no_ledger = ""
            if self._till.mended:
                tried()
                await self._face.have_read(self._texts(Text.LEDGER_MENDED))
            if missed:
                self._face.say(self._texts(REFUSALS["no edition"].display))
            self._hands.start()
            await self._keep_time()
            self._face.draw()
            tried()
            while True:
                touch = await self._hands.next()
                with self._face.waiting(self._texts(Text.WAIT_FOR_DISK)):
                    await self._feel(touch)
                    await self._keep_time()
                self._face.draw()
        except Exception:
            self._till.close()
            raise
        finally:
            self._hands.close()
            self._clock.run(False)
            self._deal.close()
            self._face.hush()
            self._dialog.go_on(None)

    def show_trouble(self, part: str | None) -> None:
        """Show, where there is room, that *part* is at fault; ``None``: nothing is."""
        self._trouble = f"! {self._texts(part.upper())}" if part else ""
        if self._till.game is not None:
            self._face.draw()

    async def book(self, outcome: Outcome) -> None:
        """Book what the question block brought, when its turn has come; returns when the disk has it.

        The cards that are in when the block was pressed count, not those that come while the disk is slow. A refusal is
        told like that of a key. Raises `ReboardError` when the unit cannot be asked.
        """

        async def booked() -> Answer:
            if self._seats.taken:
                self._hands.stay_awake()
            try:
                await self._linked_play.book(outcome, in_dialog=self._dialog.now is not None)
            except Refusal as refusal:
                self._refuse(refusal)
            return {}

        await self._hands.ask(booked)

    @property
    def edition(self) -> Edition:
        """The edition of the game that is on."""
        return self._till.edition

    def snapshot(self) -> dict[str, object]:
        """The unit now, as JSON."""
        return {
            "display": list(self._face.lines),
            **snapshot(self._till),
            "slots": {"left": self._seats.number("left"), "right": self._seats.number("right")},
            "deal": {"running": self._deal.running},
            "volume": self._speaker.volume,
            "asleep": self._hands.asleep,
            "typed": self._entry.text,
        }

    async def _feel(self, touch: Touch) -> None:
        typed, was_refused = self._entry.text, self._is_refused
        if isinstance(touch, Key | CardIn | CardOut):
            self._face.hush()
            self._dialog.touched()
            self._is_refused = False
        try:
            match touch:
                case Key("C") if was_refused:
                    self._dismiss()
                case Key(name, at):
                    self._entry.pressed(at)
                    await self._key(name)
                case Held(name, times) if self._hold_counts:
                    await self._held(name, times)
                case Released(name, times) if self._hold_counts:
                    await self._released(name, times)
                case CardIn(side, tag, at):
                    self._entry.card_in(at)
                    await self._cards.came(side, tag)
                case CardOut(side):
                    await self._cards.left(side)
                case Request():
                    await touch.carry_out()
                case Minute():
                    await self._minute_passed()
                case Unclear():
                    self._entry.tear()
                    raise Refusal("unclear")
                case Woken("GO"):
                    # the GO that is held on for the menu, unless a dialog is open already
                    self._hold_counts = self._dialog.now is None
                case Woken(key, at):
                    self._entry.pressed(at)
                    self._entry.tear(key)
                    raise Refusal("torn")
                case Overrun():
                    await self._cards.look_again(refused=self._refuse)
                    raise Refusal("too fast")
            if typed and isinstance(touch, CardIn | CardOut) and self._entry.is_torn:
                raise Refusal("torn")
        except Refusal as refusal:
            self._refuse(refusal)
            # C does what CLOSE MENU FIRST asks for
            self._is_refused = refusal.why != "dialog"
        self._keep_cards()

    def _dismiss(self) -> None:
        """Dismiss a rejection: the first ``C`` after it takes nothing back."""
        self._hold_counts = self._dialog.now is None
        self._takes_back = False
        self._entry.is_torn = False
        self._speaker.play("key")

    def _refuse(self, refusal: Refusal) -> None:
        self._is_refused = True
        self._emit("refused", why=refusal.why)
        self._speaker.play("refused")
        self._face.say(self._texts(refusal.words.display))

    # The game clock.

    async def _minute_passed(self) -> None:
        if not self._till.clock:
            return
        await self._till.count_down(keep=not self._deal.running)
        left = self._till.clock
        if left in (0, WARNING_MIN):
            self._emit("game.clock", minutes=left)
            self._hands.stay_awake()
            self._speaker.play("time_up")
            self._face.say(self._texts(Text.MINUTES_LEFT if left else Text.TIME_IS_UP, minutes=left))

    async def _keep_time(self) -> None:
        """Let the clock run, or, when its time is up, lead to the final count as soon as nothing else is being done.

        It rests while the game is over.
        """
        is_busy = self._dialog.now or self._entry.text or self._seats.taken or self._deal.running
        if self._till.clock == 0 and not is_busy:
            await self._till.count_down()
            if not self._till.ended:
                self._hands.stay_awake()
                self._hold_counts = False
                self._dialog.go_on(await FinalCount.open(self._desk))
                self._face.say(self._texts(Text.TIME_IS_UP))
        self._clock.run(self._till.clock is not None and not self._till.ended)

    # Keys.

    async def _key(self, key: str) -> None:
        dialog = self._dialog.now
        # the C that closes a dialog begins no game, however long it is held
        self._hold_counts = dialog is None
        if dialog:
            self._dialog.go_on(await dialog.key(key))
        elif key == "C":
            # a transfer is taken back when C is released: C held with a card in must not do it
            self._takes_back = not self._keys.clear()
        else:
            await self._keys.pressed(key)

    async def _held(self, key: str, times: int) -> None:
        if key == "C" and times == 1:
            if self._seats.taken:
                raise Refusal("cards in")
            await self._keys.new_game(self.edition)
        elif key == "GO" and times == 1:
            self._entry.clear()
            self._dialog.go_on(await Menu.open(self._desk))
        elif key == "." and self._seats.taken and self._entry.text in ("", "."):
            # a slow finger in the midst of an amount has typed its point
            self._entry.take_back_point()
            await self._keys.glance(times)

    async def _released(self, key: str, times: int) -> None:
        if key == "." and times and self._seats.taken:
            self._face.hush()
        elif key == "GO" and not times:
            await self._keys.pay_salary()
        elif key == "C" and not times and self._takes_back:
            await self._keys.take_back()

    def _booked(self, what: Transfer | Retirement) -> None:
        # the block's outcome may come after a rejection: C then takes back the outcome
        self._is_refused = False
        self._corrections.booked(what)
        self._cards.done()

    def _begun(self, notice: str) -> None:
        """Another game is on: nothing that was half done in the one before counts."""
        self._corrections.clear()
        self._entry.clear()
        self._deal.cancel()
        self._dialog.go_on(None)
        self._speaker.play("new_game")
        self._face.say(notice)

    def _keep_cards(self) -> None:
        """A card that was only tapped stays while somebody works with it."""
        self._cards.in_use(bool(self._entry.text) or self._entry.into_pot or self._dialog.now is not None)

    # The display.

    def _compose(self, notice: str) -> tuple[str, str]:
        title, idle = self.edition.short_title.upper(), self._texts(Text.INSERT_CARD)
        if self._no_ledger:
            return title, self._texts(self._no_ledger)
        if self._till.ended:
            title, idle = self._texts(Text.GAME_OVER), self._desk.winner(self._till.ended)
        elif self._till.pot:
            idle = self._desk.pot()
        if self._dialog.now:
            first, second = self._dialog.now.lines()
            return first, notice or second
        alone = self._seats.alone
        return screen.lines(
            title=title,
            left=self._shown("left"),
            right=self._shown("right"),
            idle=idle,
            name=self._desk.name(alone) if alone else "",
            typed=self._entry.text,
            notice=notice or (self._texts(Text.TO_POT) if self._entry.into_pot else ""),
            deal=self._texts(Text.DEAL) if self._deal.running else "",
            trouble=self._trouble,
        )

    def _shown(self, side: Side) -> tuple[int, str] | None:
        number = self._seats.number(side)
        return (number, self._desk.shown(self._till.balances[number])) if number else None

    def _sleep_or_wake(self, asleep: bool) -> None:
        if asleep:
            self._entry.clear()
            self._is_refused = False
            self._face.draw()
        self._face.sleep_or_wake(asleep)

    def _left_alone(self) -> None:
        """Nobody has gone on with the dialog."""
        self._entry.clear()
        self._keep_cards()
        self._face.draw()

    def _show_no_ledger(self, why: str) -> None:
        self._no_ledger = why
        self._face.draw()
