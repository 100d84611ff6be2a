"""What the table costs and how fast it is, on a real kernel. The bounds are wide: they find what is broken."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.vm.machine.inside import Inside
from tests.vm.machine.machine import Machine
from tests.vm.machine.table import UNIT, Table
from tests.vm.report import Report, spread_ms

BARE_READER = Path(__file__).parent / "inside" / "bare_reader.c"
PRESSES = 12
BETWEEN_PRESSES_S = 1.5
"""So that the sound before is over."""

SETTLED_S = 5.0
IDLE_S = 30.0
HOUR_S = 3600.0

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


def test_the_table_is_ready_soon_after_the_kernel(machine_at_play: Machine, report: Report) -> None:
    show = ("systemctl", "show", "--value", "--property=ActiveEnterTimestampMonotonic", UNIT)
    ready_s = int(machine_at_play.inside.must(*show)) / 1e6
    report.tell("the kernel's start until the table plays", f"{ready_s:.1f} s")
    assert ready_s < 60


def test_a_table_at_rest_costs_next_to_nothing(table: Table, report: Report) -> None:
    inside, main = table.machine.inside, table.status["MainPID"]
    table.pass_time(SETTLED_S)
    woken, used_s = _woken(inside, main), _used_s(inside)
    table.pass_time(IDLE_S)
    hours = IDLE_S / HOUR_S
    *ours, lgpios = sorted((count - woken[thread]) / hours for thread, count in _woken(inside, main).items())
    used_s_an_hour = (_used_s(inside) - used_s) / hours
    memory_mb = int(inside.must("sh", "-c", f"awk '/^Pss:/ {{ print $2 }}' /proc/{main}/smaps_rollup")) / 1024
    report.tell("at rest: wake-ups of the table an hour (its watchdog alone: 1440)", f"{sum(ours):.0f}")
    report.tell("at rest: wake-ups of lgpio's thread for pulses an hour", f"{lgpios:.0f}")
    report.tell("at rest: processor time of the table an hour", f"{used_s_an_hour:.2f} s")
    report.tell("at rest: the table's memory (PSS)", f"{memory_mb:.0f} MB")
    assert sum(ours) < 4 * 1440
    assert lgpios < 52 * HOUR_S, "lgpio says that it runs at least fifty times a second, from its first pin on"
    assert used_s_an_hour < 30
    assert memory_mb < 100


def test_a_press_lights_the_lamp_and_is_on_its_way_to_the_card_at_once(table: Table, report: Report) -> None:
    inside = table.machine.inside
    table.play_with(odds="{ coins = [1], laugh = 0, power_up = 0, game_over = 0 }")
    place = inside.must("python3", "-c", FIND_FUNCTION)
    table.machine.trace.watch_function("snd_pcm_writei", place)
    pressed = _press_again_and_again(table)
    lit = [edge for edge in table.machine.header.edges(table.lamp) if edge.level]
    written = [entry.t for entry in table.machine.trace.entries("snd_pcm_writei")]
    to_lamp = [_first_after(t, [edge.t for edge in lit]) - t for t in pressed]
    to_sample = [_first_after(t, written) - t for t in pressed]
    report.tell("from the edge to the lamp's line: the table", spread_ms(to_lamp))
    report.tell("from the edge to the first sample handed to ALSA: the table", spread_ms(to_sample))
    assert max(to_lamp) < 0.5
    assert max(to_sample) < 0.5


def test_a_bare_reader_in_c_is_what_the_table_is_compared_with(table: Table, report: Report, tmp_path: Path) -> None:
    inside = table.machine.inside
    table.stop()
    program = tmp_path / "bare_reader"
    subprocess.run(["gcc", "-static", "-O2", "-o", program, BARE_READER], check=True)
    packed = base64.b64encode(program.read_bytes()).decode()
    inside.must("sh", "-c", "base64 -d > /run/bare_reader && chmod +x /run/bare_reader", stdin=packed)
    reader = inside.follow("/run/bare_reader")
    assert reader.next() == "ready"
    pressed = _press_again_and_again(table)
    lit = [edge.t for edge in table.machine.header.edges(table.lamp) if edge.level]
    to_lamp = [_first_after(t, lit) - t for t in pressed]
    report.tell("from the edge to the lamp's line: a reader in C", spread_ms(to_lamp))


def _press_again_and_again(table: Table) -> list[float]:
    pressed = []
    for _ in range(PRESSES):
        pressed.append(table.press_block())
        table.pass_time(BETWEEN_PRESSES_S)
    return pressed


def _first_after(t: float, times: Sequence[float]) -> float:
    following = [time for time in times if time > t]
    assert following, f"nothing came after {t:.3f} s"
    return following[0]


def _woken(inside: Inside, main: str) -> dict[str, int]:
    """How often each thread of the process has given the processor back of itself, to be woken later."""
    counted = inside.must("grep", "^voluntary", "-r", f"/proc/{main}/task", "--include=status")
    return {file: int(count) for file, _, count in (line.split(":") for line in counted.splitlines())}


def _used_s(inside: Inside) -> float:
    counted = inside.must("sh", "-c", f"awk '/^usage_usec/ {{ print $2 }}' /sys/fs/cgroup/system.slice/{UNIT}/cpu.stat")
    return int(counted) / 1e6
