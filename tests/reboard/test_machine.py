from __future__ import annotations

import asyncio
import errno
import http.server
import os
import pwd
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from reboard.board import I2cBus
from reboard.errors import PartError
from reboard.machine import Machine
from reboard.raspberry_pi import LinuxDevices
from reboard.settings.pins_and_ports import BACKPACK_ADDRESSES
from tests.fake_lgpio import FakeLgpio


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_files_are_looked_for_below_the_root(machine: Machine) -> None:
    machine.path("/proc").mkdir()
    machine.path("/proc/cmdline").write_bytes(b"root=/dev/sda\0\n")
    assert machine.text("/proc/cmdline") == "root=/dev/sda"
    assert machine.named("/proc/*") == ["/proc/cmdline"]
    assert machine.has("/proc/cmdline")


def test_what_is_not_there_or_cannot_be_read_is_no_text(machine: Machine) -> None:
    machine.path("/proc").mkdir()
    assert machine.text("/proc") == machine.text("/proc/nothing") == ""
    assert not machine.has("/proc/nothing")


def test_links_are_followed_and_lead_nowhere_out_of_the_root(machine: Machine) -> None:
    machine.path("/dev").mkdir()
    machine.path("/dev/serial0").symlink_to("ttyS0")
    machine.path("/dev/elsewhere").symlink_to("/")
    assert machine.real("/dev/serial0") == "/dev/ttyS0"
    assert machine.real("/dev/elsewhere") == "/dev/elsewhere"


def test_who_has_a_device_open_is_known_by_name(machine: Machine) -> None:
    process = machine.path("/proc/612")
    (process / "fd").mkdir(parents=True)
    (process / "comm").write_text("agetty\n")
    (process / "fd" / "0").symlink_to("/dev/ttyS0")
    (process / "fd" / "1").symlink_to("/dev/null")
    machine.path("/proc/613").mkdir()  # one that has just ended
    machine.path("/dev").mkdir()
    machine.path("/dev/serial0").symlink_to("ttyS0")
    assert machine.holders("/dev/serial0") == ["agetty (process 612)"]
    assert machine.holders("/dev/ttyS1") == []


class LgpioWithUsers(FakeLgpio):
    """lgpio on a machine with one chip, some lines of which are in use."""

    def __init__(self, label: str, users: dict[int, str]) -> None:
        super().__init__({0: label})
        self.users = users

    def gpio_get_line_info(self, handle: int, pin: int) -> list[object]:
        return [0, pin, 1 if pin in self.users else 1 << 16, f"GPIO{pin}", self.users.get(pin, "")]


ANNA = pwd.struct_passwd(("anna", "x", 1000, 1000, "", "/home/anna", "/bin/sh"))


@contextmanager
def every_file(
    owner: int, group: int, mode: int, monkeypatch: pytest.MonkeyPatch, *, kind: int = stat.S_IFREG
) -> Iterator[None]:
    """Whatever is looked at is theirs and has that mode, and Anna is in group 20, until the end of the block."""
    seen = os.stat_result((kind | mode, 1, 1, 1, owner, group, 0, 0, 0, 0))
    with monkeypatch.context() as here:
        here.setattr(pwd, "getpwnam", {"anna": ANNA, "root": pwd.getpwuid(0)}.__getitem__)
        here.setattr(os, "getgrouplist", lambda user, group: [group, 20])
        here.setattr(Path, "stat", lambda path, **_: seen)
        yield


@pytest.mark.parametrize(
    ("owner", "group", "mode", "may"),
    [
        (1000, 0, 0o600, True),
        (1000, 0, 0o066, False),
        (0, 20, 0o060, True),
        (0, 20, 0o606, False),
        (0, 0, 0o666, True),
        (0, 0, 0o644, False),
    ],
)
def test_whether_somebody_else_may_write_a_file_is_told_by_its_mode(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, owner: int, group: int, mode: int, may: bool
) -> None:
    with every_file(owner, group, mode, monkeypatch):
        assert machine.may_write("anna", "/ledger.db") is may
        assert machine.may_write("root", "/ledger.db")
        assert machine.may_write("nobody known", "/ledger.db")


@pytest.mark.parametrize(
    ("owner", "group", "mode", "may"),
    [
        (1000, 0, 0o400, True),
        (1000, 0, 0o044, False),
        (0, 20, 0o640, True),
        (0, 20, 0o604, False),
        (0, 0, 0o644, True),
        (0, 0, 0o640, False),
    ],
)
def test_whether_somebody_else_may_read_a_file_is_told_by_its_mode(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, owner: int, group: int, mode: int, may: bool
) -> None:
    file = Path("/etc/reboard/table.toml")
    with every_file(owner, group, mode, monkeypatch):
        assert machine.may_be_read_by("anna", file) is may
        assert machine.may_be_read_by("root", file)
        assert machine.may_be_read_by("nobody known", file)


