"""The actions of the sixteen keys: type, enter, pay the salary, start a deal, undo, start a game, open the menu."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reboard.accessories.banker_unit.dialogs import MENU
from reboard.accessories.banker_unit.input_queue import Held, Key, Released, Unclear, Woken
from reboard.accessories.banker_unit.payments import SETTLE_S
from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import (
    NO_NOTICE,
    Effects,
    Notice,
    PotNotice,
    Retirement,
    TransferNotice,
    UnitState,
    another_game,
    confirm_payment,
    end_payment,
)
from reboard.errors import Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.accessories.banker_unit.payments import Payment

LAST_TRANSFERS = 3
"""The number of a card's latest transfers that holding the point key shows, one after the other."""


async def handle_key(key: Key | Held | Released | Woken | Unclear, state: UnitState, session: GameSession) -> Effects:
    """Return the effects of a key's action. Raises `Rejection` if the action is rejected and changes no state."""
    match key:
        case Key(name, at):
            was_refused = bool(state.refused)
            # the C that closes a dialog starts no game, however long it is held
            state = replace(
                state,
                entry=state.entry.pressed(at),
                refused="",
                hold_counts=state.dialog is None,
                answered=_answered(state, at),
            )
            try:
                return await _pressed(name, state, session, was_refused=was_refused)
            except Rejection as rejection:
                return Effects(state, rejection=rejection)
        case Held(name, times) if state.hold_counts:
            return await _held(name, times, state, session)
        case Released(name, times) if state.hold_counts:
            return await _released(name, times, state, session)
        case Unclear():
            return Effects(state.with_entry(state.entry.torn()), rejection=Rejection("unclear"))
        case Woken("GO"):
            # the GO that is held for the menu
            return Effects(replace(state, hold_counts=state.dialog is None))
        case Woken(name, at):
            return Effects(state.with_entry(state.entry.pressed(at).torn(name)), rejection=Rejection("torn"))
    return Effects(state)


async def _pressed(key: str, state: UnitState, session: GameSession, *, was_refused: bool) -> Effects:
    entry = state.entry
    if key == "C" and was_refused:
        # the first C after a rejection only dismisses it
        return Effects(replace(state, takes_back=False, entry=replace(entry, is_torn=False)), sound="key")
    if state.dialog:
        return await state.dialog.key(key, state, session)
    if key == "C" and state.answered:
        return replace(end_payment(state.answered, "rejected", replace(state, hold_counts=False)), sound="key")
    if key == "C":
        return _clear(state)
    if key == "GO":
        # it pays or confirms when it is released, unless it is held until it opens the menu
        return Effects(state)
    if key == "DEAL":
        return Effects(state, deal="start")
    if key == "." and not state.taken and entry.can_begin_with_point:
        return Effects(state, steps_volume=True)
    if key in session.edition.money.entering_keys:
        return await _enter(key, state, session)
    return Effects(state.with_entry(entry.type(key)), sound="key")


async def _held(key: str, times: int, state: UnitState, session: GameSession) -> Effects:
    if key == "C" and times == 1:
        if state.taken:
            raise Rejection("cards in")
        await session.start_game(session.edition)
        return another_game(state, Notice(Text.NEW_GAME))
    if key == "GO" and times == 1:
        return Effects(replace(state, entry=state.entry.cleared(), dialog=MENU))
    if key == "." and state.taken and state.entry.text in ("", "."):
        return await _show_transfer(times, state, session)
    return Effects(state)


async def _released(key: str, times: int, state: UnitState, session: GameSession) -> Effects:
    if key == "." and times and state.taken:
        return Effects(state, notice=NO_NOTICE)
    if key == "GO" and not times:
        if state.answered and state.answered in state.payments.waiting:
            return await confirm_payment(state.answered, state, session)
        return await _pay_salary(state, session)
    if key == "C" and not times and state.takes_back:
        return await _take_back(state, session)
    return Effects(state)


