"""The sheet of the header: it says what the data says, and says it without colour too."""

from __future__ import annotations

from xml.etree import ElementTree

from hardware.making.header_sheet import HEIGHT, LETTERS, PATTERNS, RAIL_LETTERS, WIDTH, header_pins, sheet
from hardware.making.parts_list import HARDWARE
from reboard.config import load_config
from reboard.wiring.connections import connections
from reboard.wiring.drawing.colours import INK
from reboard.wiring.drawn import ACCESSORIES, circuit_of
from reboard.wiring.pi import RAILS, gpio_number, header, jobs
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
        assert pin.job in (wire.part.circuit, wire.part.name, f"{wire.part.name} {wire.terminal}"), wire
    assert {pin.number for pin in pins.values() if pin.job} == {wire.pin for wire in wired}


def test_a_pin_of_the_keypad_is_told_by_its_row_and_the_only_one_of_a_circuit_by_its_name() -> None:
    jobs_of = {pin.wire: pin.job for pin in header_pins() if pin.wire not in RAILS}
    assert {wire: jobs_of[wire] for wire in ("GPIO17", "GPIO27", "GPIO22", "GPIO13")} == {
        "GPIO17": "button",
        "GPIO27": "lamp",
        "GPIO22": "lever",
        "GPIO13": "motor",
    }
    assert jobs_of["GPIO23"] == "keypad R1"
    assert jobs_of["GPIO2"] == "display SDA"


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
        assert pin.job in words or not pin.job
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
