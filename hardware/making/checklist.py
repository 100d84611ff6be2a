"""The checklists to print: what to buy, and one line to tick for each net that is soldered or plugged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Flowable, KeepTogether, Paragraph, SimpleDocTemplate, Spacer, Table

from hardware.making import made
from hardware.making.builds import BUILDS, HARDWARE
from hardware.making.cables import harness
from hardware.making.parts_list import REASONS, USUAL_PI, items
from reboard.netlist.circuit import UNNAMED, USB, Circuit, Part, connections, net_label, size_of

FOLDER = HARDWARE / "checklists"


class Join(NamedTuple):
    """The terminals that one net joins. *at* is the header pin or USB socket they lead to, or the name of the net."""

    at: str
    terminals: Sequence[str]


class Step(NamedTuple):
    """The wires of one device: its *title*, the *parts* with their values, and its nets."""

    title: str
    parts: Sequence[str]
    joins: Sequence[Join]


def steps(circuit: Circuit) -> Iterator[Step]:
    """Yield a step for each device of *circuit*, in the order of the netlist.

    A board has one wire to a pin. The step of the next device on that board says that it is already there.
    """
    ends = list(connections(circuit))
    titles = dict.fromkeys(part.subcircuit.title for part in circuit.parts)
    wired: set[str] = set()
    for title in titles:
        nets: dict[tuple[str, str], list[str]] = {}
        for end in ends:
            if end.part.subcircuit.title == title:
                at = end.to.partition(", with")[0] if end.pin or end.net == USB else ""
                nets.setdefault((at, "" if at else end.net), []).append(_terminal(end.part, end.terminal))
        parts = [_described(part) for part in circuit.parts if part.subcircuit.title == title]
        joins = []
        for (at, net), terminals in nets.items():
            name = at or net_label(circuit, net)
            joins.append(Join(f"{name}, already wired" if at in wired else name, terminals))
        for part in circuit.parts:
            if part.subcircuit.title == title:
                joins += [Join(f"module {n} to module {n + 1}", _joint(part)) for n in range(1, int(part.count))]
        wired |= {at for at, _ in nets if "pin" in at}
        yield Step(title, parts, joins)


def _terminal(part: Part, terminal: str) -> str:
    name = part.name if part.kind.symbol == "module" else part.designator
    return name if terminal in UNNAMED[1:] else f"{name} {terminal}"


def _joint(part: Part) -> Sequence[str]:
    """Return the pins that join a board of a row to the next."""
    return [{"DIN": "DOUT to DIN"}.get(terminal, terminal) for terminal in part.nets]


def _described(part: Part) -> str:
    value = size_of(part) or part.kind.short_value
    return f"{part.designator} {part.name}, {value}"


def made_from() -> list[bytes]:
    """Return what the checklists are made from."""
    return [
        json.dumps([build.warning, _shopping(name), list(steps(harness(name).circuit))]).encode()
        for name, build in BUILDS.items()
    ]


def write() -> list[Path]:
    """Write one PDF for each drawing."""
    FOLDER.mkdir(exist_ok=True)
    for style in ("", "Bd"):
        pdfmetrics.registerFont(TTFont(f"Vera{style}", f"Vera{style}.ttf"))
    files = [FOLDER / f"{name}.pdf" for name in BUILDS]
    for file in files:
        document = SimpleDocTemplate(
            str(file),
            pagesize=A4,
            invariant=1,
            title=_title(file.stem),
            leftMargin=15 * mm,
            rightMargin=15 * mm,
            topMargin=12 * mm,
            bottomMargin=12 * mm,
        )
        document.build(list(_pages(file.stem)))
    made.keep(FOLDER, made_from())
    return files


SMALL = ParagraphStyle("small", fontName="Vera", fontSize=8, leading=10)
LARGE = ParagraphStyle("large", fontName="VeraBd", fontSize=11, leading=14, spaceBefore=8, spaceAfter=3)
HINT = "Tick a line when its wires are in place, and again when the meter has beeped between all its ends."


def _title(name: str) -> str:
    return f"{BUILDS[name].title}: checklist"


def _pages(name: str) -> Iterator[Flowable]:
    yield Paragraph(_title(name), LARGE)
    yield Paragraph(BUILDS[name].warning, SMALL)
    for words, rows in _shopping(name).items():
        yield Paragraph(words, LARGE)
        yield _table(rows, (10, 64, 100))
    yield Spacer(0, 4 * mm)
    yield Paragraph("Wires", LARGE)
    yield Paragraph(HINT, SMALL)
    for step in steps(harness(name).circuit):
        rows = [[join.at, ", ".join(join.terminals)] for join in step.joins]
        heading = Paragraph(step.title, LARGE)
        yield KeepTogether([heading, Paragraph("; ".join(step.parts), SMALL), _table(rows, (55, 117), boxes=2)])


def _table(rows: Sequence[Sequence[str]], widths_mm: Sequence[float], boxes: int = 1) -> Table:
    cells = [[""] * boxes + [Paragraph(cell, SMALL) for cell in row] for row in rows]
    columns = [4 * mm] * boxes + [width * mm for width in widths_mm]
    lines = [
        ("GRID", (0, 0), (boxes - 1, -1), 0.6, colors.black),
        ("LINEBELOW", (boxes, 0), (-1, -1), 0.3, colors.grey),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
    ]
    return Table(cells, colWidths=columns, style=lines, hAlign="LEFT")


def _shopping(build: str) -> Mapping[str, Sequence[Sequence[str]]]:
    wanted = [item for item in items() if item.quantity[build] and USUAL_PI in item.pi]
    groups = {
        "What to buy": [item for item in wanted if not item.is_the_pis and not item.only_if],
        "For the Pi": [item for item in wanted if item.is_the_pis],
        **{f"Only if {why}": [item for item in wanted if item.only_if == why] for why in REASONS.values() if why},
    }
    return {
        title: [
            [item.amount(build), f"{item.named_in(build) or item.function}: {item.value}", item.look_for]
            for item in some
        ]
        for title, some in groups.items()
        if some
    }
