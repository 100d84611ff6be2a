"""What could not work or would break something: a config that is wrong, its finding, and the figures in it."""

# ruff: noqa: E501
from __future__ import annotations

import re

import pytest

from reboard.commands.check import electrical_findings
from reboard.finding import Finding, Level
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, LEFT, SHIPPED, table

DISPLAY = '[bank]\ndisplay = { driver = "hd44780-i2c" }\n'
BUMPS = '[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }\n'
AMPLIFIER = '[speaker]\n[wiring]\nspeaker = "max98357a"\n'
JACK = '[bank]\n[speaker]\n[wiring]\nspeaker = "jack"\n'
ADAPTER = '[bank]\nright = { reader = "rdm6300", port = "/dev/ttyUSB0" }\n'
PN532_ON_USB = '[bank]\nleft = { reader = "pn532", port = "/dev/ttyUSB0" }\n'
ID12 = '[bank]\nleft = { reader = "id12", port = "/dev/serial0" }\n'
OWN_LINE = '[bank]\nright = { reader = "pn532", port = "/dev/ttyAMA2" }\n'
DEBUG = LEFT.replace("serial0", "ttyAMA10")
NO_LINE = '[bank]\nleft = { reader = "keyboard", device = "/dev/input/a" }\n'
TYPING = f"{NO_LINE}[speaker]\n"
TWO_TYPING = TYPING.replace("[speaker]", 'right = { reader = "keyboard", device = "/dev/input/b" }\n[speaker]')
AMPLIFIED = f"{APPLE}[speaker]\n"


def lamp(**settings: object) -> str:
    return f"{BLOCK}{_wiring('lamp', settings)}"


def motor(**settings: object) -> str:
    return f"{APPLE}{_wiring('motor', settings)}"


def on_5v(text: str = APPLE, **settings: object) -> str:
    return f"{text}{_wiring('motor', {'supply': '5V', **settings})}"


def left(text: str = LEFT, **settings: object) -> str:
    return f"{text}{_wiring('left', settings)}"


def _wiring(device: str, settings: dict[str, object]) -> str:
    lines = [
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}" for key, value in settings.items()
    ]
    return "\n".join([f"[wiring.{device}]", *lines, ""])


def not_fine(text: str) -> dict[str, Finding]:
    """What is not fine about the config *text*, by the finding's name."""
    return {each.name: each for each in electrical_findings(table(text)) if each.level is not Level.FINE}


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


FINE = {
    "button and lamp": BLOCK,
    "motor": APPLE,
    "rdm6300 on the header": LEFT,
    "display": DISPLAY,
    "display behind a level shifter": f'{DISPLAY}[wiring.display]\npower = "5V"\nlevel_shifter = true\n',
    "bright lamp": lamp(driver="transistor", resistor_ohm=140),
    "bright white lamp": lamp(driver="transistor", resistor_ohm=110, led_v=3.0),
    "lamp with 90 ohms": lamp(resistor_ohm=90),
    "lamp of 1 mA": lamp(resistor_ohm=1300),
    "bright lamp on the rail of a pull-up": f'{BLOCK}{DISPLAY}[wiring]\ndisplay = {{ power = "5V", level_shifter = true }}\n'
    'lamp = { driver = "transistor", resistor_ohm = 140 }\n',
    "motor on batteries of its own": motor() + "[wiring]\nsupply_a = 1.0\n",
    "motor on a second supply": motor(supply="second"),
    "motor on the 5 V of a Pi 5": on_5v() + "[wiring]\npi = '5'\n",
    "PoE hat on a Pi 4": f"{BLOCK}[speaker]\n[wiring]\npi = '4'\npower = 'poe-hat'\n",
    "speaker of 8 ohms": f"{AMPLIFIED}[wiring]\nspeaker = 'max98357a'\nspeaker_ohm = 8\n",
    "two typing readers and a speaker on a Pi 5": f"{TWO_TYPING}[wiring]\npi = '5'\n",
    "motor that diode and transistor stand": motor(running_ma=1000, stalled_ma=2000, fuse_ma=1350),
    "fuse that the turning motor needs, and the stalled one trips": motor(running_ma=600, stalled_ma=1500, fuse_ma=750),
    "weak motor behind the usual fuse": motor(running_ma=10, stalled_ma=10),
    "large motor with parts for it": motor(stalled_ma=3000, transistor_ma=3000, diode_ma=1500),
    "pull-down of 2.2 kOhm": motor(gate_pull_down_ohm=2200),
    "pn532 on the header": '[bank]\nleft = { reader = "pn532", port = "/dev/serial0" }\n[wiring]\npi = "4"\n',
    "id12 on usb": '[bank]\nleft = { reader = "id12", port = "/dev/ttyUSB0" }\n',
    "low signal without a divider": left(divider=False, tx_v=3.5),
    "high signal with its divider": left(tx_v=5.0),
    "weakest signal without a divider": left(divider=False, tx_v=2.0),
    "reader a tenth above its supply": left(ID12, power="3.3V", tx_v=3.6, divider=True),
    "headphone socket of a Pi 4": f'{JACK}pi = "4"\n',
    "silent table without a headphone socket": JACK.replace("[speaker]\n", '[speaker]\nlibrary = "silent"\n'),
    "silent table on a small supply": f'{BLOCK}[speaker]\nlibrary = "silent"\n[wiring]\nsupply_a = 1.0\n',
}


