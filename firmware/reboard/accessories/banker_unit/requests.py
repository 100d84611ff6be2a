"""Requests from the control socket, the snapshot, and payments for the question block."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reboard.accessories.banker_unit.input_queue import Answer, InputQueue
from reboard.accessories.banker_unit.schema import BANK
from reboard.accessories.banker_unit.texts import Text, must_be
from reboard.accessories.banker_unit.unit_state import Effects, Notice, UnitState, another_game
from reboard.config.reading import shown
from reboard.errors import ReboardError, Rejection, RequestError

if TYPE_CHECKING:
    from reboard.accessories.banker_unit.game_session import GameSession
    from reboard.editions.edition import Edition

log = logging.getLogger(__name__)

Answered = tuple[Answer, Effects]


class Requests:
    """Carries out requests, each between two touches."""

    def __init__(self, inputs: InputQueue, session: GameSession) -> None:
        self._inputs = inputs
        self._session = session
        self._handlers: Mapping[str, Callable[..., Awaitable[Answered]]] = {
            "new_game": new_game,
            "end_game": end_game,
            "undo": undo,
            "name": set_name,
            "pay_outcome": self._pay_outcome,
        }
        self._warned_of = ""

    async def carry_out(self, name: str, args: Mapping[str, Any]) -> Answer:
        """Return the answer, of a change when it is saved.

        Raises `Rejection` or `RequestError` if it cannot be done, and `ReboardError` if the unit cannot be asked.
        """
        handler = self._handlers[name]
        return await self._inputs.ask(lambda state: handler(state, self._session, **args))

    async def history(self) -> str:
        """Read the history while the unit plays on. Damage that it finds ends the unit, as if the unit had found it."""
        try:
            return await self._session.history()
        except Rejection:
            raise
        except ReboardError as error:
            damage = error

            async def found_damaged(_: UnitState) -> Answered:
                raise damage

            with suppress(ReboardError):
                await self._inputs.ask(found_damaged)
            raise

    async def _pay_outcome(self, state: UnitState, session: GameSession, kind: str, coins: int) -> Answered:
        """Pay for an outcome of the question block. A rejection is shown here, as that of a key is."""
        if state.taken:
            self._inputs.stay_awake()
        try:
            return None, await self._paid(state, session, kind, coins)
        except Rejection as rejection:
            return None, Effects(state, rejection=rejection)

    async def _paid(self, state: UnitState, session: GameSession, kind: str, coins: int) -> Effects:
        """Pay coins to the only card that is in; take laugh and game over from it, by the edition's amounts.

        Without a card, for a power-up, and in an edition without amounts for the block nothing moves. A payment makes
        no sound, because players count the block's pings. Raises `Rejection`, also while a dialog is open, because the
        players would not see the payment.
        """
        if not state.taken or kind == "power_up":
            return Effects(state)
        edition = session.edition
        if edition.block is None:
            if self._warned_of != edition.name:
                self._warned_of = edition.name
                log.warning("the question block pays nothing: edition %s has no amounts for it", edition.name)
            return Effects(state)
        if state.dialog:
            raise Rejection("dialog")
        card = state.alone
        if card is None:
            raise Rejection("two cards")
        payer, receiver, amount = {
            "coins": (BANK, card, coins * edition.block.coin),
            "laugh": (card, BANK, edition.block.laugh),
            "game_over": (card, BANK, edition.block.game_over),
        }[kind]
        transfer = await session.pay(payer, receiver, amount, kind)
        return Effects(state.with_undoable(transfer), done=state.taken)


async def new_game(
    state: UnitState, session: GameSession, game: int | None = None, edition: str | None = None
) -> Answered:
    """Start a game as ``C`` held does, in another *edition* if one is named. Answer with the current ``game``.

    A request that names the current *game* can be repeated: if that is not the current game any more, none is started.
    """
    if game not in (None, session.game):
        return {"game": session.game}, Effects(state)
    await session.start_game(_edition(edition, state, session) if edition else session.edition)
    return {"game": session.game}, another_game(state, Notice(Text.NEW_GAME))


async def undo(state: UnitState, session: GameSession, transfer: int | None = None) -> Answered:
    """Take back a transfer of the current game. Answer with its opposite."""
    opposite = await session.undo(transfer)
    return opposite.as_json(), Effects(state.without_transfer(opposite.undoes), sound="undone")


async def set_name(state: UnitState, session: GameSession, card: int, name: str) -> Answered:
    """Set the name of the player with *card*; ``""``: the name in the config."""
    if name and (allowed := must_be(name)):
        raise RequestError(f"a player's name must be {allowed}, and is {shown(name)}")
    other = session.names.card_of(name)
    if other not in (None, card):
        raise RequestError(f"card {other} is called {name} already")
    await session.name(card, name)
    return None, Effects(state, [("named", {"number": card, "name": session.names.of(card)})])


async def end_game(
    state: UnitState, session: GameSession, game: int, worths: Mapping[str, int] | None = None
) -> Answered:
    """End *game*, with the *worths* of deeds and houses beside the money. Answer with the ranking."""
    by_card = {int(card): worth for card, worth in (worths or {}).items()}
    over = await session.end(_with_money(session, game, by_card))
    effects = Effects(state, sound="winner", notice=Notice(Text.GAME_OVER))
    return over.as_json(session.names, session.edition.money), effects


def game_snapshot(session: GameSession) -> dict[str, object]:
    """Return the game and its clock, its cards and latest transfers (newest first), and the editions, as JSON."""
    money = session.edition.money
    return {
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
        raise RequestError(f"there is no edition {shown(name)}; there are {', '.join(editions)}")
    edition = editions[name]
    most = edition.players.most
    for side in state.taken:
        if (number := state.number(side) or 0) > most:
            why = f"card {number} is in the {side} slot, and {edition.title} has only {most}: take it out first"
            raise Rejection("cards in", why)
    return edition


def _with_money(session: GameSession, game: int, worths: Mapping[int, int]) -> dict[int, int]:
    money = session.edition.money
    if game != session.game:
        raise RequestError(f"the current game is {session.game}, not {game}")
    if not session.playing:
        raise RequestError(f"game {game} has no players, and cannot be won")
    if strangers := worths.keys() - set(session.playing):
        raise RequestError(f"card {min(strangers)} has no player in game {game}")
    if any(worth % money.smallest for worth in worths.values()):
        raise Rejection("too fine")
    total = {card: session.balances[card] + worths.get(card, 0) for card in session.playing}
    if max(total.values()) > money.largest:
        raise Rejection("too much")
    return total
