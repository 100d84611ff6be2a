from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reboard import service
from reboard.door.client import DoorClient
from reboard.door.server import TableDoor
from reboard.errors import ConfigError, DoorError
from reboard.events import Event, Events
from reboard.service import daemon
from reboard_sim.virtual_time import run
from tests.fake_systemd import Systemd


class FakeTable:
    """A table whose only part is a motor that must be off in the end."""

    def __init__(self) -> None:
        self.events = Events(asyncio.get_running_loop().time)
        self.ready = asyncio.Event()
        self.motor_is_on = False
        self.faults: dict[str, str] = {}
        self.failure: Exception | None = None
        self.events.listen(self._keep_faults)

    def _keep_faults(self, event: Event) -> None:
        if event.name == "fault":
            self.faults[str(event.fields["part"])] = str(event.fields["cause"])
        elif event.name == "recovered":
            del self.faults[str(event.fields["part"])]

    async def run(self) -> None:
        try:
            await asyncio.sleep(1)
            self.motor_is_on = True
            self.ready.set()
            await asyncio.sleep(60)
            if self.failure:
                raise self.failure
            await asyncio.Event().wait()
        finally:
            self.motor_is_on = False

    def snapshot(self) -> dict[str, object]:
        return {"motor": self.motor_is_on}

    async def history(self) -> str:
        return '{"game": null, "before": {}, "transfers": []}'

    async def request(self, do: str, **args: object) -> object:
        return None

    def greet(self) -> None:
        self.events.emit("sound", name="ready")


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    with closing(Systemd(str(tmp_path / "notify"))) as systemd:
        yield systemd


@pytest.fixture(autouse=True)
def no_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
        monkeypatch.delenv(name, raising=False)


def nothing() -> None:
    pass


async def serve(
    table: FakeTable,
    door: TableDoor,
    *,
    keep: Callable[[], None] = nothing,
    reread: Callable[[], str] = lambda: "another config",
) -> list[str]:
    """One table as a daemon; returns the configs that took its place."""
    found: list[str] = []

    async def life(to_reload: asyncio.Event) -> None:
        found.append(await service.serve(table, door, keep=keep, to_reload=to_reload, reread=reread))

    await daemon(life)
    return found


def test_systemd_is_told_of_readiness_once_everybody_can_come_in(tmp_path: Path, systemd: Systemd) -> None:
    async def main() -> None:
        table = FakeTable()
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door")))
        await asyncio.sleep(0.9)
        assert systemd.told() == []
        await asyncio.sleep(0.2)
        assert systemd.told() == ["READY=1\nSTATUS=The table plays."]
        async with await DoorClient.connect(tmp_path / "door") as client:
            assert await client.request("snapshot") == {"motor": True}
        served.cancel()
        await asyncio.wait({served})

    run(main)


def test_whoever_comes_before_it_is_ready_waits(tmp_path: Path) -> None:
    async def main() -> None:
        table = FakeTable()
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door")))
        await asyncio.sleep(0.1)
        async with await DoorClient.connect(tmp_path / "door") as client:
            assert await client.request("snapshot") == {"motor": True}
        served.cancel()
        await asyncio.wait({served})

    run(main)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_motor_and_removes_the_door(tmp_path: Path, systemd: Systemd, number: int) -> None:
    async def main() -> None:
        table = FakeTable()
        # the virtual clock would jump over what comes from outside the loop
        asyncio.get_running_loop().call_later(2, signal.raise_signal, number)
        await serve(table, TableDoor(table, tmp_path / "door"))
        assert table.ready.is_set()
        assert not table.motor_is_on
        assert not (tmp_path / "door").exists()
        assert systemd.told()[-1].startswith("STOPPING=1\n")

    run(main)


def test_a_signal_before_it_is_ready_stops_it_too(tmp_path: Path) -> None:
    async def main() -> None:
        table = FakeTable()
        asyncio.get_running_loop().call_later(0.5, signal.raise_signal, signal.SIGTERM)
        await serve(table, TableDoor(table, tmp_path / "door"))
        assert not table.ready.is_set()

    run(main)


