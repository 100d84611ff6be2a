"""The tables of the findings of ``reboard doctor`` and of the electrical check, from the docstrings of their modules.

A module that reports findings has a line for each in its docstring, such as ``disk.space`` with a colon and its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import reboard
from docs.tables.docstrings import listed
from docs.tables.markdown import table

FIRMWARE = Path(reboard.__file__).parent
OF_WIRING = ("netlist", "circuits", "check.py")
"""The folders and the module with the rules of the electrical check."""

ORDER = {
    "doctor": "config kernel user pins serial readers display matrix ring sound disk time service page mqtt power",
    "wiring": "pins levels currents lines sound readers display matrix ring motor wiring",
}
"""The areas in the order of the documents."""


def findings(which: str) -> str:
    """Return the table of the findings of the ``doctor``, or of the electrical check of the ``wiring``."""
    found = list(_found(which == "wiring"))
    areas = ORDER[which].split()
    rows = sorted(found, key=lambda row: areas.index(row[0].partition(".")[0]))
    if which == "doctor":
        return table("finding | what it says", ((f"`{name}`", words) for name, words in rows))
    return table("finding | what it looks for | source", map(_with_source, rows))


def _found(of_wiring: bool) -> Iterator[tuple[str, str]]:
    for file in sorted(FIRMWARE.rglob("*.py")):
        if of_wiring == any(part in OF_WIRING for part in file.relative_to(FIRMWARE).parts):
            yield from ((name, words) for name, words in listed(file) if "." in name)


def _with_source(row: tuple[str, str]) -> Sequence[str]:
    words, _, source = row[1].partition(". Source: ")
    return f"`{row[0]}`", words, source


TABLES: Mapping[str, Callable[..., str]] = {"findings of": findings}
