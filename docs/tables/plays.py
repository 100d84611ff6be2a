"""The tables of the lines and faults of plays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from docs.tables.markdown import code, table
from reboard_sim.accessories.installed import faults
from reboard_sim.forms import Form
from reboard_sim.plays.play_language import forms
from reboard_sim.script.script_language import script_parser


def acts() -> str:
    """Return the table of the acts and checks."""
    return _table(forms())


def _table(lines: Iterable[Form]) -> str:
    return table("line | what it does", ((f"`{form.usage}`".replace("|", r"\|"), form.meaning) for form in lines))


def acts_at_a_program() -> str:
    """Return the table of the acts and checks at the devices of a program."""
    return _table(script_parser().forms)


def simulated_faults() -> str:
    """Return the table of the faults. Those of alike devices have one row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for fault in faults().values():
        meaning = re.sub(r"\b(left|right) ", "", fault.meaning)
        rows.setdefault((fault.name.partition(" ")[0], meaning), []).append(fault.name)
    return table("fault | meaning", ((code(names), meaning) for (_, meaning), names in rows.items()))


TABLES: Mapping[str, Callable[..., str]] = {
    "acts": acts,
    "acts at a program": acts_at_a_program,
    "faults": simulated_faults,
}
