"""The tables of the build guides: costs, wires and configs of what can be built, and the pieces of the housings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from docs.tables.markdown import lines, table
from hardware.making.builds import BUILDS, GUIDES
from hardware.making.cables import harness
from hardware.making.checklist import steps
from hardware.making.housings.pieces import PIECES
from hardware.making.housings.printing import printed
from hardware.making.parts_list import USUAL_PI, cost_eur


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


TABLES: Mapping[str, Callable[..., str]] = {"costs": costs, "wires": wires, "config": config, "pieces of": pieces}
