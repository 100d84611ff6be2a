"""The list of connections: which terminal goes where, and which pins of the header the circuits get."""

from __future__ import annotations

from itertools import chain

import pytest

from reboard.netlist.circuit import connections
from reboard.netlist.hardware_data import RAILS, header
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, LEFT, SHIPPED, table

DISPLAY = '[bank]\ndisplay = { driver = "hd44780-i2c" }\n'
AMPLIFIER = '[speaker]\n[wiring]\nspeaker = "max98357a"\n'


def wires(text: str) -> dict[str, str]:
    """Where each terminal goes: ``lamp +`` to ``lamp resistor b``."""
    return {f"{end.part.name} {end.terminal}": end.to for end in connections(circuit_of(table(text)))}


CONNECTIONS = """
= [block] ; button = 17
button series resistor a: GPIO17, pin 11
button NO: button series resistor b; button pull-up b; button capacitor a
button pull-up a: 3.3 V, pin 17
button C: ground, pin 9, with button capacitor b
= [block] ; button = 21 ; [wiring.button] ; protected = false
button NO: GPIO21, pin 40
button C: ground, pin 39
= [bank] ; left = { reader = "bumps", pins = [7, 8, 9] }
left switch 2 series resistor a: GPIO8, pin 24
left switch 2 NO: left switch 2 series resistor b; left switch 2 pull-up b; left switch 2 capacitor a
= [bank] ; left = { reader = "bumps", pins = [7, 8, 9] } ; [wiring.left] ; protected = false
left switch 2 NO: GPIO8, pin 24
= BLOCK
lamp resistor a: GPIO27, pin 13
lamp resistor b: lamp +
lamp +: lamp resistor b
= BLOCK [wiring.lamp] ; resistor_ohm = 0
lamp +: GPIO27, pin 13
= BLOCK [wiring.lamp] ; driver = "transistor" ; resistor_ohm = 150
base resistor a: GPIO27, pin 13
lamp resistor a: 5 V, pin 4
lamp -: lamp transistor collector
= APPLE
gate resistor a: GPIO13, pin 33
transistor S: ground, pin 34, with gate's pull-down b; bulk capacitor -; battery box -
= APPLE [wiring.motor] ; supply = "5V"
fuse a: 5 V, pin 4
= APPLE [wiring.motor] ; supply = "second"
fuse a: second supply +
second supply -: ground, pin 34, with gate's pull-down b; transistor S; bulk capacitor -
= APPLE [wiring.motor] ; supply = "batteries"
fuse a: battery box +
motor +: fuse b; flyback diode cathode; suppression capacitor a; bulk capacitor +
= APPLE [wiring.motor] ; supply = "batteries" ; fuse_ma = 0
motor +: flyback diode cathode; suppression capacitor a; bulk capacitor +; battery box +
battery box -: ground, pin 34, with gate's pull-down b; transistor S; bulk capacitor -
= APPLE [wiring.motor] ; supply = "batteries" ; common_ground = false
battery box -: gate's pull-down b; transistor S; bulk capacitor -
= [bank] ; left = { reader = "rdm6300", port = "/dev/serial0" }
left reader 5V: 5 V, pin 4
left reader TX: left upper divider a
left upper divider b: GPIO15, pin 10, with left lower divider a
= [bank] ; left = { reader = "id12", port = "/dev/serial0" }
left reader D0: GPIO15, pin 10
left reader FORM: ground, pin 9, with left reader GND
left reader RES: 3.3 V, pin 17, with left reader VCC
= [bank] ; right = { reader = "pn532", port = "/dev/ttyUSB0" }
right reader VCC: right adapter 5V
right upper divider b: right lower divider a; right adapter RXD
right reader RXD: right adapter TXD
right adapter USB: a USB socket of the Pi
= DISPLAY
display SDA: GPIO2, pin 3
= DISPLAY [wiring.display] ; power = "5V" ; level_shifter = true
display SDA: level shifter HV1
level shifter LV1: GPIO2, pin 3
display VCC: 5 V, pin 2, with level shifter HV
"""
"""After `=` a config, in which `;` ends a line; then where its terminals go."""


