"""A few minutes' worth of the chaos in a short time; ``make chaos`` does all of it, and has a control."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.evening import Evening, Kills
from tests.mosquitto import MakeMosquitto
from tests.waiting import PATIENCE_S

SEED = 20_261_127
EVERY_S = 0.05
QUEUE = 50
"""The broker's queue. It drops the newest rows beyond that for a hall that is away."""


@pytest.mark.realtime
def test_the_hall_has_each_row_once_whatever_is_killed(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    playing = Evening(make_mosquitto(settings=f"max_queued_messages {QUEUE}"), tmp_path, 2, EVERY_S, SEED)
    try:
        playing.start()
        playing.kill_everything_again_and_again(Kills(each=1, power_cuts=1, every_s=1.0, away_s=1.5))
        assert sum(playing.killed.values()) == 4
        playing.stop_playing(least=50)
        assert playing.settle(PATIENCE_S) is not None, "after the kills"

        hall_away_for(playing, 3 * QUEUE)
        assert playing.settle(PATIENCE_S) is not None, "after the hall was away for longer than the broker's queue"
        assert "Traceback" not in playing.log()
    finally:
        playing.close()


def hall_away_for(playing: Evening, rows: int) -> None:
    playing.without_hall()
    for name in playing.names:
        playing.play(name)
    playing.stop_playing(least=len(playing.written()) + rows)
    playing.wait_for_bridges()
    playing.with_hall()