@pytest.mark.parametrize("text", FINE.values(), ids=FINE)
def test_a_circuit_that_works_is_fine(text: str) -> None:
    notes = {name for name, finding in not_fine(text).items() if finding.level is Level.WRONG}
    assert notes == set()
    assert not_fine(text).keys() <= {"currents.supply", "motor.fuse"}


WRONG, NOTE = Level.WRONG, Level.NOTE
# fmt: off
NOT_FINE: dict[str, tuple[str, str, Level, str, str]] = {
    # config, finding, level, figures and names in it, setting or document in its remedy
    "pin of the amplifier": (f"[block]\nbutton = 17\nlamp = 18\n{AMPLIFIER}", "pins.twice", WRONG, "GPIO18.*block.lamp.*amplifier", "block.lamp"),
    "I²C pin": ("[block]\nbutton = 2\n", "pins.job", WRONG, "GPIO2 .block.button.*I²C", "block.button"),
    "serial pin": ("[block]\nbutton = 14\n", "pins.job", WRONG, "GPIO14 .*serial port", "Which pin"),
    "SPI pins of one slot": (BUMPS, "pins.job", NOTE, "GPIO7, GPIO8 and GPIO9 .bank.left. also belong to SPI", "do_spi 1"),
    "I²S pin": ("[block]\nbutton = 20\n", "pins.job", NOTE, "GPIO20 .*I²S", ""),
    "I²S pin with an amplifier": (f"[block]\nbutton = 20\n{AMPLIFIER}", "pins.job", WRONG, "GPIO20 .*kernel", "block.button"),
    "lamp on a pin that is high": ("[block]\nbutton = 17\nlamp = 5\n", "pins.start", NOTE, "GPIO5 .pin 29", "block.lamp"),
    "no divider": (left(divider=False), "levels.high", WRONG, r"GPIO15 .pin 10.* 5\.0 V .*left reader.* 3\.3 V", "tx_v.*1.8 kΩ.*3.3 kΩ.*divider = true"),
    "no divider, measured": (left(divider=False, tx_v=3.6), "levels.high", WRONG, r"3\.6 V from the left reader", "^Connect a 1.8 kΩ"),
    "just above the limit": (left(divider=False, tx_v=3.52), "levels.high", WRONG, r"3\.52 V", "divider"),
    "no divider at an adapter": (f"{ADAPTER}[wiring.right]\ndivider = false\n", "levels.high", WRONG, r"RXD of the right adapter .*5\.0 V", "3.5 V or less"),
    "too much for a divider": (left(tx_v=5.5), "levels.high", WRONG, r"3\.6 V", "5.25 V"),
    "backpack on 5 V": (f'{DISPLAY}[wiring.display]\npower = "5V"\n', "levels.high", WRONG, r"3\.8 V from the display", "level_shifter = true"),
    "pn532 on 5 V": (left(PN532_ON_USB.replace("ttyUSB0", "serial0"), power="5V", divider=False), "levels.high", WRONG, r"5\.0 V", "divider"),
    "needless divider": (left(tx_v=3.0), "levels.low", WRONG, r"1\.9 V from the left reader.* 2\.0 V", "divider = false"),
    "needless divider, just enough": (left(tx_v=2.0), "levels.low", WRONG, "", "divider = false"),
    "weak signal behind a divider": (left(tx_v=1.99), "levels.low", WRONG, "", "reader is broken"),
    "weak signal": (left(divider=False, tx_v=1.98), "levels.low", WRONG, r"1\.98 V", "reader is broken"),
    "rdm6300 on 3.3 V": (left(power="3.3V"), "levels.supply", WRONG, "left reader .*4.75 to 5.25 V .* 3.3 V", 'power = "5V".*divider = true'),
    "rdm6300 on 3.3 V, measured": (left(power="3.3V", tx_v=3.2), "levels.supply", WRONG, "", "Remove `tx_v`"),
    "pn532 on an adapter's 3.3 V": (left(PN532_ON_USB, power="3.3V"), "currents.adapter", WRONG, "left reader .*150 mA,.*3.3 V .*left adapter.* 50 mA", 'power = "5V"'),
    "more measured than fed": (left(ID12, power="3.3V", tx_v=3.7, divider=True), "readers.measured", WRONG, r"left reader .*3\.3 V .*3\.7 V", "`power` .*`tx_v`"),
    "bare button": (f"{BLOCK}[wiring.button]\nprotected = false\n", "lines.protected", NOTE, "button has no protection", r"1 kΩ.*4\.7 kΩ.*100 nF.*\[wiring.button\]"),
    "bare lever": (f"{APPLE}[wiring.lever]\nprotected = false\n", "lines.protected", NOTE, "lever", r"\[wiring.lever\]"),
    "bare card switches": (f"{BUMPS}[wiring.left]\nprotected = false\n", "lines.current", WRONG, r"left slot: 0\.1 mA.*another player's card", r"2\.2 kΩ.*\[wiring.left\]"),
    "wiring of another reader": (f"{NO_LINE}[wiring.left]\ntx_v = 5.0\npower = '5V'\n", "readers.unused", NOTE, "left slot .`keyboard`.*`power` and `tx_v`", "`power` and `tx_v`"),
    "wiring of a slot that is not there": (f"{BLOCK}[wiring.right]\ntx_v = 5.0\n", "readers.unused", NOTE, "no right slot.*`tx_v`", "tx_v"),
    "reader on an overlay's line": (OWN_LINE, "readers.unknown", NOTE, "right slot .*/dev/ttyAMA2", "3.5 V"),
    "display on another bus": (DISPLAY.replace(" }", ", bus = 3 }"), "display.unknown", NOTE, "bus 3", "level shifter"),
    "lamp with 81 ohms": (lamp(resistor_ohm=81), "currents.pin", WRONG, r"16\.0\d* mA from GPIO27 .pin 13.* 16 mA", "Which resistor"),
    "white lamp with 10 ohms": (lamp(resistor_ohm=10, led_v=3.2), "currents.pin", WRONG, r"50 mA .* 3\.2 V drop only 2\.8 V", "resistor"),
    "lamp on a pin with a pull-up": ("[block]\nbutton = 17\nlamp = 3\n[wiring.lamp]\nresistor_ohm = 85\n", "currents.pin", WRONG, "GPIO3 .* 16 mA", "resistor"),
    "lamp for all pins": (lamp(resistor_ohm=22), "currents.pins", WRONG, "59 mA.* 50 mA", "transistor"),
    "bright lamp without a resistor": (lamp(driver="transistor", resistor_ohm=0), "currents.lamp", WRONG, "5 V", "resistor_ohm = 140"),
    "bright lamp of 1 V": (lamp(driver="transistor", resistor_ohm=0, led_v=1.0), "currents.lamp", WRONG, "", "resistor_ohm = 190"),
    "bright lamp with 100 ohms": (lamp(driver="transistor", resistor_ohm=100), "currents.lamp", WRONG, "28 mA.* 20 mA", "resistor_ohm = 140"),
    "lamp for more volts than a pin has": (lamp(led_v=3.3), "currents.dark", NOTE, "3.3 V .* 3.3 V", "Which resistor"),
    "lamp with too large a resistor": (lamp(resistor_ohm=330000), "currents.dark", NOTE, r"0\.0039 mA .*330 kΩ", "smaller resistor"),
    "bright lamp with too large a resistor": (lamp(driver="transistor", resistor_ohm=3300), "currents.dark", NOTE, r"0\.85 mA", "smaller resistor"),
    "motor on a pin": (motor(driver="pin", running_ma=1, stalled_ma=1), "currents.pin", WRONG, "GPIO13 .* 16 mA", '`driver = "mosfet"` and `gate_pull_down_ohm = 10000`'),
    "motor on a pin without a diode": (motor(driver="pin"), "motor.diode", WRONG, "hits the Pi", r"\+\.$"),
    "no pull-down": (motor(gate_pull_down_ohm=0), "motor.gate", WRONG, "on its own", "GPIO13 .*gate_pull_down_ohm = 10000"),
    "weak pull-down": (motor(gate_pull_down_ohm=100_001), "motor.gate", WRONG, "kΩ", "gate_pull_down_ohm = 10000"),
    "strong pull-down": (motor(gate_pull_down_ohm=2000), "motor.gate", WRONG, r"2 kΩ.* 2\.97 V .* 3 V.* partly on", "gate_pull_down_ohm = 10000"),
    "shorted gate": (motor(gate_pull_down_ohm=90), "motor.gate", WRONG, r"1\.0 V .*stays off", "gate_pull_down_ohm = 10000"),
    "no fuse": (motor(fuse_ma=0), "motor.fuse", WRONG, "no fuse", "500 mA.*fuse_ma = 500.*supply's \\+"),
    "no fuse on 5 V": (on_5v(fuse_ma=0), "motor.fuse", WRONG, "no fuse", "fuse_ma = 500"),
    "no fuse for a large motor": (motor(fuse_ma=0, running_ma=600), "motor.fuse", WRONG, "", "fuse_ma = 750"),
    "fuse below a turning motor": (motor(fuse_ma=199), "motor.fuse", WRONG, "160 mA.*199 mA", "fuse_ma = 500"),
    "fuse above a stalled motor": (motor(fuse_ma=900), "motor.fuse", WRONG, r"900 mA .*1\.8 A.*1\.5 A", "fuse_ma = 500"),
    "no fuse fits between turning and stalled": (motor(running_ma=800, fuse_ma=1100), "motor.fuse", NOTE, r"2\.2 A.*1\.5 A", "running_ma"),
    "no flyback diode": (motor(flyback_diode=False), "motor.diode", WRONG, "transistor and the Pi", "flyback_diode = true"),
    "diode for less than the motor turns with": (motor(running_ma=1001), "motor.diode", WRONG, r"1\.001 A while it turns.*1N5819.* 1 A", "diode_ma = 2000"),
    "diode for less than a pulse": (motor(running_ma=500, stalled_ma=7000, diode_ma=3000), "motor.diode", WRONG, "7 A .*flyback diode is 6 A", "diode_ma = 4000"),
    "transistor for less than a start": (motor(stalled_ma=2001), "motor.transistor", WRONG, r"2\.001 A .*IRLZ44N.* 2 A .*3 V", "transistor_ma = 2001"),
    "no suppression capacitor": (motor(suppression_capacitor=False), "motor.capacitors", NOTE, "terminals", "suppression_capacitor = true"),
    "no bulk capacitor": (on_5v(bulk_capacitor=False), "motor.capacitors", NOTE, "the Pi's 5 V", "5 V to ground.*bulk_capacitor = true"),
    "no bulk capacitor on batteries": (motor(bulk_capacitor=False), "motor.capacitors", NOTE, "its supply", "bulk_capacitor = true"),
    "no common ground": (motor(common_ground=False), "motor.ground", WRONG, "ground", "common_ground = true"),
    "supply below all parts": (on_5v() + "[wiring]\nsupply_a = 0.5\n", "currents.supply", WRONG, r"0\.70 A.* 0\.86 A\..*1\.34 A: 2\.20 A.* 0\.5 A, so the Pi can restart", "supply_a = 3.*separate"),
    "supply below a start": (on_5v() + "[wiring]\nsupply_a = 2.1\n", "currents.supply", WRONG, "can restart", "supply_a = 3.*give the motor a separate"),
    "start that leaves little": (on_5v() + "[wiring]\nsupply_a = 2.5\n", "currents.supply", NOTE, "little is left", "supply_a = 3"),
    "supply that leaves little": (f"{AMPLIFIED}[wiring]\nspeaker = 'max98357a'\nsupply_a = 1.5\n", "currents.supply", NOTE, r"1\.40 A.*1\.5 A", "supply_a = 2"),
    "supply beyond the largest": (on_5v(stalled_ma=5000) + "[wiring]\npi = '4'\nsupply_a = 8\n", "currents.supply", WRONG, "8 A, but only 3 A count", "3 A are not possible.*: give the motor"),
    "motor beyond any supply": (on_5v(stalled_ma=1161) + "[wiring]\npi = '3'\nsupply_a = 5\n", "currents.supply", WRONG, r"2\.501 A", "give the motor a separate supply"),
    "all beyond any supply": (f"{BLOCK}[speaker]\n[wiring]\npi = '5'\nlamp = {{ driver = 'transistor', resistor_ohm = 1, led_v = 1.0 }}\n", "currents.supply", WRONG, "", "5 A are not possible.*use fewer parts"),
    "parts on usb": (f"{TYPING}[wiring]\nsupply_a = 0.9\n", "currents.supply", WRONG, r"1\.40 A", "supply_a = 2"),
    "stalled motor on micro USB, with a fuse": (on_5v(AMPLIFIED) + "[wiring]\nspeaker = 'max98357a'\nsupply_a = 3.0\n", "currents.plug", WRONG, r"micro USB .*2\.05 A, with a stalled motor.* 1\.8 A", "Give the motor a separate supply"),
    "stalled motor on micro USB, without": (on_5v(fuse_ma=0) + "[wiring]\nsupply_a = 3.0\n", "currents.plug", WRONG, r"1\.85 A", "separate supply"),
    "sockets of a Pi 5 with a small supply": (f"{TYPING}[wiring]\npi = '5'\nsupply_a = 3\n", "currents.usb", NOTE, "600 mA.* 600 mA with a supply of less than 5 A", "supply_a = 5"),
    "too much for the sockets of a Pi 5 with a small supply": (f"{TWO_TYPING}[wiring]\npi = '5'\nsupply_a = 3\n", "currents.usb", WRONG, "700 mA.* 600 mA", "supply_a = 5"),
    "Zero W": (f"{AMPLIFIED}[wiring]\npi = 'zero-w'\nspeaker = 'max98357a'\n", "currents.supply", NOTE, r"Zero W.*1\.05 A.*1\.2 A", "supply_a = 1.5"),
    "PoE hat on a Zero": (f"{BLOCK}[wiring]\npower = 'poe-hat'\n", "currents.hat", WRONG, "Zero 2 W has no pins", 'power = "plug"'),
    "PoE hat for too much": (on_5v() + "[wiring]\npi = '4'\npower = 'poe-hat'\n", "currents.supply", WRONG, r"2\.75 A.* 2\.5 A", "separate supply"),
    "PoE hat on a Pi 5 with USB": (f"{TWO_TYPING}[wiring]\npi = '5'\npower = 'poe-hat'\nsupply_a = 5.0\n", "currents.usb", WRONG, "700 mA.* 600 mA", "hub"),
    "speaker of 2 ohms": (f"{AMPLIFIED}[wiring]\nspeaker = 'max98357a'\nspeaker_ohm = 2\n", "sound.impedance", WRONG, "2 Ω.*4 Ω", "speaker_ohm"),
    "IRF520": (motor(transistor="IRF520"), "motor.transistor", WRONG, r"IRF520.* 10 V .* 3\.3 V", 'transistor = "IRLZ44N"'),
    "IRLB8721": (motor(transistor="IRLB8721"), "motor.transistor", WRONG, r" 4\.5 V ", "IRLZ44N"),
    "plug for debugging": (f"{DEBUG}[wiring]\npi = '5'\n", "readers.debug", WRONG, "left slot .*ttyAMA10.*HDMI", "/dev/ttyAMA0"),
    "plug for debugging of another Pi": (DEBUG, "readers.debug", WRONG, "only a Raspberry Pi 5", "/dev/ttyAMA0"),
    "serial0 of a Pi 5": (f"{LEFT}[wiring]\npi = '5'\n", "readers.debug", NOTE, "debugging", "/dev/ttyAMA0"),
    "batteries for another motor": (motor(supply_v=9.0), "motor.supply", NOTE, "9 V.*3 to 6 V", "supply_v"),
    "batteries above the capacitor": (motor(supply_v=12.0), "motor.supply", WRONG, "bursts above 10 V", "supply_v"),
    "no headphone socket": (f'{JACK}pi = "5"\n', "sound.jack", WRONG, "Raspberry Pi 5", '"usb".*"max98357a".*"3".*"4"'),
}
# fmt: on


