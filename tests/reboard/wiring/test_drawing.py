"""Drawings: everything that is wired is on them, and nothing that is not."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reboard.cli import main
from reboard.config import load_config
from reboard.errors import ReboardError
from reboard.wiring.circuit import Circuit
from reboard.wiring.connections import connections, ohms
from reboard.wiring.drawing.circuits import look_of
from reboard.wiring.drawing.pen import Pen
from reboard.wiring.drawing.sheet import drawing_of
from reboard.wiring.pi import header
from reboard.wiring.soldering import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, HARDWARE, SHIPPED, table

SVG = "{http://www.w3.org/2000/svg}"


def words_on(svg: bytes) -> list[str]:
    """Every text of a drawing."""
    return ["".join(text.itertext()).strip() for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def on_pins(slot: str, port: str, more: str = "") -> str:
    return f'[bank]\nleft = {{ reader = "{slot}", port = "{port}"{more} }}\n'


TABLES = {
    "ours": SHIPPED.read_text(encoding="utf-8"),
    "original cards": (HARDWARE / "original-cards.toml").read_text(encoding="utf-8"),
    "a bright lamp": f'{BLOCK}[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 150\n',
    "a bright lamp without a resistor": f'{BLOCK}[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 0\n',
    "a lamp without a resistor": f"{BLOCK}[wiring.lamp]\nresistor_ohm = 0\n",
    "a motor with batteries": f'{APPLE}[wiring.motor]\nsupply = "batteries"\n',
    "a motor with everything forgotten": f'{APPLE}[wiring.motor]\nsupply = "batteries"\ncommon_ground = false\n'
    "flyback_diode = false\ngate_pull_down_ohm = 0\nsuppression_capacitor = false\nbulk_capacitor = false\n",
    "a motor without its capacitors": f"{APPLE}[wiring.motor]\nsuppression_capacitor = false\nbulk_capacitor = false\n",
    "a motor on a pin": f'{APPLE}[wiring.motor]\ndriver = "pin"\n',
    "an RDM6300 on the header": on_pins("rdm6300", "/dev/serial0"),
    "an RDM6300 without its divider": on_pins("rdm6300", "/dev/serial0") + "[wiring.left]\ndivider = false\n",
    "an ID-12LA on the header": on_pins("id12", "/dev/serial0"),
    "an ID-12LA on USB": on_pins("id12", "/dev/ttyUSB0"),
    "a PN532 on the header": on_pins("pn532", "/dev/serial0"),
    "a PN532 on USB": on_pins("pn532", "/dev/ttyUSB0"),
    "a PN532 on an adapter's 3.3 volts": on_pins("pn532", "/dev/ttyUSB0") + '[wiring.left]\npower = "3.3V"\n',
    "a PN532 on 5 volts": on_pins("pn532", "/dev/serial0") + '[wiring.left]\npower = "5V"\n',
    "what types, and a speaker on USB": '[bank]\nleft = { reader = "keyboard", device = "/dev/input/a" }\n[speaker]\n',
    "a display behind a level shifter": '[bank]\ndisplay = { driver = "hd44780-i2c" }\n'
    '[wiring.display]\npower = "5V"\nlevel_shifter = true\n',
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_whatever_a_config_says_can_be_drawn_whole(text: str) -> None:
    circuit = circuit_of(table(text))
    words = words_on(drawing_of(circuit, "A table"))
    for wire in connections(circuit):
        if wire.pin is not None:
            pin = f"pin {wire.pin}" if wire.wire == "ground" else wire.to.partition(", with ")[0].replace(", ", " · ")
            assert pin in words, wire
    assert {ohms(part.ohm) for part in circuit.parts if part.ohm} <= set(words)


def test_the_header_shows_all_forty_pins_and_marks_those_that_are_used() -> None:
    svg = drawing_of(circuit_of(table("[block]\nbutton = 17\n")), "A button")
    words = words_on(svg)
    assert [word for word in words if word.isdecimal()] == [str(number) for number in range(1, 41)]
    assert len([word for word in words if word in header() or word in ("3.3 V", "5 V")]) == 40
    circles = [circle.attrib for circle in ElementTree.fromstring(svg).iter(f"{SVG}circle")]
    filled = [circle for circle in circles if re.search(r"fill:#(1a56b0|1d1d1f)", circle["style"])]
    assert len(filled) == 2


def test_a_drawing_needs_nothing_from_elsewhere_and_is_the_same_every_time() -> None:
    svg = drawing_of(circuit_of(load_config(SHIPPED)), "All")
    assert svg == drawing_of(circuit_of(load_config(SHIPPED)), "All")
    assert not re.search(rb"href|url\(|@import|<script|<image", svg)


class Untouched:
    """A drawing that nobody minds."""

    def add(self, element: object) -> object:
        return element


def pen(text: str, circuit: str) -> Pen:
    return Pen(Untouched(), circuit_of(table(text)), circuit, (0, 0))


def test_the_pen_joins_nothing_that_is_not_joined() -> None:
    with pytest.raises(ValueError, match=r"these are not joined: lamp \+, lamp -"):
        pen(BLOCK, "lamp").wire([(0, 0), (1, 0)], ("lamp", "+"), ("lamp", "-"))
    with pytest.raises(ValueError, match="lamp has the terminals"):
        pen(BLOCK, "lamp").part("lamp", ("C", "NO"), (0, 0), (1, 0))
    with pytest.raises(ValueError, match="does not go to the header"):
        pen(BLOCK, "lamp").leads_to(("lamp", "+"), (0, 0), "left")


def test_the_pen_does_not_end_before_everything_is_drawn() -> None:
    button = pen(BLOCK, "button")
    button.leads_to(("button", "NO"), (0, 0), "left")
    with pytest.raises(ValueError, match=r"not drawn: \[\('button', 'C'\)\]"):
        button.finish()
    button.leads_to(("button", "C"), (0, 0), "down")
    button.finish()


def test_a_circuit_that_nobody_can_draw_is_told_by_its_name() -> None:
    for circuit, kinds in (("fan", {"motor"}), ("left slot", {"barcode"})):
        with pytest.raises(ReboardError, match=f'nothing says how the circuit "{circuit}" is drawn'):
            look_of(circuit, kinds)


def test_an_empty_table_is_a_header_alone() -> None:
    assert "Nothing" in words_on(drawing_of(Circuit([], {}), "Nothing"))


def test_the_command_draws_a_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.svg"
    assert main(["wiring", "-c", str(SHIPPED), "--svg", str(file)]) == 0
    assert capsys.readouterr().out == f"Drawn: {file}\n"
    assert "GPIO17 · pin 11" in words_on(file.read_bytes())


def test_without_the_library_the_command_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "reboard.wiring.drawing.sheet", None)
    assert main(["wiring", "-c", str(SHIPPED), "--svg", str(tmp_path / "mine.svg")]) == 1
    assert capsys.readouterr().err == (
        f"reboard: drawing needs schemdraw, which is not installed: {sys.executable} -m pip install schemdraw\n"
    )
