"""``reboard wiring``: list or draw the wiring of a config."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from reboard.atomic_write import write_safely
from reboard.commands.check import accessory_findings, electrical_findings
from reboard.commands.output import written_file
from reboard.errors import ReboardError
from reboard.finding import Level
from reboard.netlist.circuit import Connection, connections, named
from reboard.netlist.hardware_data import RAILS
from reboard.table_config import load_config
from reboard.wiring.table_drawing import sheets_of_table
from reboard.wiring.table_netlist import circuit_of, title_of

MARK = b"<!-- reboard wiring -->\n"
"""The end of each file that this command draws."""

ANY_RAIL = (
    "All ground pins are interchangeable, and so are all 3.3 V pins and all 5 V pins. A wire that is already on "
    "another pin of the same kind can stay there."
)


def add_arguments(parser: ArgumentParser, common: ArgumentParser) -> None:
    """Add the arguments of ``reboard wiring``."""
    ending = partial(written_file, ending=".svg")
    parser.add_argument(
        "--svg", type=ending, metavar="FILE", help="draw the connections as this SVG file, instead of listing them"
    )


def main(args: Namespace) -> bool:
    """Print or draw the connections of the config. Return ``False`` if a drawing has wrong wiring."""
    return wiring(args.config, svg=args.svg)


def wiring(config_file: Path, *, svg: Path | None = None) -> bool:
    """Print all connections of the config in *config_file*, or draw them in the file *svg*.

    Each sheet after the first one is a file of its own, such as ``wiring-2.svg``. Later sheets of an older drawing are
    removed.

    A drawing names what `reboard check --electrical` finds wrong with the accessories and their wiring, because a user
    who follows it solders that. Return ``False`` in this case.

    Raises `ConfigError` for an invalid config, and `ReboardError` if *svg* is given but schemdraw is not installed, or
    if a later sheet would replace a file that this command did not write.
    """
    config = load_config(config_file)
    if svg is None:
        print("\n".join(_lines(list(connections(circuit_of(config))))))
        return True
    findings = (*accessory_findings(config), *electrical_findings(config))
    faults = [finding for finding in findings if finding.level is Level.WRONG]
    sheets = sheets_of_table(config, warnings=[f"WRONG: {fault.what} {fault.do}" for fault in faults])
    files = [svg, *(svg.with_stem(f"{svg.stem}-{number}") for number in range(2, len(sheets) + 1))]
    if foreign := [file for file in files[1:] if file.exists() and not _is_ours(file)]:
        raise ReboardError(f"{foreign[0]} is not a drawing of this command. Move it, or choose another FILE.")
    for file, sheet in zip(files, sheets, strict=True):
        write_safely(file, sheet + MARK)
        print(f"Wrote the drawing to {file}")
    number = len(files) + 1
    while _is_ours(old := svg.with_stem(f"{svg.stem}-{number}")):
        old.unlink()
        print(f"Removed {old}, a sheet of an older drawing")
        number += 1
    for fault in faults:
        print(f"WRONG  {fault.what} {fault.do}")
    if faults:
        print("Correct this before you solder anything. `reboard check --electrical` checks again.")
    return not faults


def _is_ours(file: Path) -> bool:
    return file.is_file() and file.read_bytes().endswith(MARK)


def _lines(ends: Sequence[Connection]) -> Iterator[str]:
    if not ends:
        yield "No device is wired. Add devices to the config with `reboard setup`."
        return
    names = max(len(named(end.part)) for end in ends)
    terminals = max(len(end.terminal) for end in ends)
    for number, (accessory, group) in enumerate(groupby(ends, key=lambda end: end.part.subcircuit.accessory)):
        yield from ["", title_of(accessory)] if number else [title_of(accessory)]
        before = ""
        for end in group:
            name = named(end.part)
            yield f"  {'' if name == before else name:<{names}}  {end.terminal:<{terminals}}  {end.to}"
            before = name
    if any(end.net in RAILS for end in ends):
        yield from ["", ANY_RAIL]
