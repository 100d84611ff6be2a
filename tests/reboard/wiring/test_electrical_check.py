"""The electrical check: what it finds in each table of ``tables.toml``, and the figures in its findings."""

# ruff: noqa: E501
from __future__ import annotations

import copy
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reboard.commands.check import electrical_findings
from reboard.devices.readers.reader_kind import READER_KINDS, SerialReader
from reboard.errors import ConfigError
from reboard.finding import Level
from reboard.table_config import load_config, parse_config
from reboard.wiring.table_netlist import circuit_of
from tests.reboard.wiring.tables import HARDWARE, LEFT, SHIPPED, table

DATA: dict[str, Any] = tomllib.loads((Path(__file__).parent / "tables.toml").read_text(encoding="utf-8"))
TABLES: dict[str, dict[str, Any]] = DATA["table"]


def add(settings: dict[str, Any], more: dict[str, Any]) -> None:
    """Add the settings in *more* to *settings*, table by table."""
    for key, value in more.items():
        is_part = isinstance(value, dict) and isinstance(settings.get(key), dict)
        add(settings[key], value) if is_part else settings.update({key: copy.deepcopy(value)})


def config_of(entry: dict[str, Any]) -> dict[str, Any]:
    """The table.toml of one table: its base, and its own settings."""
    settings: dict[str, Any] = {}
    base = entry.get("base", [])
    for name in [base] if isinstance(base, str) else base:
        source = DATA["base"][name]
        if isinstance(source, str):
            source = tomllib.loads((HARDWARE.parent / source).read_text(encoding="utf-8"))
        add(settings, source)
    add(settings, {key: value for key, value in entry.items() if key not in ("base", "wrong", "note", "refused")})
    return settings


def found_in(entry: dict[str, Any]) -> dict[str, set[str]]:
    """The names of the findings in one table, or the settings for which the config is refused."""
    found: dict[str, set[str]] = {"wrong": set(), "note": set(), "refused": set()}
    try:
        config = parse_config(config_of(entry), path=Path("table.toml"), where="")
    except ConfigError as refused:
        found["refused"] = {problem.split()[0] for problem in str(refused).splitlines()}
        return found
    for finding in electrical_findings(config):
        if finding.level is not Level.FINE:
            found[finding.level].add(finding.name)
    return found


@pytest.mark.parametrize("name", TABLES)
def test_the_check_finds_what_is_wrong_with_a_table_and_nothing_else(name: str) -> None:
    assert found_in(TABLES[name]) == {what: set(TABLES[name].get(what, ())) for what in ("wrong", "note", "refused")}


def test_our_own_wiring_is_fine_and_every_rule_says_so() -> None:
    findings = list(electrical_findings(load_config(SHIPPED)))
    assert {finding.level for finding in findings} == {Level.FINE}
    names = "pins.twice pins.job pins.start levels.high levels.low levels.supply currents.pins currents.supply currents.plug currents.usb"
    assert [finding.name for finding in findings] == [
        *names.split(),
        "motor.supply",
        "motor.fuse",
        "motor.gate",
        "motor.diode",
        "motor.ground",
        "sound.impedance",
    ]


SERIAL = [name for name, kind in READER_KINDS.items() if isinstance(kind, SerialReader)]


@pytest.mark.parametrize("port", ["/dev/serial0", "/dev/ttyUSB0"])
@pytest.mark.parametrize("reader", SERIAL)
def test_each_reader_can_be_wired_as_it_is_drawn_and_needs_its_divider_on_5_v(reader: str, port: str) -> None:
    slot = {"bank": {"left": {"reader": reader, "port": port}}}
    assert found_in(slot) == {"wrong": set(), "note": set(), "refused": set()}
    on_5_v = {**slot, "wiring": {"left": {"power": "5V", "divider": False}}}
    assert found_in(on_5_v) == {"wrong": {"levels.high"}, "note": set(), "refused": set()}