def test_after_the_first_signal_the_second_is_the_systems_own(tmp_path: Path) -> None:
    async def main() -> None:
        table = FakeTable()
        seen: list[object] = []

        async def slow_to_stop() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                seen.extend(signal.getsignal(number) for number in service.STOP_SIGNALS)

        table.run = slow_to_stop  # type: ignore[method-assign]
        asyncio.get_running_loop().call_later(0.5, signal.raise_signal, signal.SIGTERM)
        await serve(table, TableDoor(table, tmp_path / "door"))
        assert seen == [signal.SIG_DFL, signal.SIG_DFL]

    before = signal.getsignal(signal.SIGINT)
    try:
        run(main)
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_watchdog_is_fed_twice_as_often_as_it_must_be(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")

    async def main() -> None:
        table = FakeTable()
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door")))
        await asyncio.sleep(1.5)
        systemd.told()
        await asyncio.sleep(10)
        assert systemd.told() == ["WATCHDOG=1"] * 5
        served.cancel()
        await asyncio.wait({served})

    run(main)


def test_what_is_wrong_is_the_status(tmp_path: Path, systemd: Systemd) -> None:
    async def main() -> None:
        table = FakeTable()
        table.events.emit("fault", part="config", cause="first")
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door")))
        await asyncio.sleep(0.5)
        table.events.emit("fault", part="display", cause="no answer\nat 0x27")
        await asyncio.sleep(1)
        assert systemd.told() == ["READY=1\nSTATUS=config: first; display: no answer at 0x27"]
        table.events.emit("recovered", part="config")
        systemd.told()
        table.events.emit("fault", part="left slot", cause="no such port")
        table.events.emit("recovered", part="display")
        table.events.emit("deal.started")
        table.events.emit("recovered", part="left slot")
        assert systemd.told() == [
            "STATUS=display: no answer at 0x27; left slot: no such port",
            "STATUS=left slot: no such port",
            "STATUS=The table plays.",
        ]
        served.cancel()
        await asyncio.wait({served})

    run(main)


def test_a_table_that_fails_takes_the_daemon_with_it(tmp_path: Path) -> None:
    async def main() -> None:
        table = FakeTable()
        table.failure = RuntimeError("the table broke")
        with pytest.raises(RuntimeError, match="the table broke"):
            await serve(table, TableDoor(table, tmp_path / "door"))
        assert not (tmp_path / "door").exists()

    run(main)


def test_while_another_table_is_at_work_no_part_is_touched(tmp_path: Path) -> None:
    async def main() -> None:
        first, second = FakeTable(), FakeTable()
        at_work = TableDoor(first, tmp_path / "door")
        at_work.claim()
        with pytest.raises(DoorError):
            await serve(second, TableDoor(second, tmp_path / "door"))
        await asyncio.sleep(2)
        assert not second.ready.is_set()
        await at_work.close()

    run(main)


def test_what_waits_for_the_disk_is_done_in_a_thread_and_the_greeting_after_it_on_the_loop(tmp_path: Path) -> None:
    done_in: list[tuple[str, threading.Thread]] = []

    def keep() -> None:
        done_in.append(("keep", threading.current_thread()))

    async def main() -> None:
        table = FakeTable()
        table.events.listen(lambda event: done_in.append((str(event.fields["name"]), threading.current_thread())))
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door"), keep=keep))
        await asyncio.sleep(2)
        served.cancel()
        await asyncio.wait({served})

    run(main)
    (kept, worker), (greeted, loop_thread) = done_in
    assert (kept, greeted) == ("keep", "ready")
    assert worker is not loop_thread is threading.current_thread()


@pytest.mark.realtime
def test_a_disk_that_stalls_at_the_start_does_not_starve_the_watchdog(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    disk_answers = threading.Event()

    def keep() -> None:
        disk_answers.wait(10)

    async def main() -> None:
        table = FakeTable()
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door"), keep=keep))
        await asyncio.sleep(4)
        told = systemd.told()
        disk_answers.set()
        assert "WATCHDOG=1" in told
        served.cancel()
        await asyncio.wait({served})

    run(main, pace=20)


def ask_to_reload(*at: float) -> None:
    # the virtual clock would jump over what comes from outside the loop
    for when in at:
        asyncio.get_running_loop().call_at(when, signal.raise_signal, signal.SIGHUP)


def test_asked_to_reload_the_table_makes_room_for_one_with_the_new_config(tmp_path: Path, systemd: Systemd) -> None:
    async def main() -> None:
        table = FakeTable()
        start = asyncio.get_running_loop().time()
        ask_to_reload(start + 2)
        assert await serve(table, TableDoor(table, tmp_path / "door")) == ["another config"]
        assert not table.motor_is_on
        assert not (tmp_path / "door").exists()
        assert systemd.told()[1:] == [f"RELOADING=1\nMONOTONIC_USEC={(start + 2) * 1e6:.0f}"]

    run(main)


def test_a_table_with_a_bad_new_config_plays_on_and_says_so(tmp_path: Path, systemd: Systemd) -> None:
    answers = iter(["table.toml:4: too many", "table.toml:5: too few", None])

    def reread() -> str:
        if problem := next(answers):
            raise ConfigError(problem)
        return "a good one"

    async def main() -> None:
        table = FakeTable()
        start = asyncio.get_running_loop().time()
        ask_to_reload(start + 2, start + 3, start + 4)
        served = asyncio.create_task(serve(table, TableDoor(table, tmp_path / "door"), reread=reread))
        await asyncio.sleep(3.5)
        assert table.motor_is_on
        assert table.faults == {"config": "table.toml:5: too few"}
        reloading = "RELOADING=1\nMONOTONIC_USEC="
        assert [told.split("=1")[0] if told.startswith(reloading) else told for told in systemd.told()[1:]] == [
            "RELOADING",
            "STATUS=config: table.toml:4: too many",
            "READY=1\nSTATUS=config: table.toml:4: too many",
            "RELOADING",
            "STATUS=config: table.toml:5: too few",
            "READY=1\nSTATUS=config: table.toml:5: too few",
        ]
        assert await served == ["a good one"]

    run(main)


def test_who_asks_to_reload_before_it_is_ready_is_heard_afterwards(tmp_path: Path, systemd: Systemd) -> None:
    async def main() -> None:
        table = FakeTable()
        ask_to_reload(asyncio.get_running_loop().time() + 0.5)
        assert await serve(table, TableDoor(table, tmp_path / "door")) == ["another config"]
        assert table.ready.is_set()

    run(main)


def test_a_terminal_that_is_closed_stops_the_motor(tmp_path: Path) -> None:
    async def main() -> None:
        table = FakeTable()
        ask_to_reload(asyncio.get_running_loop().time() + 2)
        assert await serve(table, TableDoor(table, tmp_path / "door")) == []
        assert not table.motor_is_on

    run(main)


def test_the_watchdog_is_fed_also_while_one_table_makes_room_for_another(
    systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")

    async def no_table_at_all(_: asyncio.Event) -> None:
        await asyncio.sleep(11)

    run(lambda: daemon(no_table_at_all))
    assert systemd.told() == ["WATCHDOG=1"] * 5


HANGING = """
import asyncio, time
from reboard.service import daemon

async def life(_):
    print("started", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("stopping", flush=True)
        time.sleep(60)

asyncio.run(daemon(life))
"""


@pytest.mark.realtime
def test_a_second_signal_ends_a_process_that_hangs_at_once() -> None:
    command = [sys.executable, "-c", HANGING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        process.terminate()
        assert process.stdout.readline() == "stopping\n"
        process.terminate()
        assert process.wait(timeout=10) == -signal.SIGTERM
