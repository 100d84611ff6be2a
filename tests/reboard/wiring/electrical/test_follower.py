"""Whoever follows the advice understands it as a maker would; or else `test_advice` would find nothing."""

from __future__ import annotations

from reboard.finding import note
from tests.reboard.wiring.electrical.follower import MEASURED, OUT, done, ways, ways_at_once

BLOCK = {"block": {"button": 17, "lamp": 27}}


def test_a_setting_is_written_into_the_part_that_the_sentence_speaks_of() -> None:
    reader = note("a.b", "The left reader is hungry.", 'Feed it from 5 V (`power = "5V"`).')
    assert ways(reader, BLOCK) == [{("wiring", "left", "power"): "5V"}]
    batteries = note("a.b", "It is too much.", 'Give the motor its own: `driver = "mosfet"`.')
    assert ways(batteries, BLOCK) == [{("wiring", "motor", "driver"): "mosfet"}]
    supply = note("a.b", "It is too much.", "Take a larger one: `supply_a = 2.5`.")
    assert done(BLOCK, ways(supply, BLOCK)[0]) == {**BLOCK, "wiring": {"supply_a": 2.5}}


def test_settings_with_an_or_between_them_are_ways_to_choose_from() -> None:
    lamp = note("a.b", "The lamp.", 'Red or yellow: `led_v = 2.0`, `resistor_ohm = 330`; or `driver = "transistor"`.')
    assert ways(lamp, BLOCK) == [
        {("wiring", "lamp", "led_v"): 2.0, ("wiring", "lamp", "resistor_ohm"): 330},
        {("wiring", "lamp", "driver"): "transistor"},
    ]


def test_what_is_taken_out_is_gone_and_what_is_measured_is_what_the_meter_shows() -> None:
    document = {"bank": {"left": {"reader": "rdm6300", "port": "/dev/serial0"}}, "wiring": {"left": {"tx_v": 3.0}}}
    out = note("a.b", "The left reader.", "Take `tx_v` and `divider` out.")
    assert ways(out, document) == [{("wiring", "left", "tx_v"): OUT, ("wiring", "left", "divider"): OUT}]
    assert done(document, ways(out, document)[0])["wiring"] == {"left": {}}
    again = note("a.b", "The left reader.", "Measure its TX, and write the volts as `tx_v`. Or: `divider = true`.")
    assert ways(again, document) == [{("wiring", "left", "tx_v"): MEASURED}, {("wiring", "left", "divider"): True}]
    assert ways(again, document, measures=False) == [{("wiring", "left", "divider"): True}]
    measured = done(document, ways(again, document)[0], {"5V": 4.9, "3.3V": 3.2}.__getitem__)
    assert measured["wiring"]["left"]["tx_v"] == 4.9


def test_pins_are_taken_in_the_order_in_which_they_are_offered() -> None:
    put = note("a.b", "Pins.", "Put block.lamp and block.button on pins that are free: 12; or good so long: 7, 8.")
    assert ways(put, BLOCK) == [{("block", "lamp"): 12, ("block", "button"): 7}]
    each = note("a.b", "Pins.", "Put block.lamp on a pin that is free: 12. Put block.button on a pin that is free: 4.")
    assert ways(each, BLOCK) == [{("block", "lamp"): 12, ("block", "button"): 4}]
    keys = {"bank": {"keypad": {"rows": [1, 2, 3, 4]}}, **BLOCK}
    places = note("a.b", "Pins.", "No, let block.lamp change places with a key, as bank.keypad.rows.1.")
    assert done(keys, ways(places, keys)[0])["bank"] == {"keypad": {"rows": [1, 27, 3, 4]}}
    exactly = note("a.b", "Pins.", "Full: put block.lamp on pin 17, and block.button, which has it, on pin 4.")
    assert ways(exactly, BLOCK) == [{("block", "lamp"): 17, ("block", "button"): 4}]


def test_all_findings_are_done_at_once_in_every_way_that_agrees_with_itself() -> None:
    one = note("a.b", "The lamp.", "`led_v = 2.0` or `led_v = 3.0`.")
    other = note("a.b", "The lamp.", "`led_v = 3.0`.")
    assert list(ways_at_once([one, other], BLOCK)) == [{("wiring", "lamp", "led_v"): 3.0}]
    assert list(ways_at_once([note("a.b", "Nothing to do.")], BLOCK)) == [{}]
