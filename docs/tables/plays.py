"""The tables of the lines and faults of plays."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from docs.tables.markdown import code, table
from reboard_sim.accessories.installed import faults
from reboard_sim.plays.play_language import forms


def acts() -> str:
    """Return the table of the acts and checks."""
    return table("line | what it does", ((f"`{form.usage}`".replace("|", r"\|"), form.meaning) for form in forms()))


def simulated_faults() -> str:
    """Return the table of the faults. Those of alike devices have one row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for fault in faults().values():
        meaning = re.sub(r"\b(left|right) ", "", fault.meaning)
        rows.setdefault((fault.name.partition(" ")[0], meaning), []).append(fault.name)
    return table("fault | meaning", ((code(names), meaning) for (_, meaning), names in rows.items()))


TABLES: Mapping[str, Callable[..., str]] = {"acts": acts, "faults": simulated_faults}
