"""A few minutes' worth of the chaos in a short time; ``make chaos`` does all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.chaos.evening import HALL, HALL_THAT_NEVER_ASKS, Evening, Kills
from tests.mosquitto import MakeMosquitto
from tests.waiting import PATIENCE_S

SEED = 20_261_127
EVERY_S = 0.05
QUEUE = 50
"""The broker's queue. It drops the newest rows beyond that for a hall that is away."""


@contextmanager
def evening(make_mosquitto: MakeMosquitto, folder: Path, tables: int, hall: Sequence[str]) -> Iterator[Evening]:
    playing = Evening(make_mosquitto(settings=f"max_queued_messages {QUEUE}"), folder, tables, EVERY_S, SEED, hall=hall)
    try:
        playing.start()
        yield playing
    finally:
        playing.close()


@pytest.mark.realtime
def test_the_hall_has_each_row_once_whatever_is_killed(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    with evening(make_mosquitto, tmp_path, 2, HALL) as playing:
        playing.kill_everything_again_and_again(Kills(each=2, power_cuts=2, every_s=1.0, away_s=1.5))
        assert sum(playing.killed.values()) == 8
        playing.stop_playing(least=50)
        assert playing.settle(PATIENCE_S) is not None, "after the kills"

        hall_away_for(playing, 3 * QUEUE)
        assert playing.settle(PATIENCE_S) is not None, "after the hall was away for longer than the broker's queue"

        playing.without_hall()
        playing.delete_store()
        playing.with_hall()
        assert playing.settle(PATIENCE_S) is not None, "after the hall's store was deleted"
        assert "Traceback" not in playing.log()


@pytest.mark.realtime
def test_a_hall_that_never_asks_loses_rows(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    """The control: without it, the test above could hold because nothing is ever lost."""
    with evening(make_mosquitto, tmp_path, 1, HALL_THAT_NEVER_ASKS) as playing:
        hall_away_for(playing, 3 * QUEUE)
        assert playing.settle(3) is None
        assert playing.written() > set(playing.kept())


def hall_away_for(playing: Evening, rows: int) -> None:
    playing.without_hall()
    for name in playing.names:
        playing.play(name)
    playing.stop_playing(least=len(playing.written()) + rows)
    playing.wait_for_bridges()
    playing.with_hall()