async def _enter(key: str, state: UnitState, session: GameSession) -> Effects:
    entry, receives, pays = state.entry, state.number("left"), state.number("right")
    if not state.taken:
        return Effects(state.with_entry(entry.cleared(into_pot=entry.into_pot)), rejection=Rejection("no card"))
    # an amount that was rejected is typed again, and goes where the first one was to go
    rejected = state.with_entry(entry.cleared(into_pot=entry.into_pot))
    try:
        if receives and entry.text == "." and key == "M" and (session.has_pot or session.pot):
            return await _take_pot(rejected, session)
        amount = entry.amount(key, session.edition.money)
        reason = "received" if pays is None else "paid" if receives is None else "players"
        to = receives or BANK
        if entry.into_pot and not receives:
            to, reason = POT, "pot_paid"
        transfer = await session.pay(pays or BANK, to, amount, reason)
    except Rejection as rejection:
        return Effects(rejected, rejection=rejection)
    return Effects(
        state.with_entry(entry.cleared()).with_undoable(transfer),
        done=state.taken,
        sound="received" if pays is None else "paid",
        notice=PotNotice() if reason == "pot_paid" else None,
    )


async def _take_pot(state: UnitState, session: GameSession) -> Effects:
    card = state.number("left")
    if card is None or state.number("right"):
        raise Rejection("two cards")
    if not session.pot:
        raise Rejection("pot empty")
    transfer = await session.pay(POT, card, session.pot, "pot_taken")
    return Effects(state.with_undoable(transfer), done=state.taken, sound="received", notice=PotNotice())


async def _pay_salary(state: UnitState, session: GameSession) -> Effects:
    """Pay the salary to the left card. If only the right slot has a card, switch payment into the pot on or off."""
    card = state.number("left")
    if session.has_pot and not card and state.number("right"):
        return Effects(state.with_entry(replace(state.entry, into_pot=not state.entry.into_pot)), sound="key")
    state = state.with_entry(state.entry.cleared())
    try:
        if not card:
            raise Rejection("no card")
        transfer = await session.pay(BANK, card, session.edition.salary, "salary")
    except Rejection as rejection:
        return Effects(state, rejection=rejection)
    return Effects(state.with_undoable(transfer), done=state.taken, sound="salary")


def _answered(state: UnitState, at: float) -> Payment | None:
    """Return the payment that a key answers: the payment shown on the display for at least `SETTLE_S`, or ``None``."""
    return state.question if at >= state.question_since + SETTLE_S else None


def _clear(state: UnitState) -> Effects:
    """Clear the entry, or else cancel a deal that is newer than the last transfer.

    If there is neither, the release of ``C`` undoes the last transfer.
    """
    entry, last = state.entry, state.undoable[-1] if state.undoable else None
    if entry.text or entry.is_torn or entry.into_pot:
        return Effects(replace(state, entry=entry.cleared(), takes_back=False), sound="key")
    if state.deal_started_at is not None and (last is None or last.at <= state.deal_started_at):
        return Effects(replace(state, takes_back=False), deal="stop", sound="key")
    # C held with a card in must not take a transfer back
    return Effects(replace(state, takes_back=True))


async def _take_back(state: UnitState, session: GameSession) -> Effects:
    if not state.undoable:
        if state.taken:
            raise Rejection("nothing to undo")
        return Effects(state)
    what = state.undoable[-1].what
    if isinstance(what, Retirement):
        await session.readmit(what.card)
        return Effects(state.without_retirement(what.card), sound="undone", notice=Notice(Text.BACK_IN))
    await session.undo(what.id)
    return Effects(state.without_transfer(what.id), sound="undone")


async def _show_transfer(times: int, state: UnitState, session: GameSession) -> Effects:
    """Show the next of the latest transfers of the left card, or of the right card if the left slot is empty."""
    # a slow finger may have typed the point
    state = state.with_entry(replace(state.entry, text=""))
    card = state.number("left") or state.number("right") or BANK
    try:
        last = await session.latest_of(card, LAST_TRANSFERS)
    except Rejection as rejection:
        return Effects(state, rejection=rejection)
    if not last:
        return Effects(state)
    place = (times - 1) % len(last)
    return Effects(state, notice=TransferNotice(place + 1, card, last[place]))
