"""Requests from the control socket and other accessories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from reboard.accessories.banker_unit import dialogs, phone_requests
from reboard.accessories.banker_unit.accounts import BANK, POT, Reason
from reboard.accessories.banker_unit.effects import Reply, Warn
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.game_settings import EndedGame
from reboard.accessories.banker_unit.inputs import Asked
from reboard.accessories.banker_unit.payments import press_of, read_amount
from reboard.accessories.banker_unit.player_names import must_be, owner_of
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import Booked, Move, Transfer
from reboard.accessories.banker_unit.texts import Text
from reboard.accessories.banker_unit.unit_state import UnitState
from reboard.accessories.banker_unit.vocabulary import (
    ComeBack,
    Each,
    EndGame,
    FillPot,
    Forget,
    Free,
    Leave,
    Name,
    Named,
    NewGame,
    OfCard,
    Pay,
    Replace,
    Undo,
)
from reboard.accessories.shared_requests import BookOutcome, ShowLines
from reboard.config.reading import shown
from reboard.editions.edition import Edition
from reboard.editions.money import AmountWhy
from reboard.errors import Rejection, RequestError
from reboard.languages import DISPLAY_COLUMNS, DISPLAY_ROWS
from reboard.record import replace
from reboard.vocabulary.declared import Request

OWN_REASONS = frozenset(Reason.members)
"""The reasons that neither an outcome of another accessory nor a `Pay` can have."""


def answer_request(state: UnitState, asked: Asked) -> UnitState:
    """Carry out a request, and answer it. A rejection is the answer, and changes nothing."""
    request = asked.request

    def answer(state: UnitState) -> UnitState:
        if isinstance(request, OF_A_GAME) and request.game not in (0, state.game.id):
            raise Rejection(BankWhy.ANOTHER_GAME)
        return HANDLERS[type(request)](state, asked, request)

    return state.or_rejected(asked, answer)


# Games and players.


def _new_game(state: UnitState, asked: Asked, request: NewGame) -> UnitState:
    if request.game not in (0, state.game.id):
        return state.do(Reply(asked, {"game": state.game.id}))
    chosen = _edition(request.edition, state) if request.edition else state.game.edition
    players = {card.number for card in state.cards.values() if card.number}
    players |= set(state.game.balances) - state.game.left if request.same_players else set()
    cards = [card for card in sorted(players) if card <= chosen.players.most]

    def started(state: UnitState, _: object) -> UnitState:
        return dialogs.started(state, None).do(Reply(asked, {"game": state.game.id}))

    return state.ask_for(asked, "start_game", chosen, cards, then=started)


def _edition(name: str, state: UnitState) -> Edition:
    editions = {edition.name: edition for edition in state.game.editions}
    if name not in editions:
        raise Rejection(BankWhy.NO_EDITION, f"there is no edition {shown(name)}; choose one of {', '.join(editions)}")
    edition = editions[name]
    most = edition.players.most
    for side in state.taken:
        if (number := state.number(side) or 0) > most:
            why = f"card {number} is in the {side} slot, but {edition.title} has only {most} cards: take that card out"
            raise Rejection(BankWhy.CARDS_IN, why)
    return edition


def _end_game(state: UnitState, asked: Asked, request: EndGame) -> UnitState:
    total = _with_money(state.game, request.game, {int(card): worth for card, worth in request.worths.items()})

    def ended(state: UnitState, over: EndedGame) -> UnitState:
        ranked = over.with_ranking(state.game.names.of, state.game.edition.money)
        return state.play("winner").saying(Text.GAME_OVER).do(Reply(asked, ranked))

    return state.ask_for(asked, "end", total, then=ended)


def _with_money(current: GameRecord, game: int, worths: Mapping[int, int]) -> dict[int, int]:
    money, playing = current.edition.money, current.playing
    if game != current.id:
        raise Rejection(BankWhy.ANOTHER_GAME, f"game {game} cannot be ended: the current game is {current.id}")
    if not playing:
        raise Rejection(BankWhy.NO_PLAYERS)
    if strangers := worths.keys() - set(playing):
        card = min(strangers)
        why = BankWhy.NOT_PLAYING if card in current.in_game else BankWhy.NOT_IN_THE_GAME
        why = BankWhy.BANKRUPT if card in current.retired else why
        raise Rejection(why, f'card {card} is not playing in game {game}: remove the card from "worths"')
    if any(worth % money.smallest for worth in worths.values()):
        raise Rejection(AmountWhy.TOO_FINE)
    total = {card: current.balances[card] + worths.get(card, 0) for card in playing}
    if max(total.values()) > money.largest:
        raise Rejection(BankWhy.TOO_MUCH)
    return total


def _name(state: UnitState, asked: Asked, request: Name) -> UnitState:
    card, name = request.card, request.name
    if owner := owner_of(name):
        raise Rejection(BankWhy.NAME_OF_ACCOUNT, f"{shown(name)} is a name of {owner}: choose another name")
    if name and (allowed := must_be(name)):
        raise Rejection(BankWhy.NAME, f"a player's name must be {allowed}, not {shown(name)}")
    other = state.game.names.card_of(name)
    if other not in (None, card):
        raise Rejection(
            BankWhy.NAME_TAKEN, f"the player with card {other} is already called {name}: choose another name"
        )

    def named(state: UnitState, _: object) -> UnitState:
        return state.emit(Named(card, state.game.names.of(card))).do(Reply(asked, None))

    return state.ask_for(asked, "name", card, name, then=named)


def _forget(state: UnitState, asked: Asked, request: Forget) -> UnitState:
    """Forget a name. The caller renews the backups."""

    def forgotten(state: UnitState, cards: Sequence[int]) -> UnitState:
        for card in cards:
            state = state.emit(Named(card, state.game.names.of(card)))
        return state.do(Reply(asked, {"cards": cards}))

    return state.ask_for(asked, "forget", request.name, then=forgotten)


def _by_host(method: str, state: UnitState, asked: Asked, request: OfCard) -> UnitState:
    """Call a method of the game session that changes whether a card is in the game."""
    card = request.card
    if method != "free" and card not in state.game.balances:
        raise Rejection(BankWhy.NOT_IN_THE_GAME)
    if method == "come_back" and card in state.game.retired:
        method = "readmit"
    if method == "free" and state.cards:
        raise Rejection(BankWhy.CARDS_IN)

    def changed(state: UnitState, _: object) -> UnitState:
        return state.barred().play("undone").do(Reply(asked, None))

    return state.ask_for(asked, method, card, then=changed)


def _replace(state: UnitState, asked: Asked, request: Replace) -> UnitState:
    if request.card not in state.game.balances or state.cards or state.dialog:
        raise Rejection(
            BankWhy.CARDS_IN if state.cards else BankWhy.DIALOG if state.dialog else BankWhy.NOT_IN_THE_GAME
        )
    return dialogs.open_new_card(state.awake(), request.card).do(Reply(asked, None))


# Transfers.


def _undo(state: UnitState, asked: Asked, request: Undo) -> UnitState:

    def undone(state: UnitState, opposites: Sequence[Transfer]) -> UnitState:
        first, *more = (opposite.as_json() for opposite in opposites)
        return state.undone(opposites).do(Reply(asked, {**first, "more": more}))

    return state.ask_for(asked, "undo", request.transfer, then=undone)


def _each(state: UnitState, asked: Asked, request: Each) -> UnitState:
    """Let a card pay each other player, or receive it from each. Repeating the payment has no effect."""
    card, game, press = request.card, state.game, press_of(request.payment)
    amount = read_amount(request.amount, game.edition.money)
    reason = Reason.EACH_RECEIVED if request.receives else Reason.EACH_PAID
    then = partial(_moved, asked=asked, sound="received" if request.receives else "paid")

    def pay(state: UnitState, booked: Booked | None) -> UnitState:
        if booked:
            made = booked.transfer
            payer_or_receiver = made.to if request.receives else made.from_
            if (made.game, payer_or_receiver, made.amount, made.reason) != (game.id, card, amount, reason):
                raise Rejection(BankWhy.ID_USED)
            return then(state, None)
        moves = game.each(card, amount, receives=request.receives)
        if poor := game.poor(moves):
            names = " and ".join(f"card {each}" for each in poor)
            raise Rejection(BankWhy.NO_FUNDS, f"{names} cannot pay, so no money has moved: raise money or choose less")
        return state.ask_for(asked, "pay_all", moves, then=then, press=press)

    return state.ask_for(asked, "booked", press, then=pay)


def _fill_pot(state: UnitState, asked: Asked, request: FillPot) -> UnitState:
    if not state.game.has_pot:
        raise Rejection(BankWhy.NO_POT)
    args = BANK, POT, read_amount(request.amount, state.game.edition.money), Reason.POT_FILLED
    then = partial(_moved, asked=asked, sound="paid")
    return state.ask_for(asked, "pay", *args, then=then, press=press_of(request.payment))


def _pay(state: UnitState, asked: Asked, request: Pay) -> UnitState:
    """Move money between two accounts. A repeated payment is answered with its transfer, also in another game."""
    move, press = Move(request.from_, request.to, request.amount, request.reason), press_of(request.payment)
    _check_reason(request.reason)
    if move.from_ == move.to:
        raise RequestError(f"account {move.to} cannot pay itself: choose another receiver")

    def pay(state: UnitState, booked: Booked | None) -> UnitState:
        if booked:
            made = booked.transfer
            if made.move != move or request.game not in (0, made.game):
                raise Rejection(BankWhy.ID_USED)
            return state.do(Reply(asked, made.as_json()))
        _check_move(state.game, move, request.game)
        return state.ask_for(asked, "pay_all", [move], then=paid, press=press)

    def paid(state: UnitState, transfers: Sequence[Transfer]) -> UnitState:
        (transfer,) = transfers
        sound = "received" if move.from_ == BANK else "paid"
        return _moved(state, None, asked=asked, sound=sound, answer=transfer.as_json())

    return state.ask_for(asked, "booked", press, then=pay)


def _check_reason(reason: str) -> None:
    if reason in OWN_REASONS:
        raise RequestError(f"the unit's own payments have the reason {reason!r}: choose another name")


def _check_move(current: GameRecord, move: Move, game: int) -> None:
    """Raise `Rejection` if *move* cannot be made in *game*, or 0 for any. The ledger checks the balances."""
    accounts = {move.from_, move.to}
    if game not in (0, current.id):
        raise Rejection(BankWhy.ANOTHER_GAME)
    if current.ended:
        raise Rejection(BankWhy.GAME_OVER)
    if why := current.why_out(*accounts):
        raise Rejection(why)
    if accounts - {BANK, POT} - current.balances.keys():
        raise Rejection(BankWhy.NOT_IN_THE_GAME)
    if move.to == POT and not current.has_pot:
        raise Rejection(BankWhy.NO_POT)
    if move.amount % current.edition.money.smallest:
        raise Rejection(AmountWhy.TOO_FINE)


def _moved(state: UnitState, _: object, *, asked: Asked, sound: str, answer: object = None) -> UnitState:
    # the host's own transfer is newer than what C could take back at the unit
    return state.barred().play(sound).do(Reply(asked, answer))


# Other accessories.


def _book_outcome(state: UnitState, asked: Asked, request: BookOutcome) -> UnitState:
    """Pay the edition's amount for an outcome to the only card in the slots, or from it if negative.

    No money moves without a card, or without an amount. A payment makes no sound, because it would drown out the
    accessory. The unit shows a rejection, and the caller does not get it. Raises `RequestError` for an outcome with the
    name of a payment at the unit.
    """
    accessory, outcome = request.accessory, request.outcome
    _check_reason(outcome)
    edition, reply = state.game.edition, Reply(asked, None)
    if not state.taken:
        return state.do(reply)
    state = state.awake()
    if accessory not in edition.outcomes:
        text = f"edition {edition.name} has no [outcomes.{accessory}]: to move money, change the edition"
        return state.do(Warn(text), reply)
    amount = request.times * edition.outcomes[accessory].get(outcome, 0)
    # an open dialog would hide the payment from the players
    why = BankWhy.DIALOG if state.dialog else state.rejected or (None if state.alone else BankWhy.TWO_CARDS)
    if why or not amount:
        return (state.refuse(why) if why and amount else state).do(reply)
    payer, receiver = (BANK, state.alone) if amount > 0 else (state.alone, BANK)

    def booked(state: UnitState, transfer: Transfer) -> UnitState:
        return state.did([transfer]).done().do(reply)

    def refused(state: UnitState, rejection: Rejection) -> UnitState:
        return state.refuse(rejection.why).do(reply)

    return state.ask("pay", payer, receiver, abs(amount), outcome, then=booked, refused=refused)


def _show_lines(state: UnitState, asked: Asked, request: ShowLines) -> UnitState:
    first, second = (line[:DISPLAY_COLUMNS] for line in (*request.lines, "")[:DISPLAY_ROWS])
    shown_until = state.now + request.seconds
    return replace(state.awake(), guest=(first, second), guest_until=shown_until).do(Reply(asked, None))


OF_A_GAME = (Each, FillPot, OfCard)
"""The requests that can name the game they are for, so that nothing happens in another one."""

HANDLERS: Mapping[type[Request], Callable[..., UnitState]] = {
    **phone_requests.HANDLERS,
    NewGame: _new_game,
    EndGame: _end_game,
    Name: _name,
    Forget: _forget,
    Leave: partial(_by_host, "leave"),
    Free: partial(_by_host, "free"),
    ComeBack: partial(_by_host, "come_back"),
    Replace: _replace,
    Undo: _undo,
    Each: _each,
    FillPot: _fill_pot,
    Pay: _pay,
    BookOutcome: _book_outcome,
    ShowLines: _show_lines,
}
"""The requests that wait in the input queue."""
