"""Requests from the control socket and other accessories, and the game's part of the snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from reboard.accessories.accessory import BOOK, SHOW
from reboard.accessories.banker_unit import dialogs, paying
from reboard.accessories.banker_unit.payments import asked_payment, press_of, read_amount
from reboard.accessories.banker_unit.schema import BANK, POT
from reboard.accessories.banker_unit.texts import Text, must_be
from reboard.accessories.banker_unit.unit_state import (
    Act,
    Ask,
    Effect,
    Event,
    Notice,
    Reply,
    Request,
    Sound,
    Step,
    UnitState,
    Warn,
    another_game,
    done,
    end_payment,
    refuse,
)
from reboard.board import COLUMNS, ROWS
from reboard.config.reading import shown
from reboard.errors import Rejection, RequestError

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_records import EndedGame
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.accessories.banker_unit.schema import Transfer
    from reboard.editions.edition import Edition

OWN_REASONS = {"start", "salary", "received", "paid", "players", "pot_paid", "pot_taken", "pot_filled", "bankrupt"} | {
    "left",
    "each_paid",
    "each_received",
    "undo",
}
"""The reasons of the transfers at the unit. The outcomes of other accessories have other names."""

USUAL_OUTGOING = 100
MOST_OUTGOING = 500
"""The usual and the maximum number of transfers in an answer to ``transfers``."""

LONGEST_LINES_S = 60
"""The maximum time for which the lines of another accessory are shown, in seconds."""


def answer_request(state: UnitState, request: Request) -> Step:
    """Return the step for a request. A rejection is answered, and changes nothing."""
    try:
        return HANDLERS[request.name](state, request, **request.args)
    except (Rejection, RequestError) as rejection:
        return state, (Reply(request, rejection),)


def _asking(request: Request, method: str, *args: Any, then: Callable[..., Step], **options: object) -> Ask:
    """Return the question to the ledger whose rejection is the answer to *request*."""

    def refused(state: UnitState, rejection: Rejection, at: float) -> Step:
        return state, (Reply(request, rejection),)

    return Ask(method, args, then, refused, options)


def _answered(state: UnitState, request: Request, answer: object, *effects: Effect) -> Step:
    return state, (*effects, Reply(request, answer))


# Payments from phones.


def _ask_payment(
    state: UnitState, request: Request, payment: str, game: int, amount: str | None = None, **accounts: int
) -> Step:
    """Announce a payment that a player asks for. Answer with its state. Repeating the same *payment* has no effect.

    *accounts* are ``from`` and ``to``. Without an *amount*, the card ``to`` joins the game.
    """
    if known := state.payments.state_of(payment):
        return _answered(state, request, {"state": known})
    joins = amount is None and accounts["from"] == BANK
    if joins and game == state.game.id and accounts["to"] in state.game.in_game:
        return _answered(state, request, {"state": "booked"})

    def announced(state: UnitState, is_booked: bool, at: float) -> Step:
        if is_booked:
            return _answered(state, request, {"state": "booked"})
        try:
            asked = asked_payment(payment, game, accounts, amount, at, state.game)
            if any(each.card == asked.card for each in state.payments.waiting):
                raise Rejection("asked already")
        except (Rejection, RequestError) as rejection:
            return state, (Reply(request, rejection),)
        state = replace(state.awake(at), payments=state.payments.with_asked(asked))
        if not state.question:
            state = state.saying(Notice(Text.ASKS, {"number": asked.card}), at)
        return _answered(state, request, {"state": "asked"}, Event("payment.asked", asked.as_json()), Sound("asked"))

    return state, (_asking(request, "is_booked", press_of(payment), then=announced),)


def _confirm(state: UnitState, request: Request, payment: str) -> Step:
    """Make the transfer for a payment that a player asked for. Answer how the payment has ended."""
    asked = state.payments.find(payment)
    if not asked:
        return _ended(state, request, payment)

    def ended(state: UnitState, why: str, at: float) -> Step:
        # the host's own transfer is newer than what C could take back at the unit
        return _answered(replace(state, undoable=()), request, {"state": state.payments.state_of(payment)})

    return state, (paying.confirm(asked, ended),)


def _reject(state: UnitState, request: Request, payment: str) -> Step:
    """Reject a payment that a player asked for. Answer how the payment has ended."""
    asked = state.payments.find(payment)
    if not asked:
        return _ended(state, request, payment)
    state, effects = end_payment(asked, "rejected", state)
    return _answered(state, request, {"state": "rejected"}, *effects, Sound("key"))


def _ended(state: UnitState, request: Request, payment: str) -> Step:
    if why := state.payments.state_of(payment):
        return _answered(state, request, {"state": why})
    raise RequestError("this payment is not waiting for an answer: the player can ask again")


# Games and players.


def _new_game(
    state: UnitState,
    request: Request,
    game: int | None = None,
    edition: str | None = None,
    same_players: bool = False,
) -> Step:
    """Start a game in *edition*, or else in the edition of the current game. Answer the number of the current game.

    The cards in the slots join it, and with *same_players* all that are in the current game. *game* makes the request
    safe to repeat: no game starts if *game* is no longer the current game.
    """
    if game not in (None, state.game.id):
        return _answered(state, request, {"game": state.game.id})
    chosen = _edition(edition, state) if edition else state.game.edition
    inserted = {card.number for card in state.cards.values() if card.number}
    players = inserted | (set(state.game.balances) - state.game.left if same_players else set())
    cards = tuple(card for card in sorted(players) if card <= chosen.players.most)

    def started(state: UnitState, _: object, at: float) -> Step:
        state, effects = another_game(state, Notice(Text.NEW_GAME), at)
        return _answered(state, request, {"game": state.game.id}, *effects)

    return state, (_asking(request, "start_game", chosen, cards, then=started),)


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


def _end_game(state: UnitState, request: Request, game: int, worths: Mapping[str, int] | None = None) -> Step:
    """End *game*. Answer the ranking.

    A player's worth is the balance plus the worth of the deeds and houses in *worths*, which is keyed by card.
    """
    by_card = {int(card): worth for card, worth in (worths or {}).items()}
    total = _with_money(state, game, by_card)

    def ended(state: UnitState, over: EndedGame, at: float) -> Step:
        ranked = over.as_json(lambda card: state.game.names[card], state.game.edition.money)
        return _answered(state.saying(Notice(Text.GAME_OVER), at), request, ranked, Sound("winner"))

    return state, (_asking(request, "end", total, then=ended),)


def _with_money(state: UnitState, game: int, worths: Mapping[int, int]) -> dict[int, int]:
    current = state.game
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


def _name(state: UnitState, request: Request, card: int, name: str) -> Step:
    """Set the name of the player with *card*. With ``""``, the player gets the name in the config."""
    if name and (allowed := must_be(name)):
        raise Rejection("name", f"a player's name must be {allowed}, not {shown(name)}")

    other = next((other for other, used in state.game.names.items() if name and used == name), card)
    if other != card:
        raise Rejection("name taken", f"the player with card {other} is already called {name}: choose another name")

    def named(state: UnitState, _: object, at: float) -> Step:
        now = state.game.names[card]
        return _answered(state, request, None, Event("named", {"number": card, "name": now}))

    return state, (_asking(request, "name", card, name, then=named),)


def _leave(state: UnitState, request: Request, card: int) -> Step:
    """Take *card* out of the game. Its money goes back to the bank."""
    return state, (_asking(request, "leave", card, then=partial(_players_changed, request=request)),)


def _free(state: UnitState, request: Request, card: int) -> Step:
    """Take *card* out of the game, and free its number for a new card."""
    if card in [inserted.number for inserted in state.cards.values()]:
        raise Rejection("cards in")
    return state, (_asking(request, "free", card, then=partial(_players_changed, request=request)),)


def _come_back(state: UnitState, request: Request, card: int) -> Step:
    """Bring *card*, which left the game or went bankrupt, back with the money that it had."""
    method = "readmit" if card in state.game.retired else "come_back"
    return state, (_asking(request, method, card, then=partial(_players_changed, request=request)),)


def _players_changed(state: UnitState, _: object, at: float, *, request: Request) -> Step:
    return _answered(replace(state, undoable=()), request, None, Sound("undone"))


def _replace(state: UnitState, request: Request, card: int) -> Step:
    """Let the unit wait for the card that gets the number and the balance of lost *card*."""
    if card not in state.game.balances:
        raise Rejection("not in the game")
    if state.cards:
        raise Rejection("cards in")
    state, effects = dialogs.open_new_card(replace(state.awake(request.at), down=None), request.at, card)
    return _answered(state, request, None, *effects)


# Transfers.


def _undo(state: UnitState, request: Request, transfer: int) -> Step:
    """Undo *transfer* of the current game, with all transfers of its act. Answer the opposite transfers."""

    def undone(state: UnitState, opposites: Sequence[Transfer], at: float) -> Step:
        for opposite in opposites:
            state = state.without_transfer(opposite.undoes)
        first = opposites[0].as_json()
        more = [opposite.as_json() for opposite in opposites[1:]]
        return _answered(state, request, {**first, "more": more}, Sound("undone"))

    return state, (_asking(request, "undo", transfer, then=undone),)


def _each(state: UnitState, request: Request, payment: str, card: int, amount: str, receives: bool) -> Step:
    """Let *card* pay *amount* to each other player, or receive it from each. Repeating *payment* has no effect."""
    read = read_amount(amount, state.game.edition.money)
    then = partial(_by_host, request=request, sound="received" if receives else "paid")
    asking = _asking(request, "pay_each", card, read, then=then, receives=receives, press=press_of(payment))
    return state, (asking,)


def _fill_pot(state: UnitState, request: Request, payment: str, amount: str) -> Step:
    """Let the bank pay *amount* into the Free Parking pot. Repeating *payment* has no effect."""
    if not state.game.has_pot:
        raise Rejection("no pot")
    args = BANK, POT, read_amount(amount, state.game.edition.money), "pot_filled"
    then = partial(_by_host, request=request, sound="paid")
    return state, (_asking(request, "pay", *args, then=then, press=press_of(payment)),)


def _by_host(state: UnitState, _: object, at: float, *, request: Request, sound: str) -> Step:
    # the host's own transfer is newer than what C could take back at the unit
    return _answered(replace(state, undoable=()), request, None, Sound(sound))


# Other accessories.


def _book_outcome(state: UnitState, request: Request, accessory: str, outcome: str, times: int) -> Step:
    """Pay the edition's amount for an outcome, *times* times, to the only card in the slots, or from it if negative.

    No money moves without a card, or without an amount. A payment makes no sound, because it would drown out the
    accessory. The unit shows a rejection, and the caller does not get it. Raises `RequestError` for an outcome with the
    name of a payment at the unit.
    """
    if outcome in OWN_REASONS:
        raise RequestError(f"the outcome {outcome!r} needs another name, because the unit's payments have this one")
    edition, at, effects = state.game.edition, request.at, (Reply(request, None),)
    if not state.taken:
        return state, effects
    state = state.awake(at)
    if accessory not in edition.outcomes:
        text = "edition %s has no [outcomes.%s]: to move money, change the edition"
        return state, (Warn(text % (edition.name, accessory)), *effects)
    amount = times * edition.outcomes[accessory].get(outcome, 0)
    if not amount:
        return state, effects
    # an open dialog would hide the payment from the players
    why = "dialog" if state.dialog else state.rejected or ("" if state.alone else "two cards")
    if why:
        state, refused = refuse(state, why, at)
        return state, (*refused, *effects)
    payer, receiver = (BANK, state.alone) if amount > 0 else (state.alone, BANK)

    def booked(state: UnitState, transfer: Transfer, at: float) -> Step:
        return state.with_act(Act.of([transfer], at)), (*done(state), *effects)

    def rejected(state: UnitState, rejection: Rejection, at: float) -> Step:
        state, refused = refuse(state, rejection.why, at)
        return state, (*refused, *effects)

    return state, (Ask("pay", (payer, receiver, abs(amount), outcome), booked, rejected),)


def _show_lines(state: UnitState, request: Request, lines: Sequence[str], seconds: float) -> Step:
    """Show the notice of another accessory, see `reboard.accessories.accessory.SHOW`. It wakes the unit."""
    texts = [lines] if isinstance(lines, str) else list(lines) if isinstance(lines, Sequence) else []
    if not 1 <= len(texts) <= ROWS or not all(isinstance(line, str) for line in texts):
        raise RequestError(f"{SHOW} needs lines: one or {ROWS} strings, not {lines!r}")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_LINES_S:
        raise RequestError(f"{SHOW} needs seconds: a number up to {LONGEST_LINES_S}, not {seconds!r}")
    first, second = (line[:COLUMNS] for line in (*texts, "")[:ROWS])
    state = replace(state.awake(request.at), guest=(first, second), guest_until=request.at + seconds)
    return _answered(state, request, None)


HANDLERS: Mapping[str, Callable[..., Step]] = {
    "ask_payment": _ask_payment,
    "confirm_payment": _confirm,
    "reject_payment": _reject,
    "new_game": _new_game,
    "end_game": _end_game,
    "name": _name,
    "leave": _leave,
    "free": _free,
    "come_back": _come_back,
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
