"""The virtual pins: what drives them, what is told of them, and what a power cut leaves."""

import io
from collections import defaultdict

import pytest
from gpiozero import LED, OutputDevice, PinInvalidBounce, PinInvalidEdges, PWMOutputDevice
from vcd.reader import TokenKind, tokenize

from reboard_sim.board.line import write_vcd
from reboard_sim.board.pins import VirtualPins


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


def test_an_edge_has_the_time_of_the_clock(pins: VirtualPins, clock: Clock) -> None:
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


def test_two_outputs_against_each_other_are_one_short(pins: VirtualPins, clock: Clock) -> None:
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


@pytest.mark.parametrize(
    ("setting", "value", "error"), [("edges", "sideways", PinInvalidEdges), ("bounce", -1, PinInvalidBounce)]
)
def test_an_invalid_setting_is_the_error_of_gpiozero(
    pins: VirtualPins, setting: str, value: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        setattr(pins.pin(4), setting, value)


def test_a_power_cut_releases_every_line_for_good(pins: VirtualPins) -> None:
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


def read_vcd(text: str) -> tuple[dict[str, list[tuple[int, object]]], int]:
    """The changes of every variable by its name, in ticks, and the last tick."""
    names: dict[str, str] = {}
    changes: defaultdict[str, list[tuple[int, object]]] = defaultdict(list)
    tick = 0
    for token in tokenize(io.BytesIO(text.encode())):
        if token.kind is TokenKind.VAR:
            names[token.var.id_code] = token.var.reference
        elif token.kind is TokenKind.CHANGE_TIME:
            tick = token.time_change
        elif token.kind is TokenKind.CHANGE_SCALAR:
            changes[names[token.scalar_change.id_code]].append((tick, token.scalar_change.value))
        elif token.kind is TokenKind.CHANGE_REAL:
            changes[names[token.real_change.id_code]].append((tick, token.real_change.value))
    return dict(changes), tick


def test_a_trace_has_every_change_to_the_microsecond(pins: VirtualPins, clock: Clock) -> None:
    lamp, motor = LED(17, pin_factory=pins), PWMOutputDevice(18, pin_factory=pins)
    clock.t = 0.000001
    lamp.on()
    clock.t = 1.5
    motor.value = 0.25
    clock.t = 2.0
    lamp.off()
    motor.value = 1
    clock.t = 3.0
    motor.value = 0
    file = io.StringIO()
    write_vcd(file, {"block lamp": list(pins.line(17).timeline), "motor": list(pins.line(18).timeline)}, until=4.0)

    changes, end = read_vcd(file.getvalue())
    assert "$timescale 1 us $end" in file.getvalue()
    assert changes == {
        "block_lamp": [(0, "0"), (1, "1"), (2_000_000, "0")],
        "motor": [(0, "0"), (1_500_000, "1"), (3_000_000, "0")],
        "motor_duty": [(0, 0.0), (1_500_000, 0.25), (2_000_000, 1.0), (3_000_000, 0.0)],
    }
    assert end == 4_000_000
