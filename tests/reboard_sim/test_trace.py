import io
from collections import defaultdict

from gpiozero import LED, PWMOutputDevice
from vcd.reader import TokenKind, tokenize

from reboard_sim.board.line import write_vcd
from reboard_sim.board.pins import VirtualPins


class Clock:
    t = 0.0

    def __call__(self) -> float:
        return self.t


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


def test_a_trace_tells_every_change_to_the_microsecond() -> None:
    clock = Clock()
    pins = VirtualPins(clock)
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
