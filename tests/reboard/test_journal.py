from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reboard import journal
from reboard.journal import as_error, log_handler


@pytest.fixture
def standard_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """What systemd would have connected standard error to."""
    descriptor = os.open(tmp_path / "journal", os.O_CREAT | os.O_WRONLY)
    monkeypatch.setattr(journal, "STANDARD_ERROR", descriptor)
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


def test_without_the_library_it_logs_the_same_lines_without_fields(
    standard_error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_journal(standard_error, monkeypatch)
    monkeypatch.setitem(sys.modules, "systemd", None)
    assert type(log_handler()) is logging.StreamHandler


@pytest.mark.parametrize("stream", [None, "", "8:1", "nonsense"])
def test_where_somebody_else_reads_it_it_is_plain_text(
    standard_error: int, python3_systemd: None, monkeypatch: pytest.MonkeyPatch, stream: str | None
) -> None:
    if stream is None:
        monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    else:
        monkeypatch.setenv("JOURNAL_STREAM", stream)
    assert type(log_handler()) is logging.StreamHandler


def test_a_service_without_standard_error_can_log(monkeypatch: pytest.MonkeyPatch, python3_systemd: None) -> None:
    monkeypatch.setattr(journal, "STANDARD_ERROR", 999)
    assert type(log_handler()) is logging.StreamHandler


def test_without_the_library_the_journal_still_learns_how_grave_each_line_is(
    standard_error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_journal(standard_error, monkeypatch)
    monkeypatch.setitem(sys.modules, "systemd.journal", None)
    record = logging.LogRecord("reboard", logging.WARNING, "", 1, "the disk\nis slow", None, None)
    assert log_handler().format(record) == "<4>the disk\n<4>is slow"


def test_why_a_command_failed_is_an_error_in_the_journal_and_plain_for_people(
    standard_error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert as_error("it failed") == "it failed"
    connect_journal(standard_error, monkeypatch)
    assert as_error("table.toml:3: no\ntable.toml:4: no") == "<3>table.toml:3: no\n<3>table.toml:4: no"
