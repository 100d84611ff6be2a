"""Fills the build guides with tables from our data.

Whatever is between ``<!-- made: wires block: lamp -->`` and the next ``<!-- end -->`` is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import fill

from hardware.making.builds import BUILDS, GUIDES
from hardware.making.cables import harness
from hardware.making.checklist import steps
from hardware.making.parts_list import USUAL_PI, cost_eur

PLACE = re.compile(r"(<!-- made: (\w+) (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def guides() -> list[Path]:
    """Return the file of every guide."""
    return sorted(GUIDES.glob("*.md"))


def filled(text: str) -> str:
    """Return the *text* of a guide with its places filled. Raises ``KeyError`` for a place that cannot be."""
    return PLACE.sub(lambda place: f"{place[1]}\n{MAKERS[place[2]](place[3])}\n\n{place[5]}", text)


def write() -> list[Path]:
    """Fill all guides."""
    for guide in guides():
        guide.write_text(filled(guide.read_text(encoding="utf-8")), encoding="utf-8")
    return guides()


def _costs(name: str) -> str:
    costs = (
        f"The parts cost about {round(cost_eur(name))} €, with the Pi about {round(cost_eur(name, USUAL_PI))} €: "
        f"[checklist to print](../checklists/{name}.pdf), [alternatives and other Pis](../parts-list.md)."
    )
    return fill(costs, 100, break_on_hyphens=False, break_long_words=False)


def _wires(place: str) -> str:
    name, _, title = place.partition(": ")
    step = next((step for step in steps(harness(name).circuit) if step.title == title), None)
    if step is None:
        raise KeyError(place)
    rows = [f"| {join.at} | {', '.join(join.terminals)} |" for join in step.joins]
    return "\n".join([fill("; ".join(step.parts), 100), "", "| net | joins |", "|---|---|", *rows])


def _config(name: str) -> str:
    return f"```toml\n{(GUIDES / BUILDS[name].config).read_text(encoding='utf-8').rstrip()}\n```"


MAKERS: Mapping[str, Callable[[str], str]] = {
    "costs": _costs,
    "wires": _wires,
    "config": _config,
}
"""The function for each kind of place."""
