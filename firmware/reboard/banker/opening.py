"""Opening the till when the unit is switched on, for as long as that takes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from reboard.banker.ledger import Game
from reboard.banker.no_ledger import NoLedgerError
from reboard.banker.texts import Text
from reboard.banker.till import Till
from reboard.errors import ReboardError
from reboard.pauses import Pauses

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
"""A ledger that cannot be opened is tried again after 1, 2, 4 … 30 s."""

log = logging.getLogger(__name__)


async def open_till(till: Till, *, cannot: Callable[[str], None]) -> Game | None:
    """Open *till*; until that is done it is a ``fault``, and *cannot* is told each time what the display can say of it.

    Returns the game that could not go on because its edition is gone.
    """
    pauses = Pauses(FIRST_PAUSE_S, LONGEST_PAUSE_S)
    while True:
        try:
            missed = await till.open()
            break
        except ReboardError as error:
            till.disk.tell(str(error))
            cannot(error.shown if isinstance(error, NoLedgerError) else Text.NO_LEDGER)
        await asyncio.sleep(pauses.next())
    # that a file was mended is to be seen by whoever looks next: it stands until money has moved again
    till.disk.tell(till.mended or None)
    if missed:
        log.warning(
            "game %d is put aside: its edition %s is not here any more; a new one is on in %s",
            missed.id,
            missed.edition,
            till.edition.name,
        )
    return missed
