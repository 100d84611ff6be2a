"""The tables of what to buy: one list a build, its costs, and what other Pis need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from docs.tables.markdown import table
from hardware.making.builds import BUILDS
from hardware.making.parts_list import IF_PRINTED, PIS, USUAL_PI, Item, cost_eur, items


def costs() -> str:
    """Return the table of what each build costs, alone and with each Pi."""
    head = ["build", "parts --:", *(f"with a {model.name} --:" for model in PIS.values())]
    rows = ((build, *map(_euros, (cost_eur(build), *(cost_eur(build, pi) for pi in PIS)))) for build in BUILDS)
    return table(" | ".join(head), rows)


def _euros(price: float) -> str:
    return f"{round(price)} €"


def parts(build: str) -> str:
    """Return the lists of what to buy for a *build* with the usual Pi."""
    bought = [item for item in items() if item.quantity[build] and USUAL_PI in item.pi]
    lists = {
        "": [item for item in bought if not item.is_the_pis and not item.is_for_the_housing],
        "For the Pi:": [item for item in bought if item.is_the_pis],
        f"Only if {IF_PRINTED}:": [item for item in bought if item.is_for_the_housing],
    }
    return "\n\n".join(text for title, some in lists.items() if some for text in (title, _list(build, some)) if text)


def _list(build: str, some: Iterable[Item]) -> str:
    rows = (
        (
            item.amount(build),
            ": ".join(filter(None, [f"{item.function}, {item.value}", item.named_in(build)])),
            item.order_number,
            f"{item.price_eur:.2f} €",
            item.look_for,
            item.instead,
        )
        for item in some
    )
    return table("pieces | part | order number | each --: | what to look for | instead", rows)


def other_pis() -> str:
    """Return the table of the parts that only other Pis need."""
    rows = (
        (
            ", ".join(PIS[pi].name for pi in item.pi),
            f"{item.function}, {item.value}",
            item.order_number,
            f"{item.price_eur:.2f} €",
            item.look_for,
            item.instead,
        )
        for item in items()
        if USUAL_PI not in item.pi
    )
    return table("for a | part | order number | each --: | what to look for | instead", rows)


TABLES: Mapping[str, Callable[..., str]] = {"costs of builds": costs, "parts of": parts, "other Pis": other_pis}
