"""The sheet of the header shows what the data says, within its page."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hardware.making.builds import BUILDS
from hardware.making.cables import harness
from hardware.making.header_sheet import HEIGHT, WIDTH, header_pins, sheet
from reboard.netlist.circuit import at_pins, called

SVG = "{http://www.w3.org/2000/svg}"


def test_each_pin_names_the_terminals_that_our_table_has_there() -> None:
    pins = {pin.number: pin for pin in header_pins()}
    wired = at_pins(harness("all").circuit)
    assert {number: set(pin.ends) for number, pin in pins.items() if pin.ends} == {
        number: {called(end) for end in ends} for number, ends in wired.items()
    }
    for number, ends in wired.items():
        assert pins[number].net == ends[0].net
        assert pins[number].accessory in {end.part.subcircuit.accessory for end in ends}


@pytest.mark.parametrize("name", BUILDS)
def test_a_load_is_named_only_at_pins_that_its_wires_reach(name: str) -> None:
    """Someone who reads "motor" beside a pin joins a bare motor to it."""
    circuit = harness(name).circuit
    for ends in at_pins(circuit).values():
        for part in circuit.of_kind("speaker", "motor", "led"):
            named = {called(end) for end in ends}
            assert bool(named & {f"{part.name} {terminal}" for terminal in part.nets}) == any(
                end.part is part for end in ends
            )
            assert part.name not in named


def test_everything_is_within_the_margins_of_a_page_of_a4() -> None:
    root = ElementTree.fromstring(sheet())
    assert (root.get("width"), root.get("height")) == ("210mm", "297mm")
    for text in root.iter(f"{SVG}text"):
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        width = 0.55 * float(text.get("font-size", "")) * len(text.text or "")
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "start")]
        assert left > 8, text.text
        assert left + width < WIDTH - 8, text.text
        assert y < HEIGHT - 8, text.text
