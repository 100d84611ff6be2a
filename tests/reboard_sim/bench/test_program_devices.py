"""A program and its devices on the bench in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from reboard_sim.script.script_bench import SCRIPT, ScriptThread
from reboard_sim.script.script_table import ScriptScene
from tests.barriers import barriers
from tests.reboard_sim.bench.conftest import served
from tests.reboard_sim.bench.test_targets import PHONE, too_small
from tests.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.realtime

PROGRAM = """
import warnings
from gpiozero import *
from signal import pause

warnings.simplefilter("ignore")
button, door, knob = Button(4), MotionSensor(20), RotaryEncoder(0, 1)
led, lights, colour = PWMLED(17), TrafficLights(22, 23, 24), RGBLED(2, 3, 14)
arm, wheel, buzzer = AngularServo(18), Motor(7, 8), TonalBuzzer(12)
digit = LEDCharDisplay(5, 6, 9, 10, 11, 15, 16)
ears = DistanceSensor(echo=13, trigger=19)

led.value = 0.4
lights.red.on()
lights.amber.on()
colour.color = (1, 0.5, 0)
arm.angle = 30
wheel.backward(0.3)
buzzer.play("A4")
digit.value = "7"

button.when_pressed = lambda: print("pressed")
button.when_released = lambda: print("released")
door.when_motion = lambda: print("motion")
print("Hello", input("Your name? "))
pause()
"""
LABELS = ["console", "button", "door", "knob", "led", "lights", "colour", "arm", "wheel", "buzzer", "digit", "ears"]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ScriptThread]:
    (program := tmp_path / "game.py").write_text(PROGRAM)
    scene = ScriptScene(program, {}, {}, state=tmp_path)
    with closing(ScriptThread(scene, seed=1, show=lambda *_: None)) as table:
        yield table


@pytest.fixture
def url(table: ScriptThread) -> Iterator[str]:
    with served(table, runtime=SCRIPT) as url:
        yield url


def restart(table: ScriptThread) -> None:
    """Start the program again: pytest has replaced the output streams since the fixture."""
    table.do(["power off", "power on"]).result(PATIENCE_S)


def of(page: Page, label: str) -> Locator:
    return page.locator(f'[data-device="{label}"]')


def printed(page: Page) -> Locator:
    return of(page, "console").get_by_role("log")


def test_what_a_program_drives_is_shown_with_a_name_and_a_value_on_and_off(page: Page) -> None:
    expect(page.locator("#opened .widget > span")).to_have_text(LABELS)
    expect(of(page, "wheel")).to_contain_text("GPIO7, 8")
    for label, name in {
        "led": "led: 40 %",
        "lights": "lights: red, amber",
        "colour": "colour: #ff8000",
        "arm": "arm: 30 degrees",
        "wheel": "wheel: backward, 30 %",
        "digit": "digit: 7",
    }.items():
        expect(of(page, label).get_by_role("img", name=name, exact=True)).to_be_visible()
    expect(of(page, "buzzer").get_by_role("status", name="buzzer")).to_have_text("♪ 440 Hz")
    page.get_by_role("switch", name="Power").click()
    expect(of(page, "led").get_by_role("img", name="led: off")).to_be_visible()
    page.get_by_role("switch", name="Power").click()
    expect(of(page, "led").get_by_role("img", name="led: 40 %")).to_be_visible()
    expect(page.locator("#opened > .widget")).to_have_count(len(LABELS))


def test_every_control_works_with_the_keyboard(table: ScriptThread, open_page: Callable[..., Page]) -> None:
    restart(table)
    page = open_page(locale="de")
    page.get_by_role("button", name="button", exact=True).focus()
    page.keyboard.down("Space")
    expect(printed(page)).to_contain_text("pressed")
    page.keyboard.up("Space")
    expect(printed(page)).to_contain_text("released")
    switch = page.get_by_role("switch", name="door")
    switch.press("Space")
    expect(switch).to_be_checked()
    expect(switch).to_have_text("an")
    expect(printed(page)).to_contain_text("motion")
    switch.press("Enter")
    expect(switch).not_to_be_checked()
    slider = page.get_by_role("slider", name="ears")
    expect(slider).to_have_attribute("aria-valuetext", "50 cm")
    for _ in range(3):
        slider.press("ArrowRight")
    eventually(lambda: state(table, "ears")["value"] == 53, "the slider has moved", page)
    expect(of(page, "ears").locator("output")).to_have_text("53 cm")
    page.get_by_role("group", name="knob").get_by_role("button", name="im Uhrzeigersinn", exact=True).press("Enter")
    eventually(lambda: state(table, "knob")["steps"] == 1, "the knob is turned", page)
    answer = page.get_by_role("textbox", name="Antwort an das Programm")
    answer.fill("it's me")
    answer.press("Enter")
    expect(page.get_by_role("log", name="Was das Programm ausgibt")).to_contain_text("Hello it's me")
    expect(answer).to_be_hidden()


def test_a_finger_reaches_everything_on_a_phone(table: ScriptThread, open_page: Callable[..., Page]) -> None:
    restart(table)
    page = open_page(**PHONE)
    expect(page.locator("#opened > .widget")).to_have_count(len(LABELS))
    assert too_small(page, "#opened") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    of(page, "door").get_by_role("switch").tap()
    expect(printed(page)).to_contain_text("motion")


def test_a_line_of_a_play_moves_what_the_page_shows(page: Page) -> None:
    field = page.locator("#act-line")
    field.fill("set door on")
    field.press("Enter")
    expect(page.get_by_role("switch", name="door")).to_be_checked()
    field.fill("press led")
    field.press("Enter")
    expect(page.locator("#refusal")).to_contain_text("led cannot do this")


def test_a_fault_of_a_device_is_begun_on_the_page(table: ScriptThread, page: Page) -> None:
    page.locator("#faults-title").click()
    page.get_by_role("button", name="stuck button").click()
    expect(page.locator("#faults-active")).to_have_text("1 active: stuck button")
    expect(page.locator("#faults h3:visible")).to_have_text(["button", "contacts", "sound card", "speech"])
    page.get_by_role("button", name="stuck button").click()
    expect(page.locator("#faults-active")).to_have_text("none active")


def test_the_board_has_no_barriers(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 320, "height": 640}, color_scheme="light", locale="fr")
    expect(page.locator("#opened > .widget")).to_have_count(len(LABELS))
    assert barriers(page) == []
    page.emulate_media(color_scheme="dark")
    assert barriers(page) == []


def state(table: ScriptThread, label: str) -> Any:
    return table.hardware()["devices"][label]
