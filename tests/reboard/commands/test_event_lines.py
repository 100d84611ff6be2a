from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from reboard.commands import event_lines as module
from reboard.commands.event_lines import event_lines
from reboard.events import Events

pytestmark = pytest.mark.realtime


class Output:
    """Stands for standard output."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor


def test_every_event_is_one_line_of_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = Events(lambda: 5.0)
    events.emit("deal.started")
    with (tmp_path / "out").open("w+b") as out:
        monkeypatch.setattr(sys, "stdout", Output(out.fileno()))
        with event_lines(events):
            events.emit("volume", level=2)
            events.emit("deal.ended")
        events.emit("deal.started")
        out.seek(0)
        lines = [json.loads(line) for line in out]
    assert lines == [{"t": 0.0, "event": "volume", "level": 2}, {"t": 0.0, "event": "deal.ended"}]


def test_a_reader_that_hangs_does_not_hold_up_the_table(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "LAST_LINES_S", 0.01)
    events = Events(lambda: 0.0)
    reading, writing = os.pipe()
    monkeypatch.setattr(sys, "stdout", Output(writing))
    with event_lines(events):
        for _ in range(10_000):
            events.emit("fault", part="x", cause=100 * "x")
    assert "events were left out" in caplog.text
    os.close(reading)
    for thread in threading.enumerate():
        if thread.name == "event lines":
            thread.join()
    os.close(writing)


def test_a_reader_that_went_away_is_told_once_and_the_table_plays_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    events = Events(lambda: 0.0)
    reading, writing = os.pipe()
    os.close(reading)
    monkeypatch.setattr(sys, "stdout", Output(writing))
    with event_lines(events):
        for _ in range(100):
            events.emit("deal.started")
    os.close(writing)
    assert caplog.text.count("can be written no longer") == 1
