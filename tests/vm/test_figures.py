"""The cost and the speed of the table on a real kernel. The bounds are wide: they find what is broken."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from reboard.devices.motor import PWM_HZ
from tests.vm.machine.table import UNIT, Events, Table
from tests.vm.report import report, spread_ms

PRESSES = 12
BETWEEN_PRESSES_S = 1.5
"""The last sound is over by then."""

ASLEEP_S = 70.0
"""The unit is asleep by then, and its display dark."""
IDLE_S = 30.0
HOUR_S = 3600.0

DUTY = 0.6
PULSING_S = 10.0
BUSY = "while :; do :; done"

FIND_FUNCTION = """
import ctypes
library = ctypes.CDLL("libasound.so.2")
address = ctypes.cast(library.snd_pcm_writei, ctypes.c_void_p).value
for line in open("/proc/self/maps"):
    span, _, offset, _, _, *name = line.split()
    begin, end = (int(edge, 16) for edge in span.split("-"))
    if begin <= address < end:
        print(f"{name[0]}:{address - begin + int(offset, 16):#x}")
"""


def test_the_table_is_ready_soon_after_the_kernel(table: Table) -> None:
    ready_s = int(table.status["ActiveEnterTimestampMonotonic"]) / 1e6
    report("the kernel's start until the table plays", f"{ready_s:.1f} s")
    assert ready_s < 60


def test_a_table_at_rest_costs_next_to_nothing(table: Table) -> None:
    main = table.status["MainPID"]
    table.pass_time(ASLEEP_S)
    woken, used_s = _wake_ups(table, main), _used_s(table)
    table.pass_time(IDLE_S)
    hours = IDLE_S / HOUR_S
    an_hour = sum(count - woken[thread] for thread, count in _wake_ups(table, main).items()) / hours
    used_s_an_hour = (_used_s(table) - used_s) / hours
    memory_mb = int(_field(table, "Pss:", f"/proc/{main}/smaps_rollup")) / 1024
    report("at rest: wake-ups of the table an hour (its watchdog alone: 1440)", f"{an_hour:.0f}")
    report("at rest: processor time of the table an hour", f"{used_s_an_hour:.2f} s")
    report("at rest: the table's memory (PSS)", f"{memory_mb:.0f} MB")
    assert an_hour < 2 * 1440
    assert used_s_an_hour < 30
    assert memory_mb < 100


def test_a_press_lights_the_lamp_and_is_on_its_way_to_the_card_at_once(table: Table) -> None:
    table.play_with(odds="{ coins = [1], laugh = 0, power_up = 0, game_over = 0 }")
    trace = table.machine.trace
    trace.watch_function("snd_pcm_writei", table.inside.must("python3", "-c", FIND_FUNCTION))
    pressed = []
    for _ in range(PRESSES):
        pressed.append(table.press_block())
        table.pass_time(BETWEEN_PRESSES_S)
    to_lamp = _delays(pressed, [edge.t for edge in table.header.edges(table.lamp) if edge.level])
    to_sample = _delays(pressed, [entry.t for entry in trace.entries("snd_pcm_writei")])
    report("from the edge to the lamp's line", spread_ms(to_lamp))
    report("from the edge to the first sample handed to ALSA", spread_ms(to_sample))
    assert max(to_lamp) < 0.5
    assert max(to_sample) < 0.5


def test_the_motors_pulses_are_as_long_as_they_should_be(table: Table) -> None:
    table.play_with(seconds="120", pattern=f"[[{DUTY}, 10]]")
    table.start_apple(Events(table.inside))
    for busy in (0, 2):
        for _ in range(busy):
            table.inside.must("systemd-run", "--quiet", "sh", "-c", BUSY)
        began = table.inside.now()
        table.pass_time(PULSING_S)
        edges = table.header.edges(table.motor, since=began)
        widths = sorted(off.t - on.t for on, off in pairwise(edges) if on.level)
        first, median, last = (1000 * widths[len(widths) * percent // 100] for percent in (1, 50, 99))
        what = f"a pulse of {1000 * DUTY / PWM_HZ:g} ms with {busy} busy programs: 1st, 50th, 99th percentile"
        report(what, f"{first:.2f}, {median:.2f}, {last:.2f} ms")
        duty = sum(widths) / (edges[-1].t - edges[0].t)
        report(f"the same: duty cycle of {DUTY:g}", f"{duty:.3f}")
        assert len(widths) > 0.7 * PULSING_S * PWM_HZ
        assert median < 1.5e3 * DUTY / PWM_HZ
        assert abs(duty - DUTY) < 0.1


def _delays(pressed: Sequence[float], times: Sequence[float]) -> list[float]:
    """The time from each press until the next of *times*."""
    return [min(time for time in times if time > t) - t for t in pressed]


def _wake_ups(table: Table, main: str) -> dict[str, int]:
    """How often each thread of the process has waited."""
    counted = table.inside.must("grep", "^voluntary", "-r", f"/proc/{main}/task", "--include=status")
    return {file: int(count) for file, _, count in (line.split(":") for line in counted.splitlines())}


def _used_s(table: Table) -> float:
    return int(_field(table, "usage_usec", f"/sys/fs/cgroup/system.slice/{UNIT}/cpu.stat")) / 1e6


def _field(table: Table, name: str, file: str) -> str:
    return table.inside.must("awk", f"/^{name}/ {{ print $2 }}", file)