@pytest.mark.parametrize("case", CONNECTIONS.strip("\n= ").split("\n= "))
def test_each_terminal_goes_where_the_circuit_has_it(case: str) -> None:
    config, *ends = case.splitlines()
    text = config.replace("BLOCK ", BLOCK).replace("APPLE ", APPLE).replace("DISPLAY ", DISPLAY)
    text = {"BLOCK": BLOCK, "APPLE": APPLE, "DISPLAY": DISPLAY}.get(config, text).replace(" ; ", "\n")
    assert wires(text).items() >= dict(end.split(": ", 1) for end in ends).items()


def test_only_what_is_fitted_is_wired() -> None:
    typing = '[bank]\nleft = { reader = "keyboard", device = "/dev/input/a" }\n[speaker]\n'
    assert wires("[bank]\n") == {}
    assert wires(typing) == {"left reader USB": "a USB socket of the Pi", "speaker USB": "a USB socket of the Pi"}
    assert wires('[bank]\nright = { reader = "pn532", port = "/dev/ttyAMA2" }\n') == {}


def test_each_circuit_has_a_ground_of_its_own() -> None:
    grounds: dict[str, set[int | None]] = {}
    for end in connections(circuit_of(load_config(SHIPPED))):
        if end.net == "ground":
            grounds.setdefault(end.part.subcircuit.label, set()).add(end.pin)
    assert all(len(pins) == 1 for pins in grounds.values())
    assert len(set.union(*grounds.values())) == len(grounds) == 6


def rail_pins(text: str) -> dict[tuple[str, str], int]:
    """The pin of each circuit on each rail."""
    ends = [end for end in connections(circuit_of(table(text))) if end.net in RAILS and end.pin]
    return {(end.part.subcircuit.label, end.net): end.pin for end in ends if end.pin}


SETTINGS = (
    ("", 'speaker = "max98357a"', 'speaker = "jack"'),
    ("", 'lamp.driver = "transistor"', "lamp.resistor_ohm = 0"),
    (
        "",
        'motor.supply = "5V"',
        'motor.supply = "second"',
        "motor.common_ground = false",
        'motor.driver = "pin"',
    ),
    ("", 'left.power = "5V"', 'left.power = "3.3V"', "left.divider = false"),
    ("", 'display.power = "5V"', 'display.power = "5V"\ndisplay.level_shifter = true'),
)
"""For each circuit what ``[wiring]`` may say."""

ALL = f'{BLOCK}{APPLE}{LEFT}display = {{ driver = "hd44780-i2c" }}\n[speaker]\n'


@pytest.mark.parametrize("base", [ALL, ALL.replace("rdm6300", "pn532")], ids=["rdm6300", "pn532"])
def test_no_setting_of_the_wiring_moves_a_wire_to_another_pin(base: str) -> None:
    seen: dict[tuple[str, str], int] = {}
    for first in range(len(SETTINGS) - 1):
        for one, other in zip(SETTINGS[first] * 4, SETTINGS[first + 1], strict=False):
            for end, pin in rail_pins(f"{base}[wiring]\n{one}\n{other}\n").items():
                assert header()[pin - 1] == end[1]
                assert seen.setdefault(end, pin) == pin, (end, one, other)
    assert ("apple.motor", "5V") in seen


def test_a_reader_that_goes_from_usb_to_the_header_moves_no_wire() -> None:
    for setting in set(chain.from_iterable(SETTINGS)):
        on_header = f"{ALL}[wiring]\n{setting}\n"
        before = rail_pins(on_header.replace("/dev/serial0", "/dev/ttyUSB0"))
        after = rail_pins(on_header)
        assert before.keys() < after.keys()
        assert before == {end: after[end] for end in before}, setting


def test_a_reader_on_the_header_shares_no_5_v_pin_with_the_amplifier() -> None:
    pins = rail_pins(f"{ALL}[wiring]\nspeaker = 'max98357a'\n")
    assert (pins["bank.left", "5V"], pins["speaker", "5V"]) == (2, 4)


def test_readers_on_a_bus_share_their_pins_on_the_rails() -> None:
    pins = rail_pins('[bank]\nleft = { reader = "rc522" }\nright = { reader = "rc522", chip_select = 1 }\n')
    assert [pins["bank.right", rail] for rail in ("3.3V", "ground")] == [17, 20]
    assert [pins["bank.left", rail] for rail in ("3.3V", "ground")] == [17, 20]
