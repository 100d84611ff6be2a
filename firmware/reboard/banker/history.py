"""A game's past, from which its balances can be drawn as lines."""

from __future__ import annotations

import json
from collections import Counter

from reboard.banker.ledger import BANK, POT, Ledger, Transfer

MOST_TOLD = 2000
"""So many of the latest transfers; an evening has some four hundred."""


NO_HISTORY = json.dumps({"game": None, "before": {}, "transfers": []})
"""What is told while no game is on."""


def history(ledger: Ledger, game: int) -> str:
    """The latest transfers of *game*, oldest first, and what each card had ``before`` the first of them, as JSON.

    Cards that joined later had nothing yet, and are not told. It is written here, in the ledger's thread and row by
    row, because it takes longer than anybody on the loop can wait for.
    """
    transfers = ledger.transfers(game, MOST_TOLD)[::-1]
    before = Counter(ledger.balances(game))
    for transfer in transfers:
        before[transfer.from_] += transfer.amount
        before[transfer.to] -= transfer.amount
    joined = _cards_before(ledger, transfers[0]) if transfers else set()
    had = {card: balance for card, balance in sorted(before.items()) if card in joined}
    rows = ", ".join(json.dumps(transfer.as_json()) for transfer in transfers)
    return f'{{"game": {game}, "before": {json.dumps(had)}, "transfers": [{rows}]}}'


def _cards_before(ledger: Ledger, transfer: Transfer) -> set[int]:
    """The cards that had joined the game of *transfer* before it."""
    rows = ledger.book.connection.execute(
        "SELECT card FROM account AS a WHERE game = ?1 AND card NOT IN (?3, ?4) AND ("
        'EXISTS (SELECT 1 FROM transfer WHERE game = ?1 AND "to" = a.card AND id < ?2) OR '
        'EXISTS (SELECT 1 FROM transfer WHERE game = ?1 AND "from" = a.card AND id < ?2))',
        (transfer.game, transfer.id, BANK, POT),
    )
    return {card for (card,) in rows}
