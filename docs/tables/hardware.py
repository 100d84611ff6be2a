"""The tables of what can be built: costs, wires and configs of the guides, the pieces of housings, what to buy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from docs.tables.markdown import lines, table
from hardware.making.builds import BUILDS, GUIDES
from hardware.making.cables import harness
from hardware.making.checklist import steps
from hardware.making.housings.pieces import PIECES
from hardware.making.housings.printing import printed
from hardware.making.parts_list import IF_PRINTED, PIS, USUAL_PI, Item, cost_eur, items


def costs(build: str) -> str:
    """Return what the parts of a *build* cost, and where to read on."""
    return lines(
        f"The parts cost about {round(cost_eur(build))} €, with the Pi about {round(cost_eur(build, USUAL_PI))} €: "
        f"[checklist to print](../checklists/{build}.pdf), [alternatives and other Pis](../parts-list.md)."
    )


def wires(place: str) -> str:
    """Return the wires of a device of a build, such as ``block: lamp``. Raises ``KeyError`` for an unknown one."""
    build, _, title = place.partition(": ")
    step = {step.title: step for step in steps(harness(build).circuit)}[title]
    joins = table("net | joins", ((join.at, ", ".join(join.terminals)) for join in step.joins))
    return f"{lines('; '.join(step.parts))}\n\n{joins}"


def config(build: str) -> str:
    """Return the config of a *build*."""
    return f"```toml\n{(GUIDES / BUILDS[build].config).read_text(encoding='utf-8').rstrip()}\n```"


def pieces(housing: str) -> str:
    """Return how the pieces of a *housing* lie on the printer's bed, and their plastic and time."""
    rows = (
        (f"[{name}](housings/{housing}-{name}.stl)", piece.use, piece.lies_on, piece.material, *printed(housing, name))
        for name, piece in PIECES[housing].items()
    )
    return table("print | for | lies on its | of | g --: | h --:", rows)


def costs_of_builds() -> str:
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


TABLES: Mapping[str, Callable[..., str]] = {
    "costs": costs,
    "wires": wires,
    "config": config,
    "pieces of": pieces,
    "costs of builds": costs_of_builds,
    "parts of": parts,
    "other Pis": other_pis,
}
