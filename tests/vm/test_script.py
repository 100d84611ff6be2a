"""A program of a user, unchanged: the example whose play passes on the bench, on a real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vm.machine.table import Table
from tests.vm.making.pin_libraries import pin_libraries

PROGRAM = Path(__file__).parents[2] / "examples" / "scripts" / "traffic_light.py"
RED, AMBER, GREEN = LIGHTS = (25, 24, 23)
BUTTON = 21
FOLDER = "/root"
STARTED_WITHIN_S = 30
LONGEST_S = 12.0
CHANGES = (
    (0, AMBER, True),
    (1, RED, False),
    (1, AMBER, False),
    (1, GREEN, True),
    (6, AMBER, True),
    (6, GREEN, False),
    (8, AMBER, False),
    (8, RED, True),
)
"""Seconds after the press, a light, and its level."""


@pytest.mark.parametrize("pins", ["gpiod", "lgpio"])
def test_the_traffic_light_of_the_examples_runs_unchanged(table: Table, pins: str) -> None:
    inside, header = table.inside, table.header
    table.stop()  # it has the same pins
    inside.copy_in(PROGRAM.parent, FOLDER)
    if pins == "lgpio":
        inside.copy_in(pin_libraries(), FOLDER)
    header.trace_only(*LIGHTS)
    start = f"GPIOZERO_PIN_FACTORY={pins} PYTHONPATH=/usr/lib/reboard exec python3 {FOLDER}/{PROGRAM.name} 2>&1"
    program = inside.follow("sh", "-c", start)
    for _ in range(STARTED_WITHIN_S):
        table.pass_time(1)
        if header.level(RED):
            break
    else:
        raise AssertionError(program.end())
    pressed = header.press(BUTTON)
    table.pass_time(LONGEST_S)
    edges = sorted((edge.t, light, edge.level) for light in LIGHTS for edge in header.edges(light, since=pressed))
    assert [change[1:] for change in edges] == [change[1:] for change in CHANGES], program.end()
    assert [t - pressed for t, *_ in edges] == pytest.approx([t for t, *_ in CHANGES], abs=0.5)
