"""Facts about the hardware that are in more than one place must not differ."""

from __future__ import annotations

import asyncio
import re
from random import Random

import pytest
from gpiozero.pins.pi import PiBoardInfo

from reboard.accessories.installed import accessories
from reboard.config.pins_and_ports import FIRST_PIN, LAST_PIN, PULLED_HIGH_AT_BOOT
from reboard.netlist.hardware_data import gpio, gpio_number, header, jobs, kinds, pin_limits
from reboard.service.motor_off import USUAL_MOTOR_PIN
from reboard.table_config import load_config
from reboard.wiring.table_netlist import circuit_of
from reboard_sim.board.pins import BOOTS_PULLED_UP
from reboard_sim.board.sound_card import VirtualSoundCard
from reboard_sim.virtual_pi import VirtualPi
from tests.reboard.wiring.tables import HARDWARE, SHIPPED, table

ORIGINAL_CARDS = HARDWARE / "original-cards.toml"
SPEED_DIE = HARDWARE / "guides" / "speed-die.toml"


def virtual_pi(text: str) -> VirtualPi:
    async def made() -> VirtualPi:
        clock = asyncio.get_running_loop().time
        return VirtualPi(table(text), clock, rng=Random(1), sound_card=VirtualSoundCard(keep_s=1))

    return asyncio.run(made())


@pytest.mark.parametrize("revision", [0x902120, 0xC04170], ids=["zero-2-w", "5"])
def test_the_header_is_the_one_that_every_pi_has(revision: int) -> None:
    pins = PiBoardInfo.from_revision(revision).headers["J8"].pins
    names = {"3V3": "3.3V", "5V": "5V", "GND": "ground"}
    assert header() == tuple(names.get(pins[number].name, pins[number].name) for number in range(1, 41))


def test_the_data_of_the_pins_is_the_same_everywhere() -> None:
    assert pin_limits().pulled_up_at_start == tuple(PULLED_HIGH_AT_BOOT) == tuple(BOOTS_PULLED_UP)
    numbers = {number for net in header() if (number := gpio_number(net)) is not None}
    [hat] = [job for job in jobs() if "HAT EEPROM" in job.name]
    assert numbers - set(hat.gpios) == set(range(FIRST_PIN, LAST_PIN + 1))
    assert kinds()["rdm6300"].terminals["TX"].drives_from_v == pin_limits().highest_v == 3.5


def test_setup_proposes_the_pins_of_the_drawing_and_motor_off_knows_its_motor() -> None:
    configs = map(load_config, (SHIPPED, SPEED_DIE))
    drawn = {device.label: device.config for config in configs for device in config.devices()}
    usual = {
        device.label: device.usual
        for accessory in accessories().values()
        for device in accessory.fitted
        if device.usual is not None
    }
    assert {label: drawn[label] for label in usual} == usual
    assert usual["apple.motor"] == USUAL_MOTOR_PIN


BUMPS = "left.reader = 'bumps'\nleft.pins = [7, 8, 9]\nright.reader = 'bumps'\nright.pins = [4, 10, 11]\n"


def test_the_virtual_pi_is_wired_as_the_drawing_is() -> None:
    text = re.sub(r"^(left|right) = .*\n", "", SHIPPED.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = text.replace("\n[bank]\n", f"\n[bank]\n{BUMPS}")
    pi = virtual_pi(text)
    drawn = {net for net, users in circuit_of(table(text)).users.items() if "." in users[0]}
    nets = {id(pi.pins.line(number)): gpio(number) for number in range(28)}
    assert {nets[id(line)] for line in pi.wires().values()} == drawn
    assert len(drawn) == 4 + 6 + 8


def test_each_line_to_a_hand_protects_its_pin_and_keeps_its_contact_clean() -> None:
    circuit = circuit_of(load_config(ORIGINAL_CARDS))
    switches = [*circuit.of_kind("card-switch", "push-button", "lever-switch")]
    assert len(switches) == 6 + 2
    for switch in switches:
        line = switch.nets["NO"]
        [pin] = [end for end, _ in circuit.resistors(line) if gpio_number(end) is not None]
        [ohm] = [ohm for end, ohm in circuit.resistors(pin) if end == line]
        assert pin_limits().gives_v / ohm * 1000 < pin_limits().most_ma, "an output on this line by mistake"
        [capacitor] = [part for part in circuit.on(line) if part.kind.name == "line-capacitor"]
        assert capacitor.other_end(line) == "ground"
        assert circuit.pull_ma(line) > (1.0 if switch.kind.name == "card-switch" else 0.5)


@pytest.mark.parametrize("ohm", [10_000, 0])
def test_the_virtual_motor_is_held_off_by_the_resistor_of_the_drawing(ohm: int) -> None:
    text = f"[apple]\nlever = 22\nmotor = 13\n[wiring.motor]\ngate_pull_down_ohm = {ohm}\n"
    [transistor] = circuit_of(table(text)).of_kind("mosfet")
    is_drawn = ("ground", ohm) in circuit_of(table(text)).resistors(transistor.nets["G"])
    assert (virtual_pi(text).wires()["apple_motor"].pull_outside == "down") == is_drawn == bool(ohm)