@pytest.mark.parametrize(("text", "name", "level", "what", "do"), NOT_FINE.values(), ids=NOT_FINE)
def test_a_circuit_that_cannot_work_has_a_finding_with_its_figures(
    text: str, name: str, level: Level, what: str, do: str
) -> None:
    finding = not_fine(text)[name]
    assert finding.level is level
    assert re.search(what, finding.what), finding.what
    assert re.search(do, finding.do), finding.do


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"[block]\nbutton = 18\n{AMPLIFIER}", {"pins.twice"}),
        (left(power="3.3V", tx_v=5.0), {"levels.supply"}),
        (left(PN532_ON_USB, power="3.3V", tx_v=3.0, divider=True), {"currents.adapter"}),
        (lamp(led_v=3.5, resistor_ohm=22), {"currents.dark"}),
        (lamp(led_v=3.4, resistor_ohm=0), {"currents.pin"}),
        (motor(transistor="IRF520"), {"motor.transistor"}),
        (f"{DEBUG}[wiring]\npi = '5'\n", {"readers.debug"}),
        (motor(driver="pin"), {"currents.pin", "motor.diode", "motor.capacitors"}),
    ],
)
def test_one_cause_is_reported_once(text: str, names: set[str]) -> None:
    assert not_fine(text).keys() == names


@pytest.mark.parametrize("port", ["/dev/ttyACM0", "/dev/serial/by-id/usb-CP2102", "/dev/reboard-left"])
def test_a_reader_on_any_port_that_is_not_the_pis_is_on_an_adapter(port: str) -> None:
    circuit = circuit_of(table(LEFT.replace("/dev/serial0", port)))
    assert any(circuit.of_kind("usb-serial"))