def test_who_may_not_go_into_a_directory_may_not_write_there(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for mode, may in ((0o700, True), (0o600, False)):
        with every_file(1000, 1000, mode, monkeypatch, kind=stat.S_IFDIR):
            assert machine.may_write("anna", "/state") is may


def test_the_headers_pins_are_looked_at_and_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lgpio = LgpioWithUsers("pinctrl-rp1", {4: "onewire@4", 17: "lg"})
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr("reboard.header.DEVICES", tmp_path)
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    assert Machine().header() == (0, "pinctrl-rp1", {4: "onewire@4", 17: "lg"})
    assert not lgpio.opened


def test_without_lgpio_the_header_cannot_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(PartError, match="lgpio is missing"):
        Machine().header()


def test_who_looks_is_known_and_so_is_who_became_that_by_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    machine = Machine()
    assert machine.caller == machine.user
    monkeypatch.setenv("SUDO_USER", "anna")
    assert (machine.caller, machine.user == "anna") == ("anna", False)


def test_the_serial_lines_have_the_headers_among_them_and_not_the_socket_for_debugging(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    machine.path("/dev").mkdir()
    for name in ("ttyS0", "ttyAMA10"):
        machine.path(f"/dev/{name}").touch()
    machine.path("/dev/serial0").symlink_to("ttyAMA10")
    assert machine.serial_ports() == {"/dev/ttyS0": "the header's serial port"}


def test_the_sound_cards_are_called_as_alsa_calls_them(machine: Machine) -> None:
    (machine.path("/proc/asound")).mkdir(parents=True)
    cards = " 0 [vc4hdmi0       ]: vc4-hdmi\n                      vc4-hdmi-0\n 1 [Device         ]: USB-Audio\n"
    machine.path("/proc/asound/cards").write_text(cards)
    assert machine.sound_cards() == ["vc4hdmi0", "Device"]


class Bus:
    """An I²C bus on which some addresses answer, or which is stuck."""

    def __init__(self, *answering: int, error: int = errno.EREMOTEIO) -> None:
        self.answering, self.error, self.is_open = answering, error, True

    def read_byte(self, address: int) -> int:
        if address not in self.answering:
            raise OSError(self.error, os.strerror(self.error))
        return 0

    def close(self) -> None:
        self.is_open = False


class OneBus(LinuxDevices):
    def __init__(self, bus: Bus) -> None:
        self.bus = bus

    def open_i2c(self, bus: int) -> I2cBus:
        return cast(I2cBus, self.bus)


# a Pi's own bus, what Linux asks a bus for, and i2c-stub
@pytest.mark.parametrize("nobody", [errno.EREMOTEIO, errno.ENXIO, errno.ENODEV])
def test_who_answers_on_a_bus_is_found_by_reading(nobody: int) -> None:
    bus = Bus(0x20, 0x3F, error=nobody)
    assert Machine(devices=OneBus(bus)).who_answers(1, BACKPACK_ADDRESSES) == [0x20, 0x3F]
    assert not bus.is_open


def test_a_bus_that_is_stuck_is_an_os_error_and_given_back() -> None:
    bus = Bus(error=errno.ETIMEDOUT)
    with pytest.raises(OSError, match="timed out"):
        Machine(devices=OneBus(bus)).who_answers(1, BACKPACK_ADDRESSES)
    assert not bus.is_open


def test_a_directory_has_room_and_takes_writes_and_keeps_nothing_of_them(machine: Machine, tmp_path: Path) -> None:
    assert machine.space(Path("/")).free_bytes > 0
    assert 0 < machine.write_s(Path("/")) < 60
    assert list(tmp_path.iterdir()) == []


def test_what_libraries_write_on_standard_error_is_kept_from_it(capfd: pytest.CaptureFixture[str]) -> None:
    with Machine().hushed():
        os.write(2, b"ALSA lib confmisc.c:855\n")
    os.write(2, b"something else\n")
    assert capfd.readouterr().err == "something else\n"


@pytest.mark.realtime
def test_what_a_command_prints_is_had_and_one_that_fails_or_is_not_there_says_nothing(machine: Machine) -> None:
    async def main() -> None:
        assert await machine.said(sys.executable, "-c", "print('fine')") == "fine"
        assert await machine.said(sys.executable, "-c", "print('bad'); raise SystemExit(3)") is None
        assert await machine.said("/no/such/command") is None
        async with asyncio.timeout(15):
            assert await machine.said(sys.executable, "-c", "import time; time.sleep(600)", within_s=0.1) is None

    asyncio.run(main())


@pytest.mark.realtime
def test_a_command_that_is_waited_for_no_longer_is_ended(machine: Machine, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    sleeper = f"import os, time; open({str(told)!r}, 'w').write(f'{{os.getpid()}}.'); time.sleep(600)"

    async def main() -> int:
        waiting = asyncio.create_task(machine.said(sys.executable, "-c", sleeper))
        async with asyncio.timeout(15):
            while not machine.text("/pid").endswith("."):  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return int(machine.text("/pid").removesuffix("."))

    with pytest.raises(ProcessLookupError):
        os.kill(asyncio.run(main()), 0)


@pytest.mark.realtime
def test_work_that_hangs_is_left_behind(machine: Machine) -> None:
    over = threading.Event()

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(machine.apart(over.wait), 0.05)

    began = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - began < 10
    over.set()


@pytest.mark.realtime
def test_what_work_returns_or_raises_comes_back(machine: Machine) -> None:
    async def main() -> None:
        assert await machine.apart(lambda: 6 * 7) == 42
        with pytest.raises(ZeroDivisionError):
            await machine.apart(lambda: 1 / 0)

    asyncio.run(main())


@pytest.mark.realtime
def test_this_machines_own_web_server_is_asked_past_any_proxy(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/well" else 503)
            self.end_headers()
            self.wfile.write(b"here")

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"

        async def main() -> None:
            assert await machine.fetched(f"{address}/well", 10) == "here"
            with pytest.raises(OSError, match="503"):
                await machine.fetched(f"{address}/ill", 10)

        asyncio.run(main())
        server.shutdown()
