"""The sheet of the header: it says what the data says, and says it without colour too."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hardware.making.drawings import SHEETS
from hardware.making.header_sheet import HEIGHT, LETTERS, PATTERNS, RAIL_LETTERS, WIDTH, header_pins, job_lines, sheet
from reboard.netlist.circuit import at_pins, called
from reboard.netlist.hardware_data import RAILS, gpio_number, header, jobs
from reboard.netlist.schematic import INK
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of
from tests.reboard.wiring.tables import SHIPPED

SVG = "{http://www.w3.org/2000/svg}"


def texts_of_the_sheet() -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(sheet()).iter(f"{SVG}text"))


def test_each_pin_names_the_terminals_that_our_table_has_there() -> None:
    pins = {pin.number: pin for pin in header_pins()}
    wired = at_pins(circuit_of(load_config(SHIPPED)))
    assert {number: set(pin.ends) for number, pin in pins.items() if pin.ends} == {
        number: {called(end) for end in ends} for number, ends in wired.items()
    }
    for number, ends in wired.items():
        assert pins[number].net == ends[0].net
        assert pins[number].accessory in {end.part.subcircuit.accessory for end in ends}


@pytest.mark.parametrize("name", SHEETS)
def test_a_load_is_named_only_at_pins_that_its_wires_reach(name: str) -> None:
    """Someone who reads "motor" beside a pin joins a bare motor to it."""
    circuit = SHEETS[name].circuit()
    for ends in at_pins(circuit).values():
        for part in circuit.of_kind("speaker", "motor", "led"):
            named = {called(end) for end in ends}
            assert bool(named & {f"{part.name} {terminal}" for terminal in part.nets}) == any(
                end.part is part for end in ends
            )
            assert part.name not in named


def test_other_uses_of_a_pin_are_beside_it() -> None:
    or_else = {gpio_number(pin.net): pin.or_else for pin in header_pins() if pin.net not in RAILS}
    for job in jobs():
        assert all(job.name in or_else[number] for number in job.gpios)
    assert or_else[4] == ("right switch 1 (original cards)",)
    assert or_else[15] == ("left reader TXD (a PN532 here)", "the serial port")


def test_the_sheet_shows_every_pin_its_job_and_its_accessory_without_colour() -> None:
    texts = texts_of_the_sheet()
    words = [text.text or "" for text in texts]
    assert {text.get("fill") for text in texts} == {INK}
    for pin in header_pins():
        assert str(pin.number) in words
        assert set(job_lines(pin)) <= set(words)
    assert sum(word in header() or word in ("3.3 V", "5 V") for word in words) == 40 + len(RAIL_LETTERS)
    assert set(LETTERS) == set(PATTERNS)
    assert set(RAIL_LETTERS) == set(RAILS)
    assert len({*LETTERS.values(), *RAIL_LETTERS.values()}) == len(LETTERS) + len(RAIL_LETTERS)
    for accessory, letter in LETTERS.items():
        pins = [pin for pin in header_pins() if pin.accessory == accessory and pin.net not in RAILS]
        assert words.count(letter) == len(pins) + 1, "one at each pin, and one in the legend"


def test_everything_is_within_the_margins_of_a_page_of_a4() -> None:
    root = ElementTree.fromstring(sheet())
    assert (root.get("width"), root.get("height")) == ("210mm", "297mm")
    for text in texts_of_the_sheet():
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        width = 0.55 * float(text.get("font-size", "")) * len(text.text or "")
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "start")]
        assert left > 8, text.text
        assert left + width < WIDTH - 8, text.text
        assert y < HEIGHT - 8, text.text
