from __future__ import annotations

import errno
import time

import pytest

from reboard_sim.i2c import VirtualI2cBus


class Note:
    def __init__(self) -> None:
        self.bytes: list[int] = []
        self.powered: list[bool] = []

    def receive(self, value: int) -> None:
        self.bytes.append(value)

    def send(self) -> int:
        return self.bytes[-1]

    def power(self, on: bool) -> None:
        self.powered.append(on)


def test_a_byte_reaches_the_device_at_its_address_only() -> None:
    bus = VirtualI2cBus(time.monotonic)
    one, other = Note(), Note()
    bus.attach(0x27, one)
    bus.attach(0x3F, other)
    bus.write_byte(0x27, 0xA5)
    assert (one.bytes, other.bytes) == ([0xA5], [])


def test_a_byte_is_read_from_the_device_at_its_address() -> None:
    bus = VirtualI2cBus(time.monotonic)
    bus.attach(0x27, Note())
    bus.write_byte(0x27, 0xA5)
    assert bus.read_byte(0x27) == 0xA5


@pytest.mark.parametrize("address", [0x26, 0x27])
def test_where_nobody_is_nobody_answers(address: int) -> None:
    bus = VirtualI2cBus(time.monotonic)
    note = Note()
    bus.attach(0x27, note)
    bus.unplug(0x27)
    with pytest.raises(OSError, match="Remote I/O error") as failed:
        bus.write_byte(address, 0)
    assert failed.value.errno == errno.EREMOTEIO == 121
    with pytest.raises(OSError, match="Remote I/O error"):
        bus.read_byte(address)
    assert note.bytes == []


def test_a_device_that_is_unplugged_loses_its_power_and_has_it_again_when_it_is_back() -> None:
    bus = VirtualI2cBus(time.monotonic)
    note = Note()
    bus.attach(0x27, note)
    bus.unplug(0x27)
    assert note.powered == [True, False]
    bus.plug(0x27)
    bus.write_byte(0x27, 1)
    assert note.powered == [True, False, True]
    assert note.bytes == [1]


def test_what_was_never_there_cannot_be_unplugged() -> None:
    with pytest.raises(KeyError):
        VirtualI2cBus(time.monotonic).unplug(0x27)


def test_writes_are_counted_and_take_a_fifth_of_a_millisecond_of_the_wire() -> None:
    bus = VirtualI2cBus(time.monotonic)
    bus.attach(0x27, Note())
    for _ in range(5000):
        bus.write_byte(0x27, 0)
    assert bus.writes == 5000
    assert bus.wire_s == pytest.approx(1.0)


def test_a_machine_without_power_moves_no_wire_and_gives_none_to_what_is_plugged_in() -> None:
    bus = VirtualI2cBus(time.monotonic)
    note = Note()
    bus.attach(0x27, note)
    bus.power_off()
    with pytest.raises(OSError, match="Remote"):
        bus.write_byte(0x27, 1)
    bus.unplug(0x27)
    bus.plug(0x27)
    assert (note.bytes, bus.writes) == ([], 0)
    assert note.powered == [True, False, False, False]


def test_what_was_written_is_remembered_whether_it_was_answered_or_not() -> None:
    bus = VirtualI2cBus(lambda: 1.5)
    bus.attach(0x27, Note())
    bus.write_byte(0x27, 5)
    with pytest.raises(OSError, match="Remote"):
        bus.write_byte(0x3F, 6)
    assert bus.news(0) == ([(1.5, 0x27, 5, True, None), (1.5, 0x3F, 6, False, None)], 2)
    assert bus.news(2) == ([], 2)
