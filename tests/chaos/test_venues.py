"""Two brokers: that of a venue hands its tables on to one beyond the room, as `examples/venue.conf` sets it up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.evening import Evening
from tests.mosquitto import MakeMosquitto
from tests.waiting import PATIENCE_S, eventually

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "venue.conf"


def venue_bridge(port: int) -> str:
    """Return the example's lines for a venue's mosquitto, with the far broker here and without a password."""
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("bridge_cafile", "remote_"))]
    settings = "\n".join(kept)
    assert "address halls.example:8883" in settings
    return settings.replace("halls.example:8883", f"127.0.0.1:{port}")


@pytest.mark.realtime
def test_a_hall_beyond_the_room_gets_each_row_once(make_mosquitto: MakeMosquitto, tmp_path: Path) -> None:
    far = make_mosquitto()
    venue = make_mosquitto(settings=venue_bridge(far.port))
    playing = Evening(venue, tmp_path, 2, 0.05, 1, hall_broker=far)
    try:
        playing.start()
        far.kill()
        written = len(playing.written())
        eventually(lambda: len(playing.written()) > written + 20, "the tables play on without the far broker")
        far.start()
        playing.stop_playing()
        assert playing.settle(PATIENCE_S) is not None
        assert len(playing.written()) > written + 20

        playing.without_hall()
        playing.delete_store()
        playing.with_hall()
        assert playing.settle(PATIENCE_S) is not None, "the hall can ask the tables again"
    finally:
        playing.close()
