"""The tables of the bank: the tables and the settings of the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from docs.tables.docstrings import constants, listed
from docs.tables.markdown import code, table
from reboard.accessories.banker_unit import schema

BANK = Path(schema.__file__).parent
NAMES_A_SETTING = "The name of the ledger's setting for "
"""How the docstring of the name of a setting begins."""


def ledger_schema() -> str:
    """Return the table of the tables and views of the ledger. Raises ``KeyError`` for one without a meaning."""
    meanings = dict(listed(Path(schema.__file__)))
    with closing(sqlite3.connect(":memory:")) as ledger:
        schema.migrate(ledger)
        rows = ledger.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY type, rowid")
        names = [name for (name,) in rows if not name.startswith("sqlite_")]
        tables = {name: ledger.execute(f"PRAGMA table_info({name})").fetchall() for name in names}
    described = (
        (f"`{name}`", meanings[name], code(column[1] for column in columns)) for name, columns in tables.items()
    )
    return table("table or view | a row is | columns", described)


def ledger_settings() -> str:
    """Return the table of the rows that the table ``setting`` of the ledger can have."""
    return table("name | value", _settings())


def _settings() -> Iterator[Sequence[str]]:
    for file in sorted(BANK.glob("*.py")):
        for _, name, meaning in constants(file):
            if meaning.startswith(NAMES_A_SETTING):
                yield f"`{name}`", meaning.removeprefix(NAMES_A_SETTING)


TABLES: Mapping[str, Callable[..., str]] = {"ledger schema": ledger_schema, "ledger settings": ledger_settings}
