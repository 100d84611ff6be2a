"""Builds the carrier board with KiCad: schematic, checks, routing, and the files to order and to look at."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hardware.making import made
from hardware.making.board import schematic
from hardware.making.board.design import FOLDER, Design, board_design, part_number
from hardware.making.board.kicad import TREE, Kicad, KicadError
from hardware.making.board.kicad_files import Nets, of_netlist
from hardware.making.parts_files import ORDERS, OrderLine, as_csv, as_order

WORK = TREE / "build" / "board"
LICENCE = TREE / "LICENSES" / "CERN-OHL-P-2.0.txt"
TIME = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d)?|\(D:\d{14}[^)]*\)")
"""As Gerber, drill and STEP files have it, and as a PDF."""
SOME_DAY = b"20260101" + b"000000" + b"0000"
"""Day, time and zone."""
GERBERS = "F.Cu,B.Cu,F.Mask,B.Mask,F.Paste,F.Silkscreen,B.Silkscreen,Edge.Cuts"
BOM_HEAD = ("Designator", "Quantity", "Value", "Footprint", "Manufacturer", "MPN", "Optional", "Only")
CHECK_SCHEMATIC = """
cd {folder}
kicad-cli sch erc --severity-all --exit-code-violations -o erc.rpt {name}.kicad_sch || {{ cat erc.rpt; exit 1; }}
kicad-cli sch export netlist -o {name}.net {name}.kicad_sch
"""
ROUTE = "python3 -m hardware.making.board.pcb {folder}/design.json {folder}"
CHECK_BOARD = """
cd {folder}
kicad-cli pcb drc --schematic-parity --severity-all --exit-code-violations -o drc.rpt {name}.kicad_pcb ||
    {{ cat drc.rpt; exit 1; }}
