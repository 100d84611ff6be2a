"""Pins of grounds, 3.3 V and 5 V: whatever somebody changes below ``[wiring]``, no finished wire moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product

import pytest

from reboard.wiring.connections import connections
from reboard.wiring.pi import RAILS, header
from reboard.wiring.soldering import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, SHIPPED, table

HEADER_READER = (
    '[bank]\nleft = {{ reader = "{reader}", port = "/dev/serial0" }}\ndisplay = {{ driver = "hd44780-i2c" }}\n'
)

BASES = {
    "ours": SHIPPED.read_text(encoding="utf-8").partition("\n[wiring]\n")[0],
    **{
        f"all, with a {reader} on the header": f"{BLOCK}{APPLE}{HEADER_READER.format(reader=reader)}[speaker]\n"
        for reader in ("rdm6300", "id12", "pn532")
    },
    "a bank without a speaker": HEADER_READER.format(reader="rdm6300"),
    "a block and an apple on other pins": "[block]\nbutton = 21\nlamp = 5\n[apple]\nlever = 9\nmotor = 26\n[speaker]\n",
}

SETTINGS = (
    ("", 'speaker = "max98357a"', 'speaker = "jack"'),
    ("", 'lamp.driver = "transistor"', "lamp.resistor_ohm = 0"),
    (
        "",
        'motor.supply = "batteries"',
        'motor.supply = "batteries"\nmotor.common_ground = false',
        'motor.driver = "pin"',
    ),
    ("", 'left.power = "5V"', 'left.power = "3.3V"', "left.divider = false"),
    ("", 'display.power = "5V"', 'display.power = "5V"\ndisplay.level_shifter = true'),
)
"""For each circuit what may be said of it below ``[wiring]``."""


def pins_on_rails(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """Each circuit and rail, and the pin that joins them."""
    for wire in connections(circuit_of(table(text))):
        if wire.wire in RAILS and wire.pin:
            yield (wire.part.circuit, wire.wire), wire.pin


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_no_setting_of_the_wiring_moves_a_wire_to_another_pin(base: str) -> None:
    seen: dict[tuple[str, str], int] = {}
    for two in combinations(SETTINGS, 2):
        for said in product(*two):
            wiring = "\n".join(said)
            for end, pin in pins_on_rails(f"{base}\n[wiring]\n{wiring}\n"):
                assert header()[pin - 1] == end[1]
                assert seen.setdefault(end, pin) == pin, (end, wiring)
    assert ("motor", "5V") in seen or "[apple]" not in base


ON_USB = {
    "all": f'{BLOCK}{APPLE}[bank]\nleft = {{ reader = "rdm6300", port = "/dev/ttyUSB0" }}\n'
    'right = { reader = "rdm6300", port = "/dev/ttyUSB1" }\n'
    "keypad = { rows = [23, 24, 25, 12], columns = [5, 6, 16, 26] }\n"
    'display = { driver = "hd44780-i2c" }\n[speaker]\n',
    "a bank": '[bank]\nleft = { reader = "rdm6300", port = "/dev/ttyUSB0" }\ndisplay = { driver = "hd44780-i2c" }\n'
    "[speaker]\n",
    "a bank and a block": f'{BLOCK}[bank]\nleft = {{ reader = "rdm6300", port = "/dev/ttyUSB0" }}\n[speaker]\n',
}


@pytest.mark.parametrize("base", ON_USB.values(), ids=ON_USB)
@pytest.mark.parametrize("reader", ["rdm6300", "id12", "pn532"])
def test_a_reader_that_goes_from_usb_to_the_header_moves_no_wire(base: str, reader: str) -> None:
    for said in {setting for settings in SETTINGS for setting in settings}:
        on_usb = f"{base.replace('rdm6300', reader)}\n[wiring]\n{said}\n"
        before = dict(pins_on_rails(on_usb))
        after = dict(pins_on_rails(on_usb.replace("/dev/ttyUSB0", "/dev/serial0")))
        assert before.keys() < after.keys()
        assert before == {end: after[end] for end in before}, said


def test_circuits_have_5_volts_of_their_own_as_long_as_there_are_enough() -> None:
    amplified = '[speaker]\n[wiring]\nspeaker = "max98357a"\n'
    assert pins_of(f"{APPLE}{amplified}") == {("motor", "5V"): 4, ("speaker", "5V"): 2}
    assert pins_of(f'{BLOCK}{amplified}lamp.driver = "transistor"\n') == {("lamp", "5V"): 2, ("speaker", "5V"): 4}


def test_what_our_drawings_have_on_5_volts_comes_before_what_they_have_not() -> None:
    everything = f'{BLOCK}{APPLE}[speaker]\n[wiring]\nspeaker = "max98357a"\nlamp.driver = "transistor"\n'
    assert pins_of(everything) == {("motor", "5V"): 4, ("speaker", "5V"): 2, ("lamp", "5V"): 4}


def test_an_accessory_alone_has_the_pins_that_it_has_without_the_others() -> None:
    amplified = '[speaker]\n[wiring]\nspeaker = "max98357a"\n'
    whole = circuit_of(table(f"{APPLE}{BLOCK}{amplified}"))
    alone = circuit_of(table(f"{BLOCK}{amplified}"))
    assert list(connections(whole.only(["block", "speaker"]))) == list(connections(alone))
    assert list(connections(whole.only(["block", "speaker"]))) != [
        wire for wire in connections(whole) if wire.part.accessory != "apple"
    ], "the motor has the 5 V that are the speaker's without it"


def pins_of(text: str) -> Mapping[tuple[str, str], int]:
    """The circuits on 5 V, and their pins."""
    return {end: pin for end, pin in pins_on_rails(text) if end[1] == "5V"}
