from __future__ import annotations

import errno
import fcntl
import os
import re
import struct
import time
from pathlib import Path

import pytest

from reboard.errors import PartError
from reboard.parts.slots.input_device import EV_KEY, EV_REL, EVENT, KEY_1, KEY_ENTER, InputDevice

BTN_LEFT = 0x110
HEADER = Path("/usr/include/linux/input.h")
EVERY_KEY_OF_A_KEYBOARD = range(1, 120)


class Kernel:
    """What the kernel answers for one input device, in place of ``fcntl.ioctl``. Requests by their numbers."""

    def __init__(self, *, types: list[int], keys: list[int], name: bytes = b"Sycreader USB Reader\0") -> None:
        self.answers = {
            0x8004_4520: sum(1 << kind for kind in types).to_bytes(4, "little"),
            0x8060_4521: sum(1 << key for key in keys).to_bytes(96, "little"),
            0x8100_4506: name,
        }
        self.is_taken = False
        self.asked: list[int] = []
        self.clock = 0

    def ioctl(self, file: int, request: int, argument: int | bytes) -> int | bytes:
        os.fstat(file)
        self.asked.append(request)
        if request == 0x4004_4590:
            assert argument == 1
            if self.is_taken:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            return 0
        assert isinstance(argument, bytes)
        if request == 0x4004_45A0:
            [self.clock] = struct.unpack("i", argument)
            return argument
        assert request >> 16 & 0x3FFF == len(argument), "the request says how long its argument is"
        return self.answers[request].ljust(len(argument), b"\0")


def keyboard() -> Kernel:
    return Kernel(types=[0, EV_KEY, 4, 17, 20], keys=list(EVERY_KEY_OF_A_KEYBOARD))


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "event0"
    os.mkfifo(path)
    return path


def opened(device: Path, kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> InputDevice:
    monkeypatch.setattr(fcntl, "ioctl", kernel.ioctl)
    return InputDevice(str(device))


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_keyboard_is_taken_for_us_alone_and_told_to_keep_a_time_that_is_never_set(
    device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = keyboard()
    line = opened(device, kernel, monkeypatch)
    assert line.name == "Sycreader USB Reader"
    assert 0x4004_4590 in kernel.asked
    assert kernel.clock == time.CLOCK_MONOTONIC
    line.close()


def test_what_is_typed_can_be_read_without_waiting(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = opened(device, keyboard(), monkeypatch)
    kernels_end = os.open(device, os.O_WRONLY)
    assert line.read(256) == b""
    event = EVENT.pack(1, 2, EV_KEY, KEY_1, 1)
    os.write(kernels_end, event)
    assert line.read(256) == event
    os.close(kernels_end)
    line.close()


def test_closing_gives_the_device_back(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    opened(device, keyboard(), monkeypatch).close()
    assert open_files() == before


@pytest.mark.parametrize(
    ("kernel", "complaint"),
    [
        (Kernel(types=[0, EV_KEY, EV_REL, 4], keys=[BTN_LEFT]), "it is a mouse, it has no digits and no Enter"),
        (Kernel(types=[0, EV_KEY], keys=[116]), "it is no keyboard, it has no digits and no Enter"),
        (Kernel(types=[0, 5], keys=[]), "it is no keyboard"),
        (Kernel(types=[0, EV_KEY], keys=[KEY_1]), "it is no keyboard"),
        (Kernel(types=[0, EV_KEY], keys=[KEY_ENTER]), "it is no keyboard"),
    ],
)
def test_what_cannot_type_a_tag_is_refused_and_not_taken(
    kernel: Kernel, complaint: str, device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_files()
    with pytest.raises(PartError, match=complaint):
        opened(device, kernel, monkeypatch)
    assert 0x4004_4590 not in kernel.asked
    assert open_files() == before


def test_a_keyboard_with_a_touch_pad_is_a_keyboard(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(types=[0, EV_KEY, EV_REL], keys=[*EVERY_KEY_OF_A_KEYBOARD, BTN_LEFT])
    opened(device, kernel, monkeypatch).close()


def test_a_device_that_another_program_has_taken_is_busy(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = keyboard()
    kernel.is_taken = True
    before = open_files()
    with pytest.raises(OSError, match="busy") as problem:
        opened(device, kernel, monkeypatch)
    assert problem.value.errno == errno.EBUSY
    assert open_files() == before


@pytest.mark.parametrize("name", [b"", b"\xff\xfe strange \0", b"x" * 256])
def test_any_name_will_do(name: bytes, device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = keyboard()
    kernel.answers[0x8100_4506] = name
    line = opened(device, kernel, monkeypatch)
    assert line.name == (name.rstrip(b"\0").decode(errors="replace") or "a reader that types")
    line.close()


@pytest.mark.parametrize("path", ["/dev/null", "/dev", __file__])
def test_what_is_no_input_device_is_said_to_be_none_by_the_real_kernel(path: str) -> None:
    before = open_files()
    with pytest.raises(OSError, match=re.escape(os.strerror(errno.ENOTTY))) as problem:
        InputDevice(path)
    assert problem.value.errno == errno.ENOTTY
    assert open_files() == before


def test_what_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        InputDevice(str(tmp_path / "event7"))


@pytest.mark.skipif(not HEADER.exists(), reason="the kernel's headers are not installed")
@pytest.mark.parametrize(
    ("name", "kind", "number"),
    [
        ("EVIOCGNAME", "READ", 0x06),
        ("EVIOCGBIT", "READ", 0x20),
        ("EVIOCGRAB", "IOW", 0x90),
        ("EVIOCSCLOCKID", "IOW", 0xA0),
    ],
)
def test_requests_are_those_of_the_kernels_header(name: str, kind: str, number: int) -> None:
    [defined] = re.findall(rf"#define {name}\b.*", HEADER.read_text())
    assert kind in defined
    assert f"0x{number:02x}" in defined
