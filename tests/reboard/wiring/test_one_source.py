"""What the folder ``hardware`` says, and what else says the same: they must not part."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from random import Random

import pytest
from gpiozero.pins.pi import PiBoardInfo

from reboard.config import load_config
from reboard.errors import ConfigError
from reboard.motor_pins import USUAL_MOTOR_PIN
from reboard.settings.pins_and_ports import FIRST_PIN, LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.setup.draft import USUAL_COLUMNS, USUAL_ROWS, USUAL_WIRING
from reboard.wiring.electrical import motor
from reboard.wiring.facts import facts_of
from reboard.wiring.kinds import kinds
from reboard.wiring.pi import gpio, gpio_number, header, jobs, models, pin_limits
from reboard.wiring.shipped import shipped
from reboard.wiring.soldering import ACCESSORIES, circuit_of
from reboard_sim.pins import BOOTS_PULLED_UP
from reboard_sim.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from tests.reboard.wiring.tables import HARDWARE, SHIPPED, table

FACTS = facts_of(load_config(SHIPPED))


def virtual_pi(text: str) -> VirtualPi:
    async def made() -> VirtualPi:
        clock = asyncio.get_running_loop().time
        return VirtualPi(table(text), clock, rng=Random(1), sound_card=VirtualSoundCard(keep_s=1))

    return asyncio.run(made())


@pytest.mark.parametrize("revision", [0x902120, 0xA020D3, 0xC03111, 0xC04170], ids=["zero-2-w", "3", "4", "5"])
def test_the_header_is_the_one_that_every_pi_has(revision: int) -> None:
    pins = PiBoardInfo.from_revision(revision).headers["J8"].pins
    names = {"3V3": "3.3V", "5V": "5V", "GND": "ground"}
    assert header() == tuple(names.get(pins[number].name, pins[number].name) for number in range(1, 41))


def test_pins_that_are_pulled_up_at_the_start_are_the_same_everywhere() -> None:
    assert pin_limits().pulled_up_at_start == tuple(PULLED_HIGH_AT_BOOT) == tuple(BOOTS_PULLED_UP)


def test_readers_are_measured_against_the_volts_that_are_let_through_to_a_pin() -> None:
    page = (HARDWARE.parent / "docs" / "readers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:above )?([\d.]+) V(?: or less)? \|", page, re.MULTILINE)
    assert [float(volts) for volts in rows] == [pin_limits().highest_v] * 2
    assert kinds()["rdm6300"].terminals["TX"].drives_from_v == pin_limits().highest_v == 3.5


def test_the_pins_that_no_config_can_name_are_those_of_the_add_on_boards_memory() -> None:
    named = {number for wire in header() if (number := gpio_number(wire)) is not None}
    [hat] = [job for job in jobs() if "HAT EEPROM" in job.name]
    assert named - set(hat.gpios) == set(range(FIRST_PIN, LAST_PIN + 1))


def test_every_pi_that_a_config_can_name_is_described() -> None:
    for name in models():
        assert table(f'[block]\nbutton = 17\n[wiring]\npi = "{name}"\n').wiring.pi == name
    with pytest.raises(ConfigError) as refused:
        table('[block]\nbutton = 17\n[wiring]\npi = "2"\n')
    assert set(re.findall(r'"([^"]+)"', f"{refused.value}")) == {*models(), "2"}


def test_the_setup_and_the_motors_last_guard_know_the_drawings_pins() -> None:
    assert {name: FACTS[name] for name in USUAL_WIRING} == USUAL_WIRING
    assert [FACTS[f"bank.keypad.rows.{place}"] for place in range(4)] == USUAL_ROWS
    assert [FACTS[f"bank.keypad.columns.{place}"] for place in range(4)] == USUAL_COLUMNS
    assert FACTS["apple.motor"] == USUAL_MOTOR_PIN


def test_what_the_transistor_and_the_diode_stand_when_nothing_is_said_is_what_the_settings_page_has() -> None:
    page = (HARDWARE.parent / "docs" / "config.md").read_text(encoding="utf-8")
    for setting, kind, terminal in (("transistor_ma", "mosfet", "D"), ("diode_ma", "diode", "anode")):
        [milliamperes, name] = re.findall(rf"^\| `{setting}` .*\| `(\d+)`, an? (\w+)'s \|$", page, re.MULTILINE)[0]
        assert kinds()[kind].terminals[terminal].stands_ma == float(milliamperes)
        assert kinds()[kind].value.startswith(name)


def test_the_volts_at_the_transistors_gate_are_the_same_wherever_they_are_told() -> None:
    transistor = kinds()["mosfet"]
    gate_v = transistor.terminals["G"].wants_v
    weak = table("[apple]\nlever = 22\nmotor = 13\n[wiring.motor]\nstalled_ma = 2001\n")
    [finding] = motor.carried(circuit_of(weak))
    pages = [(HARDWARE.parent / "docs" / name).read_text(encoding="utf-8") for name in ("config.md", "wiring.md")]
    for words in (transistor.look_for, finding.what, finding.do, *pages):
        told = re.findall(r"([\d.]+) V (?:or less )?at (?:its|the) gate", words)
        assert {float(volts) for volts in told} == {gate_v}, words


BUMPS = "left.reader = 'bumps'\nleft.pins = [7, 8, 9]\nright.reader = 'bumps'\nright.pins = [4, 10, 11]\n"


SETTINGS = {
    "block_button": "block.button",
    "block_lamp": "block.lamp",
    "apple_lever": "apple.lever",
    "apple_motor": "apple.motor",
    **{f"key_row_{place + 1}": f"bank.keypad.rows.{place}" for place in range(4)},
    **{f"key_column_{place + 1}": f"bank.keypad.columns.{place}" for place in range(4)},
    **{f"{side}_bump_{2**place}": f"bank.{side}.pins.{place}" for side in ("left", "right") for place in range(3)},
}
"""Which setting names the pin of each of the virtual Pi's wires."""


