from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reboard.accessories.banker_unit.vocabulary import DealEnded, DealStarted
from reboard.commands import output
from reboard.commands import output as module
from reboard.commands.output import event_lines, log_handler
from reboard.devices.speaker import VolumeSet
from reboard.events import Events, Fault


@pytest.fixture
def standard_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """What systemd would have connected standard error to."""
    descriptor = os.open(tmp_path / "journal", os.O_CREAT | os.O_WRONLY)
    monkeypatch.setattr(output, "STANDARD_ERROR", descriptor)
    yield descriptor
    os.close(descriptor)


class JournalHandler(logging.Handler):
    """python3-systemd's, as far as it can be seen."""

    def __init__(self, **fields: str) -> None:
        super().__init__()
        self.fields = fields


@pytest.fixture
def python3_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("systemd.journal")
    module.JournalHandler = JournalHandler
    monkeypatch.setitem(sys.modules, "systemd", ModuleType("systemd"))
    monkeypatch.setitem(sys.modules, "systemd.journal", module)


def connect_journal(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = os.fstat(descriptor)
    monkeypatch.setenv("JOURNAL_STREAM", f"{stat.st_dev}:{stat.st_ino}")


def test_a_service_logs_to_the_journal_with_fields(
    standard_error: int, python3_systemd: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_journal(standard_error, monkeypatch)
    handler = log_handler()
    assert isinstance(handler, JournalHandler)
    assert handler.fields == {"SYSLOG_IDENTIFIER": "reboard"}


@pytest.mark.parametrize("stream", [None, "", "8:1", "nonsense"])
def test_without_the_journal_the_log_is_plain_text(
    standard_error: int, python3_systemd: None, monkeypatch: pytest.MonkeyPatch, stream: str | None
) -> None:
    if stream is None:
        monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    else:
        monkeypatch.setenv("JOURNAL_STREAM", stream)
    assert type(log_handler()) is logging.StreamHandler


def test_without_the_library_each_line_has_its_priority(standard_error: int, monkeypatch: pytest.MonkeyPatch) -> None:
    connect_journal(standard_error, monkeypatch)
    monkeypatch.setitem(sys.modules, "systemd.journal", None)
    record = logging.LogRecord("reboard", logging.WARNING, "", 1, "the disk\nis slow", None, None)
    assert log_handler().format(record) == "<4>the disk\n<4>is slow"


pytestmark = pytest.mark.realtime


class Output:
    """Stands for standard output."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor


def test_every_event_is_one_line_of_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = Events(lambda: 5.0)
    events.emit(DealStarted())
    with (tmp_path / "out").open("w+b") as out:
        monkeypatch.setattr(sys, "stdout", Output(out.fileno()))
        with event_lines(events):
            events.emit(VolumeSet(2))
            events.emit(DealEnded())
        events.emit(DealStarted())
        out.seek(0)
        lines = [json.loads(line) for line in out]
    assert lines == [{"t": 0.0, "event": "volume", "level": 2}, {"t": 0.0, "event": "deal.ended"}]


def test_a_blocked_output_does_not_block_the_table(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "LAST_LINES_S", 0.01)
    events = Events(lambda: 0.0)
    reading, writing = os.pipe()
    monkeypatch.setattr(sys, "stdout", Output(writing))
    with event_lines(events):
        for _ in range(10_000):
            events.emit(Fault("x", 100 * "x"))
    assert "events were dropped" in caplog.text
    os.close(reading)
    for thread in threading.enumerate():
        if thread.name == "event lines":
            thread.join()
    os.close(writing)


def test_a_closed_output_is_logged_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    events = Events(lambda: 0.0)
    reading, writing = os.pipe()
    os.close(reading)
    monkeypatch.setattr(sys, "stdout", Output(writing))
    with event_lines(events):
        for _ in range(100):
            events.emit(DealStarted())
    os.close(writing)
    assert caplog.text.count("events can no longer be printed") == 1
