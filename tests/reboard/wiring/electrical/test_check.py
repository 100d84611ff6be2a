"""Each thing that could not work or would break something: a config that is wrong, and the exact sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reboard.config import load_config
from reboard.errors import ConfigError
from reboard.finding import Finding, Level
from reboard.wiring.electrical import currents, levels, pins, supply
from reboard.wiring.electrical.check import electrical_findings
from reboard.wiring.soldering import circuit_of
from tests.reboard.wiring.tables import APPLE, BLOCK, LEFT, SHIPPED, table

DISPLAY = '[bank]\ndisplay = { driver = "hd44780-i2c" }\n'
BUMPS = '[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }\n'


def told(text: str) -> dict[str, tuple[str, str]]:
    """What is not fine about the config *text*, by the finding's name."""
    findings = electrical_findings(table(text))
    return {finding.name: (finding.level, finding.what) for finding in findings if finding.level is not Level.FINE}


def advice(text: str, name: str) -> str:
    return next(finding.do for finding in electrical_findings(table(text)) if finding.name == name)


def test_our_own_wiring_is_fine_and_every_rule_says_so() -> None:
    findings = list(electrical_findings(load_config(SHIPPED)))
    assert {finding.level for finding in findings} == {Level.FINE}
    assert [finding.name for finding in findings] == [
        "pins.twice",
        "pins.job",
        "pins.start",
        "levels.high",
        "levels.low",
        "levels.supply",
        "currents.pins",
        "currents.supply",
        "motor.gate",
        "motor.diode",
        "motor.ground",
    ]


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        APPLE,
        LEFT,
        DISPLAY,
        f'{DISPLAY}[wiring.display]\npower = "5V"\nlevel_shifter = true\n',
        f'{BLOCK}[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 150\n',
        f'{APPLE}[wiring.motor]\nsupply = "batteries"\n',
        '[bank]\nleft = { reader = "pn532", port = "/dev/serial0" }\n[wiring]\npi = "4"\n',
        '[bank]\nleft = { reader = "id12", port = "/dev/ttyUSB0" }\n',
    ],
)
def test_what_the_drawings_show_is_fine(text: str) -> None:
    assert {name for name, (level, _) in told(text).items() if level == "wrong"} == set()


def test_a_pin_that_the_amplifier_has_is_no_lamps() -> None:
    text = '[block]\nbutton = 17\nlamp = 18\n[speaker]\n[wiring]\nspeaker = "max98357a"\n'
    assert told(text)["pins.twice"] == (
        "wrong",
        "GPIO18 (pin 12 of the header) is wanted by block.lamp and the amplifier.",
    )
    assert advice(text, "pins.twice") == (
        "Put block.lamp on a pin that is free: 12, 13, 16, 22, 23, 24, 25, 26, 27."
    ), "4, 5 and 6 are pulled high while a Pi starts"
    assert advice(text.replace("17\nlamp = 18", "18\nlamp = 17"), "pins.twice").startswith(
        "Put block.button on a pin that is free: 4, 5, 6, 12,"
    )


@pytest.mark.parametrize(
    ("pin", "level", "sentence"),
    [
        (2, "wrong", "GPIO2 (block.button) belongs to I²C as well: the Pi itself pulls them to 3.3 V with"),
        (14, "wrong", "GPIO14 (block.button) belongs to the serial port as well: the serial port drives pin 14"),
        (8, "note", "GPIO8 (block.button) belongs to SPI as well: they are free as long as SPI is off"),
        (19, "note", "GPIO19 (block.button) belongs to I²S as well: an I²S amplifier or sound card wants them."),
    ],
)
def test_a_pin_with_another_job_is_told(pin: int, level: str, sentence: str) -> None:
    found, what = told(f"[block]\nbutton = {pin}\n")["pins.job"]
    assert found == level
    assert what.startswith(sentence)


def test_a_pin_that_is_wanted_twice_is_told_once() -> None:
    text = '[block]\nbutton = 18\n[speaker]\n[wiring]\nspeaker = "max98357a"\n'
    assert {name for name in told(text) if name.startswith("pins")} == {"pins.twice"}
    assert "pins.job" not in {finding.name for finding in electrical_findings(table(text))}
    both = told(text.replace("button = 18", "button = 18\nlamp = 20"))
    assert both["pins.twice"][1].startswith("GPIO18 (pin 12 of the header)")
    assert both["pins.job"][1].startswith("GPIO20 (block.lamp) belongs to I²S as well")


FREE = [4, 5, 6, 12, 13, 16, 17, 22, 23, 24, 25, 26, 27]
"""The pins that have no other job."""


def crowded(button: int, lamp: int, rest: list[int]) -> str:
    """A table with a lever, a motor, a keypad and slots for original cards on the pins of *rest*."""
    lever, motor, *keys = rest[:10]
    left, right = rest[10:13], rest[13:16]
    slots = f'left = {{ reader = "bumps", pins = {left} }}\n'
    slots += f'right = {{ reader = "bumps", pins = {right} }}\n' if right else ""
    return (
        f"[block]\nbutton = {button}\nlamp = {lamp}\n[apple]\nlever = {lever}\nmotor = {motor}\n"
        f"[bank]\nkeypad = {{ rows = {keys[:4]}, columns = {keys[4:]} }}\n{slots}"
    )


def test_when_no_pin_is_free_those_of_a_job_that_is_off_are_named() -> None:
    lamp, another, *rest = reversed(FREE)
    assert advice(crowded(14, lamp, [another, *rest, 7]), "pins.job") == (
        "Put block.button on a pin that is good as long as SPI is off: 8, 9, 10, 11."
    )
    assert advice(crowded(14, lamp, [*rest, 7, 8]), "pins.job") == f"Put block.button on a pin that is free: {another}."


def test_where_two_have_to_move_two_pins_are_offered() -> None:
    lamp, another, *rest = reversed(FREE)
    crowd = crowded(14, lamp, [15, another, *rest])
    assert advice(crowd, "pins.job") == (
        "Put block.button and apple.lever on pins that are good as long as SPI is off: 7, 8, 9, 10, 11."
    )
    one_less = crowded(14, lamp, [15, *rest, 7])
    assert advice(one_less, "pins.job") == (
        f"Put block.button and apple.lever on pins that are free: {another}; "
        "or good as long as SPI is off: 8, 9, 10, 11."
    )


def test_what_is_switched_moves_to_a_pin_that_is_low_and_what_is_not_to_another() -> None:
    assert advice("[block]\nbutton = 14\nlamp = 15\n", "pins.job") == (
        "Put block.lamp on a pin that is free: 12. Put block.button on a pin that is free: 4."
    )


AMPLIFIER = '[speaker]\n[wiring]\nspeaker = "max98357a"\n'
LOW = [9, 10, 11, *(pin for pin in FREE if pin > 8)]
"""The pins that are low while a Pi starts, and that nobody has beside an amplifier."""


