"""Payments at the unit: an entered amount, the salary, and the offers that ``GO`` answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from reboard.accessories.banker_unit.payments import START, press_of
from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text, Texts
from reboard.accessories.banker_unit.unit_state import (
    Act,
    Again,
    Ask,
    CardIn,
    Deal,
    Dialog,
    Effect,
    Lines,
    Notice,
    PotNotice,
    Side,
    Sound,
    Step,
    UnitState,
    done,
    end_payment,
    refuse,
)
from reboard.board import COLUMNS
from reboard.errors import Rejection

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.payments import Payment
    from reboard.accessories.banker_unit.schema import Transfer

OFFER_S = 10.0
"""The time within which ``GO`` answers an offer, in seconds."""


@dataclass(frozen=True, slots=True)
class Offer(Dialog):
    """A dialog that shows what ``GO`` will do. ``C`` or a card drops it, and other keys are rejected.

    *text* with *values* is the first line. *payers* and *receivers* are the accounts between which money would move.
    *keys* is the second line. *does* is a key of `ACCEPTS`, and *args* are the arguments of its function.
    """

    name: ClassVar[str] = "offer"
    patience_s: ClassVar[float] = OFFER_S
    does: str
    args: tuple[object, ...]
    text: Text
    values: tuple[tuple[str, object], ...] = ()
    payers: tuple[int, ...] = ()
    receivers: tuple[int, ...] = ()
    keys: Text = Text.ANSWER_KEYS

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        first, keys = texts(self.text, **dict(self.values)), texts(self.keys)
        if not self.payers:
            return first, keys
        parties = f"{_short(self.payers, texts)}>{_short(self.receivers, texts)}"
        if len(self.payers) + len(self.receivers) > 2:
            return first, parties + texts(Text.SHORT_KEYS).rjust(COLUMNS - len(parties))
        fits = len(first) + 1 + len(parties) <= COLUMNS
        return first + parties.rjust(COLUMNS - len(first)) * fits, keys

    def is_stale(self, state: UnitState) -> bool:
        """Return whether the game has changed so that the offer would do something else than it shows."""
        if self.does == "each":
            return {*self.payers, *self.receivers} != set(state.game.in_game)
        return self.does == "take back" and self.args[0] not in state.undoable


def _short(accounts: Sequence[int], texts: Texts) -> str:
    if accounts in ((BANK,), (POT,)):
        return texts(Text.POT if accounts[0] else Text.BANK)
    return "".join(map(str, accounts))


def offer(state: UnitState, offered: Offer, at: float) -> Step:
    """Return the step that shows *offered*. A typed amount is part of it, and no longer typed."""
    return state.with_entry(state.entry.cleared()).with_dialog(offered, at), (Sound("asked"),)


def accept(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which ``GO`` does what the offer shows."""
    assert isinstance(state.dialog, Offer)
    accepted = state.dialog
    state = state.with_dialog(None, at).with_entry(state.entry.cleared())
    return ACCEPTS[accepted.does](state, at, *accepted.args)


def drop(state: UnitState, key: str, at: float) -> Step:
    """Return the step that closes a dialog, and does nothing else."""
    return state.with_dialog(None, at).with_entry(state.entry.cleared()), (Sound("key"),)


# Amounts.


def press_entering_key(state: UnitState, key: str, at: float) -> Step:
    """Return the step for a pressed ``K`` or ``M``.

    With one card and an amount, nothing happens yet: the key can be held for everyone, see `offer_each`.
    """
    entry = state.entry
    if entry.is_broken:
        return refuse(state.with_entry(entry.cleared(into_pot=entry.into_pot)), "torn", at)
    if not state.taken or state.rejected:
        return refuse(state.with_entry(entry.cleared()), state.rejected or "no card", at)
    if not entry.text and state.last_amount and not entry.into_pot:
        amount = state.last_amount
        to, from_ = state.number("left") or BANK, state.number("right") or BANK
        values = (("amount", state.game.shown(amount)),)
        return offer(state, Offer("pay", (amount,), Text.AGAIN, values, (from_,), (to,)), at)
    return enter(state, key, at)


def enter(state: UnitState, key: str, at: float) -> Step:
    """Return the step in which ``K`` or ``M`` enters the typed amount."""
    entry, game = state.entry, state.game
    takes_pot = entry.text == "." and key == "M" and state.number("left") and (game.has_pot or game.pot)
    try:
        amount = 0 if takes_pot else game.edition.money.typed(entry.text, key)
    except Rejection as rejection:
        return _refuse_amount(state, rejection, at)
    return _take_pot(state, at) if takes_pot else _pay(state, at, amount)


