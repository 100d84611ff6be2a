from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from pathlib import Path

import pytest

from reboard.devices.readers.input_device import EV_KEY, EV_REL, EVENT, KEY_1, KEY_ENTER, InputDevice
from reboard.errors import DeviceError

BTN_LEFT = 0x110
KEYBOARD_KEYS = [*range(1, 120)]
GET_TYPES, GET_KEYS, GET_NAME = 0x8004_4520, 0x8060_4521, 0x8100_4506
GRAB, SET_CLOCK = 0x4004_4590, 0x4004_45A0
"""The requests as numbers, from the kernel's input.h on a Pi."""


class Kernel:
    """Answers for an input device, in place of ``fcntl.ioctl``."""

    def __init__(self, *, types: list[int], keys: list[int], name: bytes = b"Sycreader USB Reader\0") -> None:
        self.answers = {
            GET_TYPES: sum(1 << kind for kind in types).to_bytes(4, "little"),
            GET_KEYS: sum(1 << key for key in keys).to_bytes(96, "little"),
            GET_NAME: name,
        }
        self.is_grabbed = False
        self.requests: list[int] = []
        self.clock = 0

    def ioctl(self, file: int, request: int, argument: int | bytes) -> int | bytes:
        os.fstat(file)
        self.requests.append(request)
        if request == GRAB:
            assert argument == 1
            if self.is_grabbed:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            return 0
        assert isinstance(argument, bytes)
        if request == SET_CLOCK:
            [self.clock] = struct.unpack("i", argument)
            return argument
        assert request >> 16 & 0x3FFF == len(argument), "the request contains the size of its argument"
        return self.answers[request].ljust(len(argument), b"\0")


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


@pytest.mark.parametrize(
    ("types", "name", "expected"),
    [
        ([0, EV_KEY, 4, 17, 20], b"Sycreader USB Reader\0", "Sycreader USB Reader"),
        ([0, EV_KEY, EV_REL], b"\xff\xfe strange \0", "\ufffd\ufffd strange "),  # with a touch pad
        ([0, EV_KEY], b"x" * 256, "x" * 256),
        ([0, EV_KEY], b"", "a reader that types"),
    ],
)
def test_a_keyboard_is_grabbed_and_read_without_waiting(
    types: list[int], name: bytes, expected: str, device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = Kernel(types=types, keys=[*KEYBOARD_KEYS, BTN_LEFT], name=name)
    before = open_files()
    line = opened(device, kernel, monkeypatch)
    assert line.name == expected
    assert GRAB in kernel.requests
    assert kernel.clock == time.CLOCK_MONOTONIC
    kernels_end = os.open(device, os.O_WRONLY)
    assert line.read(256) == b""
    event = EVENT.pack(1, 2, EV_KEY, KEY_1, 1)
    os.write(kernels_end, event)
    assert line.read(256) == event
    os.close(kernels_end)
    line.close()
    assert open_files() == before


@pytest.mark.parametrize(
    ("types", "keys", "cause"),
    [
        ([0, EV_KEY, EV_REL, 4], [BTN_LEFT], "a mouse, not a keyboard"),
        ([0, EV_KEY], [116], "not a keyboard"),
        ([0, 5], [], "not a keyboard"),
        ([0, EV_KEY], [KEY_1], "not a keyboard"),
        ([0, EV_KEY], [KEY_ENTER], "not a keyboard"),
    ],
)
def test_a_device_without_the_needed_keys_is_not_grabbed(
    types: list[int], keys: list[int], cause: str, device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = Kernel(types=types, keys=keys)
    before = open_files()
    with pytest.raises(DeviceError, match=cause):
        opened(device, kernel, monkeypatch)
    assert GRAB not in kernel.requests
    assert open_files() == before


def test_a_device_that_another_program_has_grabbed_is_busy(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(types=[0, EV_KEY], keys=KEYBOARD_KEYS)
    kernel.is_grabbed = True
    before = open_files()
    with pytest.raises(OSError, match="busy") as error:
        opened(device, kernel, monkeypatch)
    assert error.value.errno == errno.EBUSY
    assert open_files() == before
