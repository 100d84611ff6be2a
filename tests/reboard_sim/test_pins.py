import asyncio

import pytest
from gpiozero import (
    LED,
    Button,
    GPIOPinInUse,
    InputDevice,
    OutputDevice,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinInvalidState,
    PinPWMFixedValue,
    PinSetInput,
    PWMOutputDevice,
)

from reboard_sim import virtual_time
from reboard_sim.line import Line
from reboard_sim.pins import VirtualPins


class Clock:
    def __init__(self) -> None:
        self.t = 0.0

    def __call__(self) -> float:
        return self.t


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pins(clock: Clock) -> VirtualPins:
    return VirtualPins(clock)


class Watcher:
    """Keeps the edges that a pin tells."""

    def __init__(self) -> None:
        self.edges: list[tuple[float, float]] = []

    def changed(self, ticks: float, state: float) -> None:
        self.edges.append((ticks, state))


def test_gpiozero_sees_a_zero_2_w_unless_told_otherwise(pins: VirtualPins, clock: Clock) -> None:
    assert pins.board_info.model == "Zero2W"
    assert VirtualPins(clock, revision=0xA02082).board_info.model == "3B"
    with pytest.raises(PinInvalidPin):
        LED(99, pin_factory=pins)
    with pytest.raises(LookupError, match="GPIO99"):
        pins.line(99)


def test_before_anybody_claims_them_pins_are_pulled_as_a_pi_wakes(pins: VirtualPins) -> None:
    assert [pins.line(number).level for number in (0, 8, 9, 27)] == [True, True, False, False]


def test_a_resistor_outside_is_stronger_than_the_pis_own(pins: VirtualPins) -> None:
    line = pins.line(4)
    assert line.level
    line.pull_outside = "down"
    assert not line.level
    with InputDevice(4, pull_up=True, pin_factory=pins) as device:
        assert device.is_active
    line.pull_outside = None
    assert not line.level  # a floating wire keeps what it had


def test_an_output_drives_its_wire_and_lets_go_when_it_is_closed(pins: VirtualPins) -> None:
    line = pins.line(17)
    line.pull_outside = "down"
    led = LED(17, pin_factory=pins)
    assert line.is_output
    assert not line.level
    led.on()
    assert line.level
    assert led.is_lit
    led.close()
    assert not line.is_output
    assert not line.level


def test_a_pin_cannot_be_claimed_twice(pins: VirtualPins) -> None:
    with LED(17, pin_factory=pins), pytest.raises(GPIOPinInUse):
        Button(17, pin_factory=pins)


def test_pulse_width_is_the_wires_duty_cycle(pins: VirtualPins, clock: Clock) -> None:
    line = pins.line(18)
    motor = PWMOutputDevice(18, frequency=100, pin_factory=pins)
    assert line.duty == 0
    motor.value = 0.25
    assert (line.duty, line.level, motor.value) == (0.25, True, 0.25)
    clock.t = 2.0
    motor.frequency = 200
    assert line.duty == 0.25
    motor.close()
    assert line.duty == 0
    assert list(line.timeline) == [(0.0, 0.0), (0.0, 0.25), (2.0, 0.0)]


def test_edges_are_told_with_the_clocks_time(pins: VirtualPins, clock: Clock) -> None:
    pin, watcher, line = pins.pin(17), Watcher(), pins.line(17)
    pin.input_with_pull("up")
    pin.when_changed = watcher.changed
    for t, level in ((1.0, False), (1.5, False), (2.0, True), (3.0, None)):
        clock.t = t
        line.drive(level)
    assert watcher.edges == [(1.0, 0), (2.0, 1)]
    pin.when_changed = None
    line.drive(False)
    assert len(watcher.edges) == 2


@pytest.mark.parametrize(("edges", "told"), [("rising", [1]), ("falling", [0, 0]), ("both", [0, 1, 0]), ("none", [])])
def test_only_the_edges_asked_for_are_told(pins: VirtualPins, edges: str, told: list[int]) -> None:
    pin, watcher, line = pins.pin(17), Watcher(), pins.line(17)
    pin.input_with_pull("up")
    pin.edges = edges
    pin.when_changed = watcher.changed
    for level in (False, True, False):
        line.drive(level)
    assert [state for _, state in watcher.edges] == told


