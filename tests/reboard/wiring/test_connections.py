from __future__ import annotations

from reboard.config import load_config
from reboard.wiring.connections import connections, ohms
from reboard.wiring.soldering import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, LEFT, SHIPPED, table


def told(text: str) -> dict[tuple[str, str], str]:
    return {(wire.part.name, wire.terminal): wire.to for wire in connections(circuit_of(table(text)))}


def test_a_button_goes_to_its_pin_and_to_a_ground_nearby() -> None:
    assert told("[block]\nbutton = 17\n") == {("button", "NO"): "GPIO17, pin 11", ("button", "C"): "ground, pin 9"}
    assert told("[block]\nbutton = 21\n") == {("button", "NO"): "GPIO21, pin 40", ("button", "C"): "ground, pin 39"}


def test_a_lamp_has_its_resistor_in_its_way() -> None:
    wires = told(BLOCK)
    assert wires["lamp resistor", "a"] == "GPIO27, pin 13"
    assert wires["lamp resistor", "b"] == "lamp +"
    assert wires["lamp", "+"] == "lamp resistor b"
    assert wires["lamp", "-"].startswith("ground")


def test_a_lamp_without_a_resistor_is_on_the_pin() -> None:
    wires = told(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 0\n")
    assert wires["lamp", "+"] == "GPIO27, pin 13"
    assert ("lamp resistor", "a") not in wires


def test_a_lamp_behind_a_transistor_is_on_5_volts() -> None:
    wires = told(f'{BLOCK}[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 150\n')
    assert wires["base resistor", "a"] == "GPIO27, pin 13"
    assert wires["lamp resistor", "a"] == "5 V, pin 4"
    assert wires["lamp", "-"] == "lamp transistor collector"


def test_circuits_do_not_share_a_ground_as_long_as_there_are_enough() -> None:
    grounds: dict[str, set[int | None]] = {}
    for wire in connections(circuit_of(load_config(SHIPPED))):
        if wire.wire == "ground":
            grounds.setdefault(wire.part.circuit, set()).add(wire.pin)
    assert all(len(pins) == 1 for pins in grounds.values())
    assert len(set.union(*grounds.values())) == len(grounds) == 6


def test_a_reader_on_the_header_is_divided_before_the_pin() -> None:
    wires = told(LEFT)
    assert wires["left reader", "5V"] == "5 V, pin 4"
    assert wires["left upper divider", "b"] == "GPIO15, pin 10, with left lower divider a"
    assert wires["left lower divider", "a"] == "GPIO15, pin 10, with left upper divider b"
    assert wires["left reader", "TX"] == "left upper divider a"


def test_a_reader_on_an_adapter_gets_all_from_it() -> None:
    wires = told('[bank]\nright = { reader = "pn532", port = "/dev/ttyUSB0" }\n')
    assert wires["right reader", "VCC"] == "right adapter 5V"
    assert wires["right reader", "TXD"] == "right upper divider a"
    assert wires["right upper divider", "b"] == "right lower divider a; right adapter RXD"
    assert wires["right reader", "RXD"] == "right adapter TXD"
    assert wires["right adapter", "USB"] == "a USB socket of the Pi"
    assert ("right adapter", "3V3") not in wires


def test_an_id12_is_told_by_its_wires_what_to_say() -> None:
    wires = told('[bank]\nleft = { reader = "id12", port = "/dev/serial0" }\n')
    assert wires["left reader", "D0"] == "GPIO15, pin 10"
    assert wires["left reader", "FORM"] == "ground, pin 9, with left reader GND"
    assert wires["left reader", "RES"] == "3.3 V, pin 17, with left reader VCC"


def test_ends_that_share_a_pin_are_told_with_each_other() -> None:
    wires = told(APPLE)
    assert wires["transistor", "S"] == "ground, pin 34, with gate's pull-down b; bulk capacitor -"
    assert wires["gate resistor", "a"] == "GPIO13, pin 33"
    pins: dict[int, list[str]] = {}
    for wire in connections(circuit_of(load_config(SHIPPED))):
        if wire.pin:
            pins.setdefault(wire.pin, []).append(wire.to)
    assert all((", with " in to) == (len(ends) > 1) for ends in pins.values() for to in ends)


def test_the_display_may_stand_behind_a_level_shifter() -> None:
    display = '[bank]\ndisplay = { driver = "hd44780-i2c" }\n'
    assert told(display)["display", "SDA"] == "GPIO2, pin 3"
    wires = told(f'{display}[wiring.display]\npower = "5V"\nlevel_shifter = true\n')
    assert wires["display", "SDA"] == "level shifter HV1"
    assert wires["level shifter", "LV1"] == "GPIO2, pin 3"
    assert wires["display", "VCC"] == "5 V, pin 2, with level shifter HV"
    assert wires["level shifter", "HV"] == "5 V, pin 2, with display VCC"


def test_a_motor_may_have_batteries_of_its_own() -> None:
    wires = told(f'{APPLE}[wiring.motor]\nsupply = "batteries"\n')
    assert wires["motor", "+"] == ("flyback diode cathode; suppression capacitor a; bulk capacitor +; battery box +")
    assert wires["battery box", "-"].startswith("ground")
    wires = told(f'{APPLE}[wiring.motor]\nsupply = "batteries"\ncommon_ground = false\n')
    assert wires["battery box", "-"] == "gate's pull-down b; transistor S; bulk capacitor -"


def test_a_typing_reader_and_a_speaker_are_only_plugged_in() -> None:
    wires = told('[bank]\nleft = { reader = "keyboard", device = "/dev/input/a" }\n[speaker]\n')
    assert wires == {("left reader", "USB"): "a USB socket of the Pi", ("speaker", "USB"): "a USB socket of the Pi"}


def test_what_is_left_out_is_not_wired() -> None:
    assert told("[bank]\n") == {}


def test_ohms_are_written_as_on_bags() -> None:
    assert [ohms(330), ohms(1800), ohms(1_000_000)] == ["330 Ω", "1.8 kΩ", "1 MΩ"]
