"""The transfers of a ledger as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from reboard.accessories.banker_unit.ledger_reading import LedgerReading
from reboard.accessories.banker_unit.schema import Game

COLUMNS = ("id", "game", "from", "to", "amount", "reason", "at", "undoes", "act")

ALL = 2**31

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters with which a spreadsheet takes a text for a formula, the last four in full width."""


def as_cell(cell: str) -> str:
    """Return *cell* as text of CSV that no spreadsheet takes for a formula."""
    cell = cell.replace(";", ",")  # the separator in countries with a decimal comma
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def transfers(ledger: LedgerReading, games: Iterable[Game]) -> list[dict[str, Any]]:
    """Return the transfers of *games* as JSON objects, the oldest first."""
    return [row.as_json() for game in games for row in reversed(ledger.transfers(game.id, ALL))]


def write_csv(rows: Iterable[Mapping[str, Any]], file: TextIO) -> None:
    """Write *rows* of `transfers` to *file*, below the names of the columns."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        # the name of an accessory's outcome is a reason, too; the writer does not quote a lone CR
        reason = as_cell(str(row["reason"])).replace("\r", " ")
        writer.writerow([reason if name == "reason" else row[name] for name in COLUMNS])
