from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reboard.service_manager import notify, runtime_directory, watchdog_s
from tests.fake_systemd import Systemd


@pytest.fixture(autouse=True)
def no_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has addresses without a file")
def test_systemds_socket_may_be_one_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"reboard-test-{os.getpid()}"
    monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
    with closing(Systemd(f"\0{name}")) as systemd:
        notify("READY=1")
        assert systemd.told() == ["READY=1"]


def test_a_systemd_that_is_away_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    notify("READY=1")
    assert "systemd could not be told" in caplog.text


def test_without_systemd_nobody_is_told(caplog: pytest.LogCaptureFixture) -> None:
    notify("READY=1")
    assert not caplog.text


@pytest.mark.parametrize(
    ("usec", "pid", "interval_s"),
    [
        ("", "", None),
        ("3000000", "", 3.0),
        ("3000000", "1", None),
        ("3000000", str(os.getpid()), 3.0),
        ("0", "", None),
        ("soon", "", None),
    ],
    ids=["not", "whoever", "another's", "ours", "never", "nonsense"],
)
def test_the_watchdog_is_fed_only_when_it_waits_for_us(
    monkeypatch: pytest.MonkeyPatch, usec: str, pid: str, interval_s: float | None
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", usec)
    monkeypatch.setenv("WATCHDOG_PID", pid)
    assert watchdog_s() == interval_s


@pytest.mark.parametrize(
    ("said", "directory"),
    [("", None), ("/run/reboard", Path("/run/reboard")), ("/run/reboard:/run/more", Path("/run/reboard"))],
)
def test_the_runtime_directory_is_the_first_that_systemd_names(
    monkeypatch: pytest.MonkeyPatch, said: str, directory: Path | None
) -> None:
    assert runtime_directory() is None
    monkeypatch.setenv("RUNTIME_DIRECTORY", said)
    assert runtime_directory() == directory
