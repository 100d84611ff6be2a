"""The sheet of the header: it says what the data says, and says it without colour too."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hardware.making.drawings import SHEETS
from hardware.making.header_sheet import (
    HEIGHT,
    LETTERS,
    PATTERNS,
    RAIL_LETTERS,
    WIDTH,
    header_pins,
    job_lines,
    sheet,
)
from hardware.making.parts_list import HARDWARE
from reboard.config import load_config
from reboard.wiring.connections import at_pins, called, connections
from reboard.wiring.drawing.colours import INK
from reboard.wiring.pi import RAILS, gpio_number, header, jobs
from reboard.wiring.soldering import ACCESSORIES, circuit_of
from tests.reboard.wiring.tables import SHIPPED

SVG = "{http://www.w3.org/2000/svg}"


def words_on_the_sheet() -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(sheet()).iter(f"{SVG}text")]


def test_every_wire_of_our_table_is_told_at_its_pin() -> None:
    pins = {pin.number: pin for pin in header_pins()}
    wired = [wire for wire in connections(circuit_of(load_config(SHIPPED))) if wire.pin is not None]
    for wire in wired:
        pin = pins[wire.pin or 0]
        assert pin.wire == wire.wire
        assert pin.accessory == wire.part.accessory
        assert called(wire) in pin.ends
        assert wire.part.name in called(wire)
    assert sum(len(pin.ends) for pin in pins.values()) == len(wired)
    assert {pin.number for pin in pins.values() if pin.ends} == {wire.pin for wire in wired}


@pytest.mark.parametrize("name", SHEETS)
def test_no_load_is_named_at_a_pin_that_its_wire_does_not_reach(name: str) -> None:
    circuit = SHEETS[name].circuit()
    for number, ends in at_pins(circuit).items():
        for part in circuit.of_kind("speaker", "motor", "led"):
            reaches = any(end.part is part for end in ends)
            terminals = {f"{part.name} {terminal}" for terminal in part.wires}
            named_here = {called(end) for end in ends}
            assert bool(named_here & terminals) == reaches, (number, part.name)
            assert part.name not in named_here, "a load is named with its terminal"


def test_a_load_is_not_what_the_sheet_says_of_the_pin_that_switches_it() -> None:
    ends_of = {pin.wire: pin.ends for pin in header_pins() if pin.wire not in RAILS}
    assert {wire: ends_of[wire] for wire in ("GPIO17", "GPIO27", "GPIO22", "GPIO13")} == {
        "GPIO17": ("button",),
        "GPIO27": ("lamp resistor",),
        "GPIO22": ("lever",),
        "GPIO13": ("gate resistor",),
    }
    assert ends_of["GPIO23"] == ("keypad R1",)
    assert ends_of["GPIO2"] == ("display SDA",)
    on_5v = [pin.ends for pin in header_pins() if pin.wire == "5V"]
    assert ("amplifier VIN",) in on_5v
    assert not any("speaker" in end for ends in on_5v for end in ends)


def test_what_else_a_pin_may_be_stands_beside_it() -> None:
    or_else = {gpio_number(pin.wire): pin.or_else for pin in header_pins() if pin.wire not in RAILS}
    for job in jobs():
        for number in job.gpios:
            assert job.name in or_else[number]
    assert or_else[4] == ("right switch 1 (original cards)",)
    assert or_else[15] == ("left reader TXD (a PN532 here)", "the serial port")
    switches = {
        gpio_number(wire.wire)
        for wire in connections(circuit_of(load_config(HARDWARE / "original-cards.toml")))
        if "switch" in wire.part.name and wire.wire not in RAILS
    }
    assert switches == {number for number, said in or_else.items() if any("original cards" in one for one in said)}


def test_the_sheet_shows_every_pin_and_every_job() -> None:
    words = words_on_the_sheet()
    for pin in header_pins():
        assert str(pin.number) in words
        assert set(job_lines(pin)) <= set(words)
    assert sum(word in header() or word in ("3.3 V", "5 V") for word in words) == 40 + len(RAIL_LETTERS)


def test_without_colour_each_accessory_has_a_letter_and_a_pattern_of_its_own() -> None:
    assert set(LETTERS) == set(PATTERNS) == set(ACCESSORIES)
    assert set(RAIL_LETTERS) == set(RAILS)
    assert len({*LETTERS.values(), *RAIL_LETTERS.values()}) == len(LETTERS) + len(RAIL_LETTERS)
    words = words_on_the_sheet()
    for accessory, letter in LETTERS.items():
        pins = [pin for pin in header_pins() if pin.accessory == accessory and pin.wire not in RAILS]
        assert words.count(letter) == len(pins) + 1, "one at each pin, and one in the legend"


def test_every_word_is_black() -> None:
    assert {text.get("fill") for text in ElementTree.fromstring(sheet()).iter(f"{SVG}text")} == {INK}


def test_everything_is_within_a_page_of_a4_and_its_margins() -> None:
    root = ElementTree.fromstring(sheet())
    assert (root.get("width"), root.get("height")) == ("210mm", "297mm")
    for text in root.iter(f"{SVG}text"):
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        width = 0.55 * float(text.get("font-size", "")) * len(text.text or "")
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "start")]
        assert left > 8, text.text
        assert left + width < WIDTH - 8, text.text
        assert y < HEIGHT - 8, text.text
