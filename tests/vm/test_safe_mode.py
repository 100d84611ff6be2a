"""A table that fails again and again ends in safe mode, with light and sound, and not in restarts without end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from reboard.service.safe_mode import ALARM, ALARM_TONES, DARK_S, FLASH_S, FLASHES
from reboard.sounds import SoundSet
from tests.listening import heard
from tests.vm.machine.table import Table

GIVEN_UP = "3"
SAFE = "reboard-safe.service"

KILL_EACH_TRY = f"""
killed=
until [ -e /sys/fs/cgroup/system.slice/{SAFE} ]; do
    tried=
    [ ! -e /run/reboard-table/failed-starts ] || read tried < /run/reboard-table/failed-starts
    if [ -n "$tried" ] && [ "$tried" != "$killed" ]; then
        systemctl kill --signal=KILL reboard.service
        killed=$tried
    fi
    sleep 0.2
done
"""
"""Kills the table as soon as it has counted one more try."""

ALARM_S = 8.0
AS_PLANNED_S = 0.05


def test_a_table_that_is_killed_again_and_again_asks_for_help_until_somebody_starts_it(table: Table) -> None:
    inside, header = table.machine.inside, table.machine.header
    with table.machine.ears.listening() as recording:
        inside.must("sh", "-c", KILL_EACH_TRY, within_s=300)
        table.pass_time(ALARM_S)
    assert len(heard(SoundSet.built_in()[ALARM].samples, recording.samples)) == ALARM_TONES
    assert table.status["ExecMainStatus"] == GIVEN_UP
    assert not header.level(table.motor)
    asked = inside.now()
    table.pass_time(4 * (FLASHES * 2 * FLASH_S + DARK_S))
    _, *whole, _ = _bursts([edge.t for edge in header.edges(table.lamp, since=asked) if edge.level])
    assert whole
    for burst in whole:
        assert len(burst) == FLASHES
        assert burst[-1] - burst[0] == pytest.approx((FLASHES - 1) * 2 * FLASH_S, abs=AS_PLANNED_S)
    table.start()
    assert inside.run("systemctl", "is-active", SAFE).text == "inactive"
    assert table.status["StatusText"] == "The table plays."


def _bursts(lit: list[float]) -> list[list[float]]:
    """Flashes, parted where it was dark for long."""
    bursts = [[lit[0]]]
    for before, t in pairwise(lit):
        if t - before > DARK_S:
            bursts.append([])
        bursts[-1].append(t)
    return bursts