@pytest.mark.parametrize("driver", ["mosfet", "pin"])
def test_a_motor_is_sent_to_no_pin_that_the_config_refuses_it(driver: str) -> None:
    keypad = f"[bank]\nkeypad = {{ rows = {[5, 6, 12, 13]}, columns = {[16, 23, 24, 25]} }}\n"
    slot = "left = { reader = 'bumps', pins = [26, 27, 17] }\n"
    text = f"[apple]\nlever = 22\nmotor = 18\n{keypad}{slot}{AMPLIFIER}motor.driver = '{driver}'\n"
    assert advice(text, "pins.twice") == "Put apple.motor on a pin that is good as long as SPI is off: 9, 10, 11."
    for pin in (9, 10, 11):
        assert not {"pins.twice", "pins.start"} & told(text.replace("motor = 18", f"motor = {pin}")).keys()
    with pytest.raises(ConfigError, match="a pin from 9 to 27"):
        table(text.replace("motor = 18", "motor = 4"))


def test_a_motor_takes_a_buttons_pin_where_no_other_is_low_and_free() -> None:
    text = crowded(4, LOW[0], [5, 18, *LOW[1:], 7, 8]) + AMPLIFIER
    none = "No pin that is low while a Pi starts is left for"
    can_do_without = ", and a button, a switch or a key can do without: put"
    motor = f"{none} apple.motor{can_do_without} apple.motor on pin 10, and bank.keypad.rows.0, which has that,"
    assert advice(text, "pins.twice") == f"{motor} on pin 6, which is free."
    text = crowded(4, 15, [5, 14, *LOW, 7]) + AMPLIFIER
    motor, lamp = motor.replace("pin 10", "pin 9"), f"{none} block.lamp{can_do_without} block.lamp on pin 10, and"
    assert advice(text, "pins.job") == (
        f"{motor} on pin 6, which is free. "
        f"{lamp} bank.keypad.rows.1, which has that, on pin 8, which is good as long as SPI is off."
    )
    one_is_low = crowded(4, 15, [5, 14, *LOW[1:], 6, 7]) + AMPLIFIER
    assert advice(one_is_low, "pins.job") == (
        f"{lamp} bank.keypad.rows.0, which has that, on pin 8, which is good as long as SPI is off. "
        f"Put apple.motor on a pin that is good as long as SPI is off: {LOW[0]}."
    )


def test_a_lamp_that_hangs_on_the_rail_of_a_pull_up_is_not_switched_by_it() -> None:
    lamp = 'lamp = { driver = "transistor", resistor_ohm = 0 }\n'
    assert "pins.start" not in told(f'{BLOCK}{DISPLAY}[wiring]\ndisplay.power = "5V"\n{lamp}')


def test_a_lamp_that_glows_may_change_places_when_no_better_pin_is_free() -> None:
    low = [17, 12, 13, 16, 22, 23, 24, 25, 26, 27, 9, 10, 11]
    text = crowded(7, 5, [*low, 4, 6, 8]) + AMPLIFIER
    assert advice(text, "pins.start") == (
        "No other pin is free and low: let block.lamp change places with a button, a switch or a key, such as "
        "bank.left.pins.0, which may be there."
    )
    assert advice(crowded(7, 5, [*low[:-1], 4]) + AMPLIFIER, "pins.start") == (
        "Put block.lamp on a pin that is good as long as SPI is off: 11."
    )


def test_nobody_changes_places_with_one_that_has_to_leave_its_own() -> None:
    whole = circuit_of(table("[block]\nbutton = 14\nlamp = 15\n[apple]\nlever = 17\n"))
    everybody = {f"GPIO{number}": ["bank.keypad.rows.0"] for number in set(range(2, 28)) - {4, 5}}
    findings = pins.other_jobs(replace(whole, users=everybody | dict(whole.users)))
    [do] = [finding.do for finding in findings if finding.level is Level.WRONG]
    assert "put block.lamp on pin 17, and apple.lever, which has that, on pin 4" in do
    assert do.endswith("Put block.button on a pin that is free: 5.")


@pytest.mark.parametrize("free", [set(), {4}])
def test_when_fewer_pins_are_free_than_have_to_move_a_part_has_to_go(free: set[int]) -> None:
    whole = circuit_of(table("[block]\nbutton = 14\n[apple]\nlever = 15\n"))
    everybody = {f"GPIO{number}": ["block.button"] for number in set(range(2, 28)) - free}
    [finding] = [
        finding for finding in pins.other_jobs(replace(whole, users=everybody)) if finding.level is Level.WRONG
    ]
    assert finding.do == ("Fewer pins are free than have to move: leave a part out of the config, or put one on USB.")


def test_a_pin_that_the_kernel_takes_with_the_amplifiers_is_nobodys() -> None:
    text = '[block]\nbutton = 20\n[speaker]\n[wiring]\nspeaker = "max98357a"\n'
    assert told(text)["pins.job"] == (
        "wrong",
        "GPIO20 (block.button) belongs to I²S as well: the kernel takes all four of them for the amplifier, which "
        "needs three.",
    )
    assert told(text.replace("max98357a", "usb"))["pins.job"][0] == "note"


def test_pins_with_the_same_other_job_are_told_at_once_with_what_switches_it_off() -> None:
    level, what = told(BUMPS)["pins.job"]
    assert level == "note"
    assert what.startswith("GPIO7 (bank.left.pins.0), GPIO8 (bank.left.pins.1), GPIO9 (bank.left.pins.2) belong to SPI")
    assert advice(BUMPS, "pins.job") == "`sudo raspi-config nonint do_spi 1` switches it off."
    assert advice("[block]\nbutton = 3\n", "pins.job").startswith(
        "Put block.button on a pin that is free: 4, 5, 6, 12,"
    )


def test_a_lamp_on_a_pin_that_is_high_at_the_start_glows() -> None:
    assert told("[block]\nbutton = 17\nlamp = 5\n")["pins.start"] == (
        "note",
        "GPIO5 (pin 29 of the header) is pulled high while a Pi starts, and the lamp is on it. "
        "It glows until the table plays.",
    )


def test_a_motor_on_a_pin_that_is_high_at_the_start_is_wrong_though_no_config_can_say_so() -> None:
    with pytest.raises(ConfigError, match="a pin from 9 to 27"):
        table(APPLE.replace("13", "5"))
    whole = circuit_of(table(APPLE))
    parts = [
        replace(part, wires={label: "GPIO5" if wire == "GPIO13" else wire for label, wire in part.wires.items()})
        for part in whole.parts
    ]
    [finding] = pins.high_at_start(
        replace(whole, parts=parts, users={"GPIO5": ["apple.motor"], "GPIO22": ["apple.lever"]})
    )
    assert (finding.level, finding.what) == (
        Level.WRONG,
        "GPIO5 (pin 29 of the header) is pulled high while a Pi starts, and the transistor is on it. "
        "The worms would dance on their own.",
    )
    assert finding.do.startswith("Put apple.motor on a pin that is free: 12, 13,"), "4 and 6 are high as well"


NOBODY_MEASURED = "Some boards are tamer, and nothing says that this one is."


