"""A program of a user, unchanged: the example whose play passes on the bench, on a real kernel."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

import pytest

from tests.vm.machine.table import Table
from tests.vm.making.pin_libraries import pin_libraries

PROGRAM = Path(__file__).parents[2] / "examples" / "scripts" / "traffic_light.py"
RED, AMBER, GREEN = LIGHTS = (25, 24, 23)
BUTTON = 21
FOLDER = "/root/program"
STARTED_WITHIN_S = 30
SEQUENCE = [(RED, True), (AMBER, True), (RED, False), (AMBER, False), (GREEN, True)]
SEQUENCE += [(GREEN, False), (AMBER, True), (AMBER, False), (RED, True)]
LONGEST_S = 12.0


@pytest.mark.parametrize("pins", ["gpiod", "lgpio"])
def test_the_traffic_light_of_the_examples_runs_unchanged(table: Table, pins: str) -> None:
    inside, header = table.inside, table.header
    table.stop()  # it has the same pins
    inside.must("mkdir", FOLDER)
    if pins == "lgpio":
        packed = subprocess.run(["tar", "-cz", "-C", pin_libraries(), "."], capture_output=True, check=True).stdout
        inside.sh(f"base64 --decode | tar -xz -C {FOLDER}", stdin=base64.b64encode(packed).decode())
    inside.must("tee", f"{FOLDER}/{PROGRAM.name}", stdin=PROGRAM.read_text(encoding="utf-8"))
    header.trace_only(*LIGHTS)
    program = inside.follow(
        "sh",
        "-c",
        f"cd {FOLDER} && GPIOZERO_PIN_FACTORY={pins} PYTHONPATH=/usr/lib/reboard exec python3 -u {PROGRAM.name} 2>&1",
    )
    for _ in range(STARTED_WITHIN_S):
        if header.level(RED):
            break
        table.pass_time(1)
    else:
        raise AssertionError(program.end())
    table.pass_time(1)
    pressed = header.press(BUTTON)
    table.pass_time(LONGEST_S)
    edges = sorted((edge.t, light, edge.level) for light in LIGHTS for edge in header.edges(light, since=pressed))
    assert {light: [level for _, each, level in edges if each == light] for light in LIGHTS} == {
        light: [level for each, level in SEQUENCE[1:] if each == light] for light in LIGHTS
    }, program.end()
    [green, dark] = [t for t, light, _ in edges if light == GREEN]
    assert green - pressed == pytest.approx(1, abs=0.5)
    assert dark - green == pytest.approx(5, abs=0.5)
