"""The running banker unit, which carries out the effects of each step and posts the answers as inputs."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from reboard.accessories.accessory import RunningAccessory
from reboard.accessories.banker_unit.deal_timer import DealTimer
from reboard.accessories.banker_unit.display_text import Messages, render
from reboard.accessories.banker_unit.effects import Again, Deal, Done, DrawCode, Reply, Sound, Volume, Warn
from reboard.accessories.banker_unit.game_session import GameSession
from reboard.accessories.banker_unit.input_queue import InputQueue
from reboard.accessories.banker_unit.inputs import Asked, CanShow, CardOut, CodeIs, DealOver, Input, Tick, VolumeIs
from reboard.accessories.banker_unit.ledger_errors import Cause
from reboard.accessories.banker_unit.phone_access import KeptPhoneAccess
from reboard.accessories.banker_unit.phone_vocabulary import PaymentAsked
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.step import deadlines, step
from reboard.accessories.banker_unit.texts import Text, display_texts
from reboard.accessories.banker_unit.unit_state import NOTICE_S, Answer, Ask, Effect, Lines, UnitState
from reboard.accessories.banker_unit.vocabulary import Forget, History, ReadBank, Side, Transfers
from reboard.board import LARGEST_VOLUME
from reboard.devices.displays.text_display import AbsentDisplay, Display
from reboard.devices.keypad import AbsentKeypad, Keypad
from reboard.devices.readers.reader import Reception, Slot
from reboard.devices.speaker import Speaker
from reboard.editions.edition import Edition
from reboard.errors import ReboardError, Rejection
from reboard.events import Emit, ignore_event
from reboard.record import replace
from reboard.strict_json import Json
from reboard.vocabulary.declared import Event, Request

WAIT_S = 1.0
"""The time after which the display reports a slow disk, in seconds."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class BankerUnit(RunningAccessory):
    """A running banker unit, which closes the ledger thread of its *session*. The caller closes the devices."""

    def __init__(
        self,
        left: Slot,
        right: Slot,
        keypad: Keypad | AbsentKeypad,
        display: Display | AbsentDisplay,
        speaker: Speaker,
        session: GameSession,
        *,
        rng: random.Random,
        access: KeptPhoneAccess | None = None,
        draw_code: Callable[[], str] = lambda: "",
        fitted: Sequence[str] = (),
        language: str = "en",
        emit: Emit = ignore_event,
    ) -> None:
        self._slots: dict[Side, Slot] = {"left": left, "right": right}
        self._display = display
        self._speaker = speaker
        self._session = session
        self._fitted = fitted
        self._emit = emit
        self._texts = display_texts(language)
        self._messages = Messages()
        self._inputs = InputQueue(self._slots, keypad)
        self._now = asyncio.get_running_loop().time
        self._deal = DealTimer(rng, speaker, emit=emit, ended=self._deal_has_ended)
        self._timers: dict[str, tuple[float, asyncio.TimerHandle]] = {}
        self._draw_code = draw_code
        self._access = access or KeptPhoneAccess()
        self._state = UnitState(self._session.game, access=self._access.latest)
        self._warned_of = ""

    async def run(self, started: Callable[[], None]) -> None:
        """Run the unit until it is cancelled. Call *started* when the unit accepts input, or shows why it cannot.

        While the ledger cannot be opened, there is a ``fault``, and the display shows the cause. Raises `ReboardError`
        if the ledger is damaged, or if the disk has a change that it reported as failed. In that case, the balances in
        memory may be wrong, and the unit must be restarted.
        """

        def failed(cause: Cause) -> None:
            self._messages.no_ledger = cause
            self._draw()
            started()

        try:
            with self._waiting():
                missed = await self._session.open(failed=failed)
            self._messages.no_ledger = None
            game, access = self._session.game, self._state.access
            access = access if game.pay == "off" or access.code else replace(access, code=self._draw_code())
            self._state = UnitState(game, now=self._now(), access=access)
            if mended := self._session.mended:
                started()
                self._state = self._state.saying(Text.NEW_LEDGER if mended.is_new else Text.LEDGER_MENDED)
                self._draw()
                await asyncio.sleep(NOTICE_S)
            if missed:
                self._state = self._state.saying(BankWhy.NO_EDITION.display)
            self._state = replace(self._state, now=self._now()).awake()
            self._inputs.start()
            await self._handle(self._can_show())
            started()
            while True:
                await self._handle(await self._inputs.next())
        except Exception:
            self._session.close()
            raise
        finally:
            self._inputs.close()
            self._deal.close()
            for _, handle in self._timers.values():
                handle.cancel()

    async def close(self) -> None:
        await self._session.ledger_thread.close()

    async def request(self, request: Request) -> object:
        match request:
            case ReadBank():
                return self.snapshot()
            case History():
                return Json(await self._checked(self._session.history()))
            case Transfers(after=after, most=most):
                return Json(await self._checked(self._session.outgoing(after, most)))
            case Forget():
                answer = await self._inputs.ask(request)
                await self._checked(self._session.ledger_thread.renew_backups())
                return answer
            case _:
                return await self._inputs.ask(request)

    def show_fault(self, part: str | None) -> None:
        """Show that *part*, such as a device or the ledger, has a fault. ``None`` means that nothing has a fault."""
        self._messages.fault = part
        if self._session.game.id is not None:
            self._inputs.post(self._can_show())

    @property
    def edition(self) -> Edition:
        return self._session.game.edition

    @property
    def readers(self) -> Mapping[str, Reception]:
        return {f"bank.{side}": slot.heard for side, slot in self._slots.items()}

    def snapshot(self) -> dict[str, object]:
        state, game = self._state, self._session.game
        return {
            "display": list(self._public_lines),
            "ledger": self._session.ledger,
            **game.snapshot(),
            "slots": {"left": state.number("left"), "right": state.number("right")},
            "deal": {"running": self._deal.is_running},
            "asleep": state.is_asleep,
            "typed": state.entry.shown,
            "refused": state.refused or None,
            "dialog": state.dialog and ("offer" if state.dialog.asks else state.dialog.name),
            "payments": [
                {**PaymentAsked(*payment.fields).as_json(), "shown": game.edition.money.shown(payment.amount)}
                for payment in state.payments.waiting
            ],
            "phones": state.phones_now,
            "fitted": self._fitted,
        }

    # Steps and their effects.

    async def _handle(self, given: Input) -> None:
        if isinstance(given, Asked) and given.answer.done():
            return  # its caller was cancelled
        was_asleep = self._state.is_asleep
        with self._waiting():
            await self._step(given)
        if was_asleep and not self._state.is_asleep:
            self._display.wake()
        self._draw()
        if self._state.is_asleep and not was_asleep:
            self._session.ledger_thread.back_up()
            self._display.sleep()
        self._set_timers()

    async def _step(self, given: Input | Answer) -> None:
        self._state, effects = step(self._state, given)
        self._access.latest = self._state.access
        for effect in effects:
            await self._carry_out(effect)

    async def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Ask():
                await self._step(await self._answer(effect))
            case Again(given):
                await self._step(given)
            case Event():
                self._emit(effect)
            case Sound(name):
                self._speaker.play(name)
            case Deal(None):
                self._deal.cancel()
            case Deal(float() as at):
                self._deal.start(at)
            case Volume(steps):
                self._speaker.volume = (self._speaker.volume + steps) % (LARGEST_VOLUME + 1)
                if steps > 0:
                    self._speaker.play("volume")
                    await self._step(VolumeIs(self._speaker.volume, self._now()))
            case DrawCode():
                await self._step(CodeIs(self._draw_code(), self._now()))
            case Done(side):
                tag = self._state.tag(side)  # another card may be in the slot by now
                if tag and self._slots[side].forget(tag):
                    await self._step(CardOut(side, self._now(), is_done=True))
            case Reply(request, answer) if not request.answer.done():
                if isinstance(answer, ReboardError):
                    request.answer.set_exception(answer)
                else:
                    request.answer.set_result(answer)
            case Warn(sentence) if sentence != self._warned_of:
                self._warned_of = sentence
                log.warning(sentence)

    async def _answer(self, ask: Ask) -> Answer:
        try:
            result = await getattr(self._session, ask.method)(*ask.args, **ask.options)
        except Rejection as rejection:
            result = rejection
        return Answer(ask, result, self._session.game, self._now())

    async def _checked(self, at_ledger: Coroutine[Any, Any, T]) -> T:
        """Wait for what reads or backs up the ledger. It does not wait in the input queue, and holds up no key.

        Any error except `Rejection` also stops the unit, because the ledger may be damaged.
        """
        try:
            return await at_ledger
        except Rejection:
            raise
        except ReboardError as error:
            self._inputs.fail(error)
            raise

    # Timers.

    def _set_timers(self) -> None:
        """Let each timer post a `Tick` at its time in the state."""
        due = deadlines(self._state)
        for timer, (at, handle) in tuple(self._timers.items()):
            if due.get(timer) != at:
                handle.cancel()
                del self._timers[timer]
        loop = asyncio.get_running_loop()
        for timer, at in due.items():
            if timer not in self._timers:
                self._timers[timer] = at, loop.call_at(at, self._tick, timer, at)

    def _tick(self, timer: str, due: float) -> None:
        del self._timers[timer]
        # a timer that fires is over, although the clock may be below its time by the clock's resolution
        self._inputs.post(Tick(timer, due, max(due, self._now())))

    def _deal_has_ended(self, began: float) -> None:
        self._inputs.post(DealOver(began, self._now()))

    # The display.

    def _can_show(self) -> CanShow:
        return CanShow(self._display.is_working, self._now(), is_blind=self._display.has_fault)

    @property
    def _lines(self) -> Lines:
        return render(self._state, self._messages, self._texts)

    @property
    def _public_lines(self) -> Lines:
        """The lines without the code that a phone needs to join: the page shows them to all phones in the network."""
        if not self._state.shown_code:
            return self._lines
        masked = replace(self._state, access=self._state.access.masked())
        return render(masked, self._messages, self._texts)

    def _draw(self) -> None:
        self._display.show(*self._lines, reported=self._public_lines if self._state.shown_code else None)

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Show that the disk is slow if the block takes longer than `WAIT_S` seconds."""

        def show() -> None:
            self._messages.is_waiting = True
            self._draw()

        timer = asyncio.get_running_loop().call_later(WAIT_S, show)
        try:
            yield
        finally:
            timer.cancel()
            self._messages.is_waiting = False