def test_an_rdm6300_without_its_divider_gives_a_pin_5_volts_as_long_as_nobody_has_measured_it() -> None:
    text = f"{LEFT}[wiring.left]\ndivider = false\n"
    sentence = "GPIO15 (pin 10 of the header) gets up to 5.0 V from the left reader, and stands 3.3 V."
    assert told(text) == {"levels.high": ("wrong", f"{sentence} {NOBODY_MEASURED}")}
    assert advice(text, "levels.high") == (
        "Measure its TX at rest, and write the volts into [wiring] as `tx_v`: with 3.5 V or less it may stay so. "
        "With more, or not measured: "
        "Put 1.8 kΩ between the reader's TX and the line, and 3.3 kΩ from the line to ground; "
        "then write `divider = true` into [wiring]."
    )


@pytest.mark.parametrize("reader", ["rdm6300", "pn532", "id12"])
def test_a_reader_that_was_measured_needs_no_divider_when_it_is_tame(reader: str) -> None:
    slot = f'[bank]\nleft = {{ reader = "{reader}", port = "/dev/serial0" }}\n[wiring.left]\ndivider = false\n'
    assert "levels.high" not in told(f"{slot}tx_v = 3.5\n")
    assert "levels.low" not in told(f"{slot}tx_v = 2.0\n")
    assert told(f"{slot}tx_v = 3.6\n")["levels.high"] == (
        "wrong",
        "GPIO15 (pin 10 of the header) gets up to 3.6 V from the left reader, and stands 3.3 V.",
    )
    assert advice(f"{slot}tx_v = 3.6\n", "levels.high").startswith("Put 1.8 kΩ between the reader's TX and the line")


