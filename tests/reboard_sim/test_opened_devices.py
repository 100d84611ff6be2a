"""The devices that a program opens on the virtual Pi."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest
from gpiozero import LED, AngularServo

from reboard.devices.contact import BUTTON, LEVER
from reboard.devices.device import FittedDevice
from reboard_sim.bench.panels import described
from reboard_sim.devices.device import VirtualBoard
from reboard_sim.devices.opened import opened_device
from reboard_sim.devices.serial_terminal import TERMINAL, TerminalConfig
from reboard_sim.devices.slider import OutOfRangeError
from reboard_sim.plays.play import Player
from reboard_sim.plays.play_language import PlayError
from reboard_sim.plays.program_language import program_parser
from reboard_sim.scene import Scene
from reboard_sim.virtual_table import VirtualTable


def new_board() -> VirtualBoard:
    return VirtualBoard(asyncio.get_running_loop().time, Random(1))


async def test_a_slider_keeps_its_value_when_a_program_opens_it_again() -> None:
    board = new_board()
    heard: list[float] = []
    slider = board.open_device(opened_device("light", "slider"))
    slider.on_change.append(heard.append)  # type: ignore[attr-defined]
    slider.acts()["set"](0.25)
    assert board.open_device(opened_device("light", "slider")) is slider
    assert (slider.shows(), heard) == (["0.25"], [0.25])
    with pytest.raises(OutOfRangeError, match=r"1\.5 is not in the range from 0 to 1"):
        slider.acts()["set"](1.5)
    with pytest.raises(ValueError, match="two devices with the name light"):
        board.open_device(opened_device("light", "slider", {"": 4}))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("set light 1.5", "is not in the range"),
        ("set light high", "'high' is not a number"),
        ("set door 1", "opened no device door: its devices are light"),
        ("set light on", "light cannot do this: use set light NUMBER"),
        ("press light", "light cannot do this: use set light NUMBER"),
        ("fault stuck light", "cannot have the fault stuck, and no other one"),
        ("fault loud light", "there is no fault 'loud light': choose one of"),
        ("juggle light", "not an act or a check"),
    ],
)
async def test_a_wrong_line_at_a_program_names_what_is_right(line: str, problem: str, tmp_path: Path) -> None:
    table = VirtualTable(Scene.of_text("[block]\nbutton = 17", Path("bench.toml"), tmp_path), seed=1)
    table.pi.open_device(opened_device("light", "slider"))
    with pytest.raises(PlayError, match=problem):
        await Player(table).perform(program_parser().parse(line))
    await table.close()


PLAY = """
press button
set light 0.25
expect light 0.25
expect not light 0.5
set door on
expect door on
set door off
expect door off
fault stuck button
hold button
mend stuck button
release button
turn knob back 2
"""


async def test_a_play_uses_the_devices_of_a_program(tmp_path: Path) -> None:
    table = VirtualTable(Scene.of_text("[block]\nbutton = 17", Path("bench.toml"), tmp_path), seed=1)
    for label, kind, pins in (
        ("button", "contact", {"": 4}),
        ("light", "slider", {}),
        ("door", "switch", {"": 5}),
        ("knob", "encoder", {"a": 6, "b": 7}),
    ):
        table.pi.open_device(opened_device(label, kind, pins))
    await Player(table).perform(program_parser().parse(PLAY))
    assert table.pi["knob"].steps == -2
    await table.close()


async def opened_by(program: str, kind: str, pins: dict[str, int], *, active_high: bool = True) -> Any:
    """Return the device of a kind on a board with power, on which gpiozero's *program* has made `device`."""
    board = new_board()
    board.pins.power_on()
    virtual = board.open_device(opened_device("it", kind, pins, active_high=active_high))
    names: dict[str, Any] = {"factory": board.pins}
    exec(f"from gpiozero import *\nDevice.pin_factory = factory\ndevice = {program}", names)
    return virtual, names["device"]


async def test_what_gpiozero_switches_is_shown() -> None:
    lamp, led = await opened_by("PWMLED(17, active_high=False)", "lamp", {"": 17}, active_high=False)
    assert lamp.shows() == ["off"]
    led.value = 0.25
    assert lamp.shows() == ["on", "0.25"]
    colour, rgb = await opened_by("RGBLED(2, 3, 4)", "rgb_led", {"red": 2, "green": 3, "blue": 4})
    rgb.color = (1, 0.5, 0)
    assert colour.shows() == ["on", "#ff8000"]
    arm, servo = await opened_by("AngularServo(18)", "servo", {"": 18})
    servo.angle = -30
    assert arm.shows() == ["on", "-30"]
    servo.detach()
    assert arm.shows() == ["off", "-30"]
    sound, tone = await opened_by("TonalBuzzer(18)", "buzzer", {"": 18})
    tone.play("A4")
    assert sound.shows() == ["on", "440 Hz"]
    sound, buzzer = await opened_by("Buzzer(18)", "buzzer", {"": 18})
    buzzer.on()
    assert sound.shows() == ["on", "2400 Hz"]
    buzzer.off()
    assert sound.shows() == ["off"]
    wheel, motor = await opened_by("Motor(7, 8)", "h_bridge", {"forward": 7, "backward": 8})
    motor.backward(0.5)
    await asyncio.sleep(10)
    assert wheel.shows() == ["on", "backward", "-0.5"]
    assert wheel.turns == pytest.approx(-9.75, abs=0.01)
    row, graph = await opened_by("LEDBarGraph(5, 6, 13, 19)", "leds", {"1": 5, "2": 6, "3": 13, "4": 19})
    graph.value = 0.5
    assert row.shows() == ["on", "2"]
    lights, traffic = await opened_by("TrafficLights(2, 3, 4)", "leds", {"red": 2, "amber": 3, "green": 4})
    traffic.red.on()
    traffic.amber.on()
    assert lights.shows() == ["on", "2", "red", "amber", "red amber"]


