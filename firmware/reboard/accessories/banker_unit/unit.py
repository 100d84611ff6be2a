"""The banker unit: takes keys, cards and requests one after the other, and carries out their effects."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from reboard.accessories.accessory import Json, RunningAccessory
from reboard.accessories.banker_unit import requests
from reboard.accessories.banker_unit.announcements import Announcer
from reboard.accessories.banker_unit.card_input import handle_card
from reboard.accessories.banker_unit.display_text import notice_text, render
from reboard.accessories.banker_unit.end_of_game import FinalCount
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.input_queue import (
    Answer,
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
from reboard.accessories.banker_unit.ledger_thread import LedgerThread
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.accessories.banker_unit.timers import DealTimer, Timer
from reboard.accessories.banker_unit.unit_state import (
    OTHER_SIDE,
    Effects,
    GameView,
    Lines,
    Notice,
    PotNotice,
    Side,
    TransferNotice,
    UnitState,
)
from reboard.board import LARGEST_VOLUME
from reboard.devices.display import AbsentDisplay, Display
from reboard.devices.keypad import AbsentKeypad, Keypad
from reboard.devices.readers.reader import Slot
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import REJECTIONS, ReboardError, Rejection
from reboard.events import Emit, ignore_event

NOTICE_S = 2.0
"""The time that a notice is shown, unless a key or card comes first."""

WAIT_S = 1.0
"""The display reports a slow disk after this time."""

MINUTE_S = 60.0

WARNING_MIN = 5
"""The time before its end at which the game clock warns."""


class BankerUnit(RunningAccessory):
    """One banker unit. The caller closes the devices and *ledger_thread*.

    *edition* is the one in the config; a game that was started in another one continues. *cards* are the tags of cards
    1, 2, …; other cards take the next free number. *names* are the players' names. *pot*: the game has a Free Parking
    pot. *wall_time* returns seconds since 1970. *announcer* has sent the events of earlier lives of this unit.
    """

    def __init__(
        self,
        left: Slot | None,
        right: Slot | None,
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
        slots: dict[Side, Slot | None] = {"left": left, "right": right}
        self._slots = {side: slot for side, slot in slots.items() if slot is not None}
        self._display = display
        self._speaker = speaker
        self._emit = emit
        self._texts = Texts(language)
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
        self._linked_play = requests.LinkedPlay()
        self._deal = DealTimer(rng, speaker, emit=emit, ended=self._draw)
        self._game_clock = Timer(self._inputs.minute_passed)
        self._notice = Timer(self._notice_is_over)
        self._dialog = Timer(self._dialog_is_over)
        self._latest = UnitState()
        self._has_slept = False

    async def run(self) -> None:
        """Play until cancelled; see `play`."""
        await self.play(lambda: None)

    async def play(self, started: Callable[[], None]) -> None:
        """Play until cancelled. Call *started* when the unit takes input, or shows why it cannot.

        A ledger that cannot be opened is a ``fault``, and the display shows it until it can. Raises `ReboardError` when
        the ledger is found damaged during the game, or has what the disk said had not been saved: then the memory is no
        longer right, and the unit has to start again.
        """

        def failed(why: str) -> None:
            self._set(no_ledger=why)
            self._draw()
            started()

        try:
            with self._waiting():
                missed = await self._session.open(failed=failed)
            self._set(no_ledger="")
            if self._session.mended:
                started()
                self._say(Notice(self._session.mended.shown))
                self._draw()
                await asyncio.sleep(NOTICE_S)
            if missed:
                self._say(Notice(REJECTIONS["no edition"].display))
            self._inputs.start()
            await self._check_clock()
            self._draw()
            started()
            while True:
                touch = await self._inputs.next()
                with self._waiting():
                    await self._handle(touch)
                    await self._check_clock()
                self._draw()
        except Exception:
            self._session.close()
            raise
        finally:
            self._inputs.close()
            self._deal.close()
            for timer in (self._game_clock, self._notice, self._dialog):
                timer.stop()

    async def request(self, name: str, args: Mapping[str, Any]) -> object:
        """Carry out a request between two touches. Return when its change is saved.

        Raises `Rejection` or `RequestError` if it cannot be done, and `ReboardError` if the unit cannot be asked.
        """
        session = self._session
        match name, args:
            case "history", _:
                return Json(await self._history())
            case "new_game", _:
                return await self._inputs.ask(
                    lambda state: requests.new_game(state, session, args.get("game"), args.get("edition"))
                )
            case "end_game", {"game": int(game)}:
                worths = {int(card): worth for card, worth in args.get("worths", {}).items()}
                return await self._inputs.ask(lambda state: requests.end_game(state, session, game, worths))
            case "undo", _:
                return await self._inputs.ask(lambda state: requests.undo(state, session, args.get("transfer")))
            case "name", {"card": int(card), "name": str(player)}:
                await self._inputs.ask(lambda state: requests.name(state, session, card, player))
                return None
            case "book_outcome", {"kind": str(kind), "coins": int(coins)}:
                await self._inputs.ask(partial(self._book_outcome, kind, coins))
                return None
        return await super().request(name, args)

    def show_fault(self, part: str | None) -> None:
        """Show, where there is room, that *part* has a fault; ``None``: no part has one."""
        self._set(fault=part)
        if self._session.game is not None:
            self._draw()

    @property
    def edition(self) -> Edition:
        """The edition of the current game."""
        return self._session.edition

    def snapshot(self) -> dict[str, object]:
        """Return the state of the unit as JSON."""
        return {
            "display": list(self._lines),
            **requests.game_snapshot(self._session),
            "slots": {"left": self._latest.number("left"), "right": self._latest.number("right")},
            "deal": {"running": self._state.deal_started_at is not None},
            "volume": self._speaker.volume,
            "asleep": self._inputs.is_asleep,
            "typed": self._latest.entry.text,
        }

    # Input and its effects.

    async def _handle(self, touch: Touch) -> None:
        self._has_slept = False
        if isinstance(touch, Key | CardIn | CardOut):
            self._hush()
            self._restart_dialog()
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
        self._keep_cards()

    async def _card(self, touch: CardIn | CardOut) -> Effects:
        if isinstance(touch, CardIn):
            other = OTHER_SIDE[touch.side]
            is_in_other = self._latest.tag(other) == touch.tag != self._latest.tag(touch.side)
            touch = replace(touch, has_moved=is_in_other and self._slots[other].forget(touch.tag))
        return await handle_card(touch, self._state, self._session)

    async def _read_slots_again(self) -> None:
        self._latest = self._latest.with_entry(self._latest.entry.torn())
        now = asyncio.get_running_loop().time()
        for side, slot in self._slots.items():
            if self._latest.tag(side) not in (None, slot.tag):
                self._apply(await self._card(CardOut(side)))
        for side, slot in self._slots.items():
            if slot.tag and not self._latest.tag(side):
                self._apply(await self._card(CardIn(side, slot.tag, now)))

    async def _book_outcome(self, kind: str, coins: int, state: UnitState) -> tuple[Answer, Effects]:
        """Pay for an outcome of the question block. A rejection is shown here, as that of a key is."""
        if state.taken:
            self._inputs.stay_awake()
        try:
            return {}, await self._linked_play.book(kind, coins, state, self._session)
        except Rejection as rejection:
            return {}, Effects(state, rejection=rejection)

    async def _history(self) -> str:
        """Read the history while the unit plays on. Damage that it finds ends the unit, as if the unit had found it."""
        try:
            return await self._session.history()
        except Rejection:
            raise
        except ReboardError as error:
            damage = error

            async def found_damaged(_: UnitState) -> tuple[Answer, Effects]:
                raise damage

            with suppress(ReboardError):
                await self._inputs.ask(found_damaged)
            raise

    def _apply(self, effects: Effects) -> None:
        before = self._latest
        # a timer or a fault may have changed these while the handler waited for the disk
        self._latest = replace(
            effects.state, notice=before.notice, is_waiting=before.is_waiting, fault=before.fault, deal_started_at=None
        )
        if self._has_slept:
            self._latest = self._latest.with_entry(self._latest.entry.cleared())
        if self._latest.dialog is not before.dialog:
            self._restart_dialog()
        for name, fields in effects.events:
            self._emit(name, **fields)
        for side in effects.done:
            self._slots[side].done()
        if effects.deal == "start":
            self._deal.start()
        elif effects.deal == "stop":
            self._deal.cancel()
        if effects.steps_volume:
            self._step_volume()
        if effects.sound:
            self._speaker.play(effects.sound)
        if effects.notice:
            self._say(effects.notice)
        if effects.rejection:
            self._refuse(effects.rejection)

    def _refuse(self, rejection: Rejection) -> None:
        # C does what CLOSE MENU FIRST asks for, and otherwise only dismisses the notice
        self._set(is_refused=rejection.why != "dialog")
        self._emit("refused", why=rejection.why)
        self._speaker.play("refused")
        self._say(Notice(rejection.words.display))

    def _step_volume(self) -> None:
        self._speaker.volume = (self._speaker.volume + 1) % (LARGEST_VOLUME + 1)
        self._speaker.play("volume")
        self._say(Notice(Text.VOLUME, {"level": self._speaker.volume}))

    def _keep_cards(self) -> None:
        """Let a card that was only tapped stay while it is used."""
        is_in_use = bool(self._latest.entry.text or self._latest.entry.into_pot or self._latest.dialog)
        for slot in self._slots.values():
            slot.in_use(is_in_use)

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
            self._say(Notice(Text.MINUTES_LEFT if left else Text.TIME_IS_UP, {"minutes": left}))

    async def _check_clock(self) -> None:
        """Run the clock unless the game is over. When its time is up and the unit is idle, open the final count."""
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

    # The display.

    @property
    def _state(self) -> UnitState:
        return replace(self._latest, deal_started_at=self._deal.started_at)

    def _set(self, **fields: Any) -> None:
        self._latest = replace(self._latest, **fields)

    @property
    def _lines(self) -> Lines:
        return render(self._state, GameView.of(self._session), self._texts)

    def _draw(self) -> None:
        self._display.show(*self._lines)

    def _say(self, notice: Notice | PotNotice | TransferNotice) -> None:
        self._set(notice=notice_text(notice, GameView.of(self._session), self._texts))
        self._notice.start(NOTICE_S)

    def _hush(self) -> None:
        self._set(notice="")
        self._notice.stop()

    def _notice_is_over(self) -> None:
        self._set(notice="")
        self._draw()

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Show that the disk is slow while the block takes long."""

        def show() -> None:
            self._set(is_waiting=True)
            self._draw()

        timer = Timer(show)
        timer.start(WAIT_S)
        try:
            yield
        finally:
            timer.stop()
            self._set(is_waiting=False)

    def _restart_dialog(self) -> None:
        if self._latest.dialog:
            self._dialog.start(self._latest.dialog.patience_s)
        else:
            self._dialog.stop()

    def _dialog_is_over(self) -> None:
        self._set(dialog=None, entry=self._latest.entry.cleared())
        self._keep_cards()
        self._draw()

    def _slept_or_woke(self, is_asleep: bool) -> None:
        if not is_asleep:
            self._display.wake()
            return
        # also what a handler typed that waits for the disk
        self._has_slept = True
        self._set(entry=self._latest.entry.cleared(), is_refused=False)
        self._draw()
        self._session.back_up()
        self._display.sleep()