def _refuse_amount(state: UnitState, rejection: Rejection, at: float) -> Step:
    """Return the step that rejects an amount. It is typed again, and goes where the first one was to go."""
    return refuse(state.with_entry(state.entry.cleared(into_pot=state.entry.into_pot)), rejection.why, at)


def _pay(state: UnitState, at: float, amount: int) -> Step:
    receives, pays, to_pot = state.number("left"), state.number("right"), state.entry.into_pot
    reason = "players" if receives and pays else "received" if receives else "pot_paid" if to_pot else "paid"
    to = receives or (POT if to_pot else BANK)
    paid = partial(_paid, sound="paid" if pays else "received", amount=amount)
    return state, (Ask("pay", (pays or BANK, to, amount, reason), paid, _refuse_amount),)


def _paid(state: UnitState, transfer: Transfer, at: float, *, sound: str, amount: int = 0) -> Step:
    state = state.with_entry(state.entry.cleared()).with_act(Act.of([transfer], at))
    state = replace(state, last_amount=amount or state.last_amount)
    if POT in (transfer.from_, transfer.to):
        state = state.saying(PotNotice(), at)
    return state, (Sound(sound), *done(state))


def _take_pot(state: UnitState, at: float) -> Step:
    card, game = state.number("left"), state.game
    if state.number("right") or not game.pot:
        return _refuse_amount(state, Rejection("two cards" if state.number("right") else "pot empty"), at)
    paid = partial(_paid, sound="received")
    return state, (Ask("pay", (POT, card, game.pot, "pot_taken"), paid, _refuse_amount),)


def offer_each(state: UnitState, key: str, at: float) -> Step:
    """Return the step that offers the typed amount between the only card and each other card in the game."""
    card, game, receives = state.alone or BANK, state.game, bool(state.number("left"))
    try:
        amount = game.edition.money.typed(state.entry.text, key)
    except Rejection as rejection:
        return _refuse_amount(state, rejection, at)
    others = tuple(other for other in game.in_game if other != card)
    if card not in game.in_game:
        return _refuse_amount(state, Rejection("bankrupt" if card in game.retired else "left"), at)
    if not others:
        return _refuse_amount(state, Rejection("no players"), at)
    payers, receivers = (others, (card,)) if receives else ((card,), others)
    poor = [payer for payer in payers if not game.can_pay(payer, amount * len(receivers))]
    if poor:
        named = Notice(Text.TOO_POOR, {"cards": "".join(map(str, poor))})
        return refuse(state.with_entry(state.entry.cleared()), "no funds", at, named)
    values = (("amount", game.shown(amount)),)
    return offer(state, Offer("each", (card, amount, receives), Text.EACH, values, payers, receivers), at)


def _pay_each(state: UnitState, at: float, card: int, amount: int, receives: bool) -> Step:
    paid = partial(_paid_each, receives=receives)
    return state, (Ask("pay_each", (card, amount), paid, options={"receives": receives}),)


def _paid_each(state: UnitState, transfers: Sequence[Transfer], at: float, *, receives: bool) -> Step:
    state = state.with_act(Act.of(transfers, at))
    return state, (Sound("received" if receives else "paid"), *done(state))


# GO.


def release_go(state: UnitState, card: int | None, at: float) -> Step:
    """Return the step for a ``GO`` that was not held: the salary of the left card, which is still *card*."""
    entry, left = state.entry, state.number("left")
    if entry:
        return refuse(state, "torn" if entry.is_broken else "m enters", at)
    if state.payments.waiting and state.can_show and state.taken:
        return refuse(state, "card out first", at, waiting_notice(state))
    if state.game.has_pot and state.number("right") and not left and not state.rejected:
        if entry.into_pot:
            return state.with_entry(entry.cleared()), (Sound("key"),)
        _, refused = refuse(state, "wrong slot", at)
        offered = Offer("into pot", (), Text.CARD_TO_LEFT, keys=Text.POT_KEYS)
        return replace(state.with_dialog(offered, at), refused=""), refused
    if not left or left != card:
        why = "not booked" if left else state.rejected or ("wrong slot" if state.taken else "no card")
        return refuse(state, why, at)
    salary = Ask("pay", (BANK, left, state.game.edition.salary, "salary"), partial(_paid, sound="salary"))
    return state, (salary,)


def waiting_notice(state: UnitState) -> Notice:
    """Return the notice that a payment waits for an answer, and that the cards are to be taken out first."""
    return Notice(Text.WAITS, {"number": state.payments.waiting[0].card})


def _into_pot(state: UnitState, at: float) -> Step:
    return state.with_entry(state.entry.cleared(into_pot=True)), (Sound("key"),)


# C.


