"""The SPICE netlist joins what the circuit joins, and the documents have its figures. None of this needs ngspice."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from hardware.making import made
from hardware.making.builds import BUILDS
from hardware.making.cables import harness
from hardware.making.spice.figures import FIGURES, kept, made_from
from hardware.making.spice.netlist import FOLDER, models, netlist
from reboard.netlist.circuit import Circuit
from reboard.netlist.hardware_data import kinds
from reboard.wiring.table_netlist import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, LEFT, table

TREE = Path(__file__).parents[2]
TABLES = {
    **{name: harness(name).circuit for name in BUILDS},
    "own ground": circuit_of(table(f"{APPLE}[wiring.motor]\nsupply = 'second'\ncommon_ground = false\n")),
    "bare": circuit_of(table(f"{BLOCK}[wiring.lamp]\ndriver = 'transistor'\n[wiring.button]\nprotected = false\n")),
    "reader on the header": circuit_of(table(LEFT)),
    "level shifter": circuit_of(
        table("[bank]\ndisplay = { driver = 'hd44780-i2c' }\n[wiring.display]\npower = '5V'\nlevel_shifter = true\n")
    ),
}


def nets_of_circuit(circuit: Circuit) -> set[frozenset[tuple[str, str]]]:
    """Return the nets, each as the terminals that it joins."""
    nets = defaultdict(set)
    for part in circuit.parts:
        for terminal, net in part.nets.items():
            nets[net].add((part.designator.lower(), terminal))
    return set(map(frozenset, nets.values()))


def nets_of_spice(text: str, circuit: Circuit) -> set[frozenset[tuple[str, str]]]:
    """Return the same of a SPICE netlist. The order of an element's nodes is that of its subcircuit."""
    terminals = {part.designator.lower(): list(part.kind.terminals) for part in circuit.parts}
    wired = {(part.designator.lower(), terminal) for part in circuit.parts for terminal in part.nets}
    nets = defaultdict(set)
    for name, nodes in re.findall(r"^x(\S+) (.+)$", text.partition(".subckt")[0], re.MULTILINE):
        for terminal, node in zip(terminals.get(name, ()), nodes.split(), strict=False):
            nets[node].add((name, terminal))
    # nothing but the wired terminals joins anything
    return {frozenset(ends & wired) for ends in nets.values() if ends & wired}


@pytest.mark.parametrize("name", TABLES)
def test_the_spice_netlist_joins_what_the_circuit_joins(name: str) -> None:
    circuit = TABLES[name]
    text = netlist(circuit, {})
    assert nets_of_spice(text, circuit) == nets_of_circuit(circuit)
    assert set(re.findall(r"^\.subckt \w+", text, re.MULTILINE)) == {
        f".subckt {kind.replace('-', '_')}"
        for kind in ["raspberry-pi", "gpio-pin", *(part.kind.name for part in circuit.parts if part.nets)]
    }


def test_a_net_is_the_same_node_for_the_pin_and_its_parts() -> None:
    text = netlist(TABLES["all"], {})
    pins = re.findall(r"^xgpio\d+ (gpio\d+) gpio_pin", text, re.MULTILINE)
    assert pins == [net.lower() for net in TABLES["all"].used_pins()]
    assert all(re.search(rf"^x(?!gpio).* {pin} ", text, re.MULTILINE) for pin in pins)


def test_a_condition_for_a_part_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="flyback"):
        netlist(TABLES["block"], {"flyback diode": ""})


def test_each_kind_of_part_with_terminals_has_a_model_with_a_source() -> None:
    assert {name for name, kind in kinds().items() if kind.terminals} <= models().keys()
    assert all(model["source"].strip() for model in models().values())


def test_the_figures_are_not_stale() -> None:
    assert kept().keys() == FIGURES.keys()
    assert made.is_made_from(FOLDER, made_from()), "make spice, and .venv/bin/python -m hardware.making spice"


QUOTED = Counter(
    (document, figure.text(kept()[name])) for name, figure in FIGURES.items() for document in figure.quoted
)


@pytest.mark.parametrize(("document", "text"), QUOTED)
def test_the_document_has_each_simulated_figure(document: str, text: str) -> None:
    words = " ".join((TREE / document).read_text(encoding="utf-8").split())
    found = re.findall(rf"(?<![\d.]){re.escape(text)}(?!\w)", words)
    assert len(found) >= QUOTED[document, text], [name for name in FIGURES if FIGURES[name].text(kept()[name]) == text]
