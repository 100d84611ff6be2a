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

from reboard.accessories.banker_unit.vocabulary import DealStarted
from reboard.control.client import ControlClient
from reboard.control.socket_server import ControlSocket
from reboard.devices.speaker import SoundStarted
from reboard.events import EmittedEvent, Fault, Recovered
from reboard.service import daemon as service
from reboard.service.daemon import daemon
from tests.fake_systemd import Systemd
from tests.reboard.control.test_socket_server import FakeTable as RequestedTable
from tests.waiting import PATIENCE_S


class FakeTable(RequestedTable):
    """A table whose only part is a motor that must be off in the end."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = asyncio.Event()
        self.motor_is_on = False
        self.faults: dict[str, str] = {}
        self.events.listen(self._keep_faults)

    def _keep_faults(self, event: EmittedEvent) -> None:
        if event.name == "fault":
            self.faults[str(event.fields["part"])] = str(event.fields["cause"])
        elif event.name == "recovered":
            del self.faults[str(event.fields["part"])]

    async def run(self) -> None:
        try:
            await asyncio.sleep(1)
            self.motor_is_on = True
            self.ready.set()
            await asyncio.Event().wait()
        finally:
            self.motor_is_on = False

    def snapshot(self) -> dict[str, object]:
        return {"motor": self.motor_is_on}

    def greet(self) -> None:
        self.events.emit(SoundStarted("ready"))


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
    control_socket: ControlSocket,
    *,
    keep: Callable[[], None] = nothing,
    reread: Callable[[], str] = lambda: "another config",
) -> list[str]:
    """One table as a daemon; returns the configs that took its place."""
    found: list[str] = []

    async def life(to_reload: asyncio.Event) -> None:
        found.append(await service.serve(table, control_socket, keep=keep, to_reload=to_reload, reread=reread))

    await daemon(life)
    return found


async def test_ready_is_reported_when_clients_can_connect(tmp_path: Path, systemd: Systemd) -> None:
    table = FakeTable()
    served = asyncio.create_task(serve(table, ControlSocket(table, tmp_path / "table.sock")))
    await asyncio.sleep(0.9)
    assert systemd.told() == []
    await asyncio.sleep(0.2)
    assert systemd.told() == ["READY=1\nSTATUS=The table is running."]
    async with await ControlClient.connect(tmp_path / "table.sock") as client:
        assert await client.request("snapshot") == {"motor": True}
    served.cancel()
    await asyncio.wait({served})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_the_motor_and_removes_the_socket(tmp_path: Path, systemd: Systemd, number: int) -> None:
    table = FakeTable()
    # the virtual clock would jump over what comes from outside the loop
    asyncio.get_running_loop().call_later(2, signal.raise_signal, number)
    await serve(table, ControlSocket(table, tmp_path / "table.sock"))
    assert table.ready.is_set()
    assert not table.motor_is_on
    assert not (tmp_path / "table.sock").exists()
    assert systemd.told()[-1].startswith("STOPPING=1\n")


async def test_faults_are_the_status(tmp_path: Path, systemd: Systemd) -> None:
    table = FakeTable()
    table.events.emit(Fault("config", "first"))
    served = asyncio.create_task(serve(table, ControlSocket(table, tmp_path / "table.sock")))
    await asyncio.sleep(0.5)
    table.events.emit(Fault("display", "no answer\nat 0x27"))
    await asyncio.sleep(1)
    assert systemd.told() == ["READY=1\nSTATUS=config: first; display: no answer at 0x27"]
    table.events.emit(Recovered("config"))
    systemd.told()
    table.events.emit(Fault("left slot", "no such port"))
    table.events.emit(Recovered("display"))
    table.events.emit(DealStarted())
    table.events.emit(Recovered("left slot"))
    assert systemd.told() == [
        "STATUS=display: no answer at 0x27; left slot: no such port",
        "STATUS=left slot: no such port",
        "STATUS=The table is running.",
    ]
    served.cancel()
    await asyncio.wait({served})


@pytest.mark.realtime
async def test_a_stalled_disk_does_not_starve_the_watchdog(
    tmp_path: Path, systemd: Systemd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    disk_answers = threading.Event()

    def keep() -> None:
        disk_answers.wait(PATIENCE_S)

    table = FakeTable()
    served = asyncio.create_task(serve(table, ControlSocket(table, tmp_path / "table.sock"), keep=keep))
    await table.ready.wait()
    await asyncio.sleep(0.1)
    systemd.told()
    await asyncio.sleep(0.2)
    assert "WATCHDOG=1" in systemd.told()
    disk_answers.set()
    served.cancel()
    await asyncio.wait({served})


async def test_the_watchdog_is_fed_between_two_tables(systemd: Systemd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")

    async def no_table_at_all(_: asyncio.Event) -> None:
        await asyncio.sleep(11)

    await daemon(no_table_at_all)
    assert systemd.told() == ["WATCHDOG=1"] * 5


HANGING = """
import asyncio, logging, sys, time
from reboard.service import daemon as service
from reboard.service.daemon import daemon

logging.basicConfig(stream=sys.stdout)
service.LONGEST_STOP_S = float(sys.argv[1])

async def life(_):
    print("started", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("stopping", flush=True)
        time.sleep(600)

asyncio.run(daemon(life))
"""


@pytest.mark.realtime
def test_a_second_signal_ends_a_hanging_process() -> None:
    command = [sys.executable, "-c", HANGING, "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        process.terminate()
        assert process.stdout.readline() == "stopping\n"
        process.terminate()
        assert process.wait(PATIENCE_S) == -signal.SIGTERM


@pytest.mark.realtime
def test_a_process_that_hangs_as_it_stops_ends_as_if_it_had_stopped() -> None:
    command = [sys.executable, "-c", HANGING, "0.2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        assert "has not stopped within 0.2 s" in process.stdout.read()
