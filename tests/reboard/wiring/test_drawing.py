"""Drawings: everything that is wired is on them, and nothing that is not."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reboard.cli import main
from reboard.commands.check import electrical_findings
from reboard.finding import Level
from reboard.netlist.circuit import connections, size_of
from reboard.table_config import load_config
from reboard.wiring.drawing import sheets_of
from reboard.wiring.table_netlist import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, HARDWARE, LEFT, SHIPPED, table
from tests.svg import SVG, disorder

BUMPS = "[bank]\nleft = { reader = 'bumps', pins = [7, 8, 9] }\n"


def words_on(svg: bytes) -> list[str]:
    """Every text of a drawing."""
    return ["".join(text.itertext()).strip() for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def slots(left: str, right: str) -> str:
    """A bank with two readers, given as ``kind port``."""
    lines = ["[bank]"]
    for side, slot in (("left", left), ("right", right)):
        reader, port = slot.split()
        key = "device" if reader == "keyboard" else "port"
        lines.append(f'{side} = {{ reader = "{reader}", {key} = "{port}" }}')
    return "\n".join([*lines, ""])


NOTHING = """
fuse_ma = 0
flyback_diode = false
gate_pull_down_ohm = 0
suppression_capacitor = false
bulk_capacitor = false
"""

TABLES = {
    "ours": SHIPPED.read_text(encoding="utf-8"),
    "original cards": (HARDWARE / "original-cards.toml").read_text(encoding="utf-8"),
    "bright lamp, batteries, readers on the header and on USB": BLOCK
    + APPLE
    + slots("rdm6300 /dev/serial0", "pn532 /dev/ttyUSB1")
    + '[wiring]\nlamp.driver = "transistor"\n',
    "motor on 5 V": f'{APPLE}[wiring]\nmotor.supply = "5V"\n',
    "motor on 5 V without a fuse": f'{APPLE}[wiring]\nmotor = {{ supply = "5V", fuse_ma = 0 }}\n',
    "motor on a second supply": f'{APPLE}[wiring]\nmotor.supply = "second"\n',
    "bare lamp, motor on its pin, no divider": BLOCK
    + APPLE
    + slots("rdm6300 /dev/serial0", "id12 /dev/ttyUSB1")
    + '[wiring]\nlamp.resistor_ohm = 0\nmotor.driver = "pin"\nleft.divider = false\n',
    "bare bright lamp, motor without its parts, 3.3 V": BLOCK
    + APPLE
    + slots("id12 /dev/serial0", "pn532 /dev/ttyUSB1")
    + '[wiring.right]\npower = "3.3V"\n[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 0\n'
    + f"[wiring.motor]\ncommon_ground = false\n{NOTHING}",
    "typing reader, speaker on USB, level shifter": slots("keyboard /dev/input/a", "pn532 /dev/serial0")
    + 'display = { driver = "hd44780-i2c" }\n[speaker]\n[wiring]\nright.power = "5V"\n'
    + 'display = { power = "5V", level_shifter = true }\n',
    "OLED": '[bank]\ndisplay = { driver = "ssd1306" }\n',
    "lines without protection": f"{BLOCK}{APPLE}{BUMPS}"
    "[wiring]\nbutton.protected = false\nlever.protected = false\nleft.protected = false\n",
    "two RC522": '[bank]\nleft = { reader = "rc522" }\nright = { reader = "rc522", chip_select = 1 }\n',
    "PN532 on 3.3 V of the header": slots("pn532 /dev/serial0", "rdm6300 /dev/ttyUSB1"),
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_drawing_has_every_wire_and_every_resistor(text: str) -> None:
    circuit = circuit_of(table(text))
    words = [text for sheet in sheets_of(circuit, "A table") for text in words_on(sheet)]
    for end in connections(circuit):
        if end.pin is not None:
            pin = f"pin {end.pin}" if end.net == "ground" else end.to.partition(", with ")[0].replace(", ", " · ")
            assert pin in words, end
    for part in circuit.parts:
        size, labels = size_of(part), [word for word in words if word.split()[0] == part.designator]
        assert labels, part
        assert not size or size in words or f"{part.designator} {size}" in labels, part


def test_a_drawing_has_the_voltage_of_the_motors_supply() -> None:
    circuit = circuit_of(table(f'{APPLE}[wiring]\nmotor = {{ supply = "second", supply_v = 6.0 }}\n'))
    words = [text for sheet in sheets_of(circuit, "A table") for text in words_on(sheet)]
    assert any("+6 V" in text for text in words)
    assert not any("+5 V" in text for text in words)


def test_two_schematics_on_a_drawing_have_different_titles() -> None:
    circuit = circuit_of(table(f"{BLOCK}[die]\nbutton = 4\nmatrix = {{ modules = 3 }}\n"))
    words = [text for sheet in sheets_of(circuit, "A table") for text in words_on(sheet)]
    assert {"Question block: button", "lamp", "Speed die: button"} <= {*words}
    assert "button" not in words


def test_the_command_draws_a_config_into_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.svg"
    assert main(["wiring", "-c", str(SHIPPED), "--svg", str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    svg = file.read_bytes()
    assert "GPIO17 · pin 11" in words_on(svg)
    assert not re.search(rb"href|url\(|@import|<script|<image", svg)
    assert "SW301 keypad" in words_on((tmp_path / "mine-2.svg").read_bytes())


def test_each_sheet_is_readable_on_a4_and_the_first_has_the_header() -> None:
    for text in TABLES.values():
        warnings = ["WRONG: " + "Do not solder this. " * 9] * 5
        sheets = sheets_of(circuit_of(table(text)), "A table", warnings=warnings)
        assert sum("40" in words_on(sheet) for sheet in sheets) == 1
        for sheet in sheets:
            root = ElementTree.fromstring(sheet)
            *_, width, height = map(float, root.get("viewBox", "").split())
            smallest = min(float(text.get("font-size", "")) for text in root.iter(f"{SVG}text"))
            assert smallest * min(297 / width, 210 / height) > 2.11
            assert disorder(sheet) == []


def test_a_live_drawing_is_one_sheet_with_a_property_for_each_net() -> None:
    circuit = circuit_of(table(TABLES["ours"]))
    [sheet] = sheets_of(circuit, "A table", live=True)
    for net in circuit.used_pins():
        assert f"var(--{net}, ".encode() in sheet


def test_the_command_warns_on_the_sheet_of_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, config = tmp_path / "mine.svg", tmp_path / "table.toml"
    config.write_text(f"{APPLE}[wiring.motor]\nfuse_ma = 0\ngate_pull_down_ohm = 0\n", encoding="utf-8")
    assert main(["wiring", "-c", str(config), "--svg", str(file)]) == 1
    on_the_sheet = " ".join(words_on(file.read_bytes()))
    for finding in electrical_findings(load_config(config)):
        assert (f"{finding.what} {finding.do}" in on_the_sheet) == (finding.level is Level.WRONG), finding
    assert "WRONG" in capsys.readouterr().out
    root = ElementTree.fromstring(file.read_bytes())
    left, _, width, _ = map(float, root.get("viewBox", "").split())
    for text in root.iter(f"{SVG}text"):
        if text.get("text-anchor") == "start":
            words = "".join(text.itertext()).strip()
            assert float(text.get("x", "")) + 0.55 * float(text.get("font-size", "")) * len(words) < left + width, words


def test_the_command_warns_on_the_sheet_of_slots_that_read_different_cards(tmp_path: Path) -> None:
    file, config = tmp_path / "mine.svg", tmp_path / "table.toml"
    config.write_text(f'{LEFT}right = {{ reader = "pn532", port = "/dev/ttyUSB0" }}\n', encoding="utf-8")
    assert main(["wiring", "-c", str(config), "--svg", str(file)]) == 1
    assert "Use the same kind of reader in both slots." in " ".join(words_on(file.read_bytes()))


def test_without_schemdraw_the_command_lists_and_names_the_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [name for name in sys.modules if name.startswith(("reboard.wiring", "reboard.netlist.schematic"))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "schemdraw", None)
    assert main(["wiring", "-c", str(SHIPPED)]) == 0
    assert main(["wiring", "-c", str(SHIPPED), "--svg", str(tmp_path / "mine.svg")]) == 1
    assert "pip install 'reboard[drawings]'" in capsys.readouterr().err


def test_the_command_removes_its_later_sheets_and_leaves_files_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, second, config = tmp_path / "mine.svg", tmp_path / "mine-2.svg", tmp_path / "table.toml"
    config.write_text(APPLE, encoding="utf-8")
    assert main(["wiring", "-c", str(SHIPPED), "--svg", str(file)]) == 0
    assert main(["wiring", "-c", str(config), "--svg", str(file)]) == 0
    assert not second.exists()
    second.write_text("<svg/>", encoding="utf-8")
    assert main(["wiring", "-c", str(config), "--svg", str(file)]) == 0
    assert main(["wiring", "-c", str(SHIPPED), "--svg", str(file)]) == 1
    assert str(second) in capsys.readouterr().err
    assert second.read_text(encoding="utf-8") == "<svg/>"