"""
EXPORT = """
cd {folder}
kicad-cli pcb export gerbers --layers {layers} -o gerbers/ {name}.kicad_pcb
kicad-cli pcb export drill --excellon-separate-th -o gerbers/ {name}.kicad_pcb
kicad-cli pcb export pos --format csv --units mm --side both -o positions.csv {name}.kicad_pcb
kicad-cli sch export pdf -o schematic.pdf {name}.kicad_sch
kicad-cli pcb export step --board-only --force -o {name}.step {name}.kicad_pcb
kicad-cli pcb export step --subst-models --force -o with-parts.step {name}.kicad_pcb
kicad-cli pcb render --side top -w 1600 --height 1500 --quality basic -o top.png {name}.kicad_pcb
kicad-cli pcb render --side bottom -w 1600 --height 1500 --quality basic -o bottom.png {name}.kicad_pcb
"""


def write() -> list[Path]:
    """Build the board and write all files into ``hardware/board``. Raises `KicadError` if a check fails."""
    kicad, design = Kicad(), board_design()
    name = design.data["name"]
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    values = {"folder": kicad.path(WORK), "name": name, "layers": GERBERS}
    (WORK / "design.json").write_text(design.as_json(), encoding="utf-8")
    schematic.write(design, schematic.Symbols(kicad.library("symbols")), WORK)
    kicad.run(CHECK_SCHEMATIC.format(**values))
    compare(design.nets(), of_netlist(WORK / f"{name}.net"))
    print(kicad.run(ROUTE.format(**values)), end="")
    kicad.run(CHECK_BOARD.format(**values))
    kicad.fetch_models(part.footprint for part in design.footprints)
    kicad.run(EXPORT.format(**values))
    return _keep(design)


def compare(wanted: Nets, found: Nets) -> None:
    """Raise `KicadError` if KiCad reads other nets from the schematic than the design has."""
    wrong = [name for name in sorted(wanted.keys() | found.keys()) if wanted.get(name) != found.get(name)]
    if wrong:
        raise KicadError(f"KiCad reads other nets from the schematic: {', '.join(wrong)}")


def _keep(design: Design) -> list[Path]:
    """Copy what is committed into ``hardware/board``. The STEP file with parts has 6 MB and stays in ``build``."""
    name = design.data["name"]
    files = [f"{name}.{suffix}" for suffix in ("kicad_sch", "kicad_pro", "kicad_pcb", "step")]
    files += ["positions.csv", "schematic.pdf", "top.png", "bottom.png"]
    written = [FOLDER / file for file in files]
    for file in written:
        file.write_bytes(without_time((WORK / file.name).read_bytes()))
    with zipfile.ZipFile(FOLDER / "gerbers.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((WORK / "gerbers").iterdir()):
            archive.writestr(zipfile.ZipInfo(file.name), without_time(file.read_bytes()), zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("LICENCE.txt"), licence(design), zipfile.ZIP_DEFLATED)
    made.keep(FOLDER, made_from())
    return [*written, FOLDER / "gerbers.zip", *write_lists(), FOLDER / made.DIGEST]


def licence(design: Design) -> str:
    """Return whose the board is, and its licence, for who gets only the archive."""
    data = design.data
    head = (
        f"{data['title']}, rev. {data['revision']}\n© 2026 {data['company']}\n{data['licence']}\n{data['never_built']}"
    )
    return f"{head}\n\n{LICENCE.read_text(encoding='utf-8')}"


def without_time(content: bytes) -> bytes:
    """Return a file of KiCad with another day instead of the one it was made on: the same board makes the same files.

    No byte is added or removed, because a PDF has the places of its objects.
    """

    def some_day(found: re.Match[bytes]) -> bytes:
        digits = iter(SOME_DAY)
        return re.sub(rb"\d", lambda _: bytes([next(digits)]), found[0])

    return TIME.sub(some_day, content)


def made_from() -> list[bytes | Path]:
    """Return what the files in ``hardware/board`` are made from: the design, and our code."""
    return [board_design().as_json().encode(), *sorted(Path(__file__).parent.glob("*.py"))]


def write_lists() -> list[Path]:
    """Write what needs no KiCad: the bill of materials, the order, and the outline for a housing."""
    written = lists(board_design())
    for file, content in written.items():
        file.write_text(content, encoding="utf-8")
    return list(written)


def lists(design: Design) -> Mapping[Path, str]:
    """Return the text of the bill of materials, of the outline, and of an order for each alternative of the slots."""
    orders = {ORDERS / f"board-{only.split()[-1]}.csv": order(design, only) for only in design.data["only"]}
    return {FOLDER / "bom.csv": bom(design), FOLDER / "outline.toml": outline(design), **orders}


class Line(NamedTuple):
    """A line of the bill of materials. What is not soldered to the board has no *designator*.

    *only* says which boards need it, if not all do.
    """

    designator: str
    quantity: int
    value: str
    footprint: str
    manufacturer: str
    mpn: str
    optional: str = ""
    only: str = ""


def lines(design: Design, only: Collection[str]) -> Iterator[Line]:
    """Yield the lines of the bill of materials: what is soldered, what is plugged in, and what holds the board.

    Of what only some boards need, take that of *only*.
    """
    soldered: dict[tuple[str, ...], list[str]] = {}
    footprints = [part for part in design.footprints if not part.only or part.only in only]
    for part in footprints:
        if part.group != "holes":
            footprint, optional = part.footprint.partition(":")[2], "yes" if part.optional else ""
            key = (part.value, footprint, part.manufacturer, part.mpn, optional, part.only)
            soldered.setdefault(key, []).append(part.ref)
    for same, refs in soldered.items():
        yield Line(", ".join(refs), len(refs), *same)
    contacts: Counter[tuple[str, str]] = Counter()
    for part in footprints:
        if part.plug:
            yield Line("", 1, f"plug for {part.ref}", "", part.manufacturer, part.plug, only=part.only)
            contacts[part.manufacturer, part.contact] += len(part.nets) + 1
    for bought, quantity in contacts.items():
        yield Line("", quantity, "contacts of the plugs, one spare for each", "", *bought)
    for wired in design.circuit.parts:
        if where := design.data["off_board"]["in_line"].get(wired.designator):
            kind = wired.kind
            yield Line(wired.designator, 1, f"{kind.short_value}, {where}", "", kind.manufacturer, part_number(kind))
    for piece in design.data["bought"]:
        yield Line("", piece["quantity"], piece["value"], "", "", "")


def bom(design: Design) -> str:
    """Return the bill of materials as CSV."""
    return as_csv([BOM_HEAD, *lines(design, design.data["only"])])


def order(design: Design, only: str) -> str:
    """Return what a distributor's BOM tool reads for a board *only* with one alternative, without what is optional."""
    bought = (line for line in lines(design, (only,)) if not line.optional)
    # a distributor prints 48 characters of it on a bag
    named = ((line, line.designator.replace(" ", "") or line.value) for line in bought)
    return as_order(
        (OrderLine(line.mpn, line.manufacturer, line.quantity, name, line.value) for line, name in named), between=","
    )


def outline(design: Design) -> str:
    """Return the board's outline for a housing, as TOML."""
    data = design.data
    lines = [
        "# Generated by `make parts` from board.toml: the room that the board needs. Millimetres from its upper left",
        "# corner, seen from above; heights above its upper side, or below its lower side.",
        f"size = {list(data['size'])}",
        f"corner = {data['corner']}",
        f"thickness = {data['thickness']}",
        f"holes = {[list(map(float, at)) for at in data['holes'].values()]}",
        f"pi = {list(data['pi'])}",
        "",
    ]
    for part in design.footprints:
        if part.height:
            side = "below" if part.below else "above"
            lines += ["[[connector]]", f'ref = "{part.ref}"', f"at = [{part.x}, {part.y}]", f"turn = {part.turn}"]
            lines += [f"pins = {part.pins}", f"pitch = {part.pitch}", f"{side} = {part.height}", ""]
    return "\n".join(lines)