# fmt: off
FIGURES = {
    # the table; the finding; figures and names in what is wrong; figures, settings and names in the remedy
    ("I²S against GPIO18", "pins.twice"): ("GPIO18.*block.button.*amplifier", "block.button"),
    ("guide of the banker unit for original cards", "pins.job"): ("GPIO7, GPIO8, GPIO9, GPIO10 and GPIO11 .*SPI", "do_spi 1"),
    ("RDM6300 on the header without a divider", "levels.high"): (r"GPIO15 .pin 10.* 5\.0 V .*left reader.* 3\.3 V", "tx_v.*1.8 kΩ.*3.3 kΩ.*divider = true"),
    ("RDM6300 on an adapter without a divider", "levels.high"): (r"RXD of the left adapter .*5\.0 V", "3.5 V"),
    ("RDM6300 that sends 3.52 V, without a divider", "levels.high"): (r"3\.52 V", "divider = true"),
    ("line of 5.8 V", "levels.high"): (r"3\.8 V", "5.25 V"),
    ("display at 5 V", "levels.high"): (r"3\.8 V from the display", "level_shifter = true"),
    ("divider on a line of 3 V", "levels.low"): (r"1\.9 V .* 2\.2 V", "divider = false"),
    ("reader that sends too little", "levels.low"): (r"1\.98 V", "tx_v"),
    ("RDM6300 at 3.3 V, with a TX measured before", "levels.supply"): (r"4\.75 to 5\.25 V .* 3\.3 V", 'power = "5V".*`tx_v`.*divider = true'),
    ("PN532 at the 3.3 V of an adapter", "currents.adapter"): (r"150 mA,.*3\.3 V .*left adapter.* 50 mA", 'power = "5V"'),
    ("reader at 3.3 V that sends 5 V, behind a divider", "readers.measured"): (r"3\.3 V .*5 V", "`power` .*`tx_v`"),
    ("reader on uart3 of a Pi that has none", "readers.uart"): ("left slot .*/dev/ttyAMA3.*Zero 2 W", "/dev/serial0.*bank.left"),
    ("reader on serial0 of a Pi 5", "readers.debug"): ("/dev/serial0", "/dev/ttyAMA0"),
    ("RC522 at 5 V", "readers.supply"): (r"left reader 5 V.*3\.6 V", r"3\.3 V.*`power`.*\[wiring.left\]"),
    ("settings for the wires of a reader that has none", "readers.unused"): ("left slot .`keyboard`.*`divider`", "`divider`"),
    ("switches for original cards without pull-ups", "lines.current"): (r"left slot: 0\.1 mA", r"2\.2 kΩ.*\[wiring.left\]"),
    ("lever without its protection", "lines.protected"): ("lever", r"1 kΩ.*4\.7 kΩ.*100 nF.*\[wiring.lever\]"),
    ("LED with 81 ohms on a pin", "currents.pin"): (r"16\.0\d* mA from GPIO27 .pin 13.* 16 mA", ""),
    ("white LED with 10 ohms on a pin", "currents.pin"): (r"70 mA .* 3 V drop only 2\.6 V", ""),
    ("white LED with 47 ohms on a pin", "currents.dark"): (r"3\.3 V.* 3 V need 3\.4 V", "transistor"),
    ("LED with 22 ohms, too much for all pins", "currents.pins"): ("59 mA.* 50 mA", "transistor"),
    ("LED with 33 kilo-ohms on a pin", "currents.dark"): (r"0\.039 mA .*33 kΩ", ""),
    ("LED with 0 ohms behind a transistor", "currents.lamp"): ("5 V", "resistor_ohm = 140"),
    ("white LED with 68 ohms behind a transistor", "currents.lamp"): ("26 mA.* 20 mA", "resistor_ohm = 110"),
    ("motor straight on its pin", "currents.pin"): ("GPIO13 .* 16 mA", '`driver = "mosfet"` and `gate_pull_down_ohm = 10000`'),
    ("no resistor at the gate", "motor.gate"): ("", "GPIO13 .*gate_pull_down_ohm = 10000"),
    ("2 kilo-ohms at the gate, with which it is only partly on", "motor.gate"): (r"2 kΩ.* 2\.97 V .* 3 V", "gate_pull_down_ohm = 10000"),
    ("IRF520", "motor.transistor"): (r"IRF520.* 10 V .* 3\.3 V", "IRLZ44N"),
    ("motor that stalls at a little more", "motor.transistor"): (r"2\.001 A .*IRLZ44N.* 2 A .*3 V", "transistor_ma = 2001"),
    ("motor that stalls at a little more", "motor.diode"): (r"2\.001 A .*1N5819.* 2 A", "diode_ma = 2000"),
    ("motor that turns with more than its diode", "motor.diode"): (r"1\.1 A .*1N5819.* 1 A", "diode_ma = 2000"),
    ("batteries of 9 V", "motor.supply"): ("9 V.*3 to 6 V", "supply_v"),
    ("no fuse", "motor.fuse"): ("", "500 mA.*fuse_ma = 500"),
    ("fuse too small", "motor.fuse"): ("160 mA.*199 mA", "fuse_ma = 500"),
    ("fuse too large", "motor.fuse"): (r"1100 mA .*2\.2 A.*1\.5 A", "fuse_ma = 500"),
    ("motor for which no fuse fits", "motor.fuse"): (r"2\.2 A.*1\.5 A", "running_ma"),
    ("no capacitor across the supply", "motor.capacitors"): ("", "470 µF.*bulk_capacitor = true"),
    ("batteries without common ground", "motor.ground"): ("", "common_ground = true"),
    ("motor on the 5 V of a Zero 2 W with 1 A", "currents.supply"): (r"0\.70 A.* 0\.86 A\..*1\.34 A: 2\.20 A.* 1 A", "supply_a = 3.*separate"),
    ("all three on a Zero 2 W with 1 A", "currents.supply"): (r"1\.69 A.* 1 A", "supply_a = 2.5"),
    ("motor of 4 A on the 5 V of a Pi 5", "currents.supply"): (r"6\.40 A", "5 A are not possible.*separate"),
    ("motor and amplifier on the 5 V of a Zero 2 W with 3 A", "currents.plug"): (r"micro USB .*2\.05 A, with a stalled motor.* 1\.8 A", "separate"),
    ("motor, amplifier and typing reader on a Zero 2 W with 3 A", "currents.plug"): ("with a stalled motor", "separate"),
    ("readers and speaker on USB of a Pi 5 with 3 A", "currents.usb"): ("700 mA.* 600 mA.* 5 A", "supply_a = 5"),
    ("PoE hat that feeds a motor too", "currents.supply"): (r"2\.75 A.* 2\.5 A", "separate"),
    ("PoE hat on a Zero", "currents.hat"): ("Zero 2 W", 'power = "plug"'),
    ("speaker of 2 ohms on the amplifier", "sound.impedance"): ("2 Ω.*4 Ω", "speaker_ohm"),
    ("jack on a Pi 5", "sound.jack"): ("Raspberry Pi 5", '"usb".*"max98357a".*"3".*"4"'),
}
# fmt: on


@pytest.mark.parametrize(("name", "finding", "what", "do"), [(*key, *value) for key, value in FIGURES.items()])
def test_a_finding_has_its_figures_and_a_remedy(name: str, finding: str, what: str, do: str) -> None:
    config = parse_config(config_of(TABLES[name]), path=Path("table.toml"))
    [found] = [each for each in electrical_findings(config) if each.name == finding and each.level is not Level.FINE][
        :1
    ]
    assert re.search(what, found.what), found.what
    assert re.search(do, found.do), found.do


@pytest.mark.parametrize("port", ["/dev/ttyACM0", "/dev/serial/by-id/usb-CP2102", "/dev/reboard-left"])
def test_a_reader_on_any_port_that_is_not_the_pis_is_on_an_adapter(port: str) -> None:
    circuit = circuit_of(table(LEFT.replace("/dev/serial0", port)))
    assert any(circuit.of_kind("usb-serial"))
