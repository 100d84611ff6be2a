"""A table that fails again and again ends in safe mode, with light and sound, not in endless restarts."""

from __future__ import annotations

from itertools import pairwise

import pytest

from reboard.service.safe_mode import ALARM, ALARM_TONES, DARK_S, FLASH_S, FLASHES
from reboard.sounds import SoundSet
from tests.listening import heard
from tests.vm.machine.sound import Recorder
from tests.vm.machine.table import PLAYS, Table

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
"""Kills the table after each start that it has counted."""

ALARM_S = 8.0


def test_a_table_that_is_killed_repeatedly_is_in_safe_mode_until_a_user_starts_it(table: Table) -> None:
    recorder = Recorder(table.inside)
    table.inside.sh(KILL_EACH_TRY, within_s=300)
    table.pass_time(ALARM_S)
    assert len(heard(SoundSet.built_in()[ALARM].samples, recorder.stop())) == ALARM_TONES
    assert table.status["ExecMainStatus"] == GIVEN_UP
    assert not table.header.level(table.motor)
    began = table.inside.now()
    table.pass_time(4 * (FLASHES * 2 * FLASH_S + DARK_S))
    flashes = [edge.t for edge in table.header.edges(table.lamp, since=began) if edge.level]
    bursts = [[flashes[0]]]
    for before, t in pairwise(flashes):
        bursts.append([t]) if t - before > DARK_S else bursts[-1].append(t)
    assert len(bursts) > 2
    for burst in bursts[1:-1]:
        assert len(burst) == FLASHES
        assert burst[-1] - burst[0] == pytest.approx((FLASHES - 1) * 2 * FLASH_S, abs=0.05)
    table.start()
    assert table.inside.run("systemctl", "is-active", SAFE).text == "inactive"
    assert table.status["StatusText"] == PLAYS
