"""The parts list: what to buy for each accessory, and for all of them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from math import ceil
from typing import Any

from hardware.making.builds import BUILDS, HARDWARE
from hardware.making.housings.meshes import load
from hardware.making.housings.pieces import FOLDER, PIECES
from hardware.making.housings.printing import GRAMS_PER_MM3, plastic_mm3
from reboard.netlist.circuit import ohms
from reboard.netlist.hardware_data import Model, Product, kinds, models

SINGLE = [name for name, build in BUILDS.items() if not build.of]
"""The builds that do not consist of others."""

REASONS = {
    "": "",
    "printed": "our housing is printed",
    "5v-display": "the display is an LCD for 5 V",
    "held-miso": "a reader holds the line MISO",
}
"""The reasons to buy what only some makers need, by the value of `if` in the data."""

PIS: Mapping[str, Model] = {name: model for name, model in models().items() if model.is_in_guides}
"""The Raspberry Pis of the guides."""

USUAL_PI = "zero-2-w"
"""The Pi of the guides and checklists; any other works too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Product):
    """A product, its *quantity* and its reference *designators* in each build, and the Pis that need it.

    *measure* is the unit of the quantity, empty for pieces. *is_the_pis*: it belongs to the Pi and not to an accessory.
    *only_if* is the reason why only some makers need it, or empty.
    """

    quantity: Mapping[str, int]
    designators: Mapping[str, Sequence[str]] = field(default_factory=dict)
    measure: str = ""
    pi: Sequence[str] = field(default_factory=lambda: tuple(PIS))
    is_the_pis: bool = False
    only_if: str = ""

    @property
    def order_number(self) -> str:
        """The manufacturer and its part number, or ``generic``."""
        return f"{self.manufacturer} {self.mpn}".strip() or "generic"

    def amount(self, build: str) -> str:
        """Return the quantity in *build*, with its unit if it has one: ``2``, ``180 g``."""
        return f"{self.quantity[build]} {self.measure}".strip()

    def named_in(self, build: str) -> str:
        """Return the designators in *build*: ``R101, R102``. What is not in a drawing has none."""
        return ", ".join(self.designators.get(build, ()))


@cache
def items() -> Sequence[Item]:
    """Return everything there is to buy."""
    return (*_parts(), *_basics(), *_pis())


def cost_eur(build: str, pi: str | None = None) -> float:
    """Return the price of *build*, without what only some need, and with the *pi* and its own needs if it is given."""
    needed = (item for item in items() if not item.only_if)
    wanted = (item for item in needed if (pi in item.pi if pi else not item.is_the_pis))
    return sum(item.price_eur * item.quantity[build] for item in wanted)


def _parts() -> Iterator[Item]:
    named: dict[tuple[str, float | None], dict[str, list[str]]] = {}
    for name, build in BUILDS.items():
        for part in build.circuit().parts:
            by_build = named.setdefault((part.kind.name, part.ohm), {build: [] for build in BUILDS})
            by_build[name].append(part.designator)
    order = list(dict.fromkeys(kind for kind, _ in named))
    for (kind, ohm), designators in sorted(named.items(), key=lambda each: order.index(each[0][0])):
        product = _product(kinds()[kind])
        if ohm:
            product |= {"value": f"{ohms(ohm)}, {product['value']}", "mpn": product["mpn"].format(ohm=marking(ohm))}
        yield Item(**product, quantity={name: len(some) for name, some in designators.items()}, designators=designators)


def _product(kind: Product) -> dict[str, Any]:
    return {each.name: getattr(kind, each.name) for each in fields(Product)}


def marking(ohm: float) -> str:
    """Return a resistance as IEC 60062 marks it: ``330R``, ``4K7``."""
    size, unit = next(each for each in ((1e6, "M"), (1e3, "K"), (1, "R")) if ohm >= each[0])
    whole, _, rest = f"{ohm / size:g}".partition(".")
    return f"{whole}{unit}{rest}"


def _basics() -> Iterator[Item]:
    for entry in tomllib.loads((HARDWARE / "basics.toml").read_text(encoding="utf-8")).values():
        only_if = REASONS[entry.pop("if", "")]
        if part := entry.pop("part", None):
            entry |= _product(kinds()[part])
        if pieces := entry.pop("pieces", None):
            entry["quantity"] = {build: ceil(sum(map(_grams, names))) for build, names in pieces.items()}
        count, needed_by = entry.pop("quantity"), entry.pop("builds", SINGLE)
        each = count if isinstance(count, dict) else dict.fromkeys(needed_by, count)
        is_shared = entry.pop("shared", False)
        total = {name: count if is_shared else sum(each.get(part, 0) for part in BUILDS[name].of) for name in BUILDS}
        quantity = total | dict.fromkeys(SINGLE, 0) | each
        yield Item(**entry, quantity=quantity, only_if=only_if)


def _grams(name: str) -> float:
    housing, _, piece = name.partition("-")
    return plastic_mm3(load(FOLDER / f"{name}.stl"), PIECES[housing][piece]) * GRAMS_PER_MM3


def _pis() -> Iterator[Item]:
    for name, model in PIS.items():
        yield Item(
            function="Raspberry Pi",
            value=model.name,
            look_for="any memory size will do",
            instead=model.note,
            price_eur=model.price_eur,
            manufacturer="Raspberry Pi",
            quantity=dict.fromkeys(BUILDS, 1),
            pi=(name,),
            is_the_pis=True,
        )
