"""The parts list as CSV: one file for a spreadsheet, and an order for everything that can be built."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hardware.making.builds import BUILDS, HARDWARE
from hardware.making.parts_list import PIS, USUAL_PI, Item, items

CSV_FILE = HARDWARE / "parts-list.csv"
ORDERS = HARDWARE / "orders"
ORDER_HEAD = ("Manufacturer Part Number", "Manufacturer", "Quantity", "Customer Reference", "Description")


def spreadsheet() -> str:
    """Return the list for a spreadsheet."""
    ordered = ["manufacturer", "manufacturer part number", "data sheet", "checked against it"]
    amounts = [name for build in BUILDS for name in (build, f"{build}: designators")]
    price = ["measure", "price_eur", "priced"]
    rows = [["function", "value", *ordered, *amounts, *price, "pi", "only if", "what to look for", "instead"]]
    for item in items():
        ordered = [item.manufacturer, item.mpn, item.data_sheet, item.checked]
        amounts = [value for build in BUILDS for value in (str(item.quantity[build]), item.named_in(build))]
        price = [item.measure, f"{item.price_eur:.2f}", item.priced]
        advice = [_pi_names(item), item.only_if, item.look_for, item.instead]
        rows.append([item.function, item.value, *ordered, *amounts, *price, *advice])
    return as_csv(rows)


def order_file(build: str) -> Path:
    """Return the file with the order of *build*."""
    return ORDERS / f"{build}.csv"


class OrderLine(NamedTuple):
    """A part to order. *reference* is printed on the bag."""

    mpn: str
    manufacturer: str
    quantity: int
    reference: str
    value: str


def as_order(lines: Iterable[OrderLine], between: str = ", ") -> str:
    """Return what a distributor's BOM tool reads: one line for each part number, with references *between* them."""
    bought: dict[tuple[str, str], list[OrderLine]] = {}
    for line in lines:
        if line.mpn:
            bought.setdefault(line[:2], []).append(line)
    rows = [
        [*part, str(sum(line.quantity for line in same)), between.join(line.reference for line in same), same[0].value]
        for part, same in bought.items()
    ]
    return as_csv([ORDER_HEAD, *rows])


def order_lines(build: str) -> Sequence[OrderLine]:
    """Return what is ordered for *build* with the usual Pi, without what only some need."""
    return [
        OrderLine(item.mpn, item.manufacturer, item.quantity[build], item.named_in(build) or item.function, item.value)
        for item in items()
        if item.quantity[build] and USUAL_PI in item.pi and not item.only_if
    ]


def order(build: str) -> str:
    """Return the order of *build*. What has no part number comes last."""
    lines = order_lines(build)
    return as_order(lines) + as_csv(line for line in lines if not line.mpn)


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return *rows* as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def contents() -> Mapping[Path, str]:
    """Return the text of each file."""
    orders = {order_file(build): order(build) for build in BUILDS}
    return {CSV_FILE: spreadsheet(), **orders}


def write() -> list[Path]:
    """Write all files."""
    ORDERS.mkdir(exist_ok=True)
    for file, text in contents().items():
        file.write_text(text, encoding="utf-8")
    return list(contents())


def _pi_names(item: Item) -> str:
    if set(item.pi) == set(PIS):
        return "all"
    return ", ".join(PIS[name].name.removeprefix("Raspberry Pi ") for name in item.pi)
