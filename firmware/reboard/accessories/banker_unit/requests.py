"""Requests from the control socket and other accessories, and the game's part of the snapshot."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reboard.accessories.accessory import BOOK, SHOW
from reboard.accessories.banker_unit.input_queue import Answer, InputQueue
from reboard.accessories.banker_unit.payments import asked_payment, press_of
from reboard.accessories.banker_unit.schema import BANK
from reboard.accessories.banker_unit.texts import Text, must_be
from reboard.accessories.banker_unit.unit_state import (
    Effects,
    LinesNotice,
    Notice,
    UnitState,
    another_game,
    confirm_payment,
    end_payment,
)
from reboard.board import ROWS
from reboard.config.reading import shown
from reboard.errors import ReboardError, Rejection, RequestError

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.editions.edition import Edition

log = logging.getLogger(__name__)

Answered = tuple[Answer, Effects]

OWN_REASONS = {
    "start", "salary", "received", "paid", "players", "each_paid", "each_received", "pot_paid", "pot_taken",
    "pot_filled", "bankrupt", "left", "undo",
}  # fmt: skip
"""The reasons of the transfers at the unit. The outcomes of other accessories have other names."""

USUAL_OUTGOING = 100
MOST_OUTGOING = 500
"""The usual and the maximum number of transfers in an answer to ``transfers``."""


LONGEST_LINES_S = 60
"""The maximum time for which the lines of another accessory are shown, in seconds."""


class Requests:
    """The requests that the unit carries out through its input queue, one at a time."""

    def __init__(self, inputs: InputQueue, session: GameSession) -> None:
        self._inputs = inputs
        self._session = session
        self._handlers: Mapping[str, Callable[..., Awaitable[Answered]]] = {
            "new_game": new_game,
            "end_game": end_game,
            "undo": undo,
            "name": set_name,
            "ask_payment": self._ask_payment,
            "confirm_payment": confirm,
            "reject_payment": reject,
            BOOK: self._book_outcome,
            SHOW: self._show_lines,
        }
        self._warned_of = ""

    async def carry_out(self, name: str, args: Mapping[str, Any]) -> Answer:
        """Carry out the request *name*. Return the answer after the ledger has saved any change.

        Raises `Rejection` or `RequestError` if the request cannot be carried out, and `ReboardError` if the unit is not
        running or stops.
        """
        handler = self._handlers[name]
        return await self._inputs.ask(lambda state: handler(state, self._session, **args))

    async def read(self, name: str, args: Mapping[str, Any]) -> str:
        """Return the answer to ``history`` or ``transfers`` as JSON. The request does not wait in the input queue.

        Any error except `Rejection` also stops the unit, because the ledger may be damaged.
        """
        try:
            if name == "history":
                return await self._session.history()
            return await self._session.outgoing(args["after"], args.get("most", USUAL_OUTGOING))
        except Rejection:
            raise
        except ReboardError as error:
            damage = error

            async def found_damaged(_: UnitState) -> Answered:
                raise damage

            with suppress(ReboardError):
                await self._inputs.ask(found_damaged)
            raise

    async def _ask_payment(
        self,
        state: UnitState,
        session: GameSession,
        payment: str,
        game: int,
        amount: str | None = None,
        **accounts: int,
    ) -> Answered:
        """Announce a payment that a player asks for. Return its state. Repeating the same *payment* has no effect.

        *accounts* are ``from`` and ``to``. Without an *amount*, the card ``to`` joins the game.
        """
        if known := state.payments.state_of(payment):
            return {"state": known}, Effects(state)
        joins = amount is None and accounts["from"] == BANK
        is_in = joins and game == session.game and accounts["to"] in session.balances
        if is_in or await session.is_booked(press_of(payment)):
            return {"state": "booked"}, Effects(state)
        asked = asked_payment(payment, game, accounts, amount, state.payments, session)
        self._inputs.stay_awake()
        state = replace(state, payments=state.payments.with_asked(asked))
        notice = None if state.question else Notice(Text.ASKS, {"number": asked.card})
        effects = Effects(state, [("payment.asked", asked.as_json())], sound="asked", notice=notice)
        return {"state": "asked"}, effects

    async def _book_outcome(
        self, state: UnitState, session: GameSession, accessory: str, outcome: str, times: int
    ) -> Answered:
        """Pay for an outcome of another accessory. The unit shows a rejection, and the caller does not get it."""
        if state.taken:
            self._inputs.stay_awake()
        try:
            return None, await self._booked(state, session, accessory, outcome, times)
        except Rejection as rejection:
            return None, Effects(state, rejection=rejection)

    async def _show_lines(
        self, state: UnitState, session: GameSession, lines: Sequence[str], seconds: float
    ) -> Answered:
        """Show the notice of another accessory, see `reboard.accessories.accessory.SHOW`. It wakes the unit."""
        texts = [lines] if isinstance(lines, str) else list(lines) if isinstance(lines, Sequence) else []
        if not 1 <= len(texts) <= ROWS or not all(isinstance(line, str) for line in texts):
            raise RequestError(f"{SHOW} needs lines: one or {ROWS} strings, not {lines!r}")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_LINES_S:
            raise RequestError(f"{SHOW} needs seconds: a number up to {LONGEST_LINES_S}, not {seconds!r}")
        self._inputs.stay_awake()
        return None, Effects(state, notice=LinesNotice(texts, seconds))

    async def _booked(
        self, state: UnitState, session: GameSession, accessory: str, outcome: str, times: int
    ) -> Effects:
        """Pay the edition's amount, *times* times, to the only card in the slots, or from it if it is negative.

        No money moves without a card, or without an amount. A payment makes no sound, because it would drown out the
        accessory. Raises `RequestError` for an outcome with the name of a payment at the unit, and `Rejection` if there
        are two cards, if the payment is rejected, or if an open dialog would hide the payment from the players.
        """
        if outcome in OWN_REASONS:
            raise RequestError(f"the outcome {outcome!r} needs another name, because the unit's payments have this one")
        edition = session.edition
        if accessory not in edition.outcomes and state.taken and self._warned_of != edition.name:
            self._warned_of = edition.name
            log.warning("edition %s has no [outcomes.%s]: to move money, change the edition", edition.name, accessory)
        amount = times * edition.outcomes.get(accessory, {}).get(outcome, 0)
        if not state.taken or not amount:
            return Effects(state)
        if state.dialog:
            raise Rejection("dialog")
        card = state.alone
        if card is None:
            raise Rejection("two cards")
        payer, receiver = (BANK, card) if amount > 0 else (card, BANK)
        transfer = await session.pay(payer, receiver, abs(amount), outcome)
        return Effects(state.with_undoable(transfer), done=state.taken)


async def confirm(state: UnitState, session: GameSession, payment: str) -> Answered:
    """Make the transfer for a payment that a player asked for, and end the payment.

    Return how the payment has ended, even if it ended earlier.
    """
    if asked := state.payments.find(payment):
        effects = await confirm_payment(asked, state, session)
        return {"state": effects.state.payments.state_of(payment)}, effects
    return _ended(payment, state)


async def reject(state: UnitState, session: GameSession, payment: str) -> Answered:
    """Reject a payment that a player asked for. Return how the payment has ended, even if it ended earlier."""
    if asked := state.payments.find(payment):
        return {"state": "rejected"}, replace(end_payment(asked, "rejected", state), sound="key")
    return _ended(payment, state)


def _ended(payment: str, state: UnitState) -> Answered:
    if why := state.payments.state_of(payment):
        return {"state": why}, Effects(state)
    raise RequestError("this payment is not waiting for an answer: the player can ask again")


async def new_game(
    state: UnitState, session: GameSession, game: int | None = None, edition: str | None = None
) -> Answered:
    """Start a game in *edition*, or else in the edition of the current game. Return the number of the current game.

    *game* makes the request safe to repeat: no game starts if *game* is no longer the current game.
    """
    if game not in (None, session.game):
        return {"game": session.game}, Effects(state)
    new = _edition(edition, state, session) if edition else session.edition
    await session.start_game(new, [number for side in state.taken if (number := state.number(side))])
    return {"game": session.game}, another_game(state, Notice(Text.NEW_GAME))


async def undo(state: UnitState, session: GameSession, transfer: int | None = None) -> Answered:
    """Undo *transfer* of the current game, or the last one that can be undone, with its act.

    Return the first opposite transfer, and the others as ``more``.
    """
    opposite, *more = await session.undo(transfer)
    return opposite.as_json() | {"more": [each.as_json() for each in more]}, Effects(
        state.without_transfer(opposite.undoes), sound="undone"
    )


async def set_name(state: UnitState, session: GameSession, card: int, name: str) -> Answered:
    """Set the name of the player with *card*. With ``""``, the player gets the name in the config."""
    if name and (allowed := must_be(name)):
        raise Rejection("name", f"a player's name must be {allowed}, not {shown(name)}")
    other = session.names.card_of(name)
    if other not in (None, card):
        raise Rejection("name taken", f"the player with card {other} is already called {name}: choose another name")
    await session.name(card, name)
    return None, Effects(state, [("named", {"number": card, "name": session.names.of(card)})])


async def end_game(
    state: UnitState, session: GameSession, game: int, worths: Mapping[str, int] | None = None
) -> Answered:
    """End *game*. Return the ranking.

    A player's worth is the balance plus the worth of the deeds and houses in *worths*, which is keyed by card.
    """
    by_card = {int(card): worth for card, worth in (worths or {}).items()}
    over = await session.end(_with_money(session, game, by_card))
    effects = Effects(state, sound="winner", notice=Notice(Text.GAME_OVER))
    return over.as_json(session.names, session.edition.money), effects


def game_snapshot(session: GameSession) -> dict[str, object]:
    """Return the part of the snapshot with the current game and the editions to choose from."""
    money = session.edition.money
    return {
        "ledger": session.ledger,
        "game": session.game,
        "ended": session.ended and session.ended.as_json(session.names, money),
        "clock": session.clock,
        "cards": [
            {
                "number": number,
                "balance": balance,
                "shown": money.shown(balance),
                "name": session.names.of(number),
                "retired": number in session.retired,
            }
            for number, balance in sorted(session.balances.items())
        ],
        "pot": {"balance": session.pot, "shown": money.shown(session.pot)} if session.has_pot or session.pot else None,
        "transfers": [transfer.as_json() for transfer in session.latest],
        "editions": [
            {"name": edition.name, "title": edition.title, "titles": edition.titles} for edition in session.editions()
        ],
    }


def _edition(name: str, state: UnitState, session: GameSession) -> Edition:
    editions = {edition.name: edition for edition in session.editions()}
    if name not in editions:
        raise Rejection("no edition", f"there is no edition {shown(name)}; choose one of {', '.join(editions)}")
    edition = editions[name]
    most = edition.players.most
    for side in state.taken:
        if (number := state.number(side) or 0) > most:
            why = f"card {number} is in the {side} slot, but {edition.title} has only {most} cards: take that card out"
            raise Rejection("cards in", why)
    return edition


def _with_money(session: GameSession, game: int, worths: Mapping[int, int]) -> dict[int, int]:
    money = session.edition.money
    if game != session.game:
        raise Rejection("another game", f"game {game} cannot be ended: the current game is {session.game}")
    if not session.playing:
        raise Rejection("no players")
    if strangers := worths.keys() - set(session.playing):
        why = "bankrupt" if min(strangers) in session.retired else "not in the game"
        raise Rejection(why, f'card {min(strangers)} is not playing in game {game}: remove the card from "worths"')
    if any(worth % money.smallest for worth in worths.values()):
        raise Rejection("too fine")
    total = {card: session.balances[card] + worths.get(card, 0) for card in session.playing}
    if max(total.values()) > money.largest:
        raise Rejection("too much")
    return total
