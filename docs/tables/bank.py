"""The tables of the bank: the texts of the display, and the tables and settings of the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from docs.tables.docstrings import constants, listed
from docs.tables.markdown import code, table
from reboard.accessories.banker_unit import schema, texts

BANK = Path(schema.__file__).parent
NAMES_A_SETTING = "The name of the ledger's setting for "
"""How the docstring of the name of a setting begins."""


EXAMPLES = {
    "number": 3,
    "who": "ANNA",
    "amount": "2M",
    "minutes": 30,
    "level": 3,
    "cards": "2,3",
    "digit": 3,
    "houses": 3,
    "code": "4821",
}
"""The values that the texts of the display have in the documents."""


def messages() -> str:
    """Return the table of the texts of the display. Raises ``ValueError`` for one without a meaning."""
    found = list(constants(Path(texts.__file__), "Text"))
    if nameless := [name for name, _, meaning in found if not meaning]:
        raise ValueError(f"add what {', '.join(nameless)} means to the docstrings of Text")
    shown = {text: datetime(2026, 11, 29, 18, 30).strftime(text).format(**EXAMPLES) for _, text, _ in found}
    return table("display | meaning", ((f"`{shown[text]}`", meaning) for _, text, meaning in found))


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


TABLES: Mapping[str, Callable[..., str]] = {
    "messages": messages,
    "ledger schema": ledger_schema,
    "ledger settings": ledger_settings,
}
