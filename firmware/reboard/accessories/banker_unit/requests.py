"""Requests from the control socket and other accessories, and the game's part of the snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from reboard.accessories.accessory import BOOK, SHOW
from reboard.accessories.banker_unit import dialogs, paying
from reboard.accessories.banker_unit.payments import asked_payment, check_same, press_of, read_amount
from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text, must_be
from reboard.accessories.banker_unit.unit_state import Reply, UnitState, Warn
from reboard.board import COLUMNS, ROWS
from reboard.config.reading import shown
from reboard.errors import Rejection, RequestError

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_records import EndedGame, GameView
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.accessories.banker_unit.input_queue import Request
    from reboard.accessories.banker_unit.schema import Transfer
    from reboard.editions.edition import Edition

OWN_REASONS = {"start", "salary", "received", "paid", "players", "pot_paid", "pot_taken", "pot_filled", "bankrupt"} | {
    "left",
    "each_paid",
    "each_received",
    "undo",
}
"""The reasons of the transfers at the unit. The outcomes of other accessories have other names."""

Then = Callable[[UnitState, Any], UnitState]

USUAL_OUTGOING = 100
MOST_OUTGOING = 500
"""The usual and the maximum number of transfers in an answer to ``transfers``."""

LONGEST_LINES_S = 60
"""The maximum time for which the lines of another accessory are shown, in seconds."""


def answer_request(state: UnitState, request: Request) -> UnitState:
    """Carry out a request, and answer it. A rejection is the answer, and changes nothing."""
    args = dict(request.args)
    try:
        if request.name in OF_A_GAME and args.pop("game", None) not in (None, state.game.id):
            raise Rejection("another game")
        return HANDLERS[request.name](state, request, **args)
    except (Rejection, RequestError) as rejection:
        return state.do(Reply(request, rejection))


def _ask(state: UnitState, request: Request, method: str, *args: Any, then: Then, **options: object) -> UnitState:
    """Ask the ledger. A rejection is the answer to *request*."""

    def refused(state: UnitState, rejection: Rejection) -> UnitState:
        return state.do(Reply(request, rejection))

    return state.ask(method, *args, then=then, refused=refused, **options)


# Payments from phones.


def _ask_payment(
    state: UnitState, request: Request, payment: str, game: int, amount: str | None = None, **accounts: int
) -> UnitState:
    """Announce a payment that a player asks for. Answer with its state. Repeating the request has no effect.

    *payment* is its id, which no other payment can have. *accounts* are ``from`` and ``to``. Without an *amount*, the
    card ``to`` joins the game.
    """
    if known := state.payments.known(payment):
        check_same(known[0], game, accounts, amount, state.game)
        return state.do(Reply(request, {"state": known[1]}))
    joins = amount is None and accounts["from"] == BANK
    if joins and game == state.game.id and accounts["to"] in state.game.in_game:
        return state.do(Reply(request, {"state": "booked"}))

    def announced(state: UnitState, booked: Transfer | None) -> UnitState:
        try:
            if booked:
                check_same(booked, game, accounts, amount, state.game)
                return state.do(Reply(request, {"state": "booked"}))
            asked = asked_payment(payment, game, accounts, amount, state.now, state.game)
            if any(each.card == asked.card for each in state.payments.waiting):
                raise Rejection("asked already")
        except (Rejection, RequestError) as rejection:
            return state.do(Reply(request, rejection))
        state = replace(state.awake(), payments=state.payments.with_asked(asked))
        state = state if state.question else state.saying(Text.ASKS, number=asked.card)
        return state.emit("payment.asked", **asked.as_json()).play("asked").do(Reply(request, {"state": "asked"}))

    return _ask(state, request, "booked", press_of(payment), then=announced)


def _confirm(state: UnitState, request: Request, payment: str) -> UnitState:
    """Make the transfer for a payment that a player asked for. Answer how the payment has ended."""
    asked = state.payments.find(payment)
    if not asked:
        return _ended(state, request, payment)

    def ended(state: UnitState) -> UnitState:
        # the host's own transfer is newer than what C could take back at the unit
        return state.barred().do(Reply(request, {"state": state.payments.state_of(payment)}))

    return paying.confirm(state, asked, ended)


def _reject(state: UnitState, request: Request, payment: str) -> UnitState:
    """Reject a payment that a player asked for. Answer how the payment has ended."""
    if asked := state.payments.find(payment):
        return state.end_payment(asked, "rejected").play("key").do(Reply(request, {"state": "rejected"}))
    return _ended(state, request, payment)


def _ended(state: UnitState, request: Request, payment: str) -> UnitState:
    if why := state.payments.state_of(payment):
        return state.do(Reply(request, {"state": why}))
    raise RequestError("this payment is not waiting for an answer: the player can ask again")


# Games and players.


def _new_game(
    state: UnitState,
    request: Request,
    game: int | None = None,
    edition: str | None = None,
    same_players: bool = False,
) -> UnitState:
    """Start a game in *edition*, or else in the edition of the current game. Answer the number of the current game.

    The cards in the slots join it, and with *same_players* all that are in the current game. *game* makes the request
    safe to repeat: no game starts if *game* is no longer the current game.
    """
    if game not in (None, state.game.id):
        return state.do(Reply(request, {"game": state.game.id}))
    chosen = _edition(edition, state) if edition else state.game.edition
    players = {card.number for card in state.cards.values() if card.number}
    players |= set(state.game.balances) - state.game.left if same_players else set()
    cards = [card for card in sorted(players) if card <= chosen.players.most]

    def started(state: UnitState, _: object) -> UnitState:
        return dialogs.started(state, None).do(Reply(request, {"game": state.game.id}))

    return _ask(state, request, "start_game", chosen, cards, then=started)


def _edition(name: str, state: UnitState) -> Edition:
    editions = {edition.name: edition for edition in state.game.editions}
    if name not in editions:
        raise Rejection("no edition", f"there is no edition {shown(name)}; choose one of {', '.join(editions)}")
    edition = editions[name]
    most = edition.players.most
    for side in state.taken:
        if (number := state.number(side) or 0) > most:
            why = f"card {number} is in the {side} slot, but {edition.title} has only {most} cards: take that card out"
            raise Rejection("cards in", why)
    return edition


def _end_game(state: UnitState, request: Request, game: int, worths: Mapping[str, int] | None = None) -> UnitState:
    """End *game*. Answer the ranking.

    A player's worth is the balance plus the worth of the deeds and houses in *worths*, which is keyed by card.
    """
    total = _with_money(state.game, game, {int(card): worth for card, worth in (worths or {}).items()})

    def ended(state: UnitState, over: EndedGame) -> UnitState:
        ranked = over.as_json(lambda card: state.game.names[card], state.game.edition.money)
        return state.play("winner").saying(Text.GAME_OVER).do(Reply(request, ranked))

    return _ask(state, request, "end", total, then=ended)


def _with_money(current: GameView, game: int, worths: Mapping[int, int]) -> dict[int, int]:
    money, playing = current.edition.money, current.playing
    if game != current.id:
        raise Rejection("another game", f"game {game} cannot be ended: the current game is {current.id}")
    if not playing:
        raise Rejection("no players")
    if strangers := worths.keys() - set(playing):
        card = min(strangers)
        why = "bankrupt" if card in current.retired else "not playing" if card in current.in_game else "not in the game"
        raise Rejection(why, f'card {card} is not playing in game {game}: remove the card from "worths"')
    if any(worth % money.smallest for worth in worths.values()):
        raise Rejection("too fine")
    total = {card: current.balances[card] + worths.get(card, 0) for card in playing}
    if max(total.values()) > money.largest:
        raise Rejection("too much")
    return total


def _name(state: UnitState, request: Request, card: int, name: str) -> UnitState:
    """Set the name of the player with *card*. With ``""``, the player gets the name in the config."""
    if name and (allowed := must_be(name)):
        raise Rejection("name", f"a player's name must be {allowed}, not {shown(name)}")
    other = next((other for other, used in state.game.names.items() if name and used == name), card)
    if other != card:
        raise Rejection("name taken", f"the player with card {other} is already called {name}: choose another name")

    def named(state: UnitState, _: object) -> UnitState:
        return state.emit("named", number=card, name=state.game.names[card]).do(Reply(request, None))

    return _ask(state, request, "name", card, name, then=named)


def _by_host(method: str, state: UnitState, request: Request, card: int) -> UnitState:
    """Call a method of the game session that changes whether *card* is in the game."""
    if method != "free" and card not in state.game.balances:
        raise Rejection("not in the game")
    if method == "come_back" and card in state.game.retired:
        method = "readmit"
    if method == "free" and state.cards:
        raise Rejection("cards in")

    def changed(state: UnitState, _: object) -> UnitState:
        return state.barred().play("undone").do(Reply(request, None))

    return _ask(state, request, method, card, then=changed)


def _replace(state: UnitState, request: Request, card: int) -> UnitState:
    """Let the unit wait for the card that gets the number and the balance of lost *card*."""
    if card not in state.game.balances or state.cards or state.dialog:
        raise Rejection("cards in" if state.cards else "dialog" if state.dialog else "not in the game")
    return dialogs.open_new_card(state.awake(), card).do(Reply(request, None))


# Transfers.


def _undo(state: UnitState, request: Request, transfer: int | None = None) -> UnitState:
    """Undo *transfer* of the current game, or the last one, with all transfers of its act. Answer the opposite ones."""

    def undone(state: UnitState, opposites: Sequence[Transfer]) -> UnitState:
        undone = {opposite.undoes for opposite in opposites}
        state = state.undid(lambda act: any(made.id in undone for made in act.transfers)).play("undone")
        first, *more = (opposite.as_json() for opposite in opposites)
        return state.do(Reply(request, {**first, "more": more}))

    return _ask(state, request, "undo", transfer, then=undone)


def _each(state: UnitState, request: Request, payment: str, card: int, amount: str, receives: bool) -> UnitState:
    """Let *card* pay *amount* to each other player, or receive it from each. Repeating *payment* has no effect."""
    if card not in state.game.balances:
        raise Rejection("not in the game")
    args = card, read_amount(amount, state.game.edition.money)
    then = partial(_moved, request=request, sound="received" if receives else "paid")
    return _ask(state, request, "pay_each", *args, then=then, receives=receives, press=press_of(payment))


def _fill_pot(state: UnitState, request: Request, payment: str, amount: str) -> UnitState:
    """Let the bank pay *amount* into the Free Parking pot. Repeating *payment* has no effect."""
    if not state.game.has_pot:
        raise Rejection("no pot")
    args = BANK, POT, read_amount(amount, state.game.edition.money), "pot_filled"
    then = partial(_moved, request=request, sound="paid")
    return _ask(state, request, "pay", *args, then=then, press=press_of(payment))


def _moved(state: UnitState, _: object, *, request: Request, sound: str) -> UnitState:
    # the host's own transfer is newer than what C could take back at the unit
    return state.barred().play(sound).do(Reply(request, None))


# Other accessories.


def _book_outcome(state: UnitState, request: Request, accessory: str, outcome: str, times: int) -> UnitState:
    """Pay the edition's amount for an outcome, *times* times, to the only card in the slots, or from it if negative.

    No money moves without a card, or without an amount. A payment makes no sound, because it would drown out the
    accessory. The unit shows a rejection, and the caller does not get it. Raises `RequestError` for an outcome with the
    name of a payment at the unit.
    """
    if outcome in OWN_REASONS:
        raise RequestError(f"the outcome {outcome!r} needs another name, because the unit's payments have this one")
    edition, reply = state.game.edition, Reply(request, None)
    if not state.taken:
        return state.do(reply)
    state = state.awake()
    if accessory not in edition.outcomes:
        text = f"edition {edition.name} has no [outcomes.{accessory}]: to move money, change the edition"
        return state.do(Warn(text), reply)
    amount = times * edition.outcomes[accessory].get(outcome, 0)
    # an open dialog would hide the payment from the players
    why = "dialog" if state.dialog else state.rejected or ("" if state.alone else "two cards")
    if why or not amount:
        return (state.refuse(why) if amount else state).do(reply)
    payer, receiver = (BANK, state.alone) if amount > 0 else (state.alone, BANK)

    def booked(state: UnitState, transfer: Transfer) -> UnitState:
        return state.did([transfer]).done().do(reply)

    def refused(state: UnitState, rejection: Rejection) -> UnitState:
        return state.refuse(rejection.why).do(reply)

    return state.ask("pay", payer, receiver, abs(amount), outcome, then=booked, refused=refused)


def _show_lines(state: UnitState, request: Request, lines: str | Sequence[str], seconds: float) -> UnitState:
    """Show the notice of another accessory, see `reboard.accessories.accessory.SHOW`. It wakes the unit."""
    texts = [lines] if isinstance(lines, str) else lines
    first, second = (line[:COLUMNS] for line in (*texts, "")[:ROWS])
    return replace(state.awake(), guest=(first, second), guest_until=state.now + seconds).do(Reply(request, None))


OF_A_GAME = ("each", "fill_pot", "leave", "come_back", "replace", "free")
"""The requests that can name the game they are for, so that nothing happens in another one."""

HANDLERS: Mapping[str, Callable[..., UnitState]] = {
    "ask_payment": _ask_payment,
    "confirm_payment": _confirm,
    "reject_payment": _reject,
    "new_game": _new_game,
    "end_game": _end_game,
    "name": _name,
    "leave": partial(_by_host, "leave"),
    "free": partial(_by_host, "free"),
    "come_back": partial(_by_host, "come_back"),
    "replace": _replace,
    "undo": _undo,
    "each": _each,
    "fill_pot": _fill_pot,
    BOOK: _book_outcome,
    SHOW: _show_lines,
}
"""The requests that wait in the input queue, keyed by name."""


def game_snapshot(session: GameSession) -> dict[str, object]:
    """Return the part of the snapshot with the current game and the editions to choose from."""
    money = session.edition.money
    return {
        "ledger": session.ledger,
        "game": session.game,
        "ended": session.ended and session.ended.as_json(session.names.of, money),
        "clock": session.clock,
        "cards": [
            {
                "number": number,
                "balance": balance,
                "shown": money.shown(balance),
                "name": session.names.of(number),
                "retired": number in session.retired,
                "left": number in session.left,
                "playing": number in session.playing,
            }
            for number, balance in sorted(session.balances.items())
        ],
        "pot": {"balance": session.pot, "shown": money.shown(session.pot)} if session.has_pot or session.pot else None,
        "transfers": [transfer.as_json() for transfer in session.latest],
        "editions": [
            {"name": edition.name, "title": edition.title, "titles": edition.titles} for edition in session.editions()
        ],
    }
