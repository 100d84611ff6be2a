"""Why a transfer stands: in a sentence, for whoever asked to have it taken back."""

from __future__ import annotations

from reboard.banker.ledger import Ledger


def why_it_stands(ledger: Ledger, number: int, game: int) -> str | None:
    """What forbids to take transfer *number* back while *game* is on; ``None`` if only the balances can."""
    try:
        transfer = ledger.transfer(number)
    except LookupError as error:
        return str(error)
    if transfer.game != game:
        return f"transfer {number} belongs to game {transfer.game}, and it is game {game} that is on"
    if transfer.undoes:
        return f"transfer {number} took transfer {transfer.undoes} back, and is not taken back itself"
    if transfer.reason == "start":
        return f"transfer {number} is what card {transfer.to} began the game with, and is not taken back"
    if transfer.reason == "recovered":
        return f"transfer {number} stands for some that were lost when the file was damaged, and is not taken back"
    if opposite := ledger.opposite_of(number):
        return f"transfer {number} was taken back already, by transfer {opposite.id}"
    return None
