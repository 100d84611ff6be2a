"""What the unit reads of past transfers and games, and which transfers can be undone."""

from __future__ import annotations

import json
from collections import Counter

from reboard.accessories.banker_unit.accounts import Reason
from reboard.accessories.banker_unit.game_record import GameRecord
from reboard.accessories.banker_unit.game_settings import NOT_ENDED
from reboard.accessories.banker_unit.ledger import Ledger
from reboard.accessories.banker_unit.rejections import BankWhy
from reboard.accessories.banker_unit.schema import GAME, Game, Transfer, game_of
from reboard.errors import Rejection
from reboard.record import replace

MOST_IN_HISTORY = 2000
"""The maximum number of transfers in the history. A game of one evening has about 400."""

MOST_OFFERED = 50
"""The maximum number of kept games in the chooser."""

NO_HISTORY = json.dumps({"game": None, "before": {}, "transfers": []})
"""The history while there is no current game."""


def history(ledger: Ledger, game: int) -> str:
    """Return the latest transfers of *game*, oldest first, and each card's balance ``before`` them, as JSON.

    ``before`` leaves out cards without an earlier transfer. Call this function on the ledger thread, because writing
    the JSON would block the event loop for too long.
    """
    transfers = ledger.transfers(game, MOST_IN_HISTORY)[::-1]
    before = Counter(ledger.balances(game))
    for transfer in transfers:
        before[transfer.from_] += transfer.amount
        before[transfer.to] -= transfer.amount
    joined = _cards_before(ledger, transfers[0]) if transfers else set()
    had = {card: balance for card, balance in sorted(before.items()) if card in joined}
    rows = ", ".join(json.dumps(transfer.as_json()) for transfer in transfers)
    return f'{{"game": {game}, "before": {json.dumps(had)}, "transfers": [{rows}]}}'


def outgoing(ledger: Ledger, after: int, most: int) -> str:
    """Return up to *most* transfers of any game after transfer number *after*, oldest first, as JSON.

    With them are the ledger's name, the number of its last transfer, that of the last transfer ``before`` them, and the
    edition of each game. A program that copies the ledger sees from these what it lacks.
    """
    transfers = ledger.transfers_after(after, most)
    games = [transfer.game for transfer in transfers]
    rows = ledger.connection.execute(f"{GAME} WHERE id BETWEEN ? AND ?", (min(games, default=0), max(games, default=0)))
    answer = {
        "ledger": ledger.name(),
        "before": ledger.last_transfer(after),
        "last": ledger.last_transfer(),
        "editions": {str(game.id): game.edition for game in map(game_of, rows) if game.id in games},
        "transfers": [transfer.as_json() for transfer in transfers],
    }
    return json.dumps(answer)


def _cards_before(ledger: Ledger, transfer: Transfer) -> set[int]:
    rows = ledger.connection.execute(
        """SELECT DISTINCT "to" FROM transfer WHERE game = ? AND reason = 'start' AND id < ?""",
        (transfer.game, transfer.id),
    )
    return {card for (card,) in rows}


def kept_games(ledger: Ledger) -> list[Game]:
    """Return the latest games, newest first, at most `MOST_OFFERED`.

    The current game and games in which cards only joined and left are left out.
    """
    rows = ledger.connection.execute(
        f"SELECT * FROM ({GAME}) AS g WHERE ended_at IS NOT NULL AND EXISTS ("
        "SELECT 1 FROM stretch AS s CROSS JOIN transfer AS t ON t.id BETWEEN s.first AND s.last "
        "WHERE s.game = g.id AND undoes IS NULL AND reason NOT IN ('start', 'left')) "
        "ORDER BY id DESC LIMIT ?",
        (MOST_OFFERED,),
    )
    return [game_of(row) for row in rows]


def resume(ledger: Ledger, current: GameRecord, game: Game, at: float) -> tuple[Game, GameRecord]:
    """Continue *game* after the *current* one. Return the game and its record."""
    # read first: nothing can fail any more once the disk has the change
    record = replace(current.read(ledger, game), end=None)
    return ledger.resume(game.id, at=at, settings=NOT_ENDED), record


def undo(ledger: Ledger, game: int, number: int | None, *, press: str, at: float) -> list[tuple[Transfer, Transfer]]:
    """Undo transfer *number* of *game*, or the last one that can be undone, with the other transfers of its act.

    Return each of these transfers with its opposite. Raises `Rejection` if one of them cannot be undone.
    """
    if number is not None and (why := _why_not_undone(ledger, number, game)):
        raise Rejection(BankWhy.NOTHING_TO_UNDO, why)
    wrong = ledger.last_to_undo(game) if number is None else ledger.transfer(number)
    if wrong is None:
        raise Rejection(BankWhy.NOTHING_TO_UNDO)
    return list(zip(ledger.act_of(wrong), ledger.undo(wrong.id, press=press, at=at), strict=True))


def _why_not_undone(ledger: Ledger, number: int, game: int) -> str | None:
    """Return why transfer *number* cannot be undone in *game*, or ``None`` if no reason was found.

    The rules for balances and bankrupt cards are not checked here.
    """
    try:
        transfer = ledger.transfer(number)
    except LookupError as error:
        return str(error)
    if transfer.game != game:
        return f"transfer {number} cannot be undone: it is in game {transfer.game}, but the current game is {game}"
    if transfer.undoes:
        return f"transfer {number} cannot be undone: it is the undo of transfer {transfer.undoes}"
    if transfer.reason == Reason.START:
        return f"transfer {number} cannot be undone: it is the starting balance of card {transfer.to}"
    if opposite := ledger.opposite_of(number):
        return f"transfer {number} was already undone by transfer {opposite.id}"
    if card := ledger.started_again(transfer):
        return f"transfer {number} cannot be undone: another player has the number of card {card} since"
    return None
