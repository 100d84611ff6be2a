"""Fills the build guides with tables from our data.

Whatever is between ``<!-- made: wires block: lamp -->`` and the next ``<!-- end -->`` is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import fill

from hardware.making.drawings import SHEETS
from hardware.making.parts_files import order_file
from hardware.making.parts_list import HARDWARE, Item, cost_eur, items
from reboard.netlist.circuit import connections, named

FOLDER = HARDWARE / "guides"
USUAL_PI = "zero-2-w"
"""The Pi of the guides; any other works too."""

PLACE = re.compile(r"(<!-- made: (\w+) (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def guides() -> list[Path]:
    """Return the file of every guide."""
    return sorted(FOLDER.glob("*.md"))


def filled(text: str) -> str:
    """Return the *text* of a guide with its places filled. Raises ``KeyError`` for a place that cannot be."""
    return PLACE.sub(lambda place: f"{place[1]}\n{MAKERS[place[2]](place[3])}\n\n{place[5]}", text)


def write() -> list[Path]:
    """Fill all guides."""
    for guide in guides():
        guide.write_text(filled(guide.read_text(encoding="utf-8")), encoding="utf-8")
    return guides()


def _parts(name: str) -> str:
    budget = SHEETS[name].budget
    own = [item for item in items() if item.quantity[budget] and not item.is_the_pis and not item.only_if]
    costs = (
        f"The parts cost about {round(cost_eur(budget))} €; with [the Pi](../parts-list.md#for-the-pi) about "
        f"{round(cost_eur(budget, USUAL_PI))} €. Not in this table: [what our housing "
        "needs](../parts-list.md#only-if-our-housing-is-printed). To order: [file for a "
        f"distributor](../{order_file(budget).relative_to(HARDWARE)}), [part numbers and "
        "alternatives](../parts-list.md)."
    )
    return "\n".join([fill(costs, 100, break_on_hyphens=False), "", *_shopping(own, budget)])


def _parts_instead(names: str) -> str:
    budget, _, other = names.partition(": ")
    wanted = [item for item in items() if USUAL_PI in item.pi and not item.only_if]
    without = [item for item in wanted if item.quantity[budget] < item.quantity[other]]
    more = [item for item in wanted if item.quantity[budget] > item.quantity[other]]
    left_out = ", ".join(f"{item.quantity[other] - item.quantity[budget]} × {item.value}" for item in without)
    order = f"[its file for a distributor](../{order_file(budget).relative_to(HARDWARE)})"
    words = f"The parts cost about {round(cost_eur(budget))} € ({order}). Buy list A without {left_out}; and add:"
    return "\n".join([fill(words, 100, break_on_hyphens=False), "", *_shopping(more, budget, beyond=other)])


def _shopping(wanted: list[Item], budget: str, *, beyond: str = "") -> Iterator[str]:
    yield "| | what | designators | which | what to look for |"
    yield "|--:|---|---|---|---|"
    above = ""
    for item in wanted:
        count = item.quantity[budget] - (item.quantity[beyond] if beyond else 0)
        amount = f"{count} {item.measure}".strip()
        look_for = "" if item.look_for == above else item.look_for
        above = item.look_for
        yield f"| {amount} | {item.function} | {item.named_in(budget)} | {item.value} | {look_for} |"


def _wires(place: str) -> str:
    name, _, circuit = place.partition(": ")
    ends = [end for end in connections(SHEETS[name].circuit()) if end.part.subcircuit.title == circuit]
    if not ends:
        raise KeyError(place)
    rows = ["| part | its terminal | goes to |", "|---|---|---|"]
    before = ""
    for end in ends:
        part = named(end.part)
        rows.append(f"| {'' if part == before else part} | {end.terminal} | {end.to} |")
        before = part
    return "\n".join(rows)


def _config(name: str) -> str:
    return f"```toml\n{(FOLDER / name).read_text(encoding='utf-8').rstrip()}\n```"


MAKERS: Mapping[str, Callable[[str], str]] = {
    "parts": _parts,
    "parts_instead": _parts_instead,
    "wires": _wires,
    "config": _config,
}
"""The function for each kind of place."""
