"""The parts list, as CSV and as a page: what to buy for the block, the unit, the apple, and for all of it."""

from __future__ import annotations

import csv
import io
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from reboard.config import load_config
from reboard.wiring.circuit import Circuit
from reboard.wiring.connections import ohms
from reboard.wiring.kinds import kinds
from reboard.wiring.pi import models
from reboard.wiring.soldering import circuit_of

HARDWARE = Path(__file__).parents[1]
CSV_FILE = HARDWARE / "parts-list.csv"
PAGE_FILE = HARDWARE / "parts-list.md"


class Budget(NamedTuple):
    """Something that can be built: the config that it is wired by, and the *accessories* of it."""

    config: str
    accessories: Sequence[str]

    def circuit(self) -> Circuit:
        """Its parts; each alone has the speaker too."""
        return circuit_of(load_config(HARDWARE / f"{self.config}.toml")).only([*self.accessories, "speaker"])


BUDGETS: Mapping[str, Budget] = {
    "block": Budget("table", ["block"]),
    "unit": Budget("table", ["bank"]),
    "unit for original cards": Budget("original-cards", ["bank"]),
    "apple": Budget("table", ["apple"]),
    "all": Budget("table", ["block", "bank", "apple"]),
}
"""What can be built."""

HEAD = """\
# Parts list

Made by `make parts` from [`parts.toml`](parts.toml), [`basics.toml`](basics.toml) and the drawings: change those,
not this. The same list for a spreadsheet is [`parts-list.csv`](parts-list.csv). Prices are rough, in euros, of 2026,
for single pieces, without postage.
"""

ONLY_IF: Mapping[str, str] = {"printed": "our housing is printed", "batteries": "the motor gets batteries of its own"}
"""When it is bought what not everybody needs, by the `if` of the data."""


@dataclass(frozen=True, slots=True)
class Item:
    """One line: a thing to buy, its *quantity* in each budget, and the Pis that need it; *is_the_pis*: it comes with
    the Pi and not with an accessory; *only_if*: a name in `ONLY_IF`, or empty for what everybody needs."""

    function: str
    value: str
    look_for: str
    instead: str
    price_eur: float
    quantity: Mapping[str, int]
    pi: Sequence[str] = field(default_factory=lambda: tuple(models()))
    is_the_pis: bool = False
    only_if: str = ""

    @property
    def when(self) -> str:
        """Why somebody buys it, in words; empty when everybody does."""
        return ONLY_IF[self.only_if] if self.only_if else ""


def items() -> list[Item]:
    """Everything there is to buy, most particular things first."""
    return [*_parts(), *_basics(), *_pis()]


def cost_eur(budget: str, pi: str | None = None) -> float:
    """What *budget* costs, with the *pi* and all that it needs itself, or without any; without what only some need."""
    needed = (item for item in items() if not item.only_if)
    wanted = (item for item in needed if (pi in item.pi if pi else not item.is_the_pis))
    return sum(item.price_eur * item.quantity[budget] for item in wanted)


def as_csv() -> str:
    """The list for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["function", "value", *BUDGETS, "price_eur", "pi", "only if", "what to look for", "instead"])
    for item in items():
        quantities = [item.quantity[budget] for budget in BUDGETS]
        row = [item.function, item.value, *quantities, f"{item.price_eur:.2f}", _pi_names(item), item.when]
        writer.writerow([*row, item.look_for, item.instead])
    return text.getvalue()


def as_page() -> str:
    """The list for a reader."""
    return "\n".join([HEAD, *_budget_table(), "", *_item_table()]) + "\n"


def write() -> list[Path]:
    """Write both files."""
    CSV_FILE.write_text(as_csv(), encoding="utf-8")
    PAGE_FILE.write_text(as_page(), encoding="utf-8")
    return [CSV_FILE, PAGE_FILE]


def _parts() -> Iterator[Item]:
    counted: dict[tuple[str, float | None], Counter[str]] = {}
    for name, budget in BUDGETS.items():
        for part in budget.circuit().parts:
            counted.setdefault((part.kind.name, part.ohm), Counter())[name] += 1
    for (name, ohm), quantity in counted.items():
        kind = kinds()[name]
        value = f"{ohms(ohm)}, {kind.value}" if ohm else kind.value
        yield Item(kind.function, value, kind.look_for, kind.instead, kind.price_eur, quantity)


def _basics() -> Iterator[Item]:
    for said in tomllib.loads((HARDWARE / "basics.toml").read_text(encoding="utf-8")).values():
        only_if = said.pop("if", "")
        count = said.pop("quantity")
        each = count if isinstance(count, dict) else dict.fromkeys(said.pop("for"), count)
        alone = [number for budget, number in each.items() if BUDGETS[budget].config == "table"]
        together = count if said.pop("shared", False) else sum(alone)
        quantity = dict.fromkeys(BUDGETS, 0) | {"all": together} | each
        yield Item(**said, quantity=quantity, only_if=only_if)


def _pis() -> Iterator[Item]:
    for name, model in models().items():
        once = dict.fromkeys(BUDGETS, 1)
        words = "any memory size will do"
        yield Item("Raspberry Pi", model.name, words, model.note, model.price_eur, once, (name,), is_the_pis=True)


def _pi_names(item: Item) -> str:
    if set(item.pi) == set(models()):
        return "all"
    return ", ".join(_short(name) for name in item.pi)


def _short(pi: str) -> str:
    return {"zero-2-w": "Zero 2 W"}.get(pi, pi)


def _budget_table() -> Iterator[str]:
    yield f"| | parts | {' | '.join(f'with a Pi {_short(pi)}' for pi in models())} |"
    yield "|---|--:|" + "--:|" * len(models())
    for budget in BUDGETS:
        costs = [cost_eur(budget), *(cost_eur(budget, pi) for pi in models())]
        yield f"| **{budget}** | {' | '.join(f'{round(cost)} €' for cost in costs)} |"
    yield ""
    yield '"With a Pi" has the Pi, its supply and its memory card in it. The speaker is in each, and only once in all.'
    yield "What is bought only if something else holds is not in these prices."


def _item_table() -> Iterator[str]:
    yield f"| function | value | {' | '.join(BUDGETS)} | each | Pi | only if | what to look for | instead |"
    yield "|---|---|" + "--:|" * len(BUDGETS) + "--:|---|---|---|---|"
    for item in items():
        quantities = " | ".join(str(item.quantity[budget] or "") for budget in BUDGETS)
        price = f"{item.price_eur:.2f} €"
        names = [item.function, item.value, quantities, price, _pi_names(item), item.when]
        columns = [*names, item.look_for, item.instead]
        yield f"| {' | '.join(columns)} |"