def test_bounce_ignores_edges_for_so_long_after_one_that_was_told(pins: VirtualPins, clock: Clock) -> None:
    pin, watcher, line = pins.pin(17), Watcher(), pins.line(17)
    pin.input_with_pull("up")
    pin.bounce = 0.005
    pin.when_changed = watcher.changed
    for t, level in ((0.010, False), (0.012, True), (0.014, False), (0.016, True), (0.030, False)):
        clock.t = t
        line.drive(level)
    assert watcher.edges == [(0.010, 0), (0.016, 1), (0.030, 0)]


def test_gpiozeros_own_button_works_on_it(pins: VirtualPins) -> None:
    presses = []
    with Button(17, pin_factory=pins) as button:
        button.when_pressed = lambda: presses.append(button.value)
        pins.line(17).drive(False)
        pins.line(17).drive(None)
    assert presses == [1]


def test_a_pin_refuses_what_gpiozero_says_it_must(pins: VirtualPins) -> None:
    pin = pins.pin(17)
    with pytest.raises(PinSetInput):
        pin.state = 1
    with pytest.raises(PinPWMFixedValue):
        pin.frequency = 100
    with pytest.raises(PinInvalidFunction):
        pin.function = "dance"
    with pytest.raises(PinInvalidPull):
        pin.pull = "sideways"
    with pytest.raises(PinInvalidBounce):
        pin.bounce = -1
    with pytest.raises(PinInvalidEdges):
        pin.edges = "some"
    pin.function = "output"
    with pytest.raises(PinInvalidState):
        pin.state = 2
    with pytest.raises(PinFixedPull):
        pin.pull = "up"
    with pytest.raises(PinFixedPull):
        pins.pin(2).pull = "down"


def test_two_drivers_against_each_other_are_a_short_told_once(pins: VirtualPins, clock: Clock) -> None:
    clock.t = 4.0
    line = pins.line(17)
    led = OutputDevice(17, initial_value=True, pin_factory=pins)
    line.drive(False, by="a screwdriver")
    assert not line.level
    line.drive(False, by="another")
    assert [(short.t, short.lines) for short in pins.shorts] == [(4.0, ("GPIO17",))]
    line.drive(None, by="a screwdriver")
    line.drive(None, by="another")
    assert line.level
    line.drive(False)
    assert len(pins.shorts) == 2
    led.close()


def test_joined_wires_share_their_level_and_part_again(pins: VirtualPins) -> None:
    a, b, c = pins.line(20), pins.line(21), pins.line(22)
    a.join(b)
    b.join(c)
    a.drive(True)
    assert (a.level, b.level, c.level) == (True, True, True)
    a.part(b)
    assert (a.level, b.level, c.level) == (True, False, False)
    a.part(b)
    assert a.level


def test_a_listener_that_moves_another_wire_is_no_trouble(pins: VirtualPins) -> None:
    a, b = pins.line(20), pins.line(21)
    a.on_change.append(lambda _, duty: b.drive(duty > 0))
    told: list[float] = []
    b.on_change.append(lambda _, duty: told.append(duty))
    a.drive(True)
    a.drive(False)
    assert told == [1.0, 0.0]


def test_power_cut_lets_every_wire_go_and_old_devices_write_into_the_void(pins: VirtualPins) -> None:
    watcher, line = Watcher(), pins.line(18)
    line.pull_outside = "down"
    motor = PWMOutputDevice(18, initial_value=0.5, pin_factory=pins)
    button = pins.pin(4)
    button.input_with_pull("up")
    button.when_changed = watcher.changed
    pins.power_off()
    assert (line.duty, line.is_output, pins.line(4).level) == (0.0, False, False)
    motor.value = 1
    pins.line(4).drive(True)
    assert line.duty == 0
    assert watcher.edges == []
    pins.line(4).drive(None)
    pins.power_on()
    assert pins.line(4).level
    with PWMOutputDevice(18, initial_value=0.75, pin_factory=pins):
        motor.close()
        assert line.duty == 0.75


def test_a_wire_remembers_a_bounded_number_of_changes(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reboard_sim.line.REMEMBERED", 10)
    line: Line = VirtualPins(clock).line(17)
    for number in range(50):
        line.drive(number % 2 == 0)
    assert len(line.timeline) == 10


def test_its_clock_can_be_a_loops() -> None:
    async def main() -> None:
        pins = VirtualPins(asyncio.get_running_loop().time)
        await asyncio.sleep(12.5)
        pins.line(17).drive(True)
        assert pins.line(17).timeline[-1] == (12.5, 1.0)
        assert pins.ticks_diff(pins.ticks(), 2.5) == 10.0

    virtual_time.run(main)