def test_what_is_just_beyond_a_limit_is_told_with_as_many_digits_as_that_takes() -> None:
    high = told(f"{LEFT}[wiring.left]\ndivider = false\ntx_v = 3.52\n")["levels.high"][1]
    assert "gets up to 3.52 V from" in high, "3.5 V pass"
    low = told(f"{LEFT}[wiring.left]\ndivider = false\ntx_v = 1.98\n")["levels.low"][1]
    assert "gets no more than 1.98 V" in low
    assert "takes 16.0" in told(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 81\n")["currents.pin"][1]


def test_a_reader_that_was_measured_as_tame_is_too_low_behind_a_divider() -> None:
    text = f"{LEFT}[wiring.left]\ntx_v = 3.0\n"
    assert told(text)["levels.low"] == (
        "wrong",
        "GPIO15 (pin 10 of the header) gets no more than 1.9 V from the left reader, and wants 2.0 V.",
    )
    assert advice(text, "levels.low").endswith("write `divider = false` into [wiring].")
    assert told(f"{LEFT}[wiring.left]\ntx_v = 5.0\n") == {}
    assert circuit_of(table(f"{LEFT}[wiring.left]\ntx_v = 5.0\n")).least_high("GPIO15") == pytest.approx(5 * 3.3 / 5.1)


def test_a_reader_that_hardly_says_anything_is_not_the_dividers_fault() -> None:
    text = f"{LEFT}[wiring.left]\ntx_v = 1.5\ndivider = false\n"
    assert told(text)["levels.low"] == (
        "wrong",
        "GPIO15 (pin 10 of the header) gets no more than 1.5 V from the left reader, and wants 2.0 V.",
    )
    assert advice(text, "levels.low").startswith("Measure it once more, at rest and with no card on its coil")


@pytest.mark.parametrize(
    ("tx_v", "advised"), [(1.0, "Measure it once more"), (1.99, "Measure it once more"), (2.0, "Join the reader's TX")]
)
def test_a_divider_is_taken_out_only_if_that_is_enough(tx_v: float, advised: str) -> None:
    text = f"{LEFT}[wiring.left]\ntx_v = {tx_v}\n"
    assert advice(f"{text}divider = true\n", "levels.low").startswith(advised)
    is_enough = "levels.low" not in told(f"{text}divider = false\n")
    assert is_enough == advised.startswith("Join")


def test_a_reader_that_is_too_much_for_its_divider_is_fed_with_too_much() -> None:
    text = f"{LEFT}[wiring.left]\ntx_v = 5.5\n"
    assert told(text)["levels.high"][1].startswith(
        "GPIO15 (pin 10 of the header) gets up to 3.6 V from the left reader"
    )
    assert advice(text, "levels.high").startswith("Measure what feeds the reader")


def test_a_usb_adapter_wants_the_divider_too() -> None:
    text = '[bank]\nright = { reader = "rdm6300", port = "/dev/ttyUSB0" }\n[wiring.right]\ndivider = false\n'
    sentence = "RXD of the right adapter gets up to 5.0 V from the right reader, and stands 3.3 V."
    assert told(text) == {"levels.high": ("wrong", f"{sentence} {NOBODY_MEASURED}")}
    assert told(f"{text}tx_v = 3.2\n") == {}


def test_what_may_stay_without_a_divider_is_told_by_what_the_adapter_stands() -> None:
    text = '[bank]\nright = { reader = "rdm6300", port = "/dev/ttyUSB0" }\n[wiring.right]\ndivider = false\n'
    whole = circuit_of(table(text))
    [adapter] = whole.of_kind("usb-serial")
    hardier = replace(adapter.kind.terminals["RXD"], listens_v=4.0)
    kind = replace(adapter.kind, terminals={**adapter.kind.terminals, "RXD": hardier})
    parts = [replace(part, kind=kind) if part is adapter else part for part in whole.parts]
    [finding] = levels.too_high(replace(whole, parts=parts))
    assert finding.what.startswith("RXD of the right adapter gets up to 5.0 V from the right reader, and stands 4 V.")
    assert "with 4.2 V or less it may stay so." in finding.do


def test_a_reader_that_nobody_measured_is_as_low_behind_its_divider_as_those_that_are_to_have_one() -> None:
    assert circuit_of(table(LEFT)).least_high("GPIO15") == pytest.approx(3.5 * 3.3 / 5.1)
    assert "levels.low" not in told(LEFT)


def test_a_pn532_on_5_volts_wants_the_divider() -> None:
    text = '[bank]\nleft = { reader = "pn532", port = "/dev/serial0" }\n[wiring.left]\npower = "5V"\ndivider = false\n'
    assert told(text)["levels.high"][1].startswith(
        "GPIO15 (pin 10 of the header) gets up to 5.0 V from the left reader"
    )


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_pn532_takes_more_than_an_adapters_3_volts_give(side: str) -> None:
    text = f'[bank]\n{side} = {{ reader = "pn532", port = "/dev/ttyUSB0" }}\n'
    assert {name for name, (level, _) in told(text).items() if level == "wrong"} == set()
    on_3v3 = f'{text}[wiring.{side}]\npower = "3.3V"\n'
    assert told(on_3v3) == {
        "currents.adapter": (
            "wrong",
            f"The {side} reader takes up to 150 mA from the 3.3 V of the {side} adapter, which gives 50 mA.",
        )
    }
    assert 'power = "5V"' in advice(on_3v3, "currents.adapter")
    was_measured = f"{on_3v3}tx_v = 3.0\ndivider = true\n"
    assert told(was_measured).keys() == {"currents.adapter"}, "which would take the divider out"
    assert "Take `tx_v` out of [wiring]" in advice(was_measured, "currents.adapter")
    assert "(`divider = true`)" in advice(was_measured, "currents.adapter")


def test_an_id12_takes_less_than_an_adapters_3_volts_give() -> None:
    assert "currents.adapter" not in told('[bank]\nleft = { reader = "id12", port = "/dev/ttyUSB0" }\n')


def test_a_backpack_on_5_volts_pulls_the_bus_too_high() -> None:
    text = f'{DISPLAY}[wiring.display]\npower = "5V"\n'
    findings = [finding for finding in electrical_findings(table(text)) if finding.name == "levels.high"]
    assert [finding.what for finding in findings] == [
        "GPIO2 (pin 3 of the header) gets up to 3.8 V from the display, and stands 3.3 V.",
        "GPIO3 (pin 5 of the header) gets up to 3.8 V from the display, and stands 3.3 V.",
    ]
    assert advice(text, "levels.high") == (
        'Feed the display with 3.3 V (`power = "3.3V"`), or put a level shifter between it and the Pi '
        "(`level_shifter = true`)."
    )


def test_a_part_that_is_fed_wrongly_is_told() -> None:
    text = f'{LEFT}[wiring.left]\npower = "3.3V"\n'
    sentence = "The left reader (RDM6300 with its coil) wants 4.75 to 5.25 V, and gets 3.3 V."
    assert told(text)["levels.supply"] == ("wrong", sentence)
    assert advice(text, "levels.supply") == (
        'Keep its TX off the line, and feed the reader from 5 V (`power = "5V"`). Put a divider in the way of its '
        "signal (`divider = true`): 1.8 kΩ between the reader's TX and the line, and 3.3 kΩ from the line to ground. "
        "Then measure its TX at rest, and write the volts as `tx_v`."
    )


@pytest.mark.parametrize("said", ["", "tx_v = 3.2\n", "tx_v = 3.0\n", "tx_v = 5.0\n", "tx_v = 3.2\ndivider = true\n"])
def test_of_a_part_that_is_fed_wrongly_nothing_else_is_known(said: str) -> None:
    text = f'{LEFT}[wiring.left]\npower = "3.3V"\n{said}'
    findings = {finding.name for finding in electrical_findings(table(text))}
    assert told(text).keys() == {"levels.supply"}
    assert not {"levels.high", "levels.low", "readers.measured"} & findings, "not that it is fine either"
    out = "Take `tx_v` out of [wiring]: that was measured while it was fed otherwise."
    assert (out in advice(text, "levels.supply")) == ("tx_v" in said)


ID12_ON_THE_HEADER = '[bank]\nleft = { reader = "id12", port = "/dev/serial0" }\n[wiring.left]\n'


def test_a_reader_puts_out_no_more_than_it_is_fed_with() -> None:
    text = f'{ID12_ON_THE_HEADER}power = "3.3V"\ntx_v = 5.0\ndivider = true\n'
    assert told(text) == {
        "readers.measured": (
            "wrong",
            "The left reader puts out 5 V and is fed with 3.3 V, as [wiring] has it: no reader puts out more than it "
            "is fed with, so one of the two is not as it is there.",
        )
    }
    assert advice(text, "readers.measured") == (
        "Keep its TX off the line until you know. Measure once more what feeds it and its TX at rest, both against "
        "ground, and write them into [wiring] as `power` and `tx_v`."
    )
    assert told(text.replace("3.3V", "5V")) == told(text.replace("tx_v = 5.0", "tx_v = 3.3")) == {}


@pytest.mark.parametrize(
    ("power", "tx_v", "is_told"), [("3.3V", 3.6, False), ("3.3V", 3.7, True), ("5V", 5.5, False), ("5V", 5.6, True)]
)
def test_what_feeds_a_reader_and_the_meter_may_be_a_tenth_off(power: str, tx_v: float, is_told: bool) -> None:
    found = told(f'{ID12_ON_THE_HEADER}power = "{power}"\ntx_v = {tx_v}\ndivider = true\n')
    assert ("readers.measured" in found) == is_told


def test_a_reader_on_an_adapters_volts_puts_out_no_more_than_those() -> None:
    text = ID12_ON_THE_HEADER.replace("/dev/serial0", "/dev/ttyUSB0")
    assert "readers.measured" in told(f"{text}tx_v = 5.0\ndivider = true\n")
    assert "readers.measured" not in told(f'{text}tx_v = 5.0\ndivider = true\npower = "5V"\n')


@pytest.mark.parametrize(
    ("slot", "who"),
    [
        (
            'left = { reader = "keyboard", device = "/dev/input/a" }',
            'The left slot, `reader = "keyboard"`, is on no serial line',
        ),
        ('left = { reader = "bumps", pins = [9, 10, 11] }', 'The left slot, `reader = "bumps"`, is on no serial line'),
        ("", "There is no left slot"),
    ],
)
def test_what_is_said_of_a_slot_that_has_no_line_is_told(slot: str, who: str) -> None:
    text = f"[bank]\n{slot}\n[wiring.left]\ntx_v = 5.0\n"
    assert told(text)["readers.unused"] == (
        "note",
        f"{who}, so that nothing looks at `tx_v` of `left` in [wiring].",
    )
    assert advice(text, "readers.unused") == "Take `tx_v` out of [wiring], or see whether another slot is meant."
    more = text.replace("tx_v = 5.0", "tx_v = 5.0\ndivider = false\npower = '5V'")
    assert "looks at `power`, `tx_v` and `divider` of `left`" in told(more)["readers.unused"][1]
    assert "readers.unused" not in told(text.replace("tx_v = 5.0\n", ""))


@pytest.mark.parametrize("port", ["/dev/ttyAMA2", "/dev/ttyAMA10", "/dev/ttyS1", "/dev/serial1"])
def test_a_reader_on_another_line_of_the_pi_itself_is_on_no_adapter_and_nothing_is_said_of_it(port: str) -> None:
    text = f'[bank]\nright = {{ reader = "pn532", port = "{port}" }}\n[wiring.right]\npower = "3.3V"\n'
    assert told(text) == {
        "readers.unknown": (
            "note",
            f"The right reader is on {port}, a serial line of the Pi itself, and which pins that has, an overlay "
            "decides: nothing looks at this reader, at what it takes, or at what else is on its pins.",
        )
    }
    assert advice(text, "readers.unknown").endswith("measure its TX at rest, and divide what is above 3.5 V.")
    assert not circuit_of(table(text)).parts


@pytest.mark.parametrize("port", ["/dev/ttyUSB0", "/dev/ttyACM0", "/dev/serial/by-id/usb-CP2102", "/dev/reboard-left"])
def test_a_reader_on_any_other_line_is_on_an_adapter(port: str) -> None:
    text = f'[bank]\nleft = {{ reader = "rdm6300", port = "{port}" }}\n'
    assert "readers.unknown" not in told(text)
    assert any(circuit_of(table(text)).of_kind("usb-serial"))


def test_a_display_on_another_bus_is_told_to_be_looked_at_by_nobody() -> None:
    text = f'{DISPLAY.replace(" }", ", bus = 3 }")}[wiring]\ndisplay.power = "5V"\n'
    assert told(text) == {
        "display.unknown": (
            "note",
            "The display is on I²C bus 3, and nothing looks at a display that is not on bus 1: not at what feeds it, "
            "nor at its pins, nor at what else is on them.",
        )
    }
    assert "without a level shifter" in advice(text, "display.unknown")


def test_without_a_bank_there_is_no_slot_either() -> None:
    assert told(f"{BLOCK}[wiring.right]\ntx_v = 5.0\n").keys() == {"readers.unused"}


def test_a_lamp_that_takes_more_than_a_pin_gives_is_told() -> None:
    text = f"{BLOCK}[wiring.lamp]\nresistor_ohm = 47\n"
    assert told(text) == {
        "currents.pin": ("wrong", "The lamp takes 28 mA from GPIO27 (pin 13 of the header), which gives 16 mA.")
    }
    assert advice(text, "currents.pin") == (
        "Take a resistor of 330 Ω, which lets 3.9 mA through: `resistor_ohm = 330`; "
        'or a transistor (`driver = "transistor"`), with 140 Ω before the lamp (`resistor_ohm = 140`).'
    )


def test_a_resistor_that_is_advised_for_a_pin_lets_the_lamp_be_seen() -> None:
    text = f"{BLOCK}[wiring.lamp]\nled_v = 2.99\nresistor_ohm = 5\n"
    assert advice(text, "currents.pin").startswith("Take a resistor of 80 Ω, which lets 3.9 mA through:")


def test_a_lamp_that_takes_more_than_all_pins_give_is_told() -> None:
    text = f"{BLOCK}[wiring.lamp]\nresistor_ohm = 22\n"
    assert told(text)["currents.pins"] == ("wrong", "All pins together give 59 mA, and may give 50 mA.")


def test_a_lamp_without_a_resistor_is_told() -> None:
    found = told(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 0\n")
    sentence = "The lamp is on GPIO27 (pin 13 of the header) without a resistor, and nothing limits its current."
    assert found["currents.pin"] == ("wrong", sentence)
    assert found.keys() == {"currents.pin"}, "how much all pins give is nothing that can be told"
    assert advice(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 0\n", "currents.pin").startswith("Take a resistor of 330 Ω")


def test_a_lamp_behind_a_transistor_wants_a_resistor_too() -> None:
    text = f'{BLOCK}[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 0\n'
    sentence = "The lamp is on 5 V without a resistor, and nothing limits its current."
    assert told(text) == {"currents.lamp": ("wrong", sentence)}
    assert advice(text, "currents.lamp") == "Put a resistor of at least 140 Ω in its way: `resistor_ohm = 140`."
    assert "`resistor_ohm = 190`" in advice(f"{text}led_v = 1.0\n", "currents.lamp"), "150 Ω would let 25 mA through"


def test_a_lamp_behind_a_transistor_with_too_small_a_resistor_is_told() -> None:
    text = f'{BLOCK}[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 100\n'
    sentence = "The lamp takes 28 mA, and 20 mA are what it and its transistor stand."
    assert told(text) == {"currents.lamp": ("wrong", sentence)}
    assert advice(text, "currents.lamp") == "Take a resistor of at least 140 Ω: `resistor_ohm = 140`."


def test_a_lamp_behind_a_transistor_hangs_on_the_supply() -> None:
    lamp = '[wiring.lamp]\ndriver = "transistor"\nresistor_ohm = 140\n'
    takes = [finding.what for finding in electrical_findings(table(f"{BLOCK}{lamp}")) if "supply gives" in finding.what]
    assert "0.37 A" in takes[0], "350 mA for the Pi, and 20 mA"


@pytest.mark.parametrize("lamp", ["resistor_ohm = 0", "led_v = 3.8\nresistor_ohm = 0", "resistor_ohm = 3300"])
def test_what_pulls_a_pin_up_is_no_resistor_of_a_lamp_there(lamp: str) -> None:
    here, there = (told(f"[block]\nbutton = 17\nlamp = {pin}\n[wiring.lamp]\n{lamp}\n") for pin in (2, 27))
    assert {name for name in here if name.startswith("currents")} == set(there)
    assert here.get("currents.dark") == there.get("currents.dark")


@pytest.mark.parametrize("ohm", [330, 22])
def test_a_lamp_that_wants_more_than_a_pin_gives_stays_dark(ohm: int) -> None:
    text = f"{BLOCK}[wiring.lamp]\nled_v = 3.5\nresistor_ohm = {ohm}\n"
    assert told(text) == {"currents.dark": ("note", "The lamp wants 3.5 V, and gets 3.3 V: it stays dark.")}
    behind = f'{BLOCK}[wiring.lamp]\nled_v = 3.5\ndriver = "transistor"\nresistor_ohm = 150\n'
    assert "currents.dark" not in told(behind)


@pytest.mark.parametrize(
    ("lamp", "sentence", "ohm", "milliamperes"),
    [
        (
            "resistor_ohm = 330000",
            "The lamp gets 0.0039 mA through its resistor of 330 kΩ: it is hardly seen.",
            330,
            "3.9",
        ),
        (
            "resistor_ohm = 1310",
            "The lamp gets 0.99 mA through its resistor of 1.31 kΩ: it is hardly seen.",
            330,
            "3.9",
        ),
        ("led_v = 2.99", "The lamp gets 0.94 mA through its resistor of 330 Ω: it is hardly seen.", 80, "3.9"),
        (
            'driver = "transistor"\nresistor_ohm = 3300',
            "The lamp gets 0.85 mA through its resistor of 3.3 kΩ: it is hardly seen.",
            700,
            "4.0",
        ),
    ],
)
def test_a_lamp_that_gets_next_to_nothing_is_hardly_seen(lamp: str, sentence: str, ohm: int, milliamperes: str) -> None:
    text = f"{BLOCK}[wiring.lamp]\n{lamp}\n"
    assert told(text) == {"currents.dark": ("note", sentence)}
    assert advice(text, "currents.dark") == (
        f"Take one of {ohm} Ω, which lets {milliamperes} mA through: `resistor_ohm = {ohm}`."
    )
    kind, _, _ = lamp.partition("resistor_ohm")
    assert told(f"{BLOCK}[wiring.lamp]\n{kind}\nresistor_ohm = {ohm}\n") == {}


TAKE_ANOTHER = (
    "Take a red or yellow one, of 2 V (`led_v = 2.0`), behind 330 Ω (`resistor_ohm = 330`); "
    'or a transistor (`driver = "transistor"`), with {ohm} Ω before the lamp (`resistor_ohm = {ohm}`).'
)


@pytest.mark.parametrize(
    ("led_v", "sentence", "ohm"),
    [
        (3.0, "The lamp gets 0.91 mA through its resistor of 330 Ω: it is hardly seen.", 110),
        (3.29, "The lamp gets 0.03 mA through its resistor of 330 Ω: it is hardly seen.", 100),
        (3.3, "The lamp wants 3.3 V, and gets 3.3 V: it stays dark.", 100),
    ],
)
def test_a_lamp_that_leaves_its_resistor_hardly_any_volts_is_told_to_be_another_one(
    led_v: float, sentence: str, ohm: int
) -> None:
    text = f"{BLOCK}[wiring.lamp]\nled_v = {led_v}\n"
    assert told(text) == {"currents.dark": ("note", sentence)}
    assert advice(text, "currents.dark") == TAKE_ANOTHER.format(ohm=ohm)
    assert told(f'{text}driver = "transistor"\n') == told(f"{BLOCK}[wiring.lamp]\nled_v = 2.0\n") == {}


@pytest.mark.parametrize(
    ("led_v", "ohm", "takes", "least_v"), [(3.2, 5, 100, "2.8"), (3.2, 10, 50, "2.8"), (3.4, 10, 30, "3")]
)
def test_a_white_lamp_is_reckoned_with_the_fewest_volts_that_it_may_have(
    led_v: float, ohm: int, takes: int, least_v: str
) -> None:
    text = f"{BLOCK}[wiring.lamp]\nled_v = {led_v}\nresistor_ohm = {ohm}\n"
    assert told(text)["currents.pin"] == (
        "wrong",
        f"The lamp may take {takes} mA from GPIO27 (pin 13 of the header), which gives 16 mA: of LEDs for {led_v} V "
        f"some have no more than {least_v} V.",
    )
    assert advice(text, "currents.pin").startswith("Take a red or yellow one, of 2 V (`led_v = 2.0`), behind 330 Ω")
    assert "currents.dark" not in told(text)


def test_a_white_lamp_without_a_resistor_is_told_once_to_be_another_one() -> None:
    text = f"{BLOCK}[wiring.lamp]\nled_v = 3.4\nresistor_ohm = 0\n"
    assert told(text).keys() == {"currents.pin"}
    assert advice(text, "currents.pin") == TAKE_ANOTHER.format(ohm=90)


def test_a_resistor_of_90_ohms_is_enough_for_a_pin() -> None:
    assert told(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 81\n").keys() == {"currents.pin"}
    assert told(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 90\n") == {}


def test_a_lamp_of_one_milliampere_is_seen() -> None:
    assert told(f"{BLOCK}[wiring.lamp]\nresistor_ohm = 1300\n") == {}


def test_a_motor_on_a_pin_is_told() -> None:
    text = f'{APPLE}[wiring.motor]\ndriver = "pin"\n'
    assert told(text)["currents.pin"] == (
        "wrong",
        "The motor is on GPIO13 (pin 33 of the header) itself: a pin gives 16 mA, and no motor starts with so little "
        "or stops without a spike of many volts.",
    )
    assert advice(text, "currents.pin") == (
        'Put a MOSFET between them, with 10 kΩ from its gate to ground: `driver = "mosfet"`, '
        "`gate_pull_down_ohm = 10000`. Then `reboard wiring` shows how it is joined."
    )
    mended = circuit_of(table(f'{APPLE}[wiring.motor]\ndriver = "mosfet"\n'))
    assert any(mended.of_kind("mosfet")), "what is advised has to be there when it is written"


def test_a_motor_on_a_pin_is_wrong_whatever_it_takes_and_so_is_its_lack_of_a_diode() -> None:
    found = told(f'{APPLE}[wiring.motor]\ndriver = "pin"\nrunning_ma = 1\nstalled_ma = 1\n')
    assert {name: level for name, (level, _) in found.items()} == {
        "currents.pin": "wrong",
        "motor.diode": "wrong",
        "motor.capacitors": "note",
    }


def test_a_motor_on_a_pin_is_not_told_once_more_with_all_pins() -> None:
    assert "currents.pins" not in told(f'{APPLE}[wiring.motor]\ndriver = "pin"\n')


def test_a_motor_on_a_pin_is_told_of_no_setting_that_has_no_place_in_its_drawing() -> None:
    findings = list(electrical_findings(table(f'{APPLE}[wiring.motor]\ndriver = "pin"\n')))
    [diode] = [finding for finding in findings if finding.name == "motor.diode"]
    assert diode.what.endswith("a spike of many volts hits the Pi."), "there is no transistor"
    assert [finding.do for finding in findings if finding.name.startswith("motor")] == [
        "Put a 1N5819 across the motor, its stripe at the motor's +.",
        "Solder 100 nF across the motor's two terminals, as close to it as can be.",
    ], "the one across its supply would be on the MOSFET's board"


def test_a_gate_without_a_pull_down_is_told() -> None:
    text = f"{APPLE}[wiring.motor]\ngate_pull_down_ohm = 0\n"
    assert told(text)["motor.gate"] == (
        "wrong",
        "The gate of the motor's transistor has no resistor to ground: the worms dance on their own while the Pi "
        "starts, or when a wire comes off.",
    )
    assert "10 kΩ from the gate to ground" in advice(text, "motor.gate")


def test_a_pull_down_that_is_too_weak_is_told() -> None:
    sentence = "The resistor from the motor's gate to ground has 1 MΩ, which is too weak to hold it."
    assert told(f"{APPLE}[wiring.motor]\ngate_pull_down_ohm = 1000000\n")["motor.gate"] == ("wrong", sentence)


HALF_ON = "is half on, and gets hot"
OFF = "stays off, and the worms do not dance"


@pytest.mark.parametrize(
    ("ohm", "volts", "happens"),
    [(1, "0.0", OFF), (90, "1.0", OFF), (100, "1.0", HALF_ON), (220, "1.6", HALF_ON), (2000, "2.97", HALF_ON)],
)
def test_a_pull_down_that_is_too_strong_keeps_the_gate_too_low(ohm: int, volts: str, happens: str) -> None:
    found = told(f"{APPLE}[wiring.motor]\ngate_pull_down_ohm = {ohm}\n")
    level, what = found["motor.gate"]
    assert level == "wrong"
    assert what.endswith(f"lets no more than {volts} V come to the gate, which wants 3 V: the transistor {happens}.")
    assert advice(f"{APPLE}[wiring.motor]\ngate_pull_down_ohm = {ohm}\n", "motor.gate").startswith("Take 10 kΩ")


def test_a_pull_down_of_2_2_kilo_ohms_is_strong_enough_and_just_weak_enough() -> None:
    assert "motor.gate" not in told(f"{APPLE}[wiring.motor]\ngate_pull_down_ohm = 2200\n")


@pytest.mark.parametrize(("ohm", "milliamperes"), [(1, 14.9), (220, 7.5), (10_000, 0.32)])
def test_what_goes_through_the_pull_down_is_counted_at_its_pin(ohm: int, milliamperes: float) -> None:
    config = table(f"{APPLE}[wiring.motor]\ngate_pull_down_ohm = {ohm}\n")
    gives = currents.pins_give(circuit_of(config), config.wiring)
    assert gives["GPIO13"] == pytest.approx(milliamperes, abs=0.05)


def test_a_motor_without_a_flyback_diode_is_told() -> None:
    text = f"{APPLE}[wiring.motor]\nflyback_diode = false\n"
    assert told(text)["motor.diode"] == (
        "wrong",
        "The motor has no flyback diode: each time it is switched off, a spike of many volts hits the transistor and "
        "the Pi.",
    )
    assert advice(text, "motor.diode") == (
        "Put a 1N5819 across the motor, its stripe at the motor's +. Then `flyback_diode = true`."
    )


@pytest.mark.parametrize(
    ("takes", "sentence", "size_ma"),
    [
        (
            "running_ma = 1001",
            "The motor takes 1.001 A while it turns, and its flyback diode (1N5819, Schottky, 1 A) stands 1 A.",
            2000,
        ),
        (
            "stalled_ma = 2001",
            "The motor takes 2.001 A when it starts or is held fast, and its flyback diode (1N5819, Schottky, 1 A) "
            "stands 2 A at each pulse.",
            2000,
        ),
        (
            "running_ma = 500\nstalled_ma = 7000\ndiode_ma = 3000",
            "The motor takes 7 A when it starts or is held fast, and its flyback diode stands 6 A at each pulse.",
            4000,
        ),
    ],
)
def test_a_motor_that_takes_more_than_its_diode_stands_is_told(takes: str, sentence: str, size_ma: int) -> None:
    text = f"{APPLE}[wiring.motor]\n{takes}\n"
    assert told(text)["motor.diode"] == ("wrong", sentence)
    assert advice(text, "motor.diode") == (
        f"Take a Schottky diode for {size_ma // 1000} A or more, and write what it is for: `diode_ma = {size_ma}`."
    )


def test_a_motor_that_takes_more_than_its_transistor_carries_is_told() -> None:
    text = f"{APPLE}[wiring.motor]\nstalled_ma = 2001\n"
    assert told(text)["motor.transistor"] == (
        "wrong",
        "The motor takes 2.001 A when it starts or is held fast, and its transistor (IRLZ44N, N-channel, logic level) "
        "is good for 2 A with 3 V at its gate.",
    )
    assert advice(text, "motor.transistor") == (
        "Take a smaller motor; or a transistor whose data sheet promises that much with 3 V at its gate, and write "
        "what it is good for: `transistor_ma = 2001`."
    )


@pytest.mark.parametrize(
    "takes", ["running_ma = 1000\nstalled_ma = 2000", "stalled_ma = 3000\ntransistor_ma = 3000\ndiode_ma = 1500"]
)
def test_a_motor_may_take_what_its_diode_and_its_transistor_stand(takes: str) -> None:
    assert {name for name in told(f"{APPLE}[wiring.motor]\n{takes}\n") if name.startswith("motor")} == set()


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            "suppression_capacitor",
            "The motor has no capacitor across its terminals: its brushes' sparks disturb keys, readers and Wi-Fi.",
        ),
        (
            "bulk_capacitor",
            "The motor's board has no capacitor across its supply: each start takes as much as a motor that is held "
            "fast, and the Pi's 5 V sag.",
        ),
    ],
)
def test_a_motor_without_one_of_its_capacitors_is_told(setting: str, sentence: str) -> None:
    text = f"{APPLE}[wiring.motor]\n{setting} = false\n"
    assert told(text) == {"motor.capacitors": ("note", sentence)}
    assert advice(text, "motor.capacitors").endswith(f"Then `{setting} = true`.")
    assert told(f"{APPLE}[wiring.motor]\n{setting} = true\n") == {}


def test_a_capacitor_softens_the_starts_of_the_supply_that_the_motor_has() -> None:
    text = f"{APPLE}[wiring.motor]\nbulk_capacitor = false\n"
    assert advice(text, "motor.capacitors") == (
        "Put 470 µF or more from 5 V to ground where the motor's wires begin, the stripe at ground. "
        "Then `bulk_capacitor = true`."
    )
    on_batteries = f'{text}supply = "batteries"\n'
    assert told(on_batteries) == {
        "motor.capacitors": (
            "note",
            "The motor's board has no capacitor across its supply: each start takes as much as a motor that is held "
            "fast, and the batteries' volts sag.",
        )
    }
    assert advice(on_batteries, "motor.capacitors") == (
        "Put 470 µF or more from the batteries' + to their - where the motor's wires begin, the stripe at -. "
        "Then `bulk_capacitor = true`."
    )


def test_batteries_without_a_common_ground_are_told() -> None:
    text = f'{APPLE}[wiring.motor]\nsupply = "batteries"\ncommon_ground = false\n'
    assert told(text) == {
        "motor.ground": (
            "wrong",
            "The motor's batteries and the Pi have no ground in common, so that the pin cannot switch the motor.",
        )
    }


def test_a_supply_that_is_too_weak_is_told() -> None:
    text = f"{APPLE}[wiring]\nsupply_a = 0.5\n"
    assert told(text)["currents.supply"] == (
        "wrong",
        "The Raspberry Pi Zero 2 W (typically 0.35 A) and all that hangs on it (at the most) take 0.51 A. At each "
        "start of the motor, and while it is held fast, 1.34 A come on top, 1.85 A in all. The supply gives 0.5 A.",
    )


def test_a_motor_that_starts_or_is_held_fast_is_reckoned_with() -> None:
    text = f"{APPLE}[wiring]\nsupply_a = 1.0\n"
    level, what = told(text)["currents.supply"]
    assert level == "note"
    assert what.endswith(
        "At each start of the motor, and while it is held fast, 1.34 A come on top, 1.85 A in all. The supply gives 1 "
        "A: the Pi would start anew."
    )
    assert advice(text, "currents.supply").startswith("Take a supply of 2 A or more (`supply_a = 2`); or give")


OWN_BATTERIES = "No supply for a Raspberry Pi 3 Model B+ gives more than 3 A: give the motor batteries of its own:"


@pytest.mark.parametrize(
    ("takes", "supply_a"),
    [
        ("stalled_ma = 4501", 5.0),
        ("stalled_ma = 12000", 3.0),
        ("stalled_ma = 12000", 10.0),
        ("running_ma = 5000\nstalled_ma = 5000", 5.0),
    ],
)
def test_a_motor_that_takes_more_than_any_supply_gives_wants_batteries_of_its_own(takes: str, supply_a: float) -> None:
    text = f"{APPLE}[wiring]\npi = '3'\nsupply_a = {supply_a}\n[wiring.motor]\n{takes}\n"
    finding = about_the_supply(text)
    assert (finding.level, finding.do) == (Level.WRONG, f'{OWN_BATTERIES} `supply = "batteries"`.')
    assert finding.what.endswith(": the Pi would start anew.") == ("running" not in takes)
    assert about_the_supply(f'{text}supply = "batteries"\n').level is Level.FINE


@pytest.mark.parametrize(
    ("pi", "stalled_ma", "size_a"),
    [("zero-2-w", 2600, 3), ("3", 2500, 3), ("4", 2400, 3), ("5", 2700, 4), ("5", 4200, 5)],
)
def test_no_supply_is_advised_that_is_not_made_for_that_pi(pi: str, stalled_ma: int, size_a: int) -> None:
    text = f"{APPLE}[wiring]\npi = '{pi}'\nmotor.stalled_ma = {stalled_ma}\n"
    finding = about_the_supply(f"{text}supply_a = 2.5\n")
    or_more = " or more" if size_a == 4 else ""
    assert (finding.level, finding.do) == (
        Level.NOTE,
        f"Take a supply of {size_a} A{or_more} (`supply_a = {size_a}`); or give the motor batteries of its own: "
        '`supply = "batteries"`.',
    )
    assert about_the_supply(f"{text}supply_a = {size_a}\n").level is Level.FINE
    if size_a != 4:
        assert about_the_supply(text.replace(str(stalled_ma), str(stalled_ma + 400))).level is Level.WRONG


def test_a_supply_that_is_larger_than_any_for_that_pi_counts_as_the_largest() -> None:
    text = f"{APPLE}[wiring]\npi = '4'\nsupply_a = 8\n"
    gives = "The supply gives 8 A, of which 3 A count: none that is made for a Raspberry Pi 4 Model B gives more"
    assert about_the_supply(text).what.endswith(f"in all. {gives}.")
    too_much = about_the_supply(f"{text}motor.stalled_ma = 5000\n")
    assert (too_much.level, too_much.what.endswith(f"{gives}: the Pi would start anew.")) == (Level.WRONG, True)


def test_a_motor_on_a_pin_comes_off_it_before_it_gets_batteries() -> None:
    finding = about_the_supply(f"{APPLE}[wiring]\npi = '3'\n[wiring.motor]\ndriver = 'pin'\nstalled_ma = 12000\n")
    assert finding.do == (
        f'{OWN_BATTERIES} `driver = "mosfet"`, `gate_pull_down_ohm = 10000` and `supply = "batteries"`.'
    )


def test_without_a_motor_something_else_has_to_go_when_it_is_more_than_any_supply_gives() -> None:
    lamp = "lamp = { driver = 'transistor', resistor_ohm = 1, led_v = 1.0 }\n"
    finding = about_the_supply(f"{BLOCK}[speaker]\n[wiring]\npi = '5'\n{lamp}")
    assert (finding.level, finding.do) == (
        Level.WRONG,
        "No supply for a Raspberry Pi 5 gives more than 5 A: let less hang on it, and give what takes most a supply of "
        "its own.",
    )


def about_the_supply(text: str) -> Finding:
    [finding] = [finding for finding in electrical_findings(table(text)) if finding.name == "currents.supply"]
    return finding


def test_a_supply_that_is_strong_enough_is_told_with_what_comes_on_top_when_the_motor_starts() -> None:
    finding = about_the_supply(f"{APPLE}[wiring]\nsupply_a = 1.85\n")
    assert finding.level is Level.FINE
    assert finding.what.endswith(
        "take 0.51 A. At each start of the motor, and while it is held fast, 1.34 A come on top, 1.85 A in all. "
        "The supply gives 1.85 A."
    )


@pytest.mark.parametrize("text", [BLOCK, f'{APPLE}[wiring]\nmotor.supply = "batteries"\n'])
def test_nothing_comes_on_top_where_no_motor_hangs_on_the_pi(text: str) -> None:
    assert about_the_supply(text).what.endswith("take 0.35 A, and the supply gives 2.5 A.")


def test_batteries_take_the_motor_off_the_pis_supply() -> None:
    text = f'{APPLE}[wiring]\nsupply_a = 0.5\nmotor.supply = "batteries"\n'
    assert "currents.supply" not in told(text)


@pytest.mark.parametrize(("pi", "amperes"), [("zero-2-w", 0.35 + 2 * 0.08 + 0.1), ("4", 0.6 + 2 * 0.08)])
def test_adapters_take_something_for_themselves_and_a_zero_needs_a_hub_for_two(pi: str, amperes: float) -> None:
    text = "[bank]\n" + "".join(
        f'{side} = {{ reader = "rdm6300", port = "/dev/ttyUSB{place}" }}\n'
        for place, side in enumerate(("left", "right"))
    )
    config = table(f'{text}[wiring]\npi = "{pi}"\n')
    [finding] = supply.whole(circuit_of(config), config.wiring)
    assert f"take {amperes:.2f} A" in finding.what


def test_what_is_on_usb_hangs_on_the_same_supply() -> None:
    typing = '[bank]\nleft = { reader = "keyboard", device = "/dev/input/a" }\n[speaker]\n[wiring]\nsupply_a = 0.9\n'
    assert told(typing)["currents.supply"][0] == "wrong"


def test_a_table_that_is_silent_asks_for_no_speaker_on_usb_but_an_amplifier_keeps_its_pins() -> None:
    silent = f'{BLOCK}[speaker]\nlibrary = "silent"\n[wiring]\nsupply_a = 0.5\n'
    assert told(silent) == {}
    assert told(silent.replace('library = "silent"\n', "")).keys() == {"currents.supply"}
    amplifier = f'{silent.replace("27", "18")}speaker = "max98357a"\n'
    assert "pins.twice" in told(amplifier), "the kernel takes them all the same"


JACK = '[bank]\n[speaker]\n[wiring]\nspeaker = "jack"\n'


@pytest.mark.parametrize(("pi", "name"), [("zero-2-w", "Raspberry Pi Zero 2 W"), ("5", "Raspberry Pi 5")])
def test_a_speaker_on_a_socket_that_a_pi_has_not_is_told(pi: str, name: str) -> None:
    text = f'{JACK}pi = "{pi}"\n'
    assert told(text) == {
        "sound.jack": ("wrong", f"The {name} has no socket for headphones, and the speaker is on one.")
    }
    assert advice(text, "sound.jack") == (
        'Take a speaker on USB (`speaker = "usb"`) or an I²S amplifier (`speaker = "max98357a"`); or, if your Pi has '
        'that socket, write which one it is: `pi = "3"` or `pi = "4"`.'
    )


@pytest.mark.parametrize("pi", ["3", "4"])
def test_a_speaker_may_be_on_the_socket_of_a_pi_that_has_one(pi: str) -> None:
    assert told(f'{JACK}pi = "{pi}"\n') == {}
    assert "sound.jack" in {finding.name for finding in electrical_findings(table(f'{JACK}pi = "{pi}"\n'))}


def test_a_table_that_is_silent_needs_no_socket_for_its_speaker() -> None:
    assert told(JACK) != {}
    assert told(JACK.replace("[speaker]\n", '[speaker]\nlibrary = "silent"\n')) == {}


def test_a_table_without_a_speaker_needs_no_socket_for_it() -> None:
    assert told(JACK.replace("[speaker]\n", "")) == {}
