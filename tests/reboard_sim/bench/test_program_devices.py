"""The devices of a program on the bench in a browser. The program is the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from gpiozero import PWMLED, AngularServo, Button, LEDCharDisplay, Motor, TonalBuzzer, TrafficLights
from playwright.sync_api import Locator, Page, expect

from reboard.record import replace as changed
from reboard.table_config import TableConfig
from reboard_sim.bench.panels import PROGRAM
from reboard_sim.bench.table_thread import TableThread
from reboard_sim.devices.opened import opened_device
from reboard_sim.plays.program_language import program_parser
from reboard_sim.scene import Scene
from reboard_sim.virtual_pi import VirtualPi
from tests.reboard_sim.bench.conftest import served
from tests.reboard_sim.bench.test_targets import PHONE, too_small
from tests.waiting import eventually

pytestmark = pytest.mark.realtime

T = TypeVar("T")

SEGMENTS = dict(zip("abcdefg", (5, 6, 9, 10, 11, 15, 16), strict=True))
DEVICES = (
    opened_device("button", "contact", {"": 4}, active_high=False),
    opened_device("door", "switch", {"": 20}),
    opened_device("led", "lamp", {"": 17}),
    opened_device("lights", "leds", {"green": 24, "amber": 23, "red": 22}),
    opened_device("arm", "servo", {"": 18}),
    opened_device("wheel", "h_bridge", {"forward": 7, "backward": 8}),
    opened_device("buzzer", "buzzer", {"": 12}),
    opened_device("distance", "distance", {"echo": 2, "trigger": 3}),
    opened_device("digit", "digits", SEGMENTS),
    opened_device("knob", "encoder", {"a": 0, "b": 1}),
)


class Bare(Scene):
    """A table without accessories."""

    def config(self) -> TableConfig:
        return changed(super().config(), sections={})


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableThread]:
    scene = Bare.of_text("[block]\nbutton = 17\n", Path("bench.toml"), tmp_path)
    with closing(TableThread(scene, seed=1)) as table:
        table._stage.parser = program_parser()
        run(table, lambda pi: [pi.open_device(device) for device in DEVICES])
        yield table


@pytest.fixture
def url(table: TableThread) -> Iterator[str]:
    with served(table, runtime=replace(PROGRAM, has_program=True)) as url:
        yield url


def run(table: TableThread, program: Callable[[VirtualPi], T]) -> T:
    """Call *program* in the thread of *table*, and return what it returns."""

    async def called() -> T:
        return program(table._stage.table.pi)

    return table._thread.call(called())


def state(table: TableThread, label: str) -> Any:
    return table.hardware()["devices"][label]


def of(page: Page, label: str) -> Locator:
    return page.locator(f'[data-device="{label}"]')


def test_what_a_program_drives_is_shown_with_a_name_and_a_value(table: TableThread, page: Page) -> None:
    expect(page.locator("#opened > .widget")).to_have_count(len(DEVICES))
    assert [*page.locator("#opened .widget > span").all_text_contents()] == [each.label for each in DEVICES]
    expect(of(page, "wheel")).to_contain_text("GPIO7, 8")

    def program(pi: VirtualPi) -> list[Any]:
        led, lights = PWMLED(17, pin_factory=pi.pins), TrafficLights(22, 23, 24, pin_factory=pi.pins)
        arm, wheel = AngularServo(18, pin_factory=pi.pins), Motor(7, 8, pin_factory=pi.pins)
        buzzer = TonalBuzzer(12, pin_factory=pi.pins)
        digit = LEDCharDisplay(*SEGMENTS.values(), pin_factory=pi.pins)
        led.value, arm.angle, digit.value = 0.4, 30, "7"
        lights.red.on()
        lights.amber.on()
        wheel.backward(0.3)
        buzzer.play("A4")
        return [led, lights, arm, wheel, buzzer, digit]

    opened = run(table, program)
    for label, name in {
        "led": "led: 40 %",
        "lights": "lights: red, amber",
        "arm": "arm: 30 degrees",
        "wheel": "wheel: backward, 30 %",
        "digit": "digit: 7",
    }.items():
        expect(of(page, label).get_by_role("img", name=name, exact=True)).to_be_visible()
    expect(of(page, "buzzer").get_by_role("status", name="buzzer")).to_have_text("♪ 440 Hz")
    del opened


def test_every_control_works_with_the_keyboard(table: TableThread, open_page: Callable[..., Page]) -> None:
    page = open_page(locale="de")
    button = run(table, lambda pi: Button(4, pin_factory=pi.pins))
    page.get_by_role("button", name="button", exact=True).focus()
    page.keyboard.down("Space")
    eventually(lambda: button.is_pressed, "the button is pressed", page)
    page.keyboard.up("Space")
    eventually(lambda: not button.is_pressed, "the button is released", page)
    switch = page.get_by_role("switch", name="door")
    switch.press("Space")
    expect(switch).to_be_checked()
    expect(switch).to_have_text("an")
    switch.press("Enter")
    expect(switch).not_to_be_checked()
    slider = page.get_by_role("slider", name="distance")
    expect(slider).to_have_attribute("aria-valuetext", "50 cm")
    for _ in range(3):
        slider.press("ArrowRight")
    eventually(lambda: state(table, "distance")["value"] == 53, "the slider has moved", page)
    expect(of(page, "distance").locator("output")).to_have_text("53 cm")
    page.get_by_role("group", name="knob").get_by_role("button", name="im Uhrzeigersinn", exact=True).press("Enter")
    eventually(lambda: state(table, "knob")["steps"] == 1, "the knob is turned", page)


def test_a_finger_reaches_everything_on_a_phone(table: TableThread, open_page: Callable[..., Page]) -> None:
    page = open_page(**PHONE)
    expect(page.locator("#opened > .widget")).to_have_count(len(DEVICES))
    assert too_small(page, "#opened") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    of(page, "door").get_by_role("switch").tap()
    eventually(lambda: state(table, "door"), "the switch is on", page)


def test_a_line_of_a_play_moves_what_the_page_shows(table: TableThread, page: Page) -> None:
    field = page.locator("#act-line")
    field.fill("set door on")
    field.press("Enter")
    expect(page.get_by_role("switch", name="door")).to_be_checked()
    field.fill("press led")
    field.press("Enter")
    expect(page.locator("#refusal")).to_contain_text("led cannot do this")
