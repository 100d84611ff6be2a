"""The running banker unit, which handles keys, cards and requests one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reboard.accessories.accessory import RunningAccessory
from reboard.accessories.banker_unit.dialogs import FinalCount
from reboard.accessories.banker_unit.display_text import NOTICE_S, Screen
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.input_queue import (
    CardIn,
    CardOut,
    Held,
    InputQueue,
    Key,
    Minute,
    Overrun,
    Released,
    Request,
    Touch,
    Unclear,
    Woken,
)
from reboard.accessories.banker_unit.key_input import handle_key
from reboard.accessories.banker_unit.payments import PATIENCE_S
from reboard.accessories.banker_unit.requests import Requests, game_snapshot
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.accessories.banker_unit.timers import DealTimer, Timer
from reboard.accessories.banker_unit.unit_state import (
    OTHER_SIDE,
    Effects,
    GameView,
    InsertedCard,
    Notice,
    Side,
    UnitState,
    end_payment,
)
from reboard.accessories.request import Json
from reboard.board import LARGEST_VOLUME
from reboard.errors import REJECTIONS, Rejection
from reboard.events import Emit, ignore_event

if TYPE_CHECKING:
    import random

    from reboard.accessories.banker_unit.announcements import Announcer
    from reboard.accessories.banker_unit.ledger_errors import Cause
    from reboard.accessories.banker_unit.ledger_thread import LedgerThread
    from reboard.accessories.banker_unit.payments import Payment
    from reboard.devices.display import AbsentDisplay, Display
    from reboard.devices.keypad import AbsentKeypad, Keypad
    from reboard.devices.readers.reader import Slot
    from reboard.devices.speaker import Speaker
    from reboard.editions.edition import Edition

Change = Callable[[UnitState], UnitState]

MINUTE_S = 60.0

WARNING_MIN = 5
"""The minutes left on the game clock when the unit gives a warning."""


class BankerUnit(RunningAccessory):
    """A running banker unit. The caller closes the devices and *ledger_thread*.

    *edition* is the configured edition; the current game may be in another edition. *cards* are the tags of cards 1,
    2, …; other cards get the next free number. *names* are the names of the players with cards 1, 2, …. *pot* is
    whether players can pay into a Free Parking pot. *wall_time* returns seconds since 1970. *announcer* survives
    restarts of the unit.
    """

    def __init__(
        self,
        left: Slot,
        right: Slot,
        keypad: Keypad | AbsentKeypad,
        display: Display | AbsentDisplay,
        speaker: Speaker,
        *,
        edition: Edition,
        ledger_thread: LedgerThread,
        rng: random.Random,
        wall_time: Callable[[], float],
        cards: Sequence[str] = (),
        names: Sequence[str] = (),
        language: str = "en",
        emit: Emit = ignore_event,
        announcer: Announcer | None = None,
        pot: bool = False,
    ) -> None:
        self._slots: dict[Side, Slot] = {"left": left, "right": right}
        self._display = display
        self._speaker = speaker
        self._emit = emit
        self._screen = Screen(display, Texts(language), self._view)
        self._session = GameSession(
            ledger_thread,
            edition,
            emit=emit,
            wall_time=wall_time,
            cards=cards,
            names=names,
            announcer=announcer,
            has_pot=pot,
        )
        self._inputs = InputQueue(self._slots, keypad, slept_or_woke=self._slept_or_woke)
        self._requests = Requests(self._inputs, self._session)
        self._deal = DealTimer(rng, speaker, emit=emit, ended=self._deal_has_ended)
        self._game_clock = Timer(self._inputs.minute_passed)
        self._payment = Timer(self._inputs.payment_expired)
        self._dialog = Timer(self._dialog_is_over)
        self._state = UnitState()
        self._question: Payment | None = None
        self._changes: list[Change] = []

    async def run(self, started: Callable[[], None]) -> None:
        """Run the unit until it is cancelled. Call *started* when the unit accepts input, or shows why it cannot.

        While the ledger cannot be opened, there is a ``fault``, and the display shows the cause. Raises `ReboardError`
        if the ledger is damaged, or if the disk has a change that it reported as failed. In that case, the balances in
        memory may be wrong, and the unit must be restarted.
        """

        def failed(cause: Cause) -> None:
            self._screen.messages.no_ledger = cause
            self._screen.draw()
            started()

        try:
            with self._screen.waiting():
                missed = await self._session.open(failed=failed)
            self._screen.messages.no_ledger = None
            if mended := self._session.mended:
                started()
                self._screen.say(Notice(Text.NEW_LEDGER if mended.is_new else Text.LEDGER_MENDED))
                self._screen.draw()
                await asyncio.sleep(NOTICE_S)
            if missed:
                self._screen.say(Notice(REJECTIONS["no edition"].display))
            self._inputs.start()
            await self._check_clock()
            self._draw()
            started()
            while True:
                touch = await self._inputs.next()
                with self._screen.waiting():
                    await self._handle(touch)
                    await self._check_clock()
                self._check_payments()
                self._draw()
        except Exception:
            self._session.close()
            raise
        finally:
            self._inputs.close()
            self._deal.close()
            self._screen.hush()
            self._game_clock.stop()
            self._payment.stop()
            self._dialog.stop()

    async def request(self, name: str, args: Mapping[str, Any]) -> object:
        if name in ("history", "transfers"):
            return Json(await self._requests.read(name, args))
        return await self._requests.carry_out(name, args)

    def show_fault(self, part: str | None) -> None:
        """Show that *part*, such as a device or the ledger, has a fault. ``None`` means that nothing has a fault."""
        self._screen.messages.fault = part
        if self._session.game is not None:
            self._draw()

    @property
    def edition(self) -> Edition:
        """The edition of the current game."""
        return self._session.edition

    def snapshot(self) -> dict[str, object]:
        """Return the state of the unit as a JSON object."""
        return {
            "display": list(self._screen.lines),
            **game_snapshot(self._session),
            "slots": {"left": self._state.number("left"), "right": self._state.number("right")},
            "deal": {"running": self._deal.started_at is not None},
            "volume": self._speaker.volume,
            "asleep": self._inputs.is_asleep,
            "typed": self._state.entry.text,
            "refused": self._state.refused or None,
            "dialog": self._state.dialog.name if self._state.dialog else None,
            "payments": [
                {**payment.as_json(), "shown": self._session.edition.money.shown(payment.amount)}
                for payment in self._state.payments.waiting
            ],
        }

    # Input and its effects.

    async def _handle(self, touch: Touch) -> None:
        self._changes.clear()
        if isinstance(touch, Key | CardIn | CardOut):
            self._screen.hush()
            self._dialog.stop()
        try:
            match touch:
                case Key() | Held() | Released() | Woken() | Unclear():
                    self._apply(await handle_key(touch, self._state, self._session))
                case CardIn() | CardOut():
                    self._apply(await self._card(touch))
                case Request():
                    if effects := await touch.carry_out(self._state):
                        self._apply(effects)
                case Minute():
                    await self._minute_passed()
                case Overrun():
                    await self._read_slots_again()
                    raise Rejection("too fast")
        except Rejection as rejection:
            self._refuse(rejection)
        if isinstance(touch, Key | CardIn | CardOut):
            self._restart_dialog()

    async def _read_slots_again(self) -> None:
        self._state = self._state.with_entry(self._state.entry.torn())
        now = asyncio.get_running_loop().time()
        for side, slot in self._slots.items():
            if self._state.tag(side) not in (None, slot.tag):
                self._apply(await self._card(CardOut(side)))
        for side, slot in self._slots.items():
            if slot.tag and not self._state.tag(side):
                self._apply(await self._card(CardIn(side, slot.tag, now)))

    def _apply(self, effects: Effects) -> None:
        before, self._state = self._state, effects.state
        for change in self._changes:
            self._state = change(self._state)
        self._changes.clear()
        if self._state.dialog is not before.dialog:
            self._restart_dialog()
        for name, fields in effects.events:
            self._emit(name, **fields)
        for side in effects.done:
            if (tag := self._state.tag(side)) and self._slots[side].forget(tag):
                removed = _removed(side, self._state)
                self._state = removed.state
                for name, fields in removed.events:
                    self._emit(name, **fields)
        if effects.deal:
            (self._deal.start if effects.deal == "start" else self._deal.cancel)()
            self._state = replace(self._state, deal_started_at=self._deal.started_at)
        if effects.steps_volume:
            self._step_volume()
        if effects.sound:
            self._speaker.play(effects.sound)
        if effects.notice:
            self._screen.say(effects.notice)
        if effects.rejection:
            self._refuse(effects.rejection)

    def _refuse(self, rejection: Rejection) -> None:
        # C does what CLOSE MENU FIRST asks for, and otherwise only dismisses the notice
        self._state = replace(self._state, refused="" if rejection.why == "dialog" else rejection.why)
        self._emit("refused", why=rejection.why)
        self._speaker.play("refused")
        self._screen.say(Notice(rejection.words.display))

    def _step_volume(self) -> None:
        self._speaker.volume = (self._speaker.volume + 1) % (LARGEST_VOLUME + 1)
        self._speaker.play("volume")
        self._screen.say(Notice(Text.VOLUME, {"level": self._speaker.volume}))

    # Cards.

    async def _card(self, card: CardIn | CardOut) -> Effects:
        """Return the effects of an inserted or a removed card. The removal of a card clears the typed amount."""
        state = replace(self._state, refused="")
        if isinstance(card, CardOut):
            effects = await self._take_out(card.side, state)
        else:
            effects = await self._put_in(card.side, card.tag, state.with_entry(state.entry.card_in(card.at)))
        if state.entry.text and effects.state.entry.is_torn and not effects.rejection:
            return replace(effects, rejection=Rejection("torn"))
        return effects

    async def _put_in(self, side: Side, tag: str, state: UnitState) -> Effects:
        other = OTHER_SIDE[side]
        if state.tag(side) == tag:
            # seen already, when touches were lost
            return Effects(state)
        if state.tag(other) == tag and self._slots[other].forget(tag):
            # moved from the other slot, which did not report it
            return await self._insert(side, tag, _removed(other, state))
        return await self._insert(side, tag, Effects(state))

    async def _take_out(self, side: Side, state: UnitState) -> Effects:
        other, card = OTHER_SIDE[side], state.cards.get(side)
        effects = _removed(side, state)
        if card and card.number and state.tag(other) == card.tag:
            # it got to the other slot before the reader here noticed that it is gone
            return await self._insert(other, card.tag, _removed(other, effects.state, effects.events))
        return effects

    async def _insert(self, side: Side, tag: str, before: Effects) -> Effects:
        """Admit or reject an inserted card. Return the effects, whose events begin with those of *before*."""
        state = before.state
        is_twice = any(card.tag == tag and card.number for card in state.cards.values())
        # a rejected card leaves its slot as good as empty
        state = state.with_card(side, InsertedCard(tag)).with_entry(replace(state.entry, into_pot=False))
        try:
            if is_twice:
                raise Rejection("same card twice")
            number = await self._session.admit(tag)
        except Rejection as rejection:
            events = (*before.events, _event("card.inserted", side, None))
            return Effects(state, events, rejection=rejection)
        return Effects(
            state.with_card(side, InsertedCard(tag, number)),
            (*before.events, _event("card.inserted", side, number)),
            sound="card",
            notice=Notice(REJECTIONS["bankrupt"].display) if number in self._session.retired else None,
        )

    # The game clock.

    async def _minute_passed(self) -> None:
        if not self._session.clock:
            return
        await self._session.count_down(save=self._deal.started_at is None)
        left = self._session.clock
        if left in (0, WARNING_MIN):
            self._emit("game.clock", minutes=left)
            self._inputs.stay_awake()
            self._speaker.play("time_up")
            self._screen.say(Notice(Text.MINUTES_LEFT if left else Text.TIME_IS_UP, {"minutes": left}))

    async def _check_clock(self) -> None:
        """Start or stop the timer of the game clock. At 0 minutes, open the final count if the unit is idle."""
        state = self._state
        is_busy = state.dialog or state.entry.text or state.taken or state.deal_started_at is not None
        if self._session.clock == 0 and not is_busy:
            await self._session.count_down()
            if not self._session.ended:
                self._inputs.stay_awake()
                effects = await FinalCount.open(replace(self._state, hold_counts=False), self._session)
                self._apply(replace(effects, notice=Notice(Text.TIME_IS_UP)))
        if self._session.clock is None or self._session.ended:
            self._game_clock.stop()
        elif not self._game_clock.is_running:
            self._game_clock.start(MINUTE_S)

    # Payments that players ask for.

    def _check_payments(self) -> None:
        """End the payments that can no longer be confirmed, and wait for the next one to expire."""
        for payment in self._state.payments.waiting:
            if why := payment.why_over(self._session):
                self._apply(end_payment(payment, why, self._state))
        if waiting := self._state.payments.waiting:
            self._payment.start(max(0.0, waiting[0].asked_at + PATIENCE_S - asyncio.get_running_loop().time()))
        else:
            self._payment.stop()

    # The state and the display.

    def _draw(self) -> None:
        """Draw the display, and record when its question was first shown."""
        can_show = self._display.is_working
        self._change(lambda state: replace(state, can_show=can_show))
        question = self._state.question
        if question != self._question:
            self._question = question
            now = asyncio.get_running_loop().time()
            # a C from now on answers the question, and no longer dismisses an earlier rejection
            self._change(lambda state: replace(state, question_since=now, refused="" if question else state.refused))
        self._screen.draw()

    def _view(self) -> tuple[UnitState, GameView]:
        return self._state, GameView.of(self._session)

    def _change(self, change: Change) -> None:
        """Change the state now. If a handler is waiting for the disk, change the state that it returns, too."""
        self._changes.append(change)
        self._state = change(self._state)

    def _restart_dialog(self) -> None:
        if self._state.dialog:
            self._dialog.start(self._state.dialog.patience_s)
        else:
            self._dialog.stop()

    def _deal_has_ended(self) -> None:
        self._change(lambda state: replace(state, deal_started_at=None))
        self._inputs.stay_awake()  # the players still agree on the price
        self._draw()

    def _dialog_is_over(self) -> None:
        self._change(lambda state: replace(state, dialog=None, entry=state.entry.cleared()))
        self._draw()

    def _slept_or_woke(self, is_asleep: bool) -> None:
        if not is_asleep:
            self._display.wake()
            return
        self._change(lambda state: replace(state, entry=state.entry.cleared(), refused=""))
        self._draw()
        self._session.back_up()
        self._display.sleep()


def _removed(side: Side, state: UnitState, events: Sequence[tuple[str, Mapping[str, object]]] = ()) -> Effects:
    number = state.number(side)
    state = state.with_card(side, None)
    if number:
        entry = replace(state.entry, into_pot=False)
        state = state.with_entry(entry.torn() if entry.text else entry).without_undoable_of(number)
    return Effects(state, (*events, _event("card.removed", side, number)))


def _event(name: str, side: Side, number: int | None) -> tuple[str, dict[str, object]]:
    return name, {"slot": side, "number": number}
