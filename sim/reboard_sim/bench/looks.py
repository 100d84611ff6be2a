"""The state of the devices and the rows of the ledger, as the bench shows them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from reboard.accessories.banker_unit.ledger_errors import cause_of
from reboard.board import open_database
from reboard_sim.accessories.accessory import simulated_accessories
from reboard_sim.virtual_table import VirtualTable

SHOWN = 100
"""How many of the latest rows are shown."""

COLUMNS = ("id", "game", "from", "to", "amount", "reason", "at", "undoes", "press")


def last_rows(file: Path) -> dict[str, Any]:
    """Return the columns, the latest rows, newest first, and the problem if they cannot be read."""
    columns = ", ".join(f'"{column}"' for column in COLUMNS)
    rows: list[list[Any]] = []
    problem = None
    try:
        with closing(open_database(f"{file.resolve().as_uri()}?mode=ro")) as connection:
            # a damaged letter must not hide its row
            connection.text_factory = lambda raw: raw.decode(errors="replace")
            rows = [
                list(row)
                for row in connection.execute(f"SELECT {columns} FROM transfer ORDER BY id DESC LIMIT {SHOWN}")
            ]
    except sqlite3.Error as error:
        problem = cause_of(error)[0] if file.exists() else "There is no ledger yet: the first game starts it."
    return {"columns": COLUMNS, "rows": rows, "problem": problem}


def looks_of(table: VirtualTable, t: float) -> dict[str, Any]:
    """Return the devices of the table at *t* seconds, by their labels, as JSON."""
    looks: dict[str, Any] = {
        "t": round(t, 6),
        "powered": table.is_on,
        "switched_on_at": round(table.switched_on_at, 3),
        "accessories": list(table.config.sections),
        "devices": {label: device.state() for label, device in table.pi.devices.items()},
        "faults": sorted(table.faults),
    }
    for accessory in simulated_accessories().values():
        looks |= accessory.looks(table)
    return looks


def wires_of(table: VirtualTable) -> dict[str, Any]:
    """Return every line that the config uses, by its name: its pin, level, duty, and whether the Pi drives it."""
    return {
        name: {"pin": line.name, "level": int(line.level), "duty": line.duty, "output": line.is_output}
        for name, line in table.pi.wires().items()
    }