async def test_a_lamp_at_an_input_is_dark() -> None:
    board = new_board()
    board.pins.power_on()
    assert board.open_device(opened_device("it", "lamp", {"": 17}, active_high=False)).shows() == ["off"]


async def test_a_servo_turns_by_the_angles_of_its_program() -> None:
    board = new_board()
    board.pins.power_on()
    servo = AngularServo(18, min_angle=0, max_angle=180, min_pulse_width=0.0005, pin_factory=board.pins)
    settings = {name: getattr(servo, name) for name in ("min_angle", "max_angle", "min_pulse_width", "max_pulse_width")}
    arm = board.open_device(opened_device("it", "servo", {"": 18}, **settings))
    servo.angle = 120
    assert arm.shows() == ["on", "120"]
    servo.close()


async def test_a_row_of_digits_is_read_while_they_take_turns() -> None:
    segments = dict(zip("abcdefg", (5, 6, 7, 8, 9, 10, 11), strict=True)) | {"dp": 12}
    one, display = await opened_by("LEDCharDisplay(5, 6, 7, 8, 9, 10, 11, dp=12)", "digits", segments)
    display.value = "4."
    await asyncio.sleep(5)
    assert one.shows() == ["4.", "on"]
    board = new_board()
    board.pins.power_on()
    row = board.open_device(opened_device("row", "digits", segments | {"digit_1": 20, "digit_2": 21}))
    lamps = {name: LED(pin, pin_factory=board.pins) for name, pin in segments.items()}
    selects = [LED(pin, pin_factory=board.pins) for pin in (20, 21)]
    for place, lit in [(0, "bc"), (1, "abdeg")] * 3:
        for name, lamp in lamps.items():
            lamp.value = name in lit
        selects[place].on()
        await asyncio.sleep(0.005)
        selects[place].off()
    assert row.shows() == ["12", "on"]
    await asyncio.sleep(1)
    assert row.shows() == ["", "off"]


async def test_what_the_user_sets_reaches_gpiozero() -> None:
    switch, sensor = await opened_by(
        "DigitalInputDevice(4, pull_up=None, active_state=False)", "switch", {"": 4}, active_high=False
    )
    seen = [sensor.value]
    for on in (True, False):
        switch.acts()["set"](on)
        seen.append(sensor.value)
    assert seen == [0, 1, 0]
    contact, button = await opened_by("Button(4, pull_up=False)", "contact", {"": 4})
    contact.press()
    await asyncio.sleep(0.1)
    assert (button.is_pressed, contact.held) == (True, ("",))
    contact.release()
    contact.set(True)
    await asyncio.sleep(0.1)
    assert (button.is_pressed, contact.held) == (True, ())
    knob, encoder = await opened_by("RotaryEncoder(5, 6)", "encoder", {"a": 5, "b": 6})
    for act, which in (("close", "a"), ("close", "b"), ("open", "a"), ("open", "b")):
        knob.acts()[act](which)
    assert abs(encoder.steps) == 1


async def echo_s(cm: float) -> float:
    board = new_board()
    board.pins.power_on()
    sensor = board.open_device(opened_device("it", "distance", {"echo": 5, "trigger": 6}))
    sensor.acts()["set"](cm)
    trigger = board.pins.pin(6)
    trigger.function = "output"
    trigger.state = 1
    await asyncio.sleep(0.00001)
    trigger.state = 0
    await asyncio.sleep(0.1)
    (rise, _), (fall, _) = list(board.pins.line(5).timeline)[-2:]
    return fall - rise


async def test_an_echo_is_as_long_as_sound_takes() -> None:
    assert [await echo_s(cm) for cm in (2, 343.26)] == [
        pytest.approx(0.0001165, rel=0.01),
        pytest.approx(0.02, rel=1e-3),
    ]


@pytest.mark.parametrize(("light", "after_s"), [(1.0, 0.0), (0.75, 0.0025), (0.0, 0.01)])
async def test_a_light_sensor_charges_its_capacitor_sooner_in_the_light(light: float, after_s: float) -> None:
    board = new_board()
    board.pins.power_on()
    board.open_device(opened_device("it", "light_sensor", {"": 4})).acts()["set"](light)
    pin = board.pins.pin(4)
    for _ in range(2):
        pin.function = "output"
        pin.state = 0
        await asyncio.sleep(0.1)
        pin.function = "input"
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(0.05)
        t, level = board.pins.line(4).timeline[-1]
        assert level == 1
        assert t - began == pytest.approx(after_s, abs=1e-9)


@pytest.mark.parametrize(("kind", "control"), [(BUTTON, "contact"), (LEVER, "switch")])
def test_a_lever_has_a_control_that_stays(kind: Any, control: str) -> None:
    description = described(FittedDevice("box.part", "part", kind))
    assert description["widget"] == f"/static/devices/{control}/{control}.js"
    assert "set box.part on|off" in description["forms"]  # type: ignore[operator]


async def test_a_terminal_at_a_serial_port_takes_lines_at_any_time() -> None:
    board = new_board()
    terminal = board.open_device(FittedDevice("gps", "gps", TERMINAL, TerminalConfig("/dev/serial0")))
    terminal.power_on()
    assert terminal.state() == {"text": "", "asks": True}
    terminal.close()
