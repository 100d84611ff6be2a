from __future__ import annotations

import asyncio
import errno
import os
import pwd
import stat
import sys
import threading
from pathlib import Path
from typing import cast

import pytest

from reboard.board import I2cBus
from reboard.doctor.machine import Machine
from reboard.errors import DeviceError
from reboard.raspberry_pi import LinuxDevices
from tests.fake_gpiod import FakeGpiod


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_processes_that_have_a_linked_device_open_are_named(machine: Machine) -> None:
    process = machine.path("/proc/612")
    (process / "fd").mkdir(parents=True)
    (process / "comm").write_text("agetty\n")
    (process / "cgroup").write_text("0::/system.slice/getty.service\n")
    (process / "fd" / "0").symlink_to("/dev/ttyS0")
    machine.path("/proc/613").mkdir()  # one that has just ended
    machine.path("/dev").mkdir()
    machine.path("/dev/serial0").symlink_to("ttyS0")
    machine.path("/dev/elsewhere").symlink_to("/")
    assert [str(holder) for holder in machine.holders("/dev/serial0")] == ["agetty (process 612, getty.service)"]
    assert machine.holders("/dev/ttyS1") == []
    assert machine.real("/dev/elsewhere") == "/dev/elsewhere"


def test_a_user_without_a_name_is_named_by_number(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert machine.user == f"user {os.geteuid()}"


ANNA = pwd.struct_passwd(("anna", "x", 1000, 1000, "", "/home/anna", "/bin/sh"))


@pytest.mark.parametrize(
    ("owner", "group", "mode", "reads", "writes"),
    [
        (1000, 0, 0o600, True, True),
        (1000, 0, 0o066, False, False),
        (0, 20, 0o060, True, True),
        (0, 20, 0o606, False, False),
        (0, 0, 0o666, True, True),
        (0, 0, 0o644, True, False),
        (1000, 1000, stat.S_IFDIR | 0o700, True, True),
        (1000, 1000, stat.S_IFDIR | 0o600, True, False),
    ],
)
def test_the_rights_of_another_user_follow_from_the_mode_of_the_file(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, owner: int, group: int, mode: int, reads: bool, writes: bool
) -> None:
    kind = 0 if mode & stat.S_IFDIR else stat.S_IFREG
    found = os.stat_result((kind | mode, 1, 1, 1, owner, group, 0, 0, 0, 0))
    with monkeypatch.context() as here:
        here.setattr(pwd, "getpwnam", {"anna": ANNA, "root": pwd.getpwuid(0)}.__getitem__)
        here.setattr(os, "getgrouplist", lambda user, group: [group, 20])
        here.setattr(Path, "stat", lambda path, **_: found)
        assert machine.may_be_read_by("anna", Path("/ledger.db")) is reads
        assert machine.may_write("anna", "/ledger.db") is writes
        assert machine.may_write("root", "/ledger.db")
        assert machine.may_write("an unknown user", "/ledger.db")


def test_the_headers_pins_are_read_and_not_requested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpiod = FakeGpiod({0: "pinctrl-rp1"})
    gpiod.install(monkeypatch, tmp_path)
    gpiod.users = {4: "onewire@4", 17: "lg", 22: ""}
    users = {4: "onewire@4", 17: "lg", 22: "the kernel, or a program without a name"}
    assert Machine().header() == (str(tmp_path / "gpiochip0"), "pinctrl-rp1", users)
    assert not gpiod.opened
    assert not gpiod.requests
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with pytest.raises(DeviceError, match="gpiod"):
        Machine().header()


def test_ports_and_sound_cards_are_listed_without_the_debugging_socket(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    machine.path("/dev").mkdir()
    for name in ("ttyS0", "ttyAMA10"):
        machine.path(f"/dev/{name}").touch()
    machine.path("/dev/serial0").symlink_to("ttyAMA10")
    assert machine.serial_ports() == {"/dev/ttyS0": "the header's serial port"}
    machine.path("/dev/ttyAMA0").touch()
    machine.path("/dev/serial1").symlink_to("ttyAMA0")
    assert machine.serial_ports() == {"/dev/ttyS0": "the header's serial port"}, "without the port of Bluetooth"
    (machine.path("/proc/asound")).mkdir(parents=True)
    cards = " 0 [vc4hdmi0       ]: vc4-hdmi\n                      vc4-hdmi-0\n 1 [Device         ]: USB-Audio\n"
    machine.path("/proc/asound/cards").write_text(cards)
    assert machine.sound_cards() == ["vc4hdmi0", "Device"]


class Bus(LinuxDevices):
    """The only I²C bus of a machine; two addresses answer, and the others raise *error*."""

    def __init__(self, error: int) -> None:
        self.error, self.is_open = error, True

    def open_i2c(self, bus: int) -> I2cBus:
        return cast(I2cBus, self)

    def read_byte(self, address: int) -> int:
        if address not in (0x20, 0x3F):
            raise OSError(self.error, os.strerror(self.error))
        return 0

    def close(self) -> None:
        self.is_open = False


# a Pi's own bus, the error that Linux asks for, i2c-stub, and a bus that is stuck
@pytest.mark.parametrize("error", [errno.EREMOTEIO, errno.ENXIO, errno.ENODEV, errno.ETIMEDOUT])
def test_the_addresses_that_answer_are_found_by_reading(error: int) -> None:
    bus = Bus(error)
    if error == errno.ETIMEDOUT:
        with pytest.raises(OSError, match="timed out"):
            Machine(devices=bus).i2c_addresses(1, range(0x20, 0x40))
    else:
        assert Machine(devices=bus).i2c_addresses(1, range(0x20, 0x40)) == [0x20, 0x3F]
    assert not bus.is_open


def test_a_write_is_timed_and_leaves_nothing(machine: Machine, tmp_path: Path) -> None:
    assert machine.space(Path("/")).free_bytes > 0
    assert 0 < machine.write_s(Path("/")) < 60
    assert list(tmp_path.iterdir()) == []


def test_what_libraries_write_to_standard_error_is_discarded(capfd: pytest.CaptureFixture[str]) -> None:
    with Machine().without_stderr():
        os.write(2, b"ALSA lib confmisc.c:855\n")
    os.write(2, b"something else\n")
    assert capfd.readouterr().err == "something else\n"


@pytest.mark.realtime
async def test_a_command_that_fails_is_missing_or_takes_too_long_has_no_output(machine: Machine) -> None:
    assert await machine.output_of(sys.executable, "-c", "print('fine')") == "fine"
    assert await machine.output_of(sys.executable, "-c", "print('bad'); raise SystemExit(3)") is None
    assert await machine.output_of("/no/such/command") is None
    async with asyncio.timeout(60):
        assert await machine.output_of(sys.executable, "-c", "import time; time.sleep(600)", within_s=0.1) is None


@pytest.mark.realtime
async def test_a_command_whose_caller_is_cancelled_is_killed(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    sleeper = f"import os, time; open({str(file)!r}, 'w').write(f'{{os.getpid()}}.'); time.sleep(600)"
    waiting = asyncio.create_task(machine.output_of(sys.executable, "-c", sleeper))
    async with asyncio.timeout(60):
        while not machine.text("/pid").endswith("."):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(ProcessLookupError):
        os.kill(int(machine.text("/pid").removesuffix(".")), 0)


@pytest.mark.realtime
async def test_work_in_a_thread_returns_raises_or_is_left_behind(machine: Machine) -> None:
    over = threading.Event()
    assert await machine.in_thread(lambda: 6 * 7) == 42
    with pytest.raises(ZeroDivisionError):
        await machine.in_thread(lambda: 1 / 0)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(machine.in_thread(lambda: over.wait(60)), 0.05)
    assert not over.is_set()
    over.set()


@pytest.mark.realtime
async def test_the_machines_own_web_server_is_asked_past_any_proxy(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_well = b" /well " in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nhere" if is_well else b"HTTP/1.0 503 Ill\r\n\r\n")
        writer.close()

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        address = "http://{}:{}".format(*server.sockets[0].getsockname())
        assert await machine.fetch(f"{address}/well", 10) == "here"
        with pytest.raises(OSError, match="503"):
            await machine.fetch(f"{address}/ill", 10)


@pytest.mark.realtime
async def test_a_command_does_not_import_reboards_own_packages(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/usr/lib/reboard")
    assert "PYTHONPATH" not in str(await machine.output_of("env"))