def test_the_virtual_pi_is_wired_as_the_drawing_is() -> None:
    text = re.sub(r"^(left|right) = .*\n", "", SHIPPED.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = text.replace("\n[bank]\n", f"\n[bank]\n{BUMPS}")
    pi = virtual_pi(text)
    circuit = circuit_of(table(text))
    drawn = {users[0]: wire for wire, users in circuit.users.items() if "." in users[0]}
    pins = {id(pi.pins.line(number)): gpio(number) for number in range(28)}
    assert {SETTINGS[name]: pins[id(line)] for name, line in pi.wires().items()} == drawn
    assert len(drawn) == 4 + 6 + 8


@pytest.mark.parametrize("ohm", [10_000, 0])
def test_the_virtual_motor_is_held_still_by_the_drawings_resistor_if_it_is_there(ohm: int) -> None:
    text = f"[apple]\nlever = 22\nmotor = 13\n[wiring.motor]\ngate_pull_down_ohm = {ohm}\n"
    [transistor] = circuit_of(table(text)).of_kind("mosfet")
    is_drawn = ("ground", ohm) in circuit_of(table(text)).resistors(transistor.wires["G"])
    assert (virtual_pi(text).wires()["apple_motor"].pull_outside == "down") == is_drawn == bool(ohm)


def test_the_readmes_table_names_the_drawings_pins() -> None:
    readme = (HARDWARE.parent / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (block|apple|keypad|display): [^|]*\| ([0-9 ,]+) \|", readme, re.MULTILINE))
    circuits = {
        "block": ("button", "lamp"),
        "apple": ("lever", "motor"),
        "keypad": ("keypad",),
        "display": ("display",),
    }
    parts = circuit_of(load_config(SHIPPED)).parts
    for row, names in circuits.items():
        wires = [wire for part in parts if part.circuit in names for wire in part.wires.values()]
        drawn = [number for wire in wires if (number := gpio_number(wire)) is not None]
        assert [int(number) for number in re.findall(r"\d+", rows[row])] == drawn


def said_in(accessory: str) -> list[str]:
    """The conditions, numbers and pins that a file of circuits asks for, those of the left slot for both."""
    text = (HARDWARE / f"{accessory}.toml").read_text(encoding="utf-8").replace("{side}", "left")
    code = re.sub(r"^#.*", "", text, flags=re.MULTILINE)
    return sorted(
        {name.removeprefix("@") for name in re.findall(r'"(@?(?:block|apple|bank|wiring)\.[a-z0-9_.]+)', code)}
    )


@pytest.mark.parametrize("accessory", ACCESSORIES)
def test_what_the_circuits_ask_for_is_what_a_config_can_say(accessory: str) -> None:
    pins = facts_of(table('[bank]\nleft = { reader = "bumps", pins = [7, 8, 9] }\n'))
    assert [name for name in said_in(accessory) if name not in FACTS and name not in pins] == []


@pytest.mark.parametrize("accessory", ACCESSORIES)
def test_parts_are_wired_by_terminals_that_they_have(accessory: str) -> None:
    for circuit in shipped(accessory)["circuit"]:
        for part in circuit["part"]:
            assert set(part["to"]) <= set(kinds()[part["kind"]].terminals), part["name"]


def test_every_kind_of_part_is_used_somewhere() -> None:
    used = {part["kind"] for name in ACCESSORIES for circuit in shipped(name)["circuit"] for part in circuit["part"]}
    assert used == set(kinds())


def test_the_files_that_are_shipped_are_those_of_the_folder() -> None:
    package = Path(__file__).parents[3] / "firmware" / "reboard" / "wiring"
    assert {file.name for file in package.glob("*.toml")} == {f"{name}.toml" for name in ("pi", "parts", *ACCESSORIES)}
    assert all(file.resolve().parent == HARDWARE for file in package.glob("*.toml"))
