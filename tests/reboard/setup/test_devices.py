"""How setup finds and tries each device."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from gpiozero import LED
from hypothesis import given
from hypothesis import strategies as st

from reboard.devices.audio.libraries import SilentSink
from reboard.devices.displays.display_controller import DisplayConfig
from reboard.devices.gpio.gpio_pin import InputPin
from reboard.devices.keypad import LEGEND, KeypadConfig
from reboard.devices.keypad_discovery import keys_to_press, rows_and_columns
from reboard.devices.speaker import SpeakerConfig
from reboard.setup import setup_context
from reboard.setup.setup_context import kernel_pins
from reboard_sim.accessories.installed import faults
from tests.reboard.doctor.made_up import MadeUpMachine
from tests.reboard.setup.acts import (
    LINES,
    comes_to,
    comes_to_part,
    has_nothing_after,
    press,
    press_key,
    presses_every_key,
)
from tests.reboard.setup.person import Person, set_up_at
from tests.waiting import PATIENCE_S

BLOCK = "[block]\nbutton = 4\nlamp = 20\n"
APPLE = "[apple]\nlever = 22\nmotor = 13\n"
OTHER_KEYPAD = "[bank]\nkeypad = { rows = [4, 7, 8, 9], columns = [10, 11, 18, 19] }\n"
DISPLAY = '[bank]\ndisplay = { driver = "hd44780-i2c", address = 0x3F }\n'
BUTTON = "Which pin is its button on? Type a number, or f to find it."
FINGERS = "The motor will turn for a second. Are all fingers away from it? y or n? [n]"


async def finds_the_button(person: Person) -> None:
    await comes_to(person, "block")
    await person.answers(BUTTON, "f")
    await person.sees("Press the button now.")


async def has_the_button(person: Person) -> None:
    await comes_to(person, "block")
    await person.answers(BUTTON, "4")
    await person.sees("Press the button now.")
    await press(person.pi["block.button"])


async def test_while_a_button_is_searched_nothing_pulls_up_lamp_or_motor(pi: MadeUpMachine) -> None:
    levels: list[bool] = []

    async with set_up_at(pi, BLOCK) as person:
        await finds_the_button(person)
        levels.extend(person.pi.pins.line(pin).level for pin in (13, 27))
        person.types("q")
    assert levels == [False, False]


async def test_a_pin_that_hears_nothing_is_asked_for_again(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, BLOCK) as person:
        await finds_the_button(person)
        person.types("")
        await person.sees("No free pin received a signal")
        await person.answers(BUTTON, "17", "Press Enter if nothing happens.", "")
        await person.answers("Use this pin anyway? y or n? [n]", "", BUTTON, "4")
        await person.sees("Press the button now.")
        await press(person.pi["block.button"])
        await person.answers("a lamp?", "q")


async def test_a_pin_that_is_not_free_is_rejected_with_its_user(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, BLOCK) as person:
        await comes_to(person, "block")
        for answer in ("seventeen", "1", "28", "-4", "²"):
            await person.answers(BUTTON, answer)
            await person.sees("Type a number from 2 to 27")
        await person.answers(BUTTON, "13")
        await person.sees("by the apple's motor in the drawing.")
        await person.answers(BUTTON, "4")
        await person.sees("Press the button now.")
        await press(person.pi["block.button"])
        await person.answers("a lamp?", "y", "Which pin is the lamp on?", "4")
        await person.sees("by block.button.")
        person.types("q")


@pytest.mark.parametrize(
    ("file", "text", "pins"),
    [
        ("/dev/i2c-1", "", {2, 3}),
        ("/dev/ttyS0", "", {14, 15}),
        ("/proc/device-tree/soc/i2s@7e203000/status", "okay\0", {18, 19, 20, 21}),
        ("/proc/device-tree/axi/pcie@120000/rp1/i2s@a0000/status", "okay\0", {18, 19, 20, 21}),
        ("/proc/device-tree/soc/i2s@7e203000/status", "disabled\0", set()),
    ],
)
async def test_pins_that_the_kernel_uses_are_not_touched(
    pi: MadeUpMachine, monkeypatch: pytest.MonkeyPatch, file: str, text: str, pins: set[int]
) -> None:
    for name in ("/dev/i2c-1", "/dev/ttyAMA0"):
        pi.remove(name)
    pi.write(file, text)
    touched: set[int] = set()

    def touching(pin: int, **how: Any) -> InputPin:
        touched.add(pin)
        return InputPin(pin, **how)

    monkeypatch.setattr(setup_context, "InputPin", touching)
    async with set_up_at(pi, BLOCK) as person:
        await finds_the_button(person)
        person.types("")
        await person.answers(BUTTON, str(min(pins, default=13)))
        await person.sees("is already used")
        person.types("q")
    assert {2, 3, 14, 15, 18, 19, 20, 21} - touched == pins


def test_pins_of_other_programs_are_taken_and_those_of_bluetooths_port_are_not(pi: MadeUpMachine) -> None:
    pi.link("/dev/serial1", "ttyAMA0")
    pi.taken_by(GPIO4="onewire@4")
    assert kernel_pins(pi) == {4: "onewire@4", 2: "the I²C bus", 3: "the I²C bus"}


async def test_a_lamp_that_does_not_blink_is_asked_for_again(pi: MadeUpMachine) -> None:
    blinks = []

    async with set_up_at(pi, BLOCK) as person:
        person.pi["block.lamp"].line.on_change.append(lambda _, duty: blinks.append(duty))
        await has_the_button(person)
        await person.answers("a lamp?", "y", "Which pin is the lamp on? [27]", "19", "Did the lamp blink 3 times?", "n")
        assert not blinks
        await person.answers("Which pin is the lamp on? [27]", "20", "Did the lamp blink 3 times?", "y")
        await has_nothing_after(person, "block")
    assert person.config.section("block").lamp == 20
    assert [duty for duty in blinks if duty] == [1.0] * 3


async def comes_to_the_motor(person: Person) -> None:
    await comes_to(person, "apple")
    await person.answers("its lever on?")
    await person.sees("Pull the lever all the way back and let go now.")
    await press(person.pi["apple.lever"])
    await person.answers("a motor?", "y")


Changes = list[tuple[float, bool, list[int]]]


@asynccontextmanager
async def asked_about_the_motor(pi: MadeUpMachine) -> AsyncIterator[tuple[Person, Changes]]:
    """Setup asks whether it may turn the motor: the person, and the changes of its line with the pins guarded then."""
    changes: Changes = []
    async with set_up_at(pi, APPLE) as person:
        motor = person.pi.pins.line(13)
        motor.on_change.append(lambda t, duty: changes.append((t, duty > 0, [*person.guarded])))
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on? [13]")
        await person.sees(FINGERS)
        yield person, changes
        await asyncio.sleep(3)
        assert not motor.level


async def test_the_motor_turns_for_a_second_at_most_and_is_guarded(pi: MadeUpMachine) -> None:
    async with asked_about_the_motor(pi) as (person, changes):
        person.types("y")
    on = [t for t, is_on, _ in changes if is_on]
    assert 0.5 < changes[-1][0] - on[0] < 0.99, "it is not ended by its limit"
    assert all(guarded == [13] for _, is_on, guarded in changes if is_on)


@pytest.mark.parametrize("has_resistor", [True, False])
async def test_a_gate_without_its_resistor_to_ground_is_named(pi: MadeUpMachine, has_resistor: bool) -> None:
    async with asked_about_the_motor(pi) as (person, _):
        if not has_resistor:
            person.pi.pins.line(13).pull_outside = None
        person.types("y")
        await person.sees("Did it turn and then stop?")
    assert ("nothing holds GPIO13 low" in " ".join(person.said.split())) == (not has_resistor)


@pytest.mark.parametrize("answer", ["", "n", "b", "s", "q"])
async def test_the_motor_does_not_turn_without_a_yes(pi: MadeUpMachine, answer: str) -> None:
    async with asked_about_the_motor(pi) as (person, changes):
        person.types(answer)
    assert not any(is_on for _, is_on, _ in changes)


async def test_a_motor_that_turns_stops_when_the_terminal_is_closed(pi: MadeUpMachine) -> None:
    async with asked_about_the_motor(pi) as (person, changes):
        person.types("y")
        person.hangs_up()
    assert any(is_on for _, is_on, _ in changes)


async def test_a_motor_needs_a_pin_that_is_low_at_the_start_and_is_asked_for_until_it_turns(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, APPLE) as person:
        await comes_to_the_motor(person)
        await person.answers("Which pin is the motor on? [13]", "7")
        await person.sees("A Pi pulls pins 0 to 8 high while it starts")
        await person.answers("Which pin is the motor on? [13]", "18", FINGERS, "y", "Did it turn and then stop?", "n")
        await person.answers("Which pin is the motor on? [13]", "", FINGERS, "n")
        await has_nothing_after(person, "apple")
    assert person.config.section("apple").motor == 13


def becomes(person: Person, *, lit: bool) -> bool:
    """Return whether the display is lit, or dark, soon; a thread switches it."""
    deadline = time.monotonic() + PATIENCE_S
    while person.pi["bank.display"].is_lit != lit and time.monotonic() < deadline:
        time.sleep(0.001)
    return bool(person.pi["bank.display"].is_lit == lit)


async def test_a_display_is_found_by_reading_it_and_goes_dark_again(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, DISPLAY) as person:
        person.pi.misbehave(faults()["blank bank.display"], True)
        await comes_to_part(person, "display")
        await person.answers('Does it show "Can you read this?"', "n")
        await person.sees("A device answers at 0x3F on bus 1, but shows nothing that you can read.")
        await person.answers("What does it show? [empty]", "")
        await person.sees("it needs 5 V: at 3.3 V most displays answer and are lit, but show nothing.")
        person.pi.misbehave(faults()["blank bank.display"], False)
        await person.answers("Search again?", "")
        await person.sees('Does it show "Can you read this?"')
        assert person.pi["bank.display"].is_lit
        person.types("y")
        await person.sees("Is there a keypad?")
        assert becomes(person, lit=False)
        person.types("n")
        await has_nothing_after(person, "bank")
    assert person.config.section("bank").display == DisplayConfig("hd44780-i2c", 1, 0x3F)


@pytest.mark.parametrize(("driver", "answers"), [("sh1106", "y"), ("ssd1306", "ny")])
async def test_of_the_displays_with_an_address_each_is_tried(pi: MadeUpMachine, driver: str, answers: str) -> None:
    async with set_up_at(pi, f'[bank]\ndisplay = {{ driver = "{driver}" }}\n') as person:
        await comes_to_part(person, "display")
        for answer in answers:
            await person.sees('Does it show "Can you read this?"')
            assert becomes(person, lit=answer == "y")
            person.types(answer)
        await person.answers("Is there a keypad?", "n")
        await has_nothing_after(person, "bank")
    assert person.config.section("bank").display == DisplayConfig(driver, 1, 0x3C)


@pytest.mark.parametrize(
    ("cause", "words"),
    [("disconnected", "display's power"), ("off", "reboard setup boot"), ("hanging", "I²C bus 1 hangs")],
)
async def test_setup_says_why_a_display_or_keypad_cannot_be_tried(pi: MadeUpMachine, cause: str, words: str) -> None:
    if cause == "off":
        pi.remove("/dev/i2c-1")
    if cause == "hanging":
        pi.hangs.add("work")

    async with set_up_at(pi, DISPLAY) as person:
        person.pi.misbehave(faults()["display"], cause == "disconnected")
        await comes_to_part(person, "display")
        await person.sees(words)
        await person.answers("Search again?", "n", "Is there a keypad?", "")
        with LED(23, pin_factory=person.pi.pins):
            await person.answers("Is it wired like that?")
            await person.sees("GPIO23")
        person.types("q")


async def test_a_keypad_with_any_wiring_is_found_by_seven_keys(pi: MadeUpMachine) -> None:
    async with set_up_at(pi, f"{OTHER_KEYPAD}[block]\nbutton = 17\n") as person:
        await comes_to_part(person, "keypad")
        person.pi["block.button"].press()  # a pin that is low all the time belongs to no key
        await person.answers("Is it wired like that?", "y", "Press Enter to finish.", "")
        await person.answers("Use the keypad anyway? Answer n to find its pins by pressing seven keys. y or n? [n]")
        for _ in keys_to_press(LEGEND):
            await person.sees("Press ")
            await press_key(person, "5")
        await person.sees("No keypad is wired like that")
        for key in keys_to_press(LEGEND):
            await person.sees(f"Press {key}.")
            await press_key(person, key)
        await presses_every_key(person)
        await has_nothing_after(person, "bank")
    config = person.config
    assert config.section("bank").keypad == KeypadConfig((4, 7, 8, 9), (10, 11, 18, 19))


@given(st.permutations(range(2, 28)))
def test_seven_keys_identify_every_wire(pins: list[int]) -> None:
    rows, columns = pins[:4], pins[4:8]
    place = {key: (row, column) for row, keys in enumerate(LEGEND) for column, key in enumerate(keys)}
    pairs = {key: frozenset({rows[place[key][0]], columns[place[key][1]]}) for key in keys_to_press(LEGEND)}
    assert rows_and_columns(pairs, LEGEND) == (rows, columns)


def hears(device: str, default: str = "") -> str:
    return f"plughw:CARD={device} played a sound. Did you hear it?" + (f" y or n? [{default}]" if default else "")


async def comes_to_the_speaker(person: Person) -> None:
    await person.answers(LINES, "n")
    await person.answers("Which edition do you play?", "", "question block?", "s")
    for part in ("a lamp?", "worm apple?", "banker unit", "speed die?"):
        await person.answers(part, "n")
    await person.answers("Is there a speaker?", "y")


async def test_each_sound_card_plays_until_one_is_heard_and_enter_keeps_the_present_one_only(pi: MadeUpMachine) -> None:
    pi.write("/proc/asound/cards", " 0 [vc4hdmi0       ]: vc4-hdmi\n 1 [Device         ]: USB-Audio\n")
    heard = []

    before = f'{BLOCK}[speaker]\ndevice = "plughw:CARD=Device"\nvolume = 1\n'
    async with set_up_at(pi, BLOCK, before=before) as person:
        await comes_to_the_speaker(person)
        await person.answers(hears("Device", "y"), "n", hears("vc4hdmi0", "n"), "", "Try again?", "y")
        await person.answers(hears("Device", "y"), "n", hears("vc4hdmi0", "n"), "y")
        heard.append(person.pi.sound_card.heard_between(0, 1e6))
        await has_nothing_after(person, "speaker")
    config = person.config
    assert heard == [True]
    assert config.speaker == SpeakerConfig(device="plughw:CARD=vc4hdmi0", volume=1)


@pytest.mark.parametrize(
    ("heard", "words"), [("nothing", "SD must not be at ground"), ("noise", "two of them are swapped")]
)
async def test_an_amplifier_that_is_wired_wrongly_is_recognised_by_its_sound(
    pi: MadeUpMachine, heard: str, words: str
) -> None:
    pi.write("/proc/asound/cards", " 0 [MAX98357A      ]: MAX98357A\n")
    async with set_up_at(pi, BLOCK, before=BLOCK) as person:
        await comes_to_the_speaker(person)
        await person.answers(hears("MAX98357A", "n"), "n", "What do you hear from the amplifier?", heard)
        await person.sees(words)
        await person.answers("Try again?", "y", hears("MAX98357A"), "q")


async def test_hdmi_that_works_under_another_name_only_is_kept_under_that_name(pi: MadeUpMachine) -> None:
    pi.write("/proc/asound/cards", " 0 [vc4hdmi0       ]: vc4-hdmi\n")
    async with set_up_at(pi, BLOCK, before=f"{BLOCK}[speaker]\nvolume = 1\n") as person:
        card = person.pi.sound_card
        person.pi.open_sink = lambda _, device, **how: (  # type: ignore[method-assign]
            SilentSink("it takes another format") if str(device).startswith("plughw") else card
        )
        await comes_to_the_speaker(person)
        await person.answers("sysdefault:CARD=vc4hdmi0 played a sound. Did you hear it? y or n? [n]", "y")
        await has_nothing_after(person, "speaker")
    assert person.config.speaker == SpeakerConfig(device="sysdefault:CARD=vc4hdmi0", volume=1)
