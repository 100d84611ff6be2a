from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard.errors import GivenUpError
from reboard.service.systemd import COUNT_NAME, STEADY_S, notify, paused_after_failures, watchdog_s
from tests.fake_systemd import Systemd


@pytest.fixture(autouse=True)
def no_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has addresses without a file")
def test_notify_uses_an_abstract_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"reboard-test-{os.getpid()}"
    monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
    with closing(Systemd(f"\0{name}")) as systemd:
        notify("READY=1")
        assert systemd.told() == ["READY=1"]


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
    ids=["not", "any process", "another's", "ours", "never", "nonsense"],
)
def test_the_watchdog_interval_is_that_of_this_process(
    monkeypatch: pytest.MonkeyPatch, usec: str, pid: str, interval_s: float | None
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", usec)
    monkeypatch.setenv("WATCHDOG_PID", pid)
    assert watchdog_s() == interval_s


@pytest.fixture(autouse=True)
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Systemd(str(tmp_path / "notify"))) as systemd:
        yield systemd


async def life(directory: Path | None, *, seconds: float = 0.0, fails: bool = False) -> float:
    """One process; returns how long it waited before it did anything."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    waited = -1.0
    try:
        async with paused_after_failures(directory):
            waited = clock() - begun
            await asyncio.sleep(seconds)
            if fails:
                raise OSError("it broke")
    except OSError:
        pass
    return waited


async def test_the_pause_doubles_with_each_failure_and_after_six_the_service_gives_up(tmp_path: Path) -> None:
    pauses = [round(await life(tmp_path, fails=True), 3) for _ in range(6)]
    assert pauses == [0, 2, 4, 8, 16, 32]
    with pytest.raises(GivenUpError, match="failed 6 times"):
        await life(tmp_path)
    assert await life(tmp_path) == 0


async def test_a_killed_process_counts_as_a_failure(tmp_path: Path) -> None:
    async with paused_after_failures(tmp_path):
        count = (tmp_path / COUNT_NAME).read_text()
    (tmp_path / COUNT_NAME).write_text(count)  # as if it had been killed in there
    assert await life(tmp_path) == pytest.approx(2)


@pytest.mark.parametrize("seconds", [0.0, STEADY_S + 1])
async def test_a_steady_run_resets_the_count(tmp_path: Path, seconds: float) -> None:
    await life(tmp_path, fails=True)
    await life(tmp_path, seconds=seconds, fails=seconds > 0)
    assert await life(tmp_path) == 0


@pytest.mark.parametrize("count", ["", "many", "-3", "9" * 5000])
async def test_a_damaged_count_means_no_pause(tmp_path: Path, count: str) -> None:
    (tmp_path / COUNT_NAME).write_text(count)
    assert await life(tmp_path) == 0