def correct(state: UnitState, key: str, at: float) -> Step:
    """Return the step for ``C``: the first of these that applies.

    Clear the amount, cancel a deal that is newer than the last act, offer to take back the last act, or offer to take
    the only card, which only joined, out of the game.
    """
    entry, act = state.entry, state.undoable[-1] if state.undoable else None
    if entry or entry.into_pot:
        return state.with_entry(entry.cleared()), (Sound("key"),)
    if state.deal_at is not None and (act is None or act.at <= state.deal_at):
        return replace(state, deal_at=None), (Deal(None), Sound("key"))
    if act:
        return offer(state, _undo_offer(act, state), at)
    if not state.taken:
        return state, ()
    card = state.alone
    if card and card in state.game.in_game and card not in state.game.playing:
        return offer(state, Offer("leave", (card,), Text.LEAVES, (("number", card),)), at)
    return refuse(state, "nothing to undo", at)


def _undo_offer(act: Act, state: UnitState) -> Offer:
    if not act.transfers:
        (card,) = act.cards
        text = Text.TAKE_BACK_OUT if act.reason == "bankrupt" else Text.COMES_BACK
        return Offer("take back", (act,), text, (("number", card),))
    first = act.transfers[0]
    payers = tuple(dict.fromkeys(made.from_ for made in act.transfers))
    receivers = tuple(dict.fromkeys(made.to for made in act.transfers))
    values = (("amount", state.game.shown(first.amount)),)
    text = Text.TAKE_BACK if len(act.transfers) == 1 else Text.TAKE_BACK_EACH
    return Offer("take back", (act,), text, values, payers, receivers)


def _take_back(state: UnitState, at: float, act: Act) -> Step:
    gone = partial(_taken_back, act=act)
    if act.transfers:
        return state, (Ask("undo", (act.transfers[0].id,), gone),)
    (card,) = act.cards
    return state, (Ask("readmit" if act.reason == "bankrupt" else "come_back", (card,), gone),)


def _taken_back(state: UnitState, _: object, at: float, *, act: Act) -> Step:
    state = replace(state, undoable=tuple(other for other in state.undoable if other != act), refused="")
    return state, (Sound("undone"), *done(state))


def leave(state: UnitState, at: float, card: int) -> Step:
    """Return the step that takes *card* out of the game. Its money goes to the bank."""

    def left(state: UnitState, transfer: Transfer | None, at: float) -> Step:
        state = state.with_act(Act.of([transfer], at, card=card, reason="left"))
        return state.saying(Notice(Text.HAS_LEFT, {"number": card}), at), (Sound("paid"), *done(state))

    return state, (Ask("leave", (card,), left),)


# The pot, and a card that replaces another one.


def fill_pot(state: UnitState, at: float, amount: int) -> Step:
    """Return the step in which the bank pays *amount* into the pot."""
    return state, (Ask("pay", (BANK, POT, amount, "pot_filled"), partial(_paid, sound="paid")),)


def replace_card(state: UnitState, at: float, card: int, tag: str, side: Side) -> Step:
    """Return the step that gives the number and the balance of *card* to the card *tag*, which is in a slot."""

    def replaced(state: UnitState, _: object, at: float) -> Step:
        return state.with_card(side, None), (Again(CardIn(side, tag, at)),)

    return state, (Ask("replace", (card, tag), replaced),)


ACCEPTS: Mapping[str, Callable[..., Step]] = {
    "pay": _pay,
    "each": _pay_each,
    "take back": _take_back,
    "leave": leave,
    "into pot": _into_pot,
    "fill pot": fill_pot,
    "replace": replace_card,
}
"""What ``GO`` does with each kind of offer."""


# Payments that players ask for.


def confirm(payment: Payment, then: Callable[[UnitState, str, float], Step]) -> Ask:
    """Return the effect that makes the transfer for *payment*, and ends the payment.

    A rejected transfer ends it with the reason of the rejection. *then* makes the step after that, for ``""`` or for
    the reason.
    """

    def booked(state: UnitState, transfer: Transfer | None, at: float) -> Step:
        state, ended = end_payment(payment, "booked", state)
        sound = Sound("received" if payment.from_ == BANK else "paid")
        if transfer:
            state = state.with_act(Act.of([transfer], at))
        return _joined((*ended, sound), then(state, "", at))

    def rejected(state: UnitState, rejection: Rejection, at: float) -> Step:
        state, ended = end_payment(payment, rejection.why, state)
        state, refused = refuse(state, rejection.why, at)
        return _joined((*ended, *refused), then(state, rejection.why, at))

    if payment.reason == START:
        return Ask("join", (payment.to,), booked, rejected)
    args = payment.from_, payment.to, payment.amount, payment.reason
    return Ask("pay", args, booked, rejected, {"press": press_of(payment.id)})


def _joined(effects: tuple[Effect, ...], step: Step) -> Step:
    state, more = step
    return state, (*effects, *more)
