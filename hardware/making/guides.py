"""The build guides: what they tell from our data and share with each other, put in where they ask for it.

A guide asks with ``<!-- made: wires block: lamp -->``; what stands between that and the next ``<!-- end -->`` is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hardware.making.drawings import SHEETS
from hardware.making.parts_list import HARDWARE, ONLY_IF, Item, cost_eur, items
from reboard.wiring.connections import connections, named

FOLDER = HARDWARE / "guides"
CHAPTERS = HARDWARE / "chapters"
USUAL_PI = "zero-2-w"
"""The Pi that the guides are written for; any other does."""

PLACE = re.compile(r"(<!-- made: (\w+) (.+?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def guides() -> list[Path]:
    """Every guide."""
    return sorted(FOLDER.glob("*.md"))


def filled(text: str) -> str:
    """The guide that *text* is, with everything in it that is made. Raises ``KeyError`` for what cannot be made."""
    return PLACE.sub(lambda place: f"{place[1]}\n{MAKERS[place[2]](place[3])}\n\n{place[5]}", text)


def write() -> list[Path]:
    """Make all of them anew."""
    for guide in guides():
        guide.write_text(filled(guide.read_text(encoding="utf-8")), encoding="utf-8")
    return guides()


def _parts(name: str) -> str:
    """What is to be bought for the drawing *name*, and what that costs."""
    budget = SHEETS[name].budget
    wanted = [item for item in items() if item.quantity[budget] and USUAL_PI in item.pi]
    own = [item for item in wanted if not item.is_the_pis and not item.only_if]
    pis = [item for item in wanted if item.is_the_pis]
    costs = (
        f"The parts cost about {round(cost_eur(budget))} €, and with the Pi and what it needs itself about "
        f"{round(cost_eur(budget, USUAL_PI))} €."
    )
    lines = [costs, "", *_shopping(own, budget), "", "And for the Pi itself:", "", *_shopping(pis, budget)]
    for only_if, words in ONLY_IF.items():
        if some := [item for item in wanted if item.only_if == only_if]:
            cost = sum(item.price_eur * item.quantity[budget] for item in some)
            lines += ["", f"Only if {words}, for about {cost:.0f} €:", "", *_shopping(some, budget)]
    return "\n".join(lines)


def _shopping(wanted: list[Item], budget: str) -> Iterator[str]:
    yield "| | what | which | each | what to look for | instead |"
    yield "|--:|---|---|--:|---|---|"
    for item in wanted:
        columns = [item.function, item.value, f"{item.price_eur:.2f}\N{NO-BREAK SPACE}€", item.look_for, item.instead]
        yield f"| {item.quantity[budget]} | {' | '.join(columns)} |"


def _wires(said: str) -> str:
    """The connections of one circuit of a drawing, ``block: lamp``."""
    name, _, circuit = said.partition(": ")
    wires = [wire for wire in connections(SHEETS[name].circuit()) if wire.part.circuit == circuit]
    if not wires:
        raise KeyError(said)
    rows = ["| part | its terminal | goes to |", "|---|---|---|"]
    before = ""
    for wire in wires:
        part = named(wire.part)
        rows.append(f"| {'' if part == before else part} | {wire.terminal} | {wire.to} |")
        before = part
    return "\n".join(rows)


def _config(name: str) -> str:
    """The config *name* of the guides."""
    return f"```toml\n{(FOLDER / name).read_text(encoding='utf-8').rstrip()}\n```"


def _chapter(name: str) -> str:
    """A chapter that several guides have."""
    return (CHAPTERS / f"{name}.md").read_text(encoding="utf-8").rstrip()


MAKERS: Mapping[str, Callable[[str], str]] = {
    "parts": _parts,
    "wires": _wires,
    "config": _config,
    "chapter": _chapter,
}
"""What can be made, and by whom."""
