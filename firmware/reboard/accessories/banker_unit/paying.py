"""Payments at the unit: an entered amount, the salary, and the offers that ``GO`` answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from reboard.accessories.banker_unit.accounts import BANK, CARDS, POT, Account, Reason
from reboard.accessories.banker_unit.effects import Again, Deal
from reboard.accessories.banker_unit.inputs import CardIn
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Move, Transfer
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import Act, Dialog, Down, Lines, Notice, PotNotice, UnitState
from reboard.errors import Rejection
from reboard.languages import DISPLAY_COLUMNS as COLUMNS
from reboard.languages import Texts
from reboard.record import replace

OFFER_S = 10.0
"""The time within which ``GO`` answers an offer, in seconds."""

MOST_NAMED = 3
"""The maximum number of cards that fit into a notice."""

CHOICE_S = 5.0
"""The time within which ``GO`` confirms what a digit chose in a dialog, in seconds."""


class Offer(Dialog):
    """A dialog that shows what ``GO`` will do. ``C`` or a card drops it, and other keys are rejected.

    ``GO`` calls *does* with the state and *args*. *text* with *values* is the first line, and *keys* the second.
    *payers* and *receivers* are the accounts between which money would move. *back* is the dialog that was open before.
    """

    name: ClassVar[str] = "offer"
    asks = True
    does: Callable[..., UnitState]
    args: tuple[Any, ...]
    text: Text
    values: tuple[tuple[str, object], ...] = ()
    payers: tuple[int, ...] = ()
    receivers: tuple[int, ...] = ()
    keys: Text = Text.ANSWER_KEYS
    back: Dialog | None = None

    @property
    def patience_s(self) -> float:
        return CHOICE_S if self.back else OFFER_S

    def lines(self, state: UnitState, texts: Texts) -> Lines:
        first, keys, short = (
            state.game.said(texts, self.text, dict(self.values)),
            texts(self.keys),
            texts(Text.SHORT_KEYS),
        )
        while len(first) > COLUMNS:  # a balance can be that long
            first = first.partition(" ")[2]
        if not self.payers:
            return first, keys
        sides = [_named(accounts, texts) for accounts in (self.payers, self.receivers)]
        parties = ">".join(sides)
        if self.does is not _pay_each and "," not in parties and len(first) + 1 + len(parties) <= COLUMNS:
            return first + parties.rjust(COLUMNS - len(first)), keys
        if len(parties) + 1 + len(short) > COLUMNS:
            parties = ">".join(texts(Text.ALL) if "," in side else side for side in sides)
        return first, parties + short.rjust(COLUMNS - len(parties))

    def is_stale(self, state: UnitState) -> bool:
        """Return whether the game has changed so that the offer would do something else than it shows."""
        if self.does is _pay_each:
            return {*self.payers, *self.receivers} != set(state.game.in_game)
        if self.does is replace_card:
            return self.args[-1] in state.game.playing
        return self.does is _take_back and self.args[0] not in state.undoable


def _named(accounts: Sequence[int], texts: Texts) -> str:
    return ",".join(str(each) if each in CARDS else texts(Account(each).name) for each in accounts)


def offer(state: UnitState, offered: Offer) -> UnitState:
    """Show *offered*. A typed amount is part of it, and no longer typed."""
    return state.refuse(BankWhy.UNSEEN) if state.is_blind else state.cleared().showing(offered).play("asked")


def accept(state: UnitState, key: str) -> UnitState:
    """Do what the display shows."""
    assert isinstance(state.dialog, Offer)
    offered = state.dialog
    return offered.does(state.showing(None).cleared(heals=bool(offered.back)), *offered.args)


def dropped(state: UnitState) -> UnitState:
    """Close the dialog, and show the one that was open before it."""
    return state.showing(state.dialog.back if isinstance(state.dialog, Offer) else None)


def close(state: UnitState, key: str) -> UnitState:
    """Close it. Nothing moves."""
    return dropped(state).cleared().play("key")


# Amounts.


def press_entering_key(state: UnitState, key: str) -> UnitState:
    """Enter the typed amount. Without an amount, offer the last one again."""
    entry = state.entry
    if entry.is_broken:
        return state.cleared(keeps_pot=True).refuse(BankWhy.TORN)
    if not state.taken or state.rejected:
        return state.cleared().refuse(state.rejected or BankWhy.NO_CARD)
    if entry.is_volume:
        state = state.cleared(keeps_pot=True)
    if state.entry.text or entry.into_pot or not state.last_amount:
        return enter(state, key)
    amount, to, from_ = state.last_amount, state.number("left") or BANK, state.number("right") or BANK
    values = (("amount", amount),)
    return offer(state, Offer(_pay, (amount,), Text.AGAIN, values, (from_,), (to,)))


def enter(state: UnitState, key: str) -> UnitState:
    """Pay the amount that ``K`` or ``M`` enters, or with ``.`` ``M`` take the pot."""
    game, card = state.game, state.number("left")
    if state.entry.text == "." and key == "M" and card and (game.has_pot or game.pot):
        if state.number("right") or not game.pot:
            return _refuse_amount(state, Rejection(BankWhy.TWO_CARDS if state.number("right") else BankWhy.POT_EMPTY))
        paid = partial(_paid, sound="received")
        return state.ask("pay", POT, card, game.pot, Reason.POT_TAKEN, then=paid, refused=_refuse_amount)
    try:
        return _pay(state, game.edition.money.typed(state.entry.text, key))
    except Rejection as rejection:
        return _refuse_amount(state, rejection)


def _refuse_amount(state: UnitState, rejection: Rejection) -> UnitState:
    return state.cleared(keeps_pot=True, heals=False).refuse(rejection.why)


def _pay(state: UnitState, amount: int) -> UnitState:
    receives, pays, to_pot = state.number("left"), state.number("right"), state.entry.into_pot
    reason = Reason.RECEIVED if receives else Reason.POT_PAID if to_pot else Reason.PAID
    reason = Reason.PLAYERS if receives and pays else reason
    to = receives or (POT if to_pot else BANK)
    paid = partial(_paid, sound="paid" if pays else "received", amount=amount)
    return state.ask("pay", pays or BANK, to, amount, reason, then=paid, refused=_refuse_amount)


def _paid(state: UnitState, transfer: Transfer, *, sound: str, amount: int = 0) -> UnitState:
    state = replace(state.cleared(heals=False).did([transfer]), last_amount=amount or state.last_amount)
    if POT in (transfer.from_, transfer.to):
        state = state.saying(PotNotice())
    return state.play(sound).done()


def offer_each(state: UnitState, key: str) -> UnitState:
    """Offer the typed amount between the only card and each other card in the game."""
    card, game = state.alone or BANK, state.game
    try:
        amount = game.edition.money.typed(state.entry.text, key)
        moves = game.each(card, amount, receives=bool(state.number("left")))
    except Rejection as rejection:
        return _refuse_amount(state, rejection)
    if poor := game.poor(moves):
        # the GO that was to answer the offer pays no salary
        refused = Offer(agree, (), Text.TOO_POOR, (("cards", few(poor)),), keys=Text.AGREE_KEY)
        return replace(state.cleared().refuse(BankWhy.NO_FUNDS).saying(None).showing(refused), refused="")
    values = (("amount", amount),)
    payers, receivers = ({move.from_: None for move in moves}, {move.to: None for move in moves})
    return offer(state, Offer(_pay_each, (moves,), Text.EACH, values, tuple(payers), tuple(receivers)))


def few(cards: Sequence[int]) -> str:
    """Return the numbers of *cards*, or of the first ones, for a notice."""
    return ",".join(map(str, cards)) if len(cards) <= MOST_NAMED else f"{cards[0]},{cards[1]}.."


def agree(state: UnitState) -> UnitState:
    """Do nothing: the offer only said why there is none."""
    return state.play("key")


def _pay_each(state: UnitState, moves: Sequence[Move]) -> UnitState:
    def paid(state: UnitState, transfers: Sequence[Transfer]) -> UnitState:
        sound = "received" if moves[0].reason == Reason.EACH_RECEIVED else "paid"
        return replace(state.did(transfers), last_amount=moves[0].amount).play(sound).done()

    return state.ask("pay_all", moves, then=paid)


# GO.


def release_go(state: UnitState, card: int | None) -> UnitState:
    """Pay the salary to the left card, which is still *card*, or say why not."""
    entry, left = state.entry, state.number("left")
    if entry:
        return state.refuse(BankWhy.TORN if entry.is_broken else BankWhy.M_ENTERS)
    if state.payments.waiting and state.can_show and state.taken:
        return state.refuse(BankWhy.CARD_OUT_FIRST, Notice(Text.WAITS))
    if state.rejected:
        return state.refuse(state.rejected)
    if state.game.has_pot and state.number("right") and not left:
        if entry.into_pot:
            return state.cleared().play("key")
        offered = Offer(_into_pot, (), Text.CARD_TO_LEFT, keys=Text.POT_KEYS)
        return replace(state.refuse(BankWhy.WRONG_SLOT).saying(None).showing(offered), refused="")
    if not left or left != card:
        return state.refuse(BankWhy.NOT_BOOKED if left else BankWhy.WRONG_SLOT if state.taken else BankWhy.NO_CARD)
    return state.ask("pay", BANK, left, state.game.edition.salary, Reason.SALARY, then=partial(_paid, sound="salary"))


def _into_pot(state: UnitState) -> UnitState:
    return state.typing(replace(state.entry, into_pot=True)).play("key")


# C.


def correct(state: UnitState, key: str) -> UnitState:
    """Do the first of these that applies.

    Clear the amount, cancel a deal that is newer than the last act, offer to take back the last act, or offer to take
    the only card, which only joined, out of the game.
    """
    act, card = state.undoable[-1] if state.undoable else None, state.alone
    if state.entry or state.entry.into_pot:
        return state.cleared().play("key")
    if state.deal_at is not None and (act is None or act.at <= state.deal_at):
        return replace(state, deal_at=None).do(Deal(None)).play("key")
    if not state.cards:
        # held, it starts a new game
        return replace(state, down=Down(key, offers=True))
    if act:
        return offer_undo(state)
    if card in state.game.in_game and card not in state.game.playing:
        return offer(state, Offer(leave, (card,), Text.LEAVES, (("number", card),)))
    return state.refuse(BankWhy.NOTHING_TO_UNDO)


def offer_undo(state: UnitState) -> UnitState:
    """Offer to take back the last act. Without one, say where the menu is."""
    if not state.undoable:
        return state.saying(Text.MENU_HINT)
    return offer(state, _undo_offer(state.undoable[-1], state))


def _undo_offer(act: Act, state: UnitState) -> Offer:
    if not act.transfers or act.reason == Reason.LEFT:
        (card,) = act.cards
        return Offer(_take_back, (act,), Text.COMES_BACK, (("number", card),))
    payers = tuple(dict.fromkeys(made.from_ for made in act.transfers))
    receivers = tuple(dict.fromkeys(made.to for made in act.transfers))
    values = (("amount", act.transfers[0].amount),)
    return Offer(_take_back, (act,), Text.TAKE_BACK, values, payers, receivers)


def _take_back(state: UnitState, act: Act) -> UnitState:
    def taken_back(state: UnitState, opposites: Sequence[Transfer]) -> UnitState:
        return replace(state.undone(opposites), refused="").done()

    def back(state: UnitState, _: object) -> UnitState:
        return replace(state.undid(lambda other: other == act), refused="").play("undone").done()

    if act.transfers:
        return state.ask("undo", act.transfers[0].id, then=taken_back)
    return state.ask("readmit" if act.reason == Reason.BANKRUPT else "come_back", *act.cards, then=back)


def leave(state: UnitState, card: int) -> UnitState:
    """Take *card* out of the game. Its money goes to the bank."""

    def left(state: UnitState, transfer: Transfer | None) -> UnitState:
        state = state.did([transfer], card=card, reason=Reason.LEFT).saying(Text.HAS_LEFT, number=card)
        return state.showing(None).play("paid").done()

    return state.ask("leave", card, then=left)


def fill_pot(state: UnitState, amount: int) -> UnitState:
    """Let the bank pay *amount* into the Free Parking pot."""
    return state.ask("pay", BANK, POT, amount, Reason.POT_FILLED, then=partial(_paid, sound="paid"))


def replace_card(state: UnitState, card: int, inserted: CardIn, gives_up: int | None) -> UnitState:
    """Give the number and the balance of *card* to the *inserted* card, which gives up its own number."""

    def replaced(state: UnitState, _: object) -> UnitState:
        return state.barred(gives_up).holding(inserted.side, None).do(Again(replace(inserted, at=state.now)))

    return state.ask("replace", card, inserted.tag, gives_up, then=replaced)
